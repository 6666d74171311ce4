# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_import_mapping
short_description:
  "Part of the roles and playbooks: read the decisions about an import from a file"
version_added: 1.0.0
description:
  - Reads a YAML file with what O(hosting.panel.panel_import#module:mapping) takes, and returns it
    with all mistakes in the file. Templates in it are not evaluated.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
options:
  _terms:
    description:
      - The file, relative to the directory in which you start C(ansible-playbook). It can be
        encrypted with Ansible Vault. Without a file, there are no decisions and no mistakes.
    type: list
    elements: str
"""

EXAMPLES = r"""
- name: Show what is wrong with a file of decisions
  ansible.builtin.debug:
    msg: "{{ lookup('hosting.panel.panel_import_mapping', 'decisions.yml').mistakes }}"
"""

RETURN = r"""
_list:
  description: One dictionary.
  type: list
  elements: dict
  contains:
    mapping:
      description: What the file holds. It is empty if the file is, or if there are mistakes.
      type: dict
      returned: always
    mistakes:
      description: A sentence for each mistake, with file and line.
      type: list
      elements: str
      returned: always
  sample: [{mapping: {php_versions: {PHP 8.1: "8.1"}}, mistakes: []}]
"""

from pathlib import Path
from typing import Any

from ansible.plugins.lookup import LookupBase

from ..module_utils._problems import format_message
from ..module_utils._secrets.redaction import escape_control_characters
from ..plugin_utils._ansible.untrusted import mark_untrusted
from ..plugin_utils._ansible.vault import get_vault_of
from ..plugin_utils._folder.yaml_file import read_yaml
from ..plugin_utils._run.controller_files import expand_path
from ..plugin_utils._variables.plugin_arguments import read_paths

_NAME = "hosting.panel.panel_import_mapping"
_NO_DICTIONARY = "the file holds no dictionary. Write names of parts such as addresses into it."


class LookupModule(LookupBase):
    """Reads the decisions about an import."""

    def run(self, terms: Any, variables: Any = None, **kwargs: Any) -> list[Any]:
        """Return what a file holds, and what is wrong with it."""
        self.set_options(var_options=variables, direct=kwargs)
        mapping: dict[str, Any] = {}
        mistakes: list[str] = []
        for name in read_paths(_NAME, terms):
            file = read_yaml(Path(expand_path(name)), name, get_vault_of(self._loader))
            messages = map(format_message, file.mistakes)
            mistakes += map(escape_control_characters, messages)
            if isinstance(file.content, dict):
                mapping.update(file.content)
            elif file.content is not None:
                mistakes.append(f"{name}: {_NO_DICTIONARY}")
        result = {"mapping": {} if mistakes else mapping, "mistakes": mistakes}
        return list(mark_untrusted([result]))

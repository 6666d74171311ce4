# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_file_conflicts
short_description:
  "Part of the roles and playbooks: find files on the controller that a run must not replace"
version_added: 1.0.0
description:
  - Reads the beginning of files that variables name, before a run writes any of them, and returns a
    sentence for each that must not be written.
  - A file that exists is replaced only if this collection wrote it, which its beginning shows. An
    empty file can be replaced.
  - Two variables must not name one file, also not by a link. No YAML file can be written into a
    directory with the files of a panel, apart from a file of passwords.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
options:
  _terms:
    description:
      - A dictionary for each file.
      - C(variable) is the name of the variable. C(path) is its value, relative to the directory in
        which C(ansible-playbook) was started. Without a value, the file is left out.
      - C(form) is what the run writes there, V(plan), V(summary), V(verify_report),
        V(verify_profile), V(report_page), V(report_json), V(report_usage), V(report_metrics),
        V(hand_over_page), V(hand_over_json), V(import_page), V(import_content), V(copy_state),
        V(copy_page) or V(zones_before). Without it, the file is not replaced as a whole, such as a
        file of passwords.
      - C(is_directory) is true for a directory with the files of a panel. C(makes_directory) is
        true if the run makes the directory of the file.
    type: list
    elements: dict
    required: true
  written:
    description:
      - Names of the variables whose files the run writes. The others are only compared with these.
      - If omitted, the run writes all of them.
    type: list
    elements: str
  hosts:
    description:
      - Names of hosts, such as C(ansible_play_hosts_all). No variable of another one of them may
        name a file in O(written), and no directory of one host may lie in that of another one.
      - A path with the name of a host in it is that host's alone.
    type: list
    elements: str
    default: []
seealso:
  - plugin: hosting.panel.panel_variables
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Show why the page of a plan would replace another file
  ansible.builtin.debug:
    msg: "{{ query('hosting.panel.panel_file_conflicts',
      {'variable': 'page_file', 'path': 'plan.md', 'form': 'plan'},
      {'variable': 'passwords_file', 'path': 'passwords.yml'}) }}"
"""

RETURN = r"""
_list:
  description: A sentence for each file that must not be written. It starts with the name of the
    variable.
  type: list
  elements: str
  sample:
    - "page_file: /home/ops/plan.md: that file is no page of a plan, so it is not replaced;
      name another one, or move it away."
"""

from typing import Any

from ansible.plugins.lookup import LookupBase

from ..module_utils._problems import format_message
from ..plugin_utils._written_files.conflicts import find_conflicts
from ..plugin_utils._written_files.files_of_hosts import find_conflicts_of_hosts
from ..plugin_utils._written_files.terms import inspect_files, read_term


class LookupModule(LookupBase):
    """Finds files that a run must not replace."""

    def run(self, terms: Any, variables: Any = None, **kwargs: Any) -> list[str]:
        """Return a sentence for each conflict.

        Raises:
            AnsibleLookupError: A term describes no file.
        """
        self.set_options(var_options=variables, direct=kwargs)
        descriptions = [read_term(term) for term in terms]
        files = list(inspect_files(descriptions))
        written = self.get_option("written")
        names = {file.name for file in files} if written is None else set(written)
        conflicts = find_conflicts(files, names)
        hosts = self.get_option("hosts") or []
        if len(hosts) > 1:
            written_files = [file for file in files if file.name in names]
            conflicts += find_conflicts_of_hosts(
                descriptions, written_files, names, hosts, variables
            )
        return [format_message(conflict) for conflict in conflicts]

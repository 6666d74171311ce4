# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_from_json
short_description: Read the JSON of a report, a move, an import or an archive
version_added: 1.0.0
description:
  - Returns the content of a JSON file of the collection, without the marks C(__ansible_unsafe) that
    P(hosting.panel.panel_to_json#filter) describes.
  - P(ansible.builtin.from_json#filter) keeps the marks up to ansible-core 2.18, and fails from
    ansible-core 2.19 on if the file has one.
  - Ansible evaluates no text of the result.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input
options:
  _input: {description: "The JSON, with or without marks.", type: str, required: true}
seealso:
  - plugin: hosting.panel.panel_to_json
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Show how full the panels are
  ansible.builtin.debug:
    msg: "{{ report.servers | map(attribute='disk_space') }}"
  vars:
    report: "{{ lookup('ansible.builtin.file', 'report.json') | hosting.panel.panel_from_json }}"
"""

RETURN = r"""
_value:
  description: What the file holds.
  type: raw
  sample: {servers: [{server: web-1, disk_space: {used: 0, promised: 42949672960, level: fine}}]}
"""

from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments

_NO_JSON = "hosting.panel.panel_from_json: the input is no JSON, or nested too deeply."


def panel_from_json(text: str) -> Any:
    """Return what a text of JSON stands for, without marks; raises AnsibleFilterError."""
    from ..plugin_utils._run.marked_texts import load_marked_json

    try:
        return load_marked_json(text)
    except ValueError:
        raise AnsibleFilterError(_NO_JSON) from None


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_from_json": with_checked_arguments(
                with_marked_result(panel_from_json), DOCUMENTATION
            )
        }

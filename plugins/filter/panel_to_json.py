# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_to_json
short_description: Write a value as JSON that Ansible can load as variables
version_added: 1.0.0
description:
  - Marks each text that Ansible could take for a template. C(vars_files) and
    M(ansible.builtin.include_vars) then load the text as it is, and evaluate nothing.
  - The mark is C(__ansible_unsafe), as in the output of C(ansible-inventory --list). The filter
    P(hosting.panel.panel_from_json#filter) takes the marks away.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input
options:
  _input: {description: "What to write.", type: raw, required: true}
seealso:
  - plugin: hosting.panel.panel_from_json
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Keep the clients of a panel
  ansible.builtin.copy:
    content: "{{ result.clients | hosting.panel.panel_to_json | string }}"
    dest: clients.json
    mode: "0600"
  delegate_to: localhost
"""

RETURN = r"""
_value:
  description:
    - JSON with an indentation of four blanks and sorted names.
    - Up to ansible-core 2.18, a template needs C(| string) behind the filter. Else Ansible makes a
      dictionary of the text again.
  type: str
  sample: |-
    [
        {
            "id": 5,
            "username": "acme"
        }
    ]
"""

import json
from typing import Any

from ..plugin_utils._ansible.plain_values import as_plain
from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_to_json(value: Any) -> str:
    """Return JSON in which texts that could be templates are marked."""
    from ..plugin_utils._run.marked_texts import mark_texts

    return json.dumps(mark_texts(as_plain(value)), indent=4, sort_keys=True)


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_to_json": with_checked_arguments(
                with_marked_result(panel_to_json), DOCUMENTATION
            )
        }

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_content_overwriting
short_description:
  "Part of the role hosting.panel.content: find out whether a step would overwrite what customers
  have changed"
version_added: 1.0.0
description:
  - Compares the objects that a step takes with what earlier runs did.
  - Internal to the role P(hosting.panel.content#role). Arguments and result can change in any
    release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, step, objects
options:
  _input:
    description: The state that P(hosting.panel.panel_content_start#filter) returned.
    type: dict
    required: true
  step: {description: "The step of the role.", type: str, required: true}
  objects:
    description: The objects that the step takes.
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
# From the role content.
- name: Show that a first copy overwrites nothing
  ansible.builtin.debug:
    msg: "{{ why or 'Nothing is overwritten.' }}"
  vars:
    start: "{{ '' | hosting.panel.panel_content_start('copy', ['old.example', 'new.example']) }}"
    content: {kind: mailbox, from: a@acme.example, to: a@acme.example, key: "mailbox:a"}
    why: "{{ start.state | hosting.panel.panel_content_overwriting('copy', [content]) }}"
"""

RETURN = r"""
_value:
  description: Why the step would overwrite something, in sentences. It is empty if it would not.
  type: str
  sample: ""
"""

from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_content_overwriting(state: Any, step: str, objects: list[dict[str, Any]]) -> str:
    """Return why a step would overwrite what customers have changed."""
    from ..plugin_utils._content_copy.customers_on_target import explain_overwriting

    return explain_overwriting(state, step, objects)


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_content_overwriting": with_checked_arguments(
                with_marked_result(panel_content_overwriting), DOCUMENTATION
            )
        }

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_content_plan
short_description:
  "Part of the role hosting.panel.content: decide what a pass does with an object"
version_added: 1.0.0
description:
  - Returns how the module that copies or compares is to be called.
  - Internal to the role P(hosting.panel.content#role). Arguments and result can change in any
    release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, content, step, is_continuing
options:
  _input: {description: "The state before.", type: dict, required: true}
  content: {description: "The object.", type: dict, required: true}
  step: {description: "The step of the role.", type: str, required: true}
  is_continuing:
    description: Whether an object that failed does not stop the others.
    type: bool
    required: true
"""

EXAMPLES = r"""
# From the role content.
- name: Show what the first pass does
  ansible.builtin.debug:
    msg: "{{ start.state | hosting.panel.panel_content_plan(content, 'copy', true) }}"
  vars:
    start: "{{ '' | hosting.panel.panel_content_start('copy', ['old.example', 'new.example']) }}"
    content: {kind: mailbox, from: a@acme.example, to: a@acme.example, key: "mailbox:a"}
"""

RETURN = r"""
_value:
  description:
    - C(mode) of the module. It is empty if the object is left alone.
    - C(is_check), whether the module runs in check mode. C(is_recheck), whether the pass only
      confirms what a killed run has copied. C(proof), what the pass proves.
  type: dict
  sample: {mode: copy, is_check: false, is_recheck: false, proof: contained}
"""

from dataclasses import asdict
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_content_plan(state: Any, content: Any, step: str, is_continuing: bool) -> dict[str, Any]:
    """Return what a pass does with an object."""
    from ..plugin_utils._content_copy.content_state import find_object_state
    from ..plugin_utils._content_copy.pass_plan import plan_pass

    object_state = find_object_state(state, content, is_continuing)
    return asdict(plan_pass(content["kind"], step, object_state))


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_content_plan": with_checked_arguments(
                with_marked_result(panel_content_plan), DOCUMENTATION
            )
        }

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_content_state
short_description:
  "Part of the role hosting.panel.content: add what a pass did with an object to the state"
version_added: 1.0.0
description:
  - Returns the state with the outcome, counts, digest and differences of a pass.
  - Internal to the role P(hosting.panel.content#role). Arguments and result can change in any
    release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, content, done, step, now
options:
  _input: {description: "The state before.", type: dict, required: true}
  content: {description: "The object.", type: dict, required: true}
  done:
    description:
      - The results of the modules. C(result) is that of the pass. C(comparison) is that of the
        module that compared afterwards, and C(repair) that of a second copy after it.
        C(option_names) has what an operator writes for options of the modules.
      - Where the pass only confirms what a killed run has copied, and finds a difference, the
        object is still to be copied.
    type: dict
    required: true
  step: {description: "The step of the role.", type: str, required: true}
  now: {description: "The time.", type: str, required: true}
"""

EXAMPLES = r"""
# From the role content.
- name: Show the state
  ansible.builtin.debug:
    msg: >-
      {{ start.state | hosting.panel.panel_content_state(content, done, 'copy',
      '2026-11-30T13:00:00+00:00') }}
  vars:
    start: "{{ '' | hosting.panel.panel_content_start('copy', ['old.example', 'new.example']) }}"
    content: {kind: mailbox, from: a@acme.example, to: a@acme.example, key: "mailbox:a"}
    done: {result: {is_complete: true, changed: true, messages: 3, differences: []}}
"""

RETURN = r"""
_value:
  description: The state.
  type: dict
  sample:
    format: hosting.panel.content
    version: 1
    source: old.example
    target: new.example
    is_taken_over: false
    objects: {}
    run: {step: copy, done: [], failed: [], to_compare: []}
"""

from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_content_state(state: Any, content: Any, done: Any, step: str, now: str) -> dict[str, Any]:
    """Return the state with a pass."""
    from ..plugin_utils._content_copy.content_state import record

    return record(state, content, done, step, now)


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_content_state": with_checked_arguments(
                with_marked_result(panel_content_state), DOCUMENTATION
            )
        }

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_content_result
short_description:
  "Part of the role hosting.panel.content: return the fact that the role content sets"
version_added: 1.0.0
description:
  - Returns what became of each object, what differs, a digest of the whole, and the message.
  - Internal to the role P(hosting.panel.content#role). Arguments and result can change in any
    release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, state, step
options:
  _input: {description: "The objects.", type: list, elements: dict, required: true}
  state: {description: "What was done.", type: dict, required: true}
  step: {description: "The step of the role.", type: str, required: true}
  information:
    description: What M(hosting.panel.panel_content_info) returned. Its C(leftovers) has by C(host)
      what programs have C(printed) about the keys of other runs.
    type: dict
    default: {}
  is_check: {description: "Whether the run is in check mode.", type: bool, default: false}
"""

EXAMPLES = r"""
# From the role content.
- name: Show the result of a step that copied nothing
  ansible.builtin.debug:
    msg: "{{ [] | hosting.panel.panel_content_result(start.state, 'info') }}"
  vars:
    start: "{{ '' | hosting.panel.panel_content_start('info', ['old.example', 'new.example']) }}"
"""

RETURN = r"""
_value:
  description: The fact without the page. C(failures) has a sentence for each object that failed
    or differs.
  type: dict
  sample:
    step: copy
    objects:
      - kind: mailbox
        title: Mailbox
        from: info@acme.example
        to: info@acme.example
        outcome: copied
        counts: {messages: 3}
    differences: []
    other_runs: []
    failures: []
"""

from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_content_result(
    objects: Any, state: Any, step: str, information: Any = None, is_check: bool = False
) -> dict[str, Any]:
    """Return what became of the objects."""
    from ..plugin_utils._content_copy.content_result import list_failures, make_result
    from ..plugin_utils._content_copy.other_runs import describe_other_runs

    result = make_result(objects, state, step, information or {}, is_check)
    other_runs = describe_other_runs((information or {}).get("leftovers", []))
    return {**result, "other_runs": other_runs, "failures": list_failures(result)}


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_content_result": with_checked_arguments(
                with_marked_result(panel_content_result), DOCUMENTATION
            )
        }

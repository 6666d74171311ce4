# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_move_result
short_description: "Part of the role hosting.panel.move: return the fact that the role move sets"
version_added: 1.0.0
description:
  - Adds the time to what P(hosting.panel.panel_hand_over#filter) returned. If nothing else is new,
    that is the time of the earlier result, so that no file is written again.
  - Internal to the role P(hosting.panel.move#role). Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, earlier, now
options:
  _input:
    description: What the hand-over page says, without C(at).
    type: dict
    required: true
  earlier:
    description: The result that the JSON file has; empty if there is none.
    type: dict
    required: true
  now: {description: "The time.", type: str, required: true}
"""

EXAMPLES = r"""
# From the role move.
- name: Set the result
  ansible.builtin.set_fact:
    move_result: >-
      {{ facts | hosting.panel.panel_move_result(earlier, '2026-11-20T06:00:00+00:00') }}
"""

RETURN = r"""
_value:
  description: The fact.
  type: dict
  sample: {client: acme, differences: [], at: "2026-11-20T06:00:00+00:00"}
"""

from collections.abc import Mapping
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_move_result(
    facts: Mapping[str, Any], earlier: Mapping[str, Any], now: str
) -> dict[str, Any]:
    """Return the facts with the time from which on they are so."""
    since = {**facts, "at": earlier.get("at", "")}
    if since == earlier:
        return since
    return {**facts, "at": now}


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_move_result": with_checked_arguments(
                with_marked_result(panel_move_result), DOCUMENTATION
            )
        }

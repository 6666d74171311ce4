# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_move_message
short_description:
  "Part of the role hosting.panel.move: return how two panels differ after a step of the role
  move, for people"
version_added: 1.0.0
description:
  - Returns the message with which the steps C(copy) and C(verify) of the role
    P(hosting.panel.move#role) end.
  - Internal to the role P(hosting.panel.move#role). Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, page, written
options:
  _input:
    description: The fact C(move_result).
    type: dict
    required: true
  page: {description: "The path of the hand-over page.", type: str, required: true}
  written:
    description: The counts of objects that this run wrote on the target; empty if none.
    type: dict
    default: {}
"""

EXAMPLES = r"""
# From the role move.
- name: Check that both panels are equal
  ansible.builtin.assert:
    that: move_result.differences == []
    fail_msg: "{{ move_result | hosting.panel.panel_move_message('moves/acme.hand-over.md') }}"
"""

RETURN = r"""
_value:
  description: The message.
  type: str
  sample: "acme: both panels are equal. Page: moves/acme.hand-over.md"
"""

from collections.abc import Mapping
from typing import Any

from ..module_utils._problems import format_number_of
from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments

_MOST_NAMED = 20


def panel_move_message(
    result: Mapping[str, Any], page: str, written: Mapping[str, int] | None = None
) -> str:
    """Return how both panels differ, what was written, and where more is said."""
    client = result["client"]
    differences = result["differences"]
    if not differences:
        suspended = ""
        if result["suspended"]:
            panels = " and on the ".join(result["suspended"])
            suspended = f". The client is suspended on the {panels}"
        return f"{client}: both panels are equal. Page: {page}{suspended}"

    count = format_number_of(len(differences), "difference", "differences")
    # Some of them are sentences.
    names = "; ".join(difference.removesuffix(".") for difference in differences[:_MOST_NAMED])
    advice = "Correct on the source what cannot be copied, and run the step copy again."
    return f"{client}: {count}: {names}. {_describe_written(written)} {advice} Page: {page}"


def _describe_written(written: Mapping[str, int] | None) -> str:
    if not written:
        return "Nothing was written on either panel."
    created = format_number_of(written["create"], "object was", "objects were")
    objects = f"{created} created and {written['update']} updated"
    return f"On the target, {objects}; nothing was written on the source."


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_move_message": with_checked_arguments(
                with_marked_result(panel_move_message), DOCUMENTATION
            )
        }

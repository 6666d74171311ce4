# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_move_known_passwords
short_description:
  "Part of the role hosting.panel.move: return the accounts whose passwords on a panel a
  credentials file has"
version_added: 1.0.0
description:
  - Returns type and key of each account, for P(hosting.panel.panel_hand_over#filter).
  - Internal to the role P(hosting.panel.move#role). Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, panel
options:
  _input:
    description: C(generated_passwords) of the file.
    type: list
    elements: dict
    required: true
  panel:
    description: The panel, as P(hosting.panel.panel_name#filter) names it.
    type: str
    required: true
"""

EXAMPLES = r"""
# From the role move.
- name: Show the accounts
  ansible.builtin.debug:
    msg: "{{ generated_passwords | hosting.panel.panel_move_known_passwords('new.panel.example') }}"
"""

RETURN = r"""
_value:
  description: Type and key of each account.
  type: list
  elements: list
  sample: [[emails, info@acme.example]]
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_move_known_passwords(entries: Sequence[Mapping[str, Any]], panel: str) -> list[list[Any]]:
    """Return type and key of each account of a panel."""
    from ..module_utils._http.connection_settings import name_panel

    # A person can have spelled the panel otherwise in the file.
    of_panel = [entry for entry in entries if name_panel(str(entry.get("panel", ""))) == panel]
    return [[entry["kind"], entry["key"]] for entry in of_panel]


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_move_known_passwords": with_checked_arguments(
                with_marked_result(panel_move_known_passwords), DOCUMENTATION
            )
        }

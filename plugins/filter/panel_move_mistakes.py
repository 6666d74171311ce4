# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_move_mistakes
short_description: Find what is wrong with the variables of the role move
version_added: 1.0.0
description:
  - Returns what the role refuses before it reads a panel.
  - Internal to the role P(hosting.panel.move#role). Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
positional: _input, kept, panel, zones_file
options:
  _input:
    description: The variables of the role, as P(hosting.panel.panel_variables#lookup) reads them.
    type: dict
    required: true
  kept:
    description: What an earlier run kept of the zones, with the C(panel) that has them.
    type: dict
    required: true
  panel:
    description: The source, as P(hosting.panel.panel_name#filter) names it.
    type: str
    required: true
  zones_file: {description: "The path of O(kept).", type: str, required: true}
"""

EXAMPLES = r"""
# From the role move.
- name: Show what is wrong
  ansible.builtin.debug:
    msg: "{{ settings | hosting.panel.panel_move_mistakes(kept, source, zones_file) }}"
"""

RETURN = r"""
_value:
  description: A sentence for each mistake.
  type: list
  elements: str
  sample: ["move_client: this is no username."]
"""

import re
from collections.abc import Mapping
from typing import Any

from ..plugin_utils._ansible.untrusted import handing_on
from ..plugin_utils._variables.plugin_arguments import checking

# It is a part of the names of files.
_USERNAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
_SHORTEST_TTL = 30
_LONGEST_TTL = 86400


def panel_move_mistakes(
    settings: Mapping[str, Any], kept: Mapping[str, Any], panel: str, zones_file: str
) -> list[str]:
    """Return a sentence for each mistake in the variables of the role."""
    from ..module_utils._http.connection_settings import name_panel

    mistakes = []
    if not _USERNAME.fullmatch(settings["move_client"]):
        mistakes.append("move_client: this is no username.")
    ttl = settings["move_ttl"]
    if not _SHORTEST_TTL <= ttl <= _LONGEST_TTL:
        advice = f"Give {_SHORTEST_TTL} to {_LONGEST_TTL} seconds."
        mistakes.append(f"move_ttl: {ttl} is not accepted. {advice}")
    if name_panel(str(kept["panel"])) != panel:
        problem = f"it has zones of {kept['panel']}, from another move."
        mistakes.append(f"{zones_file}: {problem} Move the file away.")
    return mistakes


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {"panel_move_mistakes": checking(handing_on(panel_move_mistakes), DOCUMENTATION)}

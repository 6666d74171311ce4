# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_rotation_mistakes
short_description:
  "Part of the role hosting.panel.rotate: find what is wrong with the choice of a rotation"
version_added: 1.0.0
description:
  - Returns what the role P(hosting.panel.rotate#role) refuses before it writes.
  - Internal to the role. Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, settings
options:
  _input:
    description: What P(hosting.panel.panel_select#filter) chose. Empty before the role reads the
      panel.
    type: dict
    required: true
  settings:
    description: The variables of the role, as P(hosting.panel.panel_variables#lookup) reads them.
    type: dict
    required: true
"""

EXAMPLES = r"""
# From the role rotate.
- name: Check what was chosen
  ansible.builtin.assert:
    that: chosen | hosting.panel.panel_rotation_mistakes(settings) == []
"""

RETURN = r"""
_value:
  description: A sentence for each mistake.
  type: list
  elements: str
  sample: ["rotate_max: 120 objects would get new passwords (limit 100)."]
"""

from collections.abc import Mapping
from typing import Any

from ..module_utils._problems import format_number_of
from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments


def panel_rotation_mistakes(chosen: Mapping[str, Any], settings: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each mistake in what a rotation chose, and is to choose."""
    mistakes = list(chosen.get("unmatched", []))

    chooses_clients = bool(settings["rotate_clients"] or settings["rotate_plans"])
    if not chooses_clients and not any(settings["rotate_objects"].values()):
        variables = "rotate_clients, rotate_plans, rotate_objects"
        mistakes.append(f"{variables}: choose at least one object.")
    if chooses_clients and not settings["rotate_kinds"]:
        advice = "Set it to the types of objects that get new passwords"
        mistakes.append(f"rotate_kinds: missing. {advice}, for example [emails, databases].")

    count = chosen.get("count", 0)
    limit = settings["rotate_max"]
    if count > limit:
        objects = format_number_of(count, "object", "objects")
        mistakes.append(f"rotate_max: {objects} would get new passwords (limit {limit}).")
    return mistakes


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_rotation_mistakes": with_checked_arguments(
                with_marked_result(panel_rotation_mistakes), DOCUMENTATION
            )
        }

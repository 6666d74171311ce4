# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_move_mistakes
short_description:
  "Part of the role hosting.panel.move: find what is wrong with the values of its variables"
version_added: 1.0.0
description:
  - Returns what the role P(hosting.panel.move#role) refuses before it asks a panel.
  - Internal to the role. Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, names, zones, profile, hosts
options:
  _input:
    description: The variables of the role, as P(hosting.panel.panel_variables#lookup) reads them.
    type: dict
    required: true
  names:
    description: By variable of the role what a person typed instead.
    type: dict
    required: true
  zones:
    description: The zones as they were before.
    type: dict
    required: true
    suboptions:
      path: {description: The file that has them., type: str, required: true}
      panel: {description: The panel that had them., type: str, required: true}
      source: {description: The panel that the client leaves., type: str, required: true}
  profile:
    description: The profile with the forms of hashes.
    type: dict
    required: true
    suboptions:
      path: {description: The file; empty if none is named., type: str, required: true}
      is_file: {description: Whether there is a file., type: bool, required: true}
      mistake: {description: What is wrong with it., type: str, required: true}
  hosts:
    description: The hosts of the content.
    type: dict
    required: true
    suboptions:
      source: {description: The host that has it; empty if none., type: str, required: true}
      target: {description: The host that gets it; empty if none., type: str, required: true}
      known:
        description: The names of all hosts of the inventory.
        type: list
        elements: str
        required: true
seealso:
  - plugin: hosting.panel.panel_move_hashes
    plugin_type: filter
"""

EXAMPLES = r"""
# From the role move.
- name: Check the variables
  ansible.builtin.assert:
    that: settings | hosting.panel.panel_move_mistakes(names, zones, profile, hosts) == []
"""

RETURN = r"""
_value:
  description: A sentence for each mistake.
  type: list
  elements: str
  sample: ["move_step: final needs move_content: true."]
"""

import re
from collections.abc import Mapping
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments
from .panel_name import panel_name

SHORTEST_TTL = 30
LONGEST_TTL = 86400
STEPS_OF_CONTENT = ("final", "late")
_USERNAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")


def panel_move_mistakes(
    settings: Mapping[str, Any],
    names: Mapping[str, str],
    zones: Mapping[str, str],
    profile: Mapping[str, Any],
    hosts: Mapping[str, Any],
) -> list[str]:
    """Return a sentence for each mistake in the values of the variables of a move.

    The arguments are those of the filter.
    """
    mistakes = []
    if not _USERNAME.fullmatch(settings["move_client"]):
        mistakes.append(f"{names['move_client']}: this is no username.")

    ttl = settings["move_ttl"]
    if not SHORTEST_TTL <= ttl <= LONGEST_TTL:
        limits = f"{SHORTEST_TTL} to {LONGEST_TTL} seconds"
        mistakes.append(f"{names['move_ttl']}: {ttl} is not accepted. Give {limits}.")

    if panel_name(zones["panel"]) != zones["source"]:
        mistakes.append(
            f"{zones['path']}: it has zones of {zones['panel']}, from another move. Move the file "
            "away."
        )

    if "move_passwords_from" in settings:
        mistakes.extend(_find_mistakes_in_profile(names, profile))
    mistakes.extend(_find_mistakes_in_content(settings, names, hosts))
    return mistakes


def _find_mistakes_in_profile(names: Mapping[str, str], profile: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the profile that passwords by their hashes need."""
    name = names["move_profile_file"]
    path = profile["path"]
    if not path:
        advice = (
            f"With {names['move_passwords_from']}, name the profile that the playbook verify wrote."
        )
        return [f"{name}: missing. {advice}"]
    if not profile["is_file"]:
        return [f"{name}: there is no file {path}."]
    if profile["mistake"]:
        return [f"{name}: {profile['mistake']}"]
    return []


def _find_mistakes_in_content(
    settings: Mapping[str, Any], names: Mapping[str, str], hosts: Mapping[str, Any]
) -> list[str]:
    """Return what is wrong with the hosts and the step of the content."""
    content = names["move_content"]
    step = settings["move_step"]
    if not settings["move_content"]:
        if step not in STEPS_OF_CONTENT:
            return []
        return [f"{names['move_step']}: {step} needs {content}: true."]

    source = names["move_source"]
    target = names["move_target"]
    mistakes = [
        f"{name}.host: missing, or no host of the inventory. It is needed with {content}."
        for name, host in ((source, hosts["source"]), (target, hosts["target"]))
        if host not in hosts["known"]
    ]
    if hosts["source"] and hosts["source"] == hosts["target"]:
        mistakes.append(f"{target}.host: this is the host of {source} too. Name the new server.")
    return mistakes


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_move_mistakes": with_checked_arguments(
                with_marked_result(panel_move_mistakes), DOCUMENTATION
            )
        }

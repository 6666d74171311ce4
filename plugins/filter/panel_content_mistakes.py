# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_content_mistakes
short_description:
  "Part of the role hosting.panel.content: find what is wrong with the values of its variables"
version_added: 1.0.0
description:
  - Returns what the role P(hosting.panel.content#role) refuses before it connects to a host.
  - Internal to the role. Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, names, hosts, objects
options:
  _input:
    description: The variables of the role, as P(hosting.panel.panel_variables#lookup) reads them.
    type: dict
    required: true
  names:
    description: By variable of the role what a person typed instead.
    type: dict
    required: true
  hosts:
    description: The hosts of the content.
    type: dict
    required: true
    suboptions:
      source: {description: The host that has it., type: str, required: true}
      target: {description: The host that gets it., type: str, required: true}
      own: {description: The host on which the role runs., type: str, required: true}
      known:
        description: The names of all hosts of the inventory.
        type: list
        elements: str
        required: true
  objects:
    description: The objects of the content.
    type: dict
    required: true
    suboptions:
      path: {description: The file that has them; empty if none is named., type: str, required: true}
      is_file: {description: Whether there is a file., type: bool, required: true}
      mistakes:
        description: What is wrong with the objects.
        type: list
        elements: str
        required: true
seealso:
  - plugin: hosting.panel.panel_content_objects
    plugin_type: filter
"""

EXAMPLES = r"""
# From the role content.
- name: Check the variables
  ansible.builtin.assert:
    that: settings | hosting.panel.panel_content_mistakes(names, hosts, objects) == []
    success_msg: The variables are right.
  vars:
    settings: {content_objects: {}}
    names: {content_source: content_source, content_target: content_target}
    hosts: {source: web-1, target: web-2, own: web-2, known: [web-1, web-2]}
    objects: {path: "", is_file: false, mistakes: []}
"""

RETURN = r"""
_value:
  description: A sentence for each mistake.
  type: list
  elements: str
  sample: ["content_source: web-9 is no host of the inventory."]
"""

from collections.abc import Mapping
from typing import Any

from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments

_VARIABLE = "content_objects"
_FILE = "content_objects_file"


def panel_content_mistakes(
    settings: Mapping[str, Any],
    names: Mapping[str, str],
    hosts: Mapping[str, Any],
    objects: Mapping[str, Any],
) -> list[str]:
    """Return a sentence for each mistake in the values of the variables.

    The arguments are those of the filter.
    """
    return [
        *_find_mistakes_in_hosts(names, hosts),
        *_find_mistakes_in_objects(settings, names, objects),
    ]


def _find_mistakes_in_hosts(names: Mapping[str, str], hosts: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the hosts; the target may be one that no inventory has."""
    source = hosts["source"]
    target = hosts["target"]
    mistakes = []
    if source not in hosts["known"]:
        mistakes.append(f"{names['content_source']}: {source} is no host of the inventory.")
    if target not in hosts["known"] and target != hosts["own"]:
        mistakes.append(f"{names['content_target']}: {target} is no host of the inventory.")
    if source == target:
        mistakes.append(
            f"{names['content_source']}: this is the target itself. Run the role on the host that "
            "gets the content."
        )
    return mistakes


def _find_mistakes_in_objects(
    settings: Mapping[str, Any], names: Mapping[str, str], objects: Mapping[str, Any]
) -> list[str]:
    """Return what is wrong with the objects, or with the variables that should have them."""
    if _VARIABLE in settings and _FILE in settings:
        return [f"{_VARIABLE}: give it or {_FILE}, and not both."]
    if _VARIABLE not in settings and _FILE not in settings:
        return [f"{_VARIABLE}: missing. Give it or {_FILE}."]
    if _FILE in settings and not objects["is_file"]:
        return [f"{names[_FILE]}: there is no file {objects['path']}."]
    return list(objects["mistakes"])


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_content_mistakes": with_checked_arguments(
                with_marked_result(panel_content_mistakes), DOCUMENTATION
            )
        }

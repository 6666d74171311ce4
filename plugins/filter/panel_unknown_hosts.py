# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_unknown_hosts
short_description:
  "Part of the roles and playbooks: find patterns of hosts that the inventory lacks"
version_added: 1.0.0
description:
  - Returns a sentence for each host or group that a pattern names and the inventory lacks, because
    Ansible passes over them with a warning.
  - A pattern that describes names, such as C(web*), can fit nothing, unless all patterns do.
  - Internal to the playbooks. Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, variable, groups, hosts
options:
  _input:
    description: Patterns of hosts, as the keyword C(hosts) of a play takes them.
    type: list
    elements: str
    required: true
  variable:
    description: Name of the variable that has the patterns.
    type: str
    required: true
  groups:
    description: The variable C(groups) of Ansible.
    type: dict
    required: true
  hosts:
    description: The hosts that fit the patterns.
    type: list
    elements: str
    required: true
"""

EXAMPLES = r"""
# From the playbooks.
- name: Refuse unknown hosts
  ansible.builtin.assert:
    that: "['web-1'] | hosting.panel.panel_unknown_hosts('panel_hosts', groups, ['web-1']) == []"
"""

RETURN = r"""
_value:
  description: A sentence for each host or group that does not exist.
  type: list
  elements: str
  sample: ["panel_hosts: the inventory has no host or group panles; did you mean panels?"]
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..module_utils._values.near_names import ask_for_like_word
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments

# A name without the signs with which a pattern describes names.
_NAME = re.compile(r"[\w.-]+")
# Ansible knows these without an inventory.
_IMPLICIT = ("localhost", "127.0.0.1")
_NO_INVENTORY = "No inventory was read: pass -i FILE or set ANSIBLE_INVENTORY."


def panel_unknown_hosts(
    patterns: Sequence[str], variable: str, groups: Mapping[str, Any], hosts: Sequence[str]
) -> list[str]:
    """Return a sentence for each host or group that a pattern names and the inventory lacks."""
    names = [*groups, *groups.get("all", ()), *_IMPLICIT]
    unknown = dict.fromkeys(name for name in _list_names(patterns, names) if name not in names)
    if unknown:
        sentences = [
            f"{variable}: the inventory has no host or group {name}{ask_for_like_word(name, names)}"
            for name in unknown
        ]
        return sentences if groups.get("all") else [*sentences, _NO_INVENTORY]
    if not hosts and "localhost" not in patterns:
        return [f"{variable} names no host of the inventory."]
    return []


def _list_names(patterns: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """Yield the names in patterns, of which one with colons may be an address."""
    for pattern in patterns:
        parts = [pattern] if pattern in names else re.split(r"[,:;\s]", pattern)
        yield from filter(_NAME.fullmatch, parts)


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {"panel_unknown_hosts": with_checked_arguments(panel_unknown_hosts, DOCUMENTATION)}

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_rotation_result
short_description:
  "Part of the role hosting.panel.rotate: return what became of a rotation of passwords"
version_added: 1.0.0
description:
  - Returns the fact that the role P(hosting.panel.rotate#role) sets, and its line for people.
  - Internal to the role. Arguments and result can change in any release.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment: [hosting.panel.attributes.plugin]
positional: _input, settings, check_mode
options:
  _input:
    description: The result of M(hosting.panel.panel_resources), also of a task that failed.
    type: dict
    required: true
  settings:
    description: The variables of the role, as P(hosting.panel.panel_variables#lookup) reads them.
    type: dict
    required: true
  check_mode: {description: "Whether nothing was written.", type: bool, default: false}
"""

EXAMPLES = r"""
# From the role rotate.
- name: Result
  ansible.builtin.debug:
    msg: "{{ (done | hosting.panel.panel_rotation_result(settings, ansible_check_mode)).line }}"
"""

RETURN = r"""
_value:
  description: C(fact) is C(rotate_result) of the role, and C(line) the same for people.
  type: dict
  sample:
    fact:
      id: 2026-11
      objects: [{kind: emails, key: info@acme.example, client: acme}]
      rotated: 1
      unchanged: 0
      left: 0
      failures: []
      credentials_file: rotation.yml
    line: "rotation 2026-11: 1 new password is in rotation.yml, 0 were set before"
"""

from collections.abc import Iterable, Mapping
from typing import Any

from ..module_utils._problems import format_number_of
from ..plugin_utils._ansible.untrusted import with_marked_result
from ..plugin_utils._variables.plugin_arguments import with_checked_arguments

# What the fact has of each object.
_OBJECT_FIELDS = ("kind", "key", "client")


def panel_rotation_result(
    done: Mapping[str, Any], settings: Mapping[str, Any], check_mode: bool = False
) -> dict[str, Any]:
    """Return the fact that the role sets, and its line for people."""
    fact = _make_fact(done, settings["rotate_id"])
    summary = _summarize(done, fact, settings["rotate_credentials_file"], check_mode)
    line = f"rotation {fact['id']}: {summary}, {fact['unchanged']} were set before"
    return {"fact": fact, "line": line}


def _make_fact(done: Mapping[str, Any], rotation: str) -> dict[str, Any]:
    plan: Mapping[str, Any] = done.get("plan") or {}
    results: list[Mapping[str, Any]] = done.get("results") or []
    failed = [result for result in results if result["result"] == "failed"]
    return {
        "id": rotation,
        "objects": _name_objects(plan.get("actions") or ()),
        "rotated": _count(results, "changed"),
        "unchanged": plan.get("summary", {}).get("unchanged", 0),
        "left": _count(results, "skipped"),
        "failures": [
            f"{result['kind']} {result['key']}: {result.get('msg', '')}" for result in failed
        ],
        "credentials_file": done.get("credentials_file") or "",
    }


def _name_objects(actions: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return of each action what names its object."""
    objects = []
    for action in actions:
        names = {field: action[field] for field in _OBJECT_FIELDS if field in action}
        objects.append(names)
    return objects


def _count(results: Iterable[Mapping[str, Any]], outcome: str) -> int:
    """Return how many objects came to an outcome."""
    return sum(result["result"] == outcome for result in results)


def _summarize(
    done: Mapping[str, Any], fact: Mapping[str, Any], credentials_file: str, check_mode: bool
) -> str:
    """Return what was written, for people."""
    if "plan" not in done:
        return "nothing was written"
    if not fact["rotated"] and not fact["failures"]:
        return "nothing to do"
    verb = _choose_verb(fact["rotated"], check_mode)
    file = fact["credentials_file"] or credentials_file
    passwords = format_number_of(fact["rotated"], "new password", "new passwords")
    return f"{passwords} {verb} in {file}"


def _choose_verb(number: int, check_mode: bool) -> str:
    """Return the verb behind a number of objects."""
    if check_mode:
        return "would be"
    return "is" if number == 1 else "are"


class FilterModule:
    """Offers the filter to Ansible."""

    def filters(self) -> dict[str, Any]:
        """Return the filter by its name."""
        return {
            "panel_rotation_result": with_checked_arguments(
                with_marked_result(panel_rotation_result), DOCUMENTATION
            )
        }

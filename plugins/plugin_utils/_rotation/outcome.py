# SPDX-License-Identifier: GPL-3.0-or-later
"""Says what became of a rotation of passwords, as a fact and as a line for people. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...module_utils._problems import format_number_of

# What the fact has of each object.
_OBJECT_FIELDS = ("kind", "key", "client")


def describe_rotation(
    done: Mapping[str, Any], rotation: str, credentials_file: str, check_mode: bool
) -> dict[str, Any]:
    """Return the fact that the role sets, and its line for people.

    Args:
        done: The result of panel_resources, also of a task that failed.
        rotation: The name of the rotation.
        credentials_file: The file that was to keep the passwords.
        check_mode: Whether nothing was written.
    """
    fact = _make_fact(done, rotation)
    summary = _summarize(done, fact, credentials_file, check_mode)
    line = f"rotation {rotation}: {summary}, {fact['unchanged']} were set before"
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

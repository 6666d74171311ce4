# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what a client shall have on the target with what it has there. Pure. Private to the collection.

What is compared, and how, is decided by the plan of panel_resources; here it is only read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from .._jobs.plan_words import action_lines
from .mapping import TAKEN_ONCE, Resources, key_of

Action = Mapping[str, Any]
_MOST_LINES = 1000
_STATES = {"create": "missing", "update": "differs"}
_NEW_DOMAIN = ("domains", "create")


def without_passwords(plan: Mapping[str, Any], made: Collection[tuple[str, str]]) -> dict[str, Any]:
    """The plan without what only sets the password again that an earlier run of the move made; made: kind and key of these."""
    actions = [
        action
        for action in plan["actions"]
        if not (
            (action["kind"], action["key"]) in made
            and action["action"] == "update"
            and _changed(action) == {"password"}
        )
    ]
    return {**plan, "actions": actions}


def unexpected_changes(plan: Mapping[str, Any], target: Resources) -> list[str]:
    """Lines about objects that the target has already, and differently from what an earlier run of the move would have left there."""
    untouched = {zone["domain"] for zone in target.get("dns", ()) if zone.get("state") == "default"}
    # The zone of a domain that the plan creates is changed in the plan.
    untouched |= {action["key"] for action in plan["actions"] if (action["kind"], action["action"]) == _NEW_DOMAIN}
    changes = [one for one in plan["actions"] if one["action"] != "create" and not _is_rest(one, untouched)]
    return action_lines(changes, _MOST_LINES)


def objects_of_a_namesake(plan: Mapping[str, Any], resources: Resources, target: Resources, client: str) -> list[str]:
    """What the client has on the target where it is another customer of that name, as ``domains far.example``; empty where it is the same.

    The same customer has at least one thing of the source, or nothing yet, or is the same as there.
    """
    if ("clients", "update") not in {(action["kind"], action["action"]) for action in plan["actions"]}:
        return []
    own = [
        (kind, key_of(kind, item))
        for kind in TAKEN_ONCE
        for item in target.get(kind, ())
        if item.get("client") == client
    ]
    moving = {(kind, key_of(kind, item)) for kind in TAKEN_ONCE for item in resources.get(kind, ())}
    return [] if moving.intersection(own) else [f"{kind} {key}" for kind, key in own]


def differences(plan: Mapping[str, Any], left_out: Iterable[Mapping[str, Any]] = ()) -> list[str]:
    """A line for each object that is missing on the target or differs there, also where the source shows what cannot be copied."""
    lines = [_as_state(line) for line in action_lines(plan["actions"], _MOST_LINES)]
    return lines + [_not_copied(omission) for omission in left_out]


def _not_copied(omission: Mapping[str, Any]) -> str:
    """An entry of what an export leaves out."""
    what, option = ("differs", f" {omission['option']}") if omission.get("option") else ("missing", "")
    name = f"{omission['kind']} {omission['key']} (id {omission.get('id')} on the source)"
    return f"{what}  {name}:{option} cannot be copied, since {omission['reason']}"


def _as_state(line: str) -> str:
    """A line of a plan in words for what is, not for what would be done."""
    what, rest = line.split(" ", 1)
    return f"{_STATES.get(what, what):<7}  {rest.lstrip()}"


def suspended_on(source: Resources, target: Resources, client: str) -> list[str]:
    """On which of both panels the client is suspended."""
    return [
        panel
        for panel, seen in (("source", source), ("target", target))
        if any(one.get("username") == client and one.get("is_suspended") is True for one in seen.get("clients", ()))
    ]


def only_on_target(resources: Resources, target: Resources, client: str) -> list[str]:
    """Objects that the client has on the target alone, as ``emails info@acme.example``."""
    found = []
    for kind, items in target.items():
        wanted = {key_of(kind, item) for item in resources.get(kind, ())}
        own = [item for item in items if item.get("client") == client and kind not in ("certificates", "dns")]
        found += [f"{kind} {key_of(kind, item)}" for item in own if key_of(kind, item) not in wanted]
    return found


def present(resources: Resources, plan: Mapping[str, Any]) -> dict[str, list[str]]:
    """By kind the names of the client's objects that are on the target."""
    missing = {(action["kind"], action["key"]) for action in plan["actions"] if action["action"] == "create"}
    missing |= {("dns", key) for kind, key in missing if kind == "domains"}
    names = {
        kind: [key_of(kind, item) for item in items if (kind, key_of(kind, item)) not in missing]
        for kind, items in resources.items()
        if kind != "plans"
    }
    return {kind: found for kind, found in names.items() if found}


def _is_rest(action: Action, untouched_zones: Iterable[str]) -> bool:
    """What remained to be done after a run that ended early, or after somebody brought a certificate or ordered tasks to be switched on."""
    if action["kind"] == "dns":
        return action["key"] in untouched_zones
    before, after, changed = action.get("before") or {}, action.get("after") or {}, _changed(action)
    if action["kind"] == "scheduled_tasks":
        return changed == {"is_enabled"}
    if action["kind"] != "domains" or changed != {"security"}:
        return False
    old, new = before.get("security") or {}, after.get("security") or {}
    members = {name for name in {*old, *new} if old.get(name) != new.get(name)}
    return members == {"certificate"} and not old.get("certificate")


def _changed(action: Action) -> set[str]:
    before, after = action.get("before") or {}, action.get("after") or {}
    return {name for name in {*before, *after} if before.get(name) != after.get(name)}

# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of customers, from the result of panel_resources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...module_utils._kinds.registry import KINDS
from .customers import find_username, list_items, wants_login_url


def make_result(
    result: Mapping[str, Any], customers: Sequence[Any], credentials_file: str
) -> dict[str, Any]:
    """Return what became of customers.

    Args:
        result: Of panel_resources.
        customers: Whom it was about.
        credentials_file: The file of their passwords, in which ``{client}`` stands for a username.
    """
    plan = result.get("plan") or {"summary": {}, "actions": ()}
    owners = {(action["kind"], action["key"]): action.get("client") for action in plan["actions"]}
    items = _collect_items(customers)
    outcomes = _sort_outcomes(result.get("results") or (), items)
    with_login_url = [customer for customer in customers if wants_login_url(customer)]
    return {
        "summary": plan["summary"],
        "customers": _count_outcomes(outcomes, owners, customers, credentials_file),
        "failures": _describe_failures(outcomes, owners),
        "objects": _list_objects(outcomes, items),
        "with_login_url": [find_username(customer) for customer in with_login_url],
    }


# The kind and the key of an object.
_Name = tuple[str, Any]


def _make_name(outcome: Mapping[str, Any]) -> _Name:
    return outcome["kind"], outcome["key"]


def _collect_items(customers: Iterable[Any]) -> list[tuple[_Name, Mapping[str, Any]]]:
    """Return the objects of all customers, each with its name."""
    items: list[tuple[_Name, Mapping[str, Any]]] = []
    for customer in customers:
        for kind, _path, item in list_items(customer):
            name = (kind, KINDS[kind].format_key(item))
            items.append((name, item))
    return items


def _sort_outcomes(
    outcomes: Iterable[Mapping[str, Any]], items: Sequence[tuple[_Name, Any]]
) -> list[Mapping[str, Any]]:
    """Return results in the order of the customers.

    A run that completes another one has done them in another order.
    """
    positions = {name: position for position, (name, _item) in enumerate(items)}
    return sorted(outcomes, key=lambda outcome: positions.get(_make_name(outcome), len(items)))


def _count_outcomes(
    outcomes: Iterable[Mapping[str, Any]],
    owners: Mapping[_Name, Any],
    customers: Iterable[Any],
    credentials_file: str,
) -> list[dict[str, Any]]:
    """Return for each customer how many of its objects were changed, failed or were skipped."""
    counts: dict[str, dict[str, int]] = {}
    for customer in customers:
        counts[find_username(customer)] = {"changed": 0, "failed": 0, "skipped": 0}
    for outcome in outcomes:
        owner = owners.get(_make_name(outcome))
        if owner in counts and outcome["result"] in counts[owner]:
            counts[owner][outcome["result"]] += 1

    described = []
    for username, count in counts.items():
        file = credentials_file.replace("{client}", username)
        described.append({"client": username, **count, "credentials_file": file})
    return described


def _describe_failures(
    outcomes: Iterable[Mapping[str, Any]], owners: Mapping[_Name, Any]
) -> list[str]:
    """Return a line for each object that failed or was skipped."""
    failures = []
    for outcome in outcomes:
        if outcome["result"] not in ("failed", "skipped"):
            continue
        title = f"{KINDS[outcome['kind']].title} {outcome['key']}"
        owner = owners.get(_make_name(outcome))
        if owner:
            title = f"{owner}: {title}"
        failures.append(f"{outcome['result']} {title}: {outcome.get('msg', '')}")
    return failures


def _list_objects(
    outcomes: Iterable[Mapping[str, Any]], items: Iterable[tuple[_Name, Mapping[str, Any]]]
) -> dict[str, list[dict[str, Any]]]:
    """Return the objects that the customers have now, by kind."""
    absent = set()
    for name, item in items:
        # Of a zone, only records can be absent.
        if item.get("state") == "absent" and not KINDS[name[0]].part_of:
            absent.add(name)

    objects: dict[str, list[dict[str, Any]]] = {}
    for outcome in outcomes:
        if outcome["result"] in ("failed", "skipped") or _make_name(outcome) in absent:
            continue
        identity = {"key": outcome["key"], "id": outcome.get("id")}
        objects.setdefault(outcome["kind"], []).append(identity)
    return objects

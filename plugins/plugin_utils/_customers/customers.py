# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Customers, each with everything that it has, as resources of panel_resources, and what became of them. Pure. Private to the collection."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...module_utils._errors import first_of
from ...module_utils._items.wanted_items import ItemReader
from ...module_utils._kinds.registry import KINDS

# The lists of a customer, with the options of their items that name the owner.
LISTS: dict[str, tuple[str, ...]] = {
    plural: ("client",) if kind.owner is None else kind.owner.options
    for plural, kind in KINDS.items()
    if kind.owner is not None or kind.part_of
}
_FIELDS = ("client", "plan", "hosting_plan", *LISTS, "login_url")
# A list of customers neither deletes nor renames a client or a hosting plan.
_NOT_TAKEN = (("client", "id"), ("client", "state"), ("plan", "id"), ("plan", "state"), ("plan", "new_name"))
_MOST_NAMED = 10
# In one line, in check mode too.
_WORDS = {"create": "new", "update": "changed", "delete": "deleted"}

Path = tuple[Any, ...]
Found = tuple[Path, str]
"""Where in a customer, ("emails", 0, "max_size"), and a sentence about it."""


def in_words(path: Path) -> str:
    """``emails[0].max_size``"""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def username_of(customer: Any) -> str:
    """Empty if the customer names none."""
    client = customer.get("client") if isinstance(customer, Mapping) else None
    return str(client.get("username") or "") if isinstance(client, Mapping) else ""


def mistakes_in_form(customer: Any) -> Iterator[Found]:
    """What panel_resources cannot find wrong, since it never sees it."""
    if not isinstance(customer, Mapping):
        yield (), "must be a dictionary with a client."
        return
    client: Any = customer.get("client")
    plan, username = customer.get("plan"), username_of(customer)
    for name in [name for name in customer if name not in _FIELDS]:
        yield (name,), f"there is no such field; there are {', '.join(_FIELDS)}."
    if not username:
        yield ("client",), "must be a dictionary with a username."
    if plan is not None and not (isinstance(plan, Mapping) and plan.get("name")):
        yield ("plan",), "must be a dictionary with a name."
    for option, name in _NOT_TAKEN:
        if isinstance(customer.get(option), Mapping) and name in customer[option]:
            yield (option, name), "is not taken here."
    named = [name for name in ("plan", "hosting_plan") if customer.get(name) is not None]
    named += [f"client.{name}" for name in ("hosting_plan", "id_hosting_plan") if username and client.get(name)]
    if len(named) > 1:
        yield (), f"the hosting plan is named in {' and in '.join(named)}. Name it once."
    yield from _mistakes_in_lists(customer, username)


def _mistakes_in_lists(customer: Mapping[str, Any], username: str) -> Iterator[Found]:
    for kind, owner in LISTS.items():
        items = customer.get(kind) or []
        if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
            yield (kind,), "must be a list of dictionaries."
            continue
        for number, item in enumerate(items):
            for name in owner:
                if item.get(name) not in (None, username):
                    yield (kind, number, name), f"the owner is the client {username}."


def items_of(customer: Mapping[str, Any]) -> Iterator[tuple[str, Path, dict[str, Any]]]:
    """What panel_resources gets of a customer whose form is right: the kind, where it is from, and the options."""
    plan, client = customer.get("plan"), dict(customer["client"])
    if plan is not None:
        yield "plans", ("plan",), dict(plan)
    hosting_plan = customer.get("hosting_plan") if plan is None else plan["name"]
    if hosting_plan is not None:
        client["hosting_plan"] = hosting_plan
    yield "clients", ("client",), client
    for kind in LISTS:
        for number, item in enumerate(customer.get(kind) or ()):
            yield kind, (kind, number), {**item, "client": client["username"]}


def mistakes_in_options(customer: Mapping[str, Any]) -> Iterator[Found]:
    """What panel_resources would find wrong in the options of each object alone."""
    for kind, path, item in items_of(customer):
        reader = _reader(kind)
        for problem in reader.read(item)[1]:
            # "records[0].value: …" and "max_size: …" start with the option.
            words = re.findall(r"\w+", problem.partition(": ")[0])
            steps = (int(word) if word.isdigit() else word for word in words)
            yield (*path, *steps), f"{in_words(path)}{reader.label(item)} {problem}"


_reader = functools.cache(ItemReader)


def resources_of(customers: Sequence[Any], password_variable: str | None) -> tuple[dict[str, list[Any]], list[str]]:
    """What panel_resources takes, and all mistakes.

    password_variable: names, in the mistake, what is not set; then an object with a password needs one of its own.
    """
    resources: dict[str, list[Any]] = {}
    mistakes: list[str] = []
    plans: dict[str, tuple[Any, str]] = {}
    for index, customer in enumerate(customers):
        username = username_of(customer) or f"customers[{index}]"
        found = list(mistakes_in_form(customer))
        mistakes += [f"{f'{username} {in_words(path)}'.strip()}: {sentence}" for path, sentence in found]
        for kind, path, item in () if found else items_of(customer):
            if kind == "plans":
                plan, first = plans.setdefault(str(item["name"]), (item, username))
                if plan != item:
                    sentence = f"has other options than in {first}. Give a hosting plan the same options everywhere."
                    mistakes.append(f"{username} plan {item['name']}: {sentence}")
                if plan is not item:
                    continue
            if password_variable and KINDS[kind].password and _lacks_password(item):
                name = f"{KINDS[kind].title} {KINDS[kind].key_of(item) or f'of {username} in {in_words(path)}'}"
                mistakes.append(f"{name}: no password. Give a password, or set {password_variable}.")
            resources.setdefault(kind, []).append(item)
    return resources, mistakes


def _lacks_password(item: Mapping[str, Any]) -> bool:
    if item.get("state") == "absent":
        return False
    # An object that is named by its id is never created.
    is_given = item.get("password") or item.get("password_hash") or item.get("id") is not None
    return bool(item.get("regenerate_password")) or not is_given


def result_of(done: Mapping[str, Any], customers: Sequence[Any], credentials_file: str) -> dict[str, Any]:
    """What became of customers, from the result of panel_resources."""
    plan = done.get("plan") or {"summary": {}, "actions": ()}
    actions = {(action["kind"], action["key"]): action for action in plan["actions"]}
    # Of a zone, only records can be absent.
    absent = {
        (kind, KINDS[kind].key_of(item))
        for customer in customers
        for kind, _path, item in items_of(customer)
        if item.get("state") == "absent" and not KINDS[kind].part_of
    }
    counts = {username_of(one): {"changed": 0, "failed": 0, "skipped": 0} for one in customers}
    objects: dict[str, list[dict[str, Any]]] = {}
    failures = []
    for one in done.get("results") or ():
        action = actions.get((one["kind"], one["key"]), {})
        owner = action.get("client")
        if owner in counts and one["result"] in counts[owner]:
            counts[owner][one["result"]] += 1
        if one["result"] in ("failed", "skipped"):
            whose = f"{owner}: " if owner else ""
            failures.append(f"{one['result']} {whose}{KINDS[one['kind']].title} {one['key']}: {one.get('msg', '')}")
        elif (one["kind"], one["key"]) not in absent:
            objects.setdefault(one["kind"], []).append({"key": one["key"], "id": one.get("id")})
    incomplete = [name for name, count in counts.items() if count["failed"] or count["skipped"]]
    return {
        "summary": plan["summary"],
        "customers": [
            {"client": name, **count, "credentials_file": credentials_file.replace("{client}", name)}
            for name, count in counts.items()
        ],
        "failures": failures,
        "objects": objects,
        "line": _line(plan["summary"], list(counts), incomplete, bool(done.get("failed"))),
    }


def _line(summary: Mapping[str, int], names: Sequence[str], incomplete: Sequence[str], failed: bool) -> str:
    whose = names[0] if len(names) == 1 else f"{len(names)} customers"
    if incomplete:
        return f"{whose}, not complete: {first_of(incomplete, _MOST_NAMED)}"
    if failed or not summary:
        return "nothing was written"
    counted = [f"{summary[verb]} {word}" for verb, word in _WORDS.items() if summary[verb]]
    if not counted:
        return f"{whose}: {summary['unchanged']} objects, nothing to change"
    return f"{whose}: {', '.join(counted)}, {summary['unchanged']} unchanged"

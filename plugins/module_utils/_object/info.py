# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads: the objects of a kind, and what belongs to a client and goes with it (facts.md section 4.4). Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

from .._http.answers import unexpected_answer
from .._http.panel_client import PanelClient, path_of
from .._kinds.client import CLIENT
from .._kinds.registry import DETAILS, OWNED, TABLES
from .._schema.fields import WantedReference
from .._schema.kind import Kind
from .._secrets.redaction import without_secrets
from .._task.operation import Operation, Outcome, Task
from .objects import Object, Panel, checked_list, checked_object

Finish = Callable[[list[dict[str, Any]], Mapping[str, Any], Task], list[dict[str, Any]]]


def info_operation(
    kind: Kind,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    query: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None,
    finish: Finish | None = None,
    check: Callable[[Mapping[str, Any]], None] | None = None,
) -> Operation:
    """The operation of an info module.

    options: more options than key, id, sort and order. query: their query parameters. finish: what is done with the found objects.
    check: raises OptionError for their values, before the first request.
    """

    def run(params: Mapping[str, Any], task: Task) -> Outcome:
        if check is not None:
            check(params)
        found = _find(kind, params, task, {} if query is None else query(params))
        if finish is not None:
            found = finish(found, params, task)
        return Outcome(changed=False, result={kind.plural: [without_secrets(item) for item in found]})

    arguments: dict[str, Mapping[str, Any]] = {"id": {"type": "int"}}
    for row in kind.key:
        arguments.update(row.arguments())
    if kind.sorts:
        arguments["sort"] = {"type": "str", "choices": list(kind.sorts)}
        arguments["order"] = {"type": "str", "choices": ["asc", "desc"]}
    return Operation(
        options={**arguments, **(options or {})},
        # An id names one object, so nothing else may; a reference is given by name or by id.
        constraints={"mutually_exclusive": [["id", *row.options] for row in kind.key]},
        run=run,
    )


def _find(kind: Kind, params: Mapping[str, Any], task: Task, query: Mapping[str, Any]) -> list[dict[str, Any]]:
    given = {name: value for name, value in params.items() if value is not None}
    key: dict[str, Any] = {}
    references: list[WantedReference] = []
    for row in kind.key:
        row.read(given, (), key, references)
    panel = Panel(lambda: task.client)
    store = panel.store(kind)
    if "id" in given or (kind.by_name and key):
        found = store.by_id(given["id"]) if "id" in given else store.by_key(key)
        return [] if found is None else [found]
    for one in references:
        referred = None if one.name is None else panel.look_up(one.row.collection, one.name)
        if one.name is not None and referred is None:
            return []
        key[one.row.name] = one.id if referred is None else referred["id"]
    sorting: dict[str, Any] = {name: given[name] for name in ("sort", "order") if name in given}
    return store.matching(key, {**sorting, **query} or None)


def owned_by(client: PanelClient, identifier: int) -> dict[str, list[Object]]:
    """The objects of the client with this id, by plural kind. A 404 is an error: the client was just read, and may have some."""
    path = CLIENT.path + path_of(identifier, "resources")
    shown = checked_object(client.get(path), path, DETAILS["resources"])
    for plural in OWNED:
        if plural not in shown:
            raise unexpected_answer(path, f"shows no {plural}, so what goes with the client is unknown.")
    return {plural: checked_list(shown[plural], path) for plural in OWNED}


def names_of(owned: Mapping[str, list[Object]], username: str) -> dict[str, list[str]]:
    """The natural keys of these objects of a client, sorted; kinds without any are left out."""
    return {
        plural: sorted(name_of(TABLES[plural], one, username) for one in found)
        for plural, found in owned.items()
        if found
    }


def name_of(kind: Kind, found: Mapping[str, Any], username: str) -> str:
    """The natural key, its parts joined with a colon. username: of the owner."""
    return ":".join(username if row.collection else row.type.written(found.get(row.name)) for row in kind.key)

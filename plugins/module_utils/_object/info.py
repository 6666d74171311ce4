# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the objects of a kind, and what the panel tells about a client on separate paths
(docs/panel_api.md#traffic-of-a-client, docs/panel_api.md#resources-of-a-client). Private to the
collection."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Callable

from .._errors import OptionError, Refused, about, raise_collected
from .._http.answers import unexpected_answer
from .._http.panel_client import PanelClient, path_of
from .._kinds.registry import DETAILS, OWNED, TABLES
from .._kinds.tables import CLIENT
from .._operation.operation import Operation, Outcome, Task
from .._schema.fields import ReadBeside, WantedReference, read_rows
from .._schema.kind import Kind
from .._secrets.redaction import without_secrets
from .._sources.checked_answers import checked_fields, checked_list
from .._sources.kind_objects import NOT_FOUND, Object
from .._sources.live_source import LiveSource

Finish = Callable[[list[dict[str, Any]], Mapping[str, Any], Task], list[dict[str, Any]]]


def info_operation(
    kind: Kind,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    query: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda _params: {},
    finish: Finish = lambda found, _params, _task: found,
) -> Operation:
    """The operation of an info module.

    options: more options than key, id, sort and order. query: their query parameters; raises OptionError for their values. finish: what is
    done with the found objects.
    """

    def run(params: Mapping[str, Any], task: Task) -> Outcome:
        found = finish(_find(kind, params, LiveSource(lambda: task.client), query(params)), params, task)
        return Outcome(changed=False, result={kind.plural: [without_secrets(item) for item in found]})

    arguments: dict[str, Mapping[str, Any]] = {"id": {"type": "int"}}
    for row in kind.key:
        arguments.update(row.arguments())
    if kind.sorts:
        # The words are the panel's (docs/panel_api.md#sorting).
        arguments["sort"] = {"type": "str", "choices": list(kind.sorts)}
        arguments["order"] = {"type": "str", "choices": ["asc", "desc"]}
    return Operation(
        options={**arguments, **(options or {})},
        # An id names one object, so nothing else may; a reference is given by name or by id.
        constraints={"mutually_exclusive": [["id", *row.options] for row in kind.key]},
        run=run,
    )


def _find(kind: Kind, params: Mapping[str, Any], source: LiveSource, query: Mapping[str, Any]) -> list[dict[str, Any]]:
    given = {name: value for name, value in params.items() if value is not None}
    key: dict[str, Any] = {}
    beside = ReadBeside()
    raise_collected(read_rows(kind.key, given, (), key, beside))
    found = _find_by_key(kind, given, key, beside.references, source, query)
    if not found:
        # An unusual name that no object has is a mistake.
        raise_collected([unusual.problem for unusual in beside.unusual])
    return found


def _find_by_key(
    kind: Kind,
    given: Mapping[str, Any],
    key: dict[str, Any],
    references: Iterable[WantedReference],
    source: LiveSource,
    query: Mapping[str, Any],
) -> list[dict[str, Any]]:
    objects = source.of(kind)
    with about(_subject(kind, given)):
        if "id" in given or (kind.by_name and key):
            found = objects.find_by_id(given["id"]) if "id" in given else objects.find_by_key(key)
            return [] if found is None else [found]
        for one in references:
            referred = {"id": one.id} if one.name is None else source.find(one.row.collection, one.name)
            if referred is None:
                return []
            key[one.row.name] = referred["id"]
        sorting: dict[str, Any] = {name: given[name] for name in ("sort", "order") if name in given}
        return objects.filter_by_key(key, {**sorting, **query} or None)


def _subject(kind: Kind, given: Mapping[str, Any]) -> str:
    """What is read, for an error: one object, as the task names it, or all of them."""
    if "id" in given:
        return f"{kind.title} with id {given['id']}"
    name = kind.key_of(given)
    return kind.titles if name is None else f"{kind.title} {name}"


# Of clients alone

DETAIL_OPTIONS: dict[str, dict[str, Any]] = {
    "include": {"type": "list", "elements": "str", "choices": list(DETAILS)},
    "month": {"type": "str"},
}
TRAFFIC_BY_MONTH = "traffic_by_month"
"""The field with the traffic of the months that the front end hands on: a process for each of them would take a second."""
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])", re.ASCII)


def check_month(params: Mapping[str, Any]) -> dict[str, Any]:
    """Raises OptionError for a month that is none, or that would count for nothing; the list itself takes none."""
    month = params.get("month")
    if month is not None and not _MONTH.fullmatch(month):
        raise OptionError("month", f"{month!r} is not accepted; it must be a month YYYY-MM, 2026-11 for example.")
    if month is not None and "traffic" not in (params.get("include") or ()):
        raise OptionError("month", "chooses the month of the traffic; add traffic to include, or omit month.")
    return {}


def add_details(clients: list[dict[str, Any]], params: Mapping[str, Any], task: Task) -> list[dict[str, Any]]:
    """The clients with a member for each include; one more request for each client and include. Without those deleted since the list."""
    query = {"traffic": {"month": params["month"]}} if params.get("month") else {}
    detailed = []
    for client in clients:
        path, details = CLIENT.path + path_of(client.get("id")), dict(client)
        with about(f"{CLIENT.title} {client.get(CLIENT.name_member)}"):
            try:
                for name in (one for one in DETAILS if one in (params.get("include") or ())):
                    found = task.client.get(f"{path}/{name}", query.get(name))
                    details[name] = checked_fields(found, f"{path}/{name}", DETAILS[name])
                if task.months:
                    details[TRAFFIC_BY_MONTH] = _traffic_by_month(task, path)
            except Refused as refusal:
                if refusal.details["status"] == NOT_FOUND and task.client.get_or_none(path) is None:
                    continue
                raise
        detailed.append(details)
    return detailed


def _traffic_by_month(task: Task, path: str) -> dict[str, dict[str, Any]]:
    """Return the traffic of the client with this path in each month of the task."""
    traffic = {}
    for month in task.months:
        answer = task.client.get(f"{path}/traffic", {"month": month})
        traffic[month] = checked_fields(answer, f"{path}/traffic", DETAILS["traffic"])
    return traffic


def owned_by(client: PanelClient, identifier: int) -> dict[str, list[Object]]:
    """The objects of the client with this id, by plural kind. A 404 is an error: the client was just read, and may have some."""
    path = CLIENT.path + path_of(identifier, "resources")
    with about(f"{CLIENT.title} with id {identifier}"):
        shown = checked_fields(client.get(path), path, DETAILS["resources"])
        for plural in OWNED:
            if plural not in shown:
                raise unexpected_answer(path, f"shows no {plural}, so what goes with the client is unknown.")
        return {plural: checked_list(shown[plural], path, TABLES[plural]) for plural in OWNED}


def names_of(owned: Mapping[str, list[Object]], username: str) -> dict[str, list[str]]:
    """The natural keys of these objects of a client, sorted, their parts joined with a colon; kinds without any are left out."""

    def name_of(kind: Kind, found: Object) -> str:
        return ":".join(username if row.collection else row.type.written(found.get(row.name)) for row in kind.key)

    return {plural: sorted(name_of(TABLES[plural], one) for one in found) for plural, found in owned.items() if found}

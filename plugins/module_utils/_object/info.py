# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the objects of a kind, and what the panel tells about a client on separate paths
(docs/panel_api.md#traffic-of-a-client, docs/panel_api.md#resources-of-a-client).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Callable

from .._errors import OptionError, Refused, name_subject_in_errors, raise_if_any
from .._http.failures import make_unexpected_answer
from .._http.panel_session import PanelSession, join_path
from .._kinds.registry import DETAILS, OWNED, TABLES
from .._kinds.tables import CLIENT
from .._operation.masked_fields import report_masked_fields
from .._operation.operation import Operation, Outcome, Task
from .._schema.fields import OptionValues, RequestedReference, read_fields
from .._schema.kind import Kind
from .._secrets.redaction import remove_secrets
from .._sources.checked_answers import PanelObject, read_answer, read_objects
from .._sources.kind_objects import NOT_FOUND
from .._sources.live_source import LiveSource
from .._values.option_marks import NARROWS

Finish = Callable[[list[dict[str, Any]], Mapping[str, Any], Task], list[dict[str, Any]]]


def build_info_operation(
    kind: Kind,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    query: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda _params: {},
    finish: Finish = lambda items, _params, _task: items,
) -> Operation:
    """Return the operation of an info module.

    Args:
        kind: The kind of its objects.
        options: More options than key, id, sort and order.
        query: Returns their query parameters; raises OptionError for their values.
        finish: Completes the objects.
    """

    def run(params: Mapping[str, Any], task: Task) -> Outcome:
        """Read the objects that the options name."""
        items = _find(kind, params, LiveSource(lambda: task.session), query(params))
        items = [remove_secrets(item) for item in finish(items, params, task)]
        report_masked_fields(task, kind.plural, kind.name_field, items)
        return Outcome(changed=False, result={kind.plural: items})

    narrows = {NARROWS: f"read all {kind.titles}"}
    arguments: dict[str, Mapping[str, Any]] = {"id": {"type": "int", **narrows}}
    for field in kind.key:
        for name, rules in field.describe_arguments().items():
            arguments[name] = {**rules, **narrows}

    if kind.traits.sorts:
        # The words are the panel's (docs/panel_api.md#sorting).
        arguments["sort"] = {"type": "str", "choices": list(kind.traits.sorts)}
        arguments["order"] = {"type": "str", "choices": ["asc", "desc"]}
    if options:
        arguments.update(options)

    # An id names one object, so nothing else may; a reference is given by name or by id.
    exclusive = [["id", *field.options] for field in kind.key]
    return Operation(
        options=arguments,
        constraints={"mutually_exclusive": exclusive},
        run=run,
    )


def _find(
    kind: Kind, params: Mapping[str, Any], source: LiveSource, query: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the objects that the options name; raises OptionError."""
    requested = {name: value for name, value in params.items() if value is not None}
    named = OptionValues()
    raise_if_any(read_fields(kind.key, requested, (), named))

    items = _find_named(kind, requested, named, source, query)
    if not items:
        # An unusual name that no object has is a mistake.
        raise_if_any([unusual.problem for unusual in named.unusual])
    return items


def _find_named(
    kind: Kind,
    requested: Mapping[str, Any],
    named: OptionValues,
    source: LiveSource,
    query: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """Return the objects with the id, the key, or the parts of the key that the options name."""
    objects = source.get_objects(kind)
    with name_subject_in_errors(_describe_subject(kind, requested)):
        if "id" in requested:
            return _list_found(objects.find_by_id(requested["id"]))
        if kind.traits.by_name and named.values:
            return _list_found(objects.find_by_key(named.values))

        key = dict(named.values)
        for reference in named.references:
            identifier = _find_id(reference, source)
            if identifier is None:
                return []
            key[reference.field.name] = identifier
        sorting = {name: requested[name] for name in ("sort", "order") if name in requested}
        return objects.filter_by_key(key, {**sorting, **query} or None)


def _list_found(item: PanelObject | None) -> list[dict[str, Any]]:
    if item is None:
        return []
    return [item]


def _find_id(reference: RequestedReference, source: LiveSource) -> int | None:
    """Return the id that a reference leads to; None for the name of what is not there."""
    if reference.name is None:
        return reference.id
    target = source.find(reference.field.kind_path, reference.name)
    if target is None:
        return None
    identifier: int = target["id"]
    return identifier


def _describe_subject(kind: Kind, requested: Mapping[str, Any]) -> str:
    """Return what is read, for an error: one object, as the task names it, or all of them."""
    if "id" in requested:
        return f"{kind.title} with id {requested['id']}"
    name = kind.format_key(requested)
    if name is None:
        return kind.titles
    return f"{kind.title} {name}"


# Of clients alone

DETAIL_OPTIONS: dict[str, dict[str, Any]] = {
    "include": {"type": "list", "elements": "str", "choices": list(DETAILS)},
    "month": {"type": "str"},
}
TRAFFIC_BY_MONTH = "traffic_by_month"
"""The field with the traffic of the months that the front end hands on: a process for each of them
would take a second.
"""
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])", re.ASCII)


def check_month(params: Mapping[str, Any]) -> dict[str, Any]:
    """Raise OptionError for a month that is none, or that would count for nothing; the list itself
    takes none.
    """
    month = params.get("month")
    if month is not None and not _MONTH.fullmatch(month):
        raise OptionError(
            f"{month!r} is not accepted; it must be a month YYYY-MM, 2026-11 for example.",
            option="month",
        )
    if month is not None and "traffic" not in (params.get("include") or ()):
        raise OptionError(
            "chooses the month of the traffic; add traffic to include, or omit month.",
            option="month",
        )
    return {}


def add_details(
    clients: list[dict[str, Any]], params: Mapping[str, Any], task: Task
) -> list[dict[str, Any]]:
    """Return the clients with a field for each include, without those that were deleted since the
    list.

    Each client and include costs one more request.
    """
    detailed = []
    for client in clients:
        path = CLIENT.path + join_path(client.get("id"))
        with name_subject_in_errors(f"{CLIENT.title} {client.get(CLIENT.name_field)}"):
            try:
                details = _fetch_details(path, params, task)
            except Refused as refusal:
                if refusal.status == NOT_FOUND and task.session.get_or_none(path) is None:
                    continue
                raise
        detailed.append({**client, **details})
    return detailed


def _fetch_details(path: str, params: Mapping[str, Any], task: Task) -> dict[str, Any]:
    """Ask for what a task includes of the client with this path."""
    details: dict[str, Any] = {}
    includes = params.get("include") or ()
    for name in DETAILS:
        if name not in includes:
            continue

        query = None
        if name == "traffic" and params.get("month"):
            query = {"month": params["month"]}
        details_path = f"{path}/{name}"
        answer = task.session.get(details_path, query)
        details[name] = read_answer(answer, details_path, DETAILS[name])

    if task.handover.months:
        details[TRAFFIC_BY_MONTH] = _fetch_traffic_by_month(task, path)
    return details


def _fetch_traffic_by_month(task: Task, path: str) -> dict[str, dict[str, Any]]:
    """Return the traffic of the client with this path in each month of the task."""
    traffic = {}
    for month in task.handover.months:
        answer = task.session.get(f"{path}/traffic", {"month": month})
        traffic[month] = read_answer(answer, f"{path}/traffic", DETAILS["traffic"])
    return traffic


def fetch_owned(session: PanelSession, identifier: int) -> dict[str, list[PanelObject]]:
    """Return the objects of the client with this id, by plural kind.

    A 404 is an error: the client was just read, and may have some.
    """
    path = CLIENT.path + join_path(identifier, "resources")
    with name_subject_in_errors(f"{CLIENT.title} with id {identifier}"):
        owned = read_answer(session.get(path), path, DETAILS["resources"])
        for plural in OWNED:
            if plural not in owned:
                problem = f"shows no {plural}, so what goes with the client is unknown."
                raise make_unexpected_answer(path, problem)

        return {plural: read_objects(owned[plural], path, TABLES[plural]) for plural in OWNED}


def list_names(owned: Mapping[str, list[PanelObject]], username: str) -> dict[str, list[str]]:
    """Return the natural keys of these objects of a client, sorted, their parts joined with a
    colon.

    Args:
        owned: The objects by plural kind. Kinds without any are left out.
        username: The name of the client.
    """
    names: dict[str, list[str]] = {}
    for plural, items in owned.items():
        if items:
            kind = TABLES[plural]
            names[plural] = sorted([_format_key(kind, item, username) for item in items])
    return names


def _format_key(kind: Kind, item: PanelObject, username: str) -> str:
    """Return the natural key of an object of this client; a reference in it is the one to the
    client.
    """
    names = []
    for field in kind.key:
        name = username
        if not field.kind_path:
            name = field.type.display(item.get(field.name))
        names.append(name)
    return ":".join(names)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns answers of ISPConfig's API into the tables that a dump of its database has.

With -1 in place of an id, each function answers all rows of its table with every column, whatever
its name says. So the rows of several functions are one table, and each row is in it once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..source_answers import Answers
from ..source_tables import (
    MOST_ROWS,
    Row,
    SourceError,
    TableForm,
    Tables,
    check_columns,
    format_value,
)
from .tables import (
    CLIENT_OF_GROUP,
    FORM_BY_TABLE,
    FUNCTIONS_BY_TABLE,
    GROUP_OF_CLIENT,
    RECORD_FUNCTIONS,
    RECORDS_OF_ZONE,
)

_OK = "ok"
_ID = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)
_ASSIGNED = re.compile(r"([1-9][0-9]{0,17}):([0-9]{1,18})", re.ASCII)


class _Refused(Exception):
    """Says that the panel answered a function with an error."""


def read_ispconfig_answers(answers: Answers) -> Tables:
    """Return the rows of the tables that the answers show.

    Raises:
        SourceError: A function that a reader needs was not asked, or the panel refused it; an
            answer is no list of rows; rows lack a column.
    """
    names = answers.list_names()
    rows_by_table = {}
    for table, functions in FUNCTIONS_BY_TABLE.items():
        form = FORM_BY_TABLE[table]
        asked = [name for function in functions for name in _list_matching_names(names, function)]
        if asked:
            rows_by_table[table] = _join_rows(answers, form, asked)
        elif not form.may_lack:
            answers.get_body(functions[0])  # says that it is missing
    rows_by_table["dns_rr"] = _read_records(answers, names, rows_by_table["dns_soa"])
    rows_by_table["client_template_assigned"] = _read_assigned(rows_by_table["client"])
    rows_by_table["sys_group"] = _read_groups(answers, names, rows_by_table["client"])

    if sum(len(rows) for rows in rows_by_table.values()) > MOST_ROWS:
        raise SourceError(answers.location, f"the answers have more than {MOST_ROWS:,} rows.")
    return Tables(rows_by_table, answers.location)


def _list_matching_names(names: Sequence[str], function: str) -> list[str]:
    """Return the answers of a function: of one call, or of one call for each number."""
    form = re.compile(rf"{re.escape(function)}(?:\.[0-9]+)?")
    return [name for name in names if form.fullmatch(name)]


def _read_records(answers: Answers, names: Sequence[str], zones: Sequence[Row]) -> list[Row]:
    """Return the records of all zones, from a function that answers all, or from one for each."""
    asked = [
        name for function in RECORD_FUNCTIONS for name in _list_matching_names(names, function)
    ]
    is_whole = bool(asked)
    asked += _list_matching_names(names, RECORDS_OF_ZONE)
    if not is_whole:
        for zone in zones:
            name = f"{RECORDS_OF_ZONE}.{zone['id']}"
            if name not in asked:
                answers.get_body(name)  # says that it is missing
    return _join_rows(answers, FORM_BY_TABLE["dns_rr"], asked)


def _read_assigned(clients: Sequence[Row]) -> list[Row]:
    """Return the additional templates of clients, whose rows name each as ID:TEMPLATE/."""
    rows: list[Row] = []
    for client in clients:
        for entry in (client["template_additional"] or "").split("/"):
            assigned = _ASSIGNED.fullmatch(entry)
            if assigned:
                row = {
                    "assigned_template_id": assigned[1],
                    "client_id": client["client_id"],
                    "client_template_id": assigned[2],
                }
                rows.append(row)
    return rows


def _read_groups(answers: Answers, names: Sequence[str], clients: Sequence[Row]) -> list[Row]:
    """Return the groups of the clients.

    The API has no function for a group alone. One tells the group of a client, the other one the
    client of a group, and refuses the groups that no client has.
    """
    clients_by_group: dict[str, str | None] = {}
    for name in _list_numbered_names(names, GROUP_OF_CLIENT):
        group = format_value(_unwrap_body(answers, name)) or ""
        if _ID.fullmatch(group):
            clients_by_group[group] = name.rpartition(".")[2]
    for name in _list_numbered_names(names, CLIENT_OF_GROUP):
        group = name.rpartition(".")[2]
        client = _find_client_of_group(answers, name, group in clients_by_group)
        if client is not None:
            clients_by_group[group] = client

    asked = {name.rpartition(".")[2] for name in _list_numbered_names(names, GROUP_OF_CLIENT)}
    grouped = asked | set(clients_by_group.values())
    for client_row in clients:
        client = client_row["client_id"]
        # No function is called for an id that is none, and such a client has no group.
        if client is not None and _ID.fullmatch(client) and client not in grouped:
            answers.get_body(f"{GROUP_OF_CLIENT}.{client}")  # says that it is missing
    return [{"groupid": group, "client_id": client} for group, client in clients_by_group.items()]


def _list_numbered_names(names: Sequence[str], function: str) -> list[str]:
    """Return the answers of a function that was called for a number."""
    return [name for name in _list_matching_names(names, function) if name != function]


def _find_client_of_group(answers: Answers, name: str, has_client: bool) -> str | None:
    """Return the client that an answer shows for a group; None for a group without one."""
    try:
        client = _unpack(answers.get_body(name))
    except _Refused:
        if has_client:
            raise _make_refusal_error(answers, name) from None
        return None
    if isinstance(client, list) and len(client) == 1:
        client = client[0]
    if not isinstance(client, Mapping):
        return None
    return format_value(client.get("client_id"))


def _join_rows(answers: Answers, form: TableForm, names: Sequence[str]) -> list[Row]:
    """Return the rows of several answers about one table, each row once."""
    rows: dict[str, Row] = {}
    for name in names:
        for index, row in enumerate(_read_rows(answers, form, name)):
            row_id = row[form.key]
            rows.setdefault(f"{name} {index}" if row_id is None else row_id, row)
    return list(rows.values())


def _read_rows(answers: Answers, form: TableForm, name: str) -> Iterator[Row]:
    """Yield the rows of an answer with the columns that a reader needs, and None for others.

    What is no row has nothing in any column, so that a reader leaves it out by its place.
    """
    entries = _list_rows(answers, form, name)
    columns = {str(column) for entry in entries if isinstance(entry, Mapping) for column in entry}
    if columns:
        check_columns(form, sorted(columns), f"{answers.location}: {name}")

    for entry in entries:
        values = entry if isinstance(entry, Mapping) else {}
        yield {column: format_value(values.get(column)) for column in form.list_columns()}


def _list_rows(answers: Answers, form: TableForm, name: str) -> Sequence[Any]:
    """Return the entries of an answer, which is a list or a single row."""
    body = _unwrap_body(answers, name)
    if isinstance(body, list):
        return body
    if isinstance(body, Mapping) and form.key in body:
        return [body]
    raise SourceError(
        f"{answers.location}: {name}",
        "this answer is no list of rows. Ask the panel for all rows, with -1 as the id.",
    )


def _unwrap_body(answers: Answers, name: str) -> Any:
    """Return what the panel answered, without its envelope."""
    try:
        return _unpack(answers.get_body(name))
    except _Refused:
        raise _make_refusal_error(answers, name) from None


def _make_refusal_error(answers: Answers, name: str) -> SourceError:
    """Return the error about a function that the panel refused."""
    return SourceError(
        f"{answers.location}: {name}",
        "the panel refused this function. Let the remote user call it, and ask again.",
    )


def _unpack(body: Any) -> Any:
    """Return what an envelope holds; a body without one stands for itself."""
    if not isinstance(body, Mapping) or "code" not in body:
        return body
    if body["code"] != _OK:
        raise _Refused
    return body.get("response")

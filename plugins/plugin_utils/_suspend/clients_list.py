# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a list of clients to suspend or release, from a variable and from tables."""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ansible.parsing.vault import VaultLib

from ...module_utils._problems import cut_name, format_message
from ...module_utils._values.value_types import (
    describe_name_problem,
    describe_text_problem,
    quote_value,
)
from .._customers.customer_tables import (
    describe_unknown_columns,
    format_columns,
    normalize_column_name,
    read_table,
)
from .._run.controller_files import describe_missing_path, expand_path
from .._variables.odd_values import cut_value
from .._variables.only_mistakes import gather_mistakes
from .._variables.rule import describe_long_text, is_empty

_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T00:00:00)?")
_GERMAN_DATE = re.compile(r"(\d\d?)\.(\d\d?)\.(\d{4})")
FIELDS = ("username", "due", "reason")


# The place of a client in its list, and its fields as they are written.
Written = tuple[str, Mapping[str, Any]]


class ListSettings(NamedTuple):
    """How a list is read.

    Attributes:
        columns: By field the column that the operator names; None for the one of the field's name.
        needs_due: Whether each client needs a due date.
        option_names: By option what messages call it; the option's name where it has none.
    """

    columns: Mapping[str, str | None]
    needs_due: bool
    option_names: Mapping[str, str]

    def get_name(self, option: str) -> str:
        """Return what messages call an option."""
        return self.option_names.get(option, option)


def read_clients_list(
    clients: Iterable[Any] | None, files: Sequence[str], settings: ListSettings, vault: VaultLib
) -> dict[str, Any]:
    """Return the clients of the list, each once, and all mistakes in it.

    Args:
        clients: The list of the variable; None without one.
        files: The paths of the tables.
        settings: How they are read.
        vault: Decrypts the tables.
    """
    mistakes: list[str] = []
    entries: dict[str, dict[str, Any]] = {}
    for location, fields in _read_all(clients, files, settings, vault, mistakes):
        entry = _read_entry(location, fields, settings.needs_due, mistakes)
        if entry is None:
            continue
        earliest = entries.get(entry["username"], entry)
        # An empty due date is the earliest: due at once.
        if entry["due"] <= earliest["due"]:
            entries[entry["username"]] = entry

    complete = [] if mistakes else [*entries.values()]
    return {"clients": complete, "mistakes": gather_mistakes(mistakes)}


def _read_all(
    clients: Iterable[Any] | None,
    files: Sequence[str],
    settings: ListSettings,
    vault: VaultLib,
    mistakes: list[str],
) -> list[Written]:
    """Return the clients of the list and of all files.

    Args:
        clients: The list; None without one.
        files: The paths of the files.
        settings: How they are read.
        vault: Decrypts the files.
        mistakes: Gets a sentence for each thing that is wrong.
    """
    list_option = settings.get_name("clients")
    if clients is None and not files:
        files_option = settings.get_name("files")
        mistakes.append(f"{list_option}, {files_option}: both are empty; give one of them.")

    written = _read_variable(clients or [], list_option, mistakes)
    for path in files:
        missing = describe_missing_path(path, settings.option_names.get("files", ""))
        if missing:
            mistakes.append(missing)
        else:
            written += _read_file(path, vault, settings, mistakes)
    return written


def _read_variable(clients: Iterable[Any], option: str, mistakes: list[str]) -> list[Written]:
    """Return the clients of a list. option: what messages call the list."""
    written = []
    for index, client in enumerate(clients):
        location = f"{option}[{index}]"
        fields = client if isinstance(client, Mapping) else {"username": client}
        for name in fields:
            if name not in FIELDS:
                problem = f"unknown; a client has {', '.join(FIELDS)}."
                mistakes.append(f"{location}: {cut_name(str(name))}: {problem}")
        username = fields.get("username")
        problem = describe_name_problem(username) if isinstance(username, str) else ""
        if problem:
            mistakes.append(f"{location}: username: {problem}")
        else:
            written.append((location, fields))
    return written


def _read_file(
    name: str, vault: VaultLib, settings: ListSettings, mistakes: list[str]
) -> list[Written]:
    """Return the clients of a table. name: its path, as the operator wrote it."""
    table = read_table(Path(expand_path(name)), name, vault)
    if table.mistakes:
        option = settings.option_names.get("files")
        # Of a file, the message has the line.
        about = f"{option}: " if option and not os.path.isfile(expand_path(name)) else ""
        mistakes += [f"{about}{format_message(mistake.problem)}" for mistake in table.mistakes]
        return []

    names = _name_columns(settings)
    by_field = {field: column for field, column in names.items() if column in table.columns}
    header = f"{name}: line {table.header_line}"
    mistakes_in_header = _find_mistakes_in_header(settings, by_field, table.columns)
    mistakes += [f"{header}: {mistake}" for mistake in mistakes_in_header]
    if mistakes_in_header:
        return []

    written: list[Written] = []
    for line, cells in table.rows:
        fields = {field: cells.get(column) for field, column in by_field.items()}
        # Without a column, a due date is empty in each row. It is no row that someone named
        # without one.
        fields.setdefault("due", None)
        written.append((f"{name}: line {line}", fields))
    return written


def _name_columns(settings: ListSettings) -> dict[str, str]:
    """Return by field the column that is read, as a table has it."""
    return {field: normalize_column_name(name or field) for field, name in settings.columns.items()}


def _find_mistakes_in_header(
    settings: ListSettings, by_field: Mapping[str, str], present: Collection[str]
) -> list[str]:
    """Return which columns the table lacks, or which of its columns are not read.

    Args:
        settings: Which columns are read.
        by_field: By field its column, if the table has it.
        present: The columns of the table.
    """
    mistakes = []
    for field, name in settings.columns.items():
        is_needed = name or (field == "due" and settings.needs_due)
        if field not in by_field and is_needed:
            listed = format_columns(filter(None, present))
            mistakes.append(f"there is no column {name or field}; there are {listed}.")

    dates = [column for column in present if "due" in column]
    if dates and "due" not in by_field and not mistakes:
        # Without such a column everyone would be due at once.
        advice = f"Specify it in {settings.get_name('due_column')}, or call it due."
        mistakes.append(f"the column {format_columns(dates[:1])} is not read. {advice}")
    unknown = describe_unknown_columns(present, _name_columns(settings).values())
    if unknown and not mistakes:
        mistakes.append(unknown)
    return mistakes


def _read_entry(
    location: str, fields: Mapping[str, Any], needs_due: bool, mistakes: list[str]
) -> dict[str, Any] | None:
    """Return the entry of a client; None if something is wrong with it.

    Args:
        location: Where the client is written.
        fields: As they are written.
        needs_due: Whether each client needs a due date.
        mistakes: Gets a sentence for what is wrong.
    """
    username = fields.get("username")
    if isinstance(username, (int, float, datetime.date)):
        mistakes.append(f"{location}: username: {describe_text_problem(username)}")
        return None
    name = username.strip() if isinstance(username, str) else ""
    if not name:
        mistakes.append(f"{location} has no username.")
        return None
    problem = _find_problem_of_name(name)
    if problem:
        mistakes.append(f"{location}: username: {problem}")
        return None

    is_undated = "due" not in fields
    due = fields.get("due")
    if needs_due and not is_undated and is_empty(due):
        problem = "empty. With a grace period, give each client a due date."
        mistakes.append(f"{location} ({name}): due: {problem}")
        return None
    date = "" if is_empty(due) else _read_date(due)
    if date is None:
        requirement = "it must be a date, YYYY-MM-DD or DD.MM.YYYY."
        problem = f"{_display_due_date(due)} is not accepted; {requirement}"
        mistakes.append(f"{location} ({name}): due: {problem}")
        return None

    reason = " ".join(str(fields.get("reason") or "").split())
    return {
        "username": name,
        "due": date,
        "reason": reason,
        "place": location,
        "at_once": is_undated,
    }


def _find_problem_of_name(name: str) -> str:
    """Return why a text can be no username; empty if it can."""
    if not name.isprintable():
        # It would look like the client without them.
        return f"{quote_value(name)} has invisible characters; write the name without them."
    return describe_long_text(name)


def _read_date(value: Any) -> str | None:
    """Return a due date as YYYY-MM-DD, or None for what is no date.

    Args:
        value: A text, or the date or time that YAML made of one without quotes.
    """
    if isinstance(value, datetime.date):
        value = value.isoformat()
    if not isinstance(value, str):
        return None
    text = value.strip()
    iso = _DATE.fullmatch(text)
    german = _GERMAN_DATE.fullmatch(text)
    if iso:
        year, month, day = iso.groups()
    elif german:
        day, month, year = german.groups()
    else:
        return None
    try:
        return datetime.date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


def _display_due_date(value: Any) -> str:
    """Show a wrong due date as YAML read it."""
    if isinstance(value, str):
        return repr(cut_value(str(value).strip()))
    return value.isoformat() if isinstance(value, datetime.date) else quote_value(value)

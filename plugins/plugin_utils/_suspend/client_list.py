# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads which clients are to be suspended or released, from a variable or from a file of comma-separated values. Private to the collection."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...module_utils._task.mistakes import Mistake
from .._files.table_text import TOO_MANY_CELLS, TableError, read_table

_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:T00:00:00)?")
_GERMAN = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
_MEMBERS = ("username", "due", "reason")
_CUT_OFF = "ends before the column {}; give its date, or an empty cell, which means due at once."


@dataclass(frozen=True)
class Entry:
    """A client that was named. due: None means at once. place: where it was named, for a person."""

    username: str
    due: datetime.date | None
    reason: str
    place: str


@dataclass(frozen=True)
class Columns:
    """Names of columns, compared without case. due, reason: None takes the column of that name where there is one."""

    username: str = "username"
    due: str | None = None
    reason: str | None = None


class ListError(Exception):
    """The list cannot be read; ``mistakes`` has a sentence for each."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        super().__init__(" ".join(mistakes))
        self.mistakes = list(mistakes)


def entries_of(clients: Iterable[Any]) -> list[Entry]:
    """Of a list of usernames, or of dictionaries with username and perhaps due and reason. Raises ListError with every mistake."""
    entries: list[Entry] = []
    mistakes: list[str] = []
    for index, given in enumerate(clients):
        place = f"clients[{index}]"
        members = given if isinstance(given, Mapping) else {"username": given}
        username = members.get("username")
        # The number of a customer may be its username.
        if isinstance(username, bool) or not isinstance(username, (str, int)) or not str(username).strip():
            mistakes.append(Mistake(place, "must be a username, or a dictionary with one.", ": "))
            continue
        unknown = [str(name) for name in members if name not in _MEMBERS]
        if unknown:
            sentence = f"{', '.join(unknown)}: there is no such member; there are {', '.join(_MEMBERS)}."
            mistakes.append(Mistake(place, sentence, ": "))
        _add(entries, mistakes, place, str(username), members.get("due"), members.get("reason"))
    if mistakes:
        raise ListError(mistakes)
    return entries


def read_csv(path: str, columns: Columns) -> list[Entry]:
    """Of a file in UTF-8 whose first line names its columns, separated by commas, semicolons or tabs. Raises ListError with every mistake."""
    name, place_of_file = Path(path).name, f"csv_file (suspend_csv_file in the role suspend): {path}"
    try:
        table = read_table(path, [columns.username])
    except TableError as error:
        raise ListError([f"{place_of_file}: {error}"]) from None
    header = [cell.casefold() for cell in table.header]
    places, mistakes = _places(header, columns, name)
    entries: list[Entry] = []
    for line, cells, has_more_cells in table.rows if not mistakes else ():
        place = f"{name}: line {line}"
        if has_more_cells:
            mistakes.append(Mistake(place, TOO_MANY_CELLS, ": "))
            continue
        found = {member: cells[index] for member, index in places.items() if index < len(cells)}
        if not found.get("username"):
            mistakes.append(Mistake(place, f"has no {columns.username}.", ": "))
            continue
        if "due" in places and "due" not in found:
            # Of a row that was cut off nobody knows whether its client is due at once, as an empty cell says.
            mistakes.append(Mistake(f"{place} ({found['username']})", _CUT_OFF.format(header[places["due"]]), ": "))
            continue
        _add(entries, mistakes, place, found["username"], found.get("due"), found.get("reason"))
    if mistakes:
        raise ListError(mistakes)
    return entries


def earliest(entries: Iterable[Entry]) -> list[Entry]:
    """Each client once, in the order in which they came, with the earliest due date; a list of debts has a line for each invoice."""
    chosen: dict[str, Entry] = {}
    for entry in entries:
        known = chosen.get(entry.username)
        if known is None or _due(entry) < _due(known):
            chosen[entry.username] = entry
    return list(chosen.values())


def as_date(value: Any) -> datetime.date | None:
    """A date as YYYY-MM-DD or DD.MM.YYYY; None where nothing is given. Raises ValueError."""
    text = str(value or "").strip()
    if not text:
        return None
    iso, german = _ISO.fullmatch(text), _GERMAN.fullmatch(text)
    if iso:
        return datetime.date(int(iso[1]), int(iso[2]), int(iso[3]))
    if german:
        return datetime.date(int(german[3]), int(german[2]), int(german[1]))
    raise ValueError(text)


def _due(entry: Entry) -> datetime.date:
    return entry.due or datetime.date.min


def _add(entries: list[Entry], mistakes: list[str], place: str, username: str, due: Any, reason: Any) -> None:
    if not username.isprintable():
        mistakes.append(f"{place}: the username {username!r} has characters in it that no username has.")
        return
    try:
        day = as_date(due)
    except ValueError:
        mistakes.append(
            Mistake(
                f"{place} ({username})",
                f"due: {str(due)!r} is not accepted; it must be a date, YYYY-MM-DD or DD.MM.YYYY.",
                ": ",
            )
        )
        return
    entries.append(Entry(username.strip(), day, " ".join(str(reason or "").split()), place))


def _places(header: Sequence[str], columns: Columns, name: str) -> tuple[dict[str, int], list[str]]:
    """Where each member is in a row, and what is wrong with the columns."""
    places: dict[str, int] = {}
    mistakes: list[str] = []
    for member, wanted in (("username", columns.username), ("due", columns.due), ("reason", columns.reason)):
        sought = (wanted or member).strip().casefold()
        if header.count(sought) > 1:
            mistakes.append(f"{name}: there are two columns {sought}.")
        elif sought in header:
            places[member] = header.index(sought)
        elif wanted is not None:
            mistakes.append(f"{name}: there is no column {wanted}; there are {', '.join(filter(None, header))}.")
    # Passed over, such a column would make everybody due at once.
    unread = [cell for cell in header if "due" in cell and ("date" in cell or "day" in cell)]
    if columns.due is None and "due" not in places and unread:
        mistakes.append(
            f"{name}: the column {unread[0]} would not be read; name it in csv_due, or give it the name due."
        )
    return places, mistakes

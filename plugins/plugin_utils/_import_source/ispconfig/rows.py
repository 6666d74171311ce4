# SPDX-License-Identifier: GPL-3.0-or-later
"""What all readers of ISPConfig's rows share: cells, owners, locks, and rows that do not arrive.

Each row is read by itself. A row that makes no sense is left out with its reason, and the others
stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from ....module_utils._values.names import normalize_address, normalize_domain
from ....module_utils._values.value_types import quote_value
from ..source_rows import NoObject, try_row
from ..source_shape import NO_ROOT, FieldLeftOut, LeftOut, Origin
from ..source_tables import Row, Tables
from .lock import Lock
from .tables import FORM_BY_TABLE

ADMIN_GROUP = "1"
OFF_AT_SOURCE = "It is switched off at the source, and the panel has no switch for it."
_NO_OWNER = "No customer of the source has it: its owner is gone."
_OWNER_LEFT_OUT = "The customer that has it does not arrive."
_OF_ADMIN = "It belongs to the administrator of the source, not to a customer."
_NUMBER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST_KEY = 200
_LONGEST_NAME = 1000  # far above what a domain or an address may have, and quick to refuse
_Entry = TypeVar("_Entry")


@dataclass(frozen=True)
class LostColumn:
    """A column that the panel has nothing for.

    Attributes:
        name: The column; the field of the entry has the same name.
        usual: Values that a row has unless somebody changed it.
        reason: What is omitted.
    """

    name: str
    usual: Collection[str]
    reason: str


@dataclass(frozen=True)
class RowKind:
    """How rows of a table are named in the lists.

    Attributes:
        table: The table.
        plural: The kind of the folder that its rows become.
        name: Returns the source's name of a row.
    """

    table: str
    plural: str
    name: Callable[[Row], str]


@dataclass(frozen=True)
class Owners:
    """Who has which rows, and what was off before a customer was locked.

    Attributes:
        usernames: Of customers that arrive, by the id of their row.
        client_ids: Ids of all clients.
        clients_by_group: Ids of clients by the group that rows name.
        locks: What was off before a lock, by the customer's username.
    """

    usernames: Mapping[str, str]
    client_ids: frozenset[str]
    clients_by_group: Mapping[str, str]
    locks: Mapping[str, Lock]

    def find_owner(self, row: Row) -> str | None:
        """Return the username of the customer that has a row; None where nobody has it."""
        group = row.get("sys_groupid") or ""
        client = self.clients_by_group.get(group, "")
        return self.usernames.get(client)

    def require_owner(self, row: Row) -> str:
        """Return the username of the customer that has a row.

        Raises:
            NoObject: Nobody has it.
        """
        owner = self.find_owner(row)
        if owner is None:
            raise NoObject(self._describe_missing_owner(row))
        return owner

    def _describe_missing_owner(self, row: Row) -> str:
        """Say why no customer has a row."""
        group = row.get("sys_groupid") or ""
        if group == ADMIN_GROUP:
            return _OF_ADMIN
        if self.clients_by_group.get(group, "") in self.client_ids:
            return _OWNER_LEFT_OUT
        return _NO_OWNER

    def is_on(self, kind: RowKind, row: Row, column: str = "active") -> bool:
        """Tell whether a row was on before its customer was locked."""
        return is_yes(row, column) or self.is_set_by_lock(kind, row, column)

    def is_set_by_lock(self, kind: RowKind, row: Row, column: str) -> bool:
        """Tell whether a column says what it says since the customer of its row was locked."""
        lock = self.locks.get(self.find_owner(row) or "")
        if lock is None:
            return False
        row_id = row[FORM_BY_TABLE[kind.table].key] or ""
        return not lock.names(kind.table, row_id, column)

    def leave_out(self, kind: RowKind, row: Row, origin: Origin, reason: str) -> LeftOut:
        """Return that a row does not arrive."""
        key = shorten_key(kind.name(row))
        return LeftOut(self.find_owner(row), kind.plural, key, origin, reason)

    def read_rows(
        self, tables: Tables, kind: RowKind, read: Callable[[Row, Origin], _Entry]
    ) -> ReadRows[_Entry]:
        """Return what was read of each row of a table.

        Args:
            tables: The tables of the source.
            kind: How the rows are named.
            read: Reads a row, and raises NoObject for one that does not arrive.
        """
        entries: list[_Entry] = []
        left_out: list[LeftOut] = []
        for origin, row in sort_rows(tables, kind.table):
            entry = try_row(partial(read, row, origin), kind.table)
            if isinstance(entry, NoObject):
                left_out.append(self.leave_out(kind, row, origin, entry.reason))
            else:
                entries.append(entry)
        return ReadRows(tuple(entries), tuple(left_out))


@dataclass(frozen=True)
class ReadRows(Generic[_Entry]):
    """What the rows of a table became, in the order of their ids."""

    entries: tuple[_Entry, ...]
    left_out: tuple[LeftOut, ...]


# Rows


def sort_rows(tables: Tables, table: str) -> list[tuple[Origin, Row]]:
    """Return the rows of a table in the order of their ids, each with its origin.

    A row without an id is named by its place, which stands behind a question mark.
    """
    key = FORM_BY_TABLE[table].key
    numbered = []
    for index, row in enumerate(tables.list_rows(table)):
        row_id = row.get(key)
        name = f"?{index + 1}" if not row_id else shorten_key(row_id)
        numbered.append((Origin(table, name), row))
    return sorted(numbered, key=lambda entry: _rank_row_id(entry[0].id))


def _rank_row_id(row_id: str) -> tuple[int, int, str]:
    """Return what rows are sorted by: their numbers, and after them what is no number."""
    if _NUMBER.fullmatch(row_id):
        return 0, int(row_id), ""
    return 1, 0, row_id


def index_rows(tables: Tables, table: str) -> dict[str, Row]:
    """Return the rows of a table by their ids; the first of two with one id."""
    key = FORM_BY_TABLE[table].key
    rows: dict[str, Row] = {}
    for row in tables.list_rows(table):
        rows.setdefault(row.get(key) or "", row)
    rows.pop("", None)
    return rows


def shorten_key(text: str) -> str:
    """Return a name as the lists show it: of bounded length, without what no file can hold."""
    readable = _SURROGATE.sub("\ufffd", text)
    if len(readable) <= _LONGEST_KEY:
        return readable
    return f"{readable[: _LONGEST_KEY - 1]}…"


# Cells


def read_text(row: Row, column: str) -> str:
    """Return a text that has to be right, such as a name; empty for null.

    Raises:
        NoObject: Bytes of it are no text.
    """
    text = row.get(column) or ""
    if _SURROGATE.search(text):
        raise NoObject(f"Its column {column} has bytes that are no text.")
    return text


def read_prose(row: Row, column: str) -> str:
    """Return a text for people; what no file can hold becomes U+FFFD."""
    return _SURROGATE.sub("\ufffd", row.get(column) or "").strip()


def read_root(row: Row) -> str:
    """Return the folder of a site that is none of another site.

    Raises:
        NoObject: It has none, or one that is no folder of a site.
    """
    text = read_text(row, "document_root")
    try:
        root = join_path(text, "")
    except NoObject:
        root = ""
    if not root:
        raise NoObject(NO_ROOT.format(quote_value(text)))
    return root


def read_number(row: Row, column: str) -> int | None:
    """Return a number of at most 18 digits; None for everything else."""
    text = row.get(column) or ""
    return int(text) if _NUMBER.fullmatch(text) else None


def is_yes(row: Row, column: str) -> bool:
    """Tell whether a switch is on; the panel writes y, Y or 1."""
    return (row.get(column) or "").strip().lower() in ("y", "1")


def read_domain(row: Row, column: str) -> str:
    """Return the name of a domain.

    Raises:
        NoObject: It is none.
    """
    text = read_text(row, column)
    try:
        return normalize_domain(check_length(text))
    except ValueError:
        raise NoObject("Its name is no domain name.") from None


def read_address(text: str) -> str:
    """Return an address of mail; a text that is none stays as it is."""
    try:
        return normalize_address(check_length(text))
    except ValueError:
        return text.strip()


def check_length(text: str) -> str:
    """Return a name that is short enough to be one.

    Raises:
        ValueError: It is not.
    """
    if len(text) > _LONGEST_NAME:
        raise ValueError("too long")
    return text


def read_fields_left_out(row: Row, columns: Iterable[LostColumn]) -> tuple[FieldLeftOut, ...]:
    """Return an entry for each column that says something and has nothing on the panel."""
    return tuple(
        FieldLeftOut(column.name, column.reason)
        for column in columns
        if _says_something(row.get(column.name), column.usual)
    )


def _says_something(value: str | None, usual: Collection[str]) -> bool:
    """Tell whether a value is another one than rows usually have."""
    text = (value or "").strip()
    return bool(text) and text not in usual


def split_targets(text: str) -> tuple[str, ...]:
    """Return the targets of a forward: one a line, or separated by commas or blanks.

    A line that is a command or a file stays whole, so that whoever reads it knows it as none.
    """
    targets: list[str] = []
    for line in text.splitlines():
        if line.lstrip().startswith(("|", '"', "/", ":")):
            targets.append(line.strip())
        else:
            targets.extend(read_address(target) for target in re.split(r"[\s,;]+", line) if target)
    return tuple(dict.fromkeys(target for target in targets if target))


def join_path(base: str, path: str) -> str:
    """Return an absolute folder below another one.

    Raises:
        NoObject: The path leads out of it, or the base is no absolute folder.
    """
    names = [name for name in path.split("/") if name not in ("", ".")]
    if not base.startswith("/") or ".." in names or ".." in base.split("/"):
        raise NoObject("Its directory is not below that of its site.")
    return "/".join([base.rstrip("/"), *names])

# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads rows of froxlor's tables one by one: a row that makes no sense never stops the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from ....module_utils._values.unsendable import holds_half_character
from ..source_rows import NoObject, try_row
from ..source_shape import FieldLeftOut, LeftOut, Origin
from ..source_tables import Row, TableForm, Tables
from .tables import FORMS_BY_TABLE

UNLIMITED = -1
OWN_OBJECT = "The source's panel made it for itself, and the new panel has its own."
_LONGEST_KEY = 300
_LARGEST = 2**63
_Object = TypeVar("_Object")


@dataclass(frozen=True)
class FroxlorRow:
    """A row of a table. The value of a column that the source lacks is null."""

    form: TableForm
    values: Row

    @property
    def id(self) -> str:
        """Return what the row's key holds."""
        return self.format_label(self.form.key)

    @property
    def origin(self) -> Origin:
        """Return where the row comes from."""
        return Origin(self.form.name, self.id)

    def get_value(self, column: str) -> str:
        """Return a value as the source has it; an empty text for null."""
        return self.values.get(column) or ""

    def read_text(self, column: str) -> str:
        """Return a name, a path or an address without blanks around it.

        Raises:
            NoObject: The value holds bytes that are no text.
        """
        value = self.get_value(column).strip()
        if holds_half_character(value):
            raise NoObject(f"Its {column} holds bytes that are no text.")
        return value

    def require_text(self, column: str) -> str:
        """Return a text that may not be empty.

        Raises:
            NoObject: It is empty, or holds bytes that are no text.
        """
        value = self.read_text(column)
        if not value:
            raise NoObject(f"Its {column} is empty.")
        return value

    def read_prose(self, column: str) -> str:
        """Return a text for people, or a hash: bytes that are no text become a sign for that."""
        value = self.get_value(column)
        if not holds_half_character(value):
            return value
        return value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")

    def format_label(self, column: str) -> str:
        """Return what lists of a result show of a value."""
        text = self.read_prose(column).strip()
        if len(text) > _LONGEST_KEY:
            return f"{text[:_LONGEST_KEY]}…"
        return text

    def read_reference(self, column: str) -> str:
        """Return the id of another row; an empty text where there is none."""
        value = self.get_value(column).strip()
        return "" if value == "0" else value

    def require_number(self, column: str) -> int:
        """Return a whole number.

        Raises:
            NoObject: The value is no such number.
        """
        value = read_number(self.get_value(column))
        if value is None:
            raise NoObject(f"Its {column} is no number.")
        return value

    def is_on(self, column: str) -> bool:
        """Tell whether a switch is on."""
        return self.get_value(column).strip() in {"1", "Y", "y"}

    def has(self, column: str) -> bool:
        """Tell whether the source says anything about a column."""
        return self.values.get(column) is not None

    def read_path(self, column: str) -> str:
        """Return an absolute path without a final slash and without escapes of blanks.

        Raises:
            NoObject: It is empty, or holds bytes that are no text.
        """
        return clean_path(self.require_text(column))


def clean_path(path: str) -> str:
    """Return a path as the file system has it: froxlor writes a backslash before each blank."""
    parts = path.split(" ")
    unescaped = [segment.rstrip("\\") for segment in parts[:-1]]
    whole = " ".join([*unescaped, parts[-1]])
    return whole.rstrip("/") or "/"


def read_number(text: str) -> int | None:
    """Return the whole number that a text is; None where it is none."""
    text = text.strip()
    if not text.isascii() or len(text) > 40:
        return None
    try:
        value = int(text)
    except ValueError:
        return None
    return value if abs(value) < _LARGEST else None


def read_limit(text: str, unit: int = 1) -> int | None:
    """Return a limit in bytes or pieces; -1 for none, None where the source does not say it.

    Args:
        text: As the source has it; each number below zero stands for no limit.
        unit: How many bytes one of its units has.
    """
    if len(text) > 40:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    if not math.isfinite(value) or abs(value) >= _LARGEST:
        return None
    if value < 0:
        return UNLIMITED
    whole = read_number(text)
    if whole is None:
        return int(value * unit)
    return whole * unit


def find_settings(
    row: FroxlorRow, defaults: Mapping[str, str], reasons: Mapping[str, str]
) -> tuple[FieldLeftOut, ...]:
    """Return the fields of a row that are set and do not arrive.

    Args:
        row: The row.
        defaults: The value of each column with which there is nothing to tell.
        reasons: Why, by column.
    """
    return tuple(
        FieldLeftOut(column, reasons[column])
        for column, default in defaults.items()
        if row.get_value(column).strip() not in {default, ""}
    )


@dataclass(frozen=True)
class Owner:
    """The customer of a row.

    Attributes:
        username: Of the customer; empty where there is none.
        reason: Why there is none; empty for rows that belong to nobody, such as plans.
        is_locked: The customer is deactivated, and so is everything that it has.
    """

    username: str
    reason: str = ""
    is_locked: bool = False


@dataclass(frozen=True)
class RowKind:
    """How rows of a table are named in the lists, and whose they are.

    Attributes:
        table: The table.
        plural: The kind of the folder that its rows would be.
        find_name: Returns the source's name of a row.
        find_owner: Returns the customer of a row.
    """

    table: str
    plural: str
    find_name: Callable[[FroxlorRow], str]
    find_owner: Callable[[FroxlorRow], Owner]


@dataclass(frozen=True)
class ReadRows(Generic[_Object]):
    """What the rows of a table became, in the order of their ids."""

    objects: tuple[_Object, ...]
    left_out: tuple[LeftOut, ...]


def list_rows(tables: Tables, table: str) -> list[FroxlorRow]:
    """Return the rows of a table in the order of their ids."""
    form = FORMS_BY_TABLE[table]
    rows = [FroxlorRow(form, values) for values in tables.list_rows(table)]
    return sorted(rows, key=_rank_row)


def read_rows(
    tables: Tables, kind: RowKind, read: Callable[[FroxlorRow, Owner], _Object | LeftOut]
) -> ReadRows[_Object]:
    """Return what was read of each row of a table.

    Args:
        tables: The tables of the source.
        kind: How the rows are named, and whose they are.
        read: Reads a row of a customer, and raises NoObject for one that does not arrive.
    """
    objects: list[_Object] = []
    left_out: list[LeftOut] = []
    for row in list_rows(tables, kind.table):
        entry = read_row(kind, row, read)
        if isinstance(entry, LeftOut):
            left_out.append(entry)
        else:
            objects.append(entry)
    return ReadRows(tuple(objects), tuple(left_out))


def read_row(
    kind: RowKind, row: FroxlorRow, read: Callable[[FroxlorRow, Owner], _Object | LeftOut]
) -> _Object | LeftOut:
    """Return what was read of a row, or that it does not arrive.

    Args:
        kind: How the row is named, and whose it is.
        row: The row.
        read: Reads a row of a customer, and raises NoObject for one that does not arrive.
    """
    owner = try_row(partial(kind.find_owner, row), kind.table)
    if isinstance(owner, NoObject):
        owner = Owner("", owner.reason)
    entry = try_row(partial(_read_owned_row, read, row, owner), kind.table)
    if not isinstance(entry, NoObject):
        return entry
    name = kind.find_name(row) or f"row {row.id}"
    return LeftOut(owner.username or None, kind.plural, name, row.origin, entry.reason)


def _read_owned_row(
    read: Callable[[FroxlorRow, Owner], _Object | LeftOut], row: FroxlorRow, owner: Owner
) -> _Object | LeftOut:
    """Return what was read of a row, whose owner may be missing; raises NoObject."""
    if owner.reason:
        raise NoObject(owner.reason)
    return read(row, owner)


def make_namer(column: str) -> Callable[[FroxlorRow], str]:
    """Return what finds the name of a row in a column."""
    return lambda row: row.format_label(column)


def _rank_row(row: FroxlorRow) -> tuple[int, str]:
    """Return what orders rows: their numbers, and those without one at the end."""
    number = read_number(row.id)
    if number is None:
        number = _LARGEST
    return number, row.id

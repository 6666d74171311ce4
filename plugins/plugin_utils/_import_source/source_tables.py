# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of another panel's database, whatever form they came in, and the one error of a source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

Row = Mapping[str, Optional[str]]
"""Column and value. Numbers are texts as the source writes them, and null is None."""
MOST_ROWS = 5_000_000
"""In a dump, or in a file beside it."""
MOST_MEGABYTES = 500
MOST_BYTES = MOST_MEGABYTES * 1024**2
"""How large a source may be: a dump, or all answers together."""


class SourceError(Exception):
    """Says that nobody can read a source: it is cut off, another panel's, or lacks something.

    Attributes:
        location: The file, and the line or the table in it.
        reason: Why, and what to do about it, in one or two sentences.
        other_panel: What people call the panel that it is of, if that is another one; else empty.
    """

    def __init__(self, location: str, reason: str, other_panel: str = "") -> None:
        super().__init__(f"{location}: {reason}")
        self.other_panel = other_panel
        self.location = location
        self.reason = reason


@dataclass(frozen=True)
class TableForm:
    """What a reader needs of a table.

    Attributes:
        name: The table.
        key: Its column that names a row.
        needed: Columns without which the table is of another version.
        optional: Columns that older or newer versions lack; their value is None then.
        may_lack: Whether a source without the table is a whole one.
        title: What people call a row that is another thing than the kind it is listed as.
        has_addresses: Whether each row is an address of mail, although it has a title.
    """

    name: str
    key: str
    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()
    may_lack: bool = False
    title: str = ""
    has_addresses: bool = False

    def list_columns(self) -> tuple[str, ...]:
        """Return all columns that the reader uses, the key first."""
        return tuple(dict.fromkeys((self.key, *self.needed, *self.optional)))


@dataclass(frozen=True)
class Tables:
    """The rows of each table, in the order of the source.

    Attributes:
        rows_by_table: Tables that the source has; one that it lacks is not there.
        location: What messages call the source, a file or an address.
    """

    rows_by_table: Mapping[str, Sequence[Row]]
    location: str

    def list_rows(self, table: str) -> Sequence[Row]:
        """Return the rows of a table; none where the source lacks it."""
        return self.rows_by_table.get(table, ())


def check_columns(form: TableForm, columns: Sequence[str], location: str) -> None:
    """Check that a table of a source has what the reader needs.

    Args:
        form: The table as the reader needs it.
        columns: Those that it has at the source.
        location: Where that was read.

    Raises:
        SourceError: A column is missing.
    """
    missing = [column for column in (form.key, *form.needed) if column not in columns]
    if missing:
        names = ", ".join(missing)
        raise SourceError(
            location,
            f"the table {form.name} has no column {names}. "
            "The source is of a version that is not known; update its panel, and read it again.",
        )


def format_value(value: object) -> str | None:
    """Return a value of JSON as a database shows it: a text, or None for null."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value)

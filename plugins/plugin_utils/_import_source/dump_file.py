# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a file that mysqldump wrote: the INSERTs of the known tables, and nothing else of it.

The file is read line by line and nothing of it is executed. Only columns that a reader needs are
kept, so that a dump of hundreds of megabytes takes little memory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from ...module_utils._problems import format_number_of
from .._run.controller_files import describe_reason
from .dump_values import NoRow, read_rows
from .source_tables import (
    MOST_BYTES,
    MOST_MEGABYTES,
    MOST_ROWS,
    Row,
    SourceError,
    TableForm,
    Tables,
    check_columns,
)

_MOST_STATEMENT = 64 * 1024 * 1024  # four times what mysqldump writes into one
_NAME = rb"`(?P<name>(?:[^`]|``)+)`"
_INSERT = re.compile(
    rb"(?:INSERT|REPLACE)(?:\s+IGNORE)?\s+INTO\s+(?:`(?:[^`]|``)+`\.)?"
    + _NAME
    + rb"\s*(?:\((?P<columns>[^()]*)\)\s*)?VALUES\s*",
    re.IGNORECASE,
)
_CREATE = re.compile(
    rb"CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:`(?:[^`]|``)+`\.)?" + _NAME, re.IGNORECASE
)
_USE = re.compile(rb"USE\s+" + _NAME, re.IGNORECASE)
_COLUMN = re.compile(rb"\s+" + _NAME + rb"\s")
_COLUMN_NAME = re.compile(_NAME)
_CHARSET = re.compile(rb"SET NAMES\s+'?(?P<charset>\w+)", re.IGNORECASE)
_ENCODINGS = {b"latin1": "cp1252", b"ascii": "utf-8", b"binary": "utf-8"}
_WRITER = re.compile(rb"-- (?:MySQL|MariaDB) dump ")
_COMPLETED = b"-- Dump completed"
_SETTING_KEPT = re.compile(rb"/\*M?!\d+ SET @OLD_(?P<name>\w{1,64})=@@")
_SETTING_RESTORED = re.compile(rb"/\*M?!\d+ SET (?P<name>\w{1,64})=@OLD_")
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"PK\x03\x04", b"\x28\xb5\x2f\xfd")


@dataclass
class _Progress:
    """What was read of a dump so far.

    Attributes:
        location: The file, as messages name it.
        line_number: Of the line that was read last.
        database: The one that the statements are about; empty before the first.
        encoding: Of the texts, as Python names it.
        is_signed: Whether a program that writes dumps has named itself.
        last_line: The last one that is not empty.
        changed_settings: Those that the dump has changed and not yet restored.
        row_count: Of all tables.
        columns: By database and table.
        rows: By database and table.
    """

    location: str
    line_number: int = 0
    database: str = ""
    encoding: str = "utf-8"
    is_signed: bool = False
    last_line: bytes = b""
    changed_settings: set[bytes] = field(default_factory=set)
    row_count: int = 0
    columns: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    rows: dict[tuple[str, str], list[Row]] = field(default_factory=dict)

    def make_error(self, reason: str) -> SourceError:
        """Return an error about the line that was read last."""
        return SourceError(f"{self.location}: line {self.line_number}", reason)


def read_dump(
    path: Path, forms: Sequence[TableForm], other_panels: Mapping[str, str] | None = None
) -> Tables:
    """Return the rows of the known tables of a dump.

    Args:
        path: The file.
        forms: The tables that a reader needs, with their columns.
        other_panels: Tables that other panels have, with the name of the panel, so that a message
            can say whose dump it seems to be.

    Raises:
        SourceError: The file cannot be read, is cut off, too large, or another panel's.
    """
    progress = _Progress(str(path))
    forms_by_name = {form.name: form for form in forms}
    try:
        with path.open("rb") as file:
            _check_file(file, progress)
            for line in _read_lines(file, progress):
                _take_line(line, file, progress, forms_by_name)
    except OSError as error:
        raise SourceError(str(path), f"{describe_reason(error)}.") from None

    if _is_cut(progress):
        raise progress.make_error(
            "the dump ends without its last line, so it is cut off. Make it again."
        )
    return _choose_database(progress, forms, other_panels or {})


def _is_cut(progress: _Progress) -> bool:
    """Return whether the end of a dump is missing.

    One without comments restores at its end what it has set at its beginning.
    """
    if progress.is_signed:
        return not progress.last_line.startswith(_COMPLETED)
    return bool(progress.changed_settings)


def _check_file(file: BinaryIO, progress: _Progress) -> None:
    """Refuse a file that is too large, packed, or no regular one."""
    size = os.fstat(file.fileno()).st_size
    if size > MOST_BYTES:
        raise SourceError(
            progress.location,
            f"the file has more than {MOST_MEGABYTES} MB. Dump the panel's own database alone.",
        )
    beginning = file.read(8)
    file.seek(0)
    if beginning.startswith(_PACKED):
        raise SourceError(progress.location, "the file is compressed. Unpack it first.")


def _read_lines(file: BinaryIO, progress: _Progress) -> Iterator[bytes]:
    """Yield each line outside of programs, which may hold statements of their own."""
    is_program = False
    while True:
        line = _read_line(file, progress)
        if not line:
            return
        if line.startswith(b"DELIMITER "):
            is_program = line.strip() != b"DELIMITER ;"
        elif not is_program:
            yield line


def _read_line(file: BinaryIO, progress: _Progress) -> bytes:
    """Return the next line; an empty one is the end of the file."""
    line = file.readline(_MOST_STATEMENT)
    progress.line_number += 1
    if len(line) >= _MOST_STATEMENT:
        raise progress.make_error(
            "a statement is larger than 64 MB. mysqldump writes smaller ones."
        )
    if line.strip():
        progress.last_line = line
    return line


def _take_line(
    line: bytes, file: BinaryIO, progress: _Progress, forms: Mapping[str, TableForm]
) -> None:
    """Take what a line begins: a comment, the columns of a table, or rows."""
    if _WRITER.match(line):
        progress.is_signed = True
        return

    create = _CREATE.match(line)
    if create:
        name = _read_name(create)
        progress.columns[progress.database, name] = _read_columns(file, progress)
        return

    insert = _INSERT.match(line)
    if insert:
        _take_insert(insert, line, file, progress, forms)
        return

    use = _USE.match(line)
    if use:
        progress.database = _read_name(use)
    elif b"SET NAMES" in line:
        _take_charset(line, progress)
    else:
        _take_setting(line, progress)


def _take_setting(line: bytes, progress: _Progress) -> None:
    """Note which settings of the server a dump has still to restore."""
    kept = _SETTING_KEPT.match(line)
    if kept:
        progress.changed_settings.add(kept["name"])
    restored = _SETTING_RESTORED.match(line)
    if restored:
        progress.changed_settings.discard(restored["name"])


def _take_charset(line: bytes, progress: _Progress) -> None:
    """Take the encoding of the texts that follow."""
    charset = _CHARSET.search(line)
    if charset:
        progress.encoding = _ENCODINGS.get(charset["charset"].lower(), "utf-8")


def _read_columns(file: BinaryIO, progress: _Progress) -> list[str]:
    """Return the names of a table's columns, from the lines of its CREATE TABLE."""
    columns: list[str] = []
    while True:
        line = _read_line(file, progress)
        if not line:
            raise progress.make_error("the dump ends in a table, so it is cut off. Make it again.")
        if line.startswith(b")"):
            return columns
        column = _COLUMN.match(line)
        if column:
            columns.append(_read_name(column))


def _take_insert(
    insert: re.Match[bytes],
    line: bytes,
    file: BinaryIO,
    progress: _Progress,
    forms: Mapping[str, TableForm],
) -> None:
    """Take the rows of an INSERT of a known table; pass over those of another one."""
    name = _read_name(insert)
    form = forms.get(name)
    if form is None:
        _pass_over(line, file, progress)
        return

    key = (progress.database, name)
    columns = progress.columns.get(key)
    if insert["columns"] is not None:
        columns = [_read_name(match) for match in _COLUMN_NAME.finditer(insert["columns"])]
    if columns is None:
        raise progress.make_error(
            f"the dump does not name the columns of {name}. Make it without --no-create-info."
        )
    check_columns(form, columns, f"{progress.location}: line {progress.line_number}")
    kept = [column for column in form.list_columns() if column in columns]
    kept.sort(key=columns.index)
    positions = [columns.index(column) for column in kept]

    rows = progress.rows.setdefault(key, [])
    statement = _complete(line, file, progress)
    try:
        for count, values in read_rows(statement, insert.end(), positions, progress.encoding):
            if count != len(columns):
                row = format_number_of(count, "value", "values")
                table = format_number_of(len(columns), "column", "columns")
                raise progress.make_error(f"a row of {name} has {row}, and the table {table}.")
            _count_row(progress)
            rows.append(dict(zip(kept, values)))
    except NoRow:
        raise progress.make_error(
            f"a row of {name} cannot be read. The dump is damaged or cut off; make it again."
        ) from None


def _count_row(progress: _Progress) -> None:
    """Count a row, and refuse one too many."""
    progress.row_count += 1
    if progress.row_count > MOST_ROWS:
        raise progress.make_error(
            f"the dump has more than {MOST_ROWS:,} rows of the panel's tables."
        )


def _complete(line: bytes, file: BinaryIO, progress: _Progress) -> bytes:
    """Return a whole statement: mysqldump writes it into one line, other programs into several."""
    parts = [line]
    size = len(line)
    while not _is_ended(parts[-1]):
        addition = _read_line(file, progress)
        size += len(addition)
        if not addition:
            raise progress.make_error("the dump ends in a row, so it is cut off. Make it again.")
        if size > _MOST_STATEMENT:
            raise progress.make_error("a statement is larger than 64 MB.")
        parts.append(addition)
    return b"".join(parts)


def _pass_over(line: bytes, file: BinaryIO, progress: _Progress) -> None:
    """Read up to the end of a statement that nobody needs."""
    while not _is_ended(line):
        line = _read_line(file, progress)
        if not line:
            raise progress.make_error("the dump ends in a row, so it is cut off. Make it again.")


def _is_ended(line: bytes) -> bool:
    """Tell whether a statement ends with this line."""
    return line.rstrip().endswith(b");")


def _read_name(match: re.Match[bytes]) -> str:
    """Return the name that was matched between backquotes."""
    return match["name"].replace(b"``", b"`").decode("utf-8", "replace")


def _choose_database(
    progress: _Progress, forms: Sequence[TableForm], other_panels: Mapping[str, str]
) -> Tables:
    """Return the tables of the one database of the dump that is the panel's."""
    tables = {*progress.columns, *progress.rows}
    needed = [form.name for form in forms if not form.may_lack]
    tables_by_database: dict[str, set[str]] = {}
    for database, table in sorted(tables):
        tables_by_database.setdefault(database, set()).add(table)
    whole = [name for name, owned in tables_by_database.items() if owned.issuperset(needed)]
    if len(whole) > 1:
        names = " and ".join(whole)
        raise SourceError(
            progress.location, f"{names} are both databases of such a panel. Dump one of them."
        )
    if not whole:
        raise _describe_missing_tables(progress.location, tables, needed, other_panels)

    database = whole[0]
    for form in forms:
        columns = progress.columns.get((database, form.name))
        if columns is not None:
            check_columns(form, columns, progress.location)
    existing = [form.name for form in forms if (database, form.name) in tables]
    rows_by_table = {name: progress.rows.get((database, name), []) for name in existing}
    return Tables(rows_by_table, progress.location)


def _describe_missing_tables(
    location: str,
    tables: set[tuple[str, str]],
    needed: Sequence[str],
    other_panels: Mapping[str, str],
) -> SourceError:
    """Return the error that says which tables are missing, or whose dump it seems to be."""
    names = {name for _database, name in tables}
    for table, panel in other_panels.items():
        if table in names:
            return SourceError(location, f"this is a dump of {panel}.", panel)
    missing = [name for name in needed if name not in names]
    if len(missing) == len(needed):
        reason = "none of the panel's tables is in this file. Give a dump of the panel's database."
        return SourceError(location, reason)
    listed = ", ".join(missing or needed)
    reason = f"the dump lacks the tables {listed}. Dump the panel's database as a whole."
    return SourceError(location, reason)

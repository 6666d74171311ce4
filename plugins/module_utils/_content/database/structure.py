# SPDX-License-Identifier: GPL-3.0-or-later
"""Describes the tables of a database, and whether two of them are equal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..content_errors import ContentError
from ..shown_text import show_name
from .definitions import NAME, OLD_FORM, TEXT, list_definitions
from .queries.checksums_query import DigestRow, RowsRow
from .queries.each_table import TableRow
from .queries.rows_commands import could_change_in_dump
from .queries.sql import quote_name
from .queries.structure_query import ColumnRow, DatabaseRow, MergeRow, SequenceRow, ServerRow
from .rows import read_mark

# What follows the columns of a table begins so. The counter is no part of what a table is: it
# goes on with each row, also with one that is deleted again.
_COUNTER = re.compile(rb"\n\) ENGINE=(\w{1,64}) AUTO_INCREMENT=[0-9]{1,20}")
# A server that was older once keeps its old form of times in old tables, and says so here.
_FORM_OF_TYPE = re.compile(rf"{OLD_FORM}\Z")
_TABLE_STATEMENT = re.compile(rb"CREATE (?:TABLE|SEQUENCE) `(?:[^`]|``)*` ")
SEQUENCE = "SEQUENCE"
# A text in quotes, a name, or what takes a value from a sequence. The server writes such a function
# with the name of the database, whatever database is used.
_TOKEN = re.compile(
    rf"{TEXT}|\b(?P<function>nextval|lastval)\((?:(?P<database>{NAME})\.)?(?P<sequence>{NAME})\)"
    rf"|{NAME}",
    re.DOTALL | re.IGNORECASE,
)
# A text in quotes, a name, or what names a table that a key refers to.
_REFERENCE = re.compile(
    rf"{TEXT}|\bREFERENCES (?P<database>{NAME})\.{NAME}"
    rf"|{NAME}",
    re.DOTALL,
)
_FUNCTION_OF_SEQUENCE = re.compile(r"\b(?:nextval|lastval|setval)\(", re.IGNORECASE)
Parts = dict[str, list[list[Any]]]
"""By the name of a part of a table what the server lists of it."""


@dataclass(frozen=True)
class Checksum:
    """Says what the rows of a table are.

    rows: Their number.
    checksum: What CHECKSUM TABLE says.
    digest: The sum of a checksum of each row that keeps its columns apart.
    """

    rows: int
    checksum: str
    digest: int


@dataclass(frozen=True)
class Digest:
    """Says what the rows of a table are, by their values.

    rows: Their number.
    digested: How many of them the server could digest.
    sums: Of the digests of all rows.
    """

    rows: int
    digested: int
    sums: tuple[int, int]

    def proves_equal(self, other: Digest) -> bool:
        """Return whether two tables have the same rows; False where one of them is not known."""
        return self.digested == self.rows and self == other


@dataclass(frozen=True)
class Table:
    """Describes a table or a sequence.

    statement: Makes it.
    kind: BASE TABLE, SEQUENCE or SYSTEM VERSIONED.
    columns: As the server lists them.
    parts: Its options, indexes, references, checks and partitions, by which, as the server lists
        them.
    position: Of a sequence: the next number, and how often it began anew.
    """

    name: str
    kind: str
    statement: bytes
    columns: tuple[ColumnRow, ...] = ()
    parts: Mapping[str, list[list[Any]]] = field(default_factory=dict)
    position: tuple[int, int] = (0, 0)

    @property
    def comparable_statement(self) -> bytes:
        """Return the statement without what goes on with the rows."""
        return _COUNTER.sub(rb"\n) ENGINE=\1", self.statement)

    @property
    def is_changed_by_dump(self) -> bool:
        """Return whether a dump could hold other values than the table has."""
        return any(could_change_in_dump(column) for column in self.columns)

    @property
    def has_foreign_sequence(self) -> bool:
        """Return whether a default uses a sequence of another database, or sets one."""
        defaults = [column.default for column in self.columns if column.default]
        expressions = [_TOKEN.sub(_keep_foreign, default) for default in defaults]

        return any(_FUNCTION_OF_SEQUENCE.search(expression) for expression in expressions)

    @property
    def has_foreign_key_elsewhere(self) -> bool:
        """Return whether a foreign key refers to a table of another database.

        The server names the database in its statement only then.
        """
        text = self.statement.decode("utf-8", "surrogateescape")

        return any(token["database"] for token in _REFERENCE.finditer(text))

    @property
    def trial_statement(self) -> bytes:
        """Return a statement that the server can read before there are sequences."""
        text = self.statement.decode("utf-8", "surrogateescape")

        return _TOKEN.sub(_replace_value, text).encode("utf-8", "surrogateescape")

    def find_difference(self, target: Table) -> str:
        """Return in which parts a table of the target is another one; empty for none.

        Servers of different releases show one table by different statements. Where they do, the
        lists of the server and the lines of both statements decide together: each knows what the
        other does not.
        """
        if self.comparable_statement == target.comparable_statement and self.kind == target.kind:
            return ""

        names = sorted({*self.parts, *target.parts})
        unequal = [name for name in names if self.parts.get(name) != target.parts.get(name)]
        if self.columns != target.columns:
            unequal = sorted([*unequal, "columns"])
        if self.kind != target.kind:
            unequal = ["kind"]
        if not unequal and list_definitions(self.statement) != list_definitions(target.statement):
            unequal = ["definition"]

        return ", ".join(unequal)


@dataclass(frozen=True)
class Structure:
    """Describes a database without its rows and programs.

    version: Of the server.
    case: How the server treats upper and lower case of names (``lower_case_table_names``).
    is_dump_whole: Whether the server answers whatever mariadb-dump asks for, and all of it.
    character_set, collation: Of the database itself.
    tables: By name, without MERGE tables.
    merge_tables: The names of these.
    """

    version: str
    case: int
    is_dump_whole: bool
    character_set: str
    collation: str
    tables: Mapping[str, Table]
    merge_tables: frozenset[str] = frozenset()


def read_structure(rows: list[list[bytes]], name: str) -> Structure:
    """Return the tables of a database from the rows that show them.

    Args:
        rows: What the client printed.
        name: The database, whose name its own sequences do not keep in defaults.

    Raises:
        ContentError: They show something else.
    """
    structure_rows = _StructureRows()
    for mark, statement_rows in _split_rows(rows):
        structure_rows.add(mark, statement_rows)

    tables = [_shorten_sequences(table, name) for table in structure_rows.tables]
    server = ServerRow(*structure_rows.heads["server"])
    database = DatabaseRow(*structure_rows.heads["database"])

    return Structure(
        version=str(server.version),
        case=int(server.case),
        is_dump_whole=bool(server.is_dump_whole),
        character_set=database.character_set,
        collation=database.collation,
        tables={table.name: table for table in tables},
        merge_tables=frozenset(structure_rows.merge_tables),
    )


@dataclass
class _StructureRows:
    """Collects what the rows of a database show, which come one after the other.

    heads: The rows about the server and the database.
    columns: By the names of their tables, which come later.
    parts: By the names of their tables, which come later.
    tables: As the server has them.
    merge_tables: The names of the MERGE tables.
    """

    heads: dict[str, list[Any]] = field(default_factory=dict)
    columns: dict[str, list[ColumnRow]] = field(default_factory=dict)
    parts: dict[str, Parts] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)
    merge_tables: set[str] = field(default_factory=set)

    def add(self, mark: list[Any], statement_rows: list[list[bytes]]) -> None:
        """Add what a mark shows. statement_rows: the rows that belong to it."""
        kind = mark[0]
        if kind in ("server", "database"):
            self.heads[kind] = mark[1:]
            return
        if kind == "merge":
            self.merge_tables.add(MergeRow(*mark[1:]).name)
            return
        if kind == "column":
            column = _read_column(mark)
            self.columns.setdefault(column.table, []).append(column)
            return
        if kind == "table":
            self.tables.append(_read_table(mark, statement_rows, self.columns, self.parts))
            return

        parts_of_table = self.parts.setdefault(mark[1], {})
        parts_of_table.setdefault(_NAMES_OF_PARTS[kind], []).append(mark[2:])


def _read_table(
    mark: list[Any],
    statement_rows: list[list[bytes]],
    columns: Mapping[str, list[ColumnRow]],
    parts: Mapping[str, Parts],
) -> Table:
    """Return a table, whose columns and parts come before it.

    Args:
        mark: The row that says which table it is.
        statement_rows: The rows of its statement.
        columns: The columns that were read, by the names of their tables.
        parts: The parts that were read, by the names of their tables.
    """
    row = TableRow(*mark[1:])
    return Table(
        row.name,
        row.kind,
        statement_rows[0][1],
        tuple(sorted(columns.get(row.name, []), key=repr)),
        _sort_parts(parts.get(row.name, {})),
        _read_position(row, statement_rows),
    )


def _shorten_sequences(table: Table, name: str) -> Table:
    """Return a table that names the sequences of its own database without the database."""
    quoted = quote_name(name)

    def shorten(token: re.Match[str]) -> str:
        if token["function"] and token["database"] == quoted:
            return f"{token['function']}({token['sequence']})"
        return token[0]

    columns: list[ColumnRow] = []
    for column in table.columns:
        if column.default:
            column = column._replace(default=_TOKEN.sub(shorten, column.default))
        columns.append(column)
    statement = _TOKEN.sub(shorten, table.statement.decode("utf-8", "surrogateescape"))

    return replace(
        table, statement=statement.encode("utf-8", "surrogateescape"), columns=tuple(columns)
    )


def _keep_foreign(token: re.Match[str]) -> str:
    """Return what of a default uses a sequence of another database."""
    return token[0] if token["function"] and token["database"] else ""


def _replace_value(token: re.Match[str]) -> str:
    """Return a number in place of a value of a sequence of the same database."""
    return "0" if token["function"] and not token["database"] else token[0]


def _split_rows(rows: list[list[bytes]]) -> Iterator[tuple[list[Any], list[list[bytes]]]]:
    """Yield each mark with the rows that follow it and are none.

    Raises:
        ContentError: There is no mark where one has to be.
    """
    position = 0
    while position < len(rows):
        mark = read_mark(rows[position])
        if mark is None:
            raise ContentError("the database server shows a table in rows that are none.")
        begin = position + 1
        position = begin + _count_rows(mark)
        yield mark, rows[begin:position]


def _count_rows(mark: list[Any]) -> int:
    """Return how many rows belong to a mark: the statement of a table, the position of a sequence."""
    if mark[0] != "table":
        return 0

    return 2 if TableRow(*mark[1:]).kind == SEQUENCE else 1


def read_checksums(rows: list[list[bytes]]) -> dict[str, Checksum]:
    """Return the number of rows and the checksum of each table, by its name.

    Raises:
        ContentError: A table cannot be read.
    """
    checksums: dict[str, Checksum] = {}
    for position in range(0, len(rows) - 2, 3):
        table = _read_table_row(rows[position]).name
        counted = RowsRow(*(read_mark(rows[position + 1]) or ["", 0, 0])[1:])
        checksum = rows[position + 2][-1].decode("ascii", "replace")
        if not checksum.isdigit():
            raise ContentError(f"the rows of the table {show_name(table)} cannot be read.")
        checksums[table] = Checksum(int(counted.rows), checksum, int(counted.digest))

    return checksums


def read_digests(rows: list[list[bytes]]) -> dict[str, Digest]:
    """Return the digest of the rows of each table, by its name.

    Raises:
        ContentError: A table cannot be read.
    """
    digests: dict[str, Digest] = {}
    for position in range(0, len(rows) - 1, 2):
        table = _read_table_row(rows[position]).name
        values = (read_mark(rows[position + 1]) or [""])[1:]
        if len(values) != len(DigestRow._fields):
            raise ContentError(f"the rows of the table {show_name(table)} cannot be read.")
        digest = DigestRow(*values)
        sums = (int(digest.first_sum), int(digest.second_sum))
        digests[table] = Digest(int(digest.rows), int(digest.digested), sums)

    return digests


def make_table_statements(table: Table, is_tried: bool = False) -> list[bytes]:
    """Return the statements that make a table, each to be carried out by the server alone.

    Args:
        table: The table.
        is_tried: Whether the server only reads them, before there are sequences.

    Raises:
        ContentError: The source shows something that makes no table.
    """
    if not _TABLE_STATEMENT.match(table.statement):
        raise ContentError(f"the source shows no statement for the table {show_name(table.name)}.")

    statements = [table.trial_statement if is_tried else table.statement]
    if table.kind == SEQUENCE:
        number, rounds = table.position
        name = quote_name(table.name)
        statements.append(f"DO SETVAL({name}, {number}, 0, {rounds})".encode())

    return statements


_NAMES_OF_PARTS = {
    "options": "options",
    "index": "indexes",
    "reference": "keys",
    "rule": "rules of keys",
    "check": "checks",
    "partition": "partitions",
}


def _read_table_row(row: list[bytes]) -> TableRow:
    return TableRow(*(read_mark(row) or ["", "", ""])[1:])


def _read_column(mark: list[Any]) -> ColumnRow:
    """Return a column without the form of its type, in which servers of one table may differ."""
    column = ColumnRow(*mark[1:])

    return column._replace(type=_FORM_OF_TYPE.sub("", str(column.type)))


def _sort_parts(parts: Mapping[str, list[list[Any]]]) -> dict[str, list[list[Any]]]:
    """Return the parts of a table in an order that no server decides."""
    return {name: sorted(lists, key=repr) for name, lists in parts.items()}


def _read_position(table: TableRow, rows: list[list[bytes]]) -> tuple[int, int]:
    """Return the next number of a sequence, and how often it began again; zeros for a table."""
    if table.kind != SEQUENCE:
        return 0, 0
    sequence = SequenceRow(*(read_mark(rows[1]) or ["", 0, 0])[1:])

    return int(sequence.number), int(sequence.rounds)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables as spreadsheets save them: CSV or TSV in UTF-8, whose first line names the columns."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ansible.parsing.vault import VaultLib

from ...module_utils._problems import Problem
from ...module_utils._values.near_names import SURELY_MEANT, find_like_word
from .._folder.yaml_file import NotRead, describe_mistake_in_file, read_text

_SEPARATORS = ";,\t"
# What Excel reads and writes before the columns: sep=;
_SEPARATOR_LINE = re.compile(r'[\r\n ]*"?sep=([^\r\n]?)"?[ \t]*(?:\r\n?|\n|\Z)', re.IGNORECASE)
# What makes Excel keep leading zeros: ="0123"
_TEXT_FORMULA = re.compile(r'="([^"]*)"')
_LINE_END = re.compile(r"\r\n?|\n")
_QUOTES = (
    "a quote is not closed in this line, or text follows a closed one. "
    "A cell has no line breaks, and a quote within quotes is written twice."
)
_NUL = "a NUL character is in this line. Save the file in UTF-8."
_LONG_CELL = "a cell has more than {limit:,} characters. Shorten it."


class _WrongLine(Exception):
    """The cells of a line cannot be read. sentence: why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class TableMistake(NamedTuple):
    """What is wrong with a table.

    line: 0 for all of it. problem: has the file and line.
    """

    line: int
    problem: Problem


class Table(NamedTuple):
    """A table as it was read.

    Attributes:
        columns: In lower case and with underscores.
        rows: The line of each, and by column the cells that are not empty.
        mistakes: What is wrong with the form of the file.
        header_line: The line of the columns.
    """

    columns: list[str]
    rows: list[tuple[int, dict[str, str]]]
    mistakes: list[TableMistake]
    header_line: int = 1


def describe_mistake_in_line(
    name: str, line: int, problem: str, username: str = ""
) -> TableMistake:
    """Return what is wrong in a line of a table.

    Args:
        name: What messages call the file.
        line: The line; 0 for all of the file.
        problem: What is wrong.
        username: Of the customer in the line; empty if it is not known.
    """
    title = f"{name}: line {line}" if line else name
    if username:
        title = f"{title} ({username})"
    return TableMistake(line, describe_mistake_in_file(title, problem))


def read_table(path: Path, name: str, vault: VaultLib) -> Table:
    """Read the rows of a file, with all mistakes in their form.

    Args:
        path: The file, which may be encrypted as a whole.
        name: What messages call it.
        vault: Decrypts it.
    """
    try:
        text = read_text(path, vault)[0]
    except NotRead as error:
        return Table([], [], [describe_mistake_in_line(name, error.line, error.sentence)])

    separator = ""
    first_line = 1
    match = _SEPARATOR_LINE.match(text)
    if match:
        separator = match[1]
        first_line += len(_LINE_END.findall(match[0]))
        if separator not in tuple(_SEPARATORS):
            problem = (
                "sep= must name a comma, a semicolon or a tab, the separator of the lines below it."
            )
            return Table([], [], [describe_mistake_in_line(name, max(first_line - 1, 1), problem)])
        # Two programs that are joined write a mark each.
        text = text[match.end() :].removeprefix("\ufeff")
    return _read_rows(text, name, first_line, separator)


def _read_rows(text: str, name: str, first_line: int, separator: str) -> Table:
    """Read the table in a text, up to the first line whose cells cannot be read.

    Args:
        text: What is below the line that names the separator.
        name: What messages call the file.
        first_line: The number of the first line of the text.
        separator: Empty if the names of the columns tell it.
    """
    header = _LINE_END.split(text.lstrip("\r\n "), maxsplit=1)[0]
    separator = separator or max(_SEPARATORS, key=header.count)
    table = Table([], [], [])
    for line, line_text in enumerate(_LINE_END.split(text), first_line):
        try:
            cells = _split_cells(line_text, separator)
        except _WrongLine as error:
            # The lines below may continue this one.
            table.mistakes.append(describe_mistake_in_line(name, line, error.sentence))
            break
        table = _with_row(table, name, line, cells)

    if not table.columns and not table.mistakes:
        table.mistakes.append(
            describe_mistake_in_line(
                name, 0, "the file is empty. Its first line names the columns."
            )
        )
    return table


def _split_cells(line_text: str, separator: str) -> list[str]:
    """Return the cells of one line. Raises _WrongLine.

    Each line is read alone. Two quotes too many in different lines would otherwise make one cell of
    all rows between them.
    """
    if "\0" in line_text:
        raise _WrongLine(_NUL)
    try:
        rows = list(_read_csv_rows(line_text, separator, strict=True))
    except csv.Error:
        raise _WrongLine(_find_problem(line_text, separator)) from None
    return [_read_cell(cell) for cells in rows for cell in cells]


def _read_cell(cell: str) -> str:
    """Return the text of a cell, without what makes a spreadsheet keep it as one."""
    text = cell.strip()
    formula = _TEXT_FORMULA.fullmatch(text)
    return formula[1].strip() if formula else text


def _find_problem(line_text: str, separator: str) -> str:
    """Return why the cells of a line cannot be read."""
    try:
        list(_read_csv_rows(line_text, separator, strict=False))
    except csv.Error:
        # Only a cell that is too long is a mistake in this reading.
        return _LONG_CELL.format(limit=csv.field_size_limit())
    return _QUOTES


def _read_csv_rows(line_text: str, separator: str, strict: bool) -> Iterator[list[str]]:
    return csv.reader([line_text], delimiter=separator, strict=strict, skipinitialspace=True)


def _with_row(table: Table, name: str, line: int, cells: list[str]) -> Table:
    """Return the table with one more row; the first one that is not empty names the columns."""
    while cells and not cells[-1]:
        cells.pop()
    if not cells:
        return table
    if not table.columns:
        return _with_header(table, name, line, cells)

    if len(cells) > len(table.columns):
        sentence = "more cells than the first line has. Put a string with a separator in quotes."
        table.mistakes.append(describe_mistake_in_line(name, line, sentence))
    else:
        row = {column: cell for column, cell in zip(table.columns, cells) if cell}
        table.rows.append((line, row))
    return table


def _with_header(table: Table, name: str, line: int, cells: Iterable[str]) -> Table:
    """Return the table with the columns that a row names."""
    columns = [normalize_column_name(cell) for cell in cells]
    repeated = {column for column in columns if column and columns.count(column) > 1}
    problems = [f"column {column} is there twice." for column in sorted(repeated)]
    mistakes = [describe_mistake_in_line(name, line, problem) for problem in problems]
    return Table(columns, [], [*table.mistakes, *mistakes], line)


def normalize_column_name(text: str) -> str:
    """Return the name of a column in one spelling.

    First name, first-name and FIRST_NAME are first_name.
    """
    return re.sub(r"[\s_-]+", "_", text.strip().casefold())


def format_columns(names: Iterable[str]) -> str:
    """Return names of columns for a message, with invisible letters written out: they make another
    column of one that looks right."""
    return ", ".join(name if name.isprintable() else ascii(name) for name in names)


def describe_unknown_columns(present: Iterable[str], columns: Collection[str]) -> str:
    """Return which columns of a table are not read, in a sentence; empty if all are.

    Args:
        present: The columns of the table. One without a name is passed over.
        columns: The columns that are read.
    """
    unknown = [column for column in present if column and column not in columns]
    if not unknown:
        return ""
    ending = _ask_for_near_columns(unknown, columns)
    return (
        f"unknown columns: {format_columns(unknown)}{ending} The columns are {', '.join(columns)}."
    )


def _ask_for_near_columns(unknown: Iterable[str], columns: Iterable[str]) -> str:
    """Return the end of a sentence about unknown columns: a question where a column is near."""
    candidates = list(columns)
    near_columns = [find_like_word(column, candidates, SURELY_MEANT) for column in unknown]
    names = dict.fromkeys(filter(None, near_columns))
    if not names:
        return "."
    return f"; did you mean {' and '.join(names)}?"

# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables as spreadsheets save them: CSV or TSV in UTF-8, whose first line names the columns. Private to the collection."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import NamedTuple

from ansible.parsing.vault import VaultLib

from .._folder.yaml_file import NotRead, read_text

_SEPARATORS = ";,\t"
# What Excel reads and writes before the columns: sep=;
_SEPARATOR_LINE = re.compile(r'[\r\n ]*"?sep=([^\r\n]?)"?[ \t]*(?:\r\n?|\n|\Z)', re.IGNORECASE)
_LINE_END = re.compile(r"\r\n?|\n")
_QUOTES = "a quote is not closed, or text follows a closed one. Write a quote within quotes twice."


class TableMistake(NamedTuple):
    """What is wrong with a table. line: 0 for all of it. sentence: starts with the file and line."""

    line: int
    sentence: str


class Table(NamedTuple):
    """A table as it was read.

    columns: In lower case and with underscores. header_line: Theirs.
    rows: The line of each, and by column the cells that are not empty.
    """

    columns: list[str]
    rows: list[tuple[int, dict[str, str]]]
    mistakes: list[TableMistake]
    header_line: int = 1


def mistake_at(name: str, line: int, problem: str, username: str = "") -> TableMistake:
    """Word what is wrong in a line of a table. username: of the customer in it, where it is known."""
    place = f"{name}: line {line}" if line else name
    return TableMistake(line, f"{place} ({username}): {problem}" if username else f"{place}: {problem}")


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
        return Table([], [], [mistake_at(name, error.line, str(error))])

    separator = ""
    first_line = 1
    match = _SEPARATOR_LINE.match(text)
    if match:
        separator = match[1]
        first_line += len(_LINE_END.findall(match[0]))
        if separator not in tuple(_SEPARATORS):
            problem = "sep= must name a comma, a semicolon or a tab, the separator of the lines below it."
            return Table([], [], [mistake_at(name, max(first_line - 1, 1), problem)])
        text = text[match.end() :]
    return _read_rows(text, name, first_line, separator)


def _read_rows(text: str, name: str, first_line: int, separator: str) -> Table:
    """The table in a text. first_line: the number of its first line. separator: empty where the names of the columns tell it."""
    header = _LINE_END.split(text.lstrip("\r\n "), maxsplit=1)[0]
    separator = separator or max(_SEPARATORS, key=header.count)
    table = Table([], [], [])
    line = first_line
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for cells in reader:
            table = _with_row(table, name, line, [cell.strip() for cell in cells])
            line = first_line + reader.line_num
    except csv.Error:
        table.mistakes.append(mistake_at(name, line, _QUOTES))
    if not table.columns and not table.mistakes:
        table.mistakes.append(mistake_at(name, 0, "the file is empty. Its first line names the columns."))
    return table


def _with_row(table: Table, name: str, line: int, cells: list[str]) -> Table:
    """The table with one more row; the first one that is not empty names the columns."""
    while cells and not cells[-1]:
        cells.pop()
    if not cells:
        return table
    if not table.columns:
        columns = [column_name(cell) for cell in cells]
        twice = {column for column in columns if column and columns.count(column) > 1}
        mistakes = [mistake_at(name, line, f"column {column} is there twice.") for column in sorted(twice)]
        return Table(columns, [], [*table.mistakes, *mistakes], line)
    if len(cells) > len(table.columns):
        sentence = "more cells than the first line has. Put a string with a separator in quotes."
        table.mistakes.append(mistake_at(name, line, sentence))
    else:
        table.rows.append((line, {column: cell for column, cell in zip(table.columns, cells) if cell}))
    return table


def column_name(text: str) -> str:
    """The name of a column in one spelling: First name, first-name and FIRST_NAME are first_name."""
    return re.sub(r"[\s_-]+", "_", text.strip().casefold())

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file of comma-separated values, as any spreadsheet writes it. Private to the collection."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ansible.parsing.vault import VaultLib

from .._run.controller_files import VAULT_HEADER, read_regular, reason_of
from .places import Place
from .text_lines import place_of
from .vault_text import NotDecrypted, decrypted

_DELIMITERS = ";,\t"
# Excel tells itself with such a first line what separates the cells.
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?')
TOO_MANY_CELLS = "has more cells than the first line; put a text with a separator in quotes."
_NO_UTF_8 = "the file is not in UTF-8. Save it as CSV UTF-8."
_QUOTES = "a text in quotes has no end, or goes on behind it. Close it, and write a quote within it twice."
_REASONS = {
    "field larger": f"a cell has more than {csv.field_size_limit()} characters. Perhaps a quote before them is not closed.",
    "NUL": "it holds a NUL character. Remove it.",
}


class TableError(Exception):
    """The file is no table; the text is a sentence for a person."""


class Row(NamedTuple):
    """line: in which it begins, counted from 1. cells: without the blanks around them, as many as there are columns at most."""

    line: int
    cells: list[str]
    has_more_cells: bool = False


class Table(NamedTuple):
    """header: the names of the columns as they are written. line: of the header. rows: without those whose cells are all empty.

    is_vaulted: whether the file was encrypted.
    """

    header: list[str]
    line: int
    rows: list[Row]
    is_vaulted: bool = False


def read_table(path: str, columns: Collection[str], vault: VaultLib | None = None) -> Table:
    """A file in UTF-8 whose first line names its columns, separated by commas, semicolons or tabs. Raises TableError.

    columns: names that are sought in the first line, by which it is told what separates the cells. vault: for a file that may be encrypted.
    """
    try:
        content = read_regular(path)
        is_vaulted = content.startswith(VAULT_HEADER)
        if vault is not None and is_vaulted:
            content = decrypted(vault, content)
        if b"\0" in content[:2]:  # as UTF-16 has it without a mark of its own
            raise TableError(f"{Place(1, 1)}: {_NO_UTF_8}")
        rows = _rows(content.decode("utf-8-sig"), {column.strip().casefold() for column in columns})
    except OSError as error:
        raise TableError(f"{reason_of(error)}.") from None
    except NotDecrypted as error:
        raise TableError(str(error)) from None
    except UnicodeDecodeError as error:
        raise TableError(f"{place_of(error)}: {_NO_UTF_8}") from None
    if not rows:
        raise TableError("the file is empty; its first line has to name the columns.")
    (line, header), *others = rows
    count = len(header)
    found = [Row(line, cells[:count], any(cells[count:])) for line, cells in others if any(cells)]
    return Table(header, line, found, is_vaulted)


def _rows(text: str, columns: Collection[str]) -> list[tuple[int, list[str]]]:
    """The rows with the numbers of their lines; the first of them names the columns."""
    lines = text.splitlines(keepends=True)
    start = _first(lines, 0)
    separator = _SEPARATOR_LINE.fullmatch(lines[start].strip()) if start < len(lines) else None
    if separator:
        start = _first(lines, start + 1)
    if start >= len(lines):
        return []
    rows = []
    first = start + 1
    try:
        delimiter = separator[1] if separator else _delimiter(lines[start], columns)
        reader = csv.reader(io.StringIO("".join(lines[start:]), newline=""), delimiter=delimiter, strict=True)
        for row in reader:
            rows.append((first, [cell.strip() for cell in row]))
            first = start + reader.line_num + 1
    except csv.Error as error:
        # Where the row begins: a quote that nothing closes takes in lines that are right.
        reason = next((why for words, why in _REASONS.items() if words in str(error)), _QUOTES)
        raise TableError(f"line {first}: cannot be read as comma-separated values: {reason}") from None
    return rows


def _first(lines: Sequence[str], start: int) -> int:
    """The place of the first line from ``start`` on that is not blank."""
    return next((index for index in range(start, len(lines)) if lines[index].strip()), len(lines))


def _delimiter(header: str, columns: Collection[str]) -> str:
    """The one that makes most of the wanted columns cells of their own, else the one that makes most cells."""

    def fitness(delimiter: str) -> tuple[int, int]:
        cells = [cell.strip().casefold() for cell in next(csv.reader([header], delimiter=delimiter))]
        return len(set(columns).intersection(cells)), len(cells)

    return max(_DELIMITERS, key=fitness)

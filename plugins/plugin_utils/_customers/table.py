# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a table as spreadsheets save it: CSV or TSV in UTF-8, also encrypted with Ansible Vault. Private to the collection."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ansible.parsing.vault import VaultLib

from .._folder.yaml_file import NotRead, read_text

SUFFIXES = (".csv", ".tsv")
_DELIMITERS = ";,\t"
_QUOTES = "a quote is not closed, or a text goes on behind one. Write a quote within quotes twice."


class Row(NamedTuple):
    """cells: by column, without empty ones and without blanks around them."""

    line: int
    cells: dict[str, str]


@dataclass
class Table:
    """columns: in lower case and with underscores, as often as they are there. mistakes: sentences that start with the file and line."""

    columns: list[str]
    rows: list[Row]
    mistakes: list[str]


def read_table(path: Path, name: str, vault: VaultLib) -> Table:
    """The rows with all mistakes in their form; never raises. name: of the file in messages."""
    table = Table([], [], [])
    try:
        _fill(table, name, read_text(path, vault)[0])
    except NotRead as error:
        place = f"{name}: line {error.line}" if error.line else name
        table.mistakes.append(f"{place}: {error}")
    return table


def _fill(table: Table, name: str, text: str) -> None:
    for line, cells in _lines(table, name, text):
        if not table.columns:
            table.columns += [re.sub(r"[\s_-]+", "_", cell.casefold()) for cell in cells]
            twice = {column for column in table.columns if column and table.columns.count(column) > 1}
            table.mistakes += [f"{name}: line {line}: column {one} is there twice." for one in twice]
        elif len(cells) > len(table.columns):
            sentence = "more cells than the first line has. Put a text with a separator in quotes."
            table.mistakes.append(f"{name}: line {line}: {sentence}")
        else:
            table.rows.append(Row(line, {column: cell for column, cell in zip(table.columns, cells) if cell}))
    if not table.columns and not table.mistakes:
        table.mistakes.append(f"{name}: the file is empty. Its first line names the columns.")


def _lines(table: Table, name: str, text: str) -> Iterator[tuple[int, list[str]]]:
    """The lines that have a cell, each with its number and without empty cells at the end."""
    header = text.lstrip("\r\n ").partition("\n")[0]
    first = 1
    try:
        delimiter = max(_DELIMITERS, key=header.count)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        for cells in reader:
            found = [cell.strip() for cell in cells]
            while found and not found[-1]:
                found.pop()
            if found:
                yield first, found
            first = reader.line_num + 1
    except csv.Error:
        table.mistakes.append(f"{name}: line {first}: {_QUOTES}")

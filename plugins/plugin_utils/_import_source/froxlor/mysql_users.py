# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the users of a database server, which froxlor's own database and API do not show."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from ....module_utils._problems import format_number_of
from ..._run.controller_files import describe_reason, read_regular
from ..source_tables import MOST_ROWS, Row, SourceError, Tables

MYSQL_USERS_FILE = "mysql_user.tsv"
_HASH = "authentication_string"
_COLUMNS = {3: ("User", "Host", _HASH), 4: ("User", "Host", "plugin", _HASH)}
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
# What a letter behind a backslash stands for in what `mysql --batch` writes.
_ESCAPES = {"0": "\0", "n": "\n", "t": "\t"}


def find_mysql_users(source: Path) -> Path | None:
    """Return the file with the users of the database server.

    Args:
        source: A dump, which has it beside it, or a folder of answers, in or beside which it is.
    """
    for folder in (source, source.parent):
        path = folder / MYSQL_USERS_FILE
        if path.is_file():
            return path
    return None


def add_users_beside(tables: Tables, source: Path) -> Tables:
    """Return tables with the users of the database server, if a file beside the source has them.

    Args:
        tables: Those of the panel.
        source: Its dump, or its folder of answers.

    Raises:
        SourceError: The file cannot be read, or is something else.
    """
    path = find_mysql_users(source)
    if path is None:
        return tables
    return add_mysql_users(tables, path)


def add_mysql_users(tables: Tables, path: Path) -> Tables:
    """Return tables with the users of the database server.

    Args:
        tables: Those of the panel.
        path: What `mysql --batch` wrote of User, Host and authentication_string of mysql.user.

    Raises:
        SourceError: The file cannot be read, or is something else.
    """
    try:
        content = read_regular(path)
    except OSError as error:
        raise SourceError(str(path), f"{describe_reason(error)}.") from None
    rows = _read_rows(content.decode("utf-8", "surrogateescape"), str(path))
    return replace(tables, rows_by_table={**tables.rows_by_table, "mysql_user": rows})


def _read_rows(text: str, location: str) -> list[Row]:
    """Return a row for each line behind the one with the names of the columns."""
    lines = [line.rstrip("\r") for line in text.lstrip("\ufeff").split("\n")]
    lines = [line for line in lines if line]
    if not lines:
        return []
    if len(lines) > MOST_ROWS:
        raise SourceError(location, f"the file has more than {MOST_ROWS:,} lines.")

    columns, has_names = _read_columns(lines[0], location)
    rows: list[Row] = []
    for number, line in enumerate(lines[has_names:], start=1 + has_names):
        values = line.split("\t")
        if len(values) != len(columns):
            written = format_number_of(len(values), "value", "values")
            raise SourceError(
                f"{location}: line {number}",
                f"it has {written}, and the file {len(columns)} columns. "
                "It may be cut off; make it again.",
            )
        rows.append({name: _unescape(value) for name, value in zip(columns, values)})
    return rows


def _read_columns(line: str, location: str) -> tuple[tuple[str, ...], bool]:
    """Return the columns of the file, and whether its first line names them."""
    spellings = {name.lower(): name for name in ("User", "Host", "plugin", _HASH)}
    titles = [title.strip().lower() for title in line.split("\t")]
    if "user" in titles:
        columns = tuple(spellings.get(title, title) for title in titles)
    else:
        columns = _COLUMNS.get(len(titles), ())
    if not {"User", "Host", _HASH}.issubset(columns):
        raise SourceError(
            location, f"the columns of this file are not User, Host and {_HASH} of mysql.user."
        )
    return columns, "user" in titles


def _unescape(value: str) -> str:
    """Return what a value stands for."""
    if value == "NULL":
        return ""
    return _ESCAPED.sub(lambda match: _ESCAPES.get(match[1], match[1]), value)

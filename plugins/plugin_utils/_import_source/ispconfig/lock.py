# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what ISPConfig noted when it locked a client: which rows were off already.

The panel keeps it as PHP serialises arrays. Only arrays, texts, numbers, switches and null are
read, and nothing is evaluated: an object is an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_MOST_BYTES = 16 * 1024 * 1024  # what the column can hold
_MOST_LEVELS = 8
_ARRAY = re.compile(rb"a:(\d{1,7}):\{")
_TEXT = re.compile(rb's:(\d{1,8}):"')
_SCALAR = re.compile(rb"(?:i:(-?\d{1,19})|b:([01])|d:([-+.0-9A-Za-z]{1,40})|N);")


@dataclass(frozen=True)
class Lock:
    """What was off when a client was locked: columns by row, by table."""

    columns_by_row: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)

    def names(self, table: str, row_id: str, column: str) -> bool:
        """Tell whether a column of a row was switched off before the lock."""
        return column in self.columns_by_row.get(table, {}).get(row_id, {})


def read_lock(text: str) -> Lock:
    """Return what the panel noted; an empty text notes nothing.

    Raises:
        ValueError: The text is no such note.
    """
    if not text.strip():
        return Lock()
    content = text.encode("utf-8", "surrogateescape")
    if len(content) > _MOST_BYTES:
        raise ValueError("too long")
    note = read_serialized(content)
    if not isinstance(note, dict):
        raise ValueError("no array")
    tables = note.get("prev_active", {})
    if not isinstance(tables, dict):
        raise ValueError("no array")

    columns_by_row = {}
    for table, rows in tables.items():
        if not isinstance(rows, dict):
            raise ValueError("no array")
        columns_by_row[table] = {
            row_id: columns for row_id, columns in rows.items() if isinstance(columns, dict)
        }
    return Lock(columns_by_row)


def read_serialized(content: bytes) -> Any:
    """Return what PHP serialised: dictionaries with keys of text, and plain values.

    Raises:
        ValueError: It is none, or holds an object or too many levels.
    """
    value, end = _read_value(content, 0, 0)
    if content[end:].strip():
        raise ValueError("more than one value")
    return value


def _read_value(content: bytes, offset: int, level: int) -> tuple[Any, int]:
    """Return the value at an offset, and where it ends."""
    array = _ARRAY.match(content, offset)
    if array:
        return _read_array(content, array, level)

    text = _TEXT.match(content, offset)
    if text:
        start = text.end()
        end = start + int(text[1])
        if content[end : end + 2] != b'";':
            raise ValueError("a text has another length")
        return content[start:end].decode("utf-8", "surrogateescape"), end + 2

    plain = _SCALAR.match(content, offset)
    if not plain:
        raise ValueError("no value")
    number = plain[1] or plain[2] or plain[3]
    return None if number is None else number.decode("ascii"), plain.end()


def _read_array(content: bytes, array: re.Match[bytes], level: int) -> tuple[dict[str, Any], int]:
    """Return an array, and where it ends."""
    if level >= _MOST_LEVELS:
        raise ValueError("too many levels")

    values: dict[str, Any] = {}
    offset = array.end()
    for _entry in range(int(array[1])):
        key, offset = _read_value(content, offset, level + 1)
        if not isinstance(key, str):
            raise ValueError("a key is none")
        values[key], offset = _read_value(content, offset, level + 1)
    if content[offset : offset + 1] != b"}":
        raise ValueError("an array has another length")
    return values, offset + 1

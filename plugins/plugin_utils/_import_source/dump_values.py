# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes the rows of an INSERT apart, as mysqldump writes them. Nothing is executed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

# One value: a string with or without introducer, a hexadecimal one, NULL, or a number.
_VALUE = re.compile(
    rb"""\s*
    (?:
        (?:_[A-Za-z0-9]+\s*)?'(?P<text>(?:[^'\\]|\\.|'')*)'
      | (?:_[A-Za-z0-9]+\s*)?0[xX](?P<digits>[0-9A-Fa-f]+)
      | (?:_[A-Za-z0-9]+\s*)?[xX]'(?P<quoted>[0-9A-Fa-f]*)'
      | (?P<null>NULL)
      | (?P<number>[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)
    )
    \s*(?P<end>[,)])""",
    re.DOTALL | re.VERBOSE,
)
_ROW_START = re.compile(rb"\s*\(")
_ROW_END = re.compile(rb"\s*(?P<end>[,;])")
_ESCAPED = re.compile(rb"\\(.)|''", re.DOTALL)
# What a letter behind a backslash stands for; any other sign stands for itself.
_ESCAPES = {b"0": b"\0", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"Z": b"\x1a"}


class NoRow(Exception):
    """Says that what follows is no row of an INSERT."""


def read_rows(
    statement: bytes, start: int, wanted: Sequence[int], encoding: str
) -> Iterator[tuple[int, list[str | None]]]:
    """Yield the number of values of each row, and its wanted ones.

    Args:
        statement: A whole INSERT with its final semicolon.
        start: Where its first row begins.
        wanted: Positions of the values that are kept, ascending.
        encoding: Of texts. What is not in it comes as lone surrogates, so that a reader sees it.

    Raises:
        NoRow: The statement has something else.
    """
    kept = frozenset(wanted)
    offset = start
    while True:
        opening = _ROW_START.match(statement, offset)
        if not opening:
            raise NoRow
        offset = opening.end()

        position = 0
        values: list[str | None] = []
        is_open = True
        while is_open:
            value = _VALUE.match(statement, offset)
            if not value:
                raise NoRow
            if position in kept:
                values.append(_read_text(value, encoding))
            position += 1
            offset = value.end()
            is_open = value["end"] == b","
        yield position, values

        ending = _ROW_END.match(statement, offset)
        if not ending:
            raise NoRow
        offset = ending.end()
        if ending["end"] == b";":
            return


def _read_text(value: re.Match[bytes], encoding: str) -> str | None:
    """Return what a matched value stands for."""
    if value["null"] is not None:
        return None
    if value["number"] is not None:
        return value["number"].decode("ascii")

    if value["text"] is not None:
        content = value["text"]
        if b"\\" in content or b"''" in content:
            content = _ESCAPED.sub(_unescape, content)
    else:
        digits = value["digits"] or value["quoted"] or b""
        content = bytes.fromhex(digits.decode("ascii").zfill(len(digits) + len(digits) % 2))
    return content.decode(encoding, "surrogateescape")


def _unescape(match: re.Match[bytes]) -> bytes:
    """Return what an escape stands for."""
    sign = match[1]
    if sign is None:
        return b"'"
    return _ESCAPES.get(sign, sign)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes apart the statement that makes a table, to compare it with that of another server."""

from __future__ import annotations

import re

TEXT = r"'(?:[^'\\]|\\(?:.|\Z)|'')*(?:'|\Z)"
NAME = r"`(?:[^`]|``)*(?:`|\Z)"
"""Expressions for what is in quotes in a statement. Without an end, it goes on to the end."""
OLD_FORM = r" /\* (?:mariadb|mysql)-[0-9.]{1,9} \*/"
"""What a server that was older once says of the times in old tables."""
# What is in quotes; what another release may leave out or add; the end of a line; and what is
# between these.
_TOKEN = re.compile(
    rf"{TEXT}|{NAME}"
    rf"|(?P<unstable> AUTO_INCREMENT=[0-9]{{1,20}}|{OLD_FORM}"
    r"| (?:DEFAULT )?(?:CHARACTER SET |CHARSET=|COLLATE[ =])\w{1,64})"
    r"|(?P<end>,?\n)"
    r"|[^'`, \n]{1,1000}|.",
    re.DOTALL | re.ASCII,
)


def list_definitions(statement: bytes) -> list[str]:
    """Return the lines of ``SHOW CREATE TABLE`` without what says nothing of a table.

    Columns, indexes and keys are sorted. The order of columns, and what character set and
    collation a column and the table have, is not in these lines: ``information_schema`` lists
    that, by the same words on all servers. The counter goes on with each row, also with one that
    is deleted again. A server that was older once keeps its old form of times in old tables, and
    says so in a comment.
    """
    lines: list[list[str]] = [[]]
    for token in _TOKEN.finditer(statement.decode("utf-8", "surrogateescape")):
        if token.lastgroup == "end":
            lines.append([])
        elif token.lastgroup != "unstable":
            lines[-1].append(token.group())

    return _sort_definitions(["".join(tokens) for tokens in lines])


def _sort_definitions(lines: list[str]) -> list[str]:
    """Return the lines of a statement with columns, indexes and keys sorted.

    They begin with spaces, between the first line and the one that has the options of the table.
    """
    end = 1
    while end < len(lines) and lines[end].startswith(" "):
        end += 1

    return [*lines[:1], *sorted(lines[1:end]), *lines[end:]]

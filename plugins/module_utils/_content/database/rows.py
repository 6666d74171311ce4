# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what a client of MariaDB prints of a query, and runs such queries on either host."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ..content_errors import ContentError
from ..host_tools import Ended
from ..shown_text import show_output
from ..source_host import run_on_source
from .queries.client import REFUSED_BY_QUERY, UNKNOWN_DATABASE
from .queries.server_query import ACCOUNT_PREFIX
from .sides import DatabaseServer

# How the client writes these characters, so that each row is a line and each value has no tab.
_ESCAPED = {b"0": b"\0", b"t": b"\t", b"n": b"\n", b"\\": b"\\"}
_ESCAPE = re.compile(rb"\\([0tn\\])")
# Another run has another account, and the same error has to have the same text.
_ACCOUNT = re.compile(ACCOUNT_PREFIX + "[0-9a-f]{12}_[0-9a-f]{8}")
_NAME_OF_ACCOUNT = "hosting_panel"
_ERROR = re.compile(r"ERROR ([0-9]{1,5}) \(([0-9A-Z]{5})\)[^:\n]{0,40}: ")


def run_query(
    server: DatabaseServer, command: list[str], missing: ContentError | None = None
) -> list[list[bytes]]:
    """Run a query and return its rows.

    Args:
        server: Where it runs.
        command: Of a file in ``queries``.
        missing: The error to raise where the server does not have the database.

    Raises:
        ContentError: The query failed, or its last row is missing.
    """
    ended = run_on_source(server.host, command)
    if ended.code != 0 and missing is not None and read_number(ended) == UNKNOWN_DATABASE:
        raise missing
    if ended.code != 0:
        raise make_failed_query_error(ended, server)

    rows = [split_line(line) for line in ended.output.split(b"\n") if line]
    if not rows or read_mark(rows[-1]) != ["end"]:
        raise ContentError(f"the answer of the database server of {server.title} has no end.")

    return rows[:-1]


def make_failed_query_error(ended: Ended, server: DatabaseServer) -> ContentError:
    """Return the error for a client that could not log in or whose statement failed."""
    option = server.login_option
    if read_number(ended) == REFUSED_BY_QUERY:
        option = server.name_option

    return ContentError(
        f"the database server of {server.title} refuses: {show_error(ended)}",
        option,
    )


def show_error(ended: Ended) -> str:
    """Return the error of a server or client for a message.

    The client prints the failed statement before the error. It is left out, since it may hold
    what only customers know. The temporary account has the same name in each message.
    """
    error = _find_error(ended)
    if error is None:
        return ended.shown_errors

    message = _ACCOUNT.sub(_NAME_OF_ACCOUNT, show_output(error.string[error.end() :]))

    return f"{message} (error {error.group(1)})"


def read_number(ended: Ended) -> int:
    """Return the number of the error of a server; 0 where there is none."""
    error = _find_error(ended)

    return int(error.group(1)) if error is not None else 0


def _find_error(ended: Ended) -> re.Match[str] | None:
    last_error = None
    for match in _ERROR.finditer(ended.errors.decode("utf-8", "replace")):
        last_error = match

    return last_error


def split_line(line: bytes) -> list[bytes]:
    """Return the values of a row as the client prints it, without its escapes."""
    return [_ESCAPE.sub(_unescape, value) for value in line.split(b"\t")]


def read_mark(row: list[bytes]) -> list[Any] | None:
    """Return the array of a row that is one array of JSON; None for any other row."""
    if len(row) != 1 or not row[0].startswith(b"["):
        return None
    try:
        array = json.loads(row[0])
    except (ValueError, RecursionError):
        return None

    return array if isinstance(array, list) and array else None


def read_marks(rows: list[list[bytes]]) -> Iterator[list[Any]]:
    """Yield the arrays of JSON of rows, and leave out all other rows."""
    for row in rows:
        array = read_mark(row)
        if array is not None:
            yield array


def _unescape(match: re.Match[bytes]) -> bytes:
    return _ESCAPED[match.group(1)]

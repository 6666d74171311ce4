# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds passwords in commands of another panel, however long a command is. Pure.

It takes as long as the command is long: a name is read once, and looked at afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...module_utils._secrets.secret_forms import MASK, mask_secret_forms

HIDDEN = "…"
# What an address says beside its path may let anyone in who knows it.
_SECRET_OF_QUERY = re.compile(
    r"([?&;](?:[a-z0-9_.-]*(?:pass|passwd|password|pw|pwd|secret|token|apikey|api_key|auth|sig"
    r"|signature|key))=)([^&;#\s\"']+)",
    re.IGNORECASE,
)
_USERINFO = re.compile(r"(?<=[a-z0-9+.-]://)[^\s/?#@\"']+@", re.IGNORECASE)
# The name of an option or of a variable, with which a value may begin.
_NAME = re.compile(r"(?:^|[\s'\"])(?P<name>--?[a-z0-9-]+|[a-z0-9_]+)(?==|\s)", re.IGNORECASE)
_SECRET_OPTION = re.compile("pass|secret|token", re.IGNORECASE)
_SECRET_VARIABLE = re.compile("pass|pwd|secret|token", re.IGNORECASE)
_VALUE = re.compile(r"(?:=|\s+(?![-=]))(?P<value>'[^']*'|\"[^\"]*\"|\S+)")
# Programs that log in, up to whose end options are theirs.
_PROGRAM = re.compile(r"\b(?:mysql\w*|mariadb[\w-]*|sshpass|curl|wget|ftp|lftp|ncftp\w*)\b")
_END_OF_PROGRAM = re.compile(r"[\n;|&]")
_LOGIN_OPTION = re.compile(r"\s-[pu]\s*(?P<value>'[^']*'|\"[^\"]*\"|[^\s-]\S*)")


def hide_secrets(command: str) -> str:
    """Return a command without the passwords in it."""
    hidden = _USERINFO.sub(f"{HIDDEN}@", command)
    hidden = _SECRET_OF_QUERY.sub(rf"\1{HIDDEN}", hidden)
    hidden = _hide_spans(hidden, _find_logins(hidden, most=1))
    hidden = _hide_spans(hidden, _find_named_values(hidden))
    hidden = mask_secret_forms(hidden).replace(MASK, HIDDEN)
    # Last, since an open quote would take other options for a part of a further value.
    return _hide_spans(hidden, _find_logins(hidden, most=len(hidden)))


def _hide_spans(text: str, spans: Iterator[tuple[int, int]]) -> str:
    """Return a text with a sign in place of each span. spans: in their order, none in another."""
    parts = []
    end_of_last = 0
    for start, end in spans:
        parts += [text[end_of_last:start], HIDDEN]
        end_of_last = end
    return "".join([*parts, text[end_of_last:]])


def _find_logins(command: str, most: int) -> Iterator[tuple[int, int]]:
    """Yield the values of -p and -u of programs that log in. most: values of each program."""
    option = _LOGIN_OPTION.search(command)
    program = _PROGRAM.search(command)
    last = -1
    while program and option:
        if last < program.end():
            end = _END_OF_PROGRAM.search(command, program.end())
            last = len(command) if end is None else end.start()
        position = program.end()
        count = 0
        while option is not None and option.start() <= last and count < most:
            if option.start() >= position:
                yield option.span("value")
                position = option.end()
                count += 1
            option = _LOGIN_OPTION.search(command, position)
        if count < most:
            position = max(position, last)
        program = _PROGRAM.search(command, position)


def _find_named_values(command: str) -> Iterator[tuple[int, int]]:
    """Yield the values of options and variables that are secret by their names."""
    position = 0
    while hit := _NAME.search(command, position):
        position = hit.end()
        name = hit["name"]
        is_secret = (_SECRET_OPTION if name.startswith("-") else _SECRET_VARIABLE).search(name)
        value = _VALUE.match(command, position) if is_secret else None
        if value:
            yield value.span("value")
            position = value.end()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Names commands of another panel by what cannot be a secret, and tells which hold none. Pure.

Any argument of a command may be a password, and any path or query of an address may be a key. So
nothing of these is shown, whatever the program is. Only what has no place for a password counts as
without a secret: a program with paths of short words, or a page of a site.
"""

from __future__ import annotations

import re

HIDDEN = "…"
_UNKNOWN = "task"
# What sets a variable for the program, in one word of the shell: no quote may go on in the next.
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=[\w./:@%+,-]*")
_PROGRAM = re.compile(r"[\w.+/-]+", re.ASCII)
_MOST_PROGRAM_SIGNS = 60
_ADDRESS = re.compile(
    r"(?P<scheme>https?://)(?P<user>[^/?#@\s]*@)?(?P<host>[a-z0-9.-]{1,80}(?::[0-9]{1,5})?)"
    r"(?P<path>(?:[/?#][^@\s]*)?)",
    re.IGNORECASE,
)

# A word of a path that people chose: letters, then the number of a version or of a customer.
_WORD = r"(?:[a-z]{1,20}[0-9]{0,4}|[0-9]{1,4})"
_STEP = rf"{_WORD}(?:[._-]{_WORD}){{0,3}}"
_PATH = rf"(?:/{_STEP}){{1,12}}"
_PLAIN_COMMAND = re.compile(rf"(?:{_STEP}|{_PATH})(?: -[fq])?(?: {_PATH}){{0,3}}")
_HOST = rf"{_WORD}(?:[.-]{_WORD}){{0,9}}(?::[0-9]{{1,5}})?"
_PLAIN_ADDRESS = re.compile(rf"https?://{_HOST}(?:/|/{_STEP}\.[a-z]{{2,5}})?")


def is_plain_command(command: str) -> bool:
    """Return whether a command is a program with paths of short words, without a place for a secret."""
    return _PLAIN_COMMAND.fullmatch(command) is not None


def is_plain_address(address: str) -> bool:
    """Return whether an address is a site, or a page at its top, without a place for a secret."""
    return _PLAIN_ADDRESS.fullmatch(address) is not None


def name_command(command: str) -> str:
    """Return the name of the program that a command starts, or a general word for any other."""
    for word in command.split():
        if _ASSIGNMENT.fullmatch(word):
            continue
        if not _PROGRAM.fullmatch(word):
            return _UNKNOWN
        return word.rpartition("/")[2][:_MOST_PROGRAM_SIGNS] or _UNKNOWN
    return _UNKNOWN


def name_address(address: str) -> str:
    """Return scheme and host of an address; no host where it is not clear which part is the host.

    The sign for what is hidden does not follow the host at once: as the beginning of a secret that
    something has cut, the whole name would be masked in plans.
    """
    match = _ADDRESS.fullmatch(address)
    if match is None:
        return f"https://{HIDDEN}"
    user = f"{HIDDEN}@" if match["user"] else ""
    path = match["path"] if match["path"] in {"", "/"} else f" {HIDDEN}"
    return f"{match['scheme']}{user}{match['host']}{path}"

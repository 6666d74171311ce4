# SPDX-License-Identifier: GPL-3.0-or-later
"""Names commands of another panel by what cannot be a secret: a program, or the host of an address.

Any argument of a command may be a password, and any path or query of an address may be a key. So
nothing of these is shown, whatever the program is. Pure.
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
    """Return scheme and host of an address; no host where it is not clear which part is the host."""
    match = _ADDRESS.fullmatch(address)
    if match is None:
        return f"https://{HIDDEN}"
    user = f"{HIDDEN}@" if match["user"] else ""
    path = match["path"] if match["path"] in {"", "/"} else f"/{HIDDEN}"
    return f"{match['scheme']}{user}{match['host']}{path}"

# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a command for the key of a copy, if the copy needs exactly that command.

The file authorized_keys of the source names this file as the only command of the key. It is there
only while the copy runs. It needs nothing but Python 3.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path

REFUSED = 126
"""The exit code for a command that is not allowed."""
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def choose_command(line, allowed):
    """Return the command that a line asks for, as a list; None if it is not allowed.

    Args:
        line: What the client asked for, as a shell would read it.
        allowed: ``commands``, each a list. ``dumps``, each a list that ends with ``--`` and the
            database, behind which names of its tables stand. ``trees``, each with ``beginning``,
            the first words of the rsync that may send it, ``letters`` and ``option``, expressions
            for what rsync chooses, and ``path``, the last word.
    """
    try:
        words = shlex.split(line)
    except ValueError:
        return None
    if words in allowed["commands"]:
        return words
    for dump in allowed["dumps"]:
        if words[: len(dump)] == dump and len(words) > len(dump):
            return words
    for tree in allowed["trees"]:
        if _is_sender(words, tree):
            return words
    return None


def _is_sender(words, tree):
    """Return whether words start an rsync that sends this tree, as its owner."""
    beginning = tree["beginning"]
    rest = words[len(beginning) :]
    if words[: len(beginning)] != beginning or len(rest) < 3:
        return False
    letters, *options, point, path = rest
    if not re.fullmatch(tree["letters"], letters) or (point, path) != (".", tree["path"]):
        return False
    return all(re.fullmatch(tree["option"], option) for option in options)


def main(arguments):
    """Run the command of this connection, or refuse it."""
    allowed = json.loads(Path(arguments[1]).read_text(encoding="utf-8"))
    command = choose_command(os.environ.get("SSH_ORIGINAL_COMMAND", ""), allowed)
    if command is None:
        sys.stderr.write("The key of this copy does not allow the command.\n")
        return REFUSED

    # PATH and HOME are the server's: an SSH server takes them of a client only where AcceptEnv names
    # them. Of all else, which a client may have set, the command gets nothing.
    environment = {
        "HOME": os.environ.get("HOME", "/root"),
        "LC_ALL": "C.UTF-8",
        "LOGNAME": "root",
        "PATH": os.environ.get("PATH", _PATH),
        "USER": "root",
    }
    try:
        os.execvpe(command[0], command, environment)
    except FileNotFoundError:
        # As a shell says it.
        sys.stderr.write(f"{command[0]}: not found\n")
        return 127


if __name__ == "__main__":
    sys.exit(main(sys.argv))

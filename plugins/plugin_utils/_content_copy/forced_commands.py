# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists the commands that the key of a copy allows on the source, by the functions that make them.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...module_utils._content.database.queries.login import Login
from ...module_utils._content.database.queries.rows_commands import make_dump_command
from ...module_utils._content.database.queries.source_commands import list_source_commands
from ...module_utils._content.files.commands import (
    SERVER_LETTERS,
    SERVER_OPTION,
    SERVER_WORDS,
    make_account_command,
    make_scan_command,
    make_version_command,
    normalize_path,
    run_as,
)
from ...module_utils._content.mailbox.commands import MailboxName, list_commands_on_source
from .content_objects import DATABASE, MAILBOX, TREE

_KEY_TYPE = re.compile(r"(?:ssh|ecdsa|sk)-[A-Za-z0-9@.-]+")
_KEY = re.compile(r"[A-Za-z0-9+/]{16,}={0,3}")


def list_allowed(objects: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what ``allowed_commands.py`` reads.

    ``commands`` are allowed word by word, ``dumps`` with names of tables behind them. ``trees`` has
    for each tree the rsync that may send it: ``beginning``, its first words; ``letters`` and
    ``option``, expressions for what rsync chooses; ``path``, the last word.

    Args:
        objects: As ``read_objects`` returns them.
    """
    commands: list[list[str]] = []
    dumps: list[list[str]] = []
    trees = []
    for entry in objects:
        if entry["kind"] == TREE:
            path = normalize_path(entry["from"])
            commands += [
                make_version_command(),
                make_account_command(entry["source_owner"]),
                make_scan_command(entry["source_owner"], path),
            ]
            trees.append(_describe_sender(entry["source_owner"], path))
        elif entry["kind"] == MAILBOX:
            name = MailboxName(entry["from"], tuple(entry.get("source_doveadm_args", ())))
            commands += list_commands_on_source(name)
        elif entry["kind"] == DATABASE:
            login = Login.read(entry.get("source_login"), "source_login")
            commands += list_source_commands(entry["from"], login)
            dumps.append(make_dump_command(entry["from"], login))

    unique = []
    for command in commands:
        if command not in unique:
            unique.append(command)
    return {"commands": unique, "dumps": dumps, "trees": trees}


def _describe_sender(owner: str, path: str) -> dict[str, Any]:
    return {
        "beginning": [*run_as(owner), *SERVER_WORDS],
        "letters": SERVER_LETTERS,
        "option": SERVER_OPTION,
        "path": f"{path}/",
    }


def make_known_hosts(scanned: str, host: str, port: int) -> str:
    """Return the lines of a file of known hosts.

    Args:
        scanned: Lines of host, type and key, as ssh-keyscan prints them on the source itself.
        host: The name or address by which the target reaches the source.
        port: The port.
    """
    name = host if port == 22 else f"[{host}]:{port}"
    lines = []
    for line in scanned.splitlines():
        fields = line.split()
        if len(fields) < 2 or line.startswith("#"):
            continue
        # A file with a public key has the comment last, and no host.
        pairs = zip(fields, fields[1:])
        keys = [pair for pair in pairs if _KEY_TYPE.fullmatch(pair[0]) and _KEY.fullmatch(pair[1])]
        lines += [f"{name} {kind} {key}" for kind, key in keys[:1]]
    return "".join(f"{line}\n" for line in dict.fromkeys(lines))

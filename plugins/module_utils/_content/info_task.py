# SPDX-License-Identifier: GPL-3.0-or-later
"""Says what of content a host has: the work of panel_content_info."""

from __future__ import annotations

import dataclasses
import os
import pwd
import re
from collections.abc import Mapping
from typing import Any

from .content_errors import ContentError
from .database.facts import list_databases, read_database
from .database.queries.login import LOGIN_OPTIONS, Login
from .files.facts import read_tree
from .host_tools import run_command
from .mailbox.facts import read_mailbox
from .shown_text import show_name

_NAMES: dict[str, Any] = {"type": "list", "elements": "str"}
INFO_OPTIONS: dict[str, Any] = {
    "trees": _NAMES,
    "mailboxes": _NAMES,
    "databases": _NAMES,
    "username": {"type": "str"},
    "login": {"type": "dict", "options": LOGIN_OPTIONS},
}
"""The options of panel_content_info, as argument_spec has them."""
OBJECTS = ("trees", "mailboxes", "databases")
"""The options of which one has to be there, where ``username`` is not."""
# How each tool says its version, and where it is in what it says.
_TOOLS: dict[str, tuple[list[str], str]] = {
    "rsync": (["rsync", "--version"], r"version v?(\d\S*)"),
    "dovecot": (["dovecot", "--version"], r"(\d\S*)"),
    "mariadb": (["mariadb", "--version"], r"(\d+\.\d+\.\d+)-MariaDB"),
    "ssh": (["ssh", "-V"], r"OpenSSH_([^\s,]+)"),
}


def read_content(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a host has of what the options name, as the member ``content`` of a result.

    Raises:
        ContentError: Something that they name is not there, or cannot be read.
    """
    versions = read_versions()
    login = Login.read(options["login"], "login")
    if options["username"] is not None:
        return {"versions": versions, **_read_user(options["username"], versions, login)}

    return {
        "versions": versions,
        "trees": [read_tree(path) for path in options["trees"] or ()],
        "mailboxes": [
            _describe_mailbox(address, "mailboxes") for address in options["mailboxes"] or ()
        ],
        "databases": [
            read_database(name, login, "databases").describe()
            for name in options["databases"] or ()
        ],
    }


def read_versions() -> dict[str, str | None]:
    """Return the versions of the tools; None for one that is not there or does not say it."""
    versions: dict[str, str | None] = {}
    for name, (command, pattern) in _TOOLS.items():
        try:
            ended = run_command(command)
        except ContentError:
            versions[name] = None
            continue
        # ssh tells its version where other tools complain.
        match = re.search(pattern, ended.text + ended.errors.decode("utf-8", "replace"))
        versions[name] = match[1] if match else None

    return versions


def _read_user(
    username: str, versions: Mapping[str, str | None], login: Login
) -> dict[str, list[dict[str, Any]]]:
    """Return what belongs to a user of the system."""
    try:
        account = pwd.getpwnam(username)
    except (KeyError, ValueError) as error:
        raise ContentError(f"this host has no user {show_name(username)}.", "username") from error

    trees = []
    if os.path.isdir(account.pw_dir):
        trees.append(read_tree(account.pw_dir, account.pw_uid, "username"))
    names = list_databases(login, username) if versions["mariadb"] else []

    return {
        "trees": trees,
        "mailboxes": _read_mailbox_of_user(username) if versions["dovecot"] else [],
        "databases": [read_database(name, login, "username").describe() for name in names],
    }


def _read_mailbox_of_user(username: str) -> list[dict[str, Any]]:
    """Return the mailbox that is called like the user, if a user database knows one."""
    if run_command(["doveadm", "user", username]).code:
        return []

    return [_describe_mailbox(username, "username")]


def _describe_mailbox(address: str, option: str) -> dict[str, Any]:
    return dataclasses.asdict(read_mailbox(address, option=option))

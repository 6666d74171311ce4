# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the server of this host, and the account that is to own programs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from ..content_errors import ContentError
from ..shown_text import show_name
from .facts import make_missing_database_error
from .job import DatabaseJob
from .programs import Account
from .queries.login import Login
from .queries.server_query import make_server_command
from .rows import read_marks, run_query


class ServerFacts(NamedTuple):
    """What a copy has to know of the server of this host.

    socket: What its clients connect to.
    directory: Where its databases are.
    definer: The account of the option ``definer``; None without the option.
    """

    socket: str
    directory: str
    definer: Account | None = None


def check_defaults_file(login: Login) -> None:
    """Refuse a file of the client that does not exist."""
    if login.defaults_file and not os.path.isfile(login.defaults_file):
        raise ContentError(
            f"there is no file {login.defaults_file} on this host.", "login.defaults_file"
        )


def read_server(job: DatabaseJob) -> ServerFacts:
    """Read the facts of the server of this host.

    Raises:
        ContentError: The server has no such database, or not exactly one such account.
    """
    user, host = _split_account(job.definer)
    command = make_server_command(job.target.name, user, job.target.login)

    places = {"socket": "", "directory": ""}
    has_database = False
    hosts: list[str] = []
    for mark in read_marks(run_query(job.target.server, command)):
        if mark[0] in places:
            places[mark[0]] = str(mark[1])
        elif mark[0] == "database":
            has_database = True
        else:
            hosts.append(str(mark[1]))
    if not has_database:
        raise make_missing_database_error(job.target)
    if not job.definer:
        return ServerFacts(places["socket"], places["directory"])

    only_host = _choose_host(hosts, host, job.definer)
    return ServerFacts(places["socket"], places["directory"], Account(user, only_host))


def _choose_host(hosts: Sequence[str], host: str, definer: str) -> str:
    """Return the host of the only account.

    Args:
        hosts: Those of all accounts of the user.
        host: The host that is asked for; empty for any.
        definer: The account, as messages name it.

    Raises:
        ContentError: There is no such account, or more than one.
    """
    candidates = [candidate for candidate in hosts if host in ("", candidate)]
    if len(candidates) != 1:
        number = "no account" if not candidates else "more than one account"
        raise ContentError(
            f"this host has {number} {show_name(definer)} in its database server.", "definer"
        )
    return candidates[0]


def _split_account(text: str) -> tuple[str, str]:
    """Return user and host of an account as people write it; the host is empty if it is left out."""
    user, separator, host = text.rpartition("@")
    if not separator:
        user, host = host, ""

    return _unquote(user), _unquote(host)


def _unquote(name: str) -> str:
    if len(name) > 1 and name[0] == name[-1] and name[0] in "'\"`":
        return name[1:-1]

    return name

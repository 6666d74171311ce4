# SPDX-License-Identifier: GPL-3.0-or-later
"""Names the two sides of a copy: the servers, and the database on each."""

from __future__ import annotations

from dataclasses import dataclass

from ..source_host import SourceHost
from .queries.login import Login


@dataclass(frozen=True)
class DatabaseServer:
    """Names the database server of a side.

    host: Where it is, reached by SSH; None for this host.
    title: What messages call its host.
    name_option, login_option: The options of the task that name a database of it and its login.
    """

    host: SourceHost | None
    title: str
    name_option: str
    login_option: str


TARGET_SERVER = DatabaseServer(None, "this host", "name", "login")


def make_source_server(host: SourceHost | None) -> DatabaseServer:
    """Return the server of the source. host: None where the source is this host too."""
    return DatabaseServer(host, "the source", "source_name", "source_login")


@dataclass(frozen=True)
class DatabaseSide:
    """Names the database of a side, and how its server is reached."""

    server: DatabaseServer
    name: str
    login: Login

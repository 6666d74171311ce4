# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds out what a database of this host holds, without changing anything."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from ..content_errors import ContentError
from ..shown_text import show_name
from .queries.facts_query import make_facts_command
from .queries.login import Login
from .queries.server_query import make_databases_command
from .queries.sql import LONGEST_NAME, SYSTEM_DATABASES
from .rows import read_marks, run_query
from .sides import TARGET_SERVER, DatabaseSide


@dataclass(frozen=True)
class DatabaseFacts:
    """Says what a database holds.

    rows: Of all tables, counted.
    bytes: Of data and indexes, as the server estimates them.
    engines, definers: Names, sorted.
    """

    name: str
    tables: int
    rows: int
    bytes: int
    engines: list[str]
    routines: int
    triggers: int
    events: int
    views: int
    definers: list[str]

    def describe(self) -> dict[str, Any]:
        """Return the facts as a result has them, with names as they are shown."""
        names = {
            "name": show_name(self.name),
            "engines": [show_name(engine) for engine in self.engines],
            "definers": [show_name(definer) for definer in self.definers],
        }

        return {**asdict(self), **names}


def read_database(name: str, login: Login, option: str = "name") -> DatabaseFacts:
    """Return what a database of this host holds.

    Args:
        name: The database.
        login: How its server is reached.
        option: The option that names the database, for an error.

    Raises:
        ContentError: There is no such database, or its server cannot be read.
    """
    check_name(name, option)
    server = replace(TARGET_SERVER, name_option=option)
    missing = make_missing_database_error(DatabaseSide(server, name, login))
    rows = run_query(server, make_facts_command(name, login), missing)

    numbers: dict[str, list[int]] = {}
    names: dict[str, set[str]] = {"engine": set(), "definer": set()}
    size = 0
    for mark, *values in read_marks(rows):
        if mark in names:
            names[mark].add(str(values[0]))
        elif mark == "size":
            size += int(values[0])
        else:
            numbers[mark] = [int(value) for value in values]

    return DatabaseFacts(
        name=name,
        tables=numbers["tables"][0],
        rows=numbers["rows"][0],
        bytes=size,
        engines=sorted(names["engine"]),
        routines=numbers["routines"][0],
        triggers=numbers["triggers"][0],
        events=numbers["events"][0],
        views=numbers["views"][0],
        definers=sorted(names["definer"]),
    )


def list_databases(login: Login, username: str) -> list[str]:
    """Return the names of the databases of this host that begin with ``USERNAME_``, sorted.

    Raises:
        ContentError: The server cannot be read.
    """
    rows = run_query(TARGET_SERVER, make_databases_command(login))
    names = [str(values[0]) for _mark, *values in read_marks(rows)]

    return sorted(name for name in names if name.startswith(username + "_"))


def check_name(name: str, option: str) -> None:
    """Refuse what cannot be the name of a customer's database.

    Raises:
        ContentError: It is empty, too long, has a NUL, or is a database of the server itself.
    """
    if not name or len(name) > LONGEST_NAME or "\0" in name:
        raise ContentError(f"{show_name(name)!r} is no name of a database.", option)
    if name.lower() in SYSTEM_DATABASES:
        raise ContentError(f"{name} belongs to the server itself and is never copied.", option)


def make_missing_database_error(database: DatabaseSide) -> ContentError:
    """Return the error for a database that is not there, on the side where it should be."""
    return ContentError(
        f"there is no database {show_name(database.name)} on {database.server.title}.",
        database.server.name_option,
        advice="Write its name as SHOW DATABASES shows it.",
    )

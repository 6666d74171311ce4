# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads ISPConfig's databases with the user that has all rights; other users do not arrive."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..source_rows import NoObject
from ..source_shape import Database, FieldLeftOut, LeftOut, Origin
from ..source_tables import Row, Tables
from .rows import (
    OFF_AT_SOURCE,
    LostColumn,
    Owners,
    ReadRows,
    RowKind,
    index_rows,
    is_yes,
    read_fields_left_out,
    read_prose,
    read_text,
    sort_rows,
)

_USERS = "web_database_user"
_DATABASES = RowKind("web_database", "databases", lambda row: row.get("database_name") or "")
_DATABASE_USERS = RowKind(_USERS, "databases", lambda row: row.get("database_user") or "")
# What the column type says of a database that MySQL or MariaDB keeps; y is its default.
_MYSQL = ("mysql", "mariadb", "y", "")
_NOBODY = ("", "0")
_EVERY_HOST = "%"
_LOST = (
    LostColumn(
        "database_quota", ("0", "-1"), "The panel limits the space of a client, not of a database."
    ),
    LostColumn("backup_interval", ("none",), "Backups are settings of the panel's server."),
)


def read_databases(tables: Tables, owners: Owners) -> ReadRows[Database]:
    """Return the databases that arrive, and users that do not."""
    reading = _Databases(owners, index_rows(tables, _USERS))
    databases = owners.read_rows(tables, _DATABASES, reading.read_database)
    used = {str(database.user_origin) for database in databases.entries}
    readers = {read_prose(row, "database_ro_user_id") for row in tables.list_rows("web_database")}
    lost_users: list[LeftOut] = []
    for origin, row in sort_rows(tables, _USERS):
        if str(origin) in used:
            continue
        reason = "No database that arrives has it as its user with all rights."
        if origin.id in readers:
            reason = "It may only read, and a database of the panel has one user with all rights."
        lost_users.append(owners.leave_out(_DATABASE_USERS, row, origin, reason))
    return ReadRows(databases.entries, (*databases.left_out, *lost_users))


@dataclass(frozen=True)
class _Databases:
    """The databases of a source, and rows of their users by id."""

    owners: Owners
    users: Mapping[str, Row]

    def read_database(self, row: Row, origin: Origin) -> Database:
        """Return a row as a database."""
        customer = self.owners.require_owner(row)
        name = read_text(row, "database_name").strip()
        if not name:
            raise NoObject("It has no name.")
        if read_text(row, "type").lower() not in _MYSQL:
            raise NoObject("It is no database of MySQL or MariaDB.")
        if not self.owners.is_on(_DATABASES, row):
            raise NoObject(OFF_AT_SOURCE)

        omitted = list(read_fields_left_out(row, _LOST))
        user_id = read_prose(row, "database_user_id")
        user = self._find_user(user_id, customer, omitted)
        reader_id = read_prose(row, "database_ro_user_id")
        if reader_id not in (*_NOBODY, user_id):
            reason = (
                "A database of the panel has one user, so the one that may only read is left out."
            )
            omitted.append(FieldLeftOut("database_ro_user_id", reason))
        return Database(
            origin,
            customer,
            name,
            user="" if user is None else read_text(user, "database_user"),
            user_origin=None if user is None else Origin(_USERS, user_id),
            hash="" if user is None else _read_hash(user),
            remote_hosts=_read_hosts(row),
            fields_left_out=tuple(omitted),
        )

    def _find_user(self, user_id: str, customer: str, omitted: list[FieldLeftOut]) -> Row | None:
        """Return the row of the user with all rights; None without one of this customer."""
        if user_id in _NOBODY:
            return None
        user = self.users.get(user_id)
        if user is None or not (user.get("database_user") or "").strip():
            omitted.append(FieldLeftOut("database_username", "Its user is not at the source."))
            return None
        if self.owners.find_owner(user) not in (customer, None):
            omitted.append(FieldLeftOut("database_username", "Its user is another customer's."))
            return None
        return user


def _read_hash(user: Row) -> str:
    """Return the stored hash of a user; of newer servers another one than of older ones."""
    return read_prose(user, "database_password") or read_prose(user, "database_password_sha2")


def _read_hosts(row: Row) -> tuple[str, ...]:
    """Return the hosts that may log in from outside; without a list it is every host."""
    if not is_yes(row, "remote_access"):
        return ()
    hosts = [host for host in re.split(r"[\s,;]+", read_prose(row, "remote_ips")) if host]
    return tuple(dict.fromkeys(hosts)) or (_EVERY_HOST,)

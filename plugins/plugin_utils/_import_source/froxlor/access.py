# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads froxlor's FTP users, protected directories, databases, and what the panel has nothing for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..source_rows import NoObject
from ..source_shape import Database, FieldLeftOut, FtpUser, LeftOut, Origin, ProtectionUser
from .rows import (
    OWN_OBJECT,
    FroxlorPanel,
    FroxlorRow,
    Owner,
    TableReading,
    clean_path,
    make_namer,
    read_table,
)

_NO_SHELLS = frozenset({"", "/bin/false", "/usr/sbin/nologin", "/sbin/nologin"})
# Folders of statistics, each of which the panel protects with the customer's login.
_STATISTICS = frozenset({"goaccess", "awstats", "webalizer"})
_LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
_USERS_OF_SERVER = frozenset(
    {"", "root", "mysql", "mariadb.sys", "mysql.sys", "mysql.session", "mysql.infoschema",
     "debian-sys-maint", "PUBLIC"}
)  # fmt: skip


def read_access(panel: FroxlorPanel, own_addresses: Sequence[str]) -> None:
    """Read accounts of FTP, protections, databases, keys of SSH and options of directories.

    Args:
        panel: Where the objects go.
        own_addresses: Addresses of the source's server, which are no remote hosts.
    """
    homes = {
        row.id: clean_path(row.get_value("documentroot").strip())
        for row in panel.list_rows("panel_customers")
    }
    readings = [
        TableReading("ftp_users", "ftp_users", _read_ftp_user, make_namer("username")),
        TableReading("panel_sshkeys", "ftp_users", _read_ssh_key, make_namer("description")),
        TableReading(
            "panel_htpasswds",
            "directory_protections",
            lambda row, owner: _read_protection(homes, row, owner),
            lambda row: f"{row.format_label('path')}:{row.format_label('username')}",
        ),
        TableReading("panel_htaccess", "directory_protections", _read_options, make_namer("path")),
    ]
    for reading in readings:
        read_table(panel, reading)
    _read_databases(panel, own_addresses)


def _read_ftp_user(row: FroxlorRow, owner: Owner) -> list[Any]:
    """Return an account of FTP, or why it does not arrive."""
    username = row.require_text("username")
    if username == owner.username:
        raise NoObject(OWN_OBJECT)
    if not owner.is_locked and not row.is_on("login_enabled"):
        raise NoObject("It is switched off at the source, and the panel has no switch for it.")

    fields: tuple[FieldLeftOut, ...] = ()
    if row.get_value("shell").strip() not in _NO_SHELLS:
        reason = "It may log in with SSH at the source, and FTP users of the panel cannot."
        fields = (FieldLeftOut("shell", reason),)
    user = FtpUser(
        origin=row.origin,
        customer=owner.username,
        username=username,
        folder=row.read_path("homedir"),
        hash=row.read_prose("password"),
        description=row.read_prose("description").strip(),
        fields_left_out=fields,
    )
    return [user]


def _read_ssh_key(row: FroxlorRow, owner: Owner) -> list[Any]:
    """Return that a key of SSH does not arrive."""
    reason = "The panel has no SSH keys that it could be given."
    key = row.format_label("description") or "SSH key"
    return [LeftOut(owner.username, "ftp_users", key, row.origin, reason)]


def _read_protection(homes: Mapping[str, str], row: FroxlorRow, owner: Owner) -> list[Any]:
    """Return a user of a protected folder."""
    username = row.require_text("username")
    folder = row.read_path("path")
    home = homes.get(row.get_value("customerid").strip(), "")
    statistics = {f"{home}/{name}" for name in _STATISTICS}
    if folder in statistics and username == owner.username:
        raise NoObject(OWN_OBJECT)
    user = ProtectionUser(
        origin=row.origin,
        customer=owner.username,
        folder=folder,
        username=username,
        hash=row.read_prose("password"),
        auth_name=row.read_prose("authname").strip(),
    )
    return [user]


def _read_options(row: FroxlorRow, owner: Owner) -> list[Any]:
    """Return that options of a folder do not arrive."""
    reason = (
        "The panel has no options of directories, such as pages for errors. Use a .htaccess file."
    )
    key = row.format_label("path")
    return [LeftOut(owner.username, "directory_protections", key, row.origin, reason)]


def _read_databases(panel: FroxlorPanel, own_addresses: Sequence[str]) -> None:
    """Read databases, then users of the server that have none."""
    users: dict[str, list[FroxlorRow]] = {}
    for row in panel.list_rows("mysql_user"):
        users.setdefault(row.get_value("User"), []).append(row)

    local_hosts = {*_LOCAL_HOSTS, *own_addresses}
    used: set[str] = set()

    def read(row: FroxlorRow, owner: Owner) -> list[Any]:
        name = row.require_text("databasename")
        used.add(name)
        return [_make_database(row, owner, name, users.get(name, []), local_hosts)]

    read_table(
        panel, TableReading("panel_databases", "databases", read, make_namer("databasename"))
    )
    used.update(row.get_value("databasename") for row in panel.list_rows("panel_databases"))
    customers = {owner.username for owner in panel.owners.values()}
    for user, rows in users.items():
        if user in used or user in _USERS_OF_SERVER:
            continue
        username: str | None = None
        reason = "No database of the source's panel belongs to this user."
        if user in customers:
            username = user
            reason = OWN_OBJECT
        origin = Origin("mysql_user", rows[0].id)
        panel.objects.append(LeftOut(username, "databases", rows[0].id, origin, reason))


def _make_database(
    row: FroxlorRow, owner: Owner, name: str, users: Sequence[FroxlorRow], local_hosts: set[str]
) -> Database:
    """Return a database with the user that has its name."""
    hosts = [user.format_label("Host") for user in users]
    remote_hosts = tuple(sorted(set(hosts) - local_hosts))
    fields: list[FieldLeftOut] = []
    server_addresses = sorted(set(hosts) & (local_hosts - _LOCAL_HOSTS))
    if server_addresses:
        reason = f"{', '.join(server_addresses)} is the source's own server, no remote host."
        fields.append(FieldLeftOut("remote_hosts", reason))
    if row.read_reference("dbserver"):
        reason = "It lies on another database server of the source; the panel has one."
        fields.append(FieldLeftOut("dbserver", reason))
    return Database(
        origin=row.origin,
        customer=owner.username,
        name=name,
        description=row.read_prose("description").strip(),
        user=name,
        user_origin=Origin("mysql_user", users[0].id) if users else None,
        hash=_choose_hash(users),
        remote_hosts=remote_hosts,
        fields_left_out=tuple(fields),
    )


def _choose_hash(users: Sequence[FroxlorRow]) -> str:
    """Return the hash with which the sites of the server itself log in, where there are several."""
    local = [user for user in users if user.format_label("Host") in _LOCAL_HOSTS]
    for user in [*local, *users]:
        if user.get_value("authentication_string"):
            return user.read_prose("authentication_string")
    return ""

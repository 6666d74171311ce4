# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads froxlor's FTP users, protected directories, databases, and what the panel has nothing for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..source_rows import NoObject
from ..source_shape import Database, FieldLeftOut, FtpUser, LeftOut, Origin, ProtectionUser
from ..source_tables import Tables
from .accounts import Accounts
from .rows import (
    OWN_OBJECT,
    FroxlorRow,
    Owner,
    ReadRows,
    RowKind,
    clean_path,
    list_rows,
    make_namer,
    read_rows,
)

_NO_SHELLS = frozenset({"", "/bin/false", "/usr/sbin/nologin", "/sbin/nologin"})
# Folders of statistics, each of which the panel protects with the customer's login.
_STATISTICS = frozenset({"goaccess", "awstats", "webalizer"})
_LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
_USERS_OF_SERVER = frozenset(
    {"", "root", "mysql", "mariadb.sys", "mysql.sys", "mysql.session", "mysql.infoschema",
     "debian-sys-maint", "PUBLIC"}
)  # fmt: skip


@dataclass(frozen=True)
class Access:
    """What customers log in to, or protect with a login."""

    databases: tuple[Database, ...]
    ftp_users: tuple[FtpUser, ...]
    protection_users: tuple[ProtectionUser, ...]
    left_out: tuple[LeftOut, ...]


def read_access(tables: Tables, accounts: Accounts, own_addresses: Sequence[str]) -> Access:
    """Return FTP users, protected directories and databases, and what the panel has nothing for.

    Args:
        tables: The tables of the source.
        accounts: Whose the rows are.
        own_addresses: Addresses of the source's server, which are no remote hosts.
    """
    ftp_users = _read_ftp_users(tables, accounts)
    ssh_keys = _leave_out_ssh_keys(tables, accounts)
    protection_users = _read_protection_users(tables, accounts)
    options = _leave_out_options(tables, accounts)
    users = _group_database_users(tables)
    databases = _read_databases(tables, accounts, users, own_addresses)
    return Access(
        databases=databases.objects,
        ftp_users=ftp_users.objects,
        protection_users=protection_users.objects,
        left_out=(
            *ftp_users.left_out,
            *ssh_keys,
            *protection_users.left_out,
            *options,
            *databases.left_out,
            *_leave_out_database_users(tables, accounts, users, databases.objects),
        ),
    )


def _read_ftp_users(tables: Tables, accounts: Accounts) -> ReadRows[FtpUser]:
    """Return the accounts of FTP."""
    kind = RowKind("ftp_users", "ftp_users", make_namer("username"), accounts.find_owner)
    return read_rows(tables, kind, _read_ftp_user)


def _leave_out_ssh_keys(tables: Tables, accounts: Accounts) -> tuple[LeftOut, ...]:
    """Return the keys of SSH, none of which arrives."""
    kind = RowKind("panel_sshkeys", "ftp_users", make_namer("description"), accounts.find_owner)
    return read_rows(tables, kind, _leave_out_ssh_key).left_out


def _read_protection_users(tables: Tables, accounts: Accounts) -> ReadRows[ProtectionUser]:
    """Return the users of protected folders."""
    kind = RowKind(
        "panel_htpasswds",
        "directory_protections",
        lambda row: f"{row.format_label('path')}:{row.format_label('username')}",
        accounts.find_owner,
    )
    homes = {
        row.id: clean_path(row.get_value("documentroot").strip())
        for row in list_rows(tables, "panel_customers")
    }
    return read_rows(tables, kind, lambda row, owner: _read_protection_user(homes, row, owner))


def _leave_out_options(tables: Tables, accounts: Accounts) -> tuple[LeftOut, ...]:
    """Return the options of folders, none of which arrives."""
    kind = RowKind(
        "panel_htaccess", "directory_protections", make_namer("path"), accounts.find_owner
    )
    return read_rows(tables, kind, _leave_out_options_of_folder).left_out


def _read_ftp_user(row: FroxlorRow, owner: Owner) -> FtpUser:
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
    return FtpUser(
        origin=row.origin,
        customer=owner.username,
        username=username,
        folder=row.read_path("homedir"),
        hash=row.read_prose("password"),
        description=row.read_prose("description").strip(),
        fields_left_out=fields,
    )


def _leave_out_ssh_key(row: FroxlorRow, owner: Owner) -> LeftOut:
    """Return that a key of SSH does not arrive."""
    reason = "The panel has no SSH keys that it could be given."
    key = row.format_label("description") or "SSH key"
    return LeftOut(owner.username, "ftp_users", key, row.origin, reason)


def _read_protection_user(
    homes: Mapping[str, str], row: FroxlorRow, owner: Owner
) -> ProtectionUser:
    """Return a user of a protected folder."""
    username = row.require_text("username")
    folder = row.read_path("path")
    home = homes.get(row.get_value("customerid").strip(), "")
    statistics = {f"{home}/{name}" for name in _STATISTICS}
    if folder in statistics and username == owner.username:
        raise NoObject(OWN_OBJECT)
    return ProtectionUser(
        origin=row.origin,
        customer=owner.username,
        folder=folder,
        username=username,
        hash=row.read_prose("password"),
        auth_name=row.read_prose("authname").strip(),
    )


def _leave_out_options_of_folder(row: FroxlorRow, owner: Owner) -> LeftOut:
    """Return that options of a folder do not arrive."""
    reason = (
        "The panel has no options of directories, such as pages for errors. Use a .htaccess file."
    )
    key = row.format_label("path")
    return LeftOut(owner.username, "directory_protections", key, row.origin, reason)


def _group_database_users(tables: Tables) -> dict[str, list[FroxlorRow]]:
    """Return the rows of each user of the database server by its name, one for each host."""
    users: dict[str, list[FroxlorRow]] = {}
    for row in list_rows(tables, "mysql_user"):
        users.setdefault(row.get_value("User"), []).append(row)
    return users


def _read_databases(
    tables: Tables,
    accounts: Accounts,
    users: Mapping[str, Sequence[FroxlorRow]],
    own_addresses: Sequence[str],
) -> ReadRows[Database]:
    """Return the databases, each with the user that has its name."""
    local_hosts = {*_LOCAL_HOSTS, *own_addresses}

    def read(row: FroxlorRow, owner: Owner) -> Database:
        name = row.require_text("databasename")
        return _make_database(row, owner, name, users.get(name, []), local_hosts)

    kind = RowKind("panel_databases", "databases", make_namer("databasename"), accounts.find_owner)
    return read_rows(tables, kind, read)


def _leave_out_database_users(
    tables: Tables,
    accounts: Accounts,
    users: Mapping[str, Sequence[FroxlorRow]],
    databases: Collection[Database],
) -> list[LeftOut]:
    """Return the users of the database server that have no database.

    Args:
        tables: The tables of the source.
        accounts: The customers, each of whom has a user of its own.
        users: The rows of each user by its name.
        databases: Those that arrive.
    """
    rows = list_rows(tables, "panel_databases")
    used = {row.get_value("databasename") for row in rows}
    used.update(database.name for database in databases)
    customers = {owner.username for owner in accounts.owners.values()}
    left_out: list[LeftOut] = []
    for user, user_rows in users.items():
        if user in used or user in _USERS_OF_SERVER:
            continue
        username: str | None = None
        reason = "No database of the source's panel belongs to this user."
        if user in customers:
            username = user
            reason = OWN_OBJECT
        user_id = user_rows[0].id
        origin = Origin("mysql_user", user_id)
        left_out.append(LeftOut(username, "databases", user_id, origin, reason))
    return left_out


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

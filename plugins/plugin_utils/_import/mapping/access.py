# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes databases, FTP users and directory protections."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ....module_utils._values.names import Directory
from ....module_utils._values.value_types import quote_value
from ..._import_source.source_shape import Customer, Database, FtpUser, ProtectionUser, Source
from ..import_ledger import ORPHAN, Ledger, RowName
from ..item_checks import place_item
from ..mapped_source import Item
from ..naming.paths import OUTSIDE, find_path, find_path_below_www
from ..naming.usernames import number_name
from ..operator_mapping import OperatorMapping
from .hashes import add_hash

DATABASES = "databases"
FTP_USERS = "ftp_users"
PROTECTIONS = "directory_protections"
_LONGEST_DATABASE_USER = 80
_DIRECTORY = Directory("/shop")

_DUPLICATE = "The source has this name twice; the first one is carried."
_SECOND_DATABASE = (
    "It is the user of the database {}; a user of the panel belongs to one database, and this one "
    "has another already."
)
_NO_USER = "The source has no user of it; the panel makes one with the name of the database."
_COLON = "A name of a user has no colon."


class AccessMapper:
    """Adds databases, FTP users and directory protections to the folder."""

    def __init__(
        self,
        ledger: Ledger,
        source: Source,
        customers: Mapping[str, Customer],
        mapping: OperatorMapping,
        keeps: bool,
    ) -> None:
        """Prepare to add objects.

        Args:
            ledger: Gets the items, and what became of each row.
            source: What the other panel says.
            customers: By username of the source.
            mapping: The decisions of the operator.
            keeps: Whether hashes of passwords are taken over.
        """
        self._ledger = ledger
        self._source = source
        self._customers = customers
        self._mapping = mapping
        self._keeps = keeps

    def _leave_out(self, rows: list[RowName], reason: str, part_name: str = "") -> None:
        for row in rows:
            self._ledger.leave_out(row, reason, part_name)

    # Databases

    def map_databases(self) -> list[tuple[RowName, str, str]]:
        """Add the databases; return row, name and user of each."""
        source_users = {database.user for database in self._source.databases if database.user}
        assigned_users: set[str] = set()
        names: set[str] = set()
        mapped = []
        for database in self._source.databases:
            rows = _list_database_rows(database)
            reason = self._find_refusal(database, names)
            if reason:
                self._leave_out(rows, reason, "database_username")
                continue

            wish = database.user or database.name
            user = wish
            if wish in assigned_users:
                user = number_name(wish, assigned_users | source_users, "_", _LONGEST_DATABASE_USER)
            if not self._place_database(database, rows, user):
                continue
            names.add(database.name)
            assigned_users.add(user)
            if user != wish:
                reason = _SECOND_DATABASE.format(database.name)
                self._ledger.rename(database.customer, DATABASES, wish, user, reason)
            mapped.append((rows[0], database.name, user))
        return mapped

    def _find_refusal(self, database: Database, names: Collection[str]) -> str:
        """Return why a database does not arrive; empty where it may.

        Args:
            database: The database.
            names: Those that arrived before it.
        """
        if database.customer not in self._customers:
            return ORPHAN
        return _DUPLICATE if database.name in names else ""

    def _place_database(self, database: Database, rows: list[RowName], user: str) -> bool:
        item: Item = {
            "database_name": database.name,
            "client": self._ledger.usernames[database.customer],
            "database_username": user,
        }
        if database.description:
            item["description"] = database.description
        if database.remote_hosts:
            item["remote_hosts"] = sorted(set(database.remote_hosts))

        has_user = bool(database.user)
        is_kept = False
        if has_user:
            is_kept = add_hash(self._ledger, rows[0], item, database.hash, self._keeps)
        if place_item(self._ledger, rows, item, database.name) is None:
            return False
        self._ledger.leave_fields(rows[0], database.fields_left_out)
        if has_user:
            self._ledger.count_password(database.customer, DATABASES, database.name, is_kept)
        else:
            self._ledger.leave_field(rows[0], "database_username", _NO_USER)
        return True

    # FTP users

    def map_ftp_users(self) -> None:
        """Add the FTP users."""
        names: set[str] = set()
        for user in self._source.ftp_users:
            row = RowName(user.customer, FTP_USERS, user.username, user.origin)
            if user.customer not in self._customers:
                self._leave_out([row], ORPHAN)
                continue
            directory = self._find_directory(user)
            if user.username in names:
                self._leave_out([row], _DUPLICATE)
            elif directory is None:
                self._leave_out([row], OUTSIDE.format(quote_value(user.folder)))
            elif self._place_ftp_user(user, row, directory):
                names.add(user.username)

    def _find_directory(self, user: FtpUser) -> str | None:
        prefixes = self._customers[user.customer].paths
        return find_path(user.folder, prefixes, self._mapping.paths)

    def _place_ftp_user(self, user: FtpUser, row: RowName, directory: str) -> bool:
        item: Item = {
            "username": user.username,
            "client": self._ledger.usernames[user.customer],
        }
        if user.description:
            item["description"] = user.description
        item["home_directory"] = directory
        is_kept = add_hash(self._ledger, row, item, user.hash, self._keeps)
        if place_item(self._ledger, [row], item, user.username) is None:
            return False
        self._ledger.leave_fields(row, user.fields_left_out)
        self._ledger.count_password(user.customer, FTP_USERS, user.username, is_kept)
        return True

    # Directory protections

    def map_protections(self) -> None:
        """Add a directory protection for each user of a protected folder."""
        keys: set[tuple[str, str, str]] = set()
        for user in self._source.protection_users:
            path = self._find_protected_path(user)
            rows = _list_protection_rows(user)
            key = (user.customer, _DIRECTORY.normalize(path or ""), user.username)
            reason = self._find_obstacle(user, path)
            if not reason and key in keys:
                reason = _DUPLICATE
            if reason or path is None:
                self._leave_out(rows, reason, "users")
            elif self._place_protection(user, rows, path):
                keys.add(key)

    def _find_protected_path(self, user: ProtectionUser) -> str | None:
        """Return the path of a protected folder below the client's home; None if it has none."""
        if user.customer not in self._customers:
            return None
        prefixes = self._customers[user.customer].paths
        return find_path_below_www(user.folder, prefixes, self._mapping.paths)

    def _find_obstacle(self, user: ProtectionUser, path: str | None) -> str:
        """Return why a user of a protected folder cannot arrive; empty if it can."""
        if user.customer not in self._customers:
            return ORPHAN
        if path is None:
            return OUTSIDE.format(quote_value(user.folder))
        if ":" in user.username:
            return _COLON
        return ""

    def _place_protection(self, user: ProtectionUser, rows: list[RowName], path: str) -> bool:
        client = self._ledger.usernames[user.customer]
        item: Item = {"client": client, "path": path, "username": user.username}
        if user.auth_name:
            item["auth_name"] = user.auth_name
        key = f"{client}:{path}:{user.username}"
        is_kept = add_hash(self._ledger, rows[0], item, user.hash, self._keeps)
        if place_item(self._ledger, rows, item, key) is None:
            return False
        self._ledger.leave_fields(rows[0], user.fields_left_out)
        self._ledger.count_password(user.customer, PROTECTIONS, key, is_kept)
        return True


def _list_database_rows(database: Database) -> list[RowName]:
    """Return the rows of a database and of its user."""
    row = RowName(database.customer, DATABASES, database.name, database.origin)
    if database.user_origin is None:
        return [row]
    return [row, row._replace(key=database.user, origin=database.user_origin)]


def _list_protection_rows(user: ProtectionUser) -> list[RowName]:
    """Return the rows of a user and of the protected folder."""
    key = f"{user.folder}:{user.username}"
    row = RowName(user.customer, PROTECTIONS, key, user.origin)
    if user.folder_origin is None:
        return [row]
    return [row, row._replace(key=user.folder, origin=user.folder_origin)]

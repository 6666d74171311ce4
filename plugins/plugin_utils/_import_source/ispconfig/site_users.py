# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what belongs to ISPConfig's sites: FTP users, protected folders, jobs, and other logins."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..source_rows import NoObject
from ..source_shape import CronJob, FieldLeftOut, FtpUser, LeftOut, Origin, ProtectionUser
from ..source_tables import Row, Tables
from .rows import (
    OFF_AT_SOURCE,
    LostColumn,
    Owners,
    ReadRows,
    RowKind,
    index_rows,
    join_path,
    read_fields_left_out,
    read_prose,
    read_text,
    sort_rows,
)
from .sites import Sites

_NO_NUMBERS = ("0", "-1")
_FTP_USERS = RowKind("ftp_user", "ftp_users", lambda row: row.get("username") or "")
_SHELL_USERS = RowKind("shell_user", "ftp_users", lambda row: row.get("username") or "")
_WEBDAV_USERS = RowKind("webdav_user", "ftp_users", lambda row: row.get("username") or "")
# A command may hold a password, so that a job which does not arrive is named by its number.
_JOBS = RowKind("cron", "scheduled_tasks", lambda row: f"job {row.get('id') or ''}".strip())
_FOLDERS = RowKind("web_folder", "directory_protections", lambda row: row.get("path") or "/")
_FOLDER_USERS = RowKind(
    "web_folder_user", "directory_protections", lambda row: row.get("username") or ""
)
_LIMIT_OF_USER = "The panel limits the space of a client, not of an FTP user."
_SPEED_OF_USER = "The panel has no limits of speed for an FTP user."
_LOST_OF_FTP_USERS = (
    LostColumn("quota_size", _NO_NUMBERS, _LIMIT_OF_USER),
    LostColumn("quota_files", _NO_NUMBERS, _LIMIT_OF_USER),
    *(
        LostColumn(column, _NO_NUMBERS, _SPEED_OF_USER)
        for column in ("ul_ratio", "dl_ratio", "ul_bandwidth", "dl_bandwidth")
    ),
    LostColumn("expires", ("0000-00-00 00:00:00",), "The panel has no FTP users that expire."),
)
_LOST_OF_JOBS = (
    LostColumn("type", ("url", "full"), "It ran in a jail, where paths begin elsewhere."),
    LostColumn("log", ("n",), "The panel keeps no log of one job."),
)
# What the panel replaces when it writes a command for the server.
_PLACEHOLDER = re.compile(r"\[web_root\]|\{(?:SITE_PHP|DOCROOT_CLIENT|DOMAIN)\}")
_WITH_PLACEHOLDER = "Its command has a placeholder of the source's panel: write what it stands for."
_JOB_COLUMNS = ("run_min", "run_hour", "run_mday", "run_month", "run_wday")


def read_ftp_users(tables: Tables, owners: Owners) -> ReadRows[FtpUser]:
    """Return the FTP users that arrive."""

    def read(row: Row, origin: Origin) -> FtpUser:
        customer = owners.require_owner(row)
        if not owners.is_on(_FTP_USERS, row):
            raise NoObject(OFF_AT_SOURCE)
        return FtpUser(
            origin,
            customer,
            _read_name(row, "username"),
            join_path(read_text(row, "dir").strip(), ""),
            hash=read_prose(row, "password"),
            fields_left_out=read_fields_left_out(row, _LOST_OF_FTP_USERS),
        )

    return owners.read_rows(tables, _FTP_USERS, read)


def leave_out_other_logins(tables: Tables, owners: Owners) -> tuple[LeftOut, ...]:
    """Return the shell users and those of WebDAV, of which the panel's API has none."""

    def refuse_shell(row: Row, _origin: Origin) -> None:
        owners.require_owner(row)
        raise NoObject("It is a shell user, and the panel's API has none.")

    def refuse_webdav(row: Row, _origin: Origin) -> None:
        owners.require_owner(row)
        raise NoObject("It is a user of WebDAV, and the panel has none.")

    shell_users = owners.read_rows(tables, _SHELL_USERS, refuse_shell)
    webdav_users = owners.read_rows(tables, _WEBDAV_USERS, refuse_webdav)
    return (*shell_users.left_out, *webdav_users.left_out)


def read_jobs(tables: Tables, owners: Owners) -> ReadRows[CronJob]:
    """Return the jobs that arrive."""

    def read(row: Row, origin: Origin) -> CronJob:
        customer = owners.require_owner(row)
        command = read_text(row, "command").strip()
        if not command:
            raise NoObject("It has no command.")
        omitted = list(read_fields_left_out(row, _LOST_OF_JOBS))
        is_url = read_text(row, "type") == "url"
        if not is_url and _PLACEHOLDER.search(command):
            omitted.append(FieldLeftOut("command", _WITH_PLACEHOLDER))
        if not owners.is_on(_JOBS, row):
            omitted.append(FieldLeftOut("active", "It was off at the source: leave it off."))
        return CronJob(
            origin,
            customer,
            _read_schedule(row),
            command,
            is_url=is_url,
            fields_left_out=tuple(omitted),
        )

    return owners.read_rows(tables, _JOBS, read)


def _read_schedule(row: Row) -> str:
    """Return the five fields of a job, or the macro that one of them has.

    The panel writes @reboot into the month, and takes blanks out of each field for the server.
    """
    values = ["".join(read_text(row, column).split()) for column in _JOB_COLUMNS]
    for value in values:
        if value.startswith("@"):
            return value
    if not all(values):
        raise NoObject("Its time is not complete.")
    return " ".join(values)


def read_protection_users(tables: Tables, owners: Owners, sites: Sites) -> ReadRows[ProtectionUser]:
    """Return the users of protected folders that arrive, and folders without one."""
    folders = _Folders(owners, sites, index_rows(tables, "web_folder"))
    kind = replace(_FOLDER_USERS, name=folders.name_user)
    users = owners.read_rows(tables, kind, folders.read_user)
    used = {str(user.folder_origin) for user in users.entries}
    lost_folders = [
        owners.leave_out(_FOLDERS, row, origin, folders.describe_absence(row))
        for origin, row in sort_rows(tables, "web_folder")
        if str(origin) not in used
    ]
    return ReadRows(users.entries, (*users.left_out, *lost_folders))


@dataclass(frozen=True)
class _Folders:
    """The protected folders of a source, by the users who may open them.

    Attributes:
        rows: Rows of folders by id.
    """

    owners: Owners
    sites: Sites
    rows: Mapping[str, Row]

    def name_user(self, row: Row) -> str:
        """Return how a user is named: by customer, path and username."""
        folder = self.rows.get(row.get("web_folder_id") or "", {})
        owner = self.owners.find_owner(row) or ""
        return f"{owner}:{folder.get('path') or ''}:{row.get('username') or ''}"

    def read_user(self, row: Row, origin: Origin) -> ProtectionUser:
        """Return a user of a folder."""
        customer = self.owners.require_owner(row)
        folder_id = row.get("web_folder_id") or ""
        folder = self.rows.get(folder_id)
        if folder is None:
            raise NoObject("Its directory is not at the source.")
        if self.owners.find_owner(folder) != customer:
            raise NoObject("Its directory is another customer's.")
        path = self.find_path(folder)
        if not self.owners.is_on(_FOLDER_USERS, row) or not self.owners.is_on(_FOLDERS, folder):
            raise NoObject(OFF_AT_SOURCE)
        return ProtectionUser(
            origin,
            customer,
            path,
            _read_name(row, "username"),
            hash=read_prose(row, "password"),
            folder_origin=Origin("web_folder", folder_id),
        )

    def find_path(self, folder: Row) -> str:
        """Return the absolute path of a protected folder, which its row has relative to its site."""
        site = self.sites.find_parent(folder)
        return join_path(self.sites.find_folder(site), read_text(folder, "path").strip())

    def describe_absence(self, folder: Row) -> str:
        """Say why a folder does not arrive."""
        try:
            self.owners.require_owner(folder)
            self.find_path(folder)
        except NoObject as refusal:
            return refusal.reason
        if not self.owners.is_on(_FOLDERS, folder):
            return OFF_AT_SOURCE
        return "No user of it arrives, and the panel protects no directory without one."


def _read_name(row: Row, column: str) -> str:
    """Return a login.

    Raises:
        NoObject: It is empty.
    """
    name = read_text(row, column).strip()
    if not name:
        raise NoObject("It has no username.")
    return name

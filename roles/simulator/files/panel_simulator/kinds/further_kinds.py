# SPDX-License-Identifier: GPL-3.0-or-later
"""Databases, FTP users, directory protections and scheduled tasks, which have no path by name.

Only the list of databases is documented; docs/panel_api.md#inferred-paths has the source of the
other paths, and docs/panel_api.md#fields-of-other-types that of the fields.
"""

from __future__ import annotations

from collections.abc import Callable

from panel_simulator.fields import Choice, Field, Flag, ListOf, Members, Number, Text
from panel_simulator.kinds.rules import check_limits, check_owner
from panel_simulator.panel import Panel
from panel_simulator.store import Change, Kind

_OWNER = Field("id_user", Number(least=1), required=True, access="create")
_DATABASE = Text(
    pattern=r"[A-Za-z0-9_-]+",
    longest=64,
    required=True,
    form="may have letters, digits, '_' and '-' only.",
)
_FTP_USER = Text(
    pattern=r"[A-Za-z0-9._@-]+",
    longest=64,
    required=True,
    form="may have letters, digits, '.', '_', '@' and '-' only.",
)
_HOME = Text(pattern=r"/(www|files)(/.*)?", required=True, form="must lie under /www or /files.")
_PROTECTED_USER = Text(pattern=r"[^:\s]+", required=True, form="must not have colons or spaces.")
_CRON_FIELD = Text(
    pattern=r"[0-9A-Za-z*,/-]+", required=True, form="is not a field of a cron schedule."
)
_HOURS_AND_DAYS = ("hour", "day_of_month", "month", "day_of_week")


def _require_owner(
    limit: str = "", system_allowed: bool = False
) -> Callable[[Panel, Change], None]:
    """Return a rule: a new object needs an owner who may have a further object by a limit.

    Args:
        limit: the name of the limit that counts such objects; empty for none.
        system_allowed: whether the system may be the owner.
    """
    counts = {limit: 1} if limit else {}

    def prepare(panel: Panel, change: Change) -> None:
        """Refuse a new object without an owner, and beyond the owner's limit."""
        if change.entry is None:
            check_owner(panel, change.data["id_user"], system_allowed)
            check_limits(panel, change.data["id_user"], counts)

    return prepare


def _prepare_database(panel: Panel, change: Change) -> None:
    _require_owner("databases")(panel, change)
    data = change.data
    if change.entry is None:
        data["database_username"] = data["database_username"] or data["database_name"]


DATABASES = Kind(
    name="databases",
    noun="database",
    key="database_name",
    key_scope="database name",
    by_name=False,
    sorts=("id", "database_name", "database_username"),
    documented=frozenset({"list"}),
    has_password=True,
    fields=(
        _OWNER,
        Field("database_name", _DATABASE, required=True, access="create"),
        Field("database_username", _DATABASE, default="", access="create", inferred=True),
        Field("description", Text(), default=""),
        Field("size", Number(least=0), default=0, access="ro"),
        Field("remote_hosts", ListOf(Text(required=True)), default=[]),
    ),
    prepare=_prepare_database,
)


FTP_USERS = Kind(
    name="ftp_users",
    noun="FTP user",
    key="username",
    key_scope="FTP username",
    by_name=False,
    sorts=("id", "username"),
    documented=frozenset(),
    has_status=True,
    has_password=True,
    fields=(
        _OWNER,
        Field("username", _FTP_USER, required=True, access="create"),
        Field("description", Text(), default=""),
        Field("home_directory", _HOME, default="/www", inferred=True),
    ),
    prepare=_require_owner("ftp_users"),
)


# Several users of one path are several objects.
DIRECTORY_PROTECTIONS = Kind(
    name="directory_protections",
    noun="directory protection",
    by_name=False,
    sorts=("id", "path", "username"),
    documented=frozenset(),
    has_status=True,
    has_password=True,
    fields=(
        _OWNER,
        Field("path", Text(required=True), required=True, inferred=True),
        Field("auth_name", Text(), default=""),
        Field("username", _PROTECTED_USER, required=True, inferred=True),
        Field("exceptions", ListOf(Text(required=True)), default=[], inferred=True),
    ),
    prepare=_require_owner(),
)


SCHEDULED_TASKS = Kind(
    name="scheduled_tasks",
    noun="scheduled task",
    by_name=False,
    sorts=("id", "description"),
    documented=frozenset(),
    has_status=True,
    fields=(
        # 0 is the system's root.
        Field("id_user", Number(least=0), default=0, access="create", inferred=True),
        Field("type", Choice("exec", "php", "http"), required=True),
        Field("command", Text(required=True), required=True),
        Field("description", Text(), default=""),
        Field("php_interpreter", Text(nullable=True), default=None),
        Field(
            "schedule",
            Members(
                Field("minute", _CRON_FIELD, default="0", inferred=True),
                *(Field(name, _CRON_FIELD, default="*", inferred=True) for name in _HOURS_AND_DAYS),
            ),
        ),
        Field("is_enabled", Flag(), default=True, inferred=True),
    ),
    prepare=_require_owner("scheduled_tasks", system_allowed=True),
)

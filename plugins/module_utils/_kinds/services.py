# SPDX-License-Identifier: GPL-3.0-or-later
"""What a client has beside domains: mailboxes, databases, FTP users, directory protections, scheduled tasks (facts.md sections 9 to 11).

Private to the collection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .._schema.kind import Change, Field, Group, Kind, Password
from .._values.names import REMOTE_HOST, Directory, EmailAddress, Name
from .._values.value_types import Boolean, ByteSize, Choice, SetOf, Text, Word
from .client import owner


def _wrong_mailbox(account: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    # A panel may not repeat the address of an account that is asked for by its id, nor show a list.
    address, aliases = account.get("email"), account.get("aliases")
    if isinstance(aliases, list) and address in aliases:
        yield "aliases", f"{address} is the address of the mailbox itself."


EMAIL = Kind(
    singular="email",
    title="mailbox",
    key=(Field("email", EmailAddress()),),
    rows=(
        owner(inherit="email"),
        Field("description", Text()),
        # The panel's form needs 1 or more; whether the API takes -1 is left to the panel (facts.md section 9).
        Field("max_size", ByteSize(least=1)),
        Field("catch_all", Boolean()),
        Field("store_forwarded_emails", Boolean()),
        Field("aliases", SetOf(EmailAddress())),
        Field("forwardings", SetOf(EmailAddress())),
    ),
    has_status=True,
    password=Password(),
    sorts=("id", "email", "email_utf8"),
    addresses=("email", "aliases"),
    wrong=_wrong_mailbox,
    shown=("email_utf8", "size", "aliases_utf8", "forwardings_utf8"),
)

DATABASE = Kind(
    singular="database",
    key=(Field("database_name", Name()),),
    rows=(
        owner(required=True),
        # Every client that is known to work sends it, so it is never left to the panel.
        Field("database_username", Name(), change=Change.IDENTITY, default_from="database_name"),
        Field("description", Text()),
        Field("remote_hosts", SetOf(REMOTE_HOST)),
    ),
    by_name=False,
    has_scheme=True,
    password=Password(),
    sorts=("id", "database_name", "database_username"),
    shown=("size",),
)

FTP_USER = Kind(
    singular="ftp_user",
    title="FTP user",
    key=(Field("username", Name()),),
    rows=(
        owner(required=True),
        Field("description", Text()),
        Field("home_directory", Directory("/www/shop")),
    ),
    by_name=False,
    has_scheme=True,
    is_inferred=True,
    has_status=True,
    password=Password(),
)

# The web server's file of users has a colon after each name.
_USER = Name("a string that is not empty and has no colon", lambda name: ":" not in name)

DIRECTORY_PROTECTION = Kind(
    singular="directory_protection",
    # Each user of a directory is an object of its own, and nothing says that the panel refuses a second one.
    key=(
        owner(),
        Field("path", Directory("/shop/admin, or / for all of it")),
        Field("username", _USER),
    ),
    rows=(Field("auth_name", Text()), Field("exceptions", SetOf(Text(clearable=False)))),
    by_name=False,
    is_inferred=True,
    is_unique=False,
    has_status=True,
    password=Password(),
)

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
# A step goes through a range; behind a single number no cron takes one.
_PART = re.compile(r"(?:\*|(\w+)-(\w+))(?:/[1-9]\d*)?|(\w+)", re.ASCII)


class CronField(Word):
    """One column of a cron table, as cron takes it. Zeros in front and upper case have no meaning."""

    def __init__(self, least: int, most: int, names: tuple[str, ...] = ()) -> None:
        or_names = f" or {names[0]} to {names[-1]}" if names else ""
        form = f"a field of a cron table with numbers from {least} to {most}{or_names}, such as {most}, */2, 2-4 or *"
        super().__init__(form, self._checked, _normal_field)
        self._numbers = {str(number): number for number in range(least, most + 1)}
        self._numbers.update({name: number for number, name in enumerate(names, least)})

    def _checked(self, text: str) -> str:
        for part in _normal_field(text).split(","):
            match = _PART.fullmatch(part)
            ends = [self._numbers.get(word, -1) for word in match.groups() if word is not None] if match else [-1]
            if -1 in ends or ends != sorted(ends):
                raise ValueError
        return re.sub(r"\s*,\s*", ",", text)


def _normal_field(text: str) -> str:
    return re.sub(r"(?<!\d)0+(?=\d)", "", re.sub(r"\s*,\s*", ",", text.strip())).lower()


SCHEDULED_TASK = Kind(
    singular="scheduled_task",
    # The panel has no name for a task; the description is what operators tell them apart by.
    key=(owner(empty_is_zero=True), Field("description", Name())),
    rows=(
        Field("type", Choice("exec", "php", "http"), required=True),
        Field("command", Text(clearable=False), required=True),
        Field("php_interpreter", Text(empty_is_null=True)),
        Group(
            "schedule",
            members=(
                Field("minute", CronField(0, 59)),
                Field("hour", CronField(0, 23)),
                Field("day_of_month", CronField(1, 31)),
                Field("month", CronField(1, 12, _MONTHS)),
                Field("day_of_week", CronField(0, 7, _DAYS)),
            ),
        ),
        Field("is_enabled", Boolean()),
    ),
    by_name=False,
    is_inferred=True,
    is_unique=False,
    has_status=True,
)

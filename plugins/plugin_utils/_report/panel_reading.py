# SPDX-License-Identifier: GPL-3.0-or-later
"""One panel as it answered, and how its values are read. Pure."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._secrets.redaction import escape_control_characters

# What no file can have, and what would be a column of its own.
_NO_TEXT = re.compile("[\t\ud800-\udfff]")
Items = Sequence[Mapping[str, Any]]
# Bytes by month YYYY-MM and service.
Months = Mapping[str, Mapping[str, int]]


def read_short_line(value: Any, default: str = "", longest: int = 200) -> str:
    """Return a value as one short line of text; ``default`` for what is no text or number."""
    if value is None or value == "" or isinstance(value, (dict, list, bool)):
        return default
    text = escape_control_characters(_NO_TEXT.sub("\ufffd", str(value)))
    if len(text) > longest:
        return f"{text[: longest - 1]}…"
    return text


def read_whole_number(value: Any) -> int | None:
    """Return a whole number; None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return None


def read_fields(value: Any) -> Mapping[str, Any]:
    """Return the fields of a dictionary; none for anything else."""
    return value if isinstance(value, Mapping) else {}


@dataclass(frozen=True)
class PanelReading:
    """One panel as it answered.

    Attributes:
        name: As the inventory calls it.
        address: Its host.
        disk_space: Bytes of its disk, as the inventory says.
        failure: Why nothing could be read.
        problems: What else could not be read.
        server: The answer about the server.
        objects: The objects by plural kind.
        stats: The statistics by id of the client.
        traffic: The traffic by id of the client.
        drift: How it differs from its export; None without one.
        mail_dns: The judged domains; None if they were not read.
        requests: How many were sent.
    """

    name: str
    address: str
    disk_space: int | None = None
    failure: str = ""
    problems: tuple[str, ...] = ()
    server: Mapping[str, Any] = field(default_factory=dict)
    objects: Mapping[str, Items] = field(default_factory=dict)
    stats: Mapping[Any, Mapping[str, Any]] = field(default_factory=dict)
    traffic: Mapping[Any, Months] = field(default_factory=dict)
    drift: Mapping[str, Any] | None = None
    mail_dns: Items | None = None
    requests: int = 0

    def list_objects(self, plural: str) -> Items:
        """Return the objects of a kind."""
        return self.objects.get(plural, ())

    @functools.cached_property
    def usernames(self) -> dict[Any, str]:
        """Return the names of the clients by id; without the panel itself, which owns objects
        too."""
        usernames = {
            client.get("id"): read_short_line(client.get("username"))
            for client in self.list_objects("clients")
        }
        # What shows no owner is not of a client that shows no id.
        usernames.pop(None, None)
        return usernames

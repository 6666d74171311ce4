# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was read from one panel: the form between those that ask and those that judge, whatever a panel put there. Pure. Private to the collection."""

from __future__ import annotations

import datetime
import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._jobs.plan_words import cut

# A text of a panel longer than this is no name, and would make the page unreadable.
_LONGEST = 200
# No disk has so many bytes.
_MOST = 2**63
# Control characters, and those that turn the direction of everything after them.
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_COLON = re.compile(r"([+-]\d{2})(\d{2})$", re.ASCII)
Objects = Sequence[Mapping[str, Any]]
# Bytes by month YYYY-MM and service.
Months = Mapping[str, Mapping[str, int]]


def text(value: Any, default: str = "", longest: int = _LONGEST) -> str:
    """One short line of text; ``default`` where there is none."""
    if value is None or isinstance(value, (dict, list, bool)) or value == "":
        return default
    return cut(_INVISIBLE.sub("\ufffd", str(value)), longest)


def number(value: Any) -> int | None:
    """A whole number, also one that came as a text; None where it is none."""
    if isinstance(value, bool):
        return None
    try:
        found = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if abs(found) < _MOST else None


def identifier(value: Any) -> int | str | None:
    """An id, as something to look up by; None where it is none."""
    return value if isinstance(value, (int, str)) and not isinstance(value, bool) else None


def members(value: Any) -> Mapping[str, Any]:
    """The members of an object; none where it is no object."""
    return value if isinstance(value, Mapping) else {}


def instant(value: Any, zone: datetime.tzinfo | None) -> datetime.datetime | None:
    """An instant; ``zone`` is that of one without an offset. None where it is none."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.datetime.fromisoformat(_COLON.sub(r"\1:\2", value.strip().replace("Z", "+00:00")))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=zone)


@dataclass(frozen=True)
class Drift:
    """How a panel differs from its committed export.

    changes: ``{"kind", "key", "what", "details"}``; what is missing (only in the files), surplus (only on the panel) or different.
    failure: why it could not be compared, instead.
    """

    changes: tuple[Mapping[str, str], ...] = ()
    failure: str = ""


@dataclass(frozen=True)
class PanelReading:
    """One panel as it answered.

    address: host, with the port where one was given. disk_space: bytes that its disk has, where the operator says so. failure: why
    nothing could be read. problems: what else could not be read. objects: by plural kind. stats: by id of the client. traffic: by id
    of the client and month, by service. mail_dns: what was found of each domain with mail, None where nobody looked. drift: None where there is
    no export to compare with.
    """

    name: str
    address: str
    disk_space: int | None = None
    failure: str = ""
    problems: tuple[str, ...] = ()
    server: Mapping[str, Any] = field(default_factory=dict)
    objects: Mapping[str, Objects] = field(default_factory=dict)
    stats: Mapping[Any, Mapping[str, Any]] = field(default_factory=dict)
    traffic: Mapping[Any, Months] = field(default_factory=dict)
    drift: Drift | None = None
    mail_dns: Objects | None = None
    requests: int = 0

    def of(self, kind: str) -> Objects:
        """The objects of a kind."""
        return self.objects.get(kind, ())

    def username(self, owner: Any) -> str:
        """The name of the client with this id; empty for what belongs to the server itself."""
        return self._usernames.get(identifier(owner), "")

    @functools.cached_property
    def _usernames(self) -> dict[Any, str]:
        names = {identifier(client.get("id")): text(client.get("username")) for client in self.of("clients")}
        return {number: name for number, name in names.items() if number is not None}

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The name and the mark by which what a verify has made can be told from everything else. Pure. Private to the collection.

A client is removed only where its name and its notes fit together, a plan only where its name and its limits do. The mark also says where the verify
ran: where the same locks count one tells whether it still runs, elsewhere only the time that has passed does, by the panel's clock if that shows.
"""

from __future__ import annotations

import datetime
import hashlib
import math
import re
import secrets
import string
from collections.abc import Container, Mapping
from typing import Any

from .evidence import number

PREFIX = "hpverify"
OWN_NAME = re.compile(rf"{PREFIX}[a-z]{{6}}")
GIVEN_NAME = re.compile(r"[a-z][a-z0-9-]{3,22}[a-z0-9]")
GIVEN_FORM = "5 to 24 lower case letters, digits and hyphens, a letter first and no hyphen last"
# Limits of the throw-away plan that no other plan has together.
PLAN_LIMITS = {"subdomains": 73, "ftp_users": 73, "scheduled_tasks": 73, "email_accounts": 73}
# After so long no verify runs any more. By how much two machines may disagree about the time.
LONGEST = datetime.timedelta(minutes=15)
MARGIN = datetime.timedelta(minutes=45)
_MARK = re.compile(
    r"hosting\.panel\.verify ([a-z0-9-]+) since (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) at ([0-9a-f]{12})\. It may be deleted\."
)
_TIME = "%Y-%m-%dT%H:%M:%SZ"


def new_name(taken: Container[str]) -> str:
    """One that nobody has."""
    while True:
        name = PREFIX + "".join(secrets.choice(string.ascii_lowercase) for _number in range(6))
        if name not in taken:
            return name


def machine(*facts: Any) -> str:
    """What stands in a mark for the machine, or for what of it has the same locks; it tells nothing about it."""
    return hashlib.sha256("\0".join(map(str, facts)).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def mark(name: str, now: datetime.datetime, place: str) -> str:
    """The notes of the throw-away client. now: with a zone. place: as of ``machine``."""
    since = now.astimezone(datetime.timezone.utc).strftime(_TIME)
    return f"hosting.panel.verify {name} since {since} at {place}. It may be deleted."


class Left:
    """What the mark of a client says: since when there is one, and where the verify ran."""

    def __init__(self, name: str, notes: Any) -> None:
        found = _MARK.fullmatch(notes.strip()) if isinstance(notes, str) else None
        self.is_marked = found is not None and found[1] == name
        self.since: datetime.datetime | None = None
        self.place = found[3] if found is not None else ""
        if found is not None:
            try:
                self.since = datetime.datetime.strptime(found[2], _TIME).replace(tzinfo=datetime.timezone.utc)
            except ValueError:
                self.is_marked = False

    def minutes(self, now: datetime.datetime, is_panels: bool) -> int:
        """After how many more the verify that made it cannot run any more, wherever it ran. is_panels: whether this is the time on the panel."""
        end = (self.since or now) + LONGEST + (datetime.timedelta() if is_panels else MARGIN)
        return max(0, math.ceil((end - now).total_seconds() / 60))


def has_own_limits(plan: Mapping[str, Any]) -> bool:
    """Whether a plan has the limits of a throw-away one."""
    limits = plan.get("resources")
    return isinstance(limits, Mapping) and all(number(limits.get(one)) == value for one, value in PLAN_LIMITS.items())

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dates and times as the panel writes them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone

PANEL_ZONE = timezone(timedelta(hours=2))
LAST_DAY = date(2099, 12, 31)
_SHOWN_ZONES = {
    "utc": UTC,
    "local": PANEL_ZONE,
    "winter": timezone(timedelta(hours=1)),
    "west": timezone(timedelta(hours=-5)),
}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def now() -> str:
    """This moment in the panel's zone, with a colon in the offset (facts.md section 6, ``created_at``)."""
    return datetime.now(PANEL_ZONE).isoformat(timespec="seconds")


def read_instant(text: str, zone: timezone) -> datetime:
    """A date (midnight in ``zone``) or an ISO 8601 date and time, in ``zone``; raises ValueError."""
    text = text.strip()
    if _DATE.fullmatch(text):
        moment = datetime.fromisoformat(text).replace(tzinfo=zone)
    else:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=zone) if moment.tzinfo is None else moment.astimezone(zone)
    if moment.date() > LAST_DAY:
        raise ValueError(f"after {LAST_DAY}")
    return moment


def shown_instant(text: str, dates: str) -> str:
    """What was written, as answers show it with the setting ``dates``."""
    moment = datetime.fromisoformat(text)
    if dates == "date":
        return moment.date().isoformat()
    zone = _SHOWN_ZONES.get(dates)
    return text if zone is None else write_instant(moment.astimezone(zone), colon=dates != "utc")


def write_instant(moment: datetime, colon: bool) -> str:
    """ISO 8601 with an offset, ``+02:00`` or, as in ``delete_on`` of domains, ``+0000``."""
    return moment.isoformat(timespec="seconds") if colon else moment.strftime("%Y-%m-%dT%H:%M:%S%z")

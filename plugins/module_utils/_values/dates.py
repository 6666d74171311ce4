# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Days and instants. Private to the collection."""

from __future__ import annotations

import datetime
import re
from typing import Any

from .value_types import ValueType

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_INSTANT = re.compile(
    r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?(?:\.\d+)?\s*(Z|[+-]\d{2}:?\d{2})?", re.ASCII | re.IGNORECASE
)
_HOUR = datetime.timedelta(hours=1)
# The offsets in use, in minutes; -11:00, -12:00 and +14:00 are those of a few islands, and would make some midnights those of two days.
_OFFSETS = tuple(
    datetime.timedelta(minutes=minutes)
    for minutes in (*range(-600, 781, 60), -570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765)
)
_LAST_YEAR = 2099  # facts.md section 4.1: the panel accepts dates up to 2099-12-31


class Day(ValueType):
    """``YYYY-MM-DD`` or an ISO 8601 date with time and offset; an empty text clears (null on the panel).

    A bare day equals the day that the panel's value stands for, see ``_day_of``; with a time, instants are compared, and where the panel shows
    a day only, an instant is the same as each day that it is a part of in some offset in use. Without an offset a time would be one in the
    panel's own, which cannot be read and need not be the one that it answers in.
    """

    form = (
        f"a date YYYY-MM-DD or a date with time and offset such as 2026-12-31T22:00:00+01:00, up to {_LAST_YEAR}-12-31, "
        "or an empty text to clear it"
    )

    def parse(self, value: Any) -> Any:
        text = str(value).strip()
        if not text:
            return None
        if _DAY.fullmatch(text):
            day = datetime.date.fromisoformat(text)
            if day.year > _LAST_YEAR:
                raise ValueError
            return text
        instant = _instant(text)
        if instant is None or instant.tzinfo is None or instant.year > _LAST_YEAR:
            raise ValueError
        return instant.isoformat(timespec="seconds")

    def same(self, wanted: Any, current: Any) -> bool:
        if not wanted or not current:
            return not wanted and not current
        if not isinstance(current, str):
            return False
        if _DAY.fullmatch(wanted):
            return _day_of(wanted) == _day_of(current)
        if _DAY.fullmatch(current):
            return current in _days_of(wanted)
        first, second = _instant(wanted), _instant(current)
        if first is None or second is None:
            return bool(wanted == current)
        if (first.tzinfo is None) != (second.tzinfo is None):
            # What the panel shows without an offset is in its own, which is taken for the given one.
            return first.replace(tzinfo=None) == second.replace(tzinfo=None)
        return first == second


def _day_of(text: str) -> str:
    """The one day that a value stands for: ``YYYY-MM-DD``.

    It is the date part in the offset that is shown, unless the value is a midnight in another offset that a panel may have kept a bare day
    in: in UTC, or in the other one of summer and winter time; and where UTC is shown, or an offset west of it, in any that is in use.
    These are from -10:00 to +13:00, less than a day apart, so an instant is the midnight of one day only: a day and its neighbour are
    never taken for each other, and what was written once is the same in the next run.
    """
    instant = _instant(text)
    offset = instant.utcoffset() if instant is not None else None
    if instant is None or offset is None or instant.time() == datetime.time():
        return text.strip()[:10]
    for kept in _OFFSETS if offset <= datetime.timedelta() else (offset - _HOUR, offset + _HOUR):
        moment = _in_offset(instant, kept)
        if moment is not None and moment.time() == datetime.time():
            return moment.date().isoformat()
    return text.strip()[:10]


def _days_of(text: str) -> set[str]:
    """The days that an instant is a part of: in its own offset, and in those in use, one of which is the panel's."""
    instant = _instant(text)
    moments = [_in_offset(instant, offset) for offset in _OFFSETS] if instant is not None else []
    return {text[:10], *(moment.date().isoformat() for moment in moments if moment is not None)}


def _in_offset(instant: datetime.datetime, offset: datetime.timedelta) -> datetime.datetime | None:
    """None before the first year and after the last one, which panels may show for "never"."""
    try:
        return instant.astimezone(datetime.timezone(offset))
    except OverflowError:
        return None


def _instant(text: str) -> datetime.datetime | None:
    """The instant, with the offsets that the panel writes with and without a colon (facts.md section 6)."""
    match = _INSTANT.fullmatch(text.strip())
    if not match:
        return None
    day, minutes, seconds, offset = match.groups()
    if offset in ("Z", "z"):
        offset = "+00:00"
    elif offset and ":" not in offset:
        offset = f"{offset[:3]}:{offset[3:]}"
    try:
        return datetime.datetime.fromisoformat(f"{day}T{minutes}{seconds or ':00'}{offset or ''}")
    except ValueError:
        return None

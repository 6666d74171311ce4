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
# How far the offsets in use are from UTC.
_WEST, _EAST = datetime.timedelta(hours=12), datetime.timedelta(hours=14)
_LAST_YEAR = 2099  # facts.md section 4.1: the panel accepts dates up to 2099-12-31


class Day(ValueType):
    """``YYYY-MM-DD`` or an ISO 8601 date with time and offset; an empty text clears (null on the panel).

    A bare day equals the date part of what the panel shows. Where the panel shows a day only, an instant equals each day that it is a part of
    somewhere. A time needs an offset, since the panel's own is unknown.
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
            return bool(wanted == current.strip()[:10])
        first, second = _instant(wanted), _instant(current)
        if first is not None and _DAY.fullmatch(current):
            moment = first.astimezone(datetime.timezone.utc)
            return (moment - _WEST).date().isoformat() <= current <= (moment + _EAST).date().isoformat()
        if first is None or second is None:
            return bool(wanted == current)
        if (first.tzinfo is None) != (second.tzinfo is None):
            # What the panel shows without an offset is in its own, which is taken for the given one.
            return first.replace(tzinfo=None) == second.replace(tzinfo=None)
        return first == second


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

# SPDX-License-Identifier: GPL-3.0-or-later
"""Dates, with and without a time: as options take them, and compared with what a panel shows."""

from __future__ import annotations

import datetime
import re
from typing import Any

from .answer_forms import STRICT_TEXT
from .value_types import OR_EMPTY, ValueType

_INSTANT = re.compile(
    r"(\d{4}-\d{2}-\d{2})"
    r"(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?\s*(Z|[+-]\d{2}:?\d{2})?)?",
    re.ASCII | re.IGNORECASE,
)
_LENGTH_OF_A_DAY = 10  # YYYY-MM-DD
# By the offsets in use, a day begins somewhere so long before it does in UTC, and ends somewhere so
# long after that.
_EARLIEST_BEGINNING = datetime.timedelta(hours=-14)
_LATEST_END = datetime.timedelta(hours=24 + 12)
# Later dates are refused by the panel (docs/panel_api.md#dates).
_LAST_YEAR = 2099


class Day(ValueType):
    """Takes ``YYYY-MM-DD`` or an ISO 8601 date with time and offset; an empty string clears (null
    on the panel).

    A bare day equals the date part of what the panel shows. Where the panel shows a day only, an
    instant equals each day that it is a part of somewhere. A time needs an offset, since the
    panel's own is unknown.
    """

    answer_form = STRICT_TEXT
    form = (
        "a date YYYY-MM-DD or a date with time and offset such as 2026-12-31T22:00:00+01:00, "
        f"up to {_LAST_YEAR}-12-31{OR_EMPTY}"
    )

    def parse(self, value: Any) -> Any:
        """Return the date as it is sent."""
        text = str(value).strip()
        if not text:
            return None

        instant = _parse_instant(text)
        if instant is None or instant.tzinfo is None or instant.year > _LAST_YEAR:
            raise ValueError
        if _is_bare_day(text):
            return text
        return instant.isoformat(timespec="seconds")

    def equals(self, desired: Any, actual: Any) -> bool:
        """Tell whether the panel's date is the desired (parsed) one."""
        if not desired:
            return not actual
        if not isinstance(actual, str):
            return False
        if _is_bare_day(desired):
            return bool(desired == actual.strip()[:_LENGTH_OF_A_DAY])

        desired_instant = _parse_instant(desired)
        actual_instant = _parse_instant(actual)
        if desired_instant is None or actual_instant is None:
            return False
        if _is_bare_day(actual):
            return _EARLIEST_BEGINNING <= desired_instant - actual_instant < _LATEST_END

        if actual_instant.tzinfo is None:
            # It is in the panel's own offset, which is taken for the desired one.
            actual_instant = actual_instant.replace(tzinfo=desired_instant.tzinfo)
        return desired_instant == actual_instant


def _is_bare_day(text: str) -> bool:
    return len(text) == _LENGTH_OF_A_DAY


def _parse_instant(text: str) -> datetime.datetime | None:
    """Return the instant of a text; of a day its beginning in UTC."""
    time = parse_time(text)
    if time is not None and time.tzinfo is None and _is_bare_day(text.strip()):
        return time.replace(tzinfo=datetime.timezone.utc)
    return time


def parse_time(text: str) -> datetime.datetime | None:
    """Return the time that a text in the form of ISO 8601 says; None if it is none.

    It has the offset that is written, as panels write it with and without a colon
    (docs/panel_api.md#dates), also where Python before 3.11 does not read it. Without one, it has
    none.
    """
    match = _INSTANT.fullmatch(text.strip())
    if match is None:
        return None

    day, time, offset = match.groups("")
    if offset in ("Z", "z"):
        offset = "+00:00"
    elif offset and ":" not in offset:
        offset = f"{offset[:3]}:{offset[3:]}"

    try:
        return datetime.datetime.fromisoformat(f"{day}T{time or '00:00'}{offset}")
    except ValueError:
        return None

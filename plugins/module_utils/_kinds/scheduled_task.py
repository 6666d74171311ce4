# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scheduled tasks (facts.md section 11; the interface names the area only). Private to the collection."""

from __future__ import annotations

import re
from typing import Any

from .._schema.kind import Field, Group, Kind
from .._values.names import Name
from .._values.value_types import Boolean, Choice, Text, ValueType
from .owner import owner

_RANGE = re.compile(r"(?<![\w])(\d{1,9})-(\d{1,9})(?!\w)")


class CronField(ValueType):
    """One column of a cron table, a text on the panel. Zeros in front and upper case have no meaning."""

    form = "one column of a cron table such as 0, */15, 1-5 or *"

    def parse(self, value: Any) -> str:
        if isinstance(value, (dict, list, bool, float)):
            raise ValueError
        text = re.sub(r"\s*,\s*", ",", str(value).strip())
        # A whole schedule in the place of one column is the usual mistake.
        if len(text.split()) != 1 or not text.isascii():
            raise ValueError
        # Steps of nothing, and ranges that end before they begin, are what no cron takes.
        if re.search(r"/0+(?!\d)", text) or any(int(first) > int(last) for first, last in _RANGE.findall(text)):
            raise ValueError
        return text

    def comparable(self, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            return value
        return re.sub(r"(?<!\d)0+(?=\d)", "", re.sub(r"\s+", "", str(value))).lower()


SCHEDULED_TASK = Kind(
    singular="scheduled_task",
    plural="scheduled_tasks",
    title="scheduled task",
    path="/scheduled-tasks",
    # The panel has no name for a task; the description is what operators tell them apart by.
    key=(
        owner(empty_is_zero=True),
        Field("description", Name()),
    ),
    rows=(
        Field("type", Choice("exec", "php", "http"), required=True),
        Field("command", Text(clearable=False), required=True),
        Field("php_interpreter", Text(empty_is_null=True)),
        Group(
            "schedule",
            members=tuple(
                Field(name, CronField()) for name in ("minute", "hour", "day_of_month", "month", "day_of_week")
            ),
        ),
        Field("is_enabled", Boolean()),
    ),
    by_name=False,
    is_inferred=True,
    is_unique=False,
    has_status=True,
)

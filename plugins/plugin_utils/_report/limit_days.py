# SPDX-License-Identifier: GPL-3.0-or-later
"""Days on which clients were over a limit, which the JSON file keeps from one report to the next.

Pure. A panel shows today alone, so what is known are the days on which a report was made.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._run.marked_texts import load_marked_json
from .months import list_months_until, make_identity
from .panel_reading import PanelReading
from .report_rows import BAD, pair_clients_with_rows

FIELD = "limit_days"
_MONTHS_KEPT = 24
_ANY_PERCENT = 100
# Days of the month, by month YYYY-MM.
DaysByMonth = dict[str, list[int]]
PanelKey = tuple[str, str]
ClientKey = tuple[str, ...]


@dataclass(frozen=True)
class LimitDays:
    """The days that are known.

    Attributes:
        read: By name and address of a panel the days on which all of its clients were read.
        over: By identity of a client the days on which it was over a limit.
    """

    read: dict[PanelKey, DaysByMonth] = field(default_factory=dict)
    over: dict[ClientKey, DaysByMonth] = field(default_factory=dict)

    def count(self, reading: PanelReading, client: Mapping[str, Any], month: str) -> int | None:
        """Return on how many days of a month a client was over a limit; None if no day is known."""
        if not self.read.get((reading.name, reading.address), {}).get(month):
            return None
        identity = make_identity(reading.name, reading.address, client)
        return len(self.over.get(identity, {}).get(month, []))

    def with_day(self, readings: Iterable[PanelReading], day: datetime.date) -> LimitDays:
        """Return the same with what the panels show today, for these panels alone."""
        months = list_months_until(day, _MONTHS_KEPT)
        today = LimitDays()
        for reading in readings:
            panel_key = (reading.name, reading.address)
            has_all = all(
                client.get("id") in reading.stats for client in reading.list_objects("clients")
            )
            days = _keep_months(self.read.get(panel_key, {}), months)
            if has_all and not reading.failure:
                _add_day(days, day)
            today.read[panel_key] = days

            clients_over = set(_list_clients_over_limits(reading))
            for identity, kept in self.over.items():
                if identity[:2] == panel_key:
                    today.over[identity] = _keep_months(kept, months)
            for identity in clients_over:
                _add_day(today.over.setdefault(identity, {}), day)
        return today

    def as_json(self) -> list[dict[str, Any]]:
        """Return the rows of the JSON file, one for each panel."""
        rows = []
        for (server, address), months in self.read.items():
            clients = [
                {"id": identity[2], "client": identity[3], "months": days}
                for identity, days in sorted(self.over.items())
                if identity[:2] == (server, address) and days
            ]
            rows.append(
                {"server": server, "address": address, "months": months, "clients": clients}
            )
        return rows


def read_limit_days(report: str) -> LimitDays:
    """Return the days that the JSON file of an earlier report keeps; none if a person changed its
    form."""
    limit_days = LimitDays()
    try:
        for row in load_marked_json(report)[FIELD]:
            key = (str(row["server"]), str(row["address"]))
            limit_days.read[key] = _read_days(row["months"])
            for client in row["clients"]:
                identity = (*key, str(client["id"]), str(client["client"]))
                limit_days.over[identity] = _read_days(client["months"])
    except (AttributeError, KeyError, TypeError, ValueError):
        return LimitDays()
    return limit_days


def _read_days(months: Mapping[str, Sequence[int]]) -> DaysByMonth:
    days_by_month = {}
    for month, days in months.items():
        days_by_month[str(month)] = sorted(set(map(int, days)))
    return days_by_month


def _keep_months(days: DaysByMonth, months: Sequence[str]) -> DaysByMonth:
    """Return a copy with these months alone."""
    return {month: list(days[month]) for month in months if days.get(month)}


def _add_day(days: DaysByMonth, day: datetime.date) -> None:
    month = days.setdefault(day.strftime("%Y-%m"), [])
    if day.day not in month:
        month.append(day.day)
        month.sort()


def _list_clients_over_limits(reading: PanelReading) -> Iterator[ClientKey]:
    """Yield the clients that the page shows as over a limit, or at one that leaves nothing over."""
    for client, row in pair_clients_with_rows(reading, _ANY_PERCENT):
        if row["level"] == BAD:
            yield make_identity(reading.name, reading.address, client)

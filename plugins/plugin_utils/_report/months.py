# SPDX-License-Identifier: GPL-3.0-or-later
"""Months of traffic: which are reported, and which an earlier report has kept. Pure."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._run.marked_texts import load_marked_json
from .panel_reading import Months, PanelReading, read_fields, read_short_line, read_whole_number

# People have other words for the protocols of docs/panel_api.md#traffic-of-a-client.
SERVICES = {"web": ("http",), "mail": ("smtp", "pop3", "imap"), "ftp": ("ftp",)}
# A panel counts a day at night, and its day may end up to a day later than that of the controller
# (docs/panel_api.md#days-of-traffic).
_SETTLED_AFTER = datetime.timedelta(days=2)
# Months by panel, address, id and name of a client: one that was created again is asked for again.
_IDENTITY = ("server", "address", "id", "client")
Kept = Mapping[tuple[str, ...], Months]


def list_months_until(day: datetime.date, count: int) -> list[str]:
    """Return so many months in the form of docs/panel_api.md#traffic-of-a-client, the last of them
    the one of the day."""
    last = day.year * 12 + day.month - 1
    months = []
    for number in range(last - count + 1, last + 1):
        year, month = divmod(number, 12)
        months.append(f"{year:04}-{month + 1:02}")

    return months


def select_past_months(months: Iterable[str], now: datetime.datetime) -> list[str]:
    """Return those of the months YYYY-MM whose traffic does not change any more."""
    newest = (now - _SETTLED_AFTER).strftime("%Y-%m")
    return [month for month in months if month < newest]


def sum_by_service(protocols: Mapping[str, Any]) -> dict[str, int]:
    """Return bytes in and out together, by service that the panel shows."""
    sums = {}
    for service, names in SERVICES.items():
        if any(protocols.get(name) for name in names):
            sums[service] = sum(_sum_protocol(protocols.get(name)) for name in names)
    return sums


def _sum_protocol(value: Any) -> int:
    directions = read_fields(value)
    return sum(read_whole_number(directions.get(name)) or 0 for name in ("in", "out"))


def make_identity(panel_name: str, address: str, client: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a client is known by from one report to the next."""
    return panel_name, address, str(client.get("id")), read_short_line(client.get("username"))


def read_kept_months(report: str) -> Kept:
    """Return the months that the JSON file of an earlier report keeps; none if a person changed its
    form."""
    try:
        rows = load_marked_json(report)["months_over"]
        return {_read_identity(row): row["months"] for row in rows}
    except (KeyError, TypeError, ValueError):
        return {}


def _is_complete(amounts: Mapping[str, int]) -> bool:
    """Return whether a month has all services; one of which a panel shows only a part is asked for
    again."""
    return amounts.keys() == SERVICES.keys()


def _read_identity(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(row[name] for name in _IDENTITY)


def list_months_to_keep(
    readings: Iterable[PanelReading], over: Sequence[str]
) -> list[dict[str, Any]]:
    """Return what the next report does not have to ask for, as rows of the JSON file.

    Args:
        readings: The panels.
        over: The months that do not change any more.
    """
    rows = []
    for reading in readings:
        for client in reading.list_objects("clients"):
            traffic = reading.traffic.get(client.get("id"), {})
            months = {
                month: traffic[month] for month in over if _is_complete(traffic.get(month, {}))
            }
            if months:
                identity = make_identity(reading.name, reading.address, client)
                rows.append({**dict(zip(_IDENTITY, identity)), "months": months})
    return rows

# SPDX-License-Identifier: GPL-3.0-or-later
"""The report as the one dictionary that page, JSON and metrics say. Pure."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .months import list_months_until
from .panel_reading import PanelReading, read_fields
from .report_rows import (
    BAD,
    FINE,
    LEVELS,
    NEAR,
    Row,
    Rows,
    make_certificate_rows,
    make_client_rows,
    make_duplicate_rows,
    make_error_rows,
    make_mail_dns_rows,
    make_mailbox_rows,
    make_server_row,
    make_traffic_tables,
)

FORMAT = "hosting.panel.report"
VERSION = 1
AREAS = (
    "servers",
    "limits",
    "mailboxes",
    "certificates",
    "mail_dns",
    "errors",
    "duplicates",
    "drift",
)
# Options that are whole numbers: default, least, most.
NUMBERS = {
    "near_percent": (90, 1, 100),
    "soon_days": (30, 0, 3650),
    "urgent_days": (7, 0, 3650),
    "months": (6, 0, 24),
    "top": (10, 1, 1000),
    "concurrency": (4, 1, 16),
}
_THRESHOLDS = ("near_percent", "soon_days", "urgent_days", "top")
# By area of the summary the rows that have its levels.
_ROWS_WITH_LEVEL = {
    "servers": "servers",
    "limits": "clients",
    "mailboxes": "mailboxes",
    "certificates": "certificates",
    "mail_dns": "mail_dns",
}
_NAMES = ("domain", "email", "name", "client")


def build_report(
    readings: Sequence[PanelReading], now: datetime.datetime, title: str = "Report", **numbers: int
) -> Row:
    """Return all that the page, the JSON file and the metrics say.

    Args:
        readings: The panels.
        now: With the time zone of the days.
        title: Of the page.
        numbers: The options of ``NUMBERS``; the others have their defaults.
    """
    options = {name: default for name, (default, _least, _most) in NUMBERS.items()}
    options.update(numbers)
    near_percent = options["near_percent"]
    read = [reading for reading in readings if not reading.failure]
    report: Row = {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "generated_at": now.isoformat(timespec="seconds"),
        "thresholds": {name: options[name] for name in _THRESHOLDS},
        "servers": [make_server_row(reading, near_percent) for reading in readings],
        "clients": _collect_sorted_rows(read, make_client_rows, near_percent),
        "mailboxes": _collect_sorted_rows(read, make_mailbox_rows, near_percent),
        "traffic": make_traffic_tables(
            read, list_months_until(now, options["months"]), options["top"]
        ),
        "certificates": _collect_sorted_rows(
            read, make_certificate_rows, now, options["soon_days"], options["urgent_days"]
        ),
        "lets_encrypt_domains": _count_lets_encrypt(read),
        "mail_dns": _collect_sorted_rows(read, make_mail_dns_rows),
        "errors": _collect_rows(read, make_error_rows),
        "duplicates": list(make_duplicate_rows(read)),
        "drift": [_make_drift_row(reading) for reading in readings],
    }
    report["summary"] = _summarize(report)
    return report


def _collect_rows(
    readings: Iterable[PanelReading], make_rows: Callable[..., Rows], *options: Any
) -> list[Row]:
    """Return the rows of all panels."""
    rows: list[Row] = []
    for reading in readings:
        rows += make_rows(reading, *options)
    return rows


def _collect_sorted_rows(
    readings: Iterable[PanelReading], make_rows: Callable[..., Rows], *options: Any
) -> list[Row]:
    """Return the rows of all panels, the worst first."""
    return sorted(_collect_rows(readings, make_rows, *options), key=_rank_urgency)


def _rank_urgency(row: Row) -> tuple[Any, ...]:
    """Return a key that sorts the worst rows first; unused certificates come last, and so do
    clients without numbers."""
    level = LEVELS.index(row["level"])
    is_unused = not row.get("used_by", True)
    use = row.get("worst") or row
    percent = use.get("percent", -1)
    end = row.get("valid_till") or "~"
    name = next(row[field] for field in _NAMES if field in row)
    return level, is_unused, -percent, end, name, row["server"]


def _count_lets_encrypt(readings: Iterable[PanelReading]) -> int:
    """Return how many domains have a certificate that the panel renews by itself."""
    count = 0
    for reading in readings:
        for domain in reading.list_objects("domains"):
            if read_fields(domain.get("security")).get("lets_encrypt") is True:
                count += 1
    return count


def _make_drift_row(reading: PanelReading) -> Row:
    drift = reading.drift or {"is_compared": False, "failure": "", "changes": []}
    return {"server": reading.name, **drift}


def _summarize(report: Row) -> Row:
    """Return by area what is bad, what comes near, how much there is in all, and what that makes
    the area."""
    levels = {area: _list_levels(report[rows]) for area, rows in _ROWS_WITH_LEVEL.items()}
    levels["errors"] = [BAD] * len(report["errors"])
    levels["duplicates"] = [NEAR] * len(report["duplicates"])
    levels["drift"] = _list_levels_of_drift(report["drift"])

    totals = {area: len(levels[area]) for area in AREAS}
    totals["mailboxes"] = sum(server["counts"]["emails"] for server in report["servers"])
    totals["drift"] = sum(row["is_compared"] for row in report["drift"])
    return {area: _make_summary_row(levels[area], totals[area]) for area in AREAS}


def _list_levels_of_drift(rows: Iterable[Row]) -> list[str]:
    """Return a level for each object that differs, and for each panel that could not be
    compared."""
    levels = []
    for row in rows:
        levels += [NEAR] * len(row["changes"])
        if row["failure"]:
            levels.append(BAD)
    return levels


def _list_levels(rows: Iterable[Row]) -> list[str]:
    return [row["level"] for row in rows]


def _make_summary_row(levels: Sequence[str], total: int) -> Row:
    return {
        "bad": levels.count(BAD),
        "near": levels.count(NEAR),
        "total": total,
        "level": min(levels, key=LEVELS.index, default=FINE),
    }

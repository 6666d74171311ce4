# SPDX-License-Identifier: GPL-3.0-or-later
"""A report as a table for invoices: a row for each client and month. Pure.

What only today is known stands in the newest month. A cell is empty where the report does not know
the figure, and such cells are named beside the table.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .limit_days import LimitDays
from .panel_reading import PanelReading, read_fields, read_short_line, read_whole_number
from .report_rows import Row

COLUMNS = (
    *("panel", "client", "client_id", "plan", "month", "disk_bytes", "disk_limit"),
    *("traffic_bytes", "traffic_limit", "mailboxes", "databases", "domains", "days_over_limit"),
)
# By name of a separator what stands between two cells.
SEPARATORS = {",": ",", ";": ";", "|": "|", "tab": "\t", "\t": "\t"}
DECIMALS = (".", ",")
UNLIMITED = -1
# By column the resource of a client, and which of its figures.
_FIGURES_OF_TODAY = {
    "disk_bytes": ("disk_space", "value"),
    "disk_limit": ("disk_space", "max"),
    "traffic_limit": ("traffic", "max"),
    "mailboxes": ("email_accounts", "value"),
    "databases": ("databases", "value"),
    "domains": ("domains", "value"),
}
# What a spreadsheet takes for the beginning of a formula, also in its wide form.
_FORMULA = re.compile("[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?", re.ASCII)


@dataclass(frozen=True)
class UsageForm:
    """How the table is written.

    Attributes:
        separator: What stands between two cells.
        decimal: What stands before the decimals of a number.
    """

    separator: str = ","
    decimal: str = "."


def make_usage_rows(
    readings: Sequence[PanelReading], months: Sequence[str], limit_days: LimitDays
) -> list[Row]:
    """Return the rows of all panels, by client and month; a panel that was not read has none.

    Args:
        readings: The panels.
        months: YYYY-MM, the newest one last.
        limit_days: The days on which clients were over a limit.
    """
    rows: list[Row] = []
    for reading in readings:
        rows += _make_rows_of_panel(reading, months, limit_days)
    return rows


def render_usage(rows: Sequence[Row], form: UsageForm) -> str:
    """Return the rows as text of a file."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=form.separator, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([_format_cell(row[column], form.decimal) for column in COLUMNS])
    return text.getvalue()


def list_gaps(
    readings: Sequence[PanelReading], rows: Sequence[Row], with_traffic: bool
) -> list[str]:
    """Return which panels have no rows, and which rows lack figures that a report reads.

    Args:
        readings: The panels.
        rows: Their rows.
        with_traffic: Whether the traffic of months was read.
    """
    gaps = [f"{reading.name} (all)" for reading in readings if reading.failure]
    newest_month = max((row["month"] for row in rows), default="")
    for row in rows:
        expected: list[str] = []
        if row["month"] == newest_month:
            expected += _FIGURES_OF_TODAY
        if with_traffic:
            expected.append("traffic_bytes")
        if any(row[column] is None for column in expected):
            gaps.append(f"{row['panel']} {row['client']} {row['month']}")
    return gaps


def _make_rows_of_panel(
    reading: PanelReading, months: Sequence[str], limit_days: LimitDays
) -> Iterator[Row]:
    """Yield the rows of a panel."""
    hosting_plans = {plan.get("id"): plan.get("name") for plan in reading.list_objects("plans")}
    for client in sorted(reading.list_objects("clients"), key=_rank_client):
        identity = {
            "panel": reading.name,
            "client": client.get("username"),
            "client_id": read_fields(client.get("contact_data")).get("client_id"),
            "plan": hosting_plans.get(client.get("id_hosting_plan")),
        }
        traffic = reading.traffic.get(client.get("id"), {})
        for month in months:
            figures = dict.fromkeys(_FIGURES_OF_TODAY)
            if month == months[-1]:
                figures = _collect_figures_of_today(reading, client)
            yield {
                **{column: _make_harmless_text(value) for column, value in identity.items()},
                "month": month,
                **figures,
                "traffic_bytes": sum(traffic[month].values()) if traffic.get(month) else None,
                "days_over_limit": limit_days.count(reading, client, month),
            }


def _rank_client(client: Mapping[str, Any]) -> tuple[str, str]:
    """Return a key that sorts clients the same in each run, whatever the order of the list."""
    return str(client.get("username")).lower(), str(client.get("id"))


def _collect_figures_of_today(reading: PanelReading, client: Mapping[str, Any]) -> Row:
    """Return what a client uses and may use; None for what is not known."""
    stats = reading.stats.get(client.get("id")) or {}
    figures: Row = {}
    for column, (resource, figure) in _FIGURES_OF_TODAY.items():
        number = read_whole_number(read_fields(stats.get(resource)).get(figure))
        if number is not None:
            number = max(number, UNLIMITED)
        figures[column] = number
    return figures


def _make_harmless_text(value: Any) -> str:
    """Return a text in which no spreadsheet finds a formula; a number stays one."""
    text = read_short_line(value)
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{text}"
    return text


def _format_cell(value: Any, decimal: str) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return str(value).replace(".", decimal)
    return str(value)

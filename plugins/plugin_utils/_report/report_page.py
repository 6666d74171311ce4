# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report as one HTML page: data and a template in, a text out. Pure but for reading the parts beside this file. Private to the collection.

Everything that a panel said is escaped. The page loads nothing and sends nothing: its policy allows the one style sheet and the one script
that are in it, by their checksums. Every number of a chart is also in its text, so the drawings themselves are hidden from screen readers.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ...module_utils._values.sizes import size_text
from .._run.own_files import OwnFiles
from . import report_words
from .usage import FINE, IN_BYTES, LEVELS

PAGES = OwnFiles(
    "page of a report", re.compile(r'\s*<!DOCTYPE html>.*<meta name="generator" content="hosting.panel">', re.DOTALL)
)
_PARTS = Path(__file__).parent
# Servers with a colour of their own; the others share one.
MOST_SERIES = 6
WEEKS = 13


def page(report: Mapping[str, Any]) -> str:
    """The page of a report."""
    environment = Environment(
        loader=FileSystemLoader(str(_PARTS)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        size=size_text,
        amount=report_words.amount,
        percent=report_words.percent,
        resource=report_words.resource,
        month=report_words.month,
        day=report_words.day,
        remaining=report_words.remaining,
        counted=report_words.counted,
        share=share,
        quantity=_quantity,
        by_name=lambda resources: {one["name"]: one["value"] for one in resources},
    )
    style, script = _part("report.css"), _part("report.js")
    text: str = environment.get_template("report.html.j2").render(
        report=report,
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script),
        servers=_servers(report["servers"]),
        traffic=_traffic(report),
        expiries=expiries(report["certificates"]),
    )
    return text


def _part(name: str) -> str:
    return "\n" + (_PARTS / name).read_text(encoding="utf-8").strip() + "\n"


def _policy(style: str, script: str) -> str:
    return f"default-src 'none'; style-src {_checksum(style)}; script-src {_checksum(script)}; base-uri 'none'; form-action 'none'"


def _checksum(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _servers(servers: Sequence[Mapping[str, Any]], most: int = 3) -> list[dict[str, str]]:
    """What the top says of a few servers: first those with something to look at, then the fullest."""

    def order(server: Mapping[str, Any]) -> tuple[Any, ...]:
        disk = server["disk_space"]
        level = LEVELS.index(disk["level"])
        return (not server["failure"], level, not server["reboot_required"], -(disk["percent"] or 0), server["server"])

    return [{"server": one["server"], "said": _said(one)} for one in sorted(servers, key=order)[:most]]


def _said(server: Mapping[str, Any]) -> str:
    disk = server["disk_space"]
    if server["failure"]:
        return "not read"
    if disk["level"] == FINE and (server["problems"] or server["reboot_required"]):
        return "partly read" if server["problems"] else "needs a reboot"
    return (
        f"disk {report_words.percent(disk['percent'])}"
        if disk["percent"] is not None
        else f"{size_text(disk['used'])} used"
    )


def _traffic(report: Mapping[str, Any]) -> dict[str, Any]:
    traffic = report["traffic"]
    series = [(one["server"], one["bytes"]) for one in traffic["servers"]]
    return stacks(traffic["months"], series)


def _quantity(value: int | None, name: str) -> str:
    """An amount of a resource, in its unit."""
    return size_text(value) if name in IN_BYTES else report_words.amount(value)


def stacks(months: Sequence[str], series: Sequence[tuple[str, Sequence[int]]]) -> dict[str, Any]:
    """Columns of stacked parts.

    ``{"names": names, "columns": [{"label", "total", "parts": [{"series", "bottom", "height"}]}]}``; heights in percent of the highest
    column, series counted from 1.
    """
    shown = _merged(series)
    totals = [sum(values[index] for _name, values in shown) for index in range(len(months))]
    highest = max(totals, default=0) or 1
    columns = []
    for index, month in enumerate(months):
        parts, bottom = [], 0.0
        for number, (_name, values) in enumerate(shown, start=1):
            height = 100 * values[index] / highest
            if height > 0:
                parts.append({"series": number, "bottom": round(bottom, 2), "height": round(height, 2)})
            bottom += height
        columns.append({"label": month, "total": totals[index], "parts": parts})
    return {"names": [name for name, _values in shown], "columns": columns}


def _merged(series: Sequence[tuple[str, Sequence[int]]]) -> list[tuple[str, Sequence[int]]]:
    """The largest series, and all others as one."""
    if len(series) <= MOST_SERIES:
        return list(series)
    by_size = sorted(series, key=lambda one: -sum(one[1]))
    kept = {name for name, _values in by_size[: MOST_SERIES - 1]}
    rest = [sum(values) for values in zip(*(values for name, values in series if name not in kept))]
    return [one for one in series if one[0] in kept] + [(f"{len(series) - len(kept)} others", rest)]


def expiries(certificates: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Certificates by the week in which they end, those in use: ``{"label", "text", "bad", "near", "fine", "total"}``.

    The first column is over, the last one later than the weeks between. Heights in percent of the highest are in ``heights``; a column that
    ``is_cut`` would be higher.
    """
    columns = [{"label": "over", "text": "already ended"}]
    columns += [{"label": str(week), "text": f"in week {week} from now"} for week in range(1, WEEKS + 1)]
    columns += [{"label": "later", "text": f"in more than {WEEKS} weeks"}]
    counts = [{"bad": 0, "near": 0, "fine": 0} for _column in columns]
    for certificate in certificates:
        days = certificate["days"]
        if days is not None and certificate["used_by"]:
            counts[_column_of(days)][certificate["level"]] += 1
    totals = [sum(count.values()) for count in counts]
    # The last column would dwarf the others.
    highest = max(totals[:-1]) or totals[-1] or 1
    return [
        {**column, **count, "total": total, "is_cut": total > highest, "heights": _heights(count, max(highest, total))}
        for column, count, total in zip(columns, counts, totals)
    ]


def _column_of(days: int) -> int:
    if days < 0:
        return 0
    return min(days // 7 + 1, WEEKS + 1)


def _heights(count: Mapping[str, int], highest: int) -> list[dict[str, Any]]:
    scale = 100 / highest
    heights, bottom = [], 0.0
    for level, number in count.items():
        if number:
            heights.append({"level": level, "bottom": round(bottom, 2), "height": round(number * scale, 2)})
        bottom += number * scale
    return heights


def share(part: int | None, whole: int | None) -> float:
    """Percent for the length of a bar: from 0 to 100."""
    if not part or not whole or part < 0 or whole < 0:
        return 0.0
    return round(min(100.0, 100 * part / whole), 1)

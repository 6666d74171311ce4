# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A report as page and as lines. Pure: the dictionary of ``make_report.report`` in, text out. Private to the collection.

Everything that a panel said is escaped. The policy of the page allows the one style sheet and the one script that are in it, by their checksums.
Every number of a chart is also in its text, so the drawings are hidden from screen readers.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ...module_utils._values.sizes import size_text
from .usage import BAD, LEVELS, NEAR, Row

_PARTS = Path(__file__).parent
# Panels with a colour of their own; the others share one.
MOST_SERIES = 6
WEEKS = 13
_RESOURCES = {
    "disk_space": "disk space",
    "email_accounts": "mailboxes",
    "email_addresses": "e-mail addresses",
    "email_forwardings": "forwardings",
    "ftp_users": "FTP users",
    "scheduled_tasks": "scheduled tasks",
}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# By area of the summary what is said of what is bad, and of what comes near.
_AREAS = {
    "servers": ("panel", "not read or full", "to check"),
    "limits": ("client", "over or at a limit", "near a limit"),
    "mailboxes": ("mailbox", "full", "nearly full"),
    "certificates": ("certificate", "ended or urgent", "ending soon"),
    "mail_dns": ("domain", "whose mail gets lost or can be forged", "with weak mail DNS"),
    "errors": ("object", "with the status error", ""),
    "duplicates": ("name", "", "on several panels"),
    "drift": ("object", "not compared", "different from the export"),
}


def amount(value: int | None) -> str:
    return "–" if value is None else f"{value:,}".replace(",", "\u202f")


def percent(value: float | None) -> str:
    """Rounded down, so that 99.6 does not look full."""
    return "–" if value is None else "over\u00a0999\u00a0%" if value >= 999 else f"{int(value)}\u00a0%"


def resource(name: str) -> str:
    """What people call a resource of the statistics, or a kind of object."""
    return _RESOURCES.get(name, name.replace("_", " "))


def month(name: str) -> str:
    """A month YYYY-MM in three letters, January with its year."""
    word = _MONTHS[int(name[5:]) - 1]
    return f"{word} {name[:4]}" if name[5:] == "01" else word


def day(name: str | None) -> str:
    found = None if name is None else datetime.date.fromisoformat(name)
    return f"{found.day}\u00a0{_MONTHS[found.month - 1]}\u00a0{found.year}" if found else "unknown"


def remaining(days: int | None) -> str:
    if days is None or days < 0:
        return "unknown" if days is None else "ended yesterday" if days == -1 else f"ended {-days} days ago"
    return {0: "today", 1: "tomorrow"}.get(days, f"in {days} days")


def counted(number: int, one: str, several: str = "") -> str:
    """A number with its noun."""
    return f"{amount(number)} {one if number == 1 else several or one + 's'}"


def share(part: int | None, whole: int | None) -> float:
    """Percent for the length of a bar: from 0 to 100."""
    return round(min(100.0, 100 * part / whole), 1) if part and whole and part > 0 and whole > 0 else 0.0


def quantity(value: int | None, name: str) -> str:
    """An amount of a resource, in its unit."""
    return size_text(value) if name in ("disk_space", "traffic") else amount(value)


def lines(report: Row) -> list[str]:
    """The size of the fleet, and one line for each area that needs attention."""
    servers = report["servers"]
    read = sum(1 for server in servers if not server["failure"])
    found = [f"{read} of {counted(len(servers), 'panel')} read, {counted(len(report['clients']), 'client')}"]
    for area, (noun, *said) in _AREAS.items():
        parts = []
        for level, words in zip((BAD, NEAR), said):
            thing = "panel" if (area, level) == ("drift", BAD) else noun
            number = report["summary"][area][level]
            if number:
                parts.append(f"{counted(number, thing, 'mailboxes' if thing == 'mailbox' else '')} {words}")
        if parts:
            name = {"servers": "panels", "mail_dns": "mail DNS"}.get(area, area)
            found.append(f"{name}: {', '.join(parts)}")
    return found if len(found) > 1 else [*found, "nothing needs attention"]


def page(report: Row) -> str:
    """The page of a report."""
    environment = Environment(  # not Ansible's templar, which escapes nothing
        loader=FileSystemLoader(str(_PARTS)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        optimized=False,  # a page is rendered once, which is quicker than to optimise it first
    )
    words = (amount, percent, resource, month, day, remaining, counted, share, quantity)
    environment.filters.update({one.__name__: one for one in words}, size=size_text, checksum=_checksum)
    style, script = (Markup((_PARTS / name).read_text(encoding="utf-8")) for name in ("report.css", "report.js"))
    return environment.get_template("page.html.j2").render(
        report=report,
        style=style,
        script=script,
        servers=sorted(report["servers"], key=_needs_attention)[:3],
        traffic=stacks(
            report["traffic"]["months"], [(one["server"], one["bytes"]) for one in report["traffic"]["servers"]]
        ),
        expiries=expiries(report["certificates"]),
    )


def _checksum(text: str) -> Markup:
    return Markup(f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'")


def _needs_attention(server: Row) -> tuple[Any, ...]:
    """First those with something to look at, then the fullest."""
    disk = server["disk_space"]
    order = (not server["failure"], LEVELS.index(disk["level"]), not server["reboot_required"])
    return (*order, -(disk["percent"] or 0), server["server"])


def stacks(months: Sequence[str], series: Sequence[tuple[str, Sequence[int]]]) -> Row:
    """Columns of stacked parts, in percent of the highest column; the largest series, and all others as one."""
    if len(series) > MOST_SERIES:
        largest = sorted(series, key=lambda one: -sum(one[1]))[: MOST_SERIES - 1]
        kept = [one for one in series if one in largest]
        rest = [sum(values) for values in zip(*(values for name, values in series if (name, values) not in kept))]
        series = [*kept, (f"{len(series) - len(kept)} others", rest)]
    totals = [sum(values[index] for _name, values in series) for index in range(len(months))]
    columns = [
        _column(month(name), "", size_text(totals[at]), [values[at] for _name, values in series], max(totals))
        for at, name in enumerate(months)
    ]
    return {"names": [name for name, _values in series], "columns": columns}


def _column(label: str, text: str, shown: str, values: Sequence[int], highest: int) -> Row:
    """The parts that are there, each on those before it. index: which of the values it is, from 1."""
    parts, bottom = [], 0.0
    for index, value in enumerate(values, start=1):
        height = 100 * value / (highest or 1)
        if value > 0:
            parts.append({"index": index, "bottom": round(bottom, 2), "height": round(height, 2)})
        bottom += height
    return {"label": label, "text": text, "shown": shown, "total": sum(values), "parts": parts}


def expiries(certificates: Sequence[Row]) -> list[Row]:
    """Certificates in use by the week in which they end: first those that are over, at last those later than the weeks between.

    A column that ``is_cut`` would be higher than the others' highest, which it would dwarf.
    """
    columns = [("over", "already ended"), *((str(week), f"in week {week} from now") for week in range(1, WEEKS + 1))]
    columns.append(("later", f"in more than {WEEKS} weeks"))
    counts = [dict.fromkeys(LEVELS, 0) for _column in columns]
    for one in certificates:
        if one["days"] is not None and one["used_by"]:
            counts[0 if one["days"] < 0 else min(one["days"] // 7 + 1, WEEKS + 1)][one["level"]] += 1
    totals = [sum(count.values()) for count in counts]
    highest = max(totals[:-1]) or totals[-1]
    found = []
    for (label, text), count, total in zip(columns, counts, totals):
        column = _column(label, text, str(total or ""), list(count.values()), max(highest, total))
        found.append({**column, "is_cut": total > highest})
    return found

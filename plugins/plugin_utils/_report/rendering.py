# SPDX-License-Identifier: GPL-3.0-or-later
"""A report as a page and as lines. Pure: the dictionary of ``build_report`` in, text out.

Everything that a panel said is escaped. The policy of the page allows the one style sheet and the
one script that are in it, by their checksums. Every number of a drawing is also in its text, so
drawings are hidden from screen readers.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from ...module_utils._kinds.registry import CONSUMED, COUNTED, KINDS
from ...module_utils._values.sizes import format_size
from .._run.template import render_template
from .report_rows import FINE, LEVELS, Row

_DIRECTORY = Path(__file__).parent
# From so many percent of its limit on a client is on the page.
_HIGH_USE = 75
# For a number that the panel does not show.
_NO_NUMBER = "–"
_THIN_SPACE = "\u202f"
_FIXED_SPACE = "\u00a0"
# What people call kinds and resources.
_TYPES = {**{kind: table.title for kind, table in KINDS.items()}, "emails": "mailbox"}
_RESOURCES = {
    **{name: name.replace("_", " ") for name in (*CONSUMED, *COUNTED)},
    "email_accounts": "mailboxes",
    "email_addresses": "e-mail addresses",
    "email_forwardings": "forwardings",
    "ftp_users": "FTP users",
}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# By area of the summary its name, and what one thing is called that is bad, and one that comes
# near.
_AREAS = {
    "servers": ("panels", "panel not read or full", "panel to check"),
    "limits": ("limits", "client over or at a limit", "client near a limit"),
    "mailboxes": ("mailboxes", "mailbox full", "mailbox nearly full"),
    "certificates": ("certificates", "certificate expired or urgent", "certificate expiring soon"),
    "mail_dns": ("mail DNS", "domain at risk of lost or forged mail", "domain with weak records"),
    "errors": ("errors", "object that a panel could not apply", ""),
    "duplicates": ("duplicates", "", "name on several panels"),
    "drift": ("drift", "panel not compared", "object different from the export"),
}
# The section of the page for an area that has none of its own.
_SECTION_OF_AREA = {"mailboxes": "limits"}
# Sections without findings, which come last.
_LAST_SECTIONS = ("traffic", "lists")
# Areas that only some reports have.
_OPTIONAL_AREAS = ("mail_dns", "drift")


# Numbers and dates, as filters of the page.


def format_amount(value: int | None) -> str:
    """Return a number in groups of three digits."""
    if value is None:
        return _NO_NUMBER
    return f"{value:,}".replace(",", _THIN_SPACE)


def format_percent(value: float | None) -> str:
    """Return percent, rounded down, so that 99.6 does not look full."""
    if value is None:
        return _NO_NUMBER
    if value >= 999:
        return f"over{_FIXED_SPACE}999{_FIXED_SPACE}%"
    return f"{int(value)}{_FIXED_SPACE}%"


def format_date(text: str | None) -> str:
    """Return a day YYYY-MM-DD or a month YYYY-MM as people write it."""
    if text is None:
        return "unknown"
    year, month, *days = text.split("-")
    parts = [day.lstrip("0") for day in days]
    return _FIXED_SPACE.join([*parts, _MONTHS[int(month) - 1], year])


def format_remaining(days: int | None) -> str:
    """Return how long something is valid."""
    if days is None:
        return "unknown"
    if days < 0:
        return f"expired {count_noun(-days, 'day')} ago"
    if days == 0:
        return "today"
    return f"in {count_noun(days, 'day')}"


def count_noun(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is 1."""
    ending = ""
    if number != 1:
        ending = "es" if noun.endswith("x") else "s"
    return f"{format_amount(number)} {noun}{ending}"


def compute_bar_length(value: int | None, whole: int | None) -> float:
    """Return percent for the length of a bar: from 0 to 100."""
    if not value or not whole or value < 0 or whole < 0:
        return 0.0
    return round(min(100.0, 100 * value / whole), 1)


def format_quantity(value: int | None, name: str) -> str:
    """Return a quantity of the resource with this name."""
    if name in ("disk_space", "traffic"):
        return format_size(value)
    return format_amount(value)


def format_time(moment: str) -> Markup:
    """Return a moment in the form of ISO 8601 as the element of a page."""
    day, time_of_day = moment.split("T")
    element = Markup('<time datetime="{}">{}, {}</time>')
    return element.format(moment, format_date(day), time_of_day[: len("HH:MM")])


def compute_checksum_for_policy(text: str) -> Markup:
    """Return the checksum of a script or a style sheet in the form of a content security policy."""
    digest = hashlib.sha256(text.encode()).digest()
    return Markup(f"'sha256-{base64.b64encode(digest).decode()}'")


_FILTERS: Mapping[str, Callable[..., Any]] = {
    "amount": format_amount,
    "percent": format_percent,
    "date": format_date,
    "remaining": format_remaining,
    "counted": count_noun,
    "share": compute_bar_length,
    "quantity": format_quantity,
    "checksum": compute_checksum_for_policy,
    "size": format_size,
}


# The page and the lines.


def render_page(report: Row) -> str:
    """Return the report as a page of HTML."""
    areas = summarize_areas(report)
    content = {
        "report": report,
        "time": format_time(report["generated_at"]),
        "style": _read_asset("report.css"),
        "script": _read_asset("report.js"),
        "areas": areas,
        "order": order_sections(areas),
        "types": _TYPES,
        "resources": _RESOURCES,
        "high_use": [client for client in report["clients"] if _has_high_use(client)],
        "least": _HIGH_USE,
        "mail_dns": group_mail_dns(report["mail_dns"]),
        "errors": group_errors(report["errors"]),
        "duplicates": group_duplicates(report),
    }
    return render_template(_DIRECTORY / "page.html.j2", content, **_FILTERS)


def _read_asset(name: str) -> Markup:
    """Return a file of the collection, which needs no escaping."""
    return Markup((_DIRECTORY / name).read_text(encoding="utf-8"))


def _has_high_use(client: Row) -> bool:
    worst = client["worst"]
    if not worst:
        return False
    return bool(client["level"] != FINE or worst["percent"] >= _HIGH_USE)


def format_summary_lines(report: Row) -> list[str]:
    """Return the size of the fleet, and one line for each area that needs attention."""
    read = sum(not server["failure"] for server in report["servers"])
    panels = count_noun(len(report["servers"]), "panel")
    clients = count_noun(len(report["clients"]), "client")
    lines = [
        f"{area['name']}: {area['summary']}" for area in summarize_areas(report) if area["summary"]
    ]
    return [f"{read} of {panels} read, {clients}", *(lines or ["nothing needs attention"])]


def summarize_areas(report: Row) -> list[Row]:
    """Return what needs attention by area, the worst first: its name, level, how many things, and
    what they are."""
    areas = []
    for area, (name, bad_noun, near_noun) in _AREAS.items():
        counts = dict(report["summary"][area])
        if area == "duplicates":
            # The page has one row for a customer with all its domains.
            counts["near"] = len(group_duplicates(report))
        parts = [_count_things(counts["bad"], bad_noun), _count_things(counts["near"], near_noun)]
        has_rows = bool(counts["total"] or counts["bad"])
        areas.append(
            {
                "section": _SECTION_OF_AREA.get(area, area),
                "name": name,
                "level": counts["level"],
                "number": counts["bad"] + counts["near"],
                "summary": ", ".join(filter(None, parts)),
                "is_checked": has_rows or area not in _OPTIONAL_AREAS,
            }
        )
    return sorted(areas, key=lambda area: LEVELS.index(area["level"]))


def order_sections(areas: Sequence[Row]) -> list[str]:
    """Return the sections of the page, the most urgent first.

    Args:
        areas: The worst first.
    """
    sections = [area["section"] for area in areas]
    return list(dict.fromkeys([*sections, *_LAST_SECTIONS]))


def _count_things(count: int, description: str) -> str:
    """Return a count with a description that begins with its noun; empty for none."""
    if not count:
        return ""
    noun, _space, ending = description.partition(" ")
    return f"{count_noun(count, noun)} {ending}"


# Rows of the page, which says the same thing once.


def group_mail_dns(domains: Sequence[Row]) -> list[Row]:
    """Return each finding once, with the domains that have it; the worst and most frequent first.

    A group has the record to set if it is the same for all of its domains.
    """
    groups: dict[_CommonFinding, Row] = {}
    for domain in domains:
        findings = [finding for finding in domain["findings"] if finding["level"] != FINE]
        for finding in findings:
            common = _make_common(finding, domain["domain"])
            group = groups.setdefault(common, {**finding, "domains": []})
            group["domains"].append({**domain, "record": finding["record"]})

    rows = [_describe_group(common, group) for common, group in groups.items()]
    return sorted(rows, key=_rank_group)


class _CommonFinding(NamedTuple):
    """What a finding has in common with that of another domain.

    Attributes:
        level: How bad it is.
        about: What the problem is about, such as dkim.
        problem: The word for the problem.
        message: What is wrong, with DOMAIN for the name of the domain.
        advice: What to do, in the same way.
    """

    level: str
    about: str
    problem: str
    message: str
    advice: str


def _describe_group(common: _CommonFinding, group: Row) -> Row:
    """Return a group with texts and a record that are right for all of its domains.

    Args:
        common: What its findings have in common.
        group: The first finding, and all domains.
    """
    worded = dict(group)
    records = [domain["record"] for domain in group["domains"]]
    if len(records) > 1:
        worded["message"] = common.message
        worded["advice"] = common.advice
    if any(record != records[0] for record in records):
        worded["record"] = None
    return worded


def _make_common(finding: Row, domain: str) -> _CommonFinding:
    # Whole names alone: the domain may be the end of a label of another one.
    name = re.compile(rf"(?<![\w-]){re.escape(domain)}(?![\w-]|\.\w)")
    return _CommonFinding(
        finding["level"],
        finding["about"],
        finding["problem"],
        name.sub("DOMAIN", finding["message"]),
        name.sub("DOMAIN", finding["advice"]),
    )


def _rank_group(group: Row) -> tuple[Any, ...]:
    return LEVELS.index(group["level"]), -len(group["domains"]), group["about"]


def group_errors(errors: Sequence[Row]) -> list[Row]:
    """Return one row for each client, with its objects in error."""
    groups: dict[tuple[str, str], Row] = {}
    for error in errors:
        group = groups.setdefault((error["server"], error["client"]), {**error, "objects": []})
        group["objects"].append(error)
    return list(groups.values())


def group_duplicates(report: Row) -> list[Row]:
    """Return one row for each customer.

    Its domains count with it if it owns them on each of the panels.
    """
    customers: dict[str, Row] = {}
    domains: list[Row] = []
    for row in report["duplicates"]:
        if row["kind"] == "client":
            customers[row["name"]] = {**row, "domains": 0}
        elif row["kind"] == "domain":
            domains.append(row)

    rows: list[Row] = list(customers.values())
    for row in domains:
        owner = _find_only_owner(row)
        if owner in customers:
            customers[owner]["domains"] += 1 + row["subdomains"]
        else:
            rows.append({**row})

    suspended = _list_suspended(report["clients"])
    for row in rows:
        row["servers"] = [_with_suspension(server, suspended) for server in row["servers"]]
    return rows


def _find_only_owner(domain: Row) -> str:
    """Return the client, in lower case, that has a domain on each panel; empty if several have."""
    owners: set[str] = {server["client"].lower() for server in domain["servers"]}
    return owners.pop() if len(owners) == 1 else ""


def _list_suspended(clients: Sequence[Row]) -> set[tuple[str, str]]:
    """Return the suspended clients, each as the server and the name in lower case."""
    suspended = [client for client in clients if client["is_suspended"]]
    return {(client["server"], client["client"].lower()) for client in suspended}


def _with_suspension(server: Row, suspended: set[tuple[str, str]]) -> Row:
    is_suspended = (server["server"], server["client"].lower()) in suspended
    return {**server, "is_suspended": is_suspended}

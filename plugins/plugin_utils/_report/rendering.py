# SPDX-License-Identifier: GPL-3.0-or-later
"""A report as page, lines and metrics. Pure: the dictionary of ``findings.report`` in, text out. Private to the collection.

Everything that a panel said is escaped. The policy of the page allows the one style sheet and the one script that are in it, by their checksums.
Every number of a drawing is also in its text, so drawings are hidden from screen readers. No label of a metric names a customer.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ...module_utils._kinds.registry import CONSUMED, COUNTED, KINDS
from ...module_utils._values.value_types import size_text
from .._run.template import rendered
from .findings import BAD, FINE, LEVELS, NEAR, Row

_PARTS = Path(__file__).parent
# From so many percent of its limit on a client is on the page.
_HIGH_USE = 75
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
# By area of the summary its name, and what is said of one thing that is bad and of one that comes near.
_AREAS = {
    "servers": ("panels", "panel not read or full", "panel to check"),
    "limits": ("limits", "client over or at a limit", "client near a limit"),
    "mailboxes": ("mailboxes", "mailbox full", "mailbox nearly full"),
    "certificates": ("certificates", "certificate expired or urgent", "certificate expiring soon"),
    "mail_dns": ("mail DNS", "domain at risk of lost or forged mail", "domain with weak records"),
    "errors": ("errors", "object failed", ""),
    "duplicates": ("duplicates", "", "name on several panels"),
    "drift": ("drift", "panel not compared", "object different from the export"),
}
_BOTH = (BAD, NEAR)
_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
_METRICS = {
    "report_timestamp_seconds": "When the panels were read last.",
    "up": "Whether the panel could be read; of one that could not there is nothing but this.",
    "info": "What the panel is, in the labels; the value is always 1.",
    "reboot_required": "Whether the server says that it must be restarted.",
    "problems": "Parts of the panel that could not be read.",
    "disk_used_bytes": "Disk space in use.",
    "disk_promised_bytes": "Disk space that clients with a limit may use.",
    "disk_size_bytes": "Size of the disk, as the inventory says.",
    "month_traffic_bytes": "Traffic since the month began, which is 0 again when the next one does.",
    "clients_suspended": "Clients that are suspended.",
    "clients_at_limit": "Clients that are near a limit (near), or over one or at one that leaves nothing over (bad).",
    "mailboxes_full": "Mailboxes that are nearly full (near) and full (bad).",
    "certificates": "Uploaded certificates by how soon they expire; those that no domain uses are fine.",
    "certificate_end_timestamp_seconds": "Beginning of the day on which the first uploaded certificate in use expires.",
    "mail_domains": "Domains with mail whose mail DNS was checked.",
    "mail_dns_findings": "What is wrong with the mail DNS of domains: bad if mail gets lost or can be forged.",
    "objects": "Objects on the panel.",
    "objects_failed": "Objects whose status is error.",
    "drift_compared": "Whether the panel could be compared with its export, if it has one.",
    "drift_objects": "Objects that differ from the export.",
    "findings": "What needs attention on all panels together, as at the top of the report.",
}
# Name, labels and value; None for a number that the panel does not show.
Samples = Iterator[tuple[str, Row, Any]]


def amount(value: int | None) -> str:
    return "–" if value is None else f"{value:,}".replace(",", "\u202f")


def percent(value: float | None) -> str:
    """Rounded down, so that 99.6 does not look full."""
    return "–" if value is None else "over\u00a0999\u00a0%" if value >= 999 else f"{int(value)}\u00a0%"


def date(text: str | None) -> str:
    """A day YYYY-MM-DD or a month YYYY-MM as people write it."""
    if text is None:
        return "unknown"
    year, month, *day = text.split("-")
    return "\u00a0".join([*(one.lstrip("0") for one in day), _MONTHS[int(month) - 1], year])


def remaining(days: int | None) -> str:
    if days is None or days < 0:
        return "unknown" if days is None else f"expired {counted(-days, 'day')} ago"
    return f"in {counted(days, 'day')}" if days else "today"


def counted(number: int, one: str) -> str:
    return f"{amount(number)} {one}{'' if number == 1 else 'es' if one.endswith('x') else 's'}"


def share(part: int | None, whole: int | None) -> float:
    """Percent for the length of a bar: from 0 to 100."""
    return round(min(100.0, 100 * part / whole), 1) if part and whole and part > 0 and whole > 0 else 0.0


def quantity(value: int | None, name: str) -> str:
    return size_text(value) if name in ("disk_space", "traffic") else amount(value)


def checksum(text: str) -> Markup:
    return Markup(f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'")


def areas(report: Row) -> list[Row]:
    """What needs attention by area, the worst first: its name, level, how many things, and what of them."""
    found = []
    for area, (name, *said) in _AREAS.items():
        counts = {**report["summary"][area], **({"near": len(duplicates(report))} if area == "duplicates" else {})}
        nouns = {level: words.partition(" ") for level, words in zip(_BOTH, said) if counts[level]}
        words = ", ".join(f"{counted(counts[level], noun)} {rest}" for level, (noun, _blank, rest) in nouns.items())
        row = {"id": area, "name": name, "level": counts["level"], "number": counts["bad"] + counts["near"]}
        is_checked = area not in ("mail_dns", "drift") or bool(counts["total"] or counts["bad"])
        found.append({**row, "words": words, "is_checked": is_checked})
    return sorted(found, key=lambda one: LEVELS.index(one["level"]))


def lines(report: Row) -> list[str]:
    """The size of the fleet, and one line for each area that needs attention."""
    read = sum(1 for server in report["servers"] if not server["failure"])
    found = [f"{one['name']}: {one['words']}" for one in areas(report) if one["words"]]
    fleet = f"{read} of {counted(len(report['servers']), 'panel')} read, {counted(len(report['clients']), 'client')}"
    return [fleet, *(found or ["nothing needs attention"])]


def page(report: Row) -> str:
    words = (amount, percent, date, remaining, counted, share, quantity, checksum)
    style, script = (Markup((_PARTS / name).read_text(encoding="utf-8")) for name in ("report.css", "report.js"))
    limited = [one for one in report["clients"] if one["worst"]]
    content = {
        "report": report,
        "style": style,
        "script": script,
        "areas": areas(report),
        "types": _TYPES,
        "resources": _RESOURCES,
        "high_use": [one for one in limited if one["level"] != FINE or one["worst"]["percent"] >= _HIGH_USE],
        "least": _HIGH_USE,
        "mail_dns": mail_dns(report["mail_dns"]),
        "errors": errors(report),
        "duplicates": duplicates(report),
    }
    return rendered(_PARTS / "page.html.j2", content, size=size_text, **{one.__name__: one for one in words})


def mail_dns(domains: Sequence[Row]) -> list[Row]:
    """Each finding once, with the domains that have it, and the record where it is the same for all; the worst and most frequent first."""
    found: dict[tuple[str, ...], Row] = {}
    shown = [(one, finding) for one in domains for finding in one["findings"] if finding["level"] != FINE]
    for one, finding in shown:
        said = [finding[part].replace(one["domain"], "DOMAIN") for part in ("message", "advice")]
        group = found.setdefault((finding["level"], finding["about"], *said), {**finding, "domains": []})
        group["domains"].append({**one, "record": finding["record"]})
    for (*_same, message, advice), group in found.items():
        first, *others = group["domains"]
        if others:
            group.update(message=message, advice=advice)
        if any(one["record"] != first["record"] for one in others):
            group["record"] = None
    return sorted(found.values(), key=lambda one: (LEVELS.index(one["level"]), -len(one["domains"]), one["about"]))


def errors(report: Row) -> list[Row]:
    found: dict[tuple[str, str], Row] = {}
    for one in report["errors"]:
        found.setdefault((one["server"], one["client"]), {**one, "objects": []})["objects"].append(one)
    return list(found.values())


def duplicates(report: Row) -> list[Row]:
    """One row a customer: its domains count with it where it owns them on each of the panels."""
    suspended = {(one["server"], one["client"].lower()) for one in report["clients"] if one["is_suspended"]}
    customers = {one["name"]: {**one, "domains": 0} for one in report["duplicates"] if one["kind"] == "client"}
    found = list(customers.values())
    for one in (one for one in report["duplicates"] if one["kind"] == "domain"):
        owner, *others = {place["client"].lower() for place in one["servers"]}
        if owner in customers and not others:
            customers[owner]["domains"] += 1 + one["subdomains"]
        else:
            found.append({**one})
    for one in found:
        places = one["servers"]
        one["servers"] = [{**it, "is_suspended": (it["server"], it["client"].lower()) in suspended} for it in places]
    return found


def metrics(report: Row) -> str:
    """The numbers of a report as OpenMetrics, which the older format of Prometheus takes too."""
    families: dict[str, list[tuple[Row, Any]]] = {name: [] for name in _METRICS}
    for name, labels, value in _samples(report):
        families[name].append((labels, value))
    return rendered(_PARTS / "metrics.j2", {"families": families, "about": _METRICS}, labels=_labels)


def _labels(named: Row) -> str:
    shown = ",".join(f'{name}="{str(text).translate(_ESCAPED)}"' for name, text in named.items())
    return f"{{{shown}}}" if shown else ""


def _samples(report: Row) -> Samples:
    now = datetime.datetime.fromisoformat(report["generated_at"])
    yield "report_timestamp_seconds", {}, now.timestamp()
    for server, drift in zip(report["servers"], report["drift"]):
        panel = {"panel": server["server"]}
        yield "up", panel, not server["failure"]
        areas = ("clients", "mailboxes", "certificates", "mail_dns", "errors")
        own = {area: [one for one in report[area] if one["server"] == server["server"]] for area in areas}
        for name, labels, value in () if server["failure"] else _samples_of(server, drift, own, now.tzinfo):
            yield name, {**panel, **labels}, value
    for area, found in report["summary"].items():
        for level in _BOTH:
            yield "findings", {"area": area, "level": level}, found[level]


def _samples_of(server: Row, drift: Row, own: dict[str, list[Row]], zone: datetime.tzinfo | None) -> Samples:
    """Of a panel that was read. own: the rows of the report that are about it, by area."""

    def count(name: str, found: Iterable[Any], **of: Iterable[str]) -> Samples:
        """How often each combination of labels occurs, also where it does not."""
        counts = Counter(found)
        return ((name, dict(zip(of, at)), counts[at]) for at in product(*of.values()))

    yield "info", {at: server[at] for at in ("address", "hostname", "panel_version", "operating_system")}, 1
    yield "reboot_required", {}, server["reboot_required"]
    yield "problems", {}, len(server["problems"])
    yield "disk_used_bytes", {}, server["disk_space"]["used"]
    yield "disk_size_bytes", {}, server["disk_space"]["capacity"]
    yield "month_traffic_bytes", {}, server["traffic_this_month"]
    yield "mail_domains", {}, server["mail_domains"]
    for kind, number in server["counts"].items():
        yield ("clients_suspended", {}, number) if kind == "suspended" else ("objects", {"kind": kind}, number)
    yield from count("mailboxes_full", ((one["level"],) for one in own["mailboxes"]), level=_BOTH)
    yield from count("certificates", ((one["level"],) for one in own["certificates"]), level=LEVELS)
    if ends := [one["valid_till"] for one in own["certificates"] if one["used_by"] and one["valid_till"]]:
        begin = datetime.datetime.fromisoformat(min(ends)).replace(tzinfo=zone)
        yield "certificate_end_timestamp_seconds", {}, begin.timestamp()
    failing = [kind for kind, table in KINDS.items() if table.has_status]
    yield from count("objects_failed", ((one["kind"],) for one in own["errors"]), kind=failing)
    if drift["is_compared"] or drift["failure"]:
        yield "drift_compared", {}, drift["is_compared"]
    if drift["is_compared"]:
        changes = ((one["what"],) for one in drift["changes"])
        yield from count("drift_objects", changes, what=("missing", "surplus", "different"))
    # If some clients or zones could not be read, no number is better than one that is too low.
    if not server["problems"]:
        yield "disk_promised_bytes", {}, server["disk_space"]["promised"]
        limits = ((used["name"], used["level"]) for one in own["clients"] for used in one["resources"])
        yield from count("clients_at_limit", limits, resource=(*CONSUMED, *COUNTED), level=_BOTH)
        if server["mail_domains"] is not None:
            wrong = ((found["about"], found["level"]) for one in own["mail_dns"] for found in one["findings"])
            yield from count("mail_dns_findings", wrong, about=("spf", "dkim", "dmarc", "mx"), level=_BOTH)

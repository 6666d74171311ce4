# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
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
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from ...module_utils._kinds.registry import KINDS
from ...module_utils._values.sizes import size_text
from .findings import BAD, CONSUMED, COUNTED, FINE, LEVELS, NEAR, Row

_PARTS = Path(__file__).parent
# From so many percent of its limit on a client is on the page.
_HIGH_USE = 75
_RESOURCES = {"disk_space": "disk space", "email_accounts": "mailboxes", "email_addresses": "e-mail addresses",
              "email_forwardings": "forwardings", "ftp_users": "FTP users", "scheduled_tasks": "scheduled tasks"}  # fmt: skip
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# By area of the summary its name, and what is said of one thing that is bad and of one that comes near.
_AREAS = {
    "servers": ("panels", "panel not read or full", "panel to check"),
    "limits": ("limits", "client over or at a limit", "client near a limit"),
    "mailboxes": ("mailboxes", "mailbox full", "mailbox nearly full"),
    "certificates": ("certificates", "certificate ended or urgent", "certificate ending soon"),
    "mail_dns": ("mail DNS", "domain whose mail gets lost or can be forged", "domain with weak mail DNS"),
    "errors": ("errors", "object with the status error", ""),
    "duplicates": ("duplicates", "", "name on several panels"),
    "drift": ("drift", "panel not compared", "object different from the export"),
}
_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
# The labels of a sample, and its value; None for a number that the panel does not show.
Samples = Iterable[tuple[Row, Any]]


def amount(value: int | None) -> str:
    return "–" if value is None else f"{value:,}".replace(",", "\u202f")


def percent(value: float | None) -> str:
    """Rounded down, so that 99.6 does not look full."""
    return "–" if value is None else "over\u00a0999\u00a0%" if value >= 999 else f"{int(value)}\u00a0%"


def resource(name: str) -> str:
    """What people call a resource of the statistics."""
    return _RESOURCES.get(name, name)


def type_of(kind: str) -> str:
    """What people call an object of a kind."""
    return "mailbox" if kind == "emails" else KINDS[kind].title


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


def counted(number: int, one: str) -> str:
    """A number with its noun."""
    return f"{amount(number)} {one}{'' if number == 1 else 'es' if one.endswith('x') else 's'}"


def share(part: int | None, whole: int | None) -> float:
    """Percent for the length of a bar: from 0 to 100."""
    return round(min(100.0, 100 * part / whole), 1) if part and whole and part > 0 and whole > 0 else 0.0


def quantity(value: int | None, name: str) -> str:
    """An amount of a resource, in its unit."""
    return size_text(value) if name in ("disk_space", "traffic") else amount(value)


def checksum(text: str) -> Markup:
    return Markup(f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'")


def labels(named: Row) -> str:
    """The labels of a metric."""
    shown = ",".join(f'{name}="{str(text).translate(_ESCAPED)}"' for name, text in named.items())
    return f"{{{shown}}}" if shown else ""


def _template(name: str, autoescape: bool) -> Template:
    environment = Environment(  # not Ansible's templar, which escapes nothing
        loader=FileSystemLoader(str(_PARTS)),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        optimized=False,  # a page is rendered once, which is quicker than to optimise it first
    )
    words = (amount, percent, resource, type_of, month, day, remaining, counted, share, quantity, checksum, labels)
    environment.filters.update({one.__name__: one for one in words}, size=size_text)
    return environment.get_template(name)


def areas(report: Row) -> list[Row]:
    """What needs attention by area, the worst first: its name, level, how many things, and what of them."""
    found = []
    for area, (name, *said) in _AREAS.items():
        counts = {**report["summary"][area], **({"near": len(duplicates(report))} if area == "duplicates" else {})}
        parts: list[str] = []
        for level, (noun, _blank, words) in zip((BAD, NEAR), (one.partition(" ") for one in said)):
            if counts[level]:
                is_said = any(f" {noun}" in part for part in parts)
                parts.append(f"{amount(counts[level]) if is_said else counted(counts[level], noun)} {words}")
        row = {"id": area, "name": name, "level": counts["level"], "number": counts["bad"] + counts["near"]}
        is_checked = area not in ("mail_dns", "drift") or bool(counts["total"] or counts["bad"])
        found.append({**row, "words": ", ".join(parts), "is_checked": is_checked})
    return sorted(found, key=lambda one: LEVELS.index(one["level"]))


def lines(report: Row) -> list[str]:
    """The size of the fleet, and one line for each area that needs attention."""
    read = sum(1 for server in report["servers"] if not server["failure"])
    found = [f"{one['name']}: {one['words']}" for one in areas(report) if one["words"]]
    fleet = f"{read} of {counted(len(report['servers']), 'panel')} read, {counted(len(report['clients']), 'client')}"
    return [fleet, *(found or ["nothing needs attention"])]


def page(report: Row) -> str:
    """The page of a report."""
    style, script = (Markup((_PARTS / name).read_text(encoding="utf-8")) for name in ("report.css", "report.js"))
    high_use = [
        one
        for one in report["clients"]
        if one["worst"] and (one["level"] != FINE or one["worst"]["percent"] >= _HIGH_USE)
    ]
    return _template("page.html.j2", autoescape=True).render(
        report=report,
        style=style,
        script=script,
        areas=areas(report),
        high_use=high_use,
        least=_HIGH_USE,
        mail_dns=mail_dns(report["mail_dns"]),
        errors=errors(report),
        duplicates=duplicates(report),
    )


def mail_dns(domains: Sequence[Row]) -> list[Row]:
    """Each finding once, with the domains that have it, and the record where it is the same for all; the worst and most frequent first."""
    found: dict[tuple[str, ...], Row] = {}
    for one in domains:
        for finding in one["findings"]:
            if finding["level"] != FINE:
                said = [finding[part].replace(one["domain"], "DOMAIN") for part in ("message", "advice")]
                group = found.setdefault((finding["level"], finding["about"], *said), {**finding, "domains": []})
                group["domains"].append({**one, "record": finding["record"]})
    for (*_same, message, advice), group in found.items():
        records = [one["record"] for one in group["domains"]]
        group["record"] = records[0] if all(one == records[0] for one in records) else None
        if len(records) > 1:
            group.update(message=message, advice=advice)
    return sorted(found.values(), key=lambda one: (LEVELS.index(one["level"]), -len(one["domains"]), one["about"]))


def errors(report: Row) -> list[Row]:
    """The failed objects of each client."""
    found: dict[tuple[str, str], Row] = {}
    for one in report["errors"]:
        row = found.setdefault((one["server"], one["client"]), {**one, "objects": []})
        row["objects"].append(one)
    return list(found.values())


def duplicates(report: Row) -> list[Row]:
    """One row a customer: its domains count with it where it owns them on each of the panels."""
    suspended = {(one["server"], one["client"].lower()) for one in report["clients"] if one["is_suspended"]}
    customers: dict[str, Row] = {}
    others = []
    for one in reversed(report["duplicates"]):  # clients come last
        owners = {place["client"].lower() for place in one["servers"]}
        places = [{**it, "is_suspended": (it["server"], it["client"].lower()) in suspended} for it in one["servers"]]
        row = {**one, "servers": places, "domains": 0}
        if one["kind"] == "client":
            customers[one["name"]] = row
        elif len(owners) == 1 and (customer := customers.get(owners.pop())):
            customer["domains"] += 1 + one["subdomains"]
        else:
            others.append(row)
    return [*reversed(customers.values()), *reversed(others)]


def metrics(report: Row) -> str:
    """The numbers of a report as OpenMetrics, which the older format of Prometheus takes too."""
    return _template("metrics.j2", autoescape=False).render(numbers=_numbers(report))


def _numbers(report: Row) -> dict[str, Samples]:
    """By name of a metric."""
    from .._mail_dns.judge import ABOUT  # noqa: PLC0415

    now = datetime.datetime.fromisoformat(report["generated_at"])
    read = [one for one in report["servers"] if not one["failure"]]
    # If some clients or zones could not be read, no number is better than one that is too low.
    whole = [one for one in read if not one["problems"]]
    exports = [one for one in report["drift"] if one["is_compared"] or one["failure"]]
    both = (BAD, NEAR)
    ends: dict[str, float] = {}
    for one in report["certificates"]:  # the first to end comes first
        if one["used_by"] and one["valid_till"]:
            day = datetime.datetime.fromisoformat(one["valid_till"]).replace(tzinfo=now.tzinfo)
            ends.setdefault(one["server"], day.timestamp())

    def each(name: str, panels: Iterable[Row] = read, of: str = "") -> Samples:
        return [({"panel": one["server"]}, (one[of] if of else one)[name]) for one in panels]

    def count(panels: Iterable[Row], found: Iterable[tuple[Any, ...]], **of: Iterable[str]) -> Samples:
        """How often each combination of labels occurs, for each panel, also where it does not."""
        counts = Counter(found)
        names = [one["server"] for one in panels]
        return [(dict(zip(("panel", *of), at)), counts[at]) for at in product(names, *of.values())]

    def levels(area: str) -> list[tuple[str, str]]:
        return [(one["server"], one["level"]) for one in report[area]]

    limits = [(one["server"], used["name"], used["level"]) for one in report["clients"] for used in one["resources"]]
    wrong = [(one["server"], found["about"], found["level"]) for one in report["mail_dns"] for found in one["findings"]]
    changes = [(one["server"], change["what"]) for one in exports for change in one["changes"]]
    kinds = [kind for kind, table in KINDS.items() if table.has_status]
    about = ("address", "hostname", "panel_version", "operating_system")
    objects = [name for name in (read[0]["counts"] if read else ()) if name != "suspended"]
    return {
        "report_timestamp_seconds": [({}, now.timestamp())],
        "up": [({"panel": one["server"]}, not one["failure"]) for one in report["servers"]],
        "info": [({"panel": one["server"], **{name: one[name] for name in about}}, 1) for one in read],
        "reboot_required": each("reboot_required"),
        "problems": [({"panel": one["server"]}, len(one["problems"])) for one in read],
        "disk_used_bytes": each("used", of="disk_space"),
        "disk_promised_bytes": each("promised", whole, "disk_space"),
        "disk_size_bytes": each("capacity", of="disk_space"),
        "month_traffic_bytes": each("traffic_this_month"),
        "clients_suspended": each("suspended", of="counts"),
        "clients_at_limit": count(whole, limits, resource=(*CONSUMED, *COUNTED), level=both),
        "mailboxes_full": count(read, levels("mailboxes"), level=both),
        "certificates": count(read, levels("certificates"), level=LEVELS),
        "certificate_end_timestamp_seconds": [({"panel": one["server"]}, ends.get(one["server"])) for one in read],
        "mail_domains": each("mail_domains"),
        "mail_dns_findings": count(
            [one for one in whole if one["mail_domains"] is not None], wrong, about=ABOUT, level=both
        ),
        "objects": [({"panel": one["server"], "kind": kind}, one["counts"][kind]) for one in read for kind in objects],
        "objects_failed": count(read, [(one["server"], one["kind"]) for one in report["errors"]], kind=kinds),
        "drift_compared": each("is_compared", exports),
        "drift_objects": count(
            [one for one in exports if one["is_compared"]], changes, what=("missing", "surplus", "different")
        ),
        "findings": [
            ({"area": area, "level": level}, found[level])
            for area, found in report["summary"].items()
            for level in both
        ],
    }

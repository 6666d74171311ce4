# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a reading needs attention, as the one dictionary that page, JSON and metrics say. Pure. Private to the collection.

Space, files and traffic need attention before they are used up, since a site or mail then stands still. Of what is counted, such as mailboxes,
to have all that were paid for is normal; only more than that, which a smaller hosting plan leaves behind, needs attention. The API shows when
uploaded certificates end; of those from Let's Encrypt, which the panel renews, it shows only that there are.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...module_utils._kinds.domain import class_of
from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.kind import OWNER
from .reading import SERVICES, PanelReading, members, months_until, number, text

FORMAT, VERSION = "hosting.panel.report", 1
BAD, NEAR, FINE = "bad", "near", "fine"
LEVELS = (BAD, NEAR, FINE)
ERROR = 2  # the status of the interface
# Fields of the statistics (facts.md section 4.2): those that run full, and those that are counted.
CONSUMED = ("disk_space", "traffic", "files")
COUNTED = (
    *("domains", "subdomains", "email_accounts", "email_addresses", "email_forwardings"),
    *("databases", "ftp_users", "scheduled_tasks"),
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
_NOT_COMPARED = {"is_compared": False, "failure": "", "changes": []}
Row = dict[str, Any]
Rows = Iterator[Row]


def report(readings: Sequence[PanelReading], now: datetime.datetime, title: str = "Report", **numbers: int) -> Row:
    """All that the page, the JSON file and the metrics say. ``now`` has the time zone of the days. numbers: the options of that name."""
    wanted = {**{name: default for name, (default, _least, _most) in NUMBERS.items()}, **numbers}
    near, soon, urgent = wanted["near_percent"], wanted["soon_days"], wanted["urgent_days"]
    read = [reading for reading in readings if not reading.failure]

    def rows(area: Callable[..., Rows], *options: Any, order: Callable[[Row], Any]) -> list[Row]:
        """Of all panels."""
        return sorted((one for reading in read for one in area(reading, *options)), key=order)

    found: Row = {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "generated_at": now.isoformat(timespec="seconds"),
        "thresholds": {name: wanted[name] for name in ("near_percent", "soon_days", "urgent_days", "top")},
        "servers": [server(reading, near) for reading in readings],
        "clients": rows(clients, near, order=_worst_first),
        "mailboxes": rows(mailboxes, near, order=lambda one: (-one["percent"], one["email"], one["server"])),
        "traffic": traffic(read, months_until(now, wanted["months"]), wanted["top"]),
        "certificates": rows(certificates, now, soon, urgent, order=_first_to_end),
        "lets_encrypt_domains": sum(
            members(one.get("security")).get("lets_encrypt") is True for panel in read for one in panel.of("domains")
        ),
        "mail_dns": rows(mail_dns, order=lambda one: (LEVELS.index(one["level"]), one["domain"], one["server"])),
        "errors": [fault for reading in read for fault in faults(reading)],
        "duplicates": list(duplicates(read)),
        "drift": [{"server": one.name, **(one.drift or _NOT_COMPARED)} for one in readings],
    }
    found["summary"] = _summary(found)
    return found


def _worst_first(client: Row) -> tuple[Any, ...]:
    """Those without numbers last."""
    percent = client["worst"]["percent"] if client["worst"] else -1.0
    return LEVELS.index(client["level"]), -percent, client["client"], client["server"]


def _first_to_end(one: Row) -> tuple[Any, ...]:
    """Those in use first; without a date last."""
    return not one["used_by"], one["days"] is None, one["days"] or 0, one["name"], one["server"]


def _summary(found: Row) -> Row:
    """By area: what is bad, what comes near, how much there is in all, and what that makes the area."""
    drift = found["drift"]
    undone = [one for one in drift if one["failure"]]
    compared = [one for one in drift if one["is_compared"]]

    def counts(area: str) -> tuple[int, int, int]:
        levels = [one["level"] for one in found[area]]
        return levels.count(BAD), levels.count(NEAR), len(levels)

    areas = {
        "servers": counts("servers"),
        "limits": counts("clients"),
        "mailboxes": (*counts("mailboxes")[:2], sum(one["counts"]["emails"] for one in found["servers"])),
        "certificates": counts("certificates"),
        "mail_dns": counts("mail_dns"),
        "errors": (len(found["errors"]), 0, len(found["errors"])),
        "duplicates": (0, len(found["duplicates"]), len(found["duplicates"])),
        "drift": (len(undone), sum(len(one["changes"]) for one in drift), len(compared)),
    }
    return {
        area: {"bad": bad, "near": near, "total": total, "level": BAD if bad else NEAR if near else FINE}
        for area, (bad, near, total) in areas.items()
    }


def share(value: int, most: int | None) -> float | None:
    """Percent of the limit; None without one. Of nothing allowed, nothing is 0 and anything too much."""
    if most is None or most < 0:
        return None
    if most == 0:
        return 0.0 if value <= 0 else 999.0
    return round(100 * value / most, 1)


def clients(reading: PanelReading, near_percent: int) -> Rows:
    """The clients of a panel, in the order of its list."""
    plans = {plan.get("id"): text(plan.get("name")) for plan in reading.of("plans")}
    for client in reading.of("clients"):
        stats = reading.stats.get(client.get("id"))
        resources = list(_resources(stats or {}, near_percent))
        limited = [one for one in resources if one["percent"] is not None]
        worst = min(limited, key=lambda one: (LEVELS.index(one["level"]), -one["percent"]), default=None)
        yield {
            "server": reading.name,
            "client": text(client.get("username"), "(without a name)"),
            "plan": plans.get(client.get("id_hosting_plan"), ""),
            "is_suspended": client.get("is_suspended") is True,
            "is_read": stats is not None,
            "level": worst["level"] if worst else FINE,
            "worst": worst,
            "resources": resources,
        }


def _resources(stats: Mapping[str, Any], near_percent: int) -> Rows:
    for name in (*CONSUMED, *COUNTED):
        both = members(stats.get(name))
        value, most = number(both.get("value")), number(both.get("max"))
        if value is not None:
            percent, level = share(value, most), FINE
            if percent is not None and (percent > 100 or (percent == 100 and name in CONSUMED)):
                level = BAD
            elif percent is not None and percent >= near_percent and name in CONSUMED:
                level = NEAR
            yield {"name": name, "value": value, "max": most, "percent": percent, "level": level}


def mailboxes(reading: PanelReading, near_percent: int) -> Rows:
    """The mailboxes that are full or nearly so: they refuse mail."""
    for email in reading.of("emails"):
        size, most = number(email.get("size")), number(email.get("max_size"))
        percent = None if size is None else share(size, most)
        if percent is not None and percent >= near_percent:
            yield {
                "server": reading.name,
                "email": text(email.get("email_utf8")) or text(email.get("email")),
                "client": reading.username(email.get(OWNER)),
                "value": size,
                "max": most,
                "percent": percent,
                "level": BAD if percent >= 100 else NEAR,
            }


def server(reading: PanelReading, near_percent: int) -> Row:
    """What a panel says about its server, and what is on it; with ``failure`` alone if it could not be read."""
    meta, system = members(reading.server.get("meta")), members(reading.server.get("operating_system"))
    resources = members(reading.server.get("resources"))
    used = number(resources.get("consumed_disk_space"))
    percent = round(100 * used / reading.disk_space, 1) if used is not None and reading.disk_space else None
    limits = [number(members(stats.get("disk_space")).get("max")) for stats in reading.stats.values()]
    classes = [class_of(domain) for domain in reading.of("domains")]
    is_pending = members(system.get("updates")).get("reboot_required") is True
    disk = FINE if percent is None or percent < near_percent else NEAR if percent < 100 else BAD
    is_near = is_pending or bool(reading.problems) or disk == NEAR
    return {
        "server": reading.name,
        "address": reading.address,
        "failure": reading.failure,
        "level": BAD if reading.failure or disk == BAD else NEAR if is_near else FINE,
        "problems": list(reading.problems),
        "hostname": text(meta.get("hostname")),
        "panel_version": text(meta.get("panel_version")),
        "operating_system": text(system.get("label")),
        "uptime_days": number(members(meta.get("uptime")).get("days")),
        "reboot_required": is_pending,
        "traffic_this_month": number(resources.get("traffic")),
        "disk_space": {
            "used": used,
            "promised": sum(limit for limit in limits if limit is not None and limit >= 0),
            "unlimited_clients": sum(1 for limit in limits if limit is not None and limit < 0),
            "capacity": reading.disk_space,
            "percent": percent,
            "level": disk,
        },
        "counts": {
            "clients": len(reading.of("clients")),
            "suspended": sum(client.get("is_suspended") is True for client in reading.of("clients")),
            "domains": classes.count("main_domains"),
            "subdomains": classes.count("subdomains"),
            **{kind: len(reading.of(kind)) for kind in ("emails", "databases", "ftp_users")},
        },
        "mail_domains": None if reading.mail_dns is None else len(reading.mail_dns),
    }


def traffic(readings: Iterable[PanelReading], months: list[str], top: int) -> Row:
    """Bytes in and out together: of panels and services by month, and of the clients with the most in the last month."""
    servers: Row = {}
    services: Row = {service: [0] * len(months) for service in SERVICES}
    found: list[Row] = []
    for reading in readings:
        own = servers.setdefault(reading.name, [0] * len(months))
        for client in reading.of("clients"):
            by_month = reading.traffic.get(client.get("id"), {})
            amounts = [sum(by_month.get(month, {}).values()) for month in months]
            for at, month in enumerate(months):
                own[at] += amounts[at]
                for service, amount in by_month.get(month, {}).items():
                    services[service][at] += amount
            if any(amounts):
                found.append({"server": reading.name, "client": text(client.get("username")), "bytes": amounts})
    found.sort(key=lambda one: ([-amount for amount in reversed(one["bytes"])], one["client"], one["server"]))
    return {
        "months": months,
        "servers": [{"server": name, "bytes": amounts} for name, amounts in servers.items()],
        "services": [{"service": name, "bytes": amounts} for name, amounts in services.items()],
        "clients": found[:top],
    }


def instant(value: Any, zone: datetime.tzinfo | None) -> datetime.datetime | None:
    """An instant; ``zone`` is that of one without an offset. None if it is none."""
    try:
        form = re.sub(r"([+-]\d{2})(\d{2})$", r"\1:\2", str(value).strip().replace("Z", "+00:00"))
        found = datetime.datetime.fromisoformat(form)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=zone)


def certificates(reading: PanelReading, now: datetime.datetime, soon_days: int, urgent_days: int) -> Rows:
    """The certificates of a panel, in the order of its list. One that no domain uses is never urgent."""
    used: dict[Any, list[str]] = {}
    for domain in reading.of("domains"):
        if own := members(domain.get("security")).get("id_certificate"):
            used.setdefault(own, []).append(text(domain.get("domain_utf8")) or text(domain.get("domain")))
    for certificate in reading.of("certificates"):
        found = instant(certificate.get("valid_till"), now.tzinfo)
        ends = found and found.astimezone(now.tzinfo).date()
        # On the calendar: 0 is today, -1 was yesterday.
        days = (ends - now.date()).days if ends else None
        names = sorted(used.get(certificate.get("id"), []))
        yield {
            "server": reading.name,
            "name": text(certificate.get("name")),
            "client": reading.username(certificate.get(OWNER)),
            "issuer": text(certificate.get("issuer")),
            "valid_till": ends and ends.isoformat(),
            "days": days,
            "used_by": names,
            "secures": sorted(text(name) for name in certificate.get("secured_domains") or ()),
            "level": FINE if days is None or not names or days > soon_days else BAD if days <= urgent_days else NEAR,
        }


def mail_dns(reading: PanelReading) -> Rows:
    """The domains with mail of a panel, with what is wrong with their records."""
    shown = {text(domain.get("domain")).lower(): domain for domain in reading.of("domains")}
    for one in reading.mail_dns or ():
        domain = shown.get(one["domain"], {})
        yield {
            "server": reading.name,
            "domain": text(domain.get("domain_utf8"), one["domain"]),
            "client": reading.username(domain.get(OWNER)),
            "level": one["level"],
            "look_ups": one["look_ups"],
            "findings": [{**finding, "replaces": []} for finding in one["findings"]],
        }


def duplicates(readings: Iterable[PanelReading]) -> Rows:
    """Domains, then client names, on several panels, with the owner on each. Subdomains of such a domain are counted, not listed."""
    # By kind and name, the owner by panel.
    places: dict[str, dict[str, dict[str, str]]] = {"domain": {}, "client": {}}
    shown: dict[str, str] = {}
    for reading in readings:
        for domain in reading.of("domains"):
            name = text(domain.get("domain")).lower()
            if name and class_of(domain) != "system_domains":
                places["domain"].setdefault(name, {})[reading.name] = reading.username(domain.get(OWNER))
                shown.setdefault(name, text(domain.get("domain_utf8"), name))
        for client in reading.of("clients"):
            if name := text(client.get("username")).lower():
                places["client"].setdefault(name, {})[reading.name] = name
    several = {name for name, owners in places["domain"].items() if len(owners) > 1}
    for kind, named in places.items():
        for name, owners in sorted(named.items()):
            _first, *above = name.split(".") if kind == "domain" else [name]
            if len(owners) > 1 and not {".".join(above[at:]) for at in range(len(above))} & several:
                below = sum(kind == "domain" and other.endswith(f".{name}") for other in several)
                servers = [{"server": panel, "client": owners[panel]} for panel in sorted(owners)]
                title = shown[name] if kind == "domain" else name
                yield {"kind": kind, "name": title, "servers": servers, "subdomains": below}


def faults(reading: PanelReading) -> Rows:
    """The objects whose status is error, in the order of their kinds."""
    for kind, table in KINDS.items():
        for item in reading.of(kind) if table.has_status else ():
            if item.get("status") == ERROR:
                names = [item.get(f"{row.name}_utf8") or item.get(row.name) for row in reversed(table.key)]
                key = text(next(filter(None, names), f"id {item.get('id', '?')}"))
                client = reading.username(item.get("id" if kind == "clients" else OWNER))
                yield {"server": reading.name, "kind": kind, "title": table.title, "key": key, "client": client}

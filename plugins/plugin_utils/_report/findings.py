# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a reading needs attention, as the one dictionary that page, JSON and metrics say. Pure. Private to the collection."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...module_utils._errors import Defect
from ...module_utils._kinds.registry import CONSUMED, COUNTED, KINDS
from ...module_utils._kinds.tables import class_of
from ...module_utils._schema.kind import OWNER
from .._mail_dns.names import and_above
from .reading import SERVICES, Months, PanelReading, members, months_until, number, text

FORMAT, VERSION = "hosting.panel.report", 1
BAD, NEAR, FINE = "bad", "near", "fine"
LEVELS = (BAD, NEAR, FINE)
AREAS = ("servers", "limits", "mailboxes", "certificates", "mail_dns", "errors", "duplicates", "drift")
# The status of an object that the panel could not apply (docs/panel_api.md#status).
ERROR = 2
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

    def rows(area: Callable[..., Rows], *options: Any) -> list[Row]:
        """Of all panels, the worst first."""
        return sorted((one for reading in read for one in area(reading, *options)), key=_urgency)

    found: Row = {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "generated_at": now.isoformat(timespec="seconds"),
        "thresholds": {name: wanted[name] for name in ("near_percent", "soon_days", "urgent_days", "top")},
        "servers": [server(reading, near) for reading in readings],
        "clients": rows(clients, near),
        "mailboxes": rows(mailboxes, near),
        "traffic": traffic(read, months_until(now, wanted["months"]), wanted["top"]),
        "certificates": rows(certificates, now, soon, urgent),
        "lets_encrypt_domains": sum(
            members(one.get("security")).get("lets_encrypt") is True for panel in read for one in panel.of("domains")
        ),
        "mail_dns": rows(mail_dns),
        "errors": [fault for reading in read for fault in faults(reading)],
        "duplicates": list(duplicates(read)),
        "drift": [{"server": one.name, **(one.drift or _NOT_COMPARED)} for one in readings],
    }
    found["summary"] = _summary(found)
    return found


def sound(reading: PanelReading, now: datetime.datetime) -> PanelReading:
    """Return the reading, or a failed one where no report can be made of it, which is a defect of the collection."""
    try:
        report([reading], now)
    except Exception as error:
        return PanelReading(reading.name, reading.address, reading.disk_space, str(Defect(error)))
    return reading


def _urgency(one: Row) -> tuple[Any, ...]:
    """Unused certificates come last, and so do clients without numbers."""
    percent = (one.get("worst") or one).get("percent", -1)
    name = next(one[field] for field in ("domain", "email", "name", "client") if field in one)
    is_unused = not one.get("used_by", True)
    return LEVELS.index(one["level"]), is_unused, -percent, one.get("valid_till") or "~", name, one["server"]


def _summary(found: Row) -> Row:
    """By area: what is bad, what comes near, how much there is in all, and what that makes the area."""
    levelled = {area: area for area in ("servers", "mailboxes", "certificates", "mail_dns")}
    levels = {area: [one["level"] for one in found[of]] for area, of in {**levelled, "limits": "clients"}.items()}
    levels["errors"], levels["duplicates"] = [BAD] * len(found["errors"]), [NEAR] * len(found["duplicates"])
    levels["drift"] = [
        level for one in found["drift"] for level in (NEAR,) * len(one["changes"]) + (BAD,) * bool(one["failure"])
    ]
    totals = {area: len(of) for area, of in levels.items()}
    totals["mailboxes"] = sum(one["counts"]["emails"] for one in found["servers"])
    totals["drift"] = sum(one["is_compared"] for one in found["drift"])
    return {
        area: {
            "bad": levels[area].count(BAD),
            "near": levels[area].count(NEAR),
            "total": totals[area],
            "level": min(levels[area], key=LEVELS.index, default=FINE),
        }
        for area in AREAS
    }


def share(value: int | None, most: int | None) -> float | None:
    """Percent of the limit; None without one. Of nothing allowed, nothing is 0 and anything too much."""
    if value is None or most is None or most < 0:
        return None
    if most == 0:
        return 0.0 if value <= 0 else 999.0
    return round(100 * value / most, 1)


def _level(percent: float | None, near_percent: int) -> str:
    return FINE if percent is None or percent < near_percent else NEAR if percent < 100 else BAD


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
        percent = share(value, most)
        level = _level(percent, near_percent) if name in CONSUMED else BAD if percent and percent > 100 else FINE
        if value is not None:
            yield {"name": name, "value": value, "max": most, "percent": percent, "level": level}


def mailboxes(reading: PanelReading, near_percent: int) -> Rows:
    """The mailboxes that are full or nearly so: they refuse mail."""
    for email in reading.of("emails"):
        size, most = number(email.get("size")), number(email.get("max_size"))
        percent = share(size, most)
        if percent is not None and percent >= near_percent:
            yield {
                "server": reading.name,
                "email": text(email.get("email_utf8")) or text(email.get("email")),
                "client": reading.usernames.get(email.get(OWNER), ""),
                "value": size,
                "max": most,
                "percent": percent,
                "level": _level(percent, near_percent),
            }


def server(reading: PanelReading, near_percent: int) -> Row:
    """What a panel says about its server, and what is on it; with ``failure`` alone if it could not be read."""
    # A panel may leave out any of these fields (docs/panel_api.md#fields-of-the-server).
    meta, system, resources = (members(reading.server.get(at)) for at in ("meta", "operating_system", "resources"))
    used = number(resources.get("consumed_disk_space"))
    percent = share(used, reading.disk_space)
    limits = [number(members(stats.get("disk_space")).get("max")) for stats in reading.stats.values()]
    known = [limit for limit in limits if limit is not None]
    classes = [class_of(domain) for domain in reading.of("domains")]
    is_pending = members(system.get("updates")).get("reboot_required") is True
    disk = _level(percent, near_percent)
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
            "promised": sum(limit for limit in known if limit >= 0),
            "unlimited_clients": sum(limit < 0 for limit in known),
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


def traffic(readings: Sequence[PanelReading], months: list[str], top: int) -> Row:
    """Bytes in and out together: of panels and services by month, and of the clients with the most in the last month."""
    used = [
        (reading.name, text(client.get("username")), reading.traffic.get(client.get("id"), {}))
        for reading in readings
        for client in reading.of("clients")
    ]

    def amounts(rows: Iterable[tuple[str, str, Months]], *services: str) -> list[int]:
        shown, of = [row[-1] for row in rows], services or SERVICES
        return [sum(one.get(month, {}).get(at, 0) for one in shown for at in of) for month in months]

    found: list[Row] = [{"server": row[0], "client": row[1], "bytes": amounts([row])} for row in used]
    found.sort(key=lambda one: ([-amount for amount in reversed(one["bytes"])], one["client"], one["server"]))
    return {
        "months": months,
        "servers": [
            {"server": one.name, "bytes": amounts(row for row in used if row[0] == one.name)} for one in readings
        ],
        "services": [{"service": name, "bytes": amounts(used, name)} for name in SERVICES],
        "clients": [one for one in found if any(one["bytes"])][:top],
    }


def instant(value: Any, zone: datetime.tzinfo | None) -> datetime.datetime | None:
    """An instant; ``zone`` is that of one without an offset. None if it is none, or lies outside of all calendars."""
    try:
        found = datetime.datetime.fromisoformat(str(value).strip())
        found = found if found.tzinfo else found.replace(tzinfo=zone)
        found.astimezone(zone)
    except (ValueError, OverflowError):
        return None
    return found


def certificates(reading: PanelReading, now: datetime.datetime, soon_days: int, urgent_days: int) -> Rows:
    """The certificates of a panel, in the order of its list. One that no domain uses is never urgent."""
    used: dict[Any, list[str]] = {}
    for domain in reading.of("domains"):
        name = text(domain.get("domain_utf8")) or text(domain.get("domain"))
        used.setdefault(members(domain.get("security")).get("id_certificate"), []).append(name)
    for certificate in reading.of("certificates"):
        found = instant(certificate.get("valid_till"), now.tzinfo)
        ends = found and found.astimezone(now.tzinfo).date()
        # On the calendar: 0 is today, -1 was yesterday.
        days = (ends - now.date()).days if ends else None
        names = sorted(used.get(certificate.get("id"), []))
        yield {
            "server": reading.name,
            "name": text(certificate.get("name")),
            "client": reading.usernames.get(certificate.get(OWNER), ""),
            "issuer": text(certificate.get("issuer")),
            "valid_till": ends and ends.isoformat(),
            "days": days,
            "used_by": names,
            "secures": sorted(text(name) for name in certificate.get("secured_domains") or ()),
            "level": FINE if days is None or not names or days > soon_days else BAD if days <= urgent_days else NEAR,
        }


def mail_dns(reading: PanelReading) -> Rows:
    shown = {text(domain.get("domain")).lower(): domain for domain in reading.of("domains")}
    for one in reading.mail_dns or ():
        domain = shown.get(one["domain"], {})
        yield {
            "server": reading.name,
            "domain": text(domain.get("domain_utf8"), one["domain"]),
            "client": reading.usernames.get(domain.get(OWNER), ""),
            "level": one["level"],
            "look_ups": one["look_ups"],
            "findings": [{**finding, "replaces": []} for finding in one["findings"]],
        }


def duplicates(readings: Iterable[PanelReading]) -> Rows:
    """Domains, then client names, on several panels, with the owner on each. Subdomains of such a domain are counted, not listed."""
    places: dict[str, dict[str, list[Row]]] = {"domain": {}, "client": {}}
    titles: dict[str, str] = {}
    for reading in sorted(readings, key=lambda one: one.name):
        for domain in reading.of("domains"):
            name = text(domain.get("domain")).lower()
            if name and class_of(domain) != "system_domains":
                place = {"server": reading.name, "client": reading.usernames.get(domain.get(OWNER), "")}
                places["domain"].setdefault(name, []).append(place)
                titles.setdefault(name, text(domain.get("domain_utf8"), name))
        for name in (text(client.get("username")).lower() for client in reading.of("clients")):
            places["client"].setdefault(name, []).append({"server": reading.name, "client": name})
    several = {name for name, found in places["domain"].items() if len(found) > 1}
    for name in sorted(several):
        if not several.intersection(and_above(name)[1:]):
            below = sum(other.endswith(f".{name}") for other in several)
            yield {"kind": "domain", "name": titles[name], "servers": places["domain"][name], "subdomains": below}
    for name, found in sorted(places["client"].items()):
        if name and len(found) > 1:
            yield {"kind": "client", "name": name, "servers": found, "subdomains": 0}


def faults(reading: PanelReading) -> Rows:
    for kind, table in KINDS.items():
        for item in reading.of(kind) if table.has_status else ():
            if item.get("status") == ERROR:
                names = [item.get(f"{row.name}_utf8") or item.get(row.name) for row in reversed(table.key)]
                key = text(next(filter(None, names), f"id {item.get('id', '?')}"))
                client = reading.usernames.get(item.get("id" if kind == "clients" else OWNER), "")
                yield {"server": reading.name, "kind": kind, "title": table.title, "key": key, "client": client}

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is used: clients and mailboxes by their limits, a line about each server, and traffic by month. Pure. Private to the collection.

Space, files and traffic matter before they are used up, since a customer's site or mail then stands still. Of what is counted, such as
mailboxes, having all that were paid for is normal; only more than that, which a smaller plan leaves behind, needs a look.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...module_utils._kinds.domain import class_of
from ...module_utils._schema.kind import OWNER
from .panel_answers import PanelReading, identifier, members, number, text

BAD, NEAR, FINE = "bad", "near", "fine"
LEVELS = (BAD, NEAR, FINE)
# Members of the statistics (facts.md section 4.2): those that run full, and those that are counted.
CONSUMED = ("disk_space", "traffic", "files")
COUNTED = (
    "domains",
    "subdomains",
    "email_accounts",
    "email_addresses",
    "email_forwardings",
    "databases",
    "ftp_users",
    "scheduled_tasks",
)
IN_BYTES = ("disk_space", "traffic")
# What people call the protocols of facts.md section 4.3.
SERVICES = {"web": ("http",), "mail": ("smtp", "pop3", "imap"), "ftp": ("ftp",)}


def clients(reading: PanelReading, near_percent: int) -> list[dict[str, Any]]:
    """The clients of a panel; see ``sorted_by_use`` for their order."""
    plans = {identifier(plan.get("id")): text(plan.get("name")) for plan in reading.of("plans")}
    return [_client(reading, client, plans, near_percent) for client in reading.of("clients")]


def sorted_by_use(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The worst first."""
    return sorted(found, key=lambda one: (LEVELS.index(one["level"]), -_percent(one), one["client"], one["server"]))


def _percent(client: Mapping[str, Any]) -> float:
    worst = client["worst"]
    return float(worst["percent"]) if worst else -1.0


def _client(
    reading: PanelReading, client: Mapping[str, Any], plans: Mapping[Any, str], near_percent: int
) -> dict[str, Any]:
    stats = reading.stats.get(identifier(client.get("id")))
    resources = [] if stats is None else [_resource(name, stats, near_percent) for name in (*CONSUMED, *COUNTED)]
    shown = [one for one in resources if one is not None]
    limited = [one for one in shown if one["percent"] is not None]
    worst = min(limited, key=lambda one: (LEVELS.index(one["level"]), -one["percent"]), default=None)
    return {
        "server": reading.name,
        "client": text(client.get("username"), "(without a name)"),
        "plan": plans.get(identifier(client.get("id_hosting_plan")), ""),
        "is_suspended": client.get("is_suspended") is True,
        "is_read": stats is not None,
        "level": worst["level"] if worst else FINE,
        "worst": worst,
        "resources": shown,
    }


def _resource(name: str, stats: Mapping[str, Any], near_percent: int) -> dict[str, Any] | None:
    both = members(stats.get(name))
    value, most = number(both.get("value")), number(both.get("max"))
    if value is None:
        return None
    percent = share(value, most)
    return {"name": name, "value": value, "max": most, "percent": percent, "level": _level(name, percent, near_percent)}


def share(value: int, most: int | None) -> float | None:
    """Percent of the limit; None without one. Of nothing allowed, nothing is 0 and anything too much."""
    if most is None or most < 0:
        return None
    if most == 0:
        return 0.0 if value <= 0 else 999.0
    return round(100 * value / most, 1)


def _level(name: str, percent: float | None, near_percent: int) -> str:
    if percent is None:
        return FINE
    if percent > 100 or (percent == 100 and name in CONSUMED):
        return BAD
    return NEAR if name in CONSUMED and percent >= near_percent else FINE


def mailboxes(reading: PanelReading, near_percent: int) -> list[dict[str, Any]]:
    """The mailboxes that are full or nearly so, the fullest first; they refuse mail."""
    found = []
    for email in reading.of("emails"):
        size, most = number(email.get("size")), number(email.get("max_size"))
        percent = None if size is None else share(size, most)
        if percent is not None and percent >= near_percent:
            found.append(
                {
                    "server": reading.name,
                    "email": text(email.get("email_utf8")) or text(email.get("email")),
                    "client": text(reading.username(email.get(OWNER))),
                    "value": size,
                    "max": most,
                    "percent": percent,
                    "level": BAD if percent >= 100 else NEAR,
                }
            )
    return sorted(found, key=lambda one: (-float(str(one["percent"])), str(one["email"])))


def server(reading: PanelReading, near_percent: int) -> dict[str, Any]:
    """What a panel says about itself and what is on it; with ``failure`` alone where it could not be read."""
    meta, system = members(reading.server.get("meta")), members(reading.server.get("operating_system"))
    resources = members(reading.server.get("resources"))
    used = number(resources.get("consumed_disk_space"))
    percent = round(100 * used / reading.disk_space, 1) if used is not None and reading.disk_space else None
    return {
        "server": reading.name,
        "address": reading.address,
        "failure": reading.failure,
        "problems": list(reading.problems),
        "hostname": text(meta.get("hostname")),
        "panel_version": text(meta.get("panel_version")),
        "operating_system": text(system.get("label")),
        "uptime_days": number(members(meta.get("uptime")).get("days")),
        "reboot_required": members(system.get("updates")).get("reboot_required") is True,
        "traffic_this_month": number(resources.get("traffic")),
        "disk_space": {
            "used": used,
            "promised": _promised(reading),
            "unlimited_clients": _unlimited(reading),
            "capacity": reading.disk_space,
            "percent": percent,
            "level": FINE if percent is None or percent < near_percent else NEAR if percent < 100 else BAD,
        },
        "counts": _counts(reading),
        "mail_domains": None if reading.mail_dns is None else len(reading.mail_dns),
    }


def _counts(reading: PanelReading) -> dict[str, int]:
    classes = [class_of(domain) for domain in reading.of("domains")]
    # What a line of the page has room for.
    return {
        "clients": len(reading.of("clients")),
        "suspended": sum(1 for client in reading.of("clients") if client.get("is_suspended") is True),
        "domains": classes.count("main_domains"),
        "subdomains": classes.count("subdomains"),
        "emails": len(reading.of("emails")),
        "databases": len(reading.of("databases")),
        "ftp_users": len(reading.of("ftp_users")),
    }


def _limits(reading: PanelReading) -> list[int]:
    found = (number(members(stats.get("disk_space")).get("max")) for stats in reading.stats.values())
    return [limit for limit in found if limit is not None]


def _promised(reading: PanelReading) -> int:
    """The disk space that clients may use, those without a limit left out."""
    return sum(limit for limit in _limits(reading) if limit >= 0)


def _unlimited(reading: PanelReading) -> int:
    return sum(1 for limit in _limits(reading) if limit < 0)


def traffic(readings: Iterable[PanelReading], months: list[str], top: int) -> dict[str, Any]:
    """Bytes in and out together: of servers and services by month, and of the clients with the most in the last month."""
    servers: list[dict[str, Any]] = []
    clients: list[dict[str, Any]] = []
    services = {service: [0] * len(months) for service in SERVICES}
    for reading in readings:
        if reading.failure:
            continue
        total = [0] * len(months)
        for client in reading.of("clients"):
            by_month = reading.traffic.get(identifier(client.get("id")))
            if by_month is None:
                continue
            own = [0] * len(months)
            for index, month in enumerate(months):
                for service, amount in by_month.get(month, {}).items():
                    services[service][index] += amount
                    own[index] += amount
            total = [both[0] + both[1] for both in zip(total, own)]
            clients.append({"server": reading.name, "client": text(client.get("username")), "bytes": own})
        servers.append({"server": reading.name, "bytes": total})
    clients.sort(key=lambda one: ([-amount for amount in reversed(one["bytes"])], one["client"], one["server"]))
    return {
        "months": months,
        "servers": servers,
        "services": [{"service": service, "bytes": amounts} for service, amounts in services.items()],
        "clients": [one for one in clients if any(one["bytes"])][:top] if months else [],
    }


def by_service(protocols: Mapping[str, Any]) -> dict[str, int]:
    """Bytes in and out together, by service of which there are any. protocols: as the panel tells a client's traffic of a month."""
    found = {service: _bytes(protocols, names) for service, names in SERVICES.items()}
    return {service: amount for service, amount in found.items() if amount is not None}


def _bytes(protocols: Mapping[str, Any], names: Iterable[str]) -> int | None:
    told = [number(members(protocols.get(name)).get(direction)) for name in names for direction in ("in", "out")]
    amounts = [max(0, amount) for amount in told if amount is not None]
    return sum(amounts) if amounts else None

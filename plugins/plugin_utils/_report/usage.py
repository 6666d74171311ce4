# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is used of servers, limits and mailboxes. Pure. Private to the collection.

Space, files and traffic need attention before they are used up, since a site or mail then stands still. Of what is counted, such as mailboxes,
having all that were paid for is normal; only more than that, which a smaller plan leaves behind, needs attention.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...module_utils._kinds.domain import class_of
from ...module_utils._schema.kind import OWNER
from .reading import SERVICES, PanelReading, members, number, text

BAD, NEAR, FINE = "bad", "near", "fine"
LEVELS = (BAD, NEAR, FINE)
# Fields of the statistics (facts.md section 4.2): those that run full, and those that are counted.
CONSUMED = ("disk_space", "traffic", "files")
COUNTED = (
    *("domains", "subdomains", "email_accounts", "email_addresses", "email_forwardings"),
    *("databases", "ftp_users", "scheduled_tasks"),
)
Row = dict[str, Any]


def share(value: int, most: int | None) -> float | None:
    """Percent of the limit; None without one. Of nothing allowed, nothing is 0 and anything too much."""
    if most is None or most < 0:
        return None
    if most == 0:
        return 0.0 if value <= 0 else 999.0
    return round(100 * value / most, 1)


def clients(reading: PanelReading, near_percent: int) -> list[Row]:
    """The clients of a panel, in the order of its list."""
    plans = {plan.get("id"): text(plan.get("name")) for plan in reading.of("plans")}
    found = []
    for client in reading.of("clients"):
        stats = reading.stats.get(client.get("id"))
        resources = list(_resources(stats or {}, near_percent))
        limited = [one for one in resources if one["percent"] is not None]
        worst = min(limited, key=lambda one: (LEVELS.index(one["level"]), -one["percent"]), default=None)
        row = {
            "server": reading.name,
            "client": text(client.get("username"), "(without a name)"),
            "plan": plans.get(client.get("id_hosting_plan"), ""),
            "is_suspended": client.get("is_suspended") is True,
            "is_read": stats is not None,
            "level": worst["level"] if worst else FINE,
            "worst": worst,
            "resources": resources,
        }
        found.append(row)
    return found


def _resources(stats: Mapping[str, Any], near_percent: int) -> Iterable[Row]:
    for name in (*CONSUMED, *COUNTED):
        both = members(stats.get(name))
        value, most = number(both.get("value")), number(both.get("max"))
        if value is not None:
            percent = share(value, most)
            level = _level(name, percent, near_percent)
            yield {"name": name, "value": value, "max": most, "percent": percent, "level": level}


def _level(name: str, percent: float | None, near_percent: int) -> str:
    if percent is None:
        return FINE
    if percent > 100 or (percent == 100 and name in CONSUMED):
        return BAD
    return NEAR if name in CONSUMED and percent >= near_percent else FINE


def mailboxes(reading: PanelReading, near_percent: int) -> list[Row]:
    """The mailboxes that are full or nearly so: they refuse mail."""
    found = []
    for email in reading.of("emails"):
        size, most = number(email.get("size")), number(email.get("max_size"))
        percent = None if size is None else share(size, most)
        if percent is not None and percent >= near_percent:
            row = {
                "server": reading.name,
                "email": text(email.get("email_utf8")) or text(email.get("email")),
                "client": reading.username(email.get(OWNER)),
                "value": size,
                "max": most,
                "percent": percent,
                "level": BAD if percent >= 100 else NEAR,
            }
            found.append(row)
    return found


def server(reading: PanelReading, near_percent: int) -> Row:
    """What a panel says about itself and what is on it; with ``failure`` alone if it could not be read."""
    meta, system = members(reading.server.get("meta")), members(reading.server.get("operating_system"))
    resources = members(reading.server.get("resources"))
    used = number(resources.get("consumed_disk_space"))
    percent = round(100 * used / reading.disk_space, 1) if used is not None and reading.disk_space else None
    limits = [number(members(stats.get("disk_space")).get("max")) for stats in reading.stats.values()]
    classes = [class_of(domain) for domain in reading.of("domains")]
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
            "promised": sum(limit for limit in limits if limit is not None and limit >= 0),
            "unlimited_clients": sum(1 for limit in limits if limit is not None and limit < 0),
            "capacity": reading.disk_space,
            "percent": percent,
            "level": FINE if percent is None or percent < near_percent else NEAR if percent < 100 else BAD,
        },
        "counts": {
            "clients": len(reading.of("clients")),
            "suspended": sum(1 for client in reading.of("clients") if client.get("is_suspended") is True),
            "domains": classes.count("main_domains"),
            "subdomains": classes.count("subdomains"),
            "emails": len(reading.of("emails")),
            "databases": len(reading.of("databases")),
            "ftp_users": len(reading.of("ftp_users")),
        },
        "mail_domains": None if reading.mail_dns is None else len(reading.mail_dns),
    }


def traffic(readings: Iterable[PanelReading], months: list[str], top: int) -> Row:
    """Bytes in and out together: of servers and services by month, and of the clients with the most in the last month."""
    servers: Row = {}
    services: Row = {service: [0] * len(months) for service in SERVICES}
    clients: list[Row] = []
    for reading in readings:
        own = servers.setdefault(reading.name, [0] * len(months))
        for client in reading.of("clients"):
            by_month = reading.traffic.get(client.get("id"), {})
            amounts = [0] * len(months)
            for at, month in enumerate(months):
                for service, amount in by_month.get(month, {}).items():
                    services[service][at] += amount
                    amounts[at] += amount
                own[at] += amounts[at]
            if any(amounts):
                clients.append({"server": reading.name, "client": text(client.get("username")), "bytes": amounts})
    clients.sort(key=lambda one: ([-amount for amount in reversed(one["bytes"])], one["client"], one["server"]))
    return {
        "months": months,
        "servers": [{"server": name, "bytes": amounts} for name, amounts in servers.items()],
        "services": [{"service": name, "bytes": amounts} for name, amounts in services.items()],
        "clients": clients[:top],
    }

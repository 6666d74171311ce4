# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One line about each server. Pure. Private to the collection."""

from __future__ import annotations

from typing import Any

from ...module_utils._object.domain_classes import class_of
from .panel_reading import PanelReading
from .panel_values import members, number, text
from .usage import BAD, FINE, NEAR


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
        "requests": reading.requests,
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

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report as data: what the JSON file holds and the page shows. Pure: readings and a time in. Private to the collection.

``FORMAT`` and ``VERSION`` say what shape it has; the README of the role describes it. A member more does not change the version.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._jobs.months import months_until
from .._run.own_files import OwnFiles
from .findings import certificates, duplicates, faults, lets_encrypt, mail_dns, sorted_by_expiry, worst_first
from .panel_answers import PanelReading
from .usage import BAD, FINE, NEAR, clients, mailboxes, server, sorted_by_use, traffic

FORMAT, VERSION = "hosting.panel.report", 1
DATA = OwnFiles(
    f"report of version {VERSION}",
    re.compile(rf'\s*\{{\s*"format":\s*"{re.escape(FORMAT)}",\s*"version":\s*{VERSION}\b'),
)
"""The JSON files with such a report."""


@dataclass(frozen=True)
class Thresholds:
    """From when on something needs attention.

    near_percent: of a limit. soon_days, urgent_days: until a certificate ends. months: of traffic. top: how many rows come first.
    """

    near_percent: int = 90
    soon_days: int = 30
    urgent_days: int = 7
    months: int = 6
    top: int = 10


def report(
    readings: Sequence[PanelReading], now: datetime.datetime, thresholds: Thresholds, title: str
) -> dict[str, Any]:
    """The whole report; ``now`` has a time zone, which is that of the days on the page."""
    near = thresholds.near_percent
    read = [reading for reading in readings if not reading.failure]
    found: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "generated_at": now.isoformat(timespec="seconds"),
        "thresholds": {
            "near_percent": near,
            "soon_days": thresholds.soon_days,
            "urgent_days": thresholds.urgent_days,
            "top": thresholds.top,
        },
        "servers": [server(reading, near) for reading in readings],
        "clients": sorted_by_use([client for reading in read for client in clients(reading, near)]),
        "mailboxes": [mailbox for reading in read for mailbox in mailboxes(reading, near)],
        "traffic": traffic(read, months_until(now, thresholds.months), thresholds.top),
        "certificates": sorted_by_expiry(
            [
                certificate
                for reading in read
                for certificate in certificates(reading, now, thresholds.soon_days, thresholds.urgent_days)
            ]
        ),
        "lets_encrypt_domains": sum(lets_encrypt(reading) for reading in read),
        "mail_dns": worst_first([one for reading in read for one in mail_dns(reading)]),
        "errors": [fault for reading in read for fault in faults(reading)],
        "duplicates": duplicates(read),
        "drift": [_drift(reading) for reading in read],
    }
    found["mailboxes"].sort(key=lambda one: (-one["percent"], one["email"], one["server"]))
    found["summary"] = _summary(found)
    return found


def _drift(reading: PanelReading) -> dict[str, Any]:
    drift = reading.drift
    return {
        "server": reading.name,
        "is_compared": drift is not None and not drift.failure,
        "failure": "" if drift is None else drift.failure,
        "changes": [] if drift is None else [dict(change) for change in drift.changes],
    }


def _summary(found: dict[str, Any]) -> dict[str, Any]:
    """The numbers at the top, by area: what is bad, what comes near, and how much there is in all."""
    servers = found["servers"]
    disks = [one["disk_space"]["level"] for one in servers]
    drift = found["drift"]
    return {
        "servers": _area(
            sum(1 for one in servers if one["failure"]) + disks.count(BAD),
            sum(1 for one in servers if not one["failure"] and (one["reboot_required"] or one["problems"]))
            + disks.count(NEAR),
            len(servers),
        ),
        "limits": _area(*_levels(found["clients"]), len(found["clients"])),
        "mailboxes": _area(*_levels(found["mailboxes"]), sum(one["counts"]["emails"] for one in servers)),
        "certificates": _area(*_levels(found["certificates"]), len(found["certificates"])),
        "mail_dns": _area(*_levels(found["mail_dns"]), len(found["mail_dns"])),
        "errors": _area(len(found["errors"]), 0, len(found["errors"])),
        "duplicates": _area(0, len(found["duplicates"]), len(found["duplicates"])),
        "drift": _area(
            sum(1 for one in drift if one["failure"]),
            sum(len(one["changes"]) for one in drift),
            sum(1 for one in drift if one["is_compared"]),
        ),
    }


def _levels(rows: list[dict[str, Any]]) -> tuple[int, int]:
    levels = [row["level"] for row in rows]
    return levels.count(BAD), levels.count(NEAR)


def _area(bad: int, near: int, total: int) -> dict[str, Any]:
    return {"bad": bad, "near": near, "total": total, "level": BAD if bad else NEAR if near else FINE}

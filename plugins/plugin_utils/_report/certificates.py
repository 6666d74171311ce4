# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates by expiry, and where they are used. Pure. Private to the collection.

The API shows when uploaded certificates end; of those from Let's Encrypt, which the panel renews by itself, it shows only that there are.
"""

from __future__ import annotations

import datetime
from typing import Any

from .panel_reading import PanelReading
from .panel_values import identifier, instant, members, text
from .usage import BAD, FINE, NEAR


def certificates(
    reading: PanelReading, now: datetime.datetime, soon_days: int, urgent_days: int
) -> list[dict[str, Any]]:
    """The certificates of a panel. One that is used nowhere is never urgent: nobody sees it end."""
    used: dict[Any, list[str]] = {}
    for domain in reading.of("domains"):
        own = identifier(members(domain.get("security")).get("id_certificate"))
        if own:
            used.setdefault(own, []).append(text(domain.get("domain_utf8")) or text(domain.get("domain")))
    found = []
    for certificate in reading.of("certificates"):
        ends = _day(certificate.get("valid_till"), now.tzinfo)
        # On the calendar: 0 is today, -1 was yesterday.
        days = None if ends is None else (ends - now.date()).days
        names = sorted(used.get(identifier(certificate.get("id")), []))
        secured = certificate.get("secured_domains")
        found.append(
            {
                "server": reading.name,
                "name": text(certificate.get("name")),
                "client": text(reading.username(certificate.get("id_user"))),
                "issuer": text(certificate.get("issuer")),
                "valid_till": None if ends is None else ends.isoformat(),
                "days": days,
                "used_by": names,
                "secures": sorted(text(name) for name in secured) if isinstance(secured, list) else [],
                "level": _level(days, bool(names), soon_days, urgent_days),
            }
        )
    return found


def sorted_by_expiry(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those in use first, and of them the first to end; without a date last."""
    return sorted(
        found, key=lambda one: (not one["used_by"], one["days"] is None, one["days"] or 0, one["name"], one["server"])
    )


def lets_encrypt(reading: PanelReading) -> int:
    """How many domains have a certificate that the panel renews."""
    return sum(1 for domain in reading.of("domains") if members(domain.get("security")).get("lets_encrypt") is True)


def _day(value: Any, zone: datetime.tzinfo | None) -> datetime.date | None:
    """The day of an instant in a time zone; None where it is none."""
    found = instant(value, zone)
    try:
        return None if found is None else found.astimezone(zone).date()
    except OverflowError:
        return None


def _level(days: int | None, is_used: bool, soon_days: int, urgent_days: int) -> str:
    if days is None or not is_used or days > soon_days:
        return FINE
    return BAD if days <= urgent_days else NEAR

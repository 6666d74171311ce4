# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What needs a look whatever is used: certificates by expiry, mail DNS, names on several panels, objects in error. Pure. Private to the collection.

The API shows when uploaded certificates end; of those from Let's Encrypt, which the panel renews by itself, it shows only that there are.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Any

from ...module_utils._kinds.domain import class_of
from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.kind import OWNER, Kind
from .panel_answers import PanelReading, identifier, instant, members, text
from .usage import BAD, FINE, LEVELS, NEAR

_LONGEST_RECORD = 4096
ERROR = 2  # the status of the interface


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
                "client": text(reading.username(certificate.get(OWNER))),
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


def mail_dns(reading: PanelReading) -> list[dict[str, Any]]:
    """The domains with mail of a panel, with what is wrong with their records."""
    shown = {text(domain.get("domain")).lower(): domain for domain in reading.of("domains")}
    found = []
    for one in reading.mail_dns or ():
        domain = shown.get(one["domain"], {})
        found.append(
            {
                "server": reading.name,
                "domain": text(domain.get("domain_utf8"), one["domain"]),
                "client": text(reading.username(domain.get(OWNER))),
                "level": one["level"],
                "look_ups": one["look_ups"],
                "findings": [_cleaned(finding) for finding in one["findings"]],
            }
        )
    return found


def _cleaned(finding: Mapping[str, Any]) -> dict[str, Any]:
    """A finding with the texts of a zone as they can be shown, records as a whole."""

    def record(given: Mapping[str, str] | None) -> dict[str, str] | None:
        return None if given is None else {name: text(value, "", _LONGEST_RECORD) for name, value in given.items()}

    return {**finding, "record": record(finding["record"]), "replaces": [record(one) for one in finding["replaces"]]}


def worst_first(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The worst domains first."""
    return sorted(found, key=lambda one: (LEVELS.index(one["level"]), one["domain"], one["server"]))


def duplicates(readings: Iterable[PanelReading]) -> list[dict[str, Any]]:
    """Domains, then client names, on several panels, with the owner on each. Subdomains of such a domain are counted, not listed."""
    domains: dict[str, dict[str, str]] = {}
    shown: dict[str, str] = {}
    clients: dict[str, dict[str, str]] = {}
    for reading in readings:
        for domain in reading.of("domains"):
            name = text(domain.get("domain")).lower()
            if name and class_of(domain) != "system_domains":
                domains.setdefault(name, {})[reading.name] = text(reading.username(domain.get(OWNER)))
                shown.setdefault(name, text(domain.get("domain_utf8"), name))
        for client in reading.of("clients"):
            name = text(client.get("username")).lower()
            if name:
                clients.setdefault(name, {})[reading.name] = name
    several = {name: places for name, places in domains.items() if len(places) > 1}
    found = []
    for name in sorted(several):
        if _parent(name, several):
            continue
        below = sum(1 for other in several if other.endswith(f".{name}"))
        found.append(_entry("domain", shown[name], several[name], below))
    found += [_entry("client", name, clients[name], 0) for name in sorted(clients) if len(clients[name]) > 1]
    return found


def _parent(name: str, several: Mapping[str, Any]) -> bool:
    """Whether a domain above this one is on several panels too."""
    labels = name.split(".")
    return any(".".join(labels[index:]) in several for index in range(1, len(labels)))


def _entry(kind: str, name: str, places: Mapping[str, str], below: int) -> dict[str, Any]:
    return {
        "kind": kind,
        "name": name,
        "servers": [{"server": server, "client": places[server]} for server in sorted(places)],
        "subdomains": below,
    }


def faults(reading: PanelReading) -> list[dict[str, Any]]:
    """The objects in the state of error, in the order of their kinds."""
    found = []
    for kind, table in KINDS.items():
        for item in reading.of(kind) if table.has_status else ():
            if item.get("status") == ERROR:
                owner = item.get("id" if kind == "clients" else OWNER)
                found.append(
                    {
                        "server": reading.name,
                        "kind": kind,
                        "title": table.title,
                        "key": _key(table, item),
                        "client": text(reading.username(owner)),
                    }
                )
    return found


def _key(kind: Kind, item: Any) -> str:
    named = [item.get(f"{row.name}_utf8") or item.get(row.name) for row in kind.key]
    return text(next((name for name in reversed(named) if name), None), f"id {text(item.get('id'), '?')}")

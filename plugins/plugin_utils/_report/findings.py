# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What needs attention beside limits: certificates, mail DNS, names on several panels, objects in error. Pure. Private to the collection.

The API shows when uploaded certificates end; of those from Let's Encrypt, which the panel renews, it shows only that there are.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ...module_utils._kinds.domain import class_of
from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.kind import OWNER, Kind
from .reading import PanelReading, members, text
from .usage import BAD, FINE, LEVELS, NEAR, Row

ERROR = 2  # the status of the interface
_LONGEST_RECORD = 4096


def instant(value: Any, zone: datetime.tzinfo | None) -> datetime.datetime | None:
    """An instant; ``zone`` is that of one without an offset. None if it is none."""
    try:
        form = re.sub(r"([+-]\d{2})(\d{2})$", r"\1:\2", str(value).strip().replace("Z", "+00:00"))
        found = datetime.datetime.fromisoformat(form)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=zone)


def _day(value: Any, zone: datetime.tzinfo | None) -> datetime.date | None:
    found = instant(value, zone)
    return None if found is None else found.astimezone(zone).date()


def certificates(reading: PanelReading, now: datetime.datetime, soon_days: int, urgent_days: int) -> list[Row]:
    """The certificates of a panel, in the order of its list. One that no domain uses is never urgent."""
    used: dict[Any, list[str]] = {}
    for domain in reading.of("domains"):
        own = members(domain.get("security")).get("id_certificate")
        if own:
            used.setdefault(own, []).append(text(domain.get("domain_utf8")) or text(domain.get("domain")))
    found = []
    for certificate in reading.of("certificates"):
        ends = _day(certificate.get("valid_till"), now.tzinfo)
        # On the calendar: 0 is today, -1 was yesterday.
        days = None if ends is None else (ends - now.date()).days
        names = sorted(used.get(certificate.get("id"), []))
        is_due = days is not None and names and days <= soon_days
        secured = certificate.get("secured_domains")
        found.append(
            {
                "server": reading.name,
                "name": text(certificate.get("name")),
                "client": reading.username(certificate.get(OWNER)),
                "issuer": text(certificate.get("issuer")),
                "valid_till": None if ends is None else ends.isoformat(),
                "days": days,
                "used_by": names,
                "secures": sorted(text(name) for name in secured) if isinstance(secured, list) else [],
                "level": FINE if not is_due or days is None else BAD if days <= urgent_days else NEAR,
            }
        )
    return found


def first_to_end(rows: Iterable[Row]) -> list[Row]:
    """Those in use first, and of them the first to end; without a date last."""
    return sorted(
        rows, key=lambda one: (not one["used_by"], one["days"] is None, one["days"] or 0, one["name"], one["server"])
    )


def lets_encrypt(reading: PanelReading) -> int:
    """How many domains have a certificate that the panel renews."""
    return sum(1 for domain in reading.of("domains") if members(domain.get("security")).get("lets_encrypt") is True)


def mail_dns(reading: PanelReading) -> list[Row]:
    """The domains with mail of a panel, with what is wrong with their records."""
    shown = {text(domain.get("domain")).lower(): domain for domain in reading.of("domains")}
    found = []
    for one in reading.mail_dns or ():
        domain = shown.get(one["domain"], {})
        found.append(
            {
                "server": reading.name,
                "domain": text(domain.get("domain_utf8"), one["domain"]),
                "client": reading.username(domain.get(OWNER)),
                "level": one["level"],
                "look_ups": one["look_ups"],
                "findings": [
                    {**finding, "record": _record(finding["record"]), "replaces": []} for finding in one["findings"]
                ],
            }
        )
    return found


def _record(given: Mapping[str, str] | None) -> dict[str, str] | None:
    return None if given is None else {name: text(value, "", _LONGEST_RECORD) for name, value in given.items()}


def worst_domains_first(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda one: (LEVELS.index(one["level"]), one["domain"], one["server"]))


def duplicates(readings: Iterable[PanelReading]) -> list[Row]:
    """Domains, then client names, on several panels, with the owner on each. Subdomains of such a domain are counted, not listed."""
    domains: dict[str, dict[str, str]] = {}
    shown: dict[str, str] = {}
    clients: dict[str, dict[str, str]] = {}
    for reading in readings:
        for domain in reading.of("domains"):
            name = text(domain.get("domain")).lower()
            if name and class_of(domain) != "system_domains":
                domains.setdefault(name, {})[reading.name] = reading.username(domain.get(OWNER))
                shown.setdefault(name, text(domain.get("domain_utf8"), name))
        for client in reading.of("clients"):
            name = text(client.get("username")).lower()
            if name:
                clients.setdefault(name, {})[reading.name] = name
    several = {name: places for name, places in domains.items() if len(places) > 1}
    found = []
    for name in sorted(several):
        labels = name.split(".")
        if not any(".".join(labels[index:]) in several for index in range(1, len(labels))):
            below = sum(1 for other in several if other.endswith(f".{name}"))
            found.append(_duplicate("domain", shown[name], several[name], below))
    return found + [_duplicate("client", name, clients[name], 0) for name in sorted(clients) if len(clients[name]) > 1]


def _duplicate(kind: str, name: str, places: Mapping[str, str], below: int) -> Row:
    servers = [{"server": server, "client": places[server]} for server in sorted(places)]
    return {"kind": kind, "name": name, "servers": servers, "subdomains": below}


def faults(reading: PanelReading) -> list[Row]:
    """The objects whose status is error, in the order of their kinds."""
    found = []
    for kind, table in KINDS.items():
        for item in reading.of(kind) if table.has_status else ():
            if item.get("status") == ERROR:
                client = reading.username(item.get("id" if kind == "clients" else OWNER))
                shown = {"kind": kind, "title": table.title, "key": _key(table, item), "client": client}
                found.append({"server": reading.name, **shown})
    return found


def _key(kind: Kind, item: Any) -> str:
    named = [item.get(f"{row.name}_utf8") or item.get(row.name) for row in kind.key]
    return text(next((name for name in reversed(named) if name), None), f"id {text(item.get('id'), '?')}")

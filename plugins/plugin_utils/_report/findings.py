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
from ...module_utils._schema.kind import OWNER
from .reading import PanelReading, members, text
from .usage import BAD, FINE, NEAR, Row

ERROR = 2  # the status of the interface


def instant(value: Any, zone: datetime.tzinfo | None) -> datetime.datetime | None:
    """An instant; ``zone`` is that of one without an offset. None if it is none."""
    try:
        form = re.sub(r"([+-]\d{2})(\d{2})$", r"\1:\2", str(value).strip().replace("Z", "+00:00"))
        found = datetime.datetime.fromisoformat(form)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=zone)


def certificates(reading: PanelReading, now: datetime.datetime, soon_days: int, urgent_days: int) -> list[Row]:
    """The certificates of a panel, in the order of its list. One that no domain uses is never urgent."""
    used: dict[Any, list[str]] = {}
    for domain in reading.of("domains"):
        own = members(domain.get("security")).get("id_certificate")
        if own:
            used.setdefault(own, []).append(text(domain.get("domain_utf8")) or text(domain.get("domain")))
    found = []
    for certificate in reading.of("certificates"):
        found_end = instant(certificate.get("valid_till"), now.tzinfo)
        ends = found_end and found_end.astimezone(now.tzinfo).date()
        # On the calendar: 0 is today, -1 was yesterday.
        days = (ends - now.date()).days if ends else None
        names = sorted(used.get(certificate.get("id"), []))
        level = FINE if days is None or not names or days > soon_days else BAD if days <= urgent_days else NEAR
        found.append(
            {
                "server": reading.name,
                "name": text(certificate.get("name")),
                "client": reading.username(certificate.get(OWNER)),
                "issuer": text(certificate.get("issuer")),
                "valid_till": ends and ends.isoformat(),
                "days": days,
                "used_by": names,
                "secures": sorted(text(name) for name in certificate.get("secured_domains") or ()),
                "level": level,
            }
        )
    return found


def lets_encrypt(reading: PanelReading) -> int:
    """How many domains have a certificate that the panel renews."""
    return sum(1 for domain in reading.of("domains") if members(domain.get("security")).get("lets_encrypt") is True)


def mail_dns(reading: PanelReading) -> list[Row]:
    """The domains with mail of a panel, with what is wrong with their records."""
    shown = {text(domain.get("domain")).lower(): domain for domain in reading.of("domains")}
    found = []
    for one in reading.mail_dns or ():
        domain = shown.get(one["domain"], {})
        row = {
            "server": reading.name,
            "domain": text(domain.get("domain_utf8"), one["domain"]),
            "client": reading.username(domain.get(OWNER)),
            "level": one["level"],
            "look_ups": one["look_ups"],
            "findings": [{**finding, "replaces": []} for finding in one["findings"]],
        }
        found.append(row)
    return found


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
    found: list[Row] = []

    def add(kind: str, name: str, places: Mapping[str, str], below: int) -> None:
        servers = [{"server": server, "client": places[server]} for server in sorted(places)]
        found.append({"kind": kind, "name": name, "servers": servers, "subdomains": below})

    for name in sorted(several):
        labels = name.split(".")
        if not any(".".join(labels[index:]) in several for index in range(1, len(labels))):
            add("domain", shown[name], several[name], sum(1 for other in several if other.endswith(f".{name}")))
    for name in sorted(clients):
        if len(clients[name]) > 1:
            add("client", name, clients[name], 0)
    return found


def faults(reading: PanelReading) -> list[Row]:
    """The objects whose status is error, in the order of their kinds."""
    found = []
    for kind, table in KINDS.items():
        for item in reading.of(kind) if table.has_status else ():
            if item.get("status") == ERROR:
                names = [item.get(f"{row.name}_utf8") or item.get(row.name) for row in reversed(table.key)]
                key = text(next(filter(None, names), f"id {item.get('id', '?')}"))
                client = reading.username(item.get("id" if kind == "clients" else OWNER))
                found.append({"server": reading.name, "kind": kind, "title": table.title, "key": key, "client": client})
    return found

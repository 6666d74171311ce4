# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a zone to the options of panel_dns that make it. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._dns.record_values import APEX, PLACEHOLDER, TEXT_TYPES, Record, comparable_ttl, dkim_text, flag, records_of
from .._dns.wanted_zone import PROTECTED, SOA_MEMBERS, read_wanted_zone

_APEX_NAME_SERVERS = (APEX, "NS")


def needs_records(domain: Mapping[str, Any]) -> bool:
    """Whether the zone has to be read: not where the domain itself says that it is disabled, or the panel's default one."""
    return _without_records(domain) is None


def exported_zone(domain: Mapping[str, Any], zone: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The options that make this zone on a panel where it may be another; None where neither argument tells what it is.

    zone: as read, None where it was not. Raises OptionError where panel_dns would refuse its records.
    """
    name = str(domain.get("domain"))
    switches = dict(domain)
    if zone is not None:
        switches.update({switch: zone[switch] for switch in ("is_custom_dns", "is_dns_disabled") if switch in zone})
    options = _without_records(switches)
    if options is None:
        if zone is None:
            return None
        options = _with_records(zone, name)
    item = {"domain": name, **options}
    read_wanted_zone(item)
    return item


def _without_records(switches: Mapping[str, Any]) -> dict[str, Any] | None:
    if flag(switches, "is_dns_disabled"):
        return {"is_dns_disabled": True}
    if flag(switches, "is_dns_disabled") is False and flag(switches, "is_custom_dns") is False:
        return {"state": "default"}
    return None


def _with_records(zone: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Every record and the SOA record, in place of whatever the zone has: on an empty panel, of the default records."""
    records = sorted(
        records_of(zone, name), key=lambda record: (record.host != APEX, record.host, record.type, record.value)
    )
    options: dict[str, Any] = {"purge": True, "max_delete_percent": 100}
    if not any(record.set == _APEX_NAME_SERVERS for record in records):
        # Protected are the name servers of the default records too, which this zone does not have.
        options["protect"] = [pattern for pattern in PROTECTED if pattern != " ".join(_APEX_NAME_SERVERS)]
    shown = zone["records"].get("soa") or {}
    soa = {member: comparable_ttl(shown[member]) for member in SOA_MEMBERS if shown.get(member) is not None}
    if soa:
        options["soa"] = soa
    dkim = dkim_text(zone)
    options["records"] = [_exported_record(record, dkim) for record in records]
    return options


def _exported_record(record: Record, dkim: str | None) -> dict[str, Any]:
    """Only the members that the interface names. Another zone has another key for its mails, which the placeholder stands for."""
    is_dkim = record.type in TEXT_TYPES and dkim is not None and record.value == dkim
    value = PLACEHOLDER if is_dkim else record.shown["value"]
    ttl = {} if record.ttl is None else {"ttl": record.ttl}
    return {"host": record.host, "type": record.type, **ttl, "value": value}

# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens to zones when a client moves: addresses, names and TTLs.

Pure. Private to the collection.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...module_utils._dns.record_values import (
    NUMBERS_BEFORE_NAME,
    decode_text,
    list_records,
    normalize_value,
)

Zone = Mapping[str, Any]
# What of the old server becomes what of the new one: addresses in their one spelling, names in
# lower case without a dot at the end.
Substitutes = Mapping[str, str]
# In an SPF record an address, alone or with the prefix that names it alone. Any other prefix names
# a network, which stays.
_SPF_ADDRESS = re.compile(
    r"(?<=\bip4:)[\d.]+(?=(/32)?(\s|$))|(?<=\bip6:)[\da-f:.]+(?=(/128)?(\s|$))", re.IGNORECASE
)


def read_substitutes(
    addresses: Mapping[str, Any], names: Mapping[str, Any], mistakes: list[str]
) -> Substitutes:
    """Read what an operator wrote, and add a mistake for each pair that cannot be used."""
    for old, new in addresses.items():
        try:
            is_right = (
                ipaddress.ip_address(str(old)).version == ipaddress.ip_address(str(new)).version
            )
        except ValueError:
            is_right = False
        if not is_right:
            mistakes.append(
                f"move_addresses: {old}: {new} is not accepted. Give two IPv4 or two IPv6 addresses, for example 192.0.2.10: 198.51.100.20."
            )
    new_names = _collect_pairs("move_names", names, _name, mistakes)
    new_addresses = _collect_pairs("move_addresses", addresses, _address, mistakes)
    return {**new_names, **new_addresses}


def _collect_pairs(
    variable: str, pairs: Mapping[str, Any], normalize: Callable[[Any], str], mistakes: list[str]
) -> dict[str, str]:
    """Return old and new values in their one spelling.

    One old value with two new ones is a mistake.
    """
    written: dict[str, str] = {}
    collected: dict[str, str] = {}
    for old, new in pairs.items():
        key = normalize(old)
        value = normalize(new)
        if collected.get(key, value) != value:
            mistakes.append(
                f"{variable}: {written[key]} and {old}: {new} are for the same old value. Keep one of them."
            )
        written.setdefault(key, f"{old}: {new}")
        collected.setdefault(key, value)
    return collected


def rewritten(zone: Zone, substitutes: Substitutes) -> dict[str, Any]:
    """Return the options of panel_dns for a zone, with the new addresses and names in them."""
    item = dict(zone)
    if "records" in item:
        item["records"] = [
            {**record, "value": _new_value(record, substitutes)} for record in item["records"]
        ]
    primary = _name((item.get("soa") or {}).get("primary_ns") or "")
    if primary in substitutes:
        item["soa"] = {**item["soa"], "primary_ns": f"{substitutes[primary]}."}
    return item


def left_behind(zone: Zone, server: Mapping[str, Any], substitutes: Substitutes) -> list[str]:
    """Records that lead to the source and that no substitute is given for.

    server: as ``panel_server_info`` returns it.
    """
    meta = server.get("meta") or {}
    old = {*map(_address, meta.get("ip_addresses") or ()), _name(meta.get("hostname") or "")}
    unmapped = dict.fromkeys(old - {""} - substitutes.keys(), "")
    records = [
        one for one in zone.get("records") or () if _new_value(one, unmapped) != one["value"]
    ]
    return [f"{one['host']} {one['type']} {one['value']}" for one in records]


def lowered(zones: Iterable[Zone], ttl: int) -> list[dict[str, Any]]:
    """Items for panel_dns: all records of each zone that has a longer TTL.

    zones: entries of ``panel_dns_info``.
    """
    items = []
    for zone in zones:
        records = [
            {"host": one["host"], "type": one["type"], "ttl": one.get("ttl"), "value": one["value"]}
            for one in zone["records"]["other"]
        ]
        short = [
            {**one, "ttl": ttl} if isinstance(one["ttl"], int) and one["ttl"] > ttl else one
            for one in records
        ]
        if short != records and not zone.get("is_dns_disabled"):
            items.append({"domain": zone["domain"], "records": short})
    return items


def name_servers(zones: Iterable[Zone]) -> list[str]:
    """The name servers that records of these zones name, those of SOA records included."""
    named: set[str] = set()
    for zone in zones:
        named.update(
            _name(one["value"]) for one in zone.get("records") or () if one["type"] == "NS"
        )
        named.add(_name((zone.get("soa") or {}).get("primary_ns") or ""))
    return sorted(named - {""})


def is_default_but_for_ttl(zone: Zone, before: Zone | None) -> bool:
    """Whether it was the panel's default zone until its TTLs were lowered.

    before: as ``panel_dns_info`` showed it then.
    """
    if before is None or before.get("is_custom_dns") or "records" not in zone:
        return False
    # Without the DKIM record, in whose place an export has a placeholder.
    now, then = (
        sorted(
            (one.host, one.type, one.value)
            for one in list_records(side, zone["domain"])
            if "_domainkey" not in one.host
        )
        for side in ({"records": {"other": zone["records"]}}, before)
    )
    return now == then


def _new_value(record: Mapping[str, Any], substitutes: Substitutes) -> str:
    value: str = record["value"]
    if record["type"] in ("A", "AAAA"):
        return substitutes.get(_address(value), value)
    if record["type"] in NUMBERS_BEFORE_NAME:
        *numbers, host = value.split() or [""]
        new = substitutes.get(_name(host))
        return value if new is None else " ".join([*numbers, f"{new}."])
    text = decode_text(value)
    if not text.lower().startswith("v=spf1 "):
        return value
    new = _SPF_ADDRESS.sub(lambda match: substitutes.get(_address(match[0]), match[0]), text)
    return value if new == text else new


def _address(text: Any) -> str:
    return normalize_value("AAAA", text, None)


def _name(text: Any) -> str:
    return str(text).strip().rstrip(".").lower()

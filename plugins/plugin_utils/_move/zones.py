# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens to zones when a client moves: addresses, names and TTLs.

Pure.
"""

from __future__ import annotations

import contextlib
import ipaddress
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...module_utils._dns.record_names import normalize_name
from ...module_utils._dns.record_values import NUMBERS_BEFORE_NAME, decode_text, normalize_value
from ...module_utils._dns.records import list_records
from ...module_utils._values.names import normalize_host_name

Zone = Mapping[str, Any]
# What of the old server becomes what of the new one: addresses in their one spelling, names in
# lower case without a dot at the end.
Substitutes = Mapping[str, str]
# In an SPF record an address, alone or with the prefix that names it alone. Any other prefix names
# a network, which stays.
_SPF_ADDRESS = re.compile(
    r"(?<=\bip4:)[\d.]+(?=(/32)?(\s|$))|(?<=\bip6:)[\da-f:.]+(?=(/128)?(\s|$))", re.IGNORECASE
)
# What in an SPF record takes the name of a host, and that name without the prefix behind it.
_SPF_NAME = re.compile(
    r"(?<=\s)([-+~?]?(?:a|mx|ptr|include|exists):|(?:redirect|exp)=)([^\s/]+)", re.IGNORECASE
)
# By type what stands before the name in the value, the name, and what is behind it.
_SERVICE_NAMES = {
    "HTTPS": re.compile(r"(\s*\d+\s+)(\S+)(.*)", re.DOTALL),
    "SVCB": re.compile(r"(\s*\d+\s+)(\S+)(.*)", re.DOTALL),
    "NAPTR": re.compile(r"(.*\s)(\S+)(\s*)", re.DOTALL),
}
_HINTED_ADDRESSES = re.compile(r'(?<=\s)(ipv[46]hint="?)([\da-f.:,]+)', re.IGNORECASE)


def read_substitutes(
    addresses: Mapping[str, Any],
    names: Mapping[str, Any],
    mistakes: list[str],
    typed_names: Mapping[str, str],
) -> Substitutes:
    """Read what an operator wrote, and add a mistake for each pair that cannot be used.

    Args:
        addresses: New addresses by old ones.
        names: New names of hosts by old ones.
        mistakes: Gets a sentence for each pair that cannot be used.
        typed_names: By variable of the role what messages call it.
    """
    names_variable = typed_names["move_names"]
    addresses_variable = typed_names["move_addresses"]
    mistakes += _find_odd_names(names, names_variable)
    for old, new in addresses.items():
        if not _is_pair_of_addresses(old, new):
            advice = "Give two IPv4 or two IPv6 addresses, for example 192.0.2.10: 198.51.100.20."
            mistakes.append(f"{addresses_variable}: {old}: {new} is not accepted. {advice}")

    new_names = _collect_pairs(names_variable, names, _name, mistakes)
    new_addresses = _collect_pairs(addresses_variable, addresses, _normalize_address, mistakes)
    return {**new_names, **new_addresses}


def _is_pair_of_addresses(old: Any, new: Any) -> bool:
    """Return whether two values are addresses of one version of IP."""
    try:
        old_address = ipaddress.ip_address(str(old))
        new_address = ipaddress.ip_address(str(new))
    except ValueError:
        return False
    return old_address.version == new_address.version


def _find_odd_names(names: Mapping[Any, Any], variable: str) -> list[str]:
    """Return a mistake for each pair that has something else than the names of hosts."""
    advice = "Give two host names, for example old.example.com: new.example.com."
    pairs = [pair for pair in names.items() if not all(map(_is_host_name, pair))]
    return [f"{variable}: {old}: {new} is not accepted. {advice}" for old, new in pairs]


def _is_host_name(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(normalize_host_name(value))
    except ValueError:
        return False


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
            problem = f"{written[key]} and {old}: {new} are for the same old value."
            mistakes.append(f"{variable}: {problem} Keep one of them.")
        written.setdefault(key, f"{old}: {new}")
        collected.setdefault(key, value)
    return collected


def rewrite(zone: Zone, substitutes: Substitutes) -> dict[str, Any]:
    """Return the options of panel_dns for a zone, with the new addresses and names in them."""
    item = dict(zone)
    if "records" in item:
        item["records"] = [
            {**record, "value": _substitute(record, substitutes)} for record in item["records"]
        ]

    primary = _find_primary_name_server(item)
    if primary in substitutes:
        item["soa"] = {**item["soa"], "primary_ns": f"{substitutes[primary]}."}
    return item


def find_unmapped(zone: Zone, server: Mapping[str, Any], substitutes: Substitutes) -> list[str]:
    """Return the records that lead to the source and that no substitute is given for.

    Args:
        zone: The zone.
        server: The source, as ``panel_server_info`` returns it.
        substitutes: What takes the place of old addresses and names.
    """
    meta = server.get("meta") or {}
    addresses = map(_normalize_address, meta.get("ip_addresses") or ())
    source_values = {*addresses, _name(meta.get("hostname") or "")} - {""}
    # A value that these change is one of the source's.
    unmapped = dict.fromkeys(source_values - substitutes.keys(), "")

    records = [
        record
        for record in zone.get("records") or ()
        if _substitute(record, unmapped) != record["value"]
    ]
    return [f"{record['host']} {record['type']} {record['value']}" for record in records]


def lower_ttls(zones: Iterable[Zone], ttl: int) -> list[dict[str, Any]]:
    """Return items for panel_dns: all records of each zone that has a longer TTL.

    Args:
        zones: Entries of ``panel_dns_info``.
        ttl: The longest TTL that stays, in seconds.
    """
    items = []
    for zone in zones:
        if zone.get("is_dns_disabled"):
            continue
        records = zone["records"]["other"]
        if any(_has_longer_ttl(record, ttl) for record in records):
            lowered_records = [_lower_ttl(record, ttl) for record in records]
            items.append({"domain": zone["domain"], "records": lowered_records})
    return items


def keep_first_zones(zones: Iterable[Zone], kept: Mapping[str, Zone], ttl: int) -> dict[str, Zone]:
    """Return by domain the zones as they were before their TTLs were lowered first.

    Args:
        zones: Entries of ``panel_dns_info`` whose TTLs are about to be lowered.
        kept: The zones that an earlier run kept, by domain.
        ttl: The longest TTL that stays, in seconds.
    """
    zones_before = dict(kept)
    for zone in zones:
        domain = zone["domain"]
        zones_before[domain] = _add_new_rrsets(kept[domain], zone, ttl) if domain in kept else zone
    return zones_before


def _add_new_rrsets(kept_zone: Zone, zone: Zone, ttl: int) -> Zone:
    """Return a kept zone with the record sets that came later and have a longer TTL."""
    kept_records = kept_zone["records"]["other"]
    kept_rrsets = {_get_rrset_of(record) for record in kept_records}
    new_records = [
        record
        for record in zone["records"]["other"]
        if _has_longer_ttl(record, ttl) and _get_rrset_of(record) not in kept_rrsets
    ]
    if not new_records:
        return kept_zone

    records = {**kept_zone["records"], "other": [*kept_records, *new_records]}
    # With a record of its own it is not what the panel makes by itself.
    return {**kept_zone, "is_custom_dns": True, "records": records}


def _get_rrset_of(record: Mapping[str, Any]) -> tuple[str, str]:
    return str(record.get("host")).lower(), str(record.get("type")).upper()


def _has_longer_ttl(record: Mapping[str, Any], ttl: int) -> bool:
    return isinstance(record.get("ttl"), int) and record["ttl"] > ttl


def _lower_ttl(record: Mapping[str, Any], ttl: int) -> dict[str, Any]:
    """Return the options of a record, with a TTL that is not longer than this one."""
    return {
        "host": record["host"],
        "type": record["type"],
        "ttl": ttl if _has_longer_ttl(record, ttl) else record.get("ttl"),
        "value": record["value"],
    }


def find_longest_ttl(zones: Mapping[str, Zone]) -> int:
    """Return how many seconds resolvers keep what they read of zones by domain; 0 if unknown."""
    longest = 0
    for zone in zones.values():
        for record in zone["records"]["other"]:
            ttl = record.get("ttl")
            if isinstance(ttl, int):
                longest = max(longest, ttl)
    return longest


def list_name_servers(zones: Iterable[Zone]) -> list[str]:
    """Return the name servers that records of these zones name, those of SOA records included."""
    names: set[str] = set()
    for zone in zones:
        names.add(_find_primary_name_server(zone))
        for record in zone.get("records") or ():
            if record["type"] == "NS":
                names.add(_name(record["value"]))
    return sorted(names - {""})


def _find_primary_name_server(zone: Zone) -> str:
    """Return the name server of the SOA record; empty if the zone shows none."""
    soa = zone.get("soa") or {}
    return _name(soa.get("primary_ns") or "")


def is_default_but_for_ttl(zone: Zone, before: Zone | None) -> bool:
    """Return whether a zone was the panel's default until its TTLs were lowered.

    Args:
        zone: The zone as an export has it.
        before: The zone as ``panel_dns_info`` showed it then; None if that is not known.
    """
    if before is None or before.get("is_custom_dns") or "records" not in zone:
        return False
    domain = zone["domain"]
    records_now = _list_identities({"records": {"other": zone["records"]}}, domain)
    return records_now == _list_identities(before, domain)


def _list_identities(zone: Zone, domain: str) -> list[tuple[str, str, str]]:
    """Return the records of a zone without their TTLs, in one order.

    The DKIM record is left out, since an export has a placeholder for it.
    """
    records = [record for record in list_records(zone, domain) if "_domainkey" not in record.host]
    return sorted((record.host, record.type, record.value) for record in records)


def _substitute(record: Mapping[str, Any], substitutes: Substitutes) -> str:
    """Return the value of a record with the new addresses and names in it."""
    value: str = record["value"]
    if record["type"] in ("A", "AAAA"):
        return substitutes.get(_normalize_address(value), value)
    if record["type"] in NUMBERS_BEFORE_NAME:
        *numbers, host = value.split() or [""]
        new_host = substitutes.get(_name(host))
        return value if new_host is None else " ".join([*numbers, f"{new_host}."])

    if record["type"] in _SERVICE_NAMES:
        return _substitute_in_service(record["type"], value, substitutes)
    return _substitute_in_spf(value, substitutes)


def _substitute_in_service(record_type: str, value: str, substitutes: Substitutes) -> str:
    """Return the value of a record of a service with the new name and the new addresses in it."""
    match = _SERVICE_NAMES[record_type].fullmatch(value)
    if match is None:
        return value

    start, host, end = match.groups()
    new_host = substitutes.get(_name(host))
    new_name = host if new_host is None else f"{new_host}."
    new_end = _HINTED_ADDRESSES.sub(lambda hint: _substitute_in_hint(hint, substitutes), end)
    return f"{start}{new_name}{new_end}"


def _substitute_in_hint(match: re.Match[str], substitutes: Substitutes) -> str:
    addresses = match[2].split(",")
    new_addresses = [substitutes.get(_normalize_address(address), address) for address in addresses]
    return match[1] + ",".join(new_addresses)


def _substitute_in_spf(value: str, substitutes: Substitutes) -> str:
    """Return a text as it is, or an SPF record with the new addresses and names in it."""
    text = decode_text(value)
    if not text.lower().startswith("v=spf1 "):
        return value
    new_text = _SPF_ADDRESS.sub(
        lambda match: substitutes.get(_normalize_address(match[0]), match[0]), text
    )
    new_text = _SPF_NAME.sub(
        lambda match: match[1] + substitutes.get(_name(match[2]), match[2]), new_text
    )
    return value if new_text == text else new_text


def _normalize_address(text: Any) -> str:
    return normalize_value("AAAA", text, None)


def _name(text: Any) -> str:
    name = str(text).strip()
    with contextlib.suppress(ValueError):
        name = normalize_name(name)
    return name.rstrip(".").lower()

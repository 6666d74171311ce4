# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens to zones when a client moves: addresses, names and TTLs. Pure. Private to the collection."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._dns.record_values import NUMBERS_BEFORE_NAME, TEXT_TYPES, comparable_ttl, text_of

Record = Mapping[str, Any]
_ADDRESS_TYPES = ("A", "AAAA")
_SPF_WORD = re.compile(r"(?P<mechanism>[+~?-]?ip[46]:)(?P<address>[^/]*)(?P<prefix>(?:/.*)?)", re.IGNORECASE)


@dataclass(frozen=True)
class Substitutes:
    """What of the old server becomes what of the new one, in the form of ``address_key`` and ``name_key``."""

    addresses: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)


def read_substitutes(addresses: Mapping[str, Any], names: Mapping[str, Any], mistakes: list[str]) -> Substitutes:
    """From what an operator wrote."""
    found: dict[str, str] = {}
    for old, new in addresses.items():
        before, after = _address(old), _address(new)
        if before is None or after is None or before.version != after.version:
            mistakes.append(
                f"move_addresses: {old}: {new} is not accepted. Give two IPv4 or two IPv6 addresses, for example 192.0.2.10: 198.51.100.20."
            )
        else:
            found[str(before)] = str(after)
    return Substitutes(found, {name_key(str(old)): name_key(str(new)) for old, new in names.items()})


def substitutes_of_server(server: Mapping[str, Any]) -> Substitutes:
    """What records may lead to, as keys. server: as ``panel_server_info`` returns it."""
    meta = server.get("meta") or {}
    addresses = {address_key(one) for one in meta.get("ip_addresses") or ()} - {""}
    hostname = name_key(str(meta.get("hostname") or ""))
    return Substitutes(dict.fromkeys(addresses, ""), {hostname: ""} if hostname else {})


def address_key(text: Any) -> str:
    """An address in its one spelling; empty for what is none."""
    return str(_address(text) or "")


def name_key(text: str) -> str:
    return text.strip().rstrip(".").lower()


def rewritten(zone: Mapping[str, Any], substitutes: Substitutes) -> dict[str, Any]:
    """The options of panel_dns for a zone, with the new addresses and names in its records and its SOA record."""
    item = dict(zone)
    if isinstance(item.get("records"), list):
        item["records"] = [{**record, "value": _new_value(record, substitutes)} for record in item["records"]]
    primary = name_key(str((item.get("soa") or {}).get("primary_ns") or ""))
    if primary in substitutes.names:
        item["soa"] = {**item["soa"], "primary_ns": f"{substitutes.names[primary]}."}
    return item


def left_behind(zone: Mapping[str, Any], old: Substitutes, substitutes: Substitutes) -> list[str]:
    """Records that lead to the old server and that no substitute is given for, each as ``HOST TYPE VALUE``."""
    addresses = old.addresses.keys() - substitutes.addresses.keys()
    names = old.names.keys() - substitutes.names.keys()
    return [
        f"{one.get('host')} {one.get('type')} {one.get('value')}"
        for one in zone.get("records") or ()
        if addresses & set(_addresses_in(one)) or names & set(_names_in(one))
    ]


def lowered(zones: Iterable[Mapping[str, Any]], ttl: int) -> list[dict[str, Any]]:
    """Items for panel_dns: all records of each zone that has a longer TTL. zones: entries of ``panel_dns_info``."""
    items = []
    for zone in zones:
        records = [
            {**{name: one.get(name) for name in ("host", "type", "value")}, "ttl": comparable_ttl(one.get("ttl"))}
            for one in (() if zone.get("is_dns_disabled") else records_of(zone))
        ]
        short = [{**one, "ttl": ttl} if isinstance(one["ttl"], int) and one["ttl"] > ttl else one for one in records]
        if short != records:
            items.append({"domain": zone["domain"], "records": short})
    return items


def records_of(zone: Mapping[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (zone.get("records") or {}).get("other") or []
    return found


def name_servers(zones: Iterable[Mapping[str, Any]]) -> list[str]:
    """The name servers that records of these zones name, those of SOA records included."""
    named: set[str] = set()
    for zone in zones:
        named.update(name for one in zone.get("records") or () if _type_of(one) == "NS" for name in _names_in(one))
        named.add(name_key(str((zone.get("soa") or {}).get("primary_ns") or "")))
    return sorted(named - {""})


def is_default_but_for_ttl(zone: Mapping[str, Any], before: Mapping[str, Any] | None) -> bool:
    """Whether it was the panel's default zone until its TTLs were lowered. before: as ``panel_dns_info`` showed it then."""
    if before is None or before.get("is_custom_dns") or "records" not in zone:
        return False
    # The export has a placeholder where the panel shows the DKIM key itself.
    now, then = (
        sorted((str(one.get("host")), _type_of(one), text_of(str(one.get("value")))) for one in side)
        for side in (zone["records"], records_of(before))
    )
    return [one for one in now if "_domainkey" not in one[0]] == [one for one in then if "_domainkey" not in one[0]]


def _new_value(record: Record, substitutes: Substitutes) -> Any:
    value, addresses = record.get("value"), substitutes.addresses
    if _type_of(record) in _ADDRESS_TYPES:
        return addresses.get(address_key(value), value)
    if _type_of(record) in NUMBERS_BEFORE_NAME:
        *before, host = str(value).split() or [""]
        new = substitutes.names.get(name_key(host))
        return value if new is None else " ".join([*before, f"{new}."])
    if not addresses.keys() & set(_addresses_in(record)):
        return value
    parts = map(_spf_address, _spf_words(record))
    return " ".join(f"{start}{addresses.get(address, address)}{prefix}" for start, address, prefix in parts)


def _addresses_in(record: Record) -> Iterator[str]:
    if _type_of(record) in _ADDRESS_TYPES:
        yield address_key(record.get("value"))
    for word in _spf_words(record):
        yield _spf_address(word)[1]


def _names_in(record: Record) -> Iterator[str]:
    if _type_of(record) in NUMBERS_BEFORE_NAME:
        yield name_key((str(record.get("value")).split() or [""])[-1])


def _spf_words(record: Record) -> list[str]:
    """The words of an SPF record; none for any other record."""
    words = text_of(str(record.get("value"))).split() if _type_of(record) in TEXT_TYPES else []
    return words if words and words[0].lower() == "v=spf1" else []


def _spf_address(word: str) -> tuple[str, str, str]:
    """(``ip4:`` with its qualifier, the address, the length of a prefix with its slash); no address where the word names a network."""
    match = _SPF_WORD.fullmatch(word)
    address = _address(match["address"]) if match else None
    if match is None or address is None or match["prefix"] not in ("", f"/{address.max_prefixlen}"):
        return word, "", ""
    return match["mechanism"], str(address), match["prefix"]


def _type_of(record: Record) -> str:
    return str(record.get("type")).upper()


def _address(text: Any) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(str(text).strip())
    except ValueError:
        return None

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens to zones when a client moves: addresses, names and times to live. Pure. Private to the collection."""

from __future__ import annotations

import ipaddress
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...module_utils._dns.record_values import NUMBERS_BEFORE_NAME, TEXT_TYPES, comparable_ttl, text_of

Record = Mapping[str, Any]
_ADDRESS_TYPES = ("A", "AAAA")
_SPF_MECHANISMS = ("ip4:", "ip6:")


@dataclass(frozen=True)
class Substitutes:
    """What of the old server becomes what of the new one. Keys in the form of ``address_key`` and ``name_key``."""

    addresses: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)


def read_substitutes(addresses: Mapping[str, Any], names: Mapping[str, Any]) -> Substitutes:
    """From what an operator wrote; raises ValueError, whose text names the variable and the accepted form."""
    by_address: dict[str, str] = {}
    for old, new in addresses.items():
        before, after = _address(old), _address(new)
        if before is None or after is None or before.version != after.version:
            raise ValueError(
                f"addresses: {old} -> {new} is not accepted; both must be addresses of one kind, 192.0.2.10: 198.51.100.20 for example."
            )
        by_address[str(before)] = str(after)
    return Substitutes(by_address, {name_key(str(old)): name_key(str(new)) for old, new in names.items()})


def address_key(text: Any) -> str | None:
    """An address in its one spelling; None for what is none."""
    found = _address(text)
    return None if found is None else str(found)


def name_key(text: str) -> str:
    """A host name in lower case, without the dot at its end."""
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


class Occurring(NamedTuple):
    """Keys of substitutes that mean something."""

    addresses: set[str]
    names: set[str]


def occurring(zones: Iterable[Mapping[str, Any]], old: Substitutes) -> Occurring:
    """The addresses and names of the old server and of the records in these zones."""
    addresses, names = set(old.addresses), set(old.names)
    for zone in zones:
        for record in zone.get("records") or ():
            addresses.update(_addresses_in(record))
            names.update(_names_in(record))
        names.add(name_key(str((zone.get("soa") or {}).get("primary_ns") or "")))
    return Occurring(addresses, names - {""})


def left_behind(zone: Mapping[str, Any], old: Substitutes, substitutes: Substitutes) -> list[str]:
    """Records that lead to the old server and that no substitute is given for, each as ``HOST TYPE VALUE``.

    old: the addresses and names of the old server, as keys.
    """
    found = []
    for record in zone.get("records") or ():
        leads_to = set(_addresses_in(record)) & old.addresses.keys() - substitutes.addresses.keys()
        leads_to |= set(_names_in(record)) & old.names.keys() - substitutes.names.keys()
        if leads_to:
            found.append(f"{record.get('host')} {record.get('type')} {record.get('value')}")
    return found


def lowered(records: Iterable[Record], ttl: int) -> list[dict[str, Any]] | None:
    """All records, none with a longer time to live than ``ttl`` seconds; None where none has."""
    kept = [_plain(record) for record in records]
    longer = [record for record in kept if isinstance(record["ttl"], int) and record["ttl"] > ttl]
    if not longer:
        return None
    return [{**record, "ttl": ttl} if record in longer else record for record in kept]


def changes_only_ttls(action: Mapping[str, Any]) -> bool:
    """Whether an action on a zone, as the plan of panel_resources has it, leaves hosts, types and values alone."""
    return all(entry["before"] == entry["after"] for entry in action.get("entries") or ())


def longest(records: Iterable[Record]) -> int:
    """The longest time to live in seconds, 0 where there is none."""
    ttls = [ttl for ttl in (comparable_ttl(record.get("ttl")) for record in records) if isinstance(ttl, int)]
    return max(ttls, default=0)


def with_lowered_times(zones: Iterable[Mapping[str, Any]], before: Container[str]) -> list[str]:
    """The domains whose records go to the target with lowered times to live. before: the zones in which these were lowered."""
    return [zone["domain"] for zone in zones if zone["domain"] in before and zone.get("state") != "default"]


def name_servers(zones: Iterable[Mapping[str, Any]]) -> list[str]:
    """The name servers that records of these zones name, those of SOA records included."""
    named: set[str] = set()
    for zone in zones:
        records = [record for record in zone.get("records") or () if _type_of(record) == "NS"]
        named.update(name for record in records for name in _names_in(record))
        named.add(name_key(str((zone.get("soa") or {}).get("primary_ns") or "")))
    return sorted(named - {""})


def is_same_but_for_ttl(records: Iterable[Record], others: Iterable[Record]) -> bool:
    """Whether both have the same hosts, types and values."""
    return _identities(records) == _identities(others)


def _identities(records: Iterable[Record]) -> list[tuple[str, str, str]]:
    return sorted((str(r.get("host")), str(r.get("type")).upper(), text_of(str(r.get("value")))) for r in records)


def _plain(record: Record) -> dict[str, Any]:
    """Only the members that the interface names."""
    return {
        "host": record.get("host"),
        "type": record.get("type"),
        "ttl": comparable_ttl(record.get("ttl")),
        "value": record.get("value"),
    }


def _new_value(record: Record, substitutes: Substitutes) -> Any:
    value, kind = record.get("value"), _type_of(record)
    if kind in _ADDRESS_TYPES:
        return substitutes.addresses.get(address_key(value) or "", value)
    if kind in NUMBERS_BEFORE_NAME:
        *before, host = str(value).split() or [""]
        new = substitutes.names.get(name_key(host))
        return value if new is None else " ".join([*before, f"{new}."])
    words = _spf_words(record)
    changed = [_new_word(word, substitutes) for word in words]
    return value if changed == words else " ".join(changed)


def _new_word(word: str, substitutes: Substitutes) -> str:
    mechanism, address, prefix = _spf_address(word)
    if address not in substitutes.addresses:
        return word
    return f"{mechanism}{substitutes.addresses[address]}{prefix}"


def _addresses_in(record: Record) -> Iterator[str]:
    if _type_of(record) in _ADDRESS_TYPES:
        yield address_key(record.get("value")) or ""
    for word in _spf_words(record):
        yield _spf_address(word)[1]


def _names_in(record: Record) -> Iterator[str]:
    if _type_of(record) in NUMBERS_BEFORE_NAME:
        yield name_key((str(record.get("value")).split() or [""])[-1])


def _spf_words(record: Record) -> list[str]:
    """The words of an SPF record; none for any other record."""
    text = text_of(str(record.get("value"))) if _type_of(record) in TEXT_TYPES else ""
    words = text.split()
    return words if words and words[0].lower() == "v=spf1" else []


def _spf_address(word: str) -> tuple[str, str, str]:
    """(``ip4:`` with its qualifier, the address, the length of a prefix with its slash); no address where the word names a network."""
    start = word.lower().lstrip("+-~?")
    mechanism = next((one for one in _SPF_MECHANISMS if start.startswith(one)), None)
    if mechanism is None:
        return word, "", ""
    length = len(word) - len(start) + len(mechanism)
    text, slash, prefix = word[length:].partition("/")
    address = _address(text)
    if address is None or (slash and prefix != str(address.max_prefixlen)):
        return word, "", ""
    return word[:length], str(address), slash + prefix


def _type_of(record: Record) -> str:
    return str(record.get("type")).upper()


def _address(text: Any) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(str(text).strip())
    except ValueError:
        return None

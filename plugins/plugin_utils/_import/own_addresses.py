# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the addresses of the source's server, which lead nowhere once it is gone."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterable, Mapping

from .._import_source.source_shape import Source, Zone
from .domain_names import NamedDomain

APEX = "@"


def read_address(text: str) -> str | None:
    """Return an address in normal form; None for what is none."""
    try:
        return str(ipaddress.ip_address(text.strip()))
    except ValueError:
        return None


def find_own_addresses(source: Source, names: Mapping[str, NamedDomain]) -> frozenset[str]:
    """Return the addresses of the source's server: of its own table, those of sites, and the one
    that most web domains lead to.
    """
    texts = [*source.own_addresses]
    for site in source.domains:
        texts += site.addresses
    addresses = {address for address in map(read_address, texts) if address is not None}
    return frozenset(addresses | _find_usual_addresses(source.zones, names, bool(addresses)))


def _find_usual_addresses(
    zones: Iterable[Zone], names: Mapping[str, NamedDomain], is_table_known: bool
) -> set[str]:
    """Return the address of each family that more than half of the web domains lead to."""
    usual: set[str] = set()
    addresses_by_type: dict[str, list[set[str]]] = {"A": [], "AAAA": []}
    for zone in zones:
        named = names.get(zone.name)
        if named is None or named.site is None:
            continue
        for record_type, addresses in addresses_by_type.items():
            of_zone = _list_apex_addresses(zone, record_type)
            if of_zone:
                addresses.append(of_zone)

    # One zone alone proves nothing beside a table of addresses.
    least = 2 if is_table_known else 1
    for addresses in addresses_by_type.values():
        counts = Counter(address for of_zone in addresses for address in of_zone)
        usual.update(
            address
            for address, count in counts.items()
            if count >= least and count * 2 > len(addresses)
        )
    return usual


def _list_apex_addresses(zone: Zone, record_type: str) -> set[str]:
    addresses = set()
    for record in zone.records:
        if record.type.upper() != record_type or record.host not in (APEX, "", f"{zone.name}."):
            continue
        address = read_address(record.value)
        if address is not None:
            addresses.add(address)
    return addresses

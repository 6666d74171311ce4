# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the addresses of the source's server, which lead nowhere once it is gone."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterable, Mapping

from ....module_utils._dns.record_names import APEX
from ..._import_source.source_shape import Source, Zone
from .domain_names import NamedDomain


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
    sites = [zone for zone in zones if _has_site(names.get(zone.name))]
    # One zone alone proves nothing beside a table of addresses.
    least = 2 if is_table_known else 1
    usual: set[str] = set()
    for record_type in ("A", "AAAA"):
        usual |= _choose_usual([_list_apex_addresses(zone, record_type) for zone in sites], least)
    return usual


def _has_site(named: NamedDomain | None) -> bool:
    """Tell whether a name shows a site."""
    return named is not None and named.site is not None


def _choose_usual(addresses_of_zones: Iterable[set[str]], least: int) -> set[str]:
    """Return the addresses that more than half of the zones with any have, and so many at least."""
    existing = [addresses for addresses in addresses_of_zones if addresses]
    counts = Counter(address for addresses in existing for address in addresses)
    return {
        address for address, count in counts.items() if count >= least and count * 2 > len(existing)
    }


def _list_apex_addresses(zone: Zone, record_type: str) -> set[str]:
    addresses = set()
    for record in zone.records:
        if record.type.upper() != record_type or record.host not in (APEX, "", f"{zone.name}."):
            continue
        address = read_address(record.value)
        if address is not None:
            addresses.add(address)
    return addresses

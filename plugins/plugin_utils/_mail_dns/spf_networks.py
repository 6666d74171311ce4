# SPDX-License-Identifier: GPL-3.0-or-later
"""Which networks the terms of an SPF record let send. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import NamedTuple, Union

from .spf_syntax import Term, read_lengths

_Network = Union[ipaddress.IPv4Network, ipaddress.IPv6Network]
# By version of IP the addresses that servers have: of IPv6 only these are given to anybody.
_IN_USE: dict[int, _Network] = {
    4: ipaddress.IPv4Network("0.0.0.0/0"),
    6: ipaddress.IPv6Network("2000::/3"),
}


class AllowedNetwork(NamedTuple):
    """Describes a network whose servers may send.

    Attributes:
        term_text: The term of the judged record by which they may.
        network: The network.
    """

    term_text: str
    network: _Network


class BroadTerms(NamedTuple):
    """Describes terms that together let at least half of all servers send.

    Attributes:
        version: That of IP, 4 or 6.
        texts: The terms, that of the greatest network first.
    """

    version: int
    texts: list[str]


def list_networks(term: Term, addresses: Iterable[str]) -> list[AllowedNetwork]:
    """Return the networks of a term that says how many bits of its addresses count.

    Args:
        term: An ip4, ip6, a or mx that lets send.
        addresses: Those of the names in an a or mx.
    """
    if term.name in ("ip4", "ip6"):
        texts = [term.text.partition(":")[2]]
    else:
        length4, length6 = read_lengths(term.text)
        texts = [f"{address}/{length6 if ':' in address else length4}" for address in addresses]
    networks = []
    for text in texts:
        network = _read_network(text)
        if network is not None:
            networks.append(AllowedNetwork(term.text, network))
    return networks


def _read_network(text: str) -> _Network | None:
    """Return a network; None for one that is wrong, which the zone says elsewhere."""
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


def find_broad_terms(networks: Iterable[AllowedNetwork]) -> list[BroadTerms]:
    """Return by version of IP the terms that together let at least half of all servers send."""
    by_size = sorted(networks, key=lambda allowed: allowed.network.prefixlen)
    broad_terms = []
    for version, in_use in _IN_USE.items():
        of_version = [allowed for allowed in by_size if allowed.network.version == version]
        number = _count_addresses([allowed.network for allowed in of_version], in_use)
        if number * 2 >= in_use.num_addresses:
            texts = list(dict.fromkeys(allowed.term_text for allowed in of_version))
            broad_terms.append(BroadTerms(version, texts))
    return broad_terms


def _count_addresses(networks: Iterable[_Network], in_use: _Network) -> int:
    """Count the addresses in use that are in at least one of the networks."""
    ranges = [(int(network[0]), int(network[-1])) for network in networks]
    first_uncounted = int(in_use[0])
    number = 0
    for first, last in sorted(ranges):
        begin = max(first, first_uncounted)
        end = min(last, int(in_use[-1]))
        if begin <= end:
            number += end - begin + 1
            first_uncounted = end + 1
    return number

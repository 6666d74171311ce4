# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits until every name server of a zone has the challenge records. Private to the collection."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from .._mail_dns.resolver import WrongResolver, address_and_port

try:
    import dns.exception
    import dns.flags
    import dns.message
    import dns.name
    import dns.query
    import dns.rdatatype
except ImportError:
    dns = None  # type: ignore[assignment]

_PORT = 53
_QUERY_SECONDS = 3.0
_PAUSE = 1.0
_AT_ONCE = 32
_SAID_EVERY = 5.0

Records = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class NameServer:
    """A name server with all of its addresses."""

    name: str
    addresses: tuple[str, ...]
    port: int = _PORT


class UnknownNameServer(Exception):
    """A name server has no address; the message is one sentence."""


def has_library() -> bool:
    """Whether dnspython is there."""
    return dns is not None


def name_server(text: str) -> NameServer:
    """One that is given as an address, or as a name. Raises UnknownNameServer."""
    with contextlib.suppress(WrongResolver):
        address, port = address_and_port(text)
        return NameServer(text, (address,), port)
    try:
        found = socket.getaddrinfo(text.rstrip("."), None, type=socket.SOCK_DGRAM)
    except (OSError, UnicodeError):
        raise UnknownNameServer(f"the name server {text} has no address") from None
    return NameServer(text, tuple(dict.fromkeys(str(entry[4][0]) for entry in found)))


def wait_for_records(
    zones: Mapping[str, Records],
    servers: Mapping[str, Sequence[NameServer]],
    seconds: float,
    say: Callable[[str], None],
) -> Iterator[dict[str, str]]:
    """Waits until each server of each zone has its records; after each look at all of them a sentence for each zone that has not got so far.

    The last look is the one after which nothing is lacking, or the first one that begins after so many seconds. zones: by name their
    records, whose hosts are whole names. servers: by zone.
    """
    deadline, said = time.monotonic() + seconds, time.monotonic()
    waiting = {(zone, server): "" for zone in zones for server in servers[zone]}
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        while True:
            is_over = time.monotonic() > deadline
            found = pool.map(lambda pair: _lacking(pair[1], zones[pair[0]]), waiting)
            waiting = {pair: lack for pair, lack in zip(list(waiting), found, strict=True) if lack}
            lacking = _by_zone(waiting, seconds)
            yield lacking
            if is_over or not lacking:
                return
            if time.monotonic() - said > _SAID_EVERY:
                say(f"{len(lacking)} of {len(zones)} zones are not at every name server yet")
                said = time.monotonic()
            time.sleep(min(_PAUSE, max(0.0, deadline - time.monotonic())))


def _by_zone(lacks: Mapping[tuple[str, NameServer], str], seconds: float) -> dict[str, str]:
    problems: dict[str, list[str]] = {}
    for (zone, server), lack in lacks.items():
        problems.setdefault(zone, []).append(f"{server.name} {lack}")
    return {zone: f"after {seconds:g} s {' and '.join(lacks)}" for zone, lacks in problems.items()}


def _lacking(server: NameServer, records: Records) -> str:
    """What a server lacks; empty where it has all of them at each of its addresses that can be reached."""
    wanted: dict[str, set[str]] = {}
    for record in records:
        wanted.setdefault(record["host"], set()).add(record["value"])
    # None where there is no route to an address from here, as where there is no IPv6.
    found = [_lacking_at(address, server.port, wanted) for address in server.addresses]
    answered = [lack for lack in found if lack is not None]
    return next(filter(None, answered), "") if answered else "cannot be reached"


def _lacking_at(address: str, port: int, wanted: Mapping[str, set[str]]) -> str | None:
    try:
        lacking = [host for host, values in wanted.items() if not values <= _values(address, port, host)]
    except OSError:
        return None
    except dns.exception.DNSException:
        return "does not answer"
    return f"does not have the challenge of {lacking[0].rstrip('.')}" if lacking else ""


def _values(address: str, port: int, host: str) -> set[str]:
    """The texts that the server has at a name."""
    query = dns.message.make_query(dns.name.from_text(host), dns.rdatatype.TXT)
    query.flags &= ~dns.flags.RD
    answer, _by_stream = dns.query.udp_with_fallback(query, address, timeout=_QUERY_SECONDS, port=port)
    return set(_texts(answer))


def _texts(answer: Any) -> Iterable[str]:
    for answered in answer.answer:
        if answered.rdtype == dns.rdatatype.TXT:
            yield from (b"".join(data.strings).decode("utf-8", "replace") for data in answered)

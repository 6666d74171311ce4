# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits until the name servers of a zone serve what a task gave. Private to the collection."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable

from .._errors import MissingLibrary, OptionError, PanelError
from .._problems import NOTHING_WRITTEN
from .record_names import APEX
from .record_values import list_records, normalize_records, normalize_value
from .wanted_zone import WantedZone

try:
    import dns.query
except ImportError:
    dns = None  # type: ignore[assignment]

_QUERY_SECONDS = 3.0
_PAUSE = 1.0
_SAID_EVERY = 5.0

Address = tuple[str, int]
Servers = dict[str, list[Address]]  # by name all of the addresses, each with a port
Sets = dict[tuple[str, str], set[str]]  # by type and name what is wanted


class NotServed(PanelError):
    """The panel has the records, and a name server does not serve them."""


def named_servers(params: Mapping[str, Any], wanted: WantedZone) -> Servers:
    """Those that the task names, before it sends anything; raises PanelError where waiting could not work."""
    if wanted.records is None or wanted.state == "default":
        raise OptionError("wait", "needs records to wait for.", written=NOTHING_WRITTEN)
    if dns is None:
        raise MissingLibrary(
            f"needs the Python library dnspython, which is not installed for {sys.executable}.",
            "wait",
            written=NOTHING_WRITTEN,
            advice="Install it there, for example with pip install dnspython.",
        )
    return {text: _addresses(text, NOTHING_WRITTEN) for text in params["nameservers"]}


def _addresses(text: str, written: str) -> list[Address]:
    host, colon, port = text.strip().rpartition(":")
    if not colon or (":" in host and not host.endswith("]")):
        host, port = text.strip(), "53"
    try:
        found = socket.getaddrinfo(host.strip("[]").rstrip(".") or "?", int(port), type=socket.SOCK_DGRAM)
    except (OSError, ValueError, OverflowError):
        cause = f"{text!r} is not a name server with an address, such as 192.0.2.53 or ns1.example.com."
        raise OptionError("nameservers", cause, written=written) from None
    return list(dict.fromkeys((str(entry[4][0]), int(entry[4][1])) for entry in found))


def wait_until_served(
    wanted: WantedZone,
    zone: Mapping[str, Any],
    servers: Servers,
    seconds: float,
    say: Callable[[str], None],
    name_of: Callable[[str], str],
) -> None:
    """Asks every server until it serves the sets of the task; raises NotServed. zone: as it is now. servers: its own where there are none."""
    domain, start = str(wanted.domain), time.monotonic()
    named = [record.value for record in list_records(zone, domain) if record.rrset == (APEX, "NS")]
    servers = servers or {name: _addresses(name, "The records were written.") for name in named}
    if not servers:
        raise OptionError("nameservers", f"the zone {domain} names none. The records were written. Give nameservers.")
    sets: Sets = {}
    for record in normalize_records(wanted.records or (), zone, domain):
        name = domain if record.host == APEX else f"{record.host}.{domain}"
        # Without a value the set is to be gone, whatever its values were.
        sets.setdefault((record.type, name), set()).update({record.value} if "value" in record.fields else ())

    def lack(server: str) -> str:
        """What a server does not serve; empty where each address does to which there is a route."""
        lacks = [_lack_at(address, wanted, sets, start + seconds) for address in servers[server]]
        return next(filter(None, lacks), "cannot be reached" if "" not in lacks else "")

    said, lacking = start, list(servers)
    # All at once, since each that is dead takes its time.
    with ThreadPoolExecutor(len(servers)) as pool:
        while True:
            found = {server: words for server, words in zip(lacking, pool.map(lack, lacking)) if words}
            lacking, now = list(found), time.monotonic()
            if not lacking:
                return
            text = " and ".join(f"{server} {words}" for server, words in found.items())
            if now - start >= seconds:
                raise NotServed(
                    f"after {seconds:g} s, {text}. The panel has the records. Run the task again, or raise {name_of('wait_timeout')}.",
                    f"zone {domain}",
                    nameservers=lacking,
                )
            if now - said >= _SAID_EVERY:
                said = now
                say(f"{domain}: {text}")
            time.sleep(min(_PAUSE, start + seconds - now))


def _lack_at(address: Address, wanted: WantedZone, sets: Sets, end: float) -> str | None:
    """What a name server at an address does not serve as it shall, empty where that is nothing; None where there is no route to it."""
    try:
        for (kind, name), values in sets.items():
            # The last answer may come this much after the time, all of them together.
            left = end + _QUERY_SECONDS - time.monotonic()
            texts = _served(address, name, kind, min(_QUERY_SECONDS, max(left, _PAUSE / 10)))
            served = {normalize_value(kind, text, wanted.domain) for text in texts}
            if wanted.state == "absent":
                if served & values or (served and not values):
                    return f"still serves {kind} {name}"
            elif not values <= served:
                return f"does not serve {kind} {name}"
            elif not wanted.append and served != values:
                return f"serves other values of {kind} {name} too"
    except dns.exception.DNSException:
        return "does not answer"
    except OSError:
        return None
    return ""


def _served(address: Address, name: str, kind: str, timeout: float) -> Iterator[str]:
    asked, type_ = dns.name.from_text(name), dns.rdatatype.from_text(kind)
    query = dns.message.make_query(asked, type_)
    query.flags &= ~dns.flags.RD
    answer, _by_stream = dns.query.udp_with_fallback(query, address[0], timeout=timeout, port=address[1])
    # The name servers of a part that is delegated are in the authority section.
    for found in (*answer.answer, *answer.authority):
        if found.name == asked and found.rdtype == type_:
            yield from (data.to_text() for data in found)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits until the name servers of a zone serve what a task requested."""

from __future__ import annotations

import contextlib
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import filterfalse
from typing import Any, Callable

from .._errors import MissingLibrary, OptionError, PanelError
from .._problems import Written
from .desired_zone import DesiredZone
from .located_zone import LocatedZone
from .record_names import APEX
from .record_options import RequestedRecord
from .record_values import normalize_value
from .records import list_records, normalize_records

try:
    import dns.query
except ImportError:
    dns = None  # type: ignore[assignment]

_QUERY_SECONDS = 3.0
_PAUSE = 1.0
_MIN_QUERY_SECONDS = 0.1
_DNS_PORT = 53
_REPORT_INTERVAL = 5.0

Address = tuple[str, int]
Servers = dict[str, list[Address]]
"""By name all of the addresses of a server, each with a port."""
ExpectedValues = dict[tuple[str, str], set[str]]
"""By type and complete name the values that are requested; none stands for the whole set."""


class NotServed(PanelError):
    """Says that the panel has the records, and a name server does not serve them."""


def find_named_servers(params: Mapping[str, Any], desired: DesiredZone) -> Servers:
    """Return the servers that the task names, before it sends anything.

    Raises:
        OptionError: There is nothing to wait for, no name server answers for a type of the
            records, or a server has no address.
        MissingLibrary: dnspython is missing.
    """
    if desired.records is None or desired.state == "default":
        raise OptionError("needs records to wait for.", option="wait", written=Written.NOTHING)
    if dns is None:
        raise MissingLibrary(
            f"needs the Python library dnspython, which is not installed for {sys.executable}.",
            subject="wait",
            written=Written.NOTHING,
            advice=f"Install it with {sys.executable} -m pip install dnspython.",
        )
    _refuse_unanswered_types(desired.records)
    return {name: _find_addresses(name, Written.NOTHING) for name in params["nameservers"]}


def _refuse_unanswered_types(records: Sequence[RequestedRecord]) -> None:
    """Raise OptionError for types that no question can have, such as ALIAS.

    A name server makes other records of them, so the wait would last as long as it may.
    """
    types = {str(record["type"]) for record in records}
    unanswered = sorted(filterfalse(_is_answered, types))
    if unanswered:
        raise OptionError(
            f"name servers do not answer for records of type {', '.join(unanswered)}.",
            option="wait",
            written=Written.NOTHING,
            advice="Manage these records with a separate task without wait.",
        )


def _is_answered(record_type: str) -> bool:
    """Tell whether a name server can be asked for the records of a type."""
    try:
        number = dns.rdatatype.from_text(record_type)
    except (dns.exception.DNSException, ValueError):
        return False
    return not dns.rdatatype.is_metatype(number)


def _find_addresses(server: str, written: Written) -> list[Address]:
    """Return the addresses of a name server.

    Args:
        server: Its name or address, with a port unless that is the usual one.
        written: What the task has written by then.
    """
    host, separator, port = server.strip().rpartition(":")
    is_ipv6_without_port = ":" in host and not host.endswith("]")
    if not separator or is_ipv6_without_port:
        host = server.strip()
        port = str(_DNS_PORT)
    name = host.strip("[]").rstrip(".") or "?"
    try:
        entries = socket.getaddrinfo(name, int(port), type=socket.SOCK_DGRAM)
    except (OSError, ValueError, OverflowError):
        cause = f"{server!r} is not a name server with an address, such as 192.0.2.53 or ns1.example.com."
        raise OptionError(cause, option="nameservers", written=written) from None
    addresses = [(str(entry[4][0]), int(entry[4][1])) for entry in entries]
    return list(dict.fromkeys(addresses))


def wait_until_served(
    located: LocatedZone,
    servers: Servers,
    seconds: float,
    say: Callable[[str], None],
    name_option: Callable[[str], str],
) -> None:
    """Ask every server until it serves what the task requested.

    Args:
        located: The zone as it is now.
        servers: The servers; those of the zone where there are none.
        seconds: How long to wait.
        say: Shows the progress.
        name_option: Names an option as the operator knows it.

    Raises:
        NotServed: A server does not serve the records in this time.
        OptionError: The zone names no server.
    """
    desired = located.desired
    domain = str(desired.domain)
    servers = servers or _find_servers_of_zone(located, domain)
    if not servers:
        raise OptionError(
            f"the zone {domain} names none.",
            option="nameservers",
            written=Written.RECORDS,
            advice="Give nameservers.",
        )
    start = time.monotonic()
    expected = _collect_expected_values(located, domain)

    def find_lack(server: str) -> str:
        """Return what a server does not serve; empty for nothing."""
        return _find_lack(servers[server], desired, expected, start + seconds)

    reported_at = start
    lacking = list(servers)
    # All at once, since each that is dead takes its time.
    with ThreadPoolExecutor(len(servers)) as pool:
        while True:
            answers = zip(lacking, pool.map(find_lack, lacking))
            lacks = {server: lack for server, lack in answers if lack}
            lacking = list(lacks)
            if not lacking:
                return
            now = time.monotonic()
            progress = " and ".join(f"{server} {lack}" for server, lack in lacks.items())
            if now - start >= seconds:
                raise NotServed(
                    f"after {seconds:g} s, {progress}.",
                    subject=f"zone {domain}",
                    written=Written.RECORDS_ON_PANEL,
                    advice=f"Run the task again, or raise {name_option('wait_timeout')}.",
                    nameservers=lacking,
                )
            if now - reported_at >= _REPORT_INTERVAL:
                reported_at = now
                say(f"{domain}: {progress}")
            time.sleep(min(_PAUSE, start + seconds - now))


def _find_servers_of_zone(located: LocatedZone, domain: str) -> Servers:
    names = [
        record.value
        for record in list_records(located.zone, domain)
        if record.rrset == (APEX, "NS")
    ]
    return {name: _find_addresses(name, Written.RECORDS) for name in names}


def _collect_expected_values(located: LocatedZone, domain: str) -> ExpectedValues:
    """Return what the task requested, by type and complete name."""
    expected: ExpectedValues = {}
    requested = located.desired.records or ()
    for record in normalize_records(requested, located.zone, domain):
        name = domain if record.host == APEX else f"{record.host}.{domain}"
        values = expected.setdefault((record.type, name), set())
        # Without a value the set is to be gone, whatever its values were.
        if "value" in record.fields:
            values.add(record.value)
    return expected


def _find_lack(
    addresses: Sequence[Address],
    desired: DesiredZone,
    expected: ExpectedValues,
    end: float,
) -> str:
    """Return what a server does not serve as it should, as the rest of a sentence.

    Returns:
        The lack; empty where each address serves everything to which there is a route.
    """
    lacks = []
    for address in addresses:
        # Without a route to it, an address does not count.
        with contextlib.suppress(OSError):
            lacks.append(_find_lack_at(address, desired, expected, end))
    if not lacks:
        return "cannot be reached"
    return next(filter(None, lacks), "")


def _find_lack_at(
    address: Address,
    desired: DesiredZone,
    expected: ExpectedValues,
    end: float,
) -> str:
    """Return what is not served at an address; raises OSError without a route to it."""
    try:
        for (record_type, name), values in expected.items():
            # The last answer may come this much after the time, all of them together.
            seconds_left = end + _QUERY_SECONDS - time.monotonic()
            timeout = min(_QUERY_SECONDS, max(seconds_left, _MIN_QUERY_SECONDS))
            answer = _query(address, name, record_type, timeout)
            problem = _find_refusal(answer)
            if not problem:
                texts = _list_texts(answer)
                served = {normalize_value(record_type, text, desired.domain) for text in texts}
                problem = _compare(served, values, desired)
            if problem:
                return problem.format(f"{record_type} {name}")
    except dns.exception.Timeout:
        return "does not answer"
    except dns.exception.DNSException:
        return "sends an answer that cannot be read"
    return ""


def _find_refusal(answer: Any) -> str:
    """Return why an answer says nothing about the records, with a place for the name of the set.

    A name that does not exist is an answer: it has no records.
    """
    code = answer.rcode()
    if code in (dns.rcode.NOERROR, dns.rcode.NXDOMAIN):
        return ""
    return f"answers {dns.rcode.to_text(code)} for {{}}"


def _compare(served: set[str], values: set[str], desired: DesiredZone) -> str:
    """Return what is wrong with the served values of a set, with a place for its name.

    Args:
        served: What the server serves.
        values: What is requested; none stands for the whole set.
        desired: What the task wants.
    """
    if desired.state == "absent":
        still_served = served & values if values else served
        return "still serves {}" if still_served else ""
    if not values <= served:
        return "does not serve {}"
    if served != values and not desired.append:
        return "serves other values of {} too"
    return ""


def _query(address: Address, name: str, record_type: str, timeout: float) -> Any:
    """Return the answer of the server at an address. Raises DNSException and OSError."""
    host, port = address
    query_name = dns.name.from_text(name)
    query_type = dns.rdatatype.from_text(record_type)
    query = dns.message.make_query(query_name, query_type)
    query.flags &= ~dns.flags.RD
    answer, _by_stream = dns.query.udp_with_fallback(query, host, timeout=timeout, port=port)
    return answer


def _list_texts(answer: Any) -> Iterator[str]:
    """Yield the values of the set that an answer is about."""
    (question,) = answer.question
    # The name servers of a part that is delegated are in the authority section.
    for rrset in (*answer.answer, *answer.authority):
        if rrset.name == question.name and rrset.rdtype == question.rdtype:
            yield from (data.to_text() for data in rrset)

"""The name server of the panel.

What it answers is what the API holds, asked with dnspython over UDP and TCP.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any

import dns.flags
import dns.message
import dns.name
import dns.opcode
import dns.query
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import pytest

from panel_simulator.name_server import _bind_socket
from tests.support.simulator import Simulator

ADDRESS = "127.0.0.1"
ZONE = "acme.example"
WAYS: dict[str, Callable[..., dns.message.Message]] = {"udp": dns.query.udp, "tcp": dns.query.tcp}

Put = Callable[..., None]


def ask_name_server(
    simulator: Simulator, name: str, kind: str = "A", way: str = "udp", **options: Any
) -> dns.message.Message:
    """Return the name server's answer to one question."""
    query = dns.message.make_query(name, kind, **options)
    return WAYS[way](query, ADDRESS, timeout=10, port=simulator.dns_port)


def list_texts(message: dns.message.Message) -> list[str]:
    """Return the records of the answer, sorted, each without its name, class and type."""
    return sorted(rdata.to_text() for records in message.answer for rdata in records)


def make_record(host: str, kind: str, value: str, ttl: int = 300) -> dict[str, Any]:
    """Return a record as a zone has it."""
    return {"host": host, "ttl": ttl, "type": kind, "value": value}


@pytest.fixture
def put(simulator: Simulator, acme: int) -> Put:
    """Put these records in the place of those of the zone."""

    def write(*records: dict[str, Any], zone: str = ZONE, **soa: Any) -> None:
        path = f"/dns/name/{zone}"
        present = simulator.request("GET", path).json()["records"]["soa"]
        body = {"records": {"soa": {**present, **soa}, "other": list(records)}}
        answer = simulator.request("PUT", path, body)
        assert answer.status_code == 200, answer.text

    return write


@pytest.mark.parametrize("length", [255, 256, 1000])
@pytest.mark.parametrize("form", ["{}", '"{}"'])
def test_a_long_text_comes_in_pieces(
    simulator: Simulator, put: Put, form: str, length: int
) -> None:
    text = "".join(chr(ord("a") + number % 26) for number in range(length))
    put(make_record("long", "TXT", form.format(text)))
    (records,) = ask_name_server(simulator, f"long.{ZONE}", "TXT", use_edns=0).answer

    assert b"".join(records[0].strings).decode() == text
    assert [len(piece) for piece in records[0].strings[:-1]] == [255] * ((length - 1) // 255)


@pytest.mark.parametrize(
    "options",
    [{"use_edns": False}, {"use_edns": 0, "payload": 1232}],
    ids=["without EDNS", "with EDNS"],
)
def test_what_is_too_long_for_a_datagram_is_truncated_and_whole_over_a_connection(
    simulator: Simulator, put: Put, options: dict[str, Any]
) -> None:
    values = [f"{number} {'x' * 200}" for number in range(9)]
    put(*[make_record("long", "TXT", value) for value in values])
    wanted = sorted(f'"{value}"' for value in values)

    short = ask_name_server(simulator, f"long.{ZONE}", "TXT", **options)

    assert (bool(short.flags & dns.flags.TC), list_texts(short) == wanted) == (True, False)
    assert (
        list_texts(ask_name_server(simulator, f"long.{ZONE}", "TXT", use_edns=0, payload=4096))
        == wanted
    )
    assert (
        list_texts(ask_name_server(simulator, f"long.{ZONE}", "TXT", "tcp", use_edns=False))
        == wanted
    )


@pytest.mark.parametrize(
    ("name", "kind", "code", "expected"),
    [
        ("missing", "A", dns.rcode.NXDOMAIN, []),
        ("deep.missing", "TXT", dns.rcode.NXDOMAIN, []),
        ("host", "TXT", dns.rcode.NOERROR, []),
        # A name between others is there, and has nothing.
        ("between", "A", dns.rcode.NOERROR, []),
        ("any.wild", "A", dns.rcode.NOERROR, ["192.0.2.2"]),
        ("any.deep.wild", "A", dns.rcode.NOERROR, ["192.0.2.2"]),
        ("any.wild", "TXT", dns.rcode.NOERROR, []),
        ("*.wild", "A", dns.rcode.NOERROR, ["192.0.2.2"]),
        ("wild", "A", dns.rcode.NOERROR, []),
        # What is there itself is not covered by the wildcard, nor what is below it.
        ("own.wild", "A", dns.rcode.NOERROR, []),
        ("below.own.wild", "A", dns.rcode.NXDOMAIN, []),
        ("alias", "A", dns.rcode.NOERROR, ["192.0.2.1", "host.acme.example."]),
        ("alias", "CNAME", dns.rcode.NOERROR, ["host.acme.example."]),
        ("alias", "TXT", dns.rcode.NOERROR, ["host.acme.example."]),
        ("lost", "A", dns.rcode.NXDOMAIN, ["missing.acme.example."]),
        ("outside", "A", dns.rcode.NOERROR, ["host.elsewhere.example."]),
        ("round", "A", dns.rcode.NOERROR, ["round.acme.example."]),
        ("alias.wild", "A", dns.rcode.NOERROR, ["192.0.2.1", "host.acme.example."]),
    ],
)
def test_names_that_are_there_are_told_from_those_that_are_not(
    simulator: Simulator, put: Put, name: str, kind: str, code: dns.rcode.Rcode, expected: list[str]
) -> None:
    put(
        make_record("host", "A", "192.0.2.1"),
        make_record("below.between", "A", "192.0.2.1"),
        make_record("*.wild", "A", "192.0.2.2"),
        make_record("own.wild", "TXT", "own"),
        make_record("alias", "CNAME", "host"),
        make_record("alias.wild", "CNAME", "host"),
        make_record("lost", "CNAME", "missing"),
        make_record("outside", "CNAME", "host.elsewhere.example."),
        make_record("round", "CNAME", "round"),
        minimum=77,
    )
    answer = ask_name_server(simulator, f"{name}.{ZONE}", kind)

    assert (answer.rcode(), list_texts(answer)) == (code, expected)
    assert answer.flags & dns.flags.AA

    if not expected:
        (soa,) = answer.authority
        assert (soa.name.to_text(), soa.rdtype, soa.ttl) == (f"{ZONE}.", dns.rdatatype.SOA, 77)
    elif name not in ("alias", "alias.wild"):
        assert [records.name for records in answer.answer] == [dns.name.from_text(f"{name}.{ZONE}")]


def test_aliases_are_followed_into_other_zones_of_the_panel(simulator: Simulator, put: Put) -> None:
    simulator.seed({"domains": [{"domain": "other.example", "client": "acme"}]})
    put(make_record("_acme-challenge", "CNAME", "proof.other.example."))
    put(make_record("proof", "TXT", "token"), zone="other.example")

    answer = ask_name_server(simulator, f"_acme-challenge.{ZONE}", "TXT")

    assert list_texts(answer) == ['"token"', "proof.other.example."]


@pytest.mark.parametrize(
    "name", ["elsewhere.example", "example", ".", "panel.example", "sys.server.panel.example"]
)
def test_what_is_no_zone_of_the_panel_is_refused(
    simulator: Simulator, acme: int, name: str
) -> None:
    simulator.request("POST", "/clients", {"username": "sys", "create_system_domain": True})
    answer = ask_name_server(simulator, name)

    assert (answer.rcode(), answer.answer, bool(answer.flags & dns.flags.AA)) == (
        dns.rcode.REFUSED,
        [],
        False,
    )


def test_a_zone_whose_dns_is_disabled_is_refused(simulator: Simulator, put: Put) -> None:
    put(make_record("host", "A", "192.0.2.1"))
    simulator.request("PUT", f"/dns/name/{ZONE}", {"is_dns_disabled": True})

    for name, kind in ((ZONE, "SOA"), (f"host.{ZONE}", "A")):
        assert ask_name_server(simulator, name, kind).rcode() == dns.rcode.REFUSED

    simulator.request("PUT", f"/dns/name/{ZONE}", {"is_dns_disabled": False})
    assert list_texts(ask_name_server(simulator, ZONE)) == ["192.0.2.10"]


def test_answers_come_later_than_writes_where_a_setting_says_so(
    simulator: Simulator, put: Put
) -> None:
    simulator.change_settings({"dns_delay": 1.5})
    name = f"late.{ZONE}"
    put(make_record("late", "TXT", "one"))

    written = time.monotonic()

    assert simulator.request("GET", f"/dns/name/{ZONE}").json()["records"]["other"] == [
        make_record("late", "TXT", "one")
    ]

    put(make_record("late", "TXT", "two"))
    if ask_name_server(simulator, name, "TXT").rcode() != dns.rcode.NXDOMAIN:
        assert time.monotonic() - written > 1.5

    seen = set()
    deadline = time.monotonic() + 30

    while '"two"' not in seen:
        seen |= set(list_texts(ask_name_server(simulator, name, "TXT")))
        assert time.monotonic() < deadline
        time.sleep(0.02)

    assert time.monotonic() - written > 1.5

    put(make_record("late", "TXT", "three"))
    simulator.change_settings({"dns_delay": 0})

    assert list_texts(ask_name_server(simulator, name, "TXT")) == ['"three"']


def test_a_port_that_is_free_for_connections_alone_is_not_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bind = socket.socket.bind
    addresses = iter([(ADDRESS, 0), ("192.0.2.1", 0)])
    monkeypatch.setattr(
        socket.socket, "bind", lambda sock, address: bind(sock, next(addresses, address))
    )
    streams, datagrams = _bind_socket(ADDRESS, 0)
    with streams, datagrams:
        assert streams.getsockname() == datagrams.getsockname()

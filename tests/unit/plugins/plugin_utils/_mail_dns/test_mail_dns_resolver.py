# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names outside the panel are asked for at the one name server that is named, once, and one that is away holds nobody up."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._mail_dns import resolver as module
from ansible_collections.hosting.panel.plugins.plugin_utils._mail_dns.given_zones import MailDnsError, findings_of
from ansible_collections.hosting.panel.plugins.plugin_utils._mail_dns.resolver import Resolver, WrongResolver
from tests.support.name_server import NameServer


@pytest.fixture
def server() -> Iterator[NameServer]:
    with NameServer.start() as running:
        yield running


def zone(text: str, mx: str) -> dict[str, Any]:
    records = [
        ("@", "TXT", text),
        ("@", "MX", mx),
        ("_dmarc", "TXT", "v=DMARC1; p=reject"),
        ("s._domainkey", "TXT", "p=MIIB"),
    ]
    return {"domain": "acme.example", "records": [{"host": h, "type": t, "value": v} for h, t, v in records]}


def test_what_is_outside_is_judged_by_what_the_name_server_says(server: NameServer) -> None:
    right = zone("v=spf1 include:elsewhere.example mx -all", "10 mx.elsewhere.example.")
    assert findings_of(right, resolver=server.address) == []
    wrong = zone("v=spf1 include:gone.example -all", "10 alias.example.")
    assert [one["problem"] for one in findings_of(wrong, resolver=server.address)] == ["broken_include", "no_address"]
    assert findings_of(wrong) == []
    (finding,) = findings_of(zone("v=spf1 redirect=open.example", "10 mx.elsewhere.example."), resolver=server.address)
    assert finding["problem"] == "allows_everyone"


def test_a_name_is_asked_for_once_and_names_of_the_zones_never(server: NameServer) -> None:
    found = zone("v=spf1 include:elsewhere.example a:acme.example mx -all", "10 mx.elsewhere.example.")
    findings_of([found, {**found, "domain": "beta.example"}], resolver=server.address)
    assert len(server.asked) == len(set(server.asked))
    assert [name for name, _kind in server.asked if "acme" in name or "beta" in name] == []


def test_a_domain_whose_dns_is_elsewhere_is_judged_there(server: NameServer) -> None:
    disabled = {"domain": "elsewhere.example", "is_dns_disabled": True, "records": []}
    problems = [(one["about"], one["problem"]) for one in findings_of(disabled, resolver=server.address)]
    assert problems == [("dmarc", "missing")]


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        ("shop.strict.example", []),
        ("a.shop.strict.example", []),
        ("shop.elsewhere.example", [("missing", "v=DMARC1; p=none")]),
        ("shop.broken.example", [("missing", None)]),
    ],
)
def test_the_dmarc_record_of_a_domain_above_is_asked_for(
    server: NameServer, name: str, problems: list[tuple[str, str | None]]
) -> None:
    found = zone("v=spf1 mx -all", "10 mx.elsewhere.example.")
    kept = [one for one in found["records"] if one["host"] != "_dmarc"]
    findings = findings_of({"domain": name, "records": kept}, resolver=server.address)
    assert [(one["problem"], one["record"] and one["record"]["value"]) for one in findings] == problems


def test_a_name_that_the_server_fails_for_is_not_judged(server: NameServer) -> None:
    found = zone("v=spf1 include:broken.example -all", "10 broken.example.")
    assert findings_of(found, resolver=server.address) == []


def test_a_name_server_that_is_away_is_asked_three_times_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS", 0.05)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        resolver = Resolver(f"127.0.0.1:{silent.getsockname()[1]}")
        assert [resolver.find(f"{number}.example", "TXT") for number in range(50)] == [None] * 50
        assert resolver.is_away


@pytest.mark.parametrize(
    ("server_address", "read"),
    [
        ("192.0.2.53", ("192.0.2.53", 53)),
        ("192.0.2.53:5353", ("192.0.2.53", 5353)),
        ("2001:db8::53", ("2001:db8::53", 53)),
        ("[2001:db8::53]", ("2001:db8::53", 53)),
        (" [2001:db8::53]:5353 ", ("2001:db8::53", 5353)),
    ],
)
def test_the_address_may_have_a_port(server_address: str, read: tuple[str, int]) -> None:
    assert module.address_and_port(server_address) == read


@pytest.mark.parametrize(
    "server_address", ["", "ns1.example", "192.0.2.53:", "192.0.2.53:0", "192.0.2.53:65536", "[::1", "1:2"]
)
def test_what_is_no_address_is_refused(server_address: str) -> None:
    with pytest.raises(WrongResolver, match="is not accepted; it must be the address of a name server"):
        Resolver(server_address)


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "dns", None)
    assert findings_of([]) == []
    with pytest.raises(
        MailDnsError, match=r"resolver: needs the Python library dnspython, .* \(pip install dnspython\)"
    ):
        findings_of([], resolver="192.0.2.53")

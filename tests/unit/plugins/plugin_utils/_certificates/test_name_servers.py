# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Challenge records are waited for at every name server, and one that lacks them is named."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._certificates import name_servers as module
from ansible_collections.hosting.panel.plugins.plugin_utils._certificates.name_servers import (
    NameServer,
    UnknownNameServer,
    name_server,
    wait_for_records,
)
from tests.support.name_server import NameServer as Running

HOST = "_acme-challenge.acme.example."
RECORDS = [{"host": HOST, "value": "one"}, {"host": HOST, "value": "two"}]
BOTH = {(HOST, "TXT"): ['"one"', '"of somebody else"', '"t" "wo"']}
ONE = {(HOST, "TXT"): ['"one"']}


def waited(*servers: NameServer, seconds: float = 0.2) -> dict[str, str]:
    return looks({"acme.example": servers}, seconds)[-1]


def looks(servers: dict[str, tuple[NameServer, ...]], seconds: float) -> list[dict[str, str]]:
    return list(wait_for_records(dict.fromkeys(servers, RECORDS), servers, seconds, lambda _words: None))


def test_all_values_have_to_be_at_all_servers() -> None:
    with Running.start(BOTH) as right, Running.start(ONE) as late, Running.start({}) as without:
        first, second, third = (name_server(one.address) for one in (right, late, without))
        assert waited(first) == {}
        lack = "does not have the challenge of _acme-challenge.acme.example"
        assert waited(first, second, third) == {
            "acme.example": f"after 0.2 s {late.address} {lack} and {without.address} {lack}"
        }


def test_what_comes_late_is_waited_for() -> None:
    answers: dict[tuple[str, str], list[str]] = dict(ONE)
    with Running.start(answers) as server:
        started = time.monotonic()

        def come(_words: str) -> None:
            answers.update(BOTH)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(module, "_SAID_EVERY", 0.0)
            patched.setattr(module, "_PAUSE", 0.05)
            zones = {"acme.example": RECORDS}
            first, *_others, last = wait_for_records(zones, {"acme.example": [name_server(server.address)]}, 20, come)
            assert (bool(first), last) == (True, {})
        assert time.monotonic() - started < 10


def test_a_zone_that_is_ready_is_told_before_one_that_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PAUSE", 0.05)
    with Running.start(BOTH) as right, Running.start({}) as without:
        servers = {"ready.example": (name_server(right.address),), "dead.example": (name_server(without.address),)}
        found = looks(servers, 0.2)
    assert len(found) > 1
    assert {zone for one in found for zone in one} == {"dead.example"}


def test_a_server_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_QUERY_SECONDS", 0.1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        assert waited(name_server(address)) == {"acme.example": f"after 0.2 s {address} does not answer"}


def test_every_address_of_a_name_is_asked_and_those_without_a_way_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = [(0, 0, 0, "", ("192.0.2.53", 0)), (0, 0, 0, "", ("2001:db8::53", 0, 0, 0))]
    monkeypatch.setattr(module.socket, "getaddrinfo", lambda *_words, **_more: found)
    server = name_server("ns1.panel.example.")
    assert server == NameServer("ns1.panel.example.", ("192.0.2.53", "2001:db8::53"), 53)

    def values(address: str, _port: int, _host: str) -> set[str]:
        if ":" in address:
            raise OSError
        return {"one", "two"}

    monkeypatch.setattr(module, "_values", values)
    assert waited(server) == {}
    monkeypatch.setattr(module, "_values", lambda address, *_words: {"one", "two"} if ":" in address else {"one"})
    assert "ns1.panel.example. does not have the challenge" in waited(server)["acme.example"]


def test_a_name_without_an_address_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_words: Any, **_more: Any) -> None:
        raise socket.gaierror

    monkeypatch.setattr(module.socket, "getaddrinfo", nothing)
    with pytest.raises(UnknownNameServer, match=r"^the name server ns1\.nowhere\.example has no address$"):
        name_server("ns1.nowhere.example")

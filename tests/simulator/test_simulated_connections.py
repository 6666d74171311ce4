# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How connections behave: delays, limits, reloads, reboots."""

from __future__ import annotations

import http.client
import os
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from tests.support.simulator import Simulator


def seconds(function: Callable[[], object]) -> float:
    """How long a call takes."""
    begin = time.monotonic()
    function()
    return time.monotonic() - begin


def processor_seconds(simulator: Simulator) -> float:
    """What the simulator has used so far; unlike time, it does not depend on what else the machine does."""
    fields = Path(f"/proc/{simulator.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_latencies_add_up(simulator: Simulator) -> None:
    simulator.settings({"latency": 30, "connection_latency": 600, "write_latency": 100})
    with requests.Session() as session:
        session.headers["X-API-Key"] = simulator.api_key
        first = seconds(lambda: session.get(f"{simulator.api_url}/ping", timeout=5))
        second = seconds(lambda: session.get(f"{simulator.api_url}/ping", timeout=5))
        write = seconds(lambda: session.put(f"{simulator.api_url}/admins/1", data=b"{}", timeout=5))
    assert (first >= 0.63, 0.03 <= second < 0.6, write >= 0.13) == (True, True, True)


@pytest.mark.parametrize("announce", [True, False])
def test_a_connection_ends_after_so_many_answers(simulator: Simulator, announce: bool) -> None:
    simulator.settings({"requests_per_connection": 2, "announce_close": announce})
    before = simulator.counters()["connections"]
    with requests.Session() as session:
        session.headers["X-API-Key"] = simulator.api_key
        headers = []
        for _number in range(4):
            headers.append(session.get(f"{simulator.api_url}/ping", timeout=5).headers.get("Connection", "keep-alive"))
            time.sleep(0.05)
    assert simulator.counters()["connections"] - before == 2
    assert headers == (["keep-alive", "close"] if announce else ["keep-alive"] * 2) * 2


def test_an_idle_connection_is_closed(simulator: Simulator) -> None:
    simulator.settings({"keep_alive_seconds": 0.2})
    with socket.create_connection(("127.0.0.1", int(simulator.url.rpartition(":")[2])), timeout=10) as connection:
        connection.sendall(b"GET /api/v2/ping HTTP/1.1\r\nHost: panel\r\n\r\n")
        begin = time.monotonic()
        received = b""
        while chunk := connection.recv(4096):
            received += chunk
        assert received.startswith(b"HTTP/1.1 401 ")
        assert b"close" not in received
        assert 0.15 < time.monotonic() - begin < 5


def test_every_so_many_writes_the_web_server_reloads(simulator: Simulator) -> None:
    simulator.settings({"reload_every_writes": 2, "reload_milliseconds": 700})
    assert simulator.request("PUT", "/admins/1", {}).status_code == 200
    assert simulator.request("GET", "/ping").status_code == 200
    assert simulator.request("PUT", "/admins/1", {}).status_code == 200
    answer = simulator.request("PUT", "/admins/1", {"language": "de"})
    assert (answer.status_code, answer.headers["Content-Type"].split(";")[0]) == (503, "text/html")
    assert (simulator.writes()[-1]["status"], simulator.writes()[-1]["fault"]) == (503, "reload")
    time.sleep(0.75)
    assert simulator.request("GET", "/admins/1").json()["language"] == "en"


def test_refused_writes_cause_no_reload(simulator: Simulator) -> None:
    simulator.settings({"reload_every_writes": 1})
    assert simulator.request("POST", "/clients", {}).status_code == 400
    assert simulator.request("GET", "/ping").status_code == 200


def answers(simulator: Simulator) -> bool:
    """Whether the panel is there."""
    try:
        return simulator.request("GET", "/ping", timeout=5).status_code == 200
    except requests.ConnectionError:
        return False


def uptime(simulator: Simulator) -> int:
    """Seconds since the panel's start."""
    shown = simulator.request("GET", "/server?meta=true").json()["meta"]["uptime"]
    assert list(shown) == ["days", "hours", "minutes", "seconds"]
    return int(((shown["days"] * 24 + shown["hours"]) * 60 + shown["minutes"]) * 60 + shown["seconds"])


def wait_until(condition: Callable[[], bool]) -> None:
    """Waits for something that must happen within ten seconds."""
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_reboot_is_accepted_then_the_panel_goes_away_and_comes_back(simulator: Simulator) -> None:
    simulator.settings({"reboot_delay": 0.5, "reboot_down_time": 0.5})
    wait_until(lambda: uptime(simulator) >= 2)
    before = uptime(simulator)
    answer = simulator.request("POST", "/server/reboot", {"confirm": True})
    assert (answer.status_code, answer.content) == (202, b"")
    accepted = time.monotonic()
    assert answers(simulator)
    wait_until(lambda: not answers(simulator))
    assert time.monotonic() - accepted > 0.4
    wait_until(lambda: answers(simulator))
    assert time.monotonic() - accepted > 0.9
    assert uptime(simulator) < before


def test_a_reboot_that_begins_while_the_panel_is_away_takes_as_long_as_any_other(simulator: Simulator) -> None:
    simulator.settings({"reboot_delay": 0.1, "reboot_down_time": 1.5})
    simulator.fault({"kind": "refuse", "seconds": 0.6, "when": "after", "method": "POST"})
    begin = time.monotonic()
    with pytest.raises(requests.ConnectionError):
        simulator.request("POST", "/server/reboot", {"confirm": True})
    wait_until(lambda: answers(simulator))
    assert time.monotonic() - begin > 1.5


def test_a_reset_of_the_simulator_calls_a_reboot_off(simulator: Simulator) -> None:
    simulator.settings({"reboot_delay": 0.2})
    simulator.request("POST", "/server/reboot", {})
    simulator.reset()
    time.sleep(0.3)
    assert simulator.request("GET", "/ping").status_code == 200


def test_a_reboot_with_a_broken_body_is_refused(simulator: Simulator) -> None:
    headers = {"X-API-Key": simulator.api_key}
    assert requests.post(f"{simulator.api_url}/server/reboot", data=b"{", headers=headers, timeout=5).status_code == 400


def test_the_server_shows_its_blocks_and_only_those_asked_for(simulator: Simulator) -> None:
    blocks = simulator.request("GET", "/server").json()
    assert list(blocks) == [
        "meta",
        "operating_system",
        "utilization",
        "resources",
        "components",
        "additional_php_interpreters",
        "ports",
    ]
    assert blocks["meta"]["hostname"] == "server.panel.example"
    assert set(blocks["utilization"]["load"]) == {"minute_1", "minute_5", "minute_15", "percent"}
    assert list(simulator.request("GET", "/server?meta=true").json()) == ["meta"]
    assert "ports" not in simulator.request("GET", "/server?ports=false").json()


def test_requests_are_counted_and_how_many_ran_at_once(simulator: Simulator) -> None:
    simulator.settings({"latency": 100})
    before = simulator.counters()["connections"]
    with ThreadPoolExecutor(4) as pool:
        headers = {"X-API-Key": simulator.api_key}
        list(pool.map(lambda _number: requests.get(f"{simulator.api_url}/ping", headers=headers, timeout=5), range(4)))
    simulator.request("PUT", "/admins/1", {})
    counters = simulator.counters()
    assert (counters["requests"], counters["by_method"], counters["peak_concurrent"]) == (5, {"GET": 4, "PUT": 1}, 4)
    assert 4 <= counters["connections"] - before <= 5


def test_one_kept_alive_connection_serves_many_requests_with_little_processor_time(simulator: Simulator) -> None:
    simulator.seed({"clients": [{"username": "acme"}], "domains": [{"domain": "acme.example", "client": "acme"}]})

    connection = http.client.HTTPConnection("127.0.0.1", int(simulator.url.rpartition(":")[2]), timeout=10)
    before, opened = processor_seconds(simulator), simulator.counters()["connections"]
    for _number in range(1500):
        for path in ("/ping", "/domains/name/acme.example"):
            connection.request("GET", f"/api/v2{path}", headers={"X-API-Key": simulator.api_key})
            answer = connection.getresponse()
            assert (answer.status, bool(answer.read())) == (200, True)
    connection.close()
    assert simulator.counters()["connections"] - opened == 1
    assert processor_seconds(simulator) - before < 2


def test_a_list_of_thousands_is_answered_at_once(simulator: Simulator) -> None:
    seed = {
        "clients": [{"username": "big"}],
        "domains": [{"domain": "big.example", "client": "big"}],
        "emails": [{"email": f"user{number}@big.example"} for number in range(20_000)],
    }
    assert simulator.seed(seed)["emails"] == 20_000
    before = processor_seconds(simulator)
    answer = simulator.request("GET", "/emails?sort=email")
    assert processor_seconds(simulator) - before < 1.5
    assert len(answer.json()) == 20_000

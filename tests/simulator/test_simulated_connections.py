"""How connections behave: delays, limits, reloads, reboots."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

import pytest
import requests

from tests.support.simulator import Simulator


def seconds(function: Callable[[], object]) -> float:
    """How long a call takes."""
    begin = time.monotonic()
    function()
    return time.monotonic() - begin


def test_latencies_add_up(simulator: Simulator) -> None:
    simulator.settings({"latency": 30, "write_latency": 300})
    read = seconds(lambda: simulator.request("GET", "/ping"))
    write = seconds(lambda: simulator.request("PUT", "/admins/1", {}))
    assert (0.03 <= read < 0.3, write >= 0.33) == (True, True)


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

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How connections behave: delays, limits, reloads, reboots."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from tests.support.simulator import Simulator


def seconds(function: Callable[[], object]) -> float:
    """How long a call takes."""
    begin = time.monotonic()
    function()
    return time.monotonic() - begin


def test_latencies_add_up(simulator: Simulator) -> None:
    simulator.settings({"latency": 60, "connection_latency": 100, "write_latency": 150})
    with requests.Session() as session:
        session.headers["X-API-Key"] = simulator.api_key
        first = seconds(lambda: session.get(f"{simulator.api_url}/ping", timeout=5))
        second = seconds(lambda: session.get(f"{simulator.api_url}/ping", timeout=5))
        write = seconds(lambda: session.put(f"{simulator.api_url}/admins/1", data=b"{}", timeout=5))
    assert (first >= 0.16, 0.06 <= second < 0.16, write >= 0.21) == (True, True, True)


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
    simulator.settings({"keep_alive_seconds": 0.1})
    with requests.Session() as session:
        session.get(f"{simulator.api_url}/ping", timeout=5)
        opened = simulator.counters()["open_connections"]
        time.sleep(0.3)
        assert simulator.counters()["open_connections"] < opened


def test_every_so_many_writes_the_web_server_reloads(simulator: Simulator) -> None:
    simulator.settings({"reload_every_writes": 2, "reload_milliseconds": 200})
    assert simulator.request("PUT", "/admins/1", {}).status_code == 200
    assert simulator.request("GET", "/ping").status_code == 200
    assert simulator.request("PUT", "/admins/1", {}).status_code == 200
    answer = simulator.request("PUT", "/admins/1", {"language": "de"})
    assert (answer.status_code, answer.headers["Content-Type"].split(";")[0]) == (503, "text/html")
    assert (simulator.writes()[-1]["status"], simulator.writes()[-1]["fault"]) == (503, "reload")
    time.sleep(0.25)
    assert simulator.request("GET", "/admins/1").json()["language"] == "en"


def test_refused_writes_cause_no_reload(simulator: Simulator) -> None:
    simulator.settings({"reload_every_writes": 1})
    assert simulator.request("POST", "/clients", {}).status_code == 400
    assert simulator.request("GET", "/ping").status_code == 200


def test_a_reboot_is_accepted_then_the_panel_goes_away_and_comes_back(simulator: Simulator) -> None:
    simulator.settings({"reboot_delay": 0.2, "reboot_down_time": 0.4})
    time.sleep(1)
    assert simulator.request("GET", "/server").json()["meta"]["uptime"]["seconds"] >= 1
    answer = simulator.request("POST", "/server/reboot", {"confirm": True})
    assert (answer.status_code, answer.content) == (202, b"")
    assert simulator.request("GET", "/ping").status_code == 200
    time.sleep(0.3)
    with pytest.raises(requests.ConnectionError):
        simulator.request("GET", "/ping")
    time.sleep(0.5)
    uptime = simulator.request("GET", "/server").json()["meta"]["uptime"]
    assert uptime == {"days": 0, "hours": 0, "minutes": 0, "seconds": 0}


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

    def processor_seconds() -> float:
        with open(f"/proc/{simulator.process.pid}/stat", encoding="utf-8") as file:  # noqa: PTH123 - one line
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100

    connection = http.client.HTTPConnection("127.0.0.1", int(simulator.url.rpartition(":")[2]), timeout=10)
    before, opened = processor_seconds(), simulator.counters()["connections"]
    for _number in range(1500):
        for path in ("/ping", "/domains/name/acme.example"):
            connection.request("GET", f"/api/v2{path}", headers={"X-API-Key": simulator.api_key})
            answer = connection.getresponse()
            assert (answer.status, bool(answer.read())) == (200, True)
    connection.close()
    assert simulator.counters()["connections"] - opened == 1
    assert processor_seconds() - before < 2


def test_a_list_of_thousands_is_answered_at_once(simulator: Simulator) -> None:
    seed = {
        "clients": [{"username": "big"}],
        "domains": [{"domain": "big.example", "client": "big"}],
        "emails": [{"email": f"user{number}@big.example"} for number in range(20_000)],
    }
    assert simulator.seed(seed)["emails"] == 20_000
    begin = time.monotonic()
    answer = simulator.request("GET", "/emails?sort=email")
    assert time.monotonic() - begin < 3
    assert len(answer.json()) == 20_000

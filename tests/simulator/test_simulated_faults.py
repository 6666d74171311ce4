"""Faults on demand, before or after the write took effect, and how connections behave.

Delays, limits, reloads, reboots.
"""

from __future__ import annotations

import contextlib
import copy
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
import requests

from panel_simulator.faults import read_fault
from panel_simulator.handlers import BLOCKS
from tests.support.simulator import Simulator


def list_usernames(simulator: Simulator) -> list[str]:
    """Return the clients that exist, asked for behind the API's back."""
    return [client["username"] for client in simulator.list_objects("clients")]


def create(simulator: Simulator) -> requests.Response:
    """Send the request that the faults of these tests strike."""
    return simulator.request("POST", "/clients", {"username": "acme"}, timeout=5)


def measure_seconds(function: Callable[[], object]) -> float:
    """Return how many seconds a call takes."""
    begin = time.monotonic()
    function()
    return time.monotonic() - begin


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for something that must happen within ten seconds."""
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def answers(simulator: Simulator) -> bool:
    """Return whether the panel is there."""
    try:
        return simulator.request("GET", "/ping", timeout=5).status_code == 200
    except requests.ConnectionError:
        return False


def describe_outcome(simulator: Simulator) -> str:
    """Return what the caller of that request meets.

    Status, headers and text of an answer, or the words of an error.
    """
    try:
        answer = create(simulator)
    except requests.RequestException as error:
        return str(error)

    headers = (f"{name}: {value.split(';')[0]}" for name, value in answer.headers.items())
    return " ".join([str(answer.status_code), *headers, *answer.text.split()])


@pytest.mark.parametrize(("when", "created"), [("before", []), ("after", ["acme"])])
@pytest.mark.parametrize(
    ("fault", "fragments"),
    [
        (
            {"kind": "status"},
            ["503 ", "Content-Type: text/html", "<title>503 Service Unavailable</title>"],
        ),
        (
            {
                "kind": "status",
                "status": 429,
                "body": "json",
                "message": "Slow.",
                "headers": {"Retry-After": 2},
            },
            ["429 ", "Retry-After: 2", '{ "code": "429 Too Many Requests", "message": "Slow." }'],
        ),
        ({"kind": "reset"}, ["reset by peer"]),
        ({"kind": "truncate", "bytes": 1}, ["1 bytes read"]),
        ({"kind": "wrong_type", "content_type": "text/plain"}, ["Content-Type: text/plain"]),
        (
            {"kind": "redirect", "location": "https://b.example/x", "status": 307},
            ["307 ", "Location: https://b.example/x"],
        ),
        *(
            ({"kind": "body", "body": body}, [f"Content-Length: {len(text)} {text}"])
            for body, text in ((None, "null"), ([], "[]"))
        ),
        ({"kind": "body", "body": "text", "status": 418}, ["418 ", '"text"']),
    ],
)
def test_a_fault_strikes_before_or_after_the_effect(
    simulator: Simulator, fault: dict[str, Any], fragments: list[str], when: str, created: list[str]
) -> None:
    simulator.queue_fault({**fault, "when": when})
    met = describe_outcome(simulator)

    assert [fragment for fragment in fragments if fragment not in met] == [], met
    assert list_usernames(simulator) == created
    assert simulator.list_faults() == []

    (entry,) = simulator.list_writes()
    assert (entry["fault"], entry["status"] is None) == (fault["kind"], fault["kind"] == "reset")


@pytest.mark.parametrize(
    "fault",
    [{"kind": "reset"}, {"kind": "status", "status": 502}, {"kind": "truncate", "bytes": 1}],
)
def test_an_effect_may_come_after_the_answer_was_lost(
    simulator: Simulator, fault: dict[str, Any]
) -> None:
    simulator.queue_fault({**fault, "late": 0.5})
    with contextlib.suppress(requests.RequestException):
        assert create(simulator).status_code == 502

    assert list_usernames(simulator) == []

    wait_until(lambda: list_usernames(simulator) == ["acme"])


@pytest.mark.parametrize(("drops", "created"), [(False, ["acme", "later"]), (True, ["acme"])])
def test_a_stalled_panel_stands_still_after_one_effect_until_the_faults_are_taken_back(
    simulator: Simulator, drops: bool, created: list[str]
) -> None:
    simulator.queue_fault({"kind": "stall", "method": "POST", "drops": drops})

    for name in ("acme", "later"):
        with pytest.raises(requests.ReadTimeout):
            simulator.request("POST", "/clients", {"username": name}, timeout=0.3)

    assert list_usernames(simulator) == ["acme"]
    assert simulator.get_counters()["stalled"] is True

    simulator.clear_faults()
    assert simulator.get_counters()["stalled"] is False
    assert simulator.request("GET", "/ping").status_code == 200
    assert list_usernames(simulator) == created


@pytest.mark.parametrize(("when", "created"), [("before", []), ("after", ["acme"])])
def test_a_refusing_panel_closes_its_port_and_comes_back_on_the_same(
    simulator: Simulator, when: str, created: list[str]
) -> None:
    simulator.queue_fault({"kind": "refuse", "when": when, "seconds": 0.6})
    with pytest.raises(requests.ConnectionError):
        create(simulator)

    begin = time.monotonic()
    with pytest.raises(requests.ConnectionError, match="refused"):
        simulator.request("GET", "/ping")

    wait_until(lambda: answers(simulator))
    assert 0.4 < time.monotonic() - begin < 5
    assert list_usernames(simulator) == created


@pytest.mark.parametrize(("when", "created"), [("before", []), ("after", ["acme"])])
def test_a_slow_answer_is_right_and_a_caller_that_gives_up_finds_the_write_done_or_not(
    simulator: Simulator, when: str, created: list[str]
) -> None:
    simulator.queue_fault({"kind": "slow", "seconds": 1, "when": when})
    with pytest.raises(requests.ReadTimeout):
        simulator.request("POST", "/clients", {"username": "acme"}, timeout=0.2)

    assert list_usernames(simulator) == created

    wait_until(lambda: simulator.list_writes()[0]["status"] == 201)
    assert list_usernames(simulator) == ["acme"]

    simulator.queue_fault({"kind": "slow", "seconds": 0.2, "when": when})
    assert (measure_seconds(lambda: simulator.request("GET", "/ping")) >= 0.2) is True


def test_faults_strike_what_they_name_and_as_often_as_they_say(simulator: Simulator) -> None:
    simulator.queue_fault(
        {"kind": "status", "method": "get", "path": "^/(admins|clients)", "skip": 1, "times": 2}
    )

    assert simulator.request("POST", "/clients", {}).status_code == 400

    paths = ("/ping", "/clients", "/admins/1", "/ping", "/clients?sort=id", "/clients")
    assert [simulator.request("GET", path).status_code for path in paths] == [
        200,
        200,
        503,
        200,
        503,
        200,
    ]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ([1], "A fault must be an object."),
        ({}, "kind: must be one of"),
        ({"kind": "explode"}, "kind: must be one of"),
        ({"kind": "reset", "seconds": 1}, "seconds: is no member of a fault of the kind reset"),
        ({"kind": "slow", "seconds": -1}, "seconds: must be a number from 0 to 1000000000."),
        *(
            ({"kind": "reset", "when": when}, "when: must be before or after.")
            for when in ("later", "", [])
        ),
        ({"kind": "reset", "times": -1}, "times: must be a whole number from 0 to 1000000000."),
        ({"kind": "reset", "path": "("}, "path: must be a regular expression."),
        ({"kind": "reset", "path": 5}, "path: must be a regular expression."),
        *(
            ({"kind": "body", "status": status}, "status: must be an HTTP status.")
            for status in (5, 1000, "x", "503")
        ),
        ({"kind": "status", "body": "xml"}, "body: must be html or json."),
        *(
            ({"kind": "reset", name: None}, f"{name}: must be a")
            for name in ("method", "path", "skip", "times")
        ),
        *(
            ({"kind": "status", name: None}, f"{name}: must be ")
            for name in ("status", "body", "headers")
        ),
        *(
            ({"kind": "mutate_dns", name: None}, f"{name}: must be a list of objects.")
            for name in ("add", "remove")
        ),
        ({"kind": "slow", "seconds": None}, "seconds: must be a number"),
        ({"kind": "mutate_dns", "add": [{"host": "@"}]}, "add[0].type: this member is required."),
        ({"kind": "mutate_dns", "remove": ["@"]}, "remove: must be a list of objects."),
        ({"kind": "remake", "collection": "records"}, "collection: must be one of"),
    ],
)
def test_a_wrong_fault_is_refused(simulator: Simulator, fault: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("[", r"\[")):
        simulator.queue_fault(fault)
    assert simulator.list_faults() == []


ADDED = {"host": "late", "type": "A", "value": "192.0.2.99"}


def list_hosts(simulator: Simulator) -> set[str]:
    """Return the hosts of the zone as a caller reads them."""
    return {
        record["host"]
        for record in simulator.request("GET", "/dns/name/acme.example").json()["records"]["other"]
    }


@pytest.mark.parametrize("struck", [{"path": "/dns/"}, {"path": "/ping", "domain": "acme.example"}])
def test_another_writer_changes_a_zone(
    simulator: Simulator, acme: int, struck: dict[str, str]
) -> None:
    change = {"add": [ADDED, {**ADDED, "type": "TXT", "value": "<DKIM_RECORD_VALUE>"}]}
    simulator.queue_fault(
        {"kind": "mutate_dns", **struck, **change, "remove": [{"host": "mail"}, {"type": "MX"}]}
    )
    first = list_hosts(simulator)
    _ping = simulator.request("GET", "/ping")

    second = list_hosts(simulator)

    assert first - second == {"mail"}
    assert second - first == {"late"}

    zone = simulator.request("GET", "/dns/1").json()
    assert zone["dkim_record"].endswith(f"( {zone['records']['other'][-1]['value']} )")
    assert (
        zone["is_custom_dns"],
        "MX" in {record["type"] for record in zone["records"]["other"]},
    ) == (True, False)


def test_another_writer_makes_a_client_anew_with_everything_that_it_has(
    simulator: Simulator, acme: int
) -> None:
    before = simulator.request("GET", "/domains").json()
    simulator.queue_fault({"kind": "remake", "path": "/ping", "ids": [acme]})

    simulator.request("GET", "/ping")

    assert simulator.request("GET", f"/clients/{acme}").status_code == 404

    client = simulator.request("GET", "/clients/name/acme").json()
    assert simulator.request("GET", "/domains").json() == [
        {**item, "id_user": client["id"]} for item in before
    ]


@pytest.mark.parametrize("announce", [True, False])
def test_a_connection_ends_after_so_many_answers(simulator: Simulator, announce: bool) -> None:
    simulator.change_settings({"requests_per_connection": 2, "announce_close": announce})
    before = simulator.get_counters()["connections"]

    with requests.Session() as session:
        session.headers["X-API-Key"] = simulator.api_key
        headers = []
        for _number in range(4):
            headers.append(
                session.get(f"{simulator.api_url}/ping", timeout=5).headers.get(
                    "Connection", "keep-alive"
                )
            )
            time.sleep(0.05)

    assert simulator.get_counters()["connections"] - before == 2
    assert headers == (["keep-alive", "close"] if announce else ["keep-alive"] * 2) * 2


def test_an_idle_connection_is_closed(simulator: Simulator) -> None:
    simulator.change_settings({"keep_alive_seconds": 0.2})

    with socket.create_connection(
        ("127.0.0.1", int(simulator.url.rpartition(":")[2])), timeout=10
    ) as connection:
        connection.sendall(b"GET /api/v2/ping HTTP/1.1\r\nHost: panel\r\n\r\n")
        begin = time.monotonic()
        received = b""
        while chunk := connection.recv(4096):
            received += chunk

        assert received.startswith(b"HTTP/1.1 401 ")
        assert b"close" not in received
        assert 0.15 < time.monotonic() - begin < 5


def test_every_so_many_writes_the_web_server_reloads(simulator: Simulator) -> None:
    simulator.change_settings({"reload_every_writes": 2, "reload_milliseconds": 700})
    assert simulator.request("PUT", "/admins/1", {}).status_code == 200
    assert simulator.request("GET", "/ping").status_code == 200
    assert simulator.request("PUT", "/admins/1", {}).status_code == 200

    answer = simulator.request("PUT", "/admins/1", {"language": "de"})
    assert (answer.status_code, answer.headers["Content-Type"].split(";")[0]) == (503, "text/html")
    assert (simulator.list_writes()[-1]["status"], simulator.list_writes()[-1]["fault"]) == (
        503,
        "reload",
    )

    time.sleep(0.75)
    assert simulator.request("GET", "/admins/1").json()["language"] == "en"


def read_uptime(simulator: Simulator) -> int:
    """Return how many seconds ago the panel says that it started."""
    duration = simulator.request("GET", "/server?meta=true").json()["meta"]["uptime"]
    assert list(duration) == ["days", "hours", "minutes", "seconds"]
    return int(
        ((duration["days"] * 24 + duration["hours"]) * 60 + duration["minutes"]) * 60
        + duration["seconds"]
    )


def test_a_reboot_is_accepted_then_the_panel_goes_away_and_comes_back(simulator: Simulator) -> None:
    simulator.change_settings({"reboot_delay": 0.5, "reboot_down_time": 0.5})
    wait_until(lambda: read_uptime(simulator) >= 2)
    before = read_uptime(simulator)

    answer = simulator.request("POST", "/server/reboot", {"confirm": True})

    assert (answer.status_code, answer.content) == (202, b"")

    accepted = time.monotonic()
    assert answers(simulator)

    wait_until(lambda: not answers(simulator))
    assert time.monotonic() - accepted > 0.4

    wait_until(lambda: answers(simulator))
    assert time.monotonic() - accepted > 0.9
    assert read_uptime(simulator) < before


def test_the_server_shows_its_blocks_and_only_those_asked_for(simulator: Simulator) -> None:
    blocks = simulator.request("GET", "/server").json()
    assert list(blocks) == list(BLOCKS)
    assert blocks["meta"]["hostname"] == "server.panel.example"
    assert set(blocks["utilization"]["load"]) == {"minute_1", "minute_5", "minute_15", "percent"}
    assert list(simulator.request("GET", "/server?meta=true").json()) == ["meta"]
    assert "ports" not in simulator.request("GET", "/server?ports=false").json()


def test_what_describes_a_fault_stays_as_it_is() -> None:
    record = {"host": "@", "type": "A", "value": "192.0.2.1"}
    described = {"kind": "mutate_dns", "path": ".*", "domain": "acme.example", "add": [record]}
    before = copy.deepcopy(described)

    fault = read_fault(described)

    assert described == before
    assert fault.options["add"] != described["add"]

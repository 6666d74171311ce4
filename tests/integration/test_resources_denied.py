# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A panel that does not accept the key is asked once, however many objects there are; one that ceases to accept it is left alone."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.bulk import PASSWORD, apply, count, customers
from tests.support.playbook import IN_PROCESS, MODULE, WAYS, Run, task
from tests.support.simulator import Simulator
from tests.support.worker import work

WANTED = customers(8)
ZONES = [{"domain": item["domain"], "is_dns_disabled": True} for item in WANTED["domains"]]
EMPTY: list[Any] = [["POST", "/reset", None]]
DENIED = {"kind": "status", "status": 403, "body": "json", "times": 0}
LISTS = 9  # those of the admins too, whose names no client may have
WRITTEN = 30
DENIALS = ["401", "401, check", "403", "403 for the address", "403 for zones"]


def tasks(way: str) -> Iterator[dict[str, Any]]:
    """Starting a module takes its time, so the slow way has the most important ones."""
    wrong_key = {"api_key": "k1234567.another-key"}
    disabled = [*EMPTY, ["POST", "/settings", {"api_enabled": False}]]
    elsewhere = [*EMPTY, ["POST", "/settings", {"allowed_addresses": ["192.0.2.0/24"]}]]
    many = {"resources": WANTED, "concurrency": 8}
    zones = {"resources": {"dns": ZONES}, "concurrency": 8}
    withdrawn = [*EMPTY, ["POST", "/faults", {**DENIED, "skip": LISTS + WRITTEN}]]
    yield task("401", "panel_resources", {**many, **wrong_key}, EMPTY)
    yield task("withdrawn", "panel_resources", many, withdrawn)
    if way == MODULE:
        return
    yield task("401, check", "panel_resources", {**many, **wrong_key}, EMPTY, check_mode=True)
    yield task("403", "panel_resources", many, disabled)
    yield task("403 for the address", "panel_resources", many, elsewhere)
    yield task("403 for zones", "panel_resources", zones, disabled)


def play_all(simulator: Simulator, folder: Path, way: str) -> list[Run]:
    """One run with the first of the tasks, with a key that is withdrawn at its end, and one in which it is accepted again."""
    first, withdrawn, *others = tasks(way)
    runs = [work([*others, first, withdrawn], simulator, folder, way)]
    given_back = {
        **withdrawn,
        "name": "given back",
        "vars": {"simulator": {"before": [["DELETE", "/faults", None]], "after": []}},
    }
    return [*runs, work([given_back], simulator, folder / "again", way)]


@pytest.fixture(scope="module")
def all_runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Run]]:
    return {way: play_all(simulator, tmp_path_factory.mktemp("denied"), way) for way in WAYS}


@pytest.fixture(scope="module")
def runs(all_runs: dict[str, list[Run]]) -> dict[str, Run]:
    return {way: pair[0] for way, pair in all_runs.items()}


@pytest.mark.parametrize(("way", "name"), [*((IN_PROCESS, name) for name in DENIALS), (MODULE, "401")])
def test_the_first_denial_is_the_only_request(runs: dict[str, Run], way: str, name: str) -> None:
    recording = runs[way][name]
    assert recording.outcome == "failed"
    assert not recording.changed
    assert [request["status"] for request in recording.requests] == [int(name[:3])]
    assert (recording.result["error"]["type"], recording.result["error"]["status"]) == ("Denied", int(name[:3]))
    assert "api_key" in recording.msg if name.startswith("401") else "API" in recording.msg
    assert "results" not in recording.result


def test_a_key_that_is_withdrawn_ends_the_writing(runs: dict[str, Run], way: str) -> None:
    recording = runs[way]["withdrawn"]
    assert recording.outcome == "failed"
    assert recording.changed
    statuses = [request["status"] for request in recording.requests]
    # What was under way when the first denial came.
    assert 1 <= statuses.count(403) <= 8
    assert Counter(statuses) == {200: LISTS, 201: WRITTEN, 403: statuses.count(403)}
    results = Counter(entry["result"] for entry in recording.result["results"])
    assert results["changed"] == WRITTEN
    assert 1 <= results["failed"] <= 8
    assert results["skipped"] == count(WANTED) - WRITTEN - results["failed"]
    whys = {entry["msg"] for entry in recording.result["results"] if entry["result"] == "skipped"}
    assert "The panel refuses what this key asks for, so nothing more was sent." in whys
    for words in ("403", f"{WRITTEN} were written", "run it again"):
        assert words in recording.msg


def test_when_the_key_is_accepted_again_another_run_writes_the_rest(all_runs: dict[str, list[Run]], way: str) -> None:
    recording = all_runs[way][1]["given back"]
    assert recording.outcome == "ok", recording.msg
    assert recording.result["plan"]["summary"] == {
        "create": count(WANTED) - WRITTEN,
        "update": 0,
        "delete": 0,
        "unchanged": WRITTEN,
    }
    assert len(recording.writes) == count(WANTED) - WRITTEN


@pytest.mark.parametrize("concurrency", [1, 8])
def test_an_api_that_is_switched_off_in_the_middle_gets_only_what_was_under_way(
    simulator: Simulator, concurrency: int
) -> None:
    simulator.reset()
    simulator.settings({"write_latency": 20})
    first = simulator.last_number()
    switched_off = threading.Thread(target=_switch_off_after, args=(simulator, first, 40))
    switched_off.start()
    result = apply(simulator, WANTED, concurrency=concurrency)
    switched_off.join(30)
    statuses = [request["status"] for request in simulator.writes(first)]
    assert result["failed"]
    assert 1 <= statuses.count(403) <= concurrency
    assert statuses.count(201) + statuses.count(403) == len(statuses) < count(WANTED)
    results = Counter(entry["result"] for entry in result["results"])
    assert results["changed"] == statuses.count(201)
    assert results["skipped"] >= count(WANTED) - len(statuses) - concurrency
    assert PASSWORD not in str(result)


def _switch_off_after(simulator: Simulator, first: int, writes: int) -> None:
    """Switches the API off when so many writes have arrived."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and len(simulator.writes(first)) < writes:
        time.sleep(0.01)
    simulator.settings({"api_enabled": False})

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""panel_resources sends exactly as many requests as it takes: a list a kind, one for each zone, one for each object that differs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.bulk import applied, changed_everywhere, count, customers
from tests.support.playbook import WAYS, BothWays, Recording, task
from tests.support.simulator import Simulator
from tests.support.tasks import without_new_ids
from tests.support.worker import work

WANTED = customers(4)
LISTS = sorted(
    f"GET /{name}"
    for name in (
        "hosting-plans",
        "clients",
        "domains",
        "emails",
        "databases",
        "ftp-users",
        "directory-protections",
        "scheduled-tasks",
    )
)
# Whether a new client may have its name is told by the admins, who share it.
LISTS_TO_CREATE = sorted([*LISTS, "GET /admins"])
# What the panel would make twice is listed once more before each twenty creations, and after all of them; after them also what a server's
# rules for names may have changed, as these names are longer than some servers take.
LISTS_BETWEEN = ["GET /directory-protections", "GET /scheduled-tasks"]
LISTS_AFTER = ["GET /databases", "GET /directory-protections", "GET /ftp-users", "GET /scheduled-tasks"]
# Each of these goes over a new connection: of a kept one that the server just closes nobody could say whether it had the request.
MADE_ALONE = len(WANTED["directory_protections"]) + len(WANTED["scheduled_tasks"])
SEEDED: list[Any] = [["POST", "/reset", None], ["POST", "/seed", WANTED]]
ZONES = [item["domain"] for item in WANTED["domains"]]


def with_record(value: str, number: int = 4) -> dict[str, Any]:
    """Zones of which so many have this value of a record."""
    zones = [
        {
            "domain": domain,
            "records": [{"host": "shop", "type": "A", "ttl": 300, "value": value if index < number else "192.0.2.30"}],
        }
        for index, domain in enumerate(ZONES)
    ]
    return {"resources": {"dns": zones}}


def tasks() -> Iterator[dict[str, Any]]:
    wanted, changed = {"resources": WANTED}, {"resources": changed_everywhere(WANTED)}
    empty: list[Any] = [["POST", "/reset", None]]
    peak = [["GET", "/counters", None]]
    yield task("create, check", "panel_resources", wanted, empty, check_mode=True)
    yield task("create", "panel_resources", wanted, empty, peak)
    yield task("unchanged", "panel_resources", wanted)
    yield task("unchanged, check", "panel_resources", wanted, check_mode=True)
    yield task("unchanged, return them", "panel_resources", {**wanted, "return_unchanged": True})
    yield task("change, check", "panel_resources", changed, SEEDED, check_mode=True)
    yield task("change", "panel_resources", changed, SEEDED, peak)
    yield task("change, one at a time", "panel_resources", {**changed, "concurrency": 1}, SEEDED, peak)
    yield task("zones", "panel_resources", with_record("192.0.2.30"), SEEDED)
    yield task("zones, unchanged", "panel_resources", with_record("192.0.2.30"))
    yield task("zones, change, check", "panel_resources", with_record("192.0.2.31", 2), check_mode=True)
    yield task("zones, change", "panel_resources", with_record("192.0.2.31", 2))


@pytest.fixture(scope="module")
def runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> BothWays:
    return BothWays(tasks(), simulator, tmp_path_factory.mktemp("counts"), work)


def reads(recording: Recording) -> list[str]:
    """The GET requests, sorted, since several are sent at once."""
    return sorted(call for call in recording.calls if call.startswith("GET"))


def connections(recording: Recording) -> int:
    return len({request["connection"] for request in recording.requests})


@pytest.mark.parametrize("name", ["unchanged", "unchanged, check", "unchanged, return them"])
def test_what_is_right_already_takes_one_list_a_kind(runs: BothWays, way: str, name: str) -> None:
    recording = runs[way][name]
    assert recording.outcome == "ok", recording.msg
    assert not recording.changed
    assert sorted(recording.calls) == LISTS
    assert recording.result["plan"]["summary"] == {"create": 0, "update": 0, "delete": 0, "unchanged": count(WANTED)}
    shown = [entry["result"] for entry in recording.result["results"]]
    assert shown == ["unchanged"] * (count(WANTED) if "return" in name else 0)


@pytest.mark.parametrize(("name", "method"), [("create", "POST"), ("change", "PUT"), ("change, one at a time", "PUT")])
def test_what_differs_takes_one_write_more_and_is_not_read_back(
    runs: BothWays, way: str, name: str, method: str
) -> None:
    recording = runs[way][name]
    assert recording.outcome == "ok", recording.msg
    assert recording.changed
    lists = LISTS_TO_CREATE if method == "POST" else LISTS
    between, after = (LISTS_BETWEEN, LISTS_AFTER) if method == "POST" else ([], [])
    assert reads(recording) == sorted([*lists, *between, *after])
    assert [request["method"] for request in recording.writes] == [method] * count(WANTED)
    assert {entry["result"] for entry in recording.result["results"]} == {"changed"}
    # All other reading is before all writing.
    assert all(call.startswith("GET") for call in recording.calls[: len(lists)])
    assert recording.calls[len(recording.calls) - len(after) :] == after


@pytest.mark.parametrize("name", ["create", "change"])
def test_check_mode_reads_the_same_and_writes_nothing(runs: BothWays, way: str, name: str) -> None:
    check, real = runs[way][f"{name}, check"], runs[way][name]
    assert check.writes == []
    assert sorted([*check.calls, *([*LISTS_BETWEEN, *LISTS_AFTER] if name == "create" else [])]) == reads(real)
    for member in ("changed", "plan", "diff"):
        assert check.result[member] == real.result[member], member
    assert check.result["results"] == without_new_ids(real.result["results"], real.result["plan"])
    assert "generated_passwords" not in check.result


def test_there_are_no_more_connections_than_requests_at_once(runs: BothWays, way: str) -> None:
    run = runs[way]
    assert connections(run["change, one at a time"]) == 1
    assert run["change, one at a time"].observed[0]["peak_concurrent"] == 1
    for name, renewed in (("create", MADE_ALONE), ("change", 0)):
        assert 1 < connections(run[name]) <= 4 + renewed
        assert run[name].observed[0]["peak_concurrent"] <= 4


def test_zones_that_are_right_take_one_read_each(runs: BothWays, way: str) -> None:
    recording = runs[way]["zones, unchanged"]
    assert recording.outcome == "ok", recording.msg
    assert sorted(recording.calls) == [f"GET /dns/name/{domain}" for domain in ZONES]
    check = runs[way]["zones, change, check"]
    assert check.changed
    # Whose a zone is that changes, its domain tells.
    assert sorted(check.calls) == sorted([*recording.calls, "GET /clients", "GET /domains"])


def test_a_zone_that_differs_is_read_again_before_and_after_its_write(runs: BothWays, way: str) -> None:
    recording = runs[way]["zones, change"]
    assert recording.outcome == "ok", recording.msg
    for domain in ZONES[:2]:
        calls = [request["method"] for request in recording.requests if request["path"].endswith(domain)]
        assert calls == ["GET", "GET", "PUT", "GET"], recording.calls
    for domain in ZONES[2:]:
        assert recording.calls.count(f"GET /dns/name/{domain}") == 1
    assert len(recording.calls) == 2 * 4 + 2 + len(["GET /clients", "GET /domains"])
    assert recording.result["plan"]["summary"] == {"create": 0, "update": 2, "delete": 0, "unchanged": 2}


def test_both_ways_of_execution_give_the_same(runs: BothWays) -> None:
    here, there = (runs[way] for way in WAYS)
    for recording in here.recordings:
        other = there[recording.name]
        assert sorted(recording.calls) == sorted(other.calls), recording.name
        for member in ("changed", "plan", "diff"):
            assert recording.result[member] == other.result[member], (recording.name, member)
        # Several requests at once give ids in any order.
        results = [[{**one, "id": None} for one in run.result["results"]] for run in (recording, other)]
        assert results[0] == results[1], recording.name


@pytest.mark.parametrize("concurrency", [1, 16])
def test_a_thousand_objects_take_no_more_requests_than_their_number(simulator: Simulator, concurrency: int) -> None:
    wanted = customers(100)
    assert count(wanted) > 1000
    simulator.reset()
    first = simulator.last_number()
    applied(simulator, wanted, concurrency=concurrency)
    created = simulator.log(first)
    between = sum(math.ceil(len(wanted[kind]) / 20) for kind in ("directory_protections", "scheduled_tasks"))
    assert len(created) == len(LISTS_TO_CREATE) + count(wanted) + between + len(LISTS_AFTER)
    renewed = len(wanted["directory_protections"]) + len(wanted["scheduled_tasks"])
    assert len({request["connection"] for request in created}) <= concurrency + renewed
    assert simulator.counters()["peak_concurrent"] <= concurrency
    second = simulator.last_number()
    assert applied(simulator, wanted, concurrency=concurrency)["changed"] is False
    assert sorted(f"{request['method']} {request['path']}" for request in simulator.log(second)) == LISTS

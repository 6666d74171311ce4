# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""An object that the panel refuses stops nothing but what needs it; the result tells of each, and the next run completes the rest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.bulk import apply, count, customers, panel_of
from tests.support.playbook import WAYS, BothWays, Recording, play, task
from tests.support.simulator import Simulator
from tests.support.worker import work

CUSTOMERS = ("fine", "other", "refused")
RECORD = {"host": "shop", "type": "A", "ttl": 300, "value": "192.0.2.30"}
FRESH: list[Any] = [["POST", "/reset", None]]
# Of the refused client and of what needs it; everything else is written.
SKIPPED = {
    "domains refused.example": "clients refused, which failed",
    "dns refused.example": "domains refused.example, which was skipped",
    "emails info@refused.example": "domains refused.example, which was skipped",
    "databases refused_shop": "clients refused, which failed",
    "scheduled_tasks refused:Backup": "clients refused, which failed",
}


def wanted(**refused: Any) -> dict[str, Any]:
    """Three customers, none with a password; ``refused``: more options of one of them."""
    return {
        "plans": [{"name": "Business"}],
        "clients": [{"username": name, **(refused if name == "refused" else {})} for name in CUSTOMERS],
        "domains": [{"domain": f"{name}.example", "client": name} for name in CUSTOMERS],
        "dns": [{"domain": f"{name}.example", "records": [RECORD]} for name in CUSTOMERS],
        "emails": [{"email": f"info@{name}.example"} for name in CUSTOMERS],
        "databases": [{"database_name": f"{name}_shop", "client": name} for name in CUSTOMERS],
        "scheduled_tasks": [
            {"client": name, "description": "Backup", "type": "exec", "command": "/bin/backup"} for name in CUSTOMERS
        ],
    }


def tasks() -> Iterator[dict[str, Any]]:
    state = [["GET", "/state", None]]
    yield task("refused", "panel_resources", {"resources": wanted(language="xx")}, FRESH, state)
    yield task("refused again", "panel_resources", {"resources": wanted(language="xx")})
    yield task("completed", "panel_resources", {"resources": wanted(language="de")}, after=state)
    yield task("completed already", "panel_resources", {"resources": wanted(language="de")})
    broken = {"kind": "status", "status": 500, "body": "json", "method": "POST", "path": "^/databases$", "skip": 1}
    yield task("broken", "panel_resources", {"resources": wanted()}, [*FRESH, ["POST", "/faults", broken]])
    yield task("mended", "panel_resources", {"resources": wanted()})


@pytest.fixture(scope="module")
def runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> BothWays:
    return BothWays(tasks(), simulator, tmp_path_factory.mktemp("failures"), work)


def by_name(recording: Recording) -> dict[str, dict[str, Any]]:
    return {f"{entry['kind']} {entry['key']}": entry for entry in recording.result["results"]}


def passwords(recording: Recording) -> dict[str, str]:
    generated = recording.result.get("generated_passwords", [])
    return {f"{entry['kind']} {entry['key']}": entry["password"] for entry in generated}


def on_the_panel(recording: Recording) -> dict[str, str]:
    """The passwords that the panel has, by kind and name."""
    names = {"clients": "username", "emails": "email", "databases": "database_name"}
    objects: Mapping[str, Any] = recording.observed[0]["objects"]
    return {
        f"{kind} {item['data'][name]}": item["hidden"]["password"]
        for kind, name in names.items()
        for item in objects[kind]
    }


@pytest.mark.parametrize("name", ["refused", "refused again"])
def test_what_needs_a_refused_object_is_skipped_and_nothing_else(runs: BothWays, way: str, name: str) -> None:
    recording = runs[way][name]
    assert recording.outcome == "failed"
    assert recording.changed == (name == "refused")
    results = by_name(recording)
    failed = {key: entry for key, entry in results.items() if entry["result"] == "failed"}
    assert list(failed) == ["clients refused"]
    entry = failed["clients refused"]
    assert "language" in entry["msg"]
    assert (entry["error"]["type"], entry["error"]["status"], entry["error"]["path"]) == ("Refused", 400, "/clients")
    skipped = {key: entry["msg"] for key, entry in results.items() if entry["result"] == "skipped"}
    assert skipped == {key: f"It needs {why}." for key, why in SKIPPED.items()}
    changed = [key for key, entry in results.items() if entry["result"] == "changed"]
    written = count(wanted()) - 1 - len(SKIPPED)
    assert len(changed) == (written if name == "refused" else 0)
    # Whether somebody else has made it is all that is asked about it.
    asked = [(one["method"], one["path"]) for one in recording.requests if "refused" in one["path"]]
    assert asked == [("GET", "/clients/name/refused")]
    assert len(recording.writes) == len(changed) + 1


def test_the_message_counts_and_names_the_first_failure(runs: BothWays, way: str) -> None:
    message = runs[way]["refused"].msg
    for words in (
        "1 of 19 changes failed",
        "5 were skipped",
        "13 were written",
        "clients refused: POST /clients",
        "400",
    ):
        assert words in message, message
    assert "run it again to complete the rest" in message


def test_passwords_of_what_was_created_are_returned_by_the_failing_run(runs: BothWays, way: str) -> None:
    recording = runs[way]["refused"]
    found = passwords(recording)
    names = [f"{kind} {name}" for name in ("fine", "other") for kind, name in _with_passwords(name)]
    assert sorted(found) == sorted(names)
    assert {name: on_the_panel(recording)[name] for name in names} == found
    assert "generated_passwords" not in runs[way]["refused again"].result


def _with_passwords(customer: str) -> list[tuple[str, str]]:
    return [("clients", customer), ("emails", f"info@{customer}.example"), ("databases", f"{customer}_shop")]


def test_when_the_cause_is_gone_the_next_run_completes_the_rest(runs: BothWays, way: str) -> None:
    completed = runs[way]["completed"]
    assert completed.outcome == "ok", completed.msg
    assert {f"{entry['kind']} {entry['key']}" for entry in completed.result["results"]} == {"clients refused", *SKIPPED}
    assert sorted(passwords(completed)) == sorted(f"{kind} {name}" for kind, name in _with_passwords("refused"))
    assert {**on_the_panel(completed), **passwords(completed), **passwords(runs[way]["refused"])} == on_the_panel(
        completed
    )
    already = runs[way]["completed already"]
    assert (already.outcome, already.changed, already.writes) == ("ok", False, [])


def test_an_object_at_which_the_panel_fails_is_completed_by_the_next_run(runs: BothWays, way: str) -> None:
    broken, mended = runs[way]["broken"], runs[way]["mended"]
    results = by_name(broken)
    failed = [key for key, entry in results.items() if entry["result"] == "failed"]
    assert len(failed) == 1
    assert failed[0].startswith("databases ")
    assert {entry["result"] for key, entry in results.items() if key not in failed} == {"changed"}
    assert mended.outcome == "ok", mended.msg
    assert [f"{entry['kind']} {entry['key']}" for entry in mended.result["results"]] == failed
    assert list(passwords(mended)) == failed


def test_a_generated_password_is_printed_once(simulator: Simulator, tmp_path: Path, way: str) -> None:
    run = play(list(tasks())[:3], simulator, tmp_path, way, arguments=["-vvv"])
    every = [found for recording in run.recordings for found in passwords(recording).values()]
    assert len(every) == len(set(every)) > 8
    # In the result of the task that failed. One that succeeds shows its own as well, at this verbosity.
    for password in every:
        forms = {password, json.dumps(password)[1:-1]}
        assert sum(run.text.count(form) for form in forms) == 1, password


def test_both_ways_of_execution_give_the_same(runs: BothWays) -> None:
    here, there = (runs[way] for way in WAYS)
    for recording in here.recordings:
        other = there[recording.name]
        assert recording.outcome == other.outcome
        if recording.name in ("broken", "mended"):  # which of several at once the fault strikes is chance
            continue
        assert recording.result["plan"] == other.result["plan"]
        assert recording.msg == other.msg
        # Several requests at once give ids in any order.
        results = [{name: {**one, "id": None} for name, one in by_name(run).items()} for run in (recording, other)]
        assert results[0] == results[1]


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_panel_that_goes_away_is_left_alone_and_completed_later(simulator: Simulator, concurrency: int) -> None:
    many = customers(30)
    simulator.reset()
    assert not apply(simulator, many).get("failed")
    undisturbed = panel_of(simulator)
    simulator.reset()
    simulator.fault({"kind": "status", "status": 503, "method": ["POST", "GET"], "skip": 100, "times": 0})
    first = simulator.last_number()
    result = apply(simulator, many, concurrency=concurrency, retry_time=1)
    after = [request for request in simulator.log(first) if request["status"] == 503]
    assert result["failed"]
    assert len(after) <= 4 * (concurrency + 2)
    outcomes = [entry["result"] for entry in result["results"]]
    assert outcomes.count("failed") <= concurrency + 2
    assert outcomes.count("skipped") > 150
    simulator.clear_faults()
    completed = apply(simulator, many, concurrency=concurrency)
    assert not completed.get("failed"), completed["msg"]
    assert panel_of(simulator) == undisturbed

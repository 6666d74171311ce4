# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is deleted that was not meant to be: purges, limits, protection, and plans that were approved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.playbook import IN_PROCESS, MODULE, Recording, Run, task
from tests.support.simulator import Simulator
from tests.support.worker import Worker, working

DATA = yaml.safe_load(Path(__file__).with_name("guards.yml").read_text(encoding="utf-8"))
FRESH: list[Any] = [["POST", "/reset", None], ["POST", "/seed", DATA["seed"]]]
# The client globex, its system domain, two domains and a www subdomain, two mailboxes, and one each of four kinds.
BLAST_RADIUS = 11


@dataclass(frozen=True)
class Case:
    """A task that deletes, as the data file describes it."""

    name: str
    options: dict[str, Any]
    deleted: list[str] | None = None
    words: Sequence[str] = ()
    both_ways: bool = False
    keywords: dict[str, Any] = field(default_factory=dict)

    def task(self) -> dict[str, Any]:
        return task(self.name, "panel_resources", self.options, FRESH, [["GET", "/state", None]], **self.keywords)


CASES = [Case(**described) for described in DATA["cases"]]
BOTH_WAYS = [case for case in CASES if case.both_ways]
NAMES = {"plans": "name", "admins": "username", "clients": "username", "domains": "domain", "emails": "email"}


def approvals(worker: Worker) -> Iterator[Recording]:
    """Plans that are approved by their checksum, and a panel that has moved on meanwhile or has not."""
    emails = {"emails": [{"email": "info@acme.example", "max_size": "2G"}]}
    wanted: dict[str, Any] = {"resources": emails, "purge": ["emails"], "max_deletes": 4}
    planned = worker.run(task("planned", "panel_resources", wanted, FRESH, check_mode=True))
    yield planned
    approved = {**wanted, "expected_checksum": planned.result["plan"]["checksum"]}
    moved_on = [["POST", "/seed", {"emails": [{"email": "new@acme.example"}]}]]
    for one in (
        task("planned again", "panel_resources", wanted, FRESH, check_mode=True),
        task("moved on", "panel_resources", {**approved, "max_deletes": 5}, [*FRESH, *moved_on]),
        task("moved on, in check mode", "panel_resources", {**approved, "max_deletes": 5}, check_mode=True),
        task("approved", "panel_resources", approved, FRESH),
        task("approved and done already", "panel_resources", approved),
    ):
        yield worker.run(one)


@pytest.fixture(scope="module")
def runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Starting a module takes its time, so the slow way has the most important ones."""
    found = {}
    for way, cases in ((IN_PROCESS, CASES), (MODULE, BOTH_WAYS)):
        folder = tmp_path_factory.mktemp("guards")
        with working(simulator, folder, way) as worker:
            found[way] = Run(0, "", [*(worker.run(case.task()) for case in cases), *approvals(worker)], folder)
    return found


WAYS_AND_CASES = [
    pytest.param(way, case, id=f"{case.name}, {way}")
    for way, cases in ((IN_PROCESS, CASES), (MODULE, BOTH_WAYS))
    for case in cases
]


def deleted_keys(recording: Recording) -> list[str]:
    return sorted(entry["key"] for entry in recording.result["results"])


@pytest.mark.parametrize(("way", "case"), WAYS_AND_CASES)
def test_only_what_is_meant_to_go_goes(runs: dict[str, Run], way: str, case: Case) -> None:
    recording = runs[way][case.name]
    if case.deleted is None:
        assert recording.outcome == "failed"
        assert not recording.changed
        assert recording.writes == []
        assert [word for word in case.words if word not in recording.msg] == [], recording.msg
        return
    assert recording.outcome == "ok", recording.msg
    assert deleted_keys(recording) == sorted(case.deleted)
    assert [request["method"] for request in recording.writes] == ["DELETE"] * len(case.deleted)
    assert recording.result["plan"]["summary"]["delete"] == len(case.deleted)
    left = recording.observed[0]["objects"]
    there = {item["data"][name] for kind, name in NAMES.items() for item in left.get(kind, left["hosting_plans"])}
    assert there & set(case.deleted) == set()


def test_a_client_is_deleted_with_one_request_and_everything_is_in_the_plan(runs: dict[str, Run], way: str) -> None:
    recording = runs[way]["a client within the limit"]
    assert len(recording.writes) == 1
    (action,) = recording.result["plan"]["actions"]
    assert sum(len(keys) for keys in action["also_deleted"].values()) == BLAST_RADIUS - 1
    assert {"globex.example", "shop.globex.example", "www.globex.example"} < set(action["also_deleted"]["domains"])
    assert action["also_deleted"]["directory_protections"] == ["globex:/admin:anna"]
    # What goes along is told from lists, one a kind.
    reads = [call for call in recording.calls if call.startswith("GET")]
    assert len(reads) == len(set(reads)) == 8


def test_a_refused_plan_is_in_the_result(runs: dict[str, Run], way: str) -> None:
    recording = runs[way]["purge without a limit"]
    assert recording.result["plan"]["summary"] == {"create": 0, "update": 0, "delete": 4, "unchanged": 1}
    error = recording.result["error"]
    assert (error["option"], error["deletes"], error["limit"]) == ("max_deletes", 4, 0)
    assert {"kind": "emails", "key": "sales@acme.example"} in error["objects"]


def test_an_approved_plan_is_carried_out(runs: dict[str, Run], way: str) -> None:
    run = runs[way]
    approved = run["approved"]
    assert approved.outcome == "ok", approved.msg
    assert approved.result["plan"] == run["planned"].result["plan"] == run["planned again"].result["plan"]
    assert sorted(request["method"] for request in approved.writes) == ["DELETE"] * 4 + ["PUT"]
    assert runs[IN_PROCESS]["planned"].result["plan"] == runs[MODULE]["planned"].result["plan"]


@pytest.mark.parametrize("name", ["moved on", "moved on, in check mode", "approved and done already"])
def test_a_plan_is_refused_when_the_panel_has_moved_on(runs: dict[str, Run], way: str, name: str) -> None:
    recording = runs[way][name]
    expected = runs[way]["planned"].result["plan"]["checksum"]
    assert recording.outcome == "failed"
    assert not recording.changed
    assert recording.writes == []
    for words in ("expected_checksum:", expected, recording.result["plan"]["checksum"], "Nothing was written"):
        assert words in recording.msg
    assert recording.result["plan"]["checksum"] != expected

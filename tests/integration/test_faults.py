"""While the panel reloads, nothing is doubled, nothing is lost, and no failing look-up counts as absent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind
from tests.support.playbook import IN_PROCESS, MODULE, Recording, Run, play, task
from tests.support.simulator import Simulator
from tests.support.worker import work

SEED = {
    "clients": [{"username": "acme", "email": "it@acme.example"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
}
EXISTING = {
    "databases": [{"database_name": "acme_shop", "client": "acme"}],
    "scheduled_tasks": [{"client": "acme", "description": "nightly", "type": "exec", "command": "/www/x"}],
}
RELOAD = {"kind": "status", "status": 503}


@dataclass(frozen=True)
class Subject:
    """What creates an object, how another one is named, and what changes it."""

    plural: str
    create: dict[str, Any]
    key: dict[str, str]
    changed: dict[str, Any]

    @property
    def kind(self) -> Kind:
        return TABLES[self.plural]

    @property
    def change(self) -> dict[str, Any]:
        return {**self.key, **self.changed}

    @property
    def name(self) -> str:
        """The member that tells objects apart."""
        return list(self.key)[-1]


TASK = {"client": "acme", "type": "exec", "command": "/www/y"}
SUBJECTS = [
    Subject(
        "clients", {"username": "initech", "email": "it@initech.example"}, {"username": "acme"}, {"notes": "changed"}
    ),
    Subject(
        "databases",
        {"database_name": "acme_blog", "client": "acme"},
        {"database_name": "acme_shop"},
        {"description": "changed"},
    ),
    Subject(
        "scheduled_tasks",
        {**TASK, "description": "weekly"},
        {"client": "acme", "description": "nightly"},
        {"command": "/www/z"},
    ),
]
LOST_CREATIONS = {
    "503 before": {**RELOAD, "method": "POST", "when": "before"},
    "503 after": {**RELOAD, "method": "POST", "when": "after"},
    "reset before": {"kind": "reset", "method": "POST", "when": "before"},
    "reset after": {"kind": "reset", "method": "POST", "when": "after"},
    "HTML after": {"kind": "html_200", "method": "POST", "when": "after"},
}
LOST_WRITES = {
    "503 before": {**RELOAD, "when": "before"},
    "503 after": {**RELOAD, "when": "after"},
    "reset after": {"kind": "reset", "when": "after"},
}


# Waiting for the panel takes its time, so the slow way has one kind.
BY_WAY = {IN_PROCESS: SUBJECTS, MODULE: SUBJECTS[:1]}


def pairs(faults: Iterable[str]) -> list[Any]:
    """Way, subject and fault, for each test."""
    return [
        pytest.param(way, subject, fault, id=f"{subject.plural}, {fault}, {way}")
        for way, subjects in BY_WAY.items()
        for subject in subjects
        for fault in faults
    ]


def tasks(subject: Subject) -> Iterator[dict[str, Any]]:
    """Every fault with one subject."""
    fresh: list[Any] = [["POST", "/reset", None], ["POST", "/seed", {**SEED, **EXISTING}]]
    absent = {**subject.key, "state": "absent"}
    always = {**RELOAD, "method": "GET", "times": 0}
    struck = [
        *((f"create, {name}", subject.create, fault) for name, fault in LOST_CREATIONS.items()),
        *((f"change, {name}", subject.change, {**fault, "method": "PUT"}) for name, fault in LOST_WRITES.items()),
        *((f"delete, {name}", absent, {**fault, "method": "DELETE"}) for name, fault in LOST_WRITES.items()),
        ("look-up, 503 twice", subject.create, {**RELOAD, "method": "GET", "times": 2}),
        ("create, look-up 503 for ever", {**subject.create, "retry_time": 1}, always),
        ("absent, look-up 503 for ever", {**absent, "retry_time": 1}, always),
    ]
    for name, options, fault in struck:
        before = [*fresh, ["POST", "/faults", fault]]
        yield task(
            f"{subject.plural}: {name}", f"panel_{subject.kind.singular}", options, before, [["GET", "/state", None]]
        )


@pytest.fixture(scope="module")
def runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """All faults in each way."""
    return {
        way: work(
            [made for subject in subjects for made in tasks(subject)], simulator, tmp_path_factory.mktemp("faults"), way
        )
        for way, subjects in BY_WAY.items()
    }


def on_the_panel(recording: Recording, subject: Subject, key: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The objects with the subject's own name, as the panel has them after the task."""
    name = subject.name
    return [item for item in recording.observed[0]["objects"][subject.plural] if item["data"][name] == key[name]]


@pytest.mark.parametrize(("way", "subject", "fault"), pairs(LOST_CREATIONS))
def test_a_creation_with_a_lost_answer_makes_one_object(
    runs: dict[str, Run], way: str, subject: Subject, fault: str
) -> None:
    recording = runs[way][f"{subject.plural}: create, {fault}"]
    if subject.plural == "scheduled_tasks" and fault in ("reset before", "503 before"):
        # The panel may still be at it, and would make two; the time is too short to see that it is not.
        assert (recording.outcome, recording.result["error"]["type"]) == ("failed", "OutcomeUnknown")
        assert "It may have been created" in recording.msg
        assert not on_the_panel(recording, subject, subject.create)
        assert len(recording.writes) == 1
        return
    assert recording.outcome == "ok", recording.msg
    assert recording.changed
    (created,) = on_the_panel(recording, subject, subject.create)
    assert recording.result[subject.kind.singular]["id"] == created["id"]
    posts = [request for request in recording.requests if request["method"] == "POST"]
    assert len(posts) == (1 if fault.endswith("after") else 2)
    if subject.kind.password is not None:
        assert recording.result["generated_password"] == created["hidden"]["password"]


@pytest.mark.parametrize(("way", "subject", "fault"), pairs(LOST_WRITES))
def test_a_change_with_a_lost_answer_takes_effect(runs: dict[str, Run], way: str, subject: Subject, fault: str) -> None:
    recording = runs[way][f"{subject.plural}: change, {fault}"]
    assert recording.outcome == "ok", recording.msg
    assert recording.changed
    (changed,) = on_the_panel(recording, subject, subject.change)
    assert changed["data"].items() >= subject.changed.items()
    assert "generated_password" not in recording.result


@pytest.mark.parametrize(("way", "subject", "fault"), pairs(LOST_WRITES))
def test_a_deletion_with_a_lost_answer_is_done(runs: dict[str, Run], way: str, subject: Subject, fault: str) -> None:
    recording = runs[way][f"{subject.plural}: delete, {fault}"]
    assert recording.outcome == "ok", recording.msg
    assert recording.changed
    assert on_the_panel(recording, subject, subject.change) == []


@pytest.mark.parametrize(("way", "subject", "fault"), pairs(["look-up, 503 twice"]))
def test_a_look_up_is_repeated(runs: dict[str, Run], way: str, subject: Subject, fault: str) -> None:
    recording = runs[way][f"{subject.plural}: {fault}"]
    assert recording.outcome == "ok", recording.msg
    assert [request["status"] for request in recording.requests[:3]] in ([503, 503, 200], [503, 503, 404])
    assert len(recording.writes) == 1


@pytest.mark.parametrize(
    ("way", "subject", "fault"), pairs(["create, look-up 503 for ever", "absent, look-up 503 for ever"])
)
def test_a_look_up_that_goes_on_failing_is_never_absent(
    runs: dict[str, Run], way: str, subject: Subject, fault: str
) -> None:
    recording = runs[way][f"{subject.plural}: {fault}"]
    assert recording.outcome == "failed"
    assert not recording.changed
    assert recording.writes == []
    assert [word for word in ("GET /", "503", "attempts") if word not in recording.msg] == [], recording.msg
    error = recording.result["error"]
    assert (error["method"], error["status"], error["attempts"]) == ("GET", 503, len(recording.requests))


@pytest.mark.parametrize(("key", "answers"), [({"api_key": "k1234567.another-key"}, [401]), ({}, [403] * 3)])
def test_in_process_a_loop_sends_a_refused_key_once_and_asks_again_after_a_forbidden_request(
    simulator: Simulator, tmp_path: Path, key: dict[str, str], answers: list[int]
) -> None:
    before = [["POST", "/reset", None], ["POST", "/settings", {"api_enabled": bool(key)}]]
    looped = task("a loop", "panel_email_info", {"email": "{{ item }}@acme.example", **key}, before, loop=[*"abc"])
    recording = play([looped], simulator, tmp_path, IN_PROCESS)["a loop"]
    assert [request["status"] for request in recording.requests] == answers
    for item in recording.result["results"]:
        assert item["error"]["status"] == answers[0]

"""What becomes of a task whose time is over: the keyword ``timeout``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.playbook import Run, play, task
from tests.support.simulator import Simulator

CLIENTS = {"clients": [{"username": "acme", "email": "it@acme.example"}]}
MAILBOX = {"email": "info@acme.example", "client": "acme"}
MANY = [{"username": f"client{number}", "email": f"it@client{number}.example"} for number in range(6)]


def fresh(**settings: Any) -> list[Any]:
    domain = {"domains": [{"domain": "acme.example", "client": "acme"}]}
    return [["POST", "/reset", None], ["POST", "/seed", {**CLIENTS, **domain}], ["POST", "/settings", settings]]


def tasks() -> Iterator[dict[str, Any]]:
    late = fresh(write_latency=1500.0, status_delay=0)
    yield task("one", "panel_email", MAILBOX, late, timeout=1)
    yield task(
        "many",
        "panel_resources",
        {"resources": {"clients": MANY}, "concurrency": 1},
        fresh(write_latency=700.0),
        timeout=2,
    )
    yield task(
        "many again", "panel_resources", {"resources": {"clients": MANY}}, [["POST", "/settings", {"write_latency": 0}]]
    )


@pytest.fixture(scope="module")
def run(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return play(tasks(), simulator, tmp_path_factory.mktemp("task_time"))


def test_a_password_is_handed_over_when_the_time_ended_during_the_creation(run: Run) -> None:
    one = run["one"]
    assert (one.outcome, one.changed) == ("ok", True), one.msg
    assert one.result["generated_password"]


def test_a_task_about_many_ends_with_what_it_wrote_and_all_its_passwords(run: Run) -> None:
    many = run["many"]
    written = len(many.writes)
    assert 0 < written < len(MANY)
    assert (many.outcome, many.changed) == ("failed", True)
    assert [entry["key"] for entry in many.result["generated_passwords"]] == [
        client["username"] for client in MANY[:written]
    ]
    assert [entry["result"] for entry in many.result["results"]][: written + 1] == ["changed"] * written + ["failed"]
    assert "The time of the task was over, so nothing more was sent." in str(many.result["results"][-1])


def test_the_next_task_has_its_own_time(run: Run) -> None:
    assert run["many again"].outcome == "ok", run["many again"].msg
    assert len(run["many"].writes) + len(run["many again"].writes) == len(MANY)

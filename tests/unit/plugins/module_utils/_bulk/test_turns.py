"""What the panel would make twice is looked for again, twenty at a time, while no other task of the
machine may create it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.bulk_task import (
    build_resources_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from ansible_collections.hosting.panel.plugins.module_utils._object.object_task import (
    build_resource_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._operation import locks
from ansible_collections.hosting.panel.plugins.module_utils._operation.locks import hold_lock
from tests.support.memory import MemoryPanel
from tests.support.tasks import run_task
from tests.support.transcript import make_connection

pytestmark = pytest.mark.long

PATH = "/scheduled-tasks"
WORLD = {"/clients": [{"id": 1, "username": "acme"}]}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of the locks of this test."""
    monkeypatch.setattr(locks, "_TEMPORARY", str(tmp_path))
    return tmp_path / f"hosting.panel-{os.geteuid()}"


def make_task_items(*numbers: int) -> list[dict[str, Any]]:
    """Return items of scheduled tasks, by their numbers."""
    return [
        {"client": "acme", "description": f"t{n:02}", "type": "exec", "command": "/bin/a"}
        for n in numbers
    ]


def run(panel: MemoryPanel, *numbers: int, concurrency: int = 1) -> dict[str, Any]:
    """Create scheduled tasks beside a change of their client."""
    resources = {
        "scheduled_tasks": make_task_items(*numbers),
        "clients": [{"username": "acme", "notes": "x"}],
    }
    return run_task(
        build_resources_operation(), panel, {"resources": resources, "concurrency": concurrency}
    )


def list_task_names(panel: MemoryPanel) -> list[str]:
    """Return the names of the scheduled tasks on the panel."""
    return sorted(item["description"] for item in panel.list_objects(PATH))


def list_outcomes(result: dict[str, Any]) -> dict[str, str]:
    """Return the outcome of each item."""
    return {entry["key"]: entry["result"] for entry in result["results"]}


@pytest.mark.parametrize("concurrency", [1, 4])
def test_twenty_are_looked_for_with_one_list(concurrency: int, folder: Path) -> None:
    panel = MemoryPanel(WORLD)
    assert run(panel, *range(45), concurrency=concurrency)["changed"]
    assert list_task_names(panel) == [f"t{n:02}" for n in range(45)]
    # When the run begins, and three turns.
    assert panel.reads.count(PATH) == 1 + 3
    assert list(folder.iterdir()) == []


def test_what_somebody_else_has_made_meanwhile_is_as_if_it_had_been_there() -> None:
    def interfere(method: str, path: str, _body: Any) -> None:
        if (method, path) == ("PUT", "/clients/1"):
            panel.add(
                PATH,
                {
                    "id": 9,
                    "id_user": 1,
                    "description": "t01",
                    "type": "exec",
                    "command": "/bin/other",
                },
            )

    panel = MemoryPanel(WORLD, before=interfere)

    result = run(panel, 1, 2)

    assert not result.get("failed"), result["msg"]
    assert list_task_names(panel) == ["t01", "t02"]
    assert [call for call in panel.writes if call[1].startswith(PATH)] == [
        ("PUT", f"{PATH}/9", {"command": "/bin/a"}),
        ("POST", PATH, {"id_user": 1, "description": "t02", "type": "exec", "command": "/bin/a"}),
    ]


def test_runs_that_name_them_in_another_order_do_not_wait_for_each_other() -> None:
    panel = MemoryPanel(WORLD)
    orders = [range(25), range(24, -1, -1)] * 4
    with ThreadPoolExecutor(len(orders)) as pool:
        results = list(pool.map(lambda order: run(panel, *order, concurrency=4), orders))

    assert not [result["msg"] for result in results if result.get("failed")]
    assert list_task_names(panel) == [f"t{n:02}" for n in range(25)]


@pytest.fixture
def impatient() -> MemoryPanel:
    """For a task that waits for nobody."""
    panel = MemoryPanel(WORLD)
    panel.connection = make_connection(timeout=0, retry_time=0.2)
    return panel


@pytest.fixture
def held() -> Iterator[None]:
    """Another task is at one of the objects, and does not end."""
    with ExitStack() as stack:
        stack.enter_context(hold_lock(f"panel.example {PATH} 1:t01", "it", 1))
        yield


def test_one_that_another_task_does_not_let_go_fails_in_plain_words(
    impatient: MemoryPanel, held: None
) -> None:
    result = run(impatient, 1, 2)
    assert list_outcomes(result) == {"acme": "changed", "acme:t01": "failed", "acme:t02": "changed"}
    assert result["results"][1]["msg"].startswith(
        "scheduled task 1:t01: another task on this machine has been writing it for more than 0.2 s. Nothing was written. "
        "Look for a process that hangs"
    )
    assert list_task_names(impatient) == ["t02"]


def test_one_that_another_task_does_not_let_go_keeps_no_other_object_waiting(
    impatient: MemoryPanel, held: None
) -> None:
    assert run(impatient, 2, 3)["changed"]
    assert list_task_names(impatient) == ["t02", "t03"]

    result = run_task(
        build_resource_operation(TABLES["scheduled_tasks"]), impatient, make_task_items(4)[0]
    )
    assert result["changed"] is True
    assert list_task_names(impatient) == ["t02", "t03", "t04"]


def test_one_that_cannot_be_had_stops_no_other_object_of_its_turn(
    impatient: MemoryPanel, held: None
) -> None:
    results = list_outcomes(run(impatient, *range(45)))
    assert results.pop("acme") == "changed"
    assert results == {f"acme:t{n:02}": "failed" if n == 1 else "changed" for n in range(45)}

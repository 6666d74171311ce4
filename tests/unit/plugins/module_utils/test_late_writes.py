"""A password or a zone whose first write takes effect seconds after its answer was lost: a later write that was confirmed stays."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._dns.managing import dns_operation
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from tests.support.late_creations import LOST, WORLD
from tests.support.late_panel import LatePanel
from tests.support.memory_panel import MemoryPanel, zone
from tests.support.simulated_time import SimulatedTime
from tests.support.tasks import run_task
from tests.support.transcript import reset

ADDRESS = "info@acme.example"
SEED = {
    **WORLD,
    "/emails": [{"id": 3, "email": ADDRESS, "id_user": 1}],
    "/dns": [zone(2, "acme.example")],
}
LOST_WRITES = [lost for lost in LOST if lost != "500 with JSON"]
BULK = pytest.mark.parametrize("in_bulk", [False, True], ids=["single", "bulk"])


def losing(lost: str, late: float | None) -> LatePanel:
    return LatePanel(MemoryPanel(SEED), SimulatedTime(), LOST[lost], late, method="PUT")


def run(panel: LatePanel, plural: str, in_bulk: bool, retry_time: float = 60, **options: Any) -> dict[str, Any]:
    operation = dns_operation() if plural == "dns" else resource_operation(TABLES[plural])
    if in_bulk:
        operation, options = resources_operation(), {"resources": {plural: [options]}, "concurrency": 1}
    return run_task(operation, panel.client(retry_time), options)


def add(panel: LatePanel, number: int, in_bulk: bool, retry_time: float = 60) -> dict[str, Any]:
    record = {"host": f"host{number}", "type": "A", "value": f"192.0.2.{number}"}
    return run(panel, "dns", in_bulk, retry_time, domain="acme.example", records=[record])


def set_password(panel: LatePanel, password: str, in_bulk: bool) -> dict[str, Any]:
    return run(panel, "emails", in_bulk, email=ADDRESS, password=password, update_password="always")


def hosts(panel: LatePanel) -> set[str]:
    return {record["host"] for record in panel.memory.objects["/dns"][0]["records"]["other"]}


@BULK
@pytest.mark.parametrize("late", [None, 0.4, 8.0, 19.0])
@pytest.mark.parametrize("lost", LOST_WRITES)
def test_a_zone_that_is_written_late_takes_nothing_of_a_later_write_away(
    lost: str, late: float | None, in_bulk: bool
) -> None:
    panel = losing(lost, late)
    assert [add(panel, number, in_bulk)["changed"] for number in (1, 2)] == [True, True]
    panel.settle()
    assert {"host1", "host2"} <= hosts(panel)


def test_a_zone_that_shows_what_was_written_is_waited_for_no_longer() -> None:
    panel = losing("reset", 0.4)
    add(panel, 1, in_bulk=False)
    assert (len(panel.memory.writes), panel.time.sleeps) == (1, [0.5])


def test_a_zone_that_someone_else_changed_is_written_again_only_when_the_first_write_cannot_come_any_more() -> None:
    panel = losing("reset", 8.0)

    def lost() -> Exception:
        panel.memory.objects["/dns"][0]["records"]["other"].append({"host": "other", "type": "A", "value": "192.0.2.9"})
        return reset()

    panel._lost = lost
    assert add(panel, 1, in_bulk=False)["changed"]
    began = panel.time.now
    panel.settle()
    assert "host1" in hosts(panel)
    assert began >= 1008.0


@BULK
@pytest.mark.parametrize("late", [None, 0.4, 10.0, 19.0])
@pytest.mark.parametrize("lost", LOST_WRITES)
def test_a_password_that_is_written_late_is_not_the_one_in_force(lost: str, late: float | None, in_bulk: bool) -> None:
    panel = losing(lost, late)
    for password in ("first-Password-1", "second-Password-2"):
        assert set_password(panel, password, in_bulk)["changed"]
    panel.settle()
    assert panel.memory.writes[-1] == ("PUT", "/emails/3", {"password": "second-Password-2"})


def test_another_field_is_written_again_at_once() -> None:
    panel = losing("503 with JSON", None)
    assert run(panel, "emails", in_bulk=False, email=ADDRESS, description="new")["changed"]
    assert panel.time.sleeps == [0.5]


@pytest.mark.parametrize("retry_time", [0, 5, 20])
def test_without_time_to_wait_nothing_is_sent_again(retry_time: float) -> None:
    panel = losing("reset", None)
    assert add(panel, 1, False, retry_time)["failed"]
    assert panel.memory.writes == []

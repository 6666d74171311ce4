"""Every operation that writes × what can become of its answer, alone and in bulk, on the panel in
memory and a clock of its own.

In the end nothing is there twice or lost, who ended well has done it and knows the password, who
failed says what is known, and the next run completes it: see tests/support/lost_answers.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.bulk_task import (
    build_resources_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._dns.zone_task import (
    build_dns_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from ansible_collections.hosting.panel.plugins.module_utils._object.object_task import (
    build_resource_operation,
)
from tests.support.lost_answers import Case, list_writing_operations, try_case
from tests.support.memory import CUT_OFF, RESET, TIMED_OUT, TIMEOUT, Loss, MemoryPlace, Session
from tests.support.operations import DOUBLED_BY_THE_PANEL
from tests.support.tasks import run_task
from tests.support.transcript import make_connection

pytestmark = pytest.mark.long

BULK = pytest.mark.parametrize("in_bulk", [False, True], ids=["single", "bulk"])
LOSSES = {
    "lost before its effect": Loss(RESET, None),
    "lost after its effect": Loss(RESET, 0.0, writes=2),
    "lost, with its effect while the task looks": Loss(RESET, 4.0),
    "waited for in vain, with its effect much later": Loss(TIMED_OUT, TIMEOUT + 9.0),
    "truncated": Loss(CUT_OFF, 0.0),
    "429": Loss("429", None),
    "a page with 500 after its effect": Loss("500 with HTML", 0.0),
    "503 before its effect": Loss("503 with JSON", None),
}
# What a panel makes twice is not sent again where nobody knows whether the first one still comes.
LEFT_OPEN = {
    f"{kind}: {verb}"
    for kind in DOUBLED_BY_THE_PANEL
    for verb in ("create", "create with a password")
}


@BULK
@pytest.mark.parametrize("name", LOSSES)
def test_every_operation_comes_through_it_and_keeps_every_promise(name: str, in_bulk: bool) -> None:
    every = list_writing_operations()
    assert len(every) > 40

    result = {
        operation.name: try_case(Case(operation, in_bulk, LOSSES[name], 60)) for operation in every
    }

    assert {
        operation: problems for operation, (_ended_well, problems) in result.items() if problems
    } == {}

    failed = {operation for operation, (ended_well, _problems) in result.items() if not ended_well}
    assert failed == (LEFT_OPEN & result.keys() if name == "lost before its effect" else set())


class Lossy:
    """A panel that loses an answer, and the tasks that run one after the other before what comes
    late has come."""

    def __init__(self, how: str, after: float | None, retry_time: float = 60) -> None:
        domains = [{"domain": "acme.example", "client": "acme"}]
        seed = {
            "clients": [{"username": "acme"}],
            "domains": domains,
            "emails": [{"email": "info@acme.example"}],
        }
        memory = MemoryPlace(seed, {"status_delay": 0.0})
        self.panel = memory.panel
        self.time = memory._clock
        self.http_session = Session(self.panel, self.time, Loss(how, after))
        settings = make_connection(retry_time=retry_time, timeout=TIMEOUT)
        self._session = PanelSession(
            settings,
            retry_budget=self.time.retry_budget(retry_time),
            http_session=self.http_session,
        )

    def run(self, plural: str, in_bulk: bool = False, **options: Any) -> dict[str, Any]:
        """Run the module of a kind, or its items."""
        operation = (
            build_dns_operation() if plural == "dns" else build_resource_operation(TABLES[plural])
        )
        if in_bulk:
            operation = build_resources_operation()
            options = {"resources": {plural: [options]}, "concurrency": 1}

        return run_task(operation, self._session, options)

    def add(self, number: int, in_bulk: bool = False) -> dict[str, Any]:
        """A record for a new host."""
        record = {"host": f"host{number}", "type": "A", "value": f"192.0.2.{number}"}
        return self.run("dns", in_bulk, domain="acme.example", records=[record])

    @property
    def writes(self) -> list[str]:
        """Return the requests that write."""
        return [
            f"{request['method']} {request['path']}"
            for request in self.http_session.log
            if request["method"] != "GET"
        ]


LOST = pytest.mark.parametrize(
    "how", [RESET, TIMED_OUT, "500 with HTML", "503 with HTML", "503 with JSON"]
)


@BULK
@pytest.mark.parametrize("late", [None, 0.4, 8.0, 19.0])
@LOST
def test_what_comes_late_takes_nothing_of_a_later_write_away(
    how: str, late: float | None, in_bulk: bool
) -> None:
    zone, mailbox = Lossy(how, late), Lossy(how, late)
    assert [zone.add(number, in_bulk)["changed"] for number in (1, 2)] == [True, True]

    for password in ("first-Password-1", "second-Password-2"):
        options = {"email": "info@acme.example", "password": password, "update_password": "always"}
        assert mailbox.run("emails", in_bulk, **options)["changed"]

    for panel in (zone, mailbox):
        panel.http_session.end()

    hosts = {
        record["host"]
        for record in zone.run("dns", domain="acme.example")["dns"]["records"]["other"]
    }

    assert {"host1", "host2"} <= hosts

    (kept,) = mailbox.panel.store.list_all("emails")
    assert kept.hidden["password"] == "second-Password-2"


@BULK
@pytest.mark.parametrize("late", [None, 0.4, 8.0, 14.0, 19.0])
@LOST
def test_a_change_that_comes_late_undoes_nothing_of_the_next_task(
    how: str, late: float | None, in_bulk: bool
) -> None:
    panel = Lossy(how, late)

    for text in ("first", "second"):
        assert panel.run("emails", in_bulk, email="info@acme.example", description=text)["changed"]
    panel.http_session.end()

    (kept,) = panel.panel.store.list_all("emails")
    assert kept.data["description"] == "second"


@BULK
@pytest.mark.parametrize("late", [None, 0.4, 8.0, 14.0, 19.0])
@LOST
def test_a_creation_that_comes_late_brings_nothing_back(
    how: str, late: float | None, in_bulk: bool
) -> None:
    panel = Lossy(how, late)

    for state in ("present", "absent"):
        options = {"email": "new@acme.example", "state": state}
        assert panel.run("emails", in_bulk, **options)["changed"]
    panel.http_session.end()

    assert [entry.data["email"] for entry in panel.panel.store.list_all("emails")] == [
        "info@acme.example"
    ]


@LOST
def test_a_deletion_that_comes_late_takes_no_new_object_away(how: str) -> None:
    panel = Lossy(how, 14.0, retry_time=0)

    assert panel.run("emails", email="info@acme.example", state="absent")["failed"]
    panel.run("emails", email="info@acme.example")
    panel.http_session.end()

    assert [entry.data["email"] for entry in panel.panel.store.list_all("emails")] == [
        "info@acme.example"
    ]


def test_a_failed_task_ends_when_nothing_of_it_can_come() -> None:
    panel = Lossy(RESET, 14.0, retry_time=0)

    assert panel.run("emails", email="info@acme.example", description="first")["failed"]
    assert panel.run("emails", email="info@acme.example", description="second")["changed"]
    panel.http_session.end()

    (kept,) = panel.panel.store.list_all("emails")
    assert kept.data["description"] == "second"


def test_nobody_waits_longer_than_it_takes_to_know() -> None:
    lossy = Lossy(RESET, 0.4)
    lossy.add(1)

    assert len(lossy.writes) == 1
    assert lossy.time.sleeps == [0.5]

    created = Lossy(RESET, 0.0)
    assert created.run("emails", email="new@acme.example")["changed"]
    assert created.time.sleeps == []

    for late in (None, 0.0):
        deleted = Lossy(RESET, late)
        assert deleted.run("emails", email="info@acme.example", state="absent")["changed"]
        assert deleted.time.sleeps == [0.5]


@pytest.mark.parametrize("options", [{"email": "new@acme.example"}, {"description": "new"}])
def test_a_task_ends_twenty_seconds_after_a_write_that_it_had_to_repeat(
    options: dict[str, str],
) -> None:
    panel = Lossy("503 with JSON", None)
    begin = panel.time.now

    assert panel.run("emails", **{"email": "info@acme.example", **options})["changed"]

    assert panel.time.sleeps[0] == 0.5
    assert panel.time.now - begin == pytest.approx(20, abs=0.2)


def test_a_task_whose_time_is_over_says_that_something_may_come() -> None:
    panel = Lossy("503 with JSON", None)
    panel._session.is_over = lambda: panel.time.sleeps[-1:] == [1.0]

    result = panel.run("emails", email="info@acme.example", description="new")

    assert result["changed"]
    (warning,) = result["warnings"]
    assert warning == (
        "The panel did not say what became of a write of this task, whose time is over. For 19 s "
        "more it may take effect over what a later task writes."
    )


@pytest.mark.parametrize("retry_time", [0, 5, 20])
def test_without_time_to_wait_a_zone_is_not_sent_again(retry_time: float) -> None:
    panel = Lossy(RESET, None, retry_time)
    assert panel.add(1)["failed"]
    assert len(panel.writes) == 1


TASK = {"client": "acme", "description": "nightly", "type": "exec", "command": "/www/x"}


@pytest.mark.parametrize("late", [3.0, 9.0])
def test_what_may_be_doubled_is_looked_for_where_its_answer_was_lost(late: float) -> None:
    panel = Lossy(RESET, late, 30)

    assert panel.run("scheduled_tasks", **TASK)["changed"]
    assert panel.writes == ["POST /scheduled-tasks"]


def test_what_may_be_doubled_is_sent_again_after_an_answer() -> None:
    panel = Lossy("503 with JSON", None)
    begin = panel.time.now

    assert panel.run("scheduled_tasks", **TASK)["changed"]
    assert panel.time.now - begin == pytest.approx(28, abs=1)


def test_what_may_be_doubled_is_not_sent_again_where_the_time_is_short() -> None:
    panel = Lossy("503 with JSON", None, 12)

    result = panel.run("scheduled_tasks", **TASK)

    begins_to_wait = panel.time.sleeps.index(1.0, 2)
    assert sum(panel.time.sleeps[:begins_to_wait]) <= 12
    assert len(panel.writes) == 1
    assert result["msg"] == (
        'scheduled task acme:nightly: it is not there yet: POST /scheduled-tasks failed (503): "The panel is in trouble." It may have been '
        "created. Run the task again in a few minutes."
    )

"""Every kind × every verb × every request of the task × every answer that is none.

What the message of the failed task says.

It names the object, has at most three sentences beside the panel's own, says what was written and
never denies what was, does not doubt the address of a panel that has answered, and says that the
task can be run again; alone and as an item of panel_resources.
"""

from __future__ import annotations

import functools
import importlib
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from panel_simulator.answering import Reply
from tests.support.lost_answers import list_writing_operations
from tests.support.memory import TIMEOUT, MemoryPlace
from tests.support.operations import Operation, make_world
from tests.support.struck_answers import ANSWERS, Strike, StruckSession, Told, get_request
from tests.support.tasks import run_task
from tests.support.transcript import make_connection

pytestmark = pytest.mark.long

RETRY_TIME = 3
_MODULES = "ansible_collections.hosting.panel.plugins.modules."
READ = "read"
# One of each sort.
FEW = frozenset(
    {
        "a refusal",
        "a key that is not known",
        "an error of the panel",
        "a page of a firewall",
        "a page of an error",
        "a page that is a success",
        "truncated",
        "an envelope",
        "reset",
        "no connection",
    }
)


def _get_subject(operation: Operation) -> str:
    """What a message about it has to name."""
    kind = KINDS[operation.kind]
    key = kind.format_key(operation.options)
    title = "zone" if operation.kind == "dns" else kind.title
    return f"{title} {key}"


def _list_reads() -> Iterator[Operation]:
    """The info modules: of one object by its name."""
    for operation in list_writing_operations():
        kind = KINDS[operation.kind]
        if operation.verb in ("deleted", "delete"):
            key = {name: operation.options[name] for name in kind.key_options}
            yield Operation(READ, f"{kind.module}_info", operation.kind, key, operation.existing)
            if operation.kind == "clients":
                yield Operation(
                    "read the login of", "panel_login_info", operation.kind, key, operation.existing
                )


class Place(MemoryPlace):
    """A panel in memory, and tasks of which one request is struck."""

    def __init__(self) -> None:
        super().__init__(make_world(), {"status_delay": 0.0})
        self.first = self.get_state()

    def run_struck(
        self, operation: Operation, in_bulk: bool, strike: Strike | None
    ) -> tuple[dict[str, Any], list[Any], bool]:
        """The result of a task, its requests, and whether it changed the panel."""
        self.put(self.first, operation.existing)
        before = self.get_state()
        module = operation.module
        options = dict(operation.options)

        if in_bulk:
            module = "panel_resources"
            options = {
                "resources": {operation.kind: [options]},
                "max_deletes": 50,
                "concurrency": 1,
            }

        http_session = StruckSession(self.panel, self._clock, None)
        http_session.strike = strike
        settings = make_connection(retry_time=RETRY_TIME, timeout=TIMEOUT)
        session = PanelSession(settings, self._clock.retry_budget(RETRY_TIME), http_session)
        result = run_task(importlib.import_module(_MODULES + module).OPERATION, session, options)

        return result, http_session.log, self.get_state() != before


@functools.cache
def _make_panel() -> Place:
    return Place()


def _list_strikes(requests: list[Mapping[str, Any]], in_bulk: bool) -> Iterator[tuple[str, Strike]]:
    """Each request of a task with each answer, for writes also after their effect.

    Reads that all tasks share with a few.
    """
    for number, (name, answer) in itertools.product(range(1, len(requests) + 1), ANSWERS.items()):
        method, path = get_request(requests, number)
        if method == "GET" and (in_bulk or number > 2) and name not in FEW:
            continue
        has_none = name == "no connection" or (
            isinstance(answer, Reply) and 400 <= answer.status < 500
        )
        for takes_effect in (False,) if method == "GET" or has_none else (False, True):
            yield name, Strike(number, method, path, answer, takes_effect)


OPERATIONS = [*list_writing_operations(), *_list_reads()]


def _find_mistakes(
    operation: Operation, in_bulk: bool, name: str, strike: Strike, outcome: tuple[Any, Any, bool]
) -> list[str]:
    """What is wrong with the message of a task of which one request was struck."""
    result, _log, has_changed = outcome
    answer = strike.answer
    is_said = isinstance(answer, Reply) and b'"code"' in answer.body
    failure = Told(
        message=result["msg"],
        subject=_get_subject(operation),
        answer=name,
        is_write=strike.method != "GET",
        has_changed=has_changed,
        is_known=strike.number > 1 or is_said,
        writes=not operation.module.endswith("_info"),
    )

    # A list is read for all items.
    if in_bulk and strike.method == "GET" and not result.get("results"):
        return [text for text in failure.find_mistakes() if not text.startswith("does not name")]
    return list(failure.find_mistakes())


@pytest.mark.parametrize("in_bulk", [False, True], ids=["alone", "in bulk"])
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_a_failure_names_its_object_says_what_was_written_and_doubts_no_panel(
    operation: Operation, in_bulk: bool
) -> None:
    if in_bulk and operation.module.endswith("_info"):
        pytest.skip("panel_resources_info has no objects of its own")

    _result, requests, _changed = _make_panel().run_struck(operation, in_bulk, None)
    wrong = {}

    for name, strike in _list_strikes(requests, in_bulk):
        outcome = _make_panel().run_struck(operation, in_bulk, strike)
        if not outcome[0].get("failed"):
            continue
        mistakes = _find_mistakes(operation, in_bulk, name, strike, outcome)
        if mistakes:
            effect = "after its effect" if strike.takes_effect else ""
            request = f"{strike.method} {strike.path}: {name} {effect}".strip()
            wrong[request] = (mistakes, outcome[0]["msg"])

    assert wrong == {}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_reboot_that_fails_says_whether_the_panel_may_have_accepted_it(name: str) -> None:
    reboot = Operation("reboot", "panel_reboot", "", {"wait": False})
    result, _log, _changed = _make_panel().run_struck(
        reboot, False, Strike(1, "POST", "/server/reboot", ANSWERS[name])
    )

    if result.get("failed"):
        message = result["msg"]
        assert "created" not in message
        assert ("Nothing was written." in message) != (
            "The panel may have accepted the reboot." in message
        )

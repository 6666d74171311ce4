"""A creation whose answer is lost, and which takes effect seconds later: one object, and a password that is known or said to be lost."""

from __future__ import annotations

import random

import pytest

from tests.support.late_creations import CASES, LOST, WANTED, WORLD, check_creations, made, run
from tests.support.late_panel import LatePanel
from tests.support.memory_panel import MemoryPanel
from tests.support.simulated_time import SimulatedTime
from tests.support.transcript import reset


@pytest.mark.parametrize("in_bulk", [False, True], ids=["single", "bulk"])
@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize("plural", WANTED)
def test_a_creation_that_comes_late_is_one_object_with_a_known_password(plural: str, lost: str, in_bulk: bool) -> None:
    # Others for each; tests/reliability tries all of them.
    check_creations(plural, lost, in_bulk, random.Random(f"{plural} {lost} {in_bulk}").sample(CASES, 6))


@pytest.mark.parametrize("plural", ["directory_protections", "scheduled_tasks"])
@pytest.mark.parametrize("late", [3.0, 9.0])
def test_what_may_be_doubled_is_looked_for_while_there_is_time(plural: str, late: float) -> None:
    panel = LatePanel(MemoryPanel(WORLD), SimulatedTime(), reset, late)
    result, _password = run(panel, plural, 30, in_bulk=False)
    assert result["changed"], result
    assert len([call for call in panel.memory.writes if call[0] == "POST"]) == 1


@pytest.mark.parametrize("plural", ["databases", "directory_protections", "scheduled_tasks"])
def test_what_may_be_doubled_is_sent_again_after_an_answer_when_it_has_not_come_for_a_while(plural: str) -> None:
    panel = LatePanel(MemoryPanel(WORLD), SimulatedTime(), LOST["503 with JSON"], None)
    began = panel.time.now
    result, _password = run(panel, plural, 60, in_bulk=False)
    assert (result["changed"], len(made(panel, plural))) == (True, 1)
    assert panel.time.now - began == 28.0


@pytest.mark.parametrize("plural", ["emails", "domains"])
def test_what_a_panel_refuses_twice_is_sent_again_at_once_after_an_answer(plural: str) -> None:
    panel = LatePanel(MemoryPanel(WORLD), SimulatedTime(), LOST["503 with JSON"], None)
    run(panel, plural, 60, in_bulk=False)
    assert (panel.time.sleeps, len(made(panel, plural))) == ([0.5], 1)


def test_without_time_to_look_for_it_nothing_is_sent_again_after_an_answer() -> None:
    panel = LatePanel(MemoryPanel(WORLD), SimulatedTime(), LOST["503 with JSON"], None)
    result, _password = run(panel, "scheduled_tasks", 12, in_bulk=False)
    assert sum(panel.time.sleeps) <= 12
    assert panel.memory.writes == []
    assert result["msg"] == (
        'scheduled task acme:nightly: POST /scheduled-tasks failed (503): "Later." It is not there yet. It may have been created. '
        "Run the task again in a few minutes; it looks before it creates."
    )

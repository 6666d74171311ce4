"""When a request is repeated, and how long a task may go on repeating."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._http.repeats import DECISIONS, FIRST_WAIT, Decision, Fault
from tests.support.simulated_time import SimulatedTime

ASK, FAIL, ONCE, REPEAT = Decision.ASK, Decision.FAIL, Decision.REPEAT_ONCE, Decision.REPEAT


def test_waits_grow_and_then_stay(time: SimulatedTime) -> None:
    patience = time.patience(60)
    for repeat in range(1, 8):
        assert patience.wait(repeat)
    assert time.sleeps == [0.5, 1.0, 2.0, 4.0, 5.0, 5.0, 5.0]


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_waits_are_spread_so_that_many_tasks_do_not_come_back_at_once(time: SimulatedTime, spread: float) -> None:
    assert time.patience(60, spread).wait(1)
    assert time.sleeps == [FIRST_WAIT * (0.8 + 0.4 * spread)]


@pytest.mark.parametrize(
    ("spread", "at_least", "seconds"), [(0.0, None, 22.0), (1.0, None, 33.0), (0.5, 3.0, 27.5), (0.5, 29.0, 29.0)]
)
def test_a_write_cannot_take_effect_any_more_after_at_least_twenty_seconds(
    time: SimulatedTime, spread: float, at_least: float | None, seconds: float
) -> None:
    assert time.patience(60, spread).wait_until_through(at_least)
    assert time.sleeps == [pytest.approx(seconds)]


def test_retry_after_is_the_least_wait(time: SimulatedTime) -> None:
    assert time.patience(60).wait(1, at_least=17.0)
    assert time.sleeps == [17.0]


def test_a_retry_after_beyond_the_time_left_ends_the_repeats_without_waiting(time: SimulatedTime) -> None:
    assert not time.patience(60).wait(1, at_least=61.0)
    assert time.sleeps == []


def test_what_one_request_spends_another_does_not_have(time: SimulatedTime) -> None:
    patience = time.patience(10)
    while patience.wait(4):
        pass
    spent = sum(time.sleeps)
    assert not patience.wait(4)
    assert sum(time.sleeps) == spent == 8.0


def test_what_was_in_doubt_and_ended_well_gives_all_the_time_back(time: SimulatedTime) -> None:
    patience = time.patience(30)
    for _doubt in range(5):
        assert patience.wait_until_through()
        patience.calm()
        patience.begin_anew()
    assert patience.remaining() == 30


def test_the_time_between_two_reloads_is_not_counted(time: SimulatedTime) -> None:
    patience = time.patience(10)
    assert patience.wait(4)
    patience.calm()
    time.now += 3600
    assert patience.remaining() == 6.0
    assert patience.wait(4)


def test_the_time_of_failing_attempts_is_counted(time: SimulatedTime) -> None:
    patience = time.patience(10)
    assert patience.wait(1)
    time.now += 9.6
    assert not patience.wait(1)


@given(
    retry_time=st.floats(0, 120),
    spread=st.floats(0, 1),
    attempts=st.lists(st.tuples(st.floats(0, 40), st.one_of(st.none(), st.floats(0, 30))), max_size=40),
)
def test_no_sleep_is_longer_than_what_is_left(
    retry_time: float, spread: float, attempts: list[tuple[float, float | None]]
) -> None:
    time = SimulatedTime()
    patience = time.patience(retry_time, spread)
    start = time.now
    for repeat, (seconds, at_least) in enumerate(attempts, start=1):
        left = retry_time - (time.now - start)
        slept = len(time.sleeps)
        if not patience.wait(repeat, at_least):
            assert len(time.sleeps) == slept
            break
        assert time.sleeps[-1] <= left + 1e-6
        time.now += seconds


@pytest.mark.parametrize(
    ("fault", "get", "put", "delete", "post"),
    [
        (Fault.NOT_SENT, REPEAT, REPEAT, REPEAT, REPEAT),
        (Fault.NO_SUCH_HOST, ONCE, ONCE, ONCE, ONCE),
        (Fault.BUSY, REPEAT, REPEAT, REPEAT, REPEAT),
        (Fault.NOT_SERVED, REPEAT, REPEAT, REPEAT, ASK),
        (Fault.LOST_ANSWER, REPEAT, REPEAT, REPEAT, ASK),
        (Fault.FAILED, ONCE, FAIL, FAIL, FAIL),
    ],
)
def test_the_table_of_repeats(fault: Fault, get: Decision, put: Decision, delete: Decision, post: Decision) -> None:
    assert [DECISIONS[method][fault] for method in ("GET", "PUT", "DELETE", "POST")] == [get, put, delete, post]

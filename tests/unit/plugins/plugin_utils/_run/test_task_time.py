"""The alarm that Ansible sets for a task with a timeout, while a module runs in process."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._run.in_process import alarm_noted, time_is_over


class RangError(Exception):
    """What Ansible raises at the alarm, for these tests."""


@pytest.fixture
def alarm() -> Iterator[None]:
    def ring(_number: int, _frame: object) -> None:
        raise RangError

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def ring() -> None:
    """As at the end of the time."""
    signal.alarm(0)
    signal.raise_signal(signal.SIGALRM)


@pytest.mark.usefixtures("alarm")
def test_an_alarm_is_noted_while_a_runs_and_is_ansibles_again_afterwards() -> None:
    with alarm_noted():
        assert not time_is_over.is_set()
        ring()
        assert time_is_over.is_set()
    with pytest.raises(RangError):
        signal.raise_signal(signal.SIGALRM)


@pytest.mark.usefixtures("alarm")
def test_the_time_stays_over_for_the_other_modules_of_the_task_and_not_for_the_next_task() -> None:
    with alarm_noted():
        ring()
    with alarm_noted():
        assert time_is_over.is_set()
    signal.alarm(60)
    with alarm_noted():
        assert not time_is_over.is_set()

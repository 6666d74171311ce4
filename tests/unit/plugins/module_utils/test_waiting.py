"""Waiting until the panel has applied a change: until status 1, never past the time, and failing on status 2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._object.managing import OKAY, NotApplied, wait_until_applied
from tests.support.simulated_time import SimulatedTime


def wait(time: SimulatedTime, *statuses: Any, timeout: float = 120) -> int:
    """Waits for an object that shows these statuses, the last of them for ever."""
    answers: Iterator[Mapping[str, Any]] = iter([{"status": status} for status in statuses])
    last: dict[str, Any] = {}

    def read() -> Mapping[str, Any]:
        last.update(next(answers, last))
        return last

    return wait_until_applied(read, "the domain shop.example", timeout, time.sleep, time.clock)


def test_it_waits_a_second_between_two_looks(time: SimulatedTime) -> None:
    assert wait(time, 3, 3, 4, 0, 1) == OKAY
    assert time.sleeps == [1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("statuses", [(2,), (3, 2)])
def test_an_error_of_the_panel_ends_it_at_once(time: SimulatedTime, statuses: tuple[int, ...]) -> None:
    with pytest.raises(NotApplied) as caught:
        wait(time, *statuses)
    assert "status 2 (error)" in caught.value.message
    assert "the object exists" in caught.value.message
    assert caught.value.details == {"status": 2}


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (3, "status 3, config_new"),
        (4, "status 4, config_update"),
        (0, "status 0, unknown"),
        (None, "not shown"),
        (17, "not shown"),
        ("1", "not shown"),
    ],
)
def test_the_time_ends_it_with_the_last_status(time: SimulatedTime, status: Any, words: str) -> None:
    start = time.now
    with pytest.raises(NotApplied) as caught:
        wait(time, status, timeout=10)
    assert words in caught.value.message
    assert "within 10 s" in caught.value.message
    assert "wait_timeout" in caught.value.message
    assert caught.value.details == {"status": status}
    assert 9 <= time.now - start <= 10

"""Tells whether the time that something takes on a text grows as the text's length does.

Times are compared with one another alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable

LENGTHS = (250, 1_000, 4_000, 16_000)
"""Each four times the one before: in a time as the length's, the last takes four times the one before it, in the square of it 16 times."""
_MOST_TIMES = 9.0
_UNNOTICED = 0.004
_BEYOND_ALL = 1.0
_TRIES = 4


def _measure_seconds(work: Callable[[str], object], text: str) -> float:
    begin = time.process_time()
    work(text)
    return time.process_time() - begin


def is_quick(work: Callable[[str], object], text_of: Callable[[int], str]) -> bool:
    """Return whether a text is done so soon that no square of its length can be in it."""
    return all(_measure_seconds(work, text_of(length)) < _UNNOTICED / 4 for length in LENGTHS[:3])


def measure_growth(work: Callable[[str], object], text_of: Callable[[int], str]) -> float:
    """Return how many times longer a text of four times the length takes.

    0 where nobody would notice.

    text_of: makes a text of about so many characters. A machine with other work is asked again, and
    the best answer counts.
    """
    best = float("inf")
    for _try in range(_TRIES):
        before = 0.0
        for length in LENGTHS:
            seconds = _measure_seconds(work, text_of(length))
            if seconds > _BEYOND_ALL:
                break
            ratio = seconds / before if before else 0.0
            before = seconds
        if seconds > _BEYOND_ALL:
            continue
        if seconds < _UNNOTICED:
            return 0.0
        best = min(best, ratio)
        if best < _MOST_TIMES:
            break

    return best


def is_linear(work: Callable[[str], object], text_of: Callable[[int], str]) -> bool:
    """Return whether the time grows as the length does."""
    return is_quick(work, text_of) or measure_growth(work, text_of) < _MOST_TIMES

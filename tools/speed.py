# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many cores there are for the steps, and how much slower than a quiet machine this one is at the moment."""

from __future__ import annotations

import os
import time

AT_ONCE = "HOSTING_PANEL_STEPS_AT_ONCE"
"""The environment variable that says how many steps run side by side."""
REFERENCE_SECONDS = 0.25
"""What `slowness` measures on the quiet machine on which the limits of the steps were chosen."""
_NUMBERS = 4_000_000


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def workers() -> int:
    """Return over how many processes a step may spread its tests, so that all steps together use every core once."""
    return max(1, cores() // int(os.environ.get(AT_ONCE, "1")))


def slowness() -> float:
    """Return how many times as long as on the quiet machine a piece of work takes now, and at least 1."""
    begin = time.monotonic()
    sum(number * number for number in range(_NUMBERS))
    return max(1.0, (time.monotonic() - begin) / REFERENCE_SECONDS)

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How busy other programs kept the machine during a measurement, where the system has /proc."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path

STATISTICS = Path("/proc/stat")
# Positions in the line "cpu": user, nice, system, irq, softirq.
BUSY = (0, 1, 2, 5, 6)


class ForeignLoad:
    """Processors that others kept busy since the start, on average. Children that have not ended count as others."""

    def __init__(self) -> None:
        """Start."""
        self._begin = (time.monotonic(), _machine(), _own())

    def processors(self) -> float | None:
        """Return the average, None where the system does not tell."""
        begin, machine, own = self._begin
        if machine is None or (machine_now := _machine()) is None:
            return None
        return max(0.0, (machine_now - machine) - (_own() - own)) / (time.monotonic() - begin)


def _machine() -> float | None:
    try:
        counts = STATISTICS.read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    except OSError:
        return None
    return sum(int(counts[position]) for position in BUSY) / os.sysconf("SC_CLK_TCK")


def _own() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)

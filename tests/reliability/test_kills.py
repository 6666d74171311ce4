# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One killed apply of 300 objects is completed by the next runs; many more, with other kills, are in tests/integration."""

from __future__ import annotations

from tools.reliability import kills
from tools.reliability.figures import Size


def test_a_killed_run_is_completed_by_the_next_one() -> None:
    (row,) = kills.run(Size.SLICE)
    assert list(row.wrong) == []
    assert (row.tried, row.survived, row.lost, row.doubled) == (1, 1, 0, 0)
    assert int(row.remark.split()[0]) >= 1

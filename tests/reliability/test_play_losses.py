# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles whose requests fail, and have their effect late, end well or say what is not known, and the next run completes them."""

from __future__ import annotations

from tools.reliability import play_losses
from tools.reliability.figures import Size


def test_a_run_that_loses_a_write_or_its_reads_is_completed_by_the_next_one() -> None:
    late, failing = play_losses.run(Size.SLICE)
    assert [*late.wrong, *failing.wrong] == []
    assert late.tried + failing.tried == len(play_losses.SLICE)
    assert (failing.tried, failing.survived) == (1, 1)
    assert late.failed_loudly, "a write that may not be sent again fails its run"

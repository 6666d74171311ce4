"""Runs of the role certificate that are killed in the middle are completed by the next one."""

from __future__ import annotations

from tools.reliability import certificate_kills
from tools.reliability.figures import Size


def test_a_killed_run_is_completed_by_the_next_one_and_leaves_nothing_behind() -> None:
    (row,) = certificate_kills.run(Size.SLICE)
    assert list(row.wrong) == []
    assert row.tried == row.survived == len(certificate_kills.SLICE)

"""Runs that are killed after one of their writes, or before one of their files, are completed by the next ones."""

from __future__ import annotations

from tools.reliability import kills
from tools.reliability.figures import Size
from tools.reliability.play_operations import play_operations


def test_a_killed_run_is_completed_by_the_next_one() -> None:
    (row,) = kills.run(Size.SLICE)
    assert list(row.wrong) == []
    assert row.tried == row.survived == sum(len(points) for kinds in kills.SLICE.values() for points in kinds.values())


def test_the_slice_names_operations() -> None:
    assert set(kills.SLICE) <= {operation.name for operation in play_operations()}

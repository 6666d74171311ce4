"""Runs that are killed, have no room for a file or meet another run lose nothing and double nothing: a slice of each experiment."""

from __future__ import annotations

from tools.reliability import disturbed
from tools.reliability.figures import Size
from tools.reliability.play_operations import play_operations


def test_a_killed_run_is_completed_by_the_next_one() -> None:
    (row,) = disturbed.kills(Size.SLICE)
    assert list(row.wrong) == []
    assert (
        row.tried
        == row.survived
        == sum(len(points) for kinds in disturbed.KILLED.values() for points in kinds.values())
    )


def test_a_full_disk_costs_nothing_and_is_named() -> None:
    (row,) = disturbed.full_disk(Size.SLICE)
    assert list(row.wrong) == []
    assert row.tried == row.failed_loudly == len(disturbed.LEVELS) * sum(map(len, disturbed.FULL.values()))


def test_hosts_at_once_end_as_one_after_the_other() -> None:
    (row,) = disturbed.writers(Size.SLICE)
    assert list(row.wrong) == []
    assert row.tried == len(disturbed.SHARED) + len(disturbed.TWICE)
    assert row.survived >= len(disturbed.SHARED), "only one of two runs may have to run again"


def test_the_slices_name_operations() -> None:
    assert {*disturbed.KILLED, *disturbed.FULL, *disturbed.TWICE} <= {operation.name for operation in play_operations()}

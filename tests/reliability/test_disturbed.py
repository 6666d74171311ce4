"""Runs that are killed or meet another run lose nothing and double nothing: a slice of two experiments, which a release runs whole."""

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


def test_hosts_at_once_end_as_one_after_the_other() -> None:
    (row,) = disturbed.writers(Size.SLICE)
    assert list(row.wrong) == []
    assert row.tried == len(disturbed.SHARED) + len(disturbed.TWICE)
    assert row.survived >= len(disturbed.SHARED), "only one of two runs may have to run again"


def test_the_slices_name_operations() -> None:
    assert {*disturbed.KILLED, *disturbed.FULL, *disturbed.TWICE} <= {operation.name for operation in play_operations()}

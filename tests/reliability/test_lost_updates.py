"""A slice of the races with another writer of a zone loses nothing of either side."""

from __future__ import annotations

import pytest

from tools.reliability import lost_updates
from tools.reliability.figures import Row, Size


@pytest.fixture(scope="module")
def row() -> Row:
    """The slice."""
    (row,) = lost_updates.run(Size.SLICE)
    return row


def test_nothing_of_either_side_is_lost(row: Row) -> None:
    assert list(row.wrong) == []
    assert row.lost == 0


def test_many_races_end_well(row: Row) -> None:
    assert row.tried == 32
    # A write that a reload met needs more time to be told than a race has.
    assert row.tried > row.survived > row.tried / 3
    assert row.failed_loudly > 0


def test_the_experiment_can_see_a_loss(row: Row) -> None:
    assert "4 of 4 overwritten" in row.remark

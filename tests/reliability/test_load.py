"""A slice of the large panel and of many plays at once: every result is right."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tools.reliability import load
from tools.reliability.figures import Row, Size


@pytest.fixture(scope="module")
def rows() -> Sequence[Row]:
    """The slice."""
    return load.run(Size.SLICE)


def test_all_of_a_large_panel_is_read_and_managed_right(rows: Sequence[Row]) -> None:
    assert list(rows[0].wrong) == []
    assert rows[0].tried >= 15


def test_plays_at_once_end_right_while_the_panel_fails(rows: Sequence[Row]) -> None:
    assert list(rows[1].wrong) == []
    assert (rows[1].lost, rows[1].doubled) == (0, 0)
    struck = int(rows[1].remark.split()[0])
    assert struck >= 20

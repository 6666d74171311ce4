"""Hosts of one play that write the same things at once lose nothing and double nothing."""

from __future__ import annotations

from tools.reliability import writers
from tools.reliability.figures import Size


def test_hosts_at_once_end_as_one_after_the_other() -> None:
    (row,) = writers.run(Size.SLICE)
    assert list(row.wrong) == []
    assert row.tried == len(writers.SLICE) + len(writers.TWICE)
    assert row.survived >= len(writers.SLICE), "only one of two runs may have to run again"

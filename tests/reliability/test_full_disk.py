"""Where there is no room for a file, the run fails before it costs anything, and says which file it was."""

from __future__ import annotations

from tools.reliability import full_disk
from tools.reliability.figures import Size


def test_a_full_disk_costs_nothing_and_is_named() -> None:
    (row,) = full_disk.run(Size.SLICE)
    assert list(row.wrong) == []
    assert row.tried == row.failed_loudly == len(full_disk.LEVELS) * sum(map(len, full_disk.SLICE.values()))

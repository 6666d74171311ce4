"""A slice of lost writes that take effect at any moment, at every retry_time, keeps every promise."""

from __future__ import annotations

from tools.reliability import late_commits
from tools.reliability.figures import Size


def test_no_late_effect_doubles_or_loses_anything() -> None:
    rows = late_commits.run(Size.SLICE)
    assert [line for row in rows for line in row.wrong] == []
    for row in rows:
        assert min(row.survived, row.failed_loudly) >= 10

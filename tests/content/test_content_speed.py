"""That the measurement of content works. No time is judged here."""

from __future__ import annotations

import pytest

from tests.support.needed import require_content_tools
from tools import content_speed
from tools.content_speed import CONTENTS, PASSES, PROGRAMS, Usage


@pytest.mark.parametrize(
    "kind",
    [
        kind if kind == "files" else pytest.param(kind, marks=pytest.mark.release)
        for kind in CONTENTS
    ],
)
def test_each_pass_is_measured_and_shown(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    require_content_tools(*PROGRAMS)
    content_speed.main(["--size", "0.5", "--runs", "1", "--only", kind])
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines[:-1]] == [f"{kind}, {name}" for name in PASSES]


def test_pass_that_does_not_do_its_work_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    require_content_tools(*PROGRAMS)
    monkeypatch.setitem(PASSES, "second copy", ("copy", True))
    with pytest.raises(RuntimeError, match="The second copy ended with"):
        content_speed.main(["--size", "0.5", "--runs", "1", "--only", "files"])


def test_what_is_added_is_a_part_of_the_time_of_the_tools() -> None:
    assert Usage(added=1.0, tools=20.0, start=9.0, megabytes=1.0).percent == pytest.approx(5.0)

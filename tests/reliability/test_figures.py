# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of the experiments, and when the command that prints it fails."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tools.reliability import run
from tools.reliability.figures import HEADINGS, Row, Size, Tried, remarks, row_of, table, with_panels_as_one
from tools.reliability.matrix import KILLED, matrix

GOOD = Row("faults", "a × b", tried=1200, survived=1000, failed_loudly=200, seconds=12.6)


def experiment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, row: Row) -> list[Size]:
    """Replaces all experiments by one that finds this row; the sizes that it is asked for."""
    sizes: list[Size] = []

    def found(size: Size) -> list[Row]:
        sizes.append(size)
        return [row]

    module = SimpleNamespace(run=found, __doc__="What it does.\n\nAnd how.", __name__="tools.reliability.faults")
    monkeypatch.setattr(run.importlib, "import_module", lambda _name: module)
    monkeypatch.setattr(run, "EXPERIMENTS", ("faults",))
    monkeypatch.setattr(run, "REPORT", tmp_path / "reliability.md")
    monkeypatch.setattr(run, "KEPT", tmp_path / "kept")
    return sizes


def test_the_table_is_aligned_and_keeps_its_columns() -> None:
    lines = table([GOOD, Row("x | y", "c", tried=1, survived=1)]).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert [cell.strip() for cell in lines[0].strip("| ").split(" | ")] == list(HEADINGS)
    assert lines[1].startswith("| ---")
    assert "| 1,200 |" in lines[2]
    assert lines[2].endswith("|      13 |")
    assert "x \\| y" in lines[3]


def test_rows_of_single_panels_are_one_in_the_table() -> None:
    panels = [Row("zoo", "c", tried=2, survived=1, failed_loudly=1, panel=name, wrong=(name,)) for name in ("x", "y")]
    first, one = with_panels_as_one([panels[0], GOOD, panels[1]])
    assert first == GOOD
    assert (one.experiment, one.tried, one.survived, one.failed_loudly, one.wrong) == ("zoo", 4, 2, 2, ["x", "y"])


def test_remarks_are_a_list_below_the_table() -> None:
    assert remarks([GOOD, Row("x", "c", tried=1, survived=1, remark="two words")]) == "- *x*: two words.\n"


@pytest.mark.parametrize("broken", [{"lost": 1}, {"doubled": 1}, {"leaked": 1}, {"wrong": ["late"]}])
def test_a_broken_promise_makes_the_command_fail(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], broken: dict[str, Any]
) -> None:
    experiment(monkeypatch, tmp_path, Row("faults", "a", tried=1, survived=0, **broken))
    assert run.main(["--quick"]) == 1
    assert ("WRONG faults: late" in capsys.readouterr().out) == ("wrong" in broken)


def test_a_whole_run_writes_the_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sizes = experiment(monkeypatch, tmp_path, GOOD)
    assert run.main([]) == 0
    assert sizes == [Size.FULL]
    page = (tmp_path / "reliability.md").read_text(encoding="utf-8")
    assert table([GOOD]) in page


@pytest.mark.parametrize("words", [["--quick"], ["--only", "faults"]])
def test_a_part_of_it_does_not_write_the_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[str]
) -> None:
    experiment(monkeypatch, tmp_path, GOOD)
    assert run.main(words) == 0
    assert not (tmp_path / "reliability.md").exists()


def test_the_page_is_written_from_the_last_whole_run_of_each(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    experiment(monkeypatch, tmp_path, GOOD)
    assert run.main(["--only", "faults"]) == 0
    assert run.main(["--only", "faults", "--page"]) == 0
    assert table([GOOD]) in (tmp_path / "reliability.md").read_text(encoding="utf-8")


def test_what_was_counted_by_operation_is_in_the_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    row = row_of("faults", "a", KILLED, [Tried("one", ("module panel_dns", "role site"), True, [])], 1.0)
    experiment(monkeypatch, tmp_path, row)
    assert run.main([]) == 0
    assert matrix([row]) in (tmp_path / "reliability.md").read_text(encoding="utf-8")


def test_experiments_side_by_side_are_rows_in_the_usual_order(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def imported(name: str) -> SimpleNamespace:
        rows = [Row(name.rpartition(".")[2], "a", tried=1, survived=1, promise=KILLED, covered={"role site": 1})]
        return SimpleNamespace(run=lambda _size: rows, __doc__="What it does.", __name__=name)

    experiment(monkeypatch, tmp_path, GOOD)
    monkeypatch.setattr(run.importlib, "import_module", imported)
    names = ("load", "fuzz", "faults", "canary")
    monkeypatch.setattr(run, "EXPERIMENTS", names)
    assert run.main([]) == 0
    page = (tmp_path / "reliability.md").read_text(encoding="utf-8")
    wanted = [Row(name, "a", tried=1, survived=1, promise=KILLED, covered={"role site": 1}) for name in names]
    assert table(wanted) in page
    assert table(wanted) in capsys.readouterr().out
    assert matrix(wanted) in page

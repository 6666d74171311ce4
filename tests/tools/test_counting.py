"""What `make test` counts: tests where there is a report of them, and otherwise the session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import test as runner

REPORT = (
    '<testsuites><testsuite><testcase name="good"/><testcase name="bad"><failure message="no&#10;way"/></testcase>'
    '<testcase name="left out"><skipped/></testcase></testsuite></testsuites>'
)


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "LOGS", tmp_path)
    monkeypatch.setattr(runner, "REPORTS", tmp_path)


def ended(
    monkeypatch: pytest.MonkeyPatch, folder: Path, result: str, report: str = "", ci: str = ""
) -> tuple[int, int]:
    """What is counted where nox says so of a session, and pytest wrote this report."""
    monkeypatch.setenv("CI", ci)

    def nox(*_words: object) -> float:
        if result:
            (folder / "unit.json").write_text(f'{{"sessions": [{{"result": "{result}"}}]}}', encoding="utf-8")
        if report:
            (folder / "unit.xml").write_text(report, encoding="utf-8")
        return 1.5

    monkeypatch.setattr(runner, "_run", nox)
    return runner.run(Path("python"), "unit", 1)[:2]


@pytest.mark.parametrize(
    ("result", "report", "ci", "counted"),
    [
        ("success", "", "", (1, 0)),
        ("failed", "", "", (0, 1)),
        ("failed", REPORT, "", (1, 1)),
        ("failed", REPORT.replace("failure", "properties"), "", (2, 1)),
        ("skipped", "", "", (0, 0)),
        ("skipped", "", "true", (0, 1)),
        ("", "", "", (0, 1)),
    ],
)
def test_a_session_counts_by_its_report_and_by_its_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, result: str, report: str, ci: str, counted: tuple[int, int]
) -> None:
    assert ended(monkeypatch, tmp_path, result, report, ci) == counted


def test_a_failed_test_is_named_in_a_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ended(monkeypatch, tmp_path, "failed", REPORT)
    (tmp_path / "unit.xml").write_text(REPORT, encoding="utf-8")
    assert runner._counted("unit", "unit.xml")[2] == ["unit: bad: no way"]

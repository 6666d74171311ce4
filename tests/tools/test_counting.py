"""What `make test` counts.

Tests where there is a report of them, and otherwise the session; `.ci/run` counts what its run of
make counted.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tools import test as runner
from tools.layout import ROOT

REPORT = (
    '<testsuites><testsuite><testcase name="good"/><testcase name="bad"><failure message="no&#10;way"/></testcase>'
    '<testcase name="left out"><skipped/></testcase></testsuite></testsuites>'
)


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let logs and reports go into folders of the test."""
    monkeypatch.setattr(runner, "LOGS", tmp_path)
    monkeypatch.setattr(runner, "REPORTS", tmp_path)


def count_ended_session(
    monkeypatch: pytest.MonkeyPatch, folder: Path, result: str, report: str = "", ci: str = ""
) -> tuple[int, int]:
    """Return what is counted where nox says so of a session, and pytest wrote this report."""
    monkeypatch.setenv("CI", ci)

    def imitate_nox(*_arguments: object, **_how: object) -> None:
        if result:
            (folder / "unit.json").write_text(
                f'{{"sessions": [{{"result": "{result}"}}]}}', encoding="utf-8"
            )
        if report:
            (folder / "unit.xml").write_text(report, encoding="utf-8")

    monkeypatch.setattr(subprocess, "run", imitate_nox)

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
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    result: str,
    report: str,
    ci: str,
    counted: tuple[int, int],
) -> None:
    assert count_ended_session(monkeypatch, tmp_path, result, report, ci) == counted


@pytest.mark.parametrize(
    ("session", "lines"),
    [("artifact", ["  | artifact/hosting-panel-1.0.0.tar.gz"]), ("unit", [])],
)
def test_a_session_that_builds_the_archive_says_where_it_is(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    session: str,
    lines: list[str],
) -> None:
    (tmp_path / "artifact").mkdir()
    (tmp_path / "artifact" / "hosting-panel-1.0.0.tar.gz").touch()
    monkeypatch.setattr(runner, "BUILD", tmp_path)
    monkeypatch.setattr(runner, "ROOT", tmp_path)
    monkeypatch.setattr(runner, "_run_nox", lambda *_arguments: None)
    (tmp_path / f"{session}.log").touch()

    runner.run(Path("python"), session, 1)

    assert [line for line in capsys.readouterr().out.splitlines() if "tar.gz" in line] == lines


def test_a_failed_test_is_named_in_a_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    count_ended_session(monkeypatch, tmp_path, "failed", REPORT)
    (tmp_path / "unit.xml").write_text(REPORT, encoding="utf-8")

    assert runner._count_tests("unit", "unit.xml")[2] == ["unit: bad: no way"]


# The last line of `.ci/run`


# Stands in for make: counts as a file named after the target says, and fails where it counts a
# failure or nothing.
MAKE = """#!/bin/sh
mkdir -p .build/log
cp "counted-$2" .build/log/closing-line 2>/dev/null || exit 2
grep -q ' 0 failed' .build/log/closing-line || exit 2
"""


@pytest.mark.parametrize(
    ("counted", "code", "last"),
    [
        ("12 passed, 0 failed\n", 0, "12 passed, 0 failed"),
        ("11 passed, 2 failed\n", 1, "11 passed, 2 failed"),
        (None, 1, "0 passed, 1 failed"),
    ],
)
def test_the_last_line_counts_the_run(
    tmp_path: Path, counted: str | None, code: int, last: str
) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    (tmp_path / "make").write_text(MAKE, encoding="utf-8")
    (tmp_path / "make").chmod(0o700)
    if counted is not None:
        (tmp_path / "counted-all").write_text(counted, encoding="utf-8")

    variables = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}

    done = subprocess.run(
        [tmp_path / ".ci" / "run"], env=variables, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout.splitlines()[-1]) == (code, last)


def test_the_whole_run_has_each_session_of_a_push_once() -> None:
    sessions = runner.GROUPS["all"]
    assert sorted(sessions) == sorted({*runner.GROUPS["test"], *runner.GROUPS["push"]})

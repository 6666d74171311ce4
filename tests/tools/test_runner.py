# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the runner of the steps counts, and how it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools import test as runner
from tools.steps import SUMMARY, Step

Run = Callable[..., tuple[int, list[str]]]
REPORT = '<testsuites><testsuite tests="5" failures="1" errors="1" skipped="1"/></testsuites>'


@dataclass(frozen=True)
class Fake:
    """A step that runs the code given."""

    name: str
    code: str
    minutes: float = 1


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run fake steps; return the exit code and the lines printed."""
    monkeypatch.setattr(runner, "LOGS", tmp_path / "log")
    monkeypatch.setattr(runner, "REPORTS", tmp_path / "report")
    monkeypatch.setattr(runner, "CLOSING_LINE", tmp_path / "log" / "closing-line")
    monkeypatch.setattr(runner, "environment", lambda binaries, **variables: os.environ | {"PYTHONPATH": str(tmp_path)})
    monkeypatch.setattr(runner.environments, "development", lambda: Path(sys.executable))
    monkeypatch.setattr(runner.signal, "signal", lambda *arguments: None)
    monkeypatch.setenv("CI", "")

    def _run(*fakes: Fake) -> tuple[int, list[str]]:
        for fake in fakes:
            (tmp_path / f"step_{fake.name}.py").write_text(fake.code, encoding="utf-8")
        steps = [Step(fake.name, "unit", (f"step_{fake.name}",), minutes=fake.minutes) for fake in fakes]
        monkeypatch.setattr(runner, "STEPS", steps)
        code = runner.main([])
        return code, capfd.readouterr().out.splitlines()

    return _run


def test_on_two_cores_three_steps_run_side_by_side_since_many_of_them_wait(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "cores", lambda: 2)
    meet = f"""
import pathlib, sys, time
here = pathlib.Path({str(tmp_path)!r})
pathlib.Path(here, sys.argv[0]).with_suffix(".here").touch()
begin = time.monotonic()
while len(list(here.glob("*.here"))) < 3:
    assert time.monotonic() < begin + 20
    time.sleep(0.05)
"""
    _code, lines = run(*(Fake(name, meet) for name in ("one", "another", "third")))

    assert lines[-1] == "3 passed, 0 failed"


def test_a_step_without_a_report_counts_as_one(run: Run) -> None:
    code, lines = run(Fake("good", "pass"), Fake("bad", "raise SystemExit(3)"))

    assert (code, lines[-1]) == (1, "1 passed, 1 failed")


def test_only_passing_steps_end_with_success(run: Run) -> None:
    code, lines = run(Fake("good", "pass"), Fake("fine", "pass"))

    assert (code, lines[-1]) == (0, "2 passed, 0 failed")


def test_the_tests_of_a_report_are_counted(run: Run, tmp_path: Path) -> None:
    write = f"open({str(tmp_path / 'report' / 'reporting.xml')!r}, 'w').write({REPORT!r}); raise SystemExit(1)"

    code, lines = run(Fake("reporting", write))

    assert (code, lines[-1]) == (1, "2 passed, 2 failed")


def test_failed_tests_are_named_before_the_closing_line(run: Run, tmp_path: Path) -> None:
    failure = '<failure message="assert [1]&#10;  == []"/>'
    case = f'<testcase classname="tests.unit.test_it" name="test_one">{failure}</testcase>'
    report = f'<testsuites><testsuite tests="1" failures="1" errors="0" skipped="0">{case}</testsuite></testsuites>'
    write = f"open({str(tmp_path / 'report' / 'reporting.xml')!r}, 'w').write({report!r}); raise SystemExit(1)"

    _code, lines = run(Fake("reporting", write), Fake("fine", "pass"))

    assert lines[-2:] == ["reporting: tests.unit.test_it, test_one: assert [1] == []", "1 passed, 1 failed"]


def test_a_step_that_fails_although_its_tests_pass_is_a_failure(run: Run, tmp_path: Path) -> None:
    report = REPORT.replace('failures="1" errors="1"', 'failures="0" errors="0"')
    write = f"open({str(tmp_path / 'report' / 'reporting.xml')!r}, 'w').write({report!r}); raise SystemExit(1)"

    code, lines = run(Fake("reporting", write))

    assert (code, lines[-1]) == (1, "4 passed, 1 failed")


def test_an_old_report_is_not_counted_again(run: Run, tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "good.xml").write_text(REPORT, encoding="utf-8")

    code, lines = run(Fake("good", "pass"))

    assert (code, lines[-1]) == (0, "1 passed, 0 failed")


@pytest.mark.parametrize(
    ("ci", "code", "closing_line"), [("", 0, "0 passed, 0 failed"), ("true", 1, "0 passed, 1 failed")]
)
def test_what_this_machine_cannot_run_is_named_and_fails_only_in_ci(
    run: Run, monkeypatch: pytest.MonkeyPatch, ci: str, code: int, closing_line: str
) -> None:
    monkeypatch.setenv("CI", ci)

    ended, lines = run(Fake("impossible", "print('no Python 1.5 here'); raise SystemExit(77)"))

    assert "NOT RUN: no Python 1.5 here" in lines[0]
    assert (ended, lines[-1]) == (code, closing_line)


def test_a_step_that_takes_too_long_is_named_as_stopped_and_the_run_fails(run: Run) -> None:
    code, lines = run(Fake("endless", "import time; time.sleep(60)", minutes=0.01))

    assert "STOPPED" in lines[0]
    assert "FAILED" not in lines[0]
    assert (code, lines[-1]) == (1, "0 passed, 1 failed")


def test_a_step_has_as_much_more_time_as_the_machine_is_slower(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "slowness", lambda: 1000.0)

    code, lines = run(Fake("slow", "import time; time.sleep(1)", minutes=0.01))

    assert (code, lines[-1]) == (0, "1 passed, 0 failed")


def test_what_no_group_is_named_for_is_what_belongs_to_make_test() -> None:
    names = {step.name for step in runner._chosen([])}

    assert {"integration", "coverage", "sanity 2.21", "mypy"} <= names
    assert names.isdisjoint({"unit", "sanity 2.16", "core 2.16"})
    assert {step.name for step in runner._chosen(["matrix"])} >= {"sanity 2.16", "core 2.16", "sanity 2.20"}


def test_a_step_that_leaves_a_process_behind_is_failed_and_the_process_is_named(run: Run) -> None:
    daemon = "import subprocess; subprocess.Popen(['sleep', '61'], start_new_session=True)"

    code, lines = run(Fake("untidy", daemon))

    assert "left running" in lines[0]
    assert "sleep 61" in lines[0]
    assert (code, lines[-1]) == (1, "1 passed, 1 failed")


def test_the_end_of_a_failed_steps_log_is_shown(run: Run) -> None:
    lines = run(Fake("bad", "print('the cause of it'); raise SystemExit(1)"))[1]

    assert "  | the cause of it" in lines


def test_of_a_failed_step_with_a_summary_only_that_is_shown(run: Run) -> None:
    lines = run(Fake("bad", f"print('noise'); print({SUMMARY!r}); print('the cause of it'); raise SystemExit(1)"))[1]

    assert "  | the cause of it" in lines
    assert "  | noise" not in lines

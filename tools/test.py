# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the steps of `make test`, or those of the groups named, in parallel lanes, and count.

There are three lanes for two cores, since many steps wait most of their time, and no more than six; with fewer steps than cores, each spreads
its tests over several.
The closing line counts tests where a step has a report of its tests, and otherwise the step as one.
A step that this machine cannot run is named; with CI=true it counts as failed.
"""

from __future__ import annotations

import math
import os
import re
import resource
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen, TimeoutExpired
from xml.etree import ElementTree

from tools import environments, not_run
from tools.layout import LOGS, REPORTS, ROOT, link_collection
from tools.processes import MarkedCommand
from tools.speed import AT_ONCE, cores, slowness
from tools.steps import GROUPS, STEPS, SUMMARY, Step
from tools.surroundings import environment

MOST_LANES = 6
LINES_OF_A_FAILURE = 60
LONGEST_MESSAGE = 400
SECONDS_TO_SETTLE = 2
CLOSING_LINE = LOGS / "closing-line"


@dataclass(frozen=True)
class Result:
    """What became of one step."""

    step: Step
    passed: int
    failed: int
    """With the step itself, where it was stopped."""
    is_stopped: bool
    skipped: int
    seconds: float
    remark: str
    log: Path
    broken: Sequence[str]
    """A line for each failed test that a report names."""


class Runner:
    """Runs steps, each with its log, and can stop all that are running."""

    def __init__(self, python: Path, lanes: int) -> None:
        """Take the interpreter of the development environment, and how many steps run side by side."""
        self.python = python
        self.variables = environment(python.parent, NO_COLOR="1", **{AT_ONCE: str(lanes)})
        self.stopping = threading.Event()
        self.running: set[MarkedCommand] = set()

    def run(self, step: Step) -> Result:
        """Run one step to its end and say what became of it."""
        log = LOGS / f"{step.name.replace(' ', '-')}.log"
        words = [str(self.python), "-m", *step.words]
        command = MarkedCommand(words, variables=self.variables, folder=ROOT)
        begin = time.monotonic()
        for report in _reports(step):
            report.unlink()
        with log.open("wb") as output:
            self.running.add(command)
            try:
                code = None if self.stopping.is_set() else _waited(command.start(output), step, begin)
            finally:
                left_behind = command.stop_everything(0 if self.stopping.is_set() else SECONDS_TO_SETTLE)
                self.running.discard(command)
        return _judged(step, code, left_behind, time.monotonic() - begin, log)

    def stop(self) -> None:
        """Make every running step end, and start no other."""
        self.stopping.set()
        while self.running:
            for command in list(self.running):
                command.stop_everything()
            time.sleep(0.1)


def _waited(process: Popen[bytes], step: Step, begin: float) -> int | None:
    """Return the exit code, or None where the step takes longer than a machine as slow as this one is now needs."""
    limit = step.minutes * 60
    while True:
        try:
            return process.wait(max(0.0, begin + limit - time.monotonic()))
        except TimeoutExpired:
            longer = step.minutes * 60 * slowness()
            if longer <= limit:
                return None
            limit = longer


def _judged(step: Step, code: int | None, left_behind: list[str], seconds: float, log: Path) -> Result:
    passed, failed, skipped = _counts(step)
    text = log.read_text(encoding="utf-8", errors="replace")
    remarks = []
    if code == not_run.EXIT_CODE:
        reason = text.strip().rpartition("\n")[2]
        remarks.append(f"NOT RUN: {reason}")
        failed += os.environ.get("CI", "").lower() == "true"
        skipped += 1
    elif code is None:
        failed += 1
        remarks.append("it ran out of time")
    elif code and not failed:
        failed += 1
    elif not passed and not failed:
        passed = 1
    if code is not None and left_behind:
        failed += 1
        remarks.append("left running: " + "; ".join(left_behind))
    if step.highlight and (found := re.search(step.highlight, text)):
        remarks.append(found[0])
    return Result(step, passed, failed, code is None, skipped, seconds, ", ".join(remarks), log, list(_broken(step)))


def _reports(step: Step) -> list[Path]:
    return list(REPORTS.glob(f"{step.name}*.xml"))


def _broken(step: Step) -> Iterator[str]:
    for report in _reports(step):
        for test in ElementTree.parse(report).getroot().iter("testcase"):
            for found in (*test.iter("failure"), *test.iter("error")):
                message = " ".join(found.get("message", "").split())
                yield f"{step.name}: {test.get('classname')}, {test.get('name')}: {message[:LONGEST_MESSAGE]}"


def _counts(step: Step) -> tuple[int, int, int]:
    """Return the passed, failed and skipped tests of the step's reports."""
    passed = failed = skipped = 0
    for report in _reports(step):
        for suite in ElementTree.parse(report).getroot().iter("testsuite"):
            wrong = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
            left_out = int(suite.get("skipped", 0))
            failed += wrong
            skipped += left_out
            passed += int(suite.get("tests", 0)) - wrong - left_out
    return passed, failed, skipped


def _show(result: Result) -> None:
    counts = [
        f"{number} {word}"
        for number, word in (
            (result.passed, "passed"),
            (result.failed - result.is_stopped, "FAILED"),
            (int(result.is_stopped), "STOPPED"),
            (result.skipped, "skipped"),
        )
        if number
    ]
    remark = f"  ({result.remark})" if result.remark else ""
    print(f"{result.step.name:<20} {', '.join(counts) or 'nothing':<28} {result.seconds:7.1f} s{remark}", flush=True)
    if result.failed:
        lines = _worth_showing(result.log.read_text(encoding="utf-8", errors="replace").splitlines())
        print(f"  --- end of {os.path.relpath(result.log, ROOT)}")
        print("\n".join(f"  | {line}" for line in lines))
        print("  ---", flush=True)


def _worth_showing(lines: list[str]) -> list[str]:
    if SUMMARY in lines:
        return lines[lines.index(SUMMARY) + 1 :]
    return lines[-LINES_OF_A_FAILURE:]


def _chosen(groups: list[str]) -> list[Step]:
    unknown = set(groups) - set(GROUPS)
    if unknown:
        sys.exit(f"Unknown group {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}.")
    return [step for step in STEPS if (step.group in groups if groups else step.in_test)]


def _close(passed: int, failed: int) -> int:
    line = f"{passed} passed, {failed} failed"
    CLOSING_LINE.write_text(line + "\n", encoding="utf-8")
    print(line, flush=True)
    return 1 if failed else 0


def _on_signal(number: int, _frame: object) -> None:
    raise KeyboardInterrupt(f"Stopped by signal {number}.")


def main(groups: list[str]) -> int:
    """Run the steps of these groups, or all, and return 0 when nothing failed."""
    steps = _chosen(groups)
    for folder in (LOGS, REPORTS):
        folder.mkdir(parents=True, exist_ok=True)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _on_signal)
    begin = time.monotonic()
    try:
        lanes = min(math.ceil(cores() * 1.5), MOST_LANES, len(steps))
        runner = Runner(environments.development(), lanes)
    except (environments.EnvironmentFailure, KeyboardInterrupt) as failure:
        print(str(failure) or "Interrupted.")
        return _close(0, 1)
    link_collection()
    results = []
    with ThreadPoolExecutor(lanes) as pool:
        try:
            for future in as_completed([pool.submit(runner.run, step) for step in steps]):
                results.append(future.result())
                _show(results[-1])
        except BaseException as reason:
            pool.shutdown(wait=False, cancel_futures=True)
            runner.stop()
            if not isinstance(reason, KeyboardInterrupt):
                raise
            print("Interrupted: every step was stopped.")
    unfinished = len(steps) - len(results)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{len(results)} of {len(steps)} steps in {(time.monotonic() - begin) / 60:.1f} minutes,"
        f" with {(used.ru_utime + used.ru_stime) / 60:.1f} of processor time; logs are in {os.path.relpath(LOGS, ROOT)}"
    )
    # Once more at the end, which is what is seen first, or kept where an output is cut.
    print("".join(f"{line}\n" for result in results for line in result.broken), end="")
    return _close(sum(result.passed for result in results), sum(result.failed for result in results) + unfinished)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Run the sessions of noxfile.py that a target of make names, three at once, and count: `python -m tools.test test`.

The closing line counts tests where a session has a report of them, and otherwise the session as one. With CI=true, what this machine cannot run
counts as failed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from tools import environments
from tools.environments import CONTROLLER_PYTHON
from tools.layout import BUILD, LOGS, REPORTS, ROOT, link_collection, make_environment

LANES = 3
"""Many sessions wait most of their time, so two cores take three."""
OLDEST_CORE, *BETWEEN, NEWEST_CORE = CONTROLLER_PYTHON
# The long ones first, so that the lanes end at about the same time.
GROUPS: dict[str, tuple[str, ...]] = {
    "test": ("coverage", "roles", "integration", "pages", "tools", "simulator", "style", "types", "meta"),
    "check": ("style", "types"),
    "push": (
        f"sanity({NEWEST_CORE})", f"sanity({OLDEST_CORE})", f"core({OLDEST_CORE})", "long_roles", "lint", "content_role", "content", "reliability",
        "site", "artifact", "target", "playbooks", "molecule",
    ),
    "thorough": (
        "release", *(f"core({core})" for core in BETWEEN), *(f"{name}({core})" for core in CONTROLLER_PYTHON for name in ("ways", "sanity_whole")),
        "target_whole", "oldest_libraries", "certification", "examples", "branches",
    ),
    "matrix": (
        *(f"{name}({core})" for core in (OLDEST_CORE, *BETWEEN) for name in ("core", "sanity")), "playbooks",
        *(f"ways({core})" for core in CONTROLLER_PYTHON),
    ),
    "integration": ("roles", "long_roles", "integration"),
    "sanity": (f"sanity({NEWEST_CORE})",),
}  # fmt: skip
"""`make test` is what a contributor needs; `.ci/run` runs `all`, which is `test` and `push`.

A release runs `thorough` as well.
"""
FIRST_OF_ALL = (
    f"core({OLDEST_CORE})",
    "content_role",
    "content",
    "coverage",
    "integration",
    "long_roles",
    "roles",
    "playbooks",
    "pages",
)
_OTHERS = (name for name in (*GROUPS["push"], *GROUPS["test"]) if name not in FIRST_OF_ALL)
# In one pool no core waits for the end of the one before it takes up the other.
GROUPS["all"] = (*FIRST_OF_ALL, *_OTHERS)
LINES_OF_A_FAILURE = 60
PRODUCTS = {"artifact": "hosting-panel-*.tar.gz", "certification": "hosting-panel-*.tar.gz"}
"""By session, the file that it leaves in .build/artifact for whoever runs it."""


class Count(NamedTuple):
    """How many tests passed and failed, and lines about what failed."""

    passed: int = 0
    failed: int = 0
    lines: Sequence[str] = ()

    def add(self, count: Count) -> Count:
        """Return the count of both together."""
        return Count(
            self.passed + count.passed,
            self.failed + count.failed,
            [*self.lines, *count.lines],
        )


def run(python: Path, session: str, lanes: int) -> Count:
    """Run one session, print how it ended, and count its tests."""
    log = LOGS / f"{session}.log"
    report = REPORTS / f"{session}.json"
    pattern = _make_report_pattern(session)
    for old_report in (report, *REPORTS.glob(pattern)):
        old_report.unlink(missing_ok=True)

    begin = time.monotonic()
    _run_nox(python, session, lanes, report, log)
    seconds = time.monotonic() - begin
    result = "failed"
    if report.exists():
        result = json.loads(report.read_text(encoding="utf-8"))["sessions"][0]["result"]

    count = _correct_count(_count_tests(session, pattern), result)
    print(
        f"{session:<16} {result:<8} {count.passed:6} passed {count.failed:4} failed "
        f"{seconds:7.1f} s",
        flush=True,
    )
    if count.failed or result == "skipped":
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        most = LINES_OF_A_FAILURE if count.failed else 2
        print("\n".join(f"  | {line}" for line in lines[-most:]), flush=True)

    for product in list_products(session):
        print(f"  | {os.path.relpath(product, ROOT)}", flush=True)

    return count


def list_products(session: str) -> list[Path]:
    """Return the files that a session has left, also where it found something wrong in them."""
    if session not in PRODUCTS:
        return []

    return sorted((BUILD / "artifact").glob(PRODUCTS[session]))


def _make_report_pattern(session: str) -> str:
    """Return the names of the reports of pytest that a session writes."""
    name, _parenthesis, core = session.partition("(")
    core = core.rstrip(")")
    if name == "core":
        return f"core {core} *.xml"
    if name == "ways":
        return f"ways {core}.xml"
    return f"{name}.xml"


def _run_nox(python: Path, session: str, lanes: int, report: Path, log: Path) -> None:
    command = [str(python), "-m", "nox", "--session", session]
    command += ["--report", str(report), "--non-interactive"]
    variables = make_environment(python.parent, NO_COLOR="1", HOSTING_PANEL_LANES=str(lanes))

    with log.open("wb") as output:
        subprocess.run(
            command,
            cwd=ROOT,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            check=False,
        )


def _correct_count(count: Count, result: str) -> Count:
    """Return the count of a session that has no report of its tests, or failed beside them."""
    is_failure = result == "failed" or (result == "skipped" and os.environ.get("CI") == "true")
    if is_failure:
        return count._replace(failed=count.failed or 1)
    if result == "success" and not count.passed:
        return count._replace(passed=1)

    return count


def _count_tests(session: str, pattern: str) -> Count:
    """Count the tests in the reports of a session."""
    passed = 0
    lines: list[str] = []

    for report in REPORTS.glob(pattern):
        root = ElementTree.parse(report).getroot()
        for test in root.iter("testcase"):
            broken = [*test.iter("failure"), *test.iter("error")]
            for failure in broken:
                parts = failure.get("message", "").split()
                message = " ".join(parts)[:300]
                lines.append(f"{session}: {test.get('name')}: {message}")

            is_skipped = test.find("skipped") is not None
            if not broken and not is_skipped:
                passed += 1

    return Count(passed, len(lines), lines)


def main(arguments: Sequence[str]) -> int:
    """Run a group of sessions, or one session; return 0 when nothing failed."""
    [target] = arguments
    sessions = GROUPS.get(target, (target,))
    for folder in (LOGS, REPORTS):
        folder.mkdir(parents=True, exist_ok=True)

    begin = time.monotonic()
    try:
        total = _run_all(sessions)
    except environments.EnvironmentFailure as failure:
        total = Count(0, 1, [str(failure)])

    minutes = (time.monotonic() - begin) / 60
    summary = f"{minutes:.1f} minutes; logs are in {os.path.relpath(LOGS, ROOT)}"
    print(*total.lines, summary, sep="\n")
    closing = f"{total.passed} passed, {total.failed} failed"
    (LOGS / "closing-line").write_text(closing + "\n", encoding="utf-8")
    print(closing, flush=True)
    return 1 if total.failed else 0


def _run_all(sessions: Sequence[str]) -> Count:
    """Run sessions, some at once; return the count of all."""
    python = environments.prepare_development_interpreter()
    link_collection()
    lanes = min(LANES, len(sessions))
    total = Count()

    with ThreadPoolExecutor(lanes) as pool:
        futures = [pool.submit(run, python, session, lanes) for session in sessions]
        for future in as_completed(futures):
            total = total.add(future.result())

    return total


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

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
from xml.etree import ElementTree

from tools import environments
from tools.environments import CONTROLLER_PYTHON
from tools.layout import LOGS, REPORTS, ROOT, environment, link_collection

LANES = 3
"""Many sessions wait most of their time, so two cores take three."""
OLDEST_CORE, *BETWEEN, NEWEST_CORE = CONTROLLER_PYTHON
# The long ones first, so that the lanes end at about the same time.
GROUPS = {
    "test": ("coverage", "roles", "integration", "pages", "tools", "simulator", "style", "types", "meta"),
    "check": ("style", "types"),
    "push": (
        f"sanity({NEWEST_CORE})", f"sanity({OLDEST_CORE})", f"core({OLDEST_CORE})", "long_roles", "lint", "reliability", "site", "artifact",
        "target", "playbooks", "molecule",
    ),
    "thorough": (
        "release", *(f"{name}({core})" for core in BETWEEN for name in ("core", "sanity")), *(f"ways({core})" for core in CONTROLLER_PYTHON),
        "sanity_whole", "examples",
    ),
    "matrix": (
        *(f"{name}({core})" for core in (OLDEST_CORE, *BETWEEN) for name in ("core", "sanity")), "playbooks",
        *(f"ways({core})" for core in CONTROLLER_PYTHON),
    ),
    "integration": ("roles", "long_roles", "integration"),
    "sanity": (f"sanity({NEWEST_CORE})",),
}  # fmt: skip
"""`make test` is what a contributor needs, `.ci/run` runs `test` and `push`, and a release runs `thorough` as well."""
LINES_OF_A_FAILURE = 60


def run(python: Path, session: str, lanes: int) -> tuple[int, int, list[str]]:
    """Run one session; return how many tests passed and failed, and lines about what failed."""
    log, report = LOGS / f"{session}.log", REPORTS / f"{session}.json"
    name = session.partition("(")[0]
    core = session.partition("(")[2].rstrip(")")
    reports = {"core": f"core {core} *.xml", "ways": f"ways {core}.xml"}.get(name, f"{name}.xml")
    for old in (report, *REPORTS.glob(reports)):
        old.unlink(missing_ok=True)
    words = [
        str(python),
        "-m",
        "nox",
        "--session",
        session,
        "--report",
        str(report),
        "--non-interactive",
    ]
    variables = environment(python.parent, NO_COLOR="1", HOSTING_PANEL_LANES=str(lanes))
    begin = time.monotonic()
    with log.open("wb") as output:
        nothing = subprocess.DEVNULL
        subprocess.run(
            words, cwd=ROOT, env=variables, stdin=nothing, stdout=output, stderr=output, check=False
        )
    result = (
        json.loads(report.read_text(encoding="utf-8"))["sessions"][0]["result"]
        if report.exists()
        else "failed"
    )
    passed, failed, lines = _counted(session, reports)
    if result == "failed" or (result == "skipped" and os.environ.get("CI") == "true"):
        failed = failed or 1
    elif result == "success" and not passed:
        passed = 1
    text = log.read_text(encoding="utf-8", errors="replace").splitlines()
    seconds = time.monotonic() - begin
    print(
        f"{session:<16} {result:<8} {passed:6} passed {failed:4} failed {seconds:7.1f} s",
        flush=True,
    )
    if failed or result == "skipped":
        print(
            "\n".join(f"  | {line}" for line in text[-LINES_OF_A_FAILURE if failed else -2 :]),
            flush=True,
        )
    return passed, failed, lines


def _counted(session: str, reports: str) -> tuple[int, int, list[str]]:
    passed, lines = 0, []
    for report in REPORTS.glob(reports):
        for test in ElementTree.parse(report).getroot().iter("testcase"):
            broken = [*test.iter("failure"), *test.iter("error")]
            said = (" ".join(one.get("message", "").split())[:300] for one in broken)
            lines += [f"{session}: {test.get('name')}: {words}" for words in said]
            passed += not broken and test.find("skipped") is None
    return passed, len(lines), lines


def main(arguments: Sequence[str]) -> int:
    """Run a group of sessions, or one session; return 0 when nothing failed."""
    [target] = arguments
    sessions = GROUPS.get(target, (target,))
    for folder in (LOGS, REPORTS):
        folder.mkdir(parents=True, exist_ok=True)
    passed = failed = 0
    lines: list[str] = []
    begin = time.monotonic()
    try:
        python = environments.development()
        link_collection()
        lanes = min(LANES, len(sessions))
        with ThreadPoolExecutor(lanes) as pool:
            for future in as_completed(
                [pool.submit(run, python, session, lanes) for session in sessions]
            ):
                more, less, told = future.result()
                passed, failed, lines = passed + more, failed + less, lines + told
    except environments.EnvironmentFailure as failure:
        failed, lines = 1, [str(failure)]
    print(
        *lines,
        f"{(time.monotonic() - begin) / 60:.1f} minutes; logs are in {os.path.relpath(LOGS, ROOT)}",
        sep="\n",
    )
    closing = f"{passed} passed, {failed} failed"
    (LOGS / "closing-line").write_text(closing + "\n", encoding="utf-8")
    print(closing, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

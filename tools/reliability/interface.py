# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator against its own OpenAPI document, by the fuzzer schemathesis: what everything else here is tested with answers as it says."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import BY_PATH
from tests.support import pem
from tests.support.mixed_panel import mixed_panel
from tests.support.simulator import Simulator
from tools import environments
from tools.reliability.figures import Row, Size
from tools.surroundings import environment

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "ignored_auth",
    "unsupported_method",
    "allow_header_conformance",
)
PHASES = {Size.SLICE: "examples,fuzzing", Size.FULL: "examples,coverage,fuzzing,stateful"}
EXAMPLES = {Size.SLICE: 2, Size.FULL: 20}
LONGEST_RUN = {Size.SLICE: 120, Size.FULL: 900}
NEVER = 10**6


def run(size: Size) -> list[Row]:
    """The rows of the table."""
    started = time.monotonic()
    python = environments.pinned("fuzz-environment", environments.FUZZ_LOCK, environments.development())
    settings = {"status_delay": 0.0, "reboot_delay": NEVER}
    with Simulator.start(settings=settings) as simulator, tempfile.TemporaryDirectory(prefix="interface-") as folder:
        simulator.seed(mixed_panel(pem.texts(), clients=3))
        Path(folder, "schemathesis.toml").write_text("".join(_existing_objects(simulator)), encoding="utf-8")
        words = [str(python.with_name("schemathesis")), "--no-color", "run", f"{simulator.url}/api/openapi.json"]
        words += ["--header", f"X-API-Key: {simulator.api_key}", "--checks", ",".join(CHECKS), "--continue-on-failure"]
        words += ["--phases", PHASES[size], "--max-examples", str(EXAMPLES[size]), "--seed", "1", "--no-shrink"]
        words += ["--warnings", "off", "--report-json-path", "report.json"]
        finished = subprocess.run(
            words,
            cwd=folder,
            env=environment(python.parent),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LONGEST_RUN[size],
            check=False,
        )
        report = json.loads(Path(folder, "report.json").read_text(encoding="utf-8"))
        tried = simulator.counters()["requests"]
        broken = [
            line for line in simulator.errors().splitlines() if line.startswith("  File") and "panel_simulator" in line
        ]
    return [_row(report, finished, tried, broken, time.monotonic() - started)]


def _existing_objects(simulator: Simulator) -> Iterator[str]:
    """The fuzzer's settings: what is read and changed is there; what is deleted is made up, so that something is left."""
    document = simulator.request("GET", "/openapi.json").json()
    for path, methods in document["paths"].items():
        collection = path.split("/")[1].replace("-", "_")
        kind = {"login": "clients", "dns": "domains"}.get(collection, collection)
        if "{" not in path:
            continue
        first = simulator.objects(kind)[0]
        value = json.dumps(first["id"] if "{id}" in path else first[BY_PATH["/" + kind.replace("_", "-")].name_member])
        parameter = "id" if "{id}" in path else "name"
        used = [method.upper() for method in methods if method in ("get", "put")]
        yield (
            f"[[operations]]\ninclude-path = {json.dumps(path)}\ninclude-method = {json.dumps(used)}\n"
            f"parameters = {{ {parameter} = {value} }}\n\n"
        )


def _row(
    report: dict[str, Any], finished: subprocess.CompletedProcess[str], tried: int, broken: list[str], seconds: float
) -> Row:
    wrong = [json.dumps(failure)[:500] for failure in (*report["failures"], *report["errors"])] + broken
    if report["operations"]["tested"] != report["operations"]["total"]:
        wrong.append(f"{report['operations']['tested']} of {report['operations']['total']} operations were tested")
    if finished.returncode and not wrong:
        wrong.append(f"schemathesis ended with {finished.returncode}: {finished.stdout[-500:]}")
    return Row(
        experiment="interface",
        what="the simulator's OpenAPI document, checked by schemathesis",
        tried=tried,
        survived=tried - len(wrong),
        seconds=seconds,
        remark=f"{report['operations']['tested']} operations, {report['test_cases']['generated']} generated cases",
        wrong=wrong,
    )

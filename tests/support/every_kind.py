"""Runs the playbook over every kind, tests/integration/targets/every_kind/every_kind.yml, and knows
what its passes have to do."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.support.playbook import Recording, Run, run_playbook
from tests.support.simulator import Simulator

TARGET = Path(__file__).resolve().parents[1] / "integration" / "targets" / "every_kind"
PLAYBOOK = TARGET / "every_kind.yml"
WRITING_PASSES = ("create", "change", "delete")
QUIET_PASSES = tuple(f"{name} again" for name in WRITING_PASSES)
# The API call only reads; a zone is reset with its domain still there.
READS_ONLY = ("api",)


def run_every_kind(
    simulator: Simulator,
    folder: Path,
    way: str,
    interpreter: str = sys.executable,
    passed_over: Iterable[str] = (),
) -> Run:
    """Return one run of all passes but those that are passed over."""
    simulator.reset()
    simulator.change_settings({"status_delay": 0.0})
    directory = folder / "certificate"
    from panel_simulator.self_signed import ensure

    ensure("xn--mller-kva.example", directory)
    connection = {
        "PANEL_API_URL": simulator.url,
        "PANEL_API_KEY": simulator.api_key,
        "PANEL_RETRY_TIME": "5",
    }
    variables = {"certificate_directory": str(directory), "passed_over": list(passed_over)}
    arguments = ["--extra-vars", json.dumps(variables)]

    return run_playbook(PLAYBOOK, simulator, folder, way, arguments, connection, interpreter)


def list_recordings_of_pass(run: Run, name: str) -> list[Recording]:
    """Return the recordings of the tasks of one pass."""
    return [recording for recording in run.recordings if recording.name.startswith(f"{name}: ")]

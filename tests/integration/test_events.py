"""The event source in a process of its own: what a kill does to it, and what it finds without Ansible. The rest is in tests/unit."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tests.support import event_source
from tests.support.killing import start_function
from tests.support.simulator import Simulator
from tools.layout import ROOT, link_collection


def run_source(chosen: dict[str, Any], record: Path, point: int) -> int:
    """How a process of its own ends in which the source runs."""
    child = start_function(lambda: event_source.main(chosen, record, point))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL)
    return code


def test_a_kill_at_any_moment_loses_nothing_and_repeats_at_most_what_was_taken_in_that_moment(
    simulator: Simulator, tmp_path: Path
) -> None:
    panel = simulator
    panel.reset()
    panel.seed({"clients": [{"username": name} for name in ("acme", "beta")]})
    acme, beta = (client["id"] for client in panel.objects("clients"))
    start = panel.state()
    repeated = {}
    for point in range(1, 40):
        panel.set_state(start)
        folder = tmp_path / str(point)
        folder.mkdir()
        record = folder / "events"
        types = ["client_created", "client_suspended", "client_deleted"]
        chosen = {"api_url": panel.url, "api_key": panel.api_key, "retry_time": 0, "events": types}
        chosen["state_file"] = str(folder / "state.json")
        assert run_source(chosen, record, 0) == 0
        assert not record.exists()
        panel.request("POST", "/clients", {"username": "gamma"})
        panel.request("PUT", f"/clients/{acme}", {"is_suspended": True})
        panel.request("DELETE", f"/clients/{beta}")
        code = run_source(chosen, record, point)
        # After the kill, and once more for good measure.
        assert run_source(chosen, record, 0) == 0
        assert run_source(chosen, record, 0) == 0
        events = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
        numbers = Counter(event["meta"]["uuid"] for event in events)
        said = {event["meta"]["uuid"]: (event["panel"]["type"], event["panel"]["key"]) for event in events}
        assert sorted(said.values()) == [
            ("client_created", "gamma"),
            ("client_deleted", "beta"),
            ("client_suspended", "acme"),
        ], point
        repeated[point] = max(numbers.values()) - 1
        if code == 0:
            break
    # Ten moments around five times that the file is replaced, and six around three events that are taken.
    assert code == 0
    assert len(repeated) == 17
    # Only where the event was taken, and nothing could be written about that any more.
    assert [point for point, times in repeated.items() if times] == [4, 5, 8, 9, 14, 15]


def test_the_file_of_the_source_finds_its_collection_alone_and_says_what_is_missing(tmp_path: Path) -> None:
    # As ansible-rulebook does; the other one is not in a collection.
    program = (
        "import asyncio, runpy, sys; asyncio.run(runpy.run_path(sys.argv[1])['main'](asyncio.Queue(), {'interval': 1}))"
    )
    source = "extensions/eda/plugins/event_source/panel.py"
    (tmp_path / "panel.py").write_bytes((ROOT / source).read_bytes())
    installed = link_collection() / "ansible_collections" / "hosting" / "panel" / source
    for path, words in (
        (installed, "interval: 1 is not accepted; use whole numbers from 10 to 86400."),
        (tmp_path / "panel.py", "hosting.panel.panel needs ansible-core and the collection hosting.panel for "),
    ):
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        command = [sys.executable, "-c", program, str(path)]
        done = subprocess.run(
            command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 1
        assert words in done.stderr.strip().rpartition("\n")[2]

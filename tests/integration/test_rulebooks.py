"""The rulebooks and the event source under a real ansible-rulebook, against simulated panels."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._events.detect_events import TYPES
from tests.support.needed import (
    Rulebook,
    find_program_folders,
    make_connection_environment,
    skip_where_not_run,
)
from tests.support.simulator import Simulator
from tools.layout import ROOT, link_collection

INTERVAL = 10  # the least
CLIENTS = [{"username": name, "email": f"it@{name}.example"} for name in ("acme", "beta")]


@pytest.fixture(scope="module")
def programs() -> list[str]:
    """Return the commands that run rulebooks."""
    with skip_where_not_run():
        return find_program_folders()


@pytest.fixture
def panel() -> Iterator[Simulator]:
    """Yield a panel with the clients of the tests."""
    with Simulator.start(settings={"status_delay": 0}) as simulator:
        simulator.seed({"clients": CLIENTS})
        yield simulator


def fail(panel: Simulator, name: str) -> None:
    """Give a client the status error."""
    state = panel.get_state()
    for client in state["objects"]["clients"]:
        if client["data"]["username"] == name:
            client["status"] = 2

    panel.set_state(state)


def wait_for_readings(panel: Simulator, count: int) -> None:
    """Wait until the panel was read so often from now on."""
    since = panel.get_last_number()
    end = time.monotonic() + (count + 2) * INTERVAL + 30

    while (
        sum(
            1
            for entry in panel.read_log(since)
            if (entry["method"], entry["path"]) == ("GET", "/clients")
        )
        < count
    ):
        assert time.monotonic() < end
        time.sleep(0.2)


@pytest.mark.release
def test_a_failed_client_is_reported_and_tried_once_more(
    panel: Simulator, programs: list[str], tmp_path: Path
) -> None:
    fail(panel, "acme")

    with Rulebook(
        "hosting.panel.failed_clients",
        tmp_path,
        programs,
        state_file="state.json",
        interval=INTERVAL,
    ) as run:
        run.start(**make_connection_environment(panel))
        run.wait_for("The client acme on 127.0.0.1:")
        run.wait_for("Client acme: OK.")

        run.wait_for(" is OK again.")

        assert [(entry["path"], entry["body"]) for entry in panel.list_writes()] == [
            (f"/clients/{_get_id(panel, 'acme')}", {"email": "it@acme.example"})
        ]

        # Now one that stays as it is, whatever is tried.
        panel.change_settings({"failing_kinds": ["clients"]})
        panel.clear_log()
        fail(panel, "beta")
        run.wait_for(
            "it was stored, but the panel could not apply it: status 2 (error). Check the panel's own log"
        )

        wait_for_readings(panel, 3)

        assert [entry["path"] for entry in panel.list_writes()] == [
            f"/clients/{_get_id(panel, 'beta')}"
        ]
        assert run.printed.count("has had the status error since") == 2


def _get_id(panel: Simulator, name: str) -> int:
    """Return the id of a client on the panel."""
    return next(
        int(client["id"]) for client in panel.list_objects("clients") if client["username"] == name
    )


def test_the_guide_names_every_event() -> None:
    text = (ROOT / "docs" / "events.md").read_text(encoding="utf-8")
    assert [name for name in TYPES if f"`{name}`" not in text] == []


# As ansible-rulebook does.
RUN_SOURCE = "import asyncio, runpy, sys; asyncio.run(runpy.run_path(sys.argv[1])['main'](asyncio.Queue(), {'interval': 1}))"
SOURCE = "extensions/eda/plugins/event_source/panel.py"


def run_source(path: Path, folder: Path) -> str:
    """Run the file of the source in a folder, and return the last line of its failure."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.run(
        [sys.executable, "-c", RUN_SOURCE, str(path)],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert process.returncode == 1
    return process.stderr.strip().rpartition("\n")[2]


def test_the_file_of_the_source_finds_its_collection_alone(tmp_path: Path) -> None:
    installed = link_collection() / "ansible_collections" / "hosting" / "panel" / SOURCE

    message = run_source(installed, tmp_path)

    assert "interval: 1 is not accepted; use whole numbers from 10 to 86400." in message


def test_a_file_of_the_source_outside_of_a_collection_says_what_is_missing(tmp_path: Path) -> None:
    copied = tmp_path / "panel.py"
    copied.write_bytes((ROOT / SOURCE).read_bytes())

    message = run_source(copied, tmp_path)

    assert "hosting.panel.panel needs ansible-core and the collection hosting.panel for " in message

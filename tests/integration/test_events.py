# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The event source on simulated panels: what it tells, what it sends, and what a kill does to it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._events.watch_panels import SourceEnded
from tests.support import event_source
from tests.support.event_source import SteppedSource
from tests.support.killing import start_function
from tests.support.simulator import Simulator
from tools.layout import ROOT, link_collection

SEED = {
    "plans": [{"name": "Business"}],
    "clients": [{"username": name, "hosting_plan": "Business", "email": f"it@{name}.example"} for name in ("acme", "beta")],
    "domains": [{"domain": "acme.example", "client": "acme"}],
    "emails": [{"email": "info@acme.example", "client": "acme", "max_size": 1000}],
}  # fmt: skip
LISTS = [
    "/clients", "/certificates", "/domains", "/emails", "/ftp-users", "/directory-protections", "/scheduled-tasks",
]  # fmt: skip


@pytest.fixture
def panel() -> Iterator[Simulator]:
    with Simulator.start(settings={"status_delay": 0}) as simulator:
        simulator.seed(SEED)
        yield simulator


def options(panel: Simulator, **more: Any) -> dict[str, Any]:
    return {"api_url": panel.url, "api_key": panel.api_key, "retry_time": 0, "timeout": 5, **more}


def client_id(panel: Simulator, name: str) -> int:
    return next(int(client["id"]) for client in panel.objects("clients") if client["username"] == name)


def name_of(panel: Simulator) -> str:
    return panel.url.removeprefix("http://")


def fail(panel: Simulator, name: str, status: int = 2) -> None:
    """Puts a client into a state, as the panel itself does when it cannot process it."""
    state = panel.state()
    for client in state["objects"]["clients"]:
        if client["data"]["username"] == name:
            client["status"] = status
    panel.set_state(state)


def test_what_happens_on_a_panel_is_told_once(panel: Simulator) -> None:
    with SteppedSource(
        **options(panel, events=["client_created", "client_deleted", "client_suspended", "client_released"])
    ) as source:
        assert source.events() == []
        panel.request("POST", "/clients", {"username": "gamma", "email": "it@gamma.example"})
        panel.request("PUT", f"/clients/{client_id(panel, 'acme')}", {"is_suspended": True})
        panel.request("DELETE", f"/clients/{client_id(panel, 'beta')}")
        assert sorted(source.read()) == [
            ("client_created", "clients", "gamma"),
            ("client_suspended", "clients", "acme"),
        ]
        # One list that does not have it may be wrong.
        assert source.read() == [("client_deleted", "clients", "beta")]
        assert source.read() == []
        panel.request("PUT", f"/clients/{client_id(panel, 'acme')}", {"is_suspended": False})
        assert source.read() == [("client_released", "clients", "acme")]


def test_a_reading_sends_one_list_for_each_kind_over_one_connection_and_asks_each_client_for_its_use_once_an_hour(
    panel: Simulator,
) -> None:
    with SteppedSource(**options(panel, interval=1200)) as source:
        for _reading in range(5):
            source.read()
        entries = panel.log()
    lists = [entry for entry in entries if not entry["path"].endswith("/stats")]
    assert [entry["path"] for entry in lists] == LISTS * 6
    asked = [entry["path"].split("/")[-2] for entry in entries if entry["path"].endswith("/stats")]
    ids = sorted(str(client["id"]) for client in panel.objects("clients"))
    # Six readings are two hours.
    assert sorted(asked) == sorted(ids * 3)
    assert {entry["method"] for entry in entries} == {"GET"}
    assert len({entry["connection"] for entry in entries}) == 1


def test_a_panel_that_is_away_is_one_event_however_long_and_over_a_restart(panel: Simulator, tmp_path: Path) -> None:
    chosen = options(panel, state_file=str(tmp_path / "state.json"))
    with SteppedSource(**chosen) as source:
        panel.fault({"kind": "status", "status": 503, "body": "html", "times": 0})
        told = [source.read() for _reading in range(4)]
        assert told == [[("panel_unreachable", "panels", name_of(panel))], [], [], []]
    with SteppedSource(**chosen) as source:
        assert source.events() == []
        panel.clear_faults()
        panel.request("POST", "/clients", {"username": "gamma", "email": "it@gamma.example"})
        assert source.read() == [("panel_back", "panels", name_of(panel)), ("client_created", "clients", "gamma")]
        assert source.read() == []


def test_a_wrong_key_ends_with_its_reason_and_is_sent_once(panel: Simulator) -> None:
    with SteppedSource(**options(panel, api_key="k1234567.wrong-key-of-a-test")) as source:
        pass
    assert isinstance(source.error, SourceEnded)
    assert str(source.error) == (
        f"{name_of(panel)}: GET /clients answered 401: API key is missing or invalid. Check api_key, which is missing, mistyped or deleted. "
        "Nothing more is sent, because the panel bans addresses that fail often. No panel is left to watch."
    )
    assert [(entry["path"], entry["status"]) for entry in panel.log()] == [("/clients", 401)]
    assert source.events() == [("panel_unreachable", "panels", name_of(panel))]


def test_the_wrong_key_of_one_panel_leaves_the_others_watched(panel: Simulator) -> None:
    with Simulator.start() as other:
        panels = [
            {"name": "one", "api_url": other.url, "api_key": "k1234567.wrong-key-of-a-test"},
            {"name": "two", "api_url": panel.url, "api_key": panel.api_key},
        ]
        with SteppedSource(panels=panels, retry_time=0) as source:
            panel.request("POST", "/clients", {"username": "gamma", "email": "it@gamma.example"})
            assert sorted(source.read()) == [
                ("client_created", "clients", "gamma"),
                ("panel_unreachable", "panels", "one"),
            ]
            assert source.read() == []
        assert len(other.log()) == 1
        assert source.error is None


@pytest.mark.parametrize(
    ("status", "path", "times", "words"),
    [
        (404, "/ftp-users", 3, "the list of ftp_users cannot be read"),
        (403, "/ftp-users", 3, "the list of ftp_users cannot be read"),
        (403, "/stats", 3, "the use of clients cannot be read"),
    ],
)
def test_what_the_panel_does_not_show_is_said_once_and_left_out(
    panel: Simulator, caplog: pytest.LogCaptureFixture, status: int, path: str, times: int, words: str
) -> None:
    panel.fault({"kind": "status", "status": status, "body": "json", "path": f"{path}$", "times": 0})
    with SteppedSource(**options(panel, interval=3600)) as source:
        fail(panel, "acme")
        assert source.read() == [("object_failed", "clients", "acme")]
        assert source.read() == []
        assert source.error is None
        paths = [entry["path"] for entry in panel.log()]
        assert sum(one.endswith(path) for one in paths) == times
        assert [paths.count(one) for one in LISTS if one != path] == [3] * (6 if path in LISTS else 7)
    assert [words in message for message in caplog.messages] == [True]
    assert panel.api_key not in caplog.text


def test_a_panel_that_refuses_its_clients_is_away_and_asked_again(panel: Simulator) -> None:
    panel.fault({"kind": "status", "status": 403, "body": "json", "path": "/clients$", "times": 2})
    with SteppedSource(**options(panel)) as source:
        assert source.events() == [("panel_unreachable", "panels", name_of(panel))]
        assert source.read() == []
        assert source.read() == [("panel_back", "panels", name_of(panel))]


def test_limits_of_clients_and_mailboxes_are_told(panel: Simulator) -> None:
    panel.seed(
        {
            "clients": [
                {
                    "username": "full",
                    "email": "it@full.example",
                    "statistics": {"disk_space": 950},
                    "resource_limits": {"disk_space": 1000},
                }
            ]
        }
    )
    with SteppedSource(**options(panel, interval=3600, events=["limit_reached"])) as source:
        (event,) = source.whole_events()
    assert (event["kind"], event["key"], event["object"]["limit"]) == (
        "clients",
        "full",
        {"name": "disk_space", "value": 950, "max": 1000, "percent": 95.0},
    )


def test_two_sources_do_not_share_a_state_file(panel: Simulator, tmp_path: Path) -> None:
    chosen = options(panel, state_file=str(tmp_path / "state.json"))
    (tmp_path / "link.json").symlink_to(tmp_path / "state.json")
    for name in ("state.json", "link.json"):
        with SteppedSource(**chosen), SteppedSource(**{**chosen, "state_file": str(tmp_path / name)}) as second:
            pass
        assert "is in use by another event source" in str(second.error)


def run_source(chosen: dict[str, Any], record: Path, point: int) -> int:
    """How a process of its own ends in which the source runs."""
    child = start_function(lambda: event_source.main(chosen, record, point))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL)
    return code


def change(panel: Simulator) -> None:
    panel.request("POST", "/clients", {"username": "gamma", "email": "it@gamma.example"})
    panel.request("PUT", f"/clients/{client_id(panel, 'acme')}", {"is_suspended": True})
    panel.request("DELETE", f"/clients/{client_id(panel, 'beta')}")


def test_a_kill_at_any_moment_loses_nothing_and_repeats_at_most_what_was_taken_in_that_moment(
    panel: Simulator, tmp_path: Path
) -> None:
    start = panel.state()
    repeated = {}
    for point in range(1, 40):
        panel.set_state(start)
        folder = tmp_path / str(point)
        folder.mkdir()
        record = folder / "events"
        types = ["client_created", "client_suspended", "client_deleted"]
        chosen = options(panel, events=types, state_file=str(folder / "state.json"))
        assert run_source(chosen, record, 0) == 0
        assert not record.exists()
        change(panel)
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


def test_the_file_of_the_source_finds_its_collection_alone_and_says_what_is_missing(
    panel: Simulator, tmp_path: Path
) -> None:
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

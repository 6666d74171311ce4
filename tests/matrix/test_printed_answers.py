"""At -vvvvv an info module shows no secret of its options or of the panel's answers, also over a
connection that shows what modules print."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from tests.support import pem
from tests.support.mixed_panel import make_mixed_objects
from tests.support.playbook import IN_PROCESS, Run, make_task, play
from tests.support.simulator import Simulator

pytestmark = pytest.mark.release

CONNECTIONS = Path(__file__).resolve().parents[1] / "support" / "connection_plugins"
SETTINGS = {"status_delay": 0.0, "password_hashes": "written_and_shown", "shows_private_keys": True}
SECRET = "canary-of-an-option"
NOTES = "Notes of the panel itself"
WRONG_OPTIONS: dict[str, dict[str, Any]] = {
    "an address with a password": {"api_url": f"http://operator:{SECRET}@127.0.0.1:1"},
    "an option that there is not": {"password": SECRET},
    "a key that is no text": {"api_key": {"key": SECRET}},
    "a wrong id beside the key": {"api_key": SECRET, "id": "x"},
    "options that exclude each other": {"api_key": SECRET, "id": 1, "username": "acme"},
    "a key that the panel refuses": {"api_key": SECRET},
}


def echo(key: str) -> dict[str, Any]:
    """Make the panel repeat the key of a request in its refusal."""
    message = {"code": "401", "message": f"The key {key} is not known."}
    return {
        "kind": "body",
        "status": 401,
        "method": "GET",
        "path": "^/clients",
        "when": "before",
        "times": 1,
        "body": message,
    }


def make_tasks(simulator: Simulator) -> Iterator[dict[str, Any]]:
    """Yield tasks that read and write every kind, rightly and wrongly."""
    for plural, kind in KINDS.items():
        yield make_task(plural, f"{kind.module}_info", {"id": 1} if plural == "dns" else {})
    for name, options in WRONG_OPTIONS.items():
        yield make_task(name, "panel_client_info", options)
    repeated = [["POST", "/faults", echo(simulator.api_key)]]

    yield make_task("a refusal with the key", "panel_client_info", before=repeated)


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    """Yield a panel that answers with keys and hashes."""
    with Simulator.start(settings=SETTINGS) as running:
        running.seed(make_mixed_objects(pem.make_texts(), clients=2))
        client = {"username": "acme", "email": "it@acme.example", "notes": NOTES}
        running.seed({"clients": [client]})
        yield running


@pytest.fixture(scope="module")
def run(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Play all tasks with the most that Ansible prints."""
    arguments = ["-vvvvv", "--extra-vars", json.dumps({"ansible_connection": "talkative"})]
    variables = {"ANSIBLE_CONNECTION_PLUGINS": str(CONNECTIONS)}
    return play(
        make_tasks(simulator),
        simulator,
        tmp_path_factory.mktemp("printed"),
        IN_PROCESS,
        arguments,
        variables,
    )


def test_every_kind_is_read_and_every_wrong_option_is_refused(run: Run) -> None:
    failed = {recording.name for recording in run.recordings if recording.outcome == "failed"}
    assert failed == {*WRONG_OPTIONS, "a refusal with the key"}, run.text[-3000:]


def test_the_connection_shows_what_the_modules_print(run: Run) -> None:
    printed = [
        line for line in run.text.splitlines() if line.startswith('{"changed": false, "clients"')
    ]
    assert any(NOTES in line for line in printed)


def test_no_line_holds_a_secret_of_an_option(run: Run, simulator: Simulator) -> None:
    lines = run.text.splitlines()
    assert [line for line in lines if SECRET in line or simulator.api_key in line] == []


def test_no_line_holds_a_private_key_or_a_hash_of_a_password(
    run: Run, simulator: Simulator
) -> None:
    keys = [
        certificate["components"]["private_key"]
        for certificate in simulator.list_objects("certificates")
    ]
    assert any(keys)
    assert "PRIVATE KEY" not in run.text
    assert "password_hash" not in run.text

"""Answers that no panel should give are one clear error in both ways of execution, on every
supported ansible-core."""

from __future__ import annotations

import contextlib
import itertools
import json
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.support import broken_server as broken
from tests.support.playbook import WAYS, Run, play

DEPTH = 900
ACME = {"id": 1, "username": "acme", "email": "it@acme.example", "status": 1}
# By name, the answer to each read, and what the messages say.
ANSWERS = {
    "nested": (
        f'[{json.dumps(ACME)}, {{"id": 2, "a": {"[" * DEPTH}{"]" * DEPTH}}}]',
        "JSON nested more than 64 levels deep",
    ),
    "surrogate": (
        '[{"id": 1, "username": "acme", "notes": "\\ud800"}]',
        "JSON with a half of a character",
    ),
    "odd": (
        json.dumps([{**ACME, "status": []}]),
        "shows status of client acme as []; it must be a whole number",
    ),
}
READS: dict[str, dict[str, Any]] = {
    "panel_client_info": {},
    "panel_resources_info": {},
    "panel_resources": {"resources": {"clients": [{"username": "acme", "notes": "x"}]}},
    "panel_archive": {"username": "acme", "dir": "archives"},
    "panel_report": {"file": "report.html"},
}


def make_answering_handler(text: str) -> broken.Handler:
    """Answer each request with this JSON."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {len(text)}\r\n\r\n"

    def handle(connection: socket.socket) -> None:
        broken.read_request(connection)
        connection.sendall(f"{head}{text}".encode())

    return handle


def play_tasks(way: str, folder: Path) -> Run:
    """Return each of the tasks against a panel for each answer."""
    (folder / "archives").mkdir()
    tasks = []

    with contextlib.ExitStack() as servers:
        for name, (text, _message) in ANSWERS.items():
            port = servers.enter_context(broken.run_server(make_answering_handler(text)))
            url = {"api_url": f"http://127.0.0.1:{port}"}
            tasks += [
                {"name": f"{name} {module}", f"hosting.panel.{module}": {**url, **options}}
                for module, options in READS.items()
            ]
        variables = {"PANEL_API_KEY": "k1234567.a-key-of-a-test", "PANEL_RETRY_TIME": "0"}
        return play(tasks, None, folder, way, [], variables)


@pytest.mark.parametrize("way", WAYS)
def test_each_task_says_what_came(way: str, tmp_path: Path) -> None:
    run = play_tasks(way, tmp_path)
    assert len(run.recordings) == len(ANSWERS) * len(READS), run.text[-3000:]

    for name, module in itertools.product(ANSWERS, READS):
        task = run[f"{name} {module}"]
        _text, message = ANSWERS[name]
        # The others ask for one object first, and a list is none.
        is_list = name != "odd" or module in ("panel_client_info", "panel_resources")
        expected = message if is_list else "did not answer with an object"
        assert task.outcome == "failed", task.name
        assert expected in task.msg, task.msg

    assert not [
        crash for crash in ("defect", "Recursion", "codec", "Traceback") if crash in run.text
    ]

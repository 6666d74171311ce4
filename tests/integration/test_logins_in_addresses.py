# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A password in an address that a member holds is sent and compared as it is, and shown nowhere, in process and as a module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.canaries import texts_in
from tests.support.playbook import play
from tests.support.simulator import Simulator

CANARY = "S3cretCanary"
TASK: dict[str, Any] = {"client": "acme", "description": "web", "type": "http"}


def address(number: int) -> str:
    return f"https://user:{CANARY}{number}@web.example/x"


def scheduled_task(name: str, number: int) -> dict[str, Any]:
    return {"name": name, "hosting.panel.panel_scheduled_task": {**TASK, "command": address(number)}, "diff": True}


TASKS: list[dict[str, Any]] = [
    scheduled_task("create", 1),
    scheduled_task("again", 1),
    scheduled_task("change", 2),
    {
        "name": "forwarding",
        "hosting.panel.panel_domain": {
            "domain": "acme.example",
            "client": "acme",
            "target": {"target": address(3), "is_forwarding": True},
        },
        "diff": True,
    },
    {
        "name": "in bulk",
        "hosting.panel.panel_resources": {"resources": {"scheduled_tasks": [{**TASK, "command": address(4)}]}},
        "diff": True,
    },
    {"name": "read", "hosting.panel.panel_scheduled_task_info": {}},
    {"name": "exported", "hosting.panel.panel_resources_info": {}},
    {
        "name": "deleted",
        "hosting.panel.panel_resources": {
            "resources": {"scheduled_tasks": [{"client": "acme", "description": "web", "state": "absent"}]}
        },
        "diff": True,
    },
]


def test_a_password_in_an_address_is_sent_and_not_shown(way: str, simulator: Simulator, tmp_path: Path) -> None:
    simulator.reset()
    simulator.seed({"clients": [{"username": "acme"}]})
    run = play(TASKS, simulator, tmp_path, way, ["-vvv"])
    outcomes = [(one.name, one.outcome, one.changed) for one in run.recordings]
    assert outcomes == [(task["name"], "ok", task["name"] not in ("again", "read", "exported")) for task in TASKS]
    sent = [
        request["body"]["command"]
        for one in run.recordings
        for request in one.writes
        if "command" in (request["body"] or {})
    ]
    assert sent == [address(1), address(2), address(4)]
    assert [text for one in run.recordings for text in texts_in(one.result) if CANARY in text] == []
    assert CANARY not in run.text
    # The address is printed, of each task and without the password.
    assert run.text.count("********@web.example/x") > len(TASKS)

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the action of panel_verify in this process, as a worker of Ansible does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from ansible_collections.hosting.panel.plugins.action import panel_verify
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.points import TABLE, read_points
from panel_simulator.open_points import normal
from tests.support.simulator import Simulator
from tests.support.worker import action_of

# A throw-away client of the tests, whose names can be looked for.
NAME = "hpverifyabcdef"
KINDS = (
    "clients",
    "certificates",
    "domains",
    "emails",
    "databases",
    "ftp_users",
    "directory_protections",
    "scheduled_tasks",
)
POINTS = read_points()
MOST_REQUESTS = 149
LOOK_ALIKES = {
    "hosting_plans": [{"name": "hpverifyplanes"}, {"name": "hpverifybcdefg"}],
    "clients": [
        {"username": "hpverifybcdefg", "hosting_plan": "hpverifybcdefg"},
        {"username": "hpverify"},
        {"username": "hpverify2"},
        {"username": "acme", "notes": "hosting.panel.verify"},
    ],
    "domains": [{"domain": "hpverifybcdefg.example", "client": "hpverifybcdefg"}],
    "emails": [{"email": "m@hpverifybcdefg.example"}],
}
_ROWS: dict[str, dict[str, Any]] = yaml.safe_load(TABLE.read_text(encoding="utf-8"))


def values_of(name: str) -> list[Any]:
    """What a panel may do otherwise at a point."""
    row = _ROWS[name]
    return list(row["values"])[1:] if "values" in row else list(row["examples"])


TRIED = [
    (name, value) for name, point in POINTS.items() if point.seen in ("read", "write") for value in values_of(name)
]


def verified(panel: Any, check_mode: bool = False, **options: Any) -> dict[str, Any]:
    """The result of a task. panel: whatever has a url and an api_key."""
    args = {"api_url": panel.url, "api_key": panel.api_key, "wait_timeout": 3, **options}
    action = action_of(args, "hosting.panel.panel_verify", plugin=panel_verify.ActionModule, check_mode=check_mode)
    action._display = None
    result: dict[str, Any] = action.run(task_vars={})
    return result


def left_on(simulator: Simulator) -> dict[str, list[Any]]:
    """What a panel that was empty has by now, by kind; nothing where everything is removed."""
    objects = simulator.state()["objects"]
    found = {kind: [item["data"] for item in objects[kind]] for kind in KINDS if objects[kind]}
    plans = [item["data"]["name"] for item in objects["hosting_plans"] if item["data"]["name"] != "Default"]
    return {**found, **({"hosting_plans": plans} if plans else {})}


def names_on(simulator: Simulator) -> set[str]:
    """The clients and plans of a panel."""
    objects = simulator.state()["objects"]
    clients = {item["data"]["username"] for item in objects["clients"]}
    return clients | {item["data"]["name"] for item in objects["hosting_plans"]} - {"Default"}


def canonical(profile: Mapping[str, Any]) -> dict[str, Any]:
    """A profile as a verify tells it: in its normal form, with empty values of the same kind for members that only the panel knows."""
    found = normal(profile)
    for members in found.get("extra_members", {}).values():
        members.update({name: type(value)() if value is not None else None for name, value in members.items()})
    return found

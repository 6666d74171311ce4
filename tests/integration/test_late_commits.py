# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A creation whose answer is lost and which takes effect seconds later, on a panel with a clock of its own."""

from __future__ import annotations

import time
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._http.client import PanelClient
from ansible_collections.hosting.panel.plugins.module_utils._http.connection import read_connection
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from tests.support.simulator import Simulator
from tests.support.tasks import run_task

LATE = 1.5
SEED = {"clients": [{"username": "acme"}], "domains": [{"domain": "acme.example", "client": "acme"}]}
WANTED: dict[str, dict[str, Any]] = {
    "emails": {"email": "info@acme.example"},
    "directory_protections": {"client": "acme", "path": "/shop", "username": "boss"},
    "scheduled_tasks": {"client": "acme", "description": "nightly", "type": "exec", "command": "/www/x"},
}


def run(simulator: Simulator, plural: str, retry_time: int, in_bulk: bool) -> dict[str, Any]:
    parameters = {"api_url": simulator.url, "api_key": simulator.api_key, "validate_certs": True}
    client = PanelClient(read_connection({**parameters, "timeout": 30, "retry_time": retry_time}))
    options = WANTED[plural]
    try:
        if in_bulk:
            return run_task(resources_operation(), client, {"resources": {plural: [options]}})
        return run_task(resource_operation(TABLES[plural]), client, options)
    finally:
        client.close()


@pytest.mark.parametrize("in_bulk", [False, True], ids=["single", "bulk"])
@pytest.mark.parametrize("retry_time", [1, 30])
@pytest.mark.parametrize("plural", WANTED)
def test_a_late_creation_is_one_object_with_a_known_password(
    simulator: Simulator, plural: str, retry_time: int, in_bulk: bool
) -> None:
    simulator.reset()
    simulator.seed(SEED)
    simulator.fault({"kind": "reset", "method": "POST", "late": LATE})
    began = time.monotonic()
    result = run(simulator, plural, retry_time, in_bulk)
    time.sleep(max(0.0, began + LATE + 0.7 - time.monotonic()))
    (made,) = simulator.objects(plural)
    if result.get("failed"):
        assert retry_time == 1, result["msg"]
        assert "un the task again in a few minutes" in result["msg"]
        assert ("regenerate_password: true" in result["msg"]) == (TABLES[plural].password is not None)
    elif TABLES[plural].password is not None:
        shown = result["generated_passwords"][0]["password"] if in_bulk else result["generated_password"]
        assert shown == made["hidden"]["password"]
    again = run(simulator, plural, retry_time, in_bulk)
    assert (again.get("failed", False), again["changed"]) == (False, False)
    assert len(simulator.objects(plural)) == 1

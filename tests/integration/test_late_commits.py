# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A creation whose answer is lost and which takes effect seconds later, on a panel with a clock of its own."""

from __future__ import annotations

import time
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from tests.support.bulk import manage
from tests.support.simulator import Simulator

LATE = 1.5
SEED = {"clients": [{"username": "acme"}], "domains": [{"domain": "acme.example", "client": "acme"}]}
WANTED: dict[str, dict[str, Any]] = {
    "emails": {"email": "info@acme.example"},
    "directory_protections": {"client": "acme", "path": "/shop", "username": "boss"},
    "scheduled_tasks": {"client": "acme", "description": "nightly", "type": "exec", "command": "/www/x"},
}


@pytest.mark.parametrize("in_bulk", [False, True], ids=["single", "bulk"])
@pytest.mark.parametrize("retry_time", [1, 30])
@pytest.mark.parametrize("plural", WANTED)
def test_a_late_creation_is_one_object_with_a_known_password(
    simulator: Simulator, plural: str, retry_time: int, in_bulk: bool
) -> None:
    simulator.reset()
    simulator.seed(SEED)
    simulator.fault({"kind": "reset", "method": "POST", "late": LATE})
    result = manage(simulator, plural, WANTED[plural], in_bulk, retry_time)
    arrived = simulator.writes()[0]["time"]
    time.sleep(max(0.0, arrived + LATE + 0.7 - time.time()))
    (made,) = simulator.objects(plural)
    if result.get("failed"):
        assert retry_time == 1, result["msg"]
        assert "un the task again in a few minutes" in result["msg"]
        assert ("regenerate_password: true" in result["msg"]) == (TABLES[plural].password is not None)
    elif TABLES[plural].password is not None:
        shown = result["generated_passwords"][0]["password"] if in_bulk else result["generated_password"]
        assert shown == made["hidden"]["password"]
    again = manage(simulator, plural, WANTED[plural], in_bulk, retry_time)
    assert (again.get("failed", False), again["changed"]) == (False, False)
    assert len(simulator.objects(plural)) == 1


@pytest.mark.parametrize("in_bulk", [False, True], ids=["single", "bulk"])
@pytest.mark.parametrize("plural", WANTED)
def test_a_creation_that_took_effect_behind_429_is_one_object_with_a_known_password(
    simulator: Simulator, plural: str, in_bulk: bool
) -> None:
    simulator.reset()
    simulator.seed(SEED)
    simulator.fault({"kind": "status", "status": 429, "when": "after", "method": "POST"})
    result = manage(simulator, plural, WANTED[plural], in_bulk, 30)
    assert not result.get("failed"), result["msg"]
    (made,) = simulator.objects(plural)
    if TABLES[plural].password is not None:
        shown = result["generated_passwords"][0]["password"] if in_bulk else result["generated_password"]
        assert shown == made["hidden"]["password"]
    assert not manage(simulator, plural, WANTED[plural], in_bulk, 30)["changed"]

"""The member ``status``: 3 or 4 first, 1 or 2 in the end."""

from __future__ import annotations

import time

import pytest

from tests.support.simulator import Simulator

KINDS = {
    "/clients": {"username": "new"},
    "/domains": {"domain": "new.example"},
    "/emails": {"email": "new@acme.example"},
    "/ftp-users": {"username": "new"},
    "/directory-protections": {"path": "/x", "username": "u"},
    "/scheduled-tasks": {"type": "exec", "command": "x"},
}


def settled(simulator: Simulator, path: str) -> int:
    """The status once it is no longer 3 or 4."""
    deadline = time.monotonic() + 10
    while True:
        status = int(simulator.request("GET", path).json()["status"])
        if status not in (3, 4) or time.monotonic() > deadline:
            return status
        time.sleep(0.01)


@pytest.mark.parametrize("path", KINDS)
def test_a_new_object_is_3_and_a_changed_one_4(simulator: Simulator, acme: int, path: str) -> None:
    simulator.settings({"status_delay": 60})
    number = simulator.request("POST", path, {"id_user": acme, **KINDS[path]}).json()["id"]

    def statuses() -> list[int]:
        listed = {item["id"]: item["status"] for item in simulator.request("GET", path).json()}[number]
        return [listed, simulator.request("GET", f"{path}/{number}").json()["status"]]

    assert statuses() == [3, 3]
    simulator.request("PUT", f"{path}/{number}", {})
    assert statuses() == [4, 4]


@pytest.mark.parametrize("path", KINDS)
def test_both_become_1(simulator: Simulator, acme: int, path: str) -> None:
    simulator.settings({"status_delay": 0.05})
    number = simulator.request("POST", path, {"id_user": acme, **KINDS[path]}).json()["id"]
    assert settled(simulator, f"{path}/{number}") == 1
    simulator.request("PUT", f"{path}/{number}", {})
    assert settled(simulator, f"{path}/{number}") == 1
    assert {item["id"]: item["status"] for item in simulator.request("GET", path).json()}[number] == 1


def test_a_kind_can_be_made_to_fail(simulator: Simulator, acme: int) -> None:
    simulator.settings({"status_delay": 0.05, "failing_kinds": ["domains"]})
    simulator.request("POST", "/domains", {"id_user": acme, "domain": "new.example"})
    assert settled(simulator, "/domains/2") == 2
    simulator.settings({"failing_kinds": []})
    simulator.request("PUT", "/domains/2", {})
    assert settled(simulator, "/domains/2") == 1

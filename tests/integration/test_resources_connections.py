# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A server that closes connections, as every web server does after a while, loses no object and gets none twice."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._endpoints.api import API_CALL
from ansible_collections.hosting.panel.plugins.module_utils._endpoints.reboot import REBOOT
from ansible_collections.hosting.panel.plugins.module_utils._task.operation import Operation
from tests.support.bulk import Resources, apply, count, customers, panel_client, panel_of
from tests.support.simulator import Simulator
from tests.support.tasks import run_task

WANTED = customers(30)
LISTS = len(WANTED)
SETTINGS: dict[str, dict[str, Any]] = {
    "announced, after 100 requests": {"requests_per_connection": 100, "announce_close": True},
    "unannounced, after 100 requests": {"requests_per_connection": 100, "announce_close": False},
    # While a reload is waited out, every kept connection becomes idle for too long.
    "after an idle time": {"keep_alive_seconds": 0.25, "reload_every_writes": 75, "reload_milliseconds": 100},
}


@pytest.fixture(scope="module")
def undisturbed(simulator: Simulator) -> Resources:
    simulator.reset()
    assert not apply(simulator, WANTED).get("failed")
    return panel_of(simulator)


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_closed_connections_lose_nothing_and_make_nothing_twice(
    simulator: Simulator, undisturbed: Resources, settings: dict[str, Any], concurrency: int
) -> None:
    simulator.reset()
    simulator.settings(settings)
    first = simulator.last_number()
    # As long as by default: what the panel would make twice is looked for during 14 to 21 s before it is sent again.
    result = apply(simulator, WANTED, retry_time=60, concurrency=concurrency)
    requests = simulator.log(first)
    simulator.settings({"keep_alive_seconds": 75})
    assert not result.get("failed"), result["msg"]
    assert {entry["result"] for entry in result["results"]} == {"changed"}
    assert panel_of(simulator) == undisturbed
    created = [request for request in requests if request["method"] == "POST" and request["status"] == 201]
    assert len(created) == count(WANTED)
    connections = len({request["connection"] for request in requests})
    failures = len([request for request in requests if request["status"] >= 500])
    # A request that is lost with its connection, or meets a reload, takes two more at most: one to look, one to send it again.
    assert len(requests) <= LISTS + count(WANTED) + 2 * (connections + failures)
    assert connections >= (len(requests) / 100 if "requests_per_connection" in settings else concurrency + 1)


@pytest.mark.parametrize("concurrency", [1, 8])
def test_what_the_panel_would_make_twice_goes_over_a_new_connection(simulator: Simulator, concurrency: int) -> None:
    """Of a kept one that the server closes at that moment nobody could say whether it had the request."""
    simulator.reset()
    first = simulator.last_number()
    assert not apply(simulator, WANTED, concurrency=concurrency).get("failed")
    assert _opening(simulator.log(first), ["/scheduled-tasks", "/directory-protections"]) == {True}


@pytest.mark.parametrize(
    ("operation", "options"),
    [
        (API_CALL, {"method": "POST", "path": "/server/reboot", "body": {"confirm": True}}),
        (REBOOT, {"wait": False, "wait_timeout": 10}),
    ],
    ids=["panel_api", "panel_reboot"],
)
def test_a_request_that_nobody_may_repeat_goes_over_a_new_connection(
    simulator: Simulator, operation: Operation, options: dict[str, Any]
) -> None:
    simulator.reset()
    first = simulator.last_number()
    with contextlib.closing(panel_client(simulator)) as client:
        client.get("/ping")
        assert not run_task(operation, client, options, check_mode=False).get("failed")
    assert _opening(simulator.log(first), ["/server/reboot"]) == {True}
    simulator.reset()


def _opening(requests: list[dict[str, Any]], paths: list[str]) -> set[bool]:
    """Whether the POST requests to these paths were the first on their connections."""
    firsts: dict[Any, int] = {}
    for request in requests:
        firsts.setdefault(request["connection"], request["number"])
    return {
        firsts[request["connection"]] == request["number"]
        for request in requests
        if request["method"] == "POST" and request["path"].endswith(tuple(paths))
    }

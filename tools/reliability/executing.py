"""Runs one task against a panel that was prepared for it, and records what it did as the recordings of real plays do."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import requests

from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import read_connection
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_client import PanelClient
from tests.support.playbook import Recording
from tests.support.simulator import Simulator
from tests.support.tasks import run_task

_MODULES = "ansible_collections.hosting.panel.plugins.modules."
_LONGEST_REST = 20.0
T = TypeVar("T")


def execute(simulator: Simulator, name: str, module: str, options: Mapping[str, Any]) -> Recording:
    """One task in this process, with a session of its own."""
    given = {"retry_time": 5, **options, "api_url": simulator.url, "api_key": simulator.api_key}
    since = when_back(simulator.last_number)
    begin = time.monotonic()
    client = PanelClient(read_connection(given))
    try:
        result = run_task(importlib.import_module(_MODULES + module).OPERATION, client, given, check_mode=False)
    finally:
        client.close()
    seconds = time.monotonic() - begin
    sent = at_rest(simulator, since)
    outcome = "failed" if result.get("failed") else "ok"
    return Recording(name, outcome, result, sent, [when_back(simulator.state)], seconds)


def prepare(simulator: Simulator, seeds: Iterable[dict[str, Any]], faults: list[dict[str, Any]]) -> None:
    """A panel as after its start, with these objects and these faults."""
    when_back(simulator.reset)
    for seed in seeds:
        simulator.seed(seed)
    if faults:
        simulator.fault(faults)


def at_rest(simulator: Simulator, since: int) -> list[dict[str, Any]]:
    """The requests after this number, when each of them has had its effect, also those that nobody waits for any more."""
    deadline = time.monotonic() + _LONGEST_REST
    while True:
        sent = when_back(lambda: simulator.log(since))
        if time.monotonic() > deadline or not any(map(_is_under_way, sent)):
            return sent
        time.sleep(0.05)


def when_back(ask: Callable[[], T]) -> T:
    """The answer of a panel that a fault, or a reboot, took away for a while."""
    deadline = time.monotonic() + _LONGEST_REST
    while True:
        try:
            return ask()
        except requests.ConnectionError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def _is_under_way(request: Mapping[str, Any]) -> bool:
    """Not so for one that a fault has left without an answer."""
    return request["status"] is None and request["fault"] in (None, "slow")

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules of other collections in children of a process that has loaded them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

import pytest
from ansible.module_utils.basic import AnsibleModule

from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.module_host import ModuleHost, NoResult

NAME = "some.collection.echo"
SECONDS = 2


def echo() -> None:
    """A module that returns its options, or does not return."""
    module = AnsibleModule({"text": {"type": "str", "no_log": True}, "how": {"type": "str"}})
    how = module.params["how"]
    if how == "never":
        time.sleep(60)
    if how == "killed":
        os.abort()
    if how == "broken":
        raise ValueError
    print("something else first")
    module.exit_json(length=len(module.params["text"]), process=os.getpid(), setting=os.environ.get("ECHO"))


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleHost]:
    loaded: Any = ModuleType("echo")
    loaded.main = echo
    monkeypatch.setitem(sys.modules, "ansible_collections.some.collection.plugins.modules.echo", loaded)
    started = ModuleHost([NAME], {"ECHO": "set"}, SECONDS)
    yield started
    started.close()


def test_each_runs_in_a_process_of_its_own_and_gets_options_of_any_length(host: ModuleHost) -> None:
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda number: host.run(NAME, {"text": "x" * (100_000 + number)}), range(16)))
    assert [result["length"] - 100_000 for result in results] == list(range(16))
    assert {result["setting"] for result in results} == {"set"}
    assert len({result["process"] for result in results} | {os.getpid()}) == 17
    assert "ECHO" not in os.environ


def test_what_a_module_fails_with_is_its_result(host: ModuleHost) -> None:
    result = host.run(NAME, {"text": "x", "other": 1})
    assert result["failed"] is True
    assert "Unsupported parameters" in result["msg"]


@pytest.mark.parametrize(("how", "too_long"), [("never", True), ("killed", False), ("broken", False)])
def test_a_module_without_a_result_is_told(host: ModuleHost, how: str, too_long: bool) -> None:
    with pytest.raises(NoResult, match=f"{NAME} ended without a result on this controller") as caught:
        host.run(NAME, {"text": "x", "how": how})
    assert caught.value.took_too_long is too_long


def test_nothing_is_left_of_it(host: ModuleHost) -> None:
    process = host._process
    host.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)

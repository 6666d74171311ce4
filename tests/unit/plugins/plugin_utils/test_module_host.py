# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules of other collections in children of a process that has loaded them."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest
from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.urls import fetch_url

from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.module_host import ModuleHost, NoResult
from tests.support.broken_server import server

NAME = "some.collection.echo"
SECONDS = 2


def echo() -> None:
    """A module that returns its options, or does not return."""
    module = AnsibleModule({"text": {"type": "str", "no_log": True}, "how": {"type": "str"}, "url": {"type": "str"}})
    how = module.params["how"]
    while how == "asks":
        fetch_url(module, module.params["url"], use_proxy=False)
        time.sleep(0.2)
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


@contextmanager
def answering(status: int) -> Iterator[tuple[str, list[bytes]]]:
    """The address of a server whose answers have this status, and what it was asked."""
    asked: list[bytes] = []

    def handle(connection: socket.socket) -> None:
        asked.append(connection.recv(10_000))
        connection.sendall(b"HTTP/1.1 %d Well\r\nRetry-After: 1\r\nContent-Length: 5\r\n\r\nwait!" % status)

    with server(handle) as port:
        yield f"http://127.0.0.1:{port}", asked


def test_a_module_that_gets_too_many_requests_asks_once_and_ends_with_what_it_was_told(host: ModuleHost) -> None:
    with answering(429) as (url, asked), pytest.raises(NoResult) as caught:
        host.run(NAME, {"text": "x", "how": "asks", "url": url})
    assert (caught.value.took_too_long, caught.value.status, caught.value.said) == (False, 429, "wait!")
    assert len(asked) == 1


@pytest.mark.parametrize("status", [200, 503])
def test_of_a_module_that_does_not_end_the_status_of_the_last_answer_is_known(host: ModuleHost, status: int) -> None:
    with answering(status) as (url, asked), pytest.raises(NoResult) as caught:
        host.run(NAME, {"text": "x", "how": "asks", "url": url})
    assert (caught.value.took_too_long, caught.value.status) == (True, status)
    assert len(asked) > 1


def test_a_server_that_is_not_there_is_no_answer(host: ModuleHost) -> None:
    with pytest.raises(NoResult) as caught:
        host.run(NAME, {"text": "x", "how": "asks", "url": "http://127.0.0.1:1"})
    assert (caught.value.took_too_long, caught.value.status) == (True, -1)


def test_nothing_is_left_of_it(host: ModuleHost) -> None:
    process = host._process
    host.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)

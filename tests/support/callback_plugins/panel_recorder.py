"""Ansible's default output, which also records what every task did, so that one playbook can hold
hundreds of behaviours.

A task may have the variable ``simulator``: ``before`` and ``after`` are lists of requests
``[method, path, body]`` to the simulator's control interface. The first are sent before the task
starts, and a reset among them also makes the run forget which keys were refused. The answers to the
others are recorded with it, once the panel has ended every request that it was still at.

Environment: PANEL_TEST_RECORDING is the file, one line of JSON a task; PANEL_TEST_SIMULATOR the
simulator's address. With PANEL_TEST_PRELOAD the collection is loaded before the first task, which
otherwise every task does in a process of its own.
"""

from __future__ import annotations

import http.client
import importlib
import json
import os
import shutil
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ansible import constants
from ansible.plugins.callback.default import CallbackModule as DefaultCallback

DOCUMENTATION = r"""
name: panel_recorder
type: stdout
short_description: Default output, and a recording of every task
description:
  - Prints what the default callback prints, and records each task's result and the requests that it made.
extends_documentation_fragment:
  - default_callback
  - result_format_callback
"""

LONGEST_REST = 20.0


class CallbackModule(DefaultCallback):  # type: ignore[misc]
    """One line a task and host: name, host, outcome, result, requests, observed, seconds."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "panel_recorder"

    def __init__(self) -> None:
        super().__init__()
        self._recording = Path(os.environ["PANEL_TEST_RECORDING"]).open("w", encoding="utf-8")  # noqa: SIM115
        address = urlsplit(os.environ.get("PANEL_TEST_SIMULATOR", ""))
        self._host = address.netloc
        self._since = 0
        self._began = 0.0
        self._unprepared = ""
        if os.environ.get("PANEL_TEST_PRELOAD"):
            _load_collection()

    def v2_playbook_on_task_start(self, task: Any, is_conditional: bool) -> None:
        """Send what the variables of a task want sent before it."""
        # Ansible would only warn of an exception here, and the task run on a panel that is not as
        # it should be.
        self._unprepared = ""
        try:
            for request in _get_hooks(task).get("before", ()):
                self._ask_control(*request)
                if request[1] == "/reset":
                    # Another panel, as it were, of which the run knows nothing yet.
                    shutil.rmtree(
                        Path(constants.DEFAULT_LOCAL_TMP, "hosting.panel"), ignore_errors=True
                    )
        except (OSError, ValueError) as error:
            self._unprepared = f"The panel could not be prepared: {error}"

        if self._host:
            self._since = self._ask_control("GET", "/log?since=999999999", None)["next"]
        self._began = time.monotonic()
        super().v2_playbook_on_task_start(task, is_conditional)

    def v2_runner_on_ok(self, result: Any) -> None:
        """Record a task that is done."""
        self._record("ok", result)
        super().v2_runner_on_ok(result)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        """Record a task that failed."""
        self._record("failed", result)
        super().v2_runner_on_failed(result, ignore_errors=ignore_errors)

    def v2_runner_on_skipped(self, result: Any) -> None:
        """Record a task that was skipped."""
        self._record("skipped", result)
        super().v2_runner_on_skipped(result)

    def v2_runner_on_unreachable(self, result: Any) -> None:
        """Record a task whose host was not reached."""
        self._record("unreachable", result)
        super().v2_runner_on_unreachable(result)

    def _record(self, outcome: str, result: Any) -> None:
        seconds = time.monotonic() - self._began
        task = result._task
        after = _get_hooks(task).get("after", ())
        requests: list[Any] = self._read_requests(until_rest=bool(after)) if self._host else []
        line = {
            "name": str(task.name or task.action),
            "host": str(result._host),
            "outcome": "unprepared" if self._unprepared else outcome,
            "result": {"msg": self._unprepared} if self._unprepared else result._result,
            "requests": requests,
            "observed": [self._ask_control(*request) for request in after],
            "seconds": round(seconds, 3),
        }
        self._recording.write(json.dumps(line, default=str) + "\n")
        self._recording.flush()

    def _read_requests(self, until_rest: bool) -> list[Any]:
        """Return what the task sent.

        ``until_rest``: when all of it has had its effect, also what nobody waits for any more.
        """
        deadline = time.monotonic() + LONGEST_REST
        while True:
            requests: list[Any] = self._ask_control("GET", f"/log?since={self._since}", None)[
                "requests"
            ]
            if (
                not until_rest
                or time.monotonic() > deadline
                or not any(map(_is_under_way, requests))
            ):
                return requests
            time.sleep(0.05)

    def _ask_control(self, method: str, path: str, body: Any) -> Any:
        deadline = time.monotonic() + LONGEST_REST
        while True:
            try:
                return self._read_answer_of_control(method, path, body)
            except ConnectionRefusedError:
                # A fault, or a reboot, took the panel away for a while.
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def _read_answer_of_control(self, method: str, path: str, body: Any) -> Any:
        # A connection a request, because every worker that Ansible forks would inherit one that
        # stays open.
        connection = http.client.HTTPConnection(self._host, timeout=30)
        try:
            connection.request(
                method,
                f"/_simulator{path}",
                None if body is None else json.dumps(body, default=str),
            )
            answer = connection.getresponse()
            data = answer.read()
            if answer.status >= 400:
                raise ValueError(f"{method} /_simulator{path}: {data.decode()}")
            return json.loads(data) if data else None
        finally:
            connection.close()


def _load_collection() -> None:
    import requests  # noqa: F401  the workers inherit it

    collection = "ansible_collections.hosting.panel.plugins"
    importlib.import_module(f"{collection}.action.panel")
    modules = importlib.import_module(f"{collection}.modules")

    for folder in modules.__path__:
        for file in Path(folder).glob("panel_*.py"):
            importlib.import_module(f"{collection}.modules.{file.stem}")


def _is_under_way(request: dict[str, Any]) -> bool:
    """Return whether a request is still without its answer, unless a fault left it so."""
    return request["status"] is None and request["fault"] in (None, "slow")


def _get_hooks(task: Any) -> dict[str, Any]:
    hooks: dict[str, Any] = (task.vars or {}).get("simulator") or {}
    return hooks

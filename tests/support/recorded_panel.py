# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A recorder in front of a panel, a replay of what it wrote, and tasks that run as modules against either."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.module_process import ModuleServer
from tests.support.simulator import Simulator

ANY_KEY = "a-key-that-nobody-checks"
Task = tuple[str, Mapping[str, Any]]


class Outcome(NamedTuple):
    """What came of a task."""

    module: str
    changed: bool
    failed: bool
    requests: int


@contextlib.contextmanager
def recorder(
    file: Path, upstream: str, api_key: str, more: Sequence[str] = (), errors: str = ""
) -> Iterator[Simulator]:
    """A running recorder; api_key: the one that is sent through it; errors: what it says on its standard error."""
    arguments = ["--record", str(file), "--upstream", upstream, *more]
    with Simulator.start(api_key="", arguments=arguments, max_seconds=300) as running:
        running.api_key = api_key
        yield running
        assert running.errors() == errors


@contextlib.contextmanager
def replay(file: Path) -> Iterator[Simulator]:
    """A running replay."""
    with Simulator.start(api_key="", arguments=["--replay", str(file)], max_seconds=300) as running:
        running.api_key = ANY_KEY
        yield running
        assert running.errors() == ""


def run_tasks(tasks: Iterable[Task], panel: Simulator, logged: Simulator) -> tuple[list[Outcome], list[dict[str, Any]]]:
    """What came of each task, and its result; logged: the panel that counts the requests."""
    outcomes, results = [], []
    connection = {"api_url": panel.url, "api_key": panel.api_key, "retry_time": 0}
    with ModuleServer() as modules:
        for module, options in tasks:
            before = logged.last_number()
            result = modules.run(module, {**connection, **options})
            results.append(result)
            outcomes.append(
                Outcome(module, bool(result.get("changed")), bool(result.get("failed")), logged.last_number() - before)
            )
    return outcomes, results

"""The event source as ansible-rulebook runs it, with something happening between its readings; and as a process that is killed at a moment."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ansible_collections.hosting.panel.plugins.plugin_utils._events.watch_panels import watch


class _Enough(Exception):
    """All readings that a test wants are done."""


def watched(options: Mapping[str, Any], *steps: Callable[[], Any]) -> list[list[dict[str, Any]]]:
    """Of the first reading the events, and of one more after each step. Raises SourceEnded."""
    told: list[list[dict[str, Any]]] = [[]]
    waiting = iter(steps)

    class Queue:
        async def put(self, event: dict[str, Any]) -> None:
            # As the filters of ansible-rulebook do.
            event["meta"]["received_at"] = "now"
            told[-1].append(event["panel"])

    async def pause(_seconds: float) -> None:
        step = next(waiting, None)
        if step is None:
            raise _Enough
        told.append([])
        step()

    with contextlib.suppress(_Enough):
        asyncio.run(watch(Queue(), options, pause))
    return told


def short(events: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(event["type"], event["kind"], event["key"]) for event in events]


class _Killed:
    """Kills the process at a moment, counted from 1; 0 for never."""

    def __init__(self, point: int) -> None:
        self._left = point

    def moment(self) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


class _File:
    """A queue that appends to a file."""

    def __init__(self, path: Path, killed: _Killed) -> None:
        self._path, self._killed = path, killed

    async def put(self, event: dict[str, Any]) -> None:
        self._killed.moment()
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(event) + "\n")
        self._killed.moment()


def main(options: Mapping[str, Any], path: Path, point: int) -> None:
    """Reads twice at most, and appends each event to a file. point: the moment of the kill, before or after a file is replaced or an event taken."""
    killed = _Killed(point)
    replace = os.replace

    def replacing(*arguments: Any, **keywords: Any) -> None:
        killed.moment()
        replace(*arguments, **keywords)
        killed.moment()

    os.replace = replacing  # type: ignore[assignment]
    readings = []

    async def pause(seconds: float) -> None:
        readings.append(seconds)
        if len(readings) == 2:
            raise SystemExit(0)

    asyncio.run(watch(_File(path, killed), dict(options), pause))

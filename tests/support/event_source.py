# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The event source as ansible-rulebook runs it, but with one reading whenever a test wants one; and as a program that ends by being killed.

As a program, it reads twice at most, and appends each event that it hands over to a file; see ``main``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import queue
import signal
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_collections.hosting.panel.plugins.plugin_utils._events.watch_panels import watch

SECONDS = 30.0


class SteppedSource:
    """A context manager; it begins when so many panels were read once, or it has ended. pauses: how long it would have waited."""

    def __init__(self, readings: int = 1, **options: Any) -> None:
        self.options, self._readings = options, readings
        self.pauses: list[float] = []
        self.error: BaseException | None = None
        self._events: queue.Queue[dict[str, Any]] = queue.Queue()
        self._paused = threading.Semaphore(0)
        self._steps: list[asyncio.Event] = []

    def __enter__(self) -> SteppedSource:
        self._loop = asyncio.new_event_loop()
        self._task = self._loop.create_task(watch(self, self.options, self._pause))
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self._wait()
        return self

    def __exit__(self, *_exception: object) -> None:
        with contextlib.suppress(RuntimeError):  # it has ended
            self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join(SECONDS)
        assert not self._thread.is_alive()

    async def put(self, event: dict[str, Any]) -> None:
        """As the queue that the source puts events into."""
        # As the filters of ansible-rulebook do.
        event["meta"]["received_at"] = "now"
        self._events.put(event)

    def read(self) -> list[tuple[str, str, str]]:
        """Has every panel read once more; the events of it."""
        steps, self._steps = self._steps, []
        for step in steps:
            self._loop.call_soon_threadsafe(step.set)
        self._wait(len(steps))
        return self.events()

    def events(self) -> list[tuple[str, str, str]]:
        """The events since they were asked for last."""
        return [(event["type"], event["kind"], event["key"]) for event in self.whole_events()]

    def whole_events(self) -> list[dict[str, Any]]:
        """The same with all that they say."""
        found = []
        while not self._events.empty():
            found.append(self._events.get()["panel"])
        return found

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        step = asyncio.Event()
        self._steps.append(step)
        self._paused.release()
        await step.wait()

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._task)
        except asyncio.CancelledError:
            pass
        except BaseException as error:
            self.error = error
            for _reading in range(self._readings):
                self._paused.release()
        finally:
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()

    def _wait(self, readings: int | None = None) -> None:
        for _reading in range(self._readings if readings is None else readings):
            assert self._paused.acquire(timeout=SECONDS), "no reading came to its end"


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
    """Ends the process. point: the moment at which it is killed: each is before or after a file is replaced, or before or after an event is taken."""
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

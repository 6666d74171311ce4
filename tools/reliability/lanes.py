"""Many cases side by side, in processes that have a simulator each: most of the time a case waits."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from ansible_collections.hosting.panel.plugins.module_utils._task import locks as task_locks
from tests.support.module_process import LOCKS, ModuleServer
from tests.support.simulator import Simulator

LONGEST = 3600
T = TypeVar("T")


@dataclass
class Lane:
    """What a process of its own has: a panel of its own, and a server of modules from its first use on."""

    simulator: Simulator
    _modules: list[ModuleServer] = field(default_factory=list)

    @property
    def modules(self) -> ModuleServer:
        """The process that runs modules."""
        if not self._modules:
            self._modules.append(ModuleServer())
        return self._modules[0]

    def close(self) -> None:
        """Ends the server of modules."""
        for server in self._modules:
            server.stop()


_lane: list[Lane] = []


def in_lanes(
    function: Callable[[Lane, int], T], count: int, lanes: int, settings: Mapping[str, Any], seed: Mapping[str, Any]
) -> Iterator[T]:
    """What the function returns for a lane and each number below ``count``, in order of the numbers.

    The processes are copies of this one, so what the numbers stand for need not be handed over.
    """
    context = multiprocessing.get_context("fork")
    with contextlib.ExitStack() as stack:
        # All of them before the work begins, which would leave no processor time for those that still start.
        simulators = [stack.enter_context(simulator_with(settings, seed)) for _lane_number in range(min(lanes, count))]
        free = context.SimpleQueue()
        for number in range(len(simulators)):
            free.put(number)
        locks = stack.enter_context(tempfile.TemporaryDirectory())
        pool = stack.enter_context(ProcessPoolExecutor(len(simulators), context, _open, (simulators, free, locks)))
        try:
            yield from pool.map(_call, [function] * count, range(count))
        except BaseException:
            # Nobody waits for what has not begun, nor for what has.
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.terminate()
            raise


def _open(simulators: Sequence[Simulator], free: Any, locks: str) -> None:
    # An interruption of all is for the process that has started this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    number = free.get()
    # Each panel has the same objects, and tasks wait for another one that writes the same: here, not for those of other panels.
    task_locks._TEMPORARY = f"{locks}/{number}"
    Path(task_locks._TEMPORARY).mkdir()
    os.environ[LOCKS] = task_locks._TEMPORARY
    lane = Lane(simulators[number])
    _lane[:] = [lane]
    multiprocessing.util.Finalize(lane, lane.close, exitpriority=10)


def _call(function: Callable[[Lane, int], T], number: int) -> T:
    return function(_lane[0], number)


def simulator_with(settings: Mapping[str, Any], seed: Mapping[str, Any]) -> Simulator:
    """A simulator that has this seed after every reset."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(seed, file)
        file.flush()
        return Simulator.start(settings=dict(settings), arguments=["--seed", file.name], max_seconds=LONGEST)

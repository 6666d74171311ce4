"""A clock that only goes on when somebody sleeps or a request takes its time."""

from __future__ import annotations

from ansible_collections.hosting.panel.plugins.module_utils._http.repeats import Patience


class SimulatedTime:
    """``now`` in seconds; ``sleeps`` are the pauses in their order."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.sleeps: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0, "nobody can sleep backwards"
        self.sleeps.append(seconds)
        self.now += seconds

    def patience(self, retry_time: float, spread: float = 0.5) -> Patience:
        """The patience of a task on this clock; ``spread`` 0.5 makes the waits 0.5, 1, 2, 4, 5, 5 … seconds."""
        return Patience(retry_time, sleep=self.sleep, clock=self.clock, spread=lambda: spread)

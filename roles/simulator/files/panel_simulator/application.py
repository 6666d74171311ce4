"""A simulated panel at work: its log, reloads, reboots, what it counts. What a request means is in the handlers."""

from __future__ import annotations

import json
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from panel_simulator.answering import WRITES, Reply, answered, json_reply
from panel_simulator.calls import ApiError, Call
from panel_simulator.connections import Connection, Listener
from panel_simulator.faults import Faults
from panel_simulator.panel import Panel
from panel_simulator.state import plant

_HIDDEN = "***"


@dataclass
class LoggedRequest:
    """One request below /api/v2. ``target`` is path and query as they were sent.

    ``status`` is None when no answer was sent; ``fault`` is what was done to it instead, if anything.
    """

    number: int
    time: float
    connection: int
    method: str
    path: str
    query: dict[str, str]
    target: str
    body: Any
    status: int | None = None
    fault: str | None = None


class Application:
    """One simulated panel behind one listener, which is set once it exists. ``before_write`` is called before each write takes effect.

    ``lock`` is held by whoever reads or changes the panel: each connection has a thread.
    """

    def __init__(
        self,
        panel: Panel,
        is_read_only: bool = False,
        scheme: str = "http",
        first_settings: Mapping[str, Any] | None = None,
        first_seed: Any = None,
    ) -> None:
        self.panel = panel
        panel.is_read_only = is_read_only
        self.scheme = scheme
        self.first_settings = dict(first_settings or {})
        self.first_seed = first_seed or {}
        self.lock = threading.RLock()
        self.log: list[LoggedRequest] = []
        self.faults = Faults()
        self.released = threading.Event()
        self.drops = False
        self.listener: Listener | None = None
        self.before_write: Callable[[], None] = lambda: None
        self.reload_until = 0.0
        self._last_number = 0
        self._timers: list[threading.Timer] = []
        self._writes = 0
        self._by_method: Counter[str] = Counter()
        self._running = 0
        self._peak = 0
        self.reset()

    def reset(self) -> None:
        """Everything as after a start without a state file: settings, objects, no faults, an empty log."""
        for timer in self._timers:
            timer.cancel()
        self._timers = []
        self.panel.settings.reset()
        self.panel.settings.merge(self.first_settings)
        self.panel.reset_objects()
        plant(self.panel, self.first_seed)
        self.log.clear()
        self.take_back_faults()
        self.reload_until, self._writes = 0.0, 0
        self._by_method, self._peak = Counter(), self._running

    def take_back_faults(self) -> None:
        """No fault is queued any more, and a panel that stands still goes on."""
        self.faults.queue = []
        self.released.set()

    def stall(self, drops: bool) -> None:
        """Stands still until the faults are taken back; drops: whether requests that nobody waits for any more have no effect then."""
        self.drops = drops
        self.released.clear()

    def go_away(self, seconds: float, spared: Connection | None = None) -> None:
        """Refuses connections for a while."""
        if self.listener is not None:
            self.listener.go_away(seconds, spared)

    def counters(self) -> dict[str, Any]:
        """What happened since the start or the last reset; connections since the start."""
        return {
            "requests": self._by_method.total(),
            "by_method": dict(self._by_method),
            "connections": self.listener.accepted if self.listener else 0,
            "open_connections": len(self.listener.open) if self.listener else 0,
            "peak_concurrent": self._peak,
            "stalled": not self.released.is_set(),
        }

    def begin(
        self, connection: int, method: str, path: str, query: dict[str, str], target: str, raw: bytes
    ) -> LoggedRequest:
        """Notes that a request of the API arrived; the caller fills in the rest."""
        with self.lock:
            self._by_method[method] += 1
            self._running += 1
            self._peak = max(self._peak, self._running)
            self._last_number += 1
            entry = LoggedRequest(self._last_number, time.time(), connection, method, path, query, target, raw)
            self.log.append(entry)
            return entry

    def end(self) -> None:
        """Notes that its answer is there."""
        with self.lock:
            self._running -= 1

    def shown_log(self, since: int) -> dict[str, Any]:
        """Entries after number ``since``, without the API key, and in ``next`` the ``since`` for the next time."""
        requests = [{**vars(entry), "body": _decoded(entry.body)} for entry in self.log if entry.number > since]
        key = self.panel.api_key
        text = json.dumps(requests)
        if key in text:
            requests = json.loads(text.replace(json.dumps(key)[1:-1], _HIDDEN))
        return {"next": self._last_number, "requests": requests}

    def carry_out(self, call: Call) -> Reply:
        """What a panel without faults does with a request."""
        with self.lock:
            if call.method in WRITES:
                self.before_write()
            try:
                reply = answered(self.panel, call)
            except Exception:
                # A mistake in the simulator; the caller sees it as an error of the panel, the trace tells where it is.
                traceback.print_exc(file=sys.stderr)
                return json_reply(500, ApiError(500, "The simulator failed; see its standard error.").body)
            if call.method in WRITES and reply.status < 400:
                self._after_write(call)
            return reply

    def carry_out_later(self, call: Call, seconds: float) -> None:
        """The same, in so many seconds, when nobody waits for the answer any more; nothing of it is left after a reset."""
        self._later(seconds, lambda: self.carry_out(call))

    def _later(self, seconds: float, work: Callable[[], object]) -> None:
        def run() -> None:
            with self.lock:
                if timer in self._timers:
                    work()

        timer = threading.Timer(seconds, run)
        timer.daemon = True
        with self.lock:
            self._timers = [*(one for one in self._timers if one.is_alive()), timer]
            timer.start()

    def _after_write(self, call: Call) -> None:
        settings = self.panel.settings
        self._writes += 1
        if settings.reload_every_writes and self._writes % settings.reload_every_writes == 0:
            self.reload_until = time.monotonic() + settings.reload_milliseconds / 1000
        if call.path.rstrip("/") == "/server/reboot":
            down_time = settings.reboot_down_time
            self._later(settings.reboot_delay, lambda: self._reboot(down_time))

    def _reboot(self, seconds: float) -> None:
        self.panel.booted_at = self.panel.clock() + seconds
        self.go_away(seconds)


def _decoded(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return raw.decode("utf-8", "replace")

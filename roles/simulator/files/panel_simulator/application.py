# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated panel at work: access, faults, reloads, what it counts. What a request means is in the handlers."""

from __future__ import annotations

import asyncio
import functools
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from aiohttp import web

from panel_simulator.answering import WRITES, answered
from panel_simulator.calls import Call
from panel_simulator.connections import ConnectionServer, Listener
from panel_simulator.errors import ApiError
from panel_simulator.faults import Faults
from panel_simulator.panel import Panel
from panel_simulator.request_log import RequestLog
from panel_simulator.responses import http_response, json_response
from panel_simulator.seed import plant

if TYPE_CHECKING:
    from panel_simulator.name_server import NameServer

LARGEST_BODY = 256 * 2**20


Handle = Callable[["Application", web.BaseRequest], Awaitable[web.StreamResponse]]


class Application:
    """One simulated panel behind one listener, and a name server if it has one, which are set once they exist."""

    def __init__(
        self,
        handle: Handle,
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
        self.log = RequestLog()
        self.faults = Faults()
        self.released = asyncio.Event()
        self.drops = False
        self.listener: Listener | None = None
        self.name_server: NameServer | None = None
        self.reload_until = 0.0
        self.reboot: asyncio.TimerHandle | None = None
        self.late: list[asyncio.TimerHandle] = []
        self.writes = 0
        self.by_method: dict[str, int] = {}
        self.running = 0
        self.peak = 0
        self.server = ConnectionServer(
            functools.partial(handle, self),
            request_factory=request_factory,
            keepalive_timeout=86400.0,
            access_log=None,
        )
        self.reset()

    def reset(self) -> None:
        """Everything as after a start without a state file: settings, objects, no faults, an empty log."""
        self.panel.settings.reset()
        self.panel.settings.merge(self.first_settings)
        self.panel.reset_objects()
        plant(self.panel, self.first_seed)
        self.log.clear()
        self.take_back_faults()
        for pending in (*self.late, *([self.reboot] if self.reboot is not None else [])):
            pending.cancel()
        self.late = []
        self.reload_until, self.writes = 0.0, 0
        self.by_method, self.peak = {}, self.running

    def take_back_faults(self) -> None:
        """No fault is queued any more, and a panel that stands still goes on."""
        self.faults.clear()
        self.released.set()

    def stall(self, drops: bool) -> None:
        """Stands still until the faults are taken back; drops: whether requests that nobody waits for any more have no effect then."""
        self.drops = drops
        self.released.clear()

    def counters(self) -> dict[str, Any]:
        """What happened since the start or the last reset; connections since the start."""
        return {
            "requests": sum(self.by_method.values()),
            "by_method": dict(self.by_method),
            "connections": self.server.accepted,
            "open_connections": len(self.server.open),
            "peak_concurrent": self.peak,
            "stalled": not self.released.is_set(),
        }

    def carry_out(self, call: Call) -> web.Response:
        """What a panel without faults does with a request."""
        if self.name_server is not None and call.method in WRITES:
            self.name_server.remember()
        try:
            reply = answered(self.panel, call)
        except Exception:
            # A mistake in the simulator; the caller sees it as an error of the panel, the trace tells where it is.
            traceback.print_exc(file=sys.stderr)
            return json_response(500, ApiError(500, "The simulator failed; see its standard error.").body)
        if call.method in WRITES and reply.status < 400:
            self._after_write(call)
        return http_response(reply)

    def carry_out_later(self, call: Call, seconds: float) -> None:
        """The same, in so many seconds, when nobody waits for the answer any more; nothing of it is left after a reset."""
        loop = asyncio.get_running_loop()
        waiting = [one for one in self.late if one.when() > loop.time()]
        self.late = [*waiting, loop.call_later(seconds, self.carry_out, call)]

    def _after_write(self, call: Call) -> None:
        settings = self.panel.settings
        self.writes += 1
        if settings.reload_every_writes and self.writes % settings.reload_every_writes == 0:
            self.reload_until = time.monotonic() + settings.reload_milliseconds / 1000
        if call.path.rstrip("/") == "/server/reboot":
            loop = asyncio.get_running_loop()
            self.reboot = loop.call_later(settings.reboot_delay, self._reboot, settings.reboot_down_time)

    def _reboot(self, seconds: float) -> None:
        self.panel.booted_at = self.panel.clock() + seconds
        if self.listener is not None:
            self.listener.go_away(seconds)


def request_factory(message: Any, payload: Any, protocol: Any, writer: Any, task: Any) -> web.BaseRequest:
    """The requests that aiohttp hands over, with bodies as large as backups of zones and lists are."""
    loop = asyncio.get_running_loop()
    return web.BaseRequest(message, payload, protocol, writer, task, loop, client_max_size=LARGEST_BODY)

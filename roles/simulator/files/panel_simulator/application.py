# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a connection to an answer: key, faults, delays, log. What a request means is in the handlers."""

from __future__ import annotations

import asyncio
import ipaddress
import sys
import time
import traceback
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote

from aiohttp import web

from panel_simulator import API_PATH, CONTROL_PATH, control, openapi, server, spoiling
from panel_simulator.calls import Answer, Call
from panel_simulator.connections import Connection, ConnectionServer, Listener
from panel_simulator.errors import ApiError, NotFound
from panel_simulator.faults import Faults
from panel_simulator.panel import Panel
from panel_simulator.representation import RENDERERS, chosen_type
from panel_simulator.request_log import LoggedRequest, RequestLog
from panel_simulator.responses import HTML, JSON, api_response, json_response, page, send_and_close
from panel_simulator.routes import resolve
from panel_simulator.seed import plant

OPENAPI_PATH = f"{API_PATH}/openapi.json"
WRITES = ("POST", "PUT", "DELETE", "PATCH")
READ_ONLY_STATUS = 599
LARGEST_BODY = 256 * 2**20


class Application:
    """One simulated panel behind one listener, which is set once it exists."""

    def __init__(
        self,
        panel: Panel,
        is_read_only: bool = False,
        scheme: str = "http",
        first_settings: Mapping[str, Any] | None = None,
        first_seed: Any = None,
    ) -> None:
        self.panel = panel
        self.is_read_only = is_read_only
        self.scheme = scheme
        self.first_settings = dict(first_settings or {})
        self.first_seed = first_seed or {}
        self.log = RequestLog()
        self.faults = Faults()
        self.released = asyncio.Event()
        self.drops = False
        self.listener: Listener | None = None
        self.reload_until = 0.0
        self.reboot: asyncio.TimerHandle | None = None
        self.late: list[asyncio.TimerHandle] = []
        self.writes = 0
        self.by_method: dict[str, int] = {}
        self.running = 0
        self.peak = 0
        self.server = ConnectionServer(
            self.handle, request_factory=_request_factory, keepalive_timeout=86400.0, access_log=None
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

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """One request of any kind."""
        connection = self.server.connection_of(request)
        connection.begin_request()
        path, _mark, query_text = request.raw_path.partition("?")
        query = dict(parse_qsl(query_text, keep_blank_values=True)) if query_text else {}
        if path.startswith(f"{API_PATH}/") and path != OPENAPI_PATH:
            response = await self._handle_api(request, connection, path[len(API_PATH) :], query)
        else:
            response = await self._handle_other(request, path, query)
        if not connection.transport.is_closing():
            connection.wait_for_request(self.panel.settings.keep_alive_seconds)
        return response

    async def _handle_other(self, request: web.BaseRequest, path: str, query: Mapping[str, str]) -> web.StreamResponse:
        if path.startswith(f"{CONTROL_PATH}/"):
            call = Call(request.method, path[len(CONTROL_PATH) :], query, await request.read())
            return self._handle_control(request, call)
        if request.method == "GET" and path == OPENAPI_PATH:
            return json_response(200, openapi.document(self._base_url(request)))
        if request.method == "GET" and path == server.LOGIN_PATH:
            status, html = server.login_page(self.panel, query.get("token", ""))
            return web.Response(status=status, text=html, content_type=HTML)
        return page(404)

    def _handle_control(self, request: web.BaseRequest, call: Call) -> web.StreamResponse:
        try:
            if not _is_in(request.remote, ("127.0.0.0/8", "::1/128")):
                raise ApiError(403, "The control interface answers on loopback only.")
            answer = control.handle(self, call)
        except ApiError as error:
            answer = Answer(status=error.status, value=error.body)
        return api_response(answer, JSON)

    def _base_url(self, request: web.BaseRequest) -> str:
        return f"{self.scheme}://{request.headers.get('Host', self.panel.settings.hostname)}"

    async def _handle_api(
        self, request: web.BaseRequest, connection: Connection, path: str, query: dict[str, str]
    ) -> web.StreamResponse:
        method = request.method
        self.by_method[method] = self.by_method.get(method, 0) + 1
        self.running += 1
        self.peak = max(self.peak, self.running)
        connection.api_requests += 1
        entry = self.log.add(connection.number, method, unquote(path), query, request.raw_path[len(API_PATH) :])
        try:
            if request.can_read_body:
                entry.raw = await request.read()
            await self._delay(connection, method)
            call = Call(method, path, query, entry.raw, base_url=self._base_url(request))
            response = await self._answer(request, connection, call, entry)
        finally:
            self.running -= 1
        settings = self.panel.settings
        if settings.requests_per_connection and connection.api_requests >= settings.requests_per_connection:
            response.force_close()
            if not settings.announce_close:
                await send_and_close(request, response, connection)
        return response

    async def _delay(self, connection: Connection, method: str) -> None:
        settings = self.panel.settings
        milliseconds = settings.latency
        if connection.api_requests == 1:
            milliseconds += settings.connection_latency
        if method in WRITES:
            milliseconds += settings.write_latency
        if milliseconds:
            await asyncio.sleep(milliseconds / 1000)

    async def _answer(
        self, request: web.BaseRequest, connection: Connection, call: Call, entry: LoggedRequest
    ) -> web.StreamResponse:
        if not self.released.is_set():
            await self.released.wait()
            if connection.transport.is_closing() and self.drops:
                return page(503)  # to nobody
        if time.monotonic() < self.reload_until:
            entry.status, entry.fault = self.panel.settings.reload_status, "reload"
            return page(entry.status)
        if self.faults.queue:
            fault, mutations = self.faults.strike(call.method, call.path)
            if fault is not None or mutations:
                return await spoiling.answer(self, request, connection, call, entry, fault, mutations)
        response = self.carry_out(request, call)
        entry.status = response.status
        return response

    def carry_out(self, request: web.BaseRequest, call: Call) -> web.Response:
        """What a panel without faults does with a request."""
        media_type = JSON
        try:
            self._check_access(request)
            if not self.panel.has_path(call.method, call.path):
                raise NotFound("The endpoint does not exist.")
            handler = resolve(call)
            chosen = chosen_type(request.headers.get("Accept", ""))
            if chosen is None:
                raise ApiError(406, f"The Accept header must be one of {', '.join(RENDERERS)}.")
            media_type = chosen
            if call.method in WRITES and self.is_read_only:
                raise ApiError(READ_ONLY_STATUS, "The simulator was started with --read-only.")
            answer = handler(self.panel, call)
            if call.method in WRITES:
                self._after_write(call)
        except ApiError as error:
            answer = Answer(status=error.status, value=error.body, headers=error.headers)
        except Exception:
            # A mistake in the simulator; the caller sees it as an error of the panel, the trace tells where it is.
            traceback.print_exc(file=sys.stderr)
            answer = Answer(status=500, value=ApiError(500, "The simulator failed; see its standard error.").body)
        return api_response(answer, media_type)

    def carry_out_later(self, request: web.BaseRequest, call: Call, seconds: float) -> None:
        """The same, in so many seconds, when nobody waits for the answer any more; nothing of it is left after a reset."""
        loop = asyncio.get_running_loop()
        waiting = [one for one in self.late if one.when() > loop.time()]
        self.late = [*waiting, loop.call_later(seconds, self.carry_out, request, call)]

    def _check_access(self, request: web.BaseRequest) -> None:
        settings = self.panel.settings
        if not settings.api_enabled:
            raise ApiError(403, "The API is disabled.")
        if request.headers.get("X-API-Key") != self.panel.api_key:
            raise ApiError(401, "API key is missing or invalid.")
        if settings.allowed_addresses and not _is_in(request.remote, settings.allowed_addresses):
            raise ApiError(403, "The API key must not be used from this address.")

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


def _request_factory(message: Any, payload: Any, protocol: Any, writer: Any, task: Any) -> web.BaseRequest:
    loop = asyncio.get_running_loop()
    return web.BaseRequest(message, payload, protocol, writer, task, loop, client_max_size=LARGEST_BODY)


def _is_in(remote: str | None, networks: list[str] | tuple[str, ...]) -> bool:
    try:
        address = ipaddress.ip_address(remote or "")
        return any(address in ipaddress.ip_network(network, strict=False) for network in networks)
    except ValueError:
        return False

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a connection to an answer: key, faults, delays, log. What a request means is in the handlers."""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote

from aiohttp import web

from panel_simulator import API_PATH, CONTROL_PATH, control, interference, openapi, server
from panel_simulator.calls import Answer, Call
from panel_simulator.connections import Connection, ConnectionServer, Listener
from panel_simulator.errors import ApiError, reason_of
from panel_simulator.faults import AFTER, BEFORE, Fault, Faults
from panel_simulator.panel import Panel
from panel_simulator.representation import RENDERERS, chosen_type, to_json
from panel_simulator.request_log import LoggedRequest, RequestLog
from panel_simulator.routes import resolve

WRITES = ("POST", "PUT", "DELETE", "PATCH")
LARGEST_BODY = 256 * 2**20
HTML = "text/html"


class Application:
    """One simulated panel behind one listener, which is set once it exists."""

    def __init__(
        self,
        panel: Panel,
        is_read_only: bool = False,
        scheme: str = "http",
        first_settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.panel = panel
        self.is_read_only = is_read_only
        self.scheme = scheme
        self.first_settings = dict(first_settings or {})
        self.panel.settings.merge(self.first_settings)
        self.log = RequestLog()
        self.faults = Faults()
        self.listener: Listener | None = None
        self.reload_until = 0.0
        self.writes = 0
        self.by_method: dict[str, int] = {}
        self.running = 0
        self.peak = 0
        self.server = ConnectionServer(
            self.handle, request_factory=_request_factory, keepalive_timeout=86400.0, access_log=None
        )

    def reset(self) -> None:
        """Everything as after the start with the options of the start, without the seed."""
        self.panel.settings.reset()
        self.panel.settings.merge(self.first_settings)
        self.panel.reset_objects()
        self.log.clear()
        self.faults.clear()
        self.reload_until, self.writes = 0.0, 0
        self.by_method, self.peak = {}, self.running

    def counters(self) -> dict[str, Any]:
        """What happened since the start or the last reset; connections since the start."""
        return {
            "requests": sum(self.by_method.values()),
            "by_method": dict(self.by_method),
            "connections": self.server.accepted,
            "open_connections": len(self.server.open),
            "peak_concurrent": self.peak,
        }

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """One request of any kind."""
        path, _mark, query_text = request.raw_path.partition("?")
        if path.startswith(f"{API_PATH}/") and path != f"{API_PATH}/openapi.json":
            return await self._handle_api(request, path[len(API_PATH) :], query_text)
        query = _query(query_text)
        if path.startswith(f"{CONTROL_PATH}/"):
            call = Call(request.method, path[len(CONTROL_PATH) :], query, await request.read())
            return self._handle_control(request, call)
        if path == f"{API_PATH}/openapi.json" and request.method == "GET":
            return _json(200, openapi.document(self._base_url(request)))
        if path == server.LOGIN_PATH and request.method == "GET":
            status, html = server.login_page(self.panel, query.get("token", ""))
            return web.Response(status=status, text=html, content_type=HTML)
        return web.Response(status=404, text=_page(404), content_type=HTML)

    def _handle_control(self, request: web.BaseRequest, call: Call) -> web.StreamResponse:
        if not _is_loopback(request.remote):
            return _json(403, ApiError(403, "The control interface answers on loopback only.").body)
        try:
            answer = control.handle(self, call)
        except ApiError as error:
            return _json(error.status, error.body)
        return _json(answer.status, answer.value) if answer.status != 204 else web.Response(status=204)

    def _base_url(self, request: web.BaseRequest) -> str:
        return f"{self.scheme}://{request.headers.get('Host', self.panel.settings.hostname)}"

    async def _handle_api(self, request: web.BaseRequest, path: str, query_text: str) -> web.StreamResponse:
        connection = self.server.open.get(request.protocol) or Connection(0, request.transport)  # type: ignore[arg-type]
        connection.requests += 1
        if connection.idle_timer is not None:
            connection.idle_timer.cancel()
            connection.idle_timer = None
        method = request.method
        self.by_method[method] = self.by_method.get(method, 0) + 1
        self.running += 1
        self.peak = max(self.peak, self.running)
        query = _query(query_text)
        entry = self.log.add(connection.number, method, unquote(path), query)
        try:
            if request.can_read_body:
                entry.raw = await request.read()
            call = Call(method, path, query, entry.raw, base_url=self._base_url(request))
            await self._delay(connection, method)
            response = await self._answer(request, connection, call, entry)
        finally:
            self.running -= 1
        settings = self.panel.settings
        limit = settings.requests_per_connection
        if limit and connection.requests >= limit:
            response.force_close()
            if not settings.announce_close:
                await _send_and_close(request, response, connection)
        elif not connection.transport.is_closing():
            loop = asyncio.get_running_loop()
            connection.idle_timer = loop.call_later(settings.keep_alive_seconds, connection.transport.close)
        return response

    async def _delay(self, connection: Connection, method: str) -> None:
        settings = self.panel.settings
        milliseconds = settings.latency
        if connection.requests == 1:
            milliseconds += settings.connection_latency
        if method in WRITES:
            milliseconds += settings.write_latency
        if milliseconds:
            await asyncio.sleep(milliseconds / 1000)

    async def _answer(
        self, request: web.BaseRequest, connection: Connection, call: Call, entry: LoggedRequest
    ) -> web.StreamResponse:
        if time.monotonic() < self.reload_until:
            entry.status, entry.fault = self.panel.settings.reload_status, "reload"
            return web.Response(status=entry.status, text=_page(entry.status), content_type=HTML)
        fault, mutations = self.faults.strike(call.method, call.path) if self.faults.queue else (None, [])
        if fault is None and not mutations:
            response = self._carry_out(request, call)
            entry.status = response.status
            return response
        return await self._faulty_answer(request, connection, call, entry, fault, mutations)

    async def _faulty_answer(
        self,
        request: web.BaseRequest,
        connection: Connection,
        call: Call,
        entry: LoggedRequest,
        fault: Fault | None,
        mutations: list[Fault],
    ) -> web.StreamResponse:
        entry.fault = fault.kind if fault else mutations[0].kind
        for mutation in mutations:
            if mutation.when == BEFORE:
                interference.change_zone(self.panel, call.path, mutation.options)
        response = _json(200, {})
        if fault is not None and fault.kind == "slow" and fault.when == BEFORE:
            await asyncio.sleep(fault.options["seconds"])
        if fault is None or fault.when == AFTER or fault.kind == "slow":
            response = self._carry_out(request, call)
        for mutation in mutations:
            if mutation.when == AFTER:
                interference.change_zone(self.panel, call.path, mutation.options)
        if fault is not None:
            return await self._spoil(request, connection, fault, response, entry)
        entry.status = response.status
        return response

    async def _spoil(
        self,
        request: web.BaseRequest,
        connection: Connection,
        fault: Fault,
        response: web.Response,
        entry: LoggedRequest,
    ) -> web.StreamResponse:
        options = fault.options
        if fault.kind in ("reset", "refuse"):
            if fault.kind == "refuse" and self.listener is not None:
                self.listener.go_away(options["seconds"])
            connection.reset()
            return response
        if fault.kind == "slow" and fault.when == AFTER:
            await asyncio.sleep(options["seconds"])
        elif fault.kind == "truncate":
            entry.status = response.status
            return await _send_truncated(request, response, options["bytes"], connection)
        elif fault.kind == "status":
            response = _error_response(options)
        elif fault.kind == "wrong_type":
            response.content_type = options["content_type"]
        elif fault.kind == "html_200":
            response = web.Response(text=options["html"] or _page(200), content_type=HTML)
        elif fault.kind == "redirect":
            response = web.Response(status=options["status"], headers={"Location": options["location"]})
        elif fault.kind == "body":
            response = _json(options["status"] or response.status, options["body"])
        entry.status = response.status
        return response

    def _carry_out(self, request: web.BaseRequest, call: Call) -> web.Response:
        """What a panel without faults does."""
        media_type = "application/json"
        try:
            self._check_access(request)
            handler = resolve(call)
            chosen = chosen_type(request.headers.get("Accept", ""))
            if chosen is None:
                raise ApiError(406, f"The Accept header must be one of {', '.join(RENDERERS)}.")
            media_type = chosen
            is_write = call.method in WRITES
            if is_write and self.is_read_only:
                raise ApiError(599, "The simulator was started with --read-only.")
            answer = handler(self.panel, call)
            if is_write:
                self._after_write(call)
        except ApiError as error:
            answer = Answer(status=error.status, value=error.body)
        return _response(answer, media_type)

    def _check_access(self, request: web.BaseRequest) -> None:
        settings = self.panel.settings
        if not settings.api_enabled:
            raise ApiError(403, "The API is disabled.")
        if request.headers.get("X-API-Key") != self.panel.api_key:
            raise ApiError(401, "API key is missing or invalid.")
        if settings.allowed_addresses and not _is_allowed(request.remote, settings.allowed_addresses):
            raise ApiError(403, "The API key must not be used from this address.")

    def _after_write(self, call: Call) -> None:
        settings = self.panel.settings
        self.writes += 1
        if settings.reload_every_writes and self.writes % settings.reload_every_writes == 0:
            self.reload_until = time.monotonic() + settings.reload_milliseconds / 1000
        if call.method == "POST" and call.path.rstrip("/") == "/server/reboot":
            asyncio.get_running_loop().call_later(settings.reboot_delay, self._reboot, settings.reboot_down_time)

    def _reboot(self, seconds: float) -> None:
        self.panel.booted_at = time.time() + seconds
        if self.listener is not None:
            self.listener.go_away(seconds)


def _request_factory(message: Any, payload: Any, protocol: Any, writer: Any, task: Any) -> web.BaseRequest:
    return web.BaseRequest(
        message, payload, protocol, writer, task, asyncio.get_running_loop(), client_max_size=LARGEST_BODY
    )


def _query(text: str) -> dict[str, str]:
    return dict(parse_qsl(text, keep_blank_values=True)) if text else {}


def _is_loopback(remote: str | None) -> bool:
    try:
        return ipaddress.ip_address(remote or "").is_loopback
    except ValueError:
        return False


def _is_allowed(remote: str | None, networks: list[str]) -> bool:
    try:
        address = ipaddress.ip_address(remote or "")
        return any(address in ipaddress.ip_network(network, strict=False) for network in networks)
    except ValueError:
        return False


def _page(status: int) -> str:
    title = reason_of(status)
    return f"<!DOCTYPE html>\n<html><head><title>{title}</title></head>\n<body><h1>{title}</h1></body></html>\n"


def _json(status: int, value: Any) -> web.Response:
    return web.Response(status=status, body=to_json(value).encode(), content_type="application/json")


def _response(answer: Answer, media_type: str) -> web.Response:
    if answer.value is None and answer.text is None:
        return web.Response(status=answer.status)
    if media_type == "application/json" and answer.text is not None:
        body = answer.text
    else:
        body = RENDERERS[media_type](answer.value() if callable(answer.value) else answer.value)
    return web.Response(status=answer.status, body=body.encode("utf-8", "replace"), content_type=media_type)


def _error_response(options: Mapping[str, Any]) -> web.Response:
    status = options["status"]
    if options["body"] == "json":
        response = _json(status, {"code": reason_of(status), "message": options["message"]})
    else:
        response = web.Response(status=status, text=_page(status), content_type=HTML)
    for name, value in options["headers"].items():
        response.headers[name] = str(value)
    return response


async def _send_truncated(
    request: web.BaseRequest, response: web.Response, length: int | None, connection: Connection
) -> web.StreamResponse:
    body = bytes(response.body or b"") or b"{}"
    length = len(body) // 2 if length is None else min(length, len(body) - 1)
    status = 200 if response.status == 204 else response.status
    partial = web.StreamResponse(
        status=status, headers={"Content-Type": response.content_type, "Content-Length": str(len(body))}
    )
    partial.force_close()
    await partial.prepare(request)
    await partial.write(body[:length])
    connection.transport.close()
    return partial


async def _send_and_close(request: web.BaseRequest, response: web.StreamResponse, connection: Connection) -> None:
    response.headers["Connection"] = "keep-alive"
    await response.prepare(request)
    await response.write_eof()
    connection.transport.close()

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a connection to an answer: delays, faults, the log, and what is not the API."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from urllib.parse import parse_qsl, unquote

from aiohttp import web

from panel_simulator import API_PATH, CONTROL_PATH, control, openapi, server, spoiling
from panel_simulator.answering import HTML, WRITES, is_in
from panel_simulator.application import Application
from panel_simulator.calls import Call
from panel_simulator.connections import Connection
from panel_simulator.errors import ApiError
from panel_simulator.request_log import LoggedRequest
from panel_simulator.responses import json_response, page, send_and_close

OPENAPI_PATH = f"{API_PATH}/openapi.json"


async def handle(application: Application, request: web.BaseRequest) -> web.StreamResponse:
    """One request of any kind."""
    connection = application.server.connection_of(request)
    connection.begin_request()
    path, _mark, query_text = request.raw_path.partition("?")
    query = dict(parse_qsl(query_text, keep_blank_values=True)) if query_text else {}
    if path.startswith(f"{API_PATH}/") and path != OPENAPI_PATH:
        response = await _handle_api(application, request, connection, path[len(API_PATH) :], query)
    else:
        response = await _handle_other(application, request, path, query)
    if not connection.transport.is_closing():
        connection.wait_for_request(application.panel.settings.keep_alive_seconds)
    return response


async def _handle_other(
    application: Application, request: web.BaseRequest, path: str, query: Mapping[str, str]
) -> web.StreamResponse:
    if path.startswith(f"{CONTROL_PATH}/"):
        call = Call(request.method, path[len(CONTROL_PATH) :], query, await request.read())
        return _handle_control(application, request, call)
    if request.method == "GET" and path == OPENAPI_PATH:
        return json_response(200, openapi.document(_base_url(application, request)))
    if request.method == "GET" and path == server.LOGIN_PATH:
        status, html = server.login_page(application.panel, query.get("token", ""))
        return web.Response(status=status, text=html, content_type=HTML)
    return page(404)


def _handle_control(application: Application, request: web.BaseRequest, call: Call) -> web.StreamResponse:
    try:
        if not is_in(request.remote, ("127.0.0.0/8", "::1/128")):
            raise ApiError(403, "The control interface answers on loopback only.")
        answer = control.handle(application, call)
    except ApiError as error:
        return json_response(error.status, error.body)
    return web.Response(status=answer.status) if answer.value is None else json_response(answer.status, answer.value)


def _base_url(application: Application, request: web.BaseRequest) -> str:
    return f"{application.scheme}://{request.headers.get('Host', application.panel.settings.hostname)}"


async def _handle_api(
    application: Application, request: web.BaseRequest, connection: Connection, path: str, query: dict[str, str]
) -> web.StreamResponse:
    method = request.method
    application.by_method[method] = application.by_method.get(method, 0) + 1
    application.running += 1
    application.peak = max(application.peak, application.running)
    connection.api_requests += 1
    entry = application.log.add(connection.number, method, unquote(path), query, request.raw_path[len(API_PATH) :])
    try:
        if request.can_read_body:
            entry.raw = await request.read()
        await _delay(application, connection, method)
        headers = request.headers
        call = Call(
            method,
            path,
            query,
            entry.raw,
            base_url=_base_url(application, request),
            target=request.raw_path,
            key=headers.get("X-API-Key"),
            accept=headers.get("Accept", ""),
            remote=request.remote,
        )
        response = await _answer(application, request, connection, call, entry)
    finally:
        application.running -= 1
    settings = application.panel.settings
    if settings.requests_per_connection and connection.api_requests >= settings.requests_per_connection:
        response.force_close()
        if not settings.announce_close:
            await send_and_close(request, response, connection)
    return response


async def _delay(application: Application, connection: Connection, method: str) -> None:
    settings = application.panel.settings
    milliseconds = settings.latency
    if connection.api_requests == 1:
        milliseconds += settings.connection_latency
    if method in WRITES:
        milliseconds += settings.write_latency
    if milliseconds:
        await asyncio.sleep(milliseconds / 1000)


async def _answer(
    application: Application, request: web.BaseRequest, connection: Connection, call: Call, entry: LoggedRequest
) -> web.StreamResponse:
    if not application.released.is_set():
        await application.released.wait()
        if connection.transport.is_closing() and application.drops:
            return page(503)  # to nobody
    if time.monotonic() < application.reload_until:
        entry.status, entry.fault = application.panel.settings.reload_status, "reload"
        return page(entry.status)
    if application.faults.queue:
        fault, mutations = application.faults.strike(call.method, call.path)
        if fault is not None or mutations:
            return await spoiling.answer(application, request, connection, call, entry, fault, mutations)
    response = application.carry_out(call)
    entry.status = response.status
    return response

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each kind of fault does to a request and its answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from panel_simulator import interference
from panel_simulator.answering import HTML, page_text
from panel_simulator.application import Application
from panel_simulator.calls import Call
from panel_simulator.connections import Connection
from panel_simulator.errors import reason_of
from panel_simulator.faults import AFTER, BEFORE, Fault
from panel_simulator.request_log import LoggedRequest
from panel_simulator.responses import json_response, page, send_truncated


@dataclass
class Strike:
    """One fault that strikes one request; ``response`` is the panel's own answer, or a stand-in where the request had no effect."""

    application: Application
    request: web.BaseRequest
    connection: Connection
    response: web.Response
    options: Mapping[str, Any]


Effect = Callable[[Strike], Awaitable[web.StreamResponse]]


async def answer(
    application: Application,
    request: web.BaseRequest,
    connection: Connection,
    call: Call,
    entry: LoggedRequest,
    fault: Fault | None,
    mutations: list[Fault],
) -> web.StreamResponse:
    """Carries the request out, or not, and answers as the fault wants it; notes in the log what was done."""
    entry.fault = fault.kind if fault else mutations[0].kind
    _mutate(application, call, mutations, BEFORE)
    if fault is not None and fault.kind == "slow" and fault.when == BEFORE:
        await asyncio.sleep(fault.options["seconds"])
    has_effect = fault is None or (fault.late is None and (fault.kind == "slow" or fault.when == AFTER))
    if fault is not None and fault.late is not None:
        application.carry_out_later(call, fault.late)
    response = application.carry_out(call) if has_effect else json_response(200, {})
    _mutate(application, call, mutations, AFTER)
    result: web.StreamResponse = response
    if fault is not None and not (fault.kind == "slow" and fault.when == BEFORE):
        result = await _EFFECTS[fault.kind](Strike(application, request, connection, response, fault.options))
    entry.status = None if _is_left_unanswered(fault) else result.status
    return result


def _is_left_unanswered(fault: Fault | None) -> bool:
    return fault is not None and fault.kind in ("reset", "refuse") and not fault.options.get("answered")


def _mutate(application: Application, call: Call, mutations: list[Fault], when: str) -> None:
    for mutation in mutations:
        if mutation.when == when:
            interference.interfere(application.panel, call.path, mutation.kind, mutation.options)


async def _status(strike: Strike) -> web.StreamResponse:
    status = strike.options["status"]
    if strike.options["body"] == "json":
        response = json_response(status, {"code": reason_of(status), "message": strike.options["message"]})
    else:
        response = page(status)
    for name, value in strike.options["headers"].items():
        response.headers[name] = str(value)
    return response


async def _reset(strike: Strike) -> web.StreamResponse:
    strike.connection.reset()
    return strike.response


async def _refuse(strike: Strike) -> web.StreamResponse:
    is_answered = strike.options["answered"]
    if strike.application.listener is not None:
        strike.application.listener.go_away(strike.options["seconds"], strike.connection if is_answered else None)
    if not is_answered:
        return await _reset(strike)
    # Announced, so that the caller opens another connection for its next request, in vain.
    strike.response.force_close()
    return strike.response


async def _slow(strike: Strike) -> web.StreamResponse:
    await asyncio.sleep(strike.options["seconds"])
    return strike.response


async def _stall(strike: Strike) -> web.StreamResponse:
    strike.application.stall(strike.options["drops"])
    await strike.application.released.wait()
    return strike.response


async def _truncate(strike: Strike) -> web.StreamResponse:
    return await send_truncated(strike.request, strike.response, strike.options["bytes"], strike.connection)


async def _wrong_type(strike: Strike) -> web.StreamResponse:
    strike.response.content_type = strike.options["content_type"]
    return strike.response


async def _html_200(strike: Strike) -> web.StreamResponse:
    return web.Response(text=strike.options["html"] or page_text(200), content_type=HTML)


async def _redirect(strike: Strike) -> web.StreamResponse:
    return web.Response(status=strike.options["status"], headers={"Location": strike.options["location"]})


async def _body(strike: Strike) -> web.StreamResponse:
    return json_response(strike.options["status"] or strike.response.status, strike.options["body"])


_EFFECTS: dict[str, Effect] = {
    "status": _status,
    "reset": _reset,
    "refuse": _refuse,
    "slow": _slow,
    "stall": _stall,
    "truncate": _truncate,
    "wrong_type": _wrong_type,
    "html_200": _html_200,
    "redirect": _redirect,
    "body": _body,
}

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""HTTP answers: the API's own, error pages of a web server, and broken ones."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from panel_simulator.calls import Answer
from panel_simulator.connections import Connection
from panel_simulator.errors import reason_of
from panel_simulator.representation import RENDERERS, to_json

HTML = "text/html"
JSON = "application/json"


def page(status: int) -> web.Response:
    """The HTML page that a web server makes for a status."""
    return web.Response(status=status, text=page_text(status), content_type=HTML)


def page_text(status: int) -> str:
    """Its HTML."""
    title = reason_of(status)
    return f"<!DOCTYPE html>\n<html><head><title>{title}</title></head>\n<body><h1>{title}</h1></body></html>\n"


def json_response(status: int, value: Any) -> web.Response:
    """JSON, pretty-printed."""
    return web.Response(status=status, body=to_json(value).encode("utf-8", "replace"), content_type=JSON)


def api_response(answer: Answer, media_type: str) -> web.Response:
    """What a handler answered, in the representation that was asked for."""
    if answer.value is None and answer.text is None:
        return web.Response(status=answer.status, headers=answer.headers)
    if media_type == JSON and answer.text is not None:
        text = answer.text
    else:
        text = RENDERERS[media_type](answer.value() if callable(answer.value) else answer.value)
    body = text.encode("utf-8", "replace")
    return web.Response(status=answer.status, body=body, content_type=media_type, headers=answer.headers)


async def send_truncated(
    request: web.BaseRequest, response: web.Response, length: int | None, connection: Connection
) -> web.StreamResponse:
    """Announces the whole body, sends ``length`` bytes of it (None: half) and closes the connection."""
    body = response.body if isinstance(response.body, (bytes, bytearray)) and response.body else b"{}"
    length = len(body) // 2 if length is None else min(length, len(body) - 1)
    partial = web.StreamResponse(
        status=200 if response.status == 204 else response.status,
        headers={"Content-Type": response.content_type, "Content-Length": str(len(body))},
    )
    partial.force_close()
    await partial.prepare(request)
    await partial.write(bytes(body[:length]))
    connection.transport.close()
    return partial


async def send_and_close(request: web.BaseRequest, response: web.StreamResponse, connection: Connection) -> None:
    """Sends an answer that promises to keep the connection, and closes it."""
    response.headers["Connection"] = "keep-alive"
    await response.prepare(request)
    await response.write_eof()
    connection.transport.close()

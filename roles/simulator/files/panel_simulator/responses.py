# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""HTTP answers: the API's own, error pages of a web server, and broken ones."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from panel_simulator import answering
from panel_simulator.answering import Reply
from panel_simulator.connections import Connection
from panel_simulator.representation import JSON, to_json


class _WithoutType(web.Response):
    """An answer that does not say which type it has; aiohttp would make one up."""

    async def _prepare_headers(self) -> None:
        await super()._prepare_headers()
        self.headers.popall("Content-Type", None)


def http_response(reply: Reply) -> web.Response:
    """What a panel answered."""
    headers = dict(reply.headers)
    if not reply.body:
        return web.Response(status=reply.status, headers=headers)
    if reply.media_type is None:
        return _WithoutType(status=reply.status, body=reply.body, headers=headers)
    return web.Response(status=reply.status, body=reply.body, headers={**headers, "Content-Type": reply.media_type})


def page(status: int) -> web.Response:
    """The HTML page that a web server makes for a status."""
    return http_response(answering.page(status))


def json_response(status: int, value: Any) -> web.Response:
    """JSON, pretty-printed."""
    return web.Response(status=status, body=to_json(value).encode("utf-8", "replace"), content_type=JSON)


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

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A proxy in front of a panel that writes down what is asked and answered, without secrets and without customers' data."""

from __future__ import annotations

import asyncio
import functools
import ssl
import sys
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
from aiohttp import web
from yarl import URL

from panel_simulator import API_PATH, CONTROL_PATH
from panel_simulator.answering import Reply
from panel_simulator.application import request_factory
from panel_simulator.connections import ConnectionServer, Listener
from panel_simulator.errors import ApiError
from panel_simulator.recording.conversation import ConversationFile
from panel_simulator.recording.exchanges import Exchange, Recorded
from panel_simulator.responses import http_response, json_response, page

# Of one connection only, or made anew by this end of it.
_NOT_PASSED_ON = frozenset(
    ("accept-encoding", "connection", "content-encoding", "content-length",
     "expect", "host", "keep-alive", "proxy-authenticate", "proxy-connection", "te",
     "trailer", "transfer-encoding", "upgrade")
)  # fmt: skip
_LONGEST_ANSWER = aiohttp.ClientTimeout(total=None, connect=30, sock_read=600)


class Recorder:
    """One recording. api_key: the only one that is passed on to the panel, which bans who fails often; empty for any."""

    def __init__(self, path: Path, upstream: str, authority: Path | None, scheme: str, api_key: str) -> None:
        self.scheme, self.api_key = scheme, api_key
        self.listener: Listener | None = None
        self.upstream = _checked(upstream)
        self.tls = ssl.create_default_context(cafile=str(authority)) if authority else True
        self.recorded = Recorded()
        self.path, self.file = path, ConversationFile(path)
        self.failure = ""
        self.number = 0
        self.began: float | None = None
        self.session: aiohttp.ClientSession | None = None
        self.server = ConnectionServer(
            functools.partial(_handle, self), request_factory=request_factory, keepalive_timeout=75.0, access_log=None
        )

    async def close(self) -> None:
        """Ends the connections to the panel, and the file, of which nothing is left where nothing was asked."""
        if self.session is not None:
            await self.session.close()
        self.file.close()
        if not self.number:
            self.path.unlink(missing_ok=True)

    def write(self, exchange: Exchange) -> None:
        """Adds an exchange to the file. Where that fails, answers still reach who asked, and nothing more is written."""
        if self.failure:
            return
        self.number += 1
        try:
            self.file.append(self.recorded.entry(self.number, exchange))
        except OSError as error:
            self.failure = f"The recording ends before request {self.number}: {error.strerror}."
            print(self.failure, file=sys.stderr, flush=True)
        except Exception as error:
            # A mistake in the recorder, which must cost nobody an answer; the text of the error may have what was said.
            print(f"Request {self.number} is not recorded: {type(error).__name__}.", file=sys.stderr, flush=True)


def _checked(upstream: str) -> str:
    parts = urlsplit(upstream)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
        raise ValueError("--upstream must be the address of a panel, such as https://panel.example")
    return upstream.rstrip("/").removesuffix(API_PATH)


async def _handle(recorder: Recorder, request: web.BaseRequest) -> web.StreamResponse:
    if request.raw_path == f"{CONTROL_PATH}/counters":
        return json_response(200, {"requests": recorder.number})
    if not request.raw_path.startswith(f"{API_PATH}/"):
        return page(404)
    if recorder.api_key and request.headers.get("X-API-Key", "") != recorder.api_key:
        error = ApiError(401, "The recorder passes nothing on that does not carry the key that it was started with.")
        return json_response(401, error.body)
    loop = asyncio.get_running_loop()
    recorder.began = recorder.began if recorder.began is not None else loop.time()
    body = await request.read()
    exchange = Exchange(request.method, request.raw_path, request.headers.get("X-API-Key", ""), request.headers, body)
    try:
        response = await _passed_on(recorder, request, body, exchange)
    except (TimeoutError, aiohttp.ClientError) as error:
        print(f"Request {recorder.number + 1} got no answer: {_cause(error)}.", file=sys.stderr, flush=True)
        response = None
    exchange.seconds = loop.time() - recorder.began
    recorder.write(exchange)
    if response is None:
        recorder.server.connection_of(request).reset()
        return page(502)  # to nobody
    return response


def _cause(error: Exception) -> str:
    """In words of ours, since the library's may repeat addresses."""
    if isinstance(error, aiohttp.ClientSSLError):
        return "the panel's certificate is not trusted, see --upstream-ca"
    if isinstance(error, aiohttp.ClientConnectorError):
        return "the panel cannot be reached"
    if isinstance(error, TimeoutError):
        return "the panel took too long"
    return "the panel cut it off, or it is no HTTP"


async def _passed_on(recorder: Recorder, request: web.BaseRequest, body: bytes, exchange: Exchange) -> web.Response:
    if recorder.session is None:
        recorder.session = aiohttp.ClientSession(timeout=_LONGEST_ANSWER, cookie_jar=aiohttp.DummyCookieJar())
    passed = {name: value for name, value in request.headers.items() if name.lower() not in _NOT_PASSED_ON}
    async with recorder.session.request(
        request.method,
        URL(recorder.upstream + request.raw_path, encoded=True),
        data=body or None,
        headers={**passed, "Accept-Encoding": "identity"},
        ssl=recorder.tls,
        allow_redirects=False,
        skip_auto_headers=("User-Agent", "Accept", "Content-Type"),
    ) as answer:
        content = await answer.read()
        exchange.status, exchange.headers, exchange.body = answer.status, answer.headers, content
        response = http_response(Reply(answer.status, content, answer.headers.get("Content-Type")))
        for name, value in answer.headers.items():
            if name.lower() not in (*_NOT_PASSED_ON, "content-type"):
                response.headers.add(name, value)
        return response

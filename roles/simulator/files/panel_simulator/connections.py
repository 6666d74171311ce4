# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections: their numbers, how long they stay, and the listening socket that can go away for a while."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import struct
from dataclasses import dataclass
from typing import Any

from aiohttp import web

BACKLOG = 256


@dataclass
class Connection:
    """One accepted connection."""

    number: int
    transport: asyncio.BaseTransport
    api_requests: int = 0
    idle_timer: asyncio.TimerHandle | None = None

    def begin_request(self) -> None:
        """The connection is not idle any more."""
        if self.idle_timer is not None:
            self.idle_timer.cancel()
            self.idle_timer = None

    def wait_for_request(self, seconds: float) -> None:
        """Closes the connection if no request comes for so long."""
        self.idle_timer = asyncio.get_running_loop().call_later(seconds, self.transport.close)

    def reset(self) -> None:
        """Ends it as a crash does: with a reset, not with a regular end."""
        raw = self.transport.get_extra_info("socket")
        if raw is not None:
            with contextlib.suppress(OSError):
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if isinstance(self.transport, asyncio.WriteTransport):
            self.transport.abort()


class ConnectionServer(web.Server):
    """aiohttp's low-level server, with numbered connections."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.open: dict[Any, Connection] = {}
        self.accepted = 0

    def connection_made(self, handler: Any, transport: asyncio.Transport) -> None:
        """Called by aiohttp."""
        super().connection_made(handler, transport)
        self.accepted += 1
        self.open[handler] = Connection(self.accepted, transport)

    def connection_lost(self, handler: Any, exc: BaseException | None = None) -> None:
        """Called by aiohttp."""
        super().connection_lost(handler, exc)
        connection = self.open.pop(handler, None)
        if connection is not None:
            connection.begin_request()

    def connection_of(self, request: web.BaseRequest) -> Connection:
        """The connection that a request came on."""
        known = self.open.get(request.protocol)
        if known is not None:
            return known
        # It was lost between the request's arrival and now; nothing that is sent arrives.
        if request.transport is None:
            raise ConnectionResetError
        return Connection(0, request.transport)

    def reset_all(self, spared: Connection | None = None) -> None:
        """Resets every open connection but one."""
        for connection in list(self.open.values()):
            if connection is not spared:
                connection.reset()


class Listener:
    """The listening socket. ``port`` is known after ``start``."""

    def __init__(self, server: ConnectionServer, host: str, port: int, tls: ssl.SSLContext | None) -> None:
        self.server, self.host, self.port, self.tls = server, host, port, tls
        self._listening: socket.socket | None = None
        self._accepting: asyncio.Task[None] | None = None
        self._beginning: set[asyncio.Task[Any]] = set()
        self._reopening: asyncio.Task[None] | None = None
        self._away_until = 0.0

    async def start(self) -> None:
        """Starts to accept connections; raises OSError when the port is taken."""
        self._listen(self._bound_socket())

    def _bound_socket(self) -> socket.socket:
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        bound = socket.socket(family, socket.SOCK_STREAM)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.setblocking(False)
        bound.bind((self.host, self.port))
        self.port = bound.getsockname()[1]
        return bound

    def _listen(self, bound: socket.socket) -> None:
        bound.listen(BACKLOG)
        self._listening = bound
        self._accepting = asyncio.get_running_loop().create_task(self._accept(bound))

    async def _accept(self, listening: socket.socket) -> None:
        # Not asyncio's own server: closed at the wrong moment, it forgets a connection that it has accepted, which then hangs.
        loop = asyncio.get_running_loop()
        while True:
            accepted, _address = await loop.sock_accept(listening)
            beginning = loop.create_task(self._begin(accepted))
            self._beginning.add(beginning)
            beginning.add_done_callback(self._beginning.discard)

    async def _begin(self, accepted: socket.socket) -> None:
        # A handshake that fails, for example since the other side does not trust the certificate, ends that connection only.
        with contextlib.suppress(OSError):
            await asyncio.get_running_loop().connect_accepted_socket(self.server, accepted, ssl=self.tls)

    def _stop_listening(self) -> None:
        if self._accepting is not None:
            self._accepting.cancel()
        if self._listening is not None:
            # At once: the next socket may get the same number.
            asyncio.get_running_loop().remove_reader(self._listening)
            self._listening.close()
        self._accepting = self._listening = None

    def go_away(self, seconds: float, spared: Connection | None = None) -> None:
        """Resets all connections (but one) and refuses new ones for a while, or longer if it does so already."""
        loop = asyncio.get_running_loop()
        self._away_until = max(self._away_until, loop.time() + seconds)
        if self._listening is None:
            return
        self._stop_listening()
        # Bound but not listening: connections are refused, and nobody else can take the port.
        self._reopening = loop.create_task(self._come_back(self._bound_socket()))
        self.server.reset_all(spared)

    async def _come_back(self, bound: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        try:
            while loop.time() < self._away_until:
                await asyncio.sleep(self._away_until - loop.time())
        except asyncio.CancelledError:
            bound.close()
            raise
        self._listen(bound)

    async def stop(self) -> None:
        """Closes the socket and every connection."""
        if self._reopening is not None:
            self._reopening.cancel()
        self._stop_listening()
        self.server.reset_all()
        await self.server.shutdown(0.1)

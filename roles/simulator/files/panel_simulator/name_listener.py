# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sockets of the name server: UDP and TCP on one port."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable
from typing import Any

import dns.flags
import dns.message

from panel_simulator.name_server import NameServer

_ATTEMPTS = 20
_BACKLOG = 64
_IDLE_SECONDS = 30.0
_LENGTH_BYTES = 2


class NameListener:
    """Answers on one address. ``port`` is known after ``start``; 0 before it means any that is free for both."""

    def __init__(self, name_server: NameServer, host: str, port: int) -> None:
        self.name_server, self.host, self.port = name_server, host, port
        self.transports: set[asyncio.Transport] = set()
        self._server: asyncio.Server | None = None
        self._datagrams: asyncio.DatagramTransport | None = None

    async def start(self) -> None:
        """Starts to answer; raises OSError when the port is taken."""
        loop = asyncio.get_running_loop()
        stream, datagram = self._bound_sockets()
        self.port = stream.getsockname()[1]
        self._datagrams, _protocol = await loop.create_datagram_endpoint(lambda: _Datagrams(self), sock=datagram)
        self._server = await loop.create_server(lambda: _Stream(self), sock=stream, backlog=_BACKLOG)

    def _bound_sockets(self) -> tuple[socket.socket, socket.socket]:
        for attempt in range(_ATTEMPTS):
            stream = self._bound(socket.SOCK_STREAM, self.port)
            try:
                return stream, self._bound(socket.SOCK_DGRAM, stream.getsockname()[1])
            except OSError as error:
                stream.close()
                # A port that is free for TCP may be taken for UDP.
                if self.port or error.errno != errno.EADDRINUSE or attempt + 1 == _ATTEMPTS:
                    raise
        raise OSError(errno.EADDRINUSE, "no port is free")

    def _bound(self, kind: socket.SocketKind, port: int) -> socket.socket:
        bound = socket.socket(socket.AF_INET6 if ":" in self.host else socket.AF_INET, kind)
        try:
            if kind == socket.SOCK_STREAM:
                bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.setblocking(False)
            bound.bind((self.host, port))
        except OSError as error:
            bound.close()
            raise OSError(error.errno, f"{error.strerror} (port {port} for DNS)") from error
        return bound

    def answer(self, wire: bytes, send: Callable[[dns.message.Message, int], None]) -> None:
        """Has the answer to a message sent, ``dns_latency`` milliseconds later; it is what was there when the question came."""
        reply = self.name_server.reply(wire)
        if reply is not None:
            seconds = self.name_server.panel.settings.dns_latency / 1000
            asyncio.get_running_loop().call_later(seconds, send, *reply)

    def stop(self) -> None:
        """Closes both sockets and every connection."""
        if self._server is not None:
            self._server.close()
        if self._datagrams is not None:
            self._datagrams.abort()
        for transport in list(self.transports):
            transport.abort()


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, listener: NameListener) -> None:
        self.listener = listener
        self.transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def datagram_received(self, data: bytes, addr: Any) -> None:
        def send(message: dns.message.Message, size: int) -> None:
            if self.transport is not None and not self.transport.is_closing():
                self.transport.sendto(message.to_wire(max_size=size, prefer_truncation=True), addr)

        self.listener.answer(data, send)


class _Stream(asyncio.Protocol):
    def __init__(self, listener: NameListener) -> None:
        self.listener = listener
        self.received = b""
        self.transport: asyncio.Transport | None = None
        self.timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.listener.transports.add(transport)
        self.timer = asyncio.get_running_loop().call_later(_IDLE_SECONDS, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.transport is not None:
            self.listener.transports.discard(self.transport)
        if self.timer is not None:
            self.timer.cancel()

    def data_received(self, data: bytes) -> None:
        self.received += data
        while len(self.received) >= _LENGTH_BYTES:
            end = _LENGTH_BYTES + int.from_bytes(self.received[:_LENGTH_BYTES], "big")
            if len(self.received) < end:
                return
            wire, self.received = self.received[_LENGTH_BYTES:end], self.received[end:]
            self.listener.answer(wire, self._send)

    def _send(self, message: dns.message.Message, _size: int) -> None:
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(message.to_wire(max_size=65535, prefer_truncation=True, prepend_length=True))

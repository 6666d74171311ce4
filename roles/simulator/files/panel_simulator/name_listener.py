# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sockets of the name server: UDP and TCP on one port."""

from __future__ import annotations

import contextlib
import errno
import socket
import socketserver
import threading
import time
from collections.abc import Callable
from typing import Any

import dns.message

from panel_simulator.application import Application
from panel_simulator.name_server import NameServer

_ATTEMPTS = 20
_IDLE_SECONDS = 30.0
_LENGTH_BYTES = 2

Send = Callable[[dns.message.Message, int], None]


class _Datagram(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        data, sender = self.request

        def send(message: dns.message.Message, size: int) -> None:
            sender.sendto(message.to_wire(max_size=size, prefer_truncation=True), self.client_address)

        self.server.answer(data, send)  # type: ignore[attr-defined]


class _Stream(socketserver.StreamRequestHandler):
    timeout = _IDLE_SECONDS

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            while head := self.rfile.read(_LENGTH_BYTES):
                length = int.from_bytes(head, "big")
                data = self.rfile.read(length)
                if len(head) < _LENGTH_BYTES or len(data) < length:
                    return
                self.server.answer(data, self._send)  # type: ignore[attr-defined]

    def _send(self, message: dns.message.Message, _size: int) -> None:
        self.wfile.write(message.to_wire(max_size=65535, prefer_truncation=True, prepend_length=True))


class _Datagrams(socketserver.ThreadingUDPServer):
    max_packet_size = 65535
    daemon_threads = True


class _Streams(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64


class NameListener:
    """Answers on one address. Port 0 means any that is free for both; raises OSError when the port is taken."""

    def __init__(self, application: Application, host: str, port: int) -> None:
        self._application, self._host = application, host
        application.name_server = self._name_server = NameServer(application.panel)
        self._servers = self._bound(port)
        self.port = self._servers[0].server_address[1]

    def start(self) -> None:
        """Begins to answer."""
        for server in self._servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """Closes both sockets."""
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def _bound(self, port: int) -> list[Any]:
        for attempt in range(_ATTEMPTS):
            streams = self._server(_Streams, _Stream, port)
            try:
                return [streams, self._server(_Datagrams, _Datagram, streams.server_address[1])]
            except OSError as error:
                streams.server_close()
                # A port that is free for TCP may be taken for UDP.
                if port or error.errno != errno.EADDRINUSE or attempt + 1 == _ATTEMPTS:
                    raise
        raise OSError(errno.EADDRINUSE, "no port is free")

    def _server(self, server: type[Any], handler: type[Any], port: int) -> Any:
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        of_family = type(server.__name__, (server,), {"address_family": family, "answer": self._answer_of_server})
        try:
            return of_family((self._host, port), handler)
        except OSError as error:
            raise OSError(error.errno, f"{error.strerror} (port {port} for DNS)") from error

    @property
    def _answer_of_server(self) -> Callable[[Any, bytes, Send], None]:
        return lambda _server, wire, send: self._answer(wire, send)

    def _answer(self, wire: bytes, send: Send) -> None:
        """The answer, ``dns_latency`` milliseconds later; it is what was there when the question came."""
        with self._application.lock:
            reply = self._name_server.reply(wire)
        if reply is not None:
            time.sleep(self._application.panel.settings.dns_latency / 1000)
            send(*reply)

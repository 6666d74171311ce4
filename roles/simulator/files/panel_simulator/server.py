# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections, each with its own thread: how requests arrive, and how connections end.

The socket that accepts connections can go away for a while.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl

from panel_simulator.answering import Reply
from panel_simulator.calls import Call, find_phrase

_BACKLOG = 256
# Behind a port that another program has.
_ANOTHER_PORT = (
    ". Set another one: --port, simulator_port of the role, or play_first_port of the playbook play"
)
_LOOKS_EVERY = 0.2
_ABORTIVE = struct.pack("ii", 1, 0)


class Connection(BaseHTTPRequestHandler):
    """One accepted connection, by the standard library's way from bytes to requests.

    ``connection`` is the socket, encrypted or not.
    """

    protocol_version = "HTTP/1.1"
    # In which an idle connection is closed.
    idle_seconds = 75.0

    def __init__(
        self, listener: Listener, number: int, stream: socket.socket, address: Any
    ) -> None:
        self.listener = listener
        self.number = number
        self.stream = stream
        self._address = address
        self.api_requests = 0
        self.is_over = False

    def serve(self) -> None:
        """Answer requests until one of both sides ends the connection."""
        if self.listener.tls is not None:
            self.stream = self.listener.tls.wrap_socket(self.stream, server_side=True)

        super().__init__(self.stream, self._address, self.listener)  # type: ignore[arg-type]  # only kept

    def reset(self) -> None:
        """End the connection as a crash does: with a reset, not with a regular end."""
        self.is_over = True
        with contextlib.suppress(OSError):
            self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABORTIVE)

    def cut(self) -> None:
        """Reset the connection from another thread than its own, which this wakes."""
        self.reset()
        with contextlib.suppress(OSError):
            # Not that of an encrypted stream, which its own thread may be using.
            socket.socket.shutdown(self.stream, socket.SHUT_RDWR)

    def is_left(self) -> bool:
        """Return whether the other side has ended the connection."""
        flags = socket.MSG_PEEK | socket.MSG_DONTWAIT
        try:
            return socket.socket.recv(self.stream, 1, flags) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def handle(self) -> None:
        """Answer one request after the other; each may be late by what the panel allows."""
        self.close_connection = False
        while not self.close_connection and not self.is_over:
            self.handle_one_request()
            self.connection.settimeout(self.idle_seconds)

    def finish(self) -> None:
        """Close nothing but the reader: nothing is buffered, and the listener closes the socket."""
        self.rfile.close()

    def log_message(self, *arguments: Any) -> None:
        """Print nothing: the log is below /_simulator/."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):
            return self._answer

        raise AttributeError(name)

    def _answer(self) -> None:
        self.connection.settimeout(None)
        path, _mark, query = self.path.partition("?")
        call = Call(
            self.command,
            path,
            dict(parse_qsl(query, keep_blank_values=True)),
            self.rfile.read(int(self.headers.get("Content-Length") or 0)),
            target=self.path,
            host=self.headers.get("Host", ""),
            key=self.headers.get("X-API-Key"),
            accept=self.headers.get("Accept", ""),
            remote=self.client_address[0],
        )
        reply = self.listener.answer(self, call)
        if not self.is_over:
            self.connection.sendall(self._encode_reply(reply))

    def _encode_reply(self, reply: Reply) -> bytes:
        self.close_connection = self.close_connection or reply.closes or reply.ends
        lines = [
            f"{self.protocol_version} {reply.status} {find_phrase(reply.status)}",
            f"Date: {self.date_time_string()}",
        ]
        lines += [f"{name}: {value}" for name, value in reply.headers.items()]
        if reply.media_type is not None:
            lines.append(f"Content-Type: {reply.media_type}")

        if reply.status not in (204, 304):
            length = reply.length
            if length is None:
                length = len(reply.body)
            lines.append(f"Content-Length: {length}")

        if reply.closes:
            lines.append("Connection: close")

        return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + reply.body


class Listener:
    """Accepts connections, and has each request answered.

    ``port`` is known from the beginning; OSError where it is taken.
    """

    def __init__(
        self,
        host: str,
        port: int,
        tls: ssl.SSLContext | None,
        answer: Callable[[Connection, Call], Reply],
    ) -> None:
        self.host = host
        self.port = port
        self.tls = tls
        self.answer = answer
        self.accepted = 0
        self._open: set[Connection] = set()
        self._lock = threading.Lock()
        self._away_until = 0.0
        self._is_stopped = False
        self._bound = self._bind()

    def start(self) -> None:
        """Accept connections from now on, in a thread of its own."""
        self._bound.listen(_BACKLOG)
        threading.Thread(target=self._accept, daemon=True).start()

    def _bind(self) -> socket.socket:
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        bound = socket.socket(family, socket.SOCK_STREAM)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.settimeout(_LOOKS_EVERY)

        try:
            bound.bind((self.host, self.port))
        except OSError as error:
            bound.close()
            raise OSError(
                error.errno, f"{error.strerror} (port {self.port}){_ANOTHER_PORT}"
            ) from error

        self.port = bound.getsockname()[1]
        return bound

    def _accept(self) -> None:
        while not self._is_stopped:
            away_seconds = self._away_until - time.monotonic()
            if away_seconds > 0:
                time.sleep(away_seconds)
                self._come_back()
                continue

            try:
                stream, address = self._bound.accept()
            except OSError:  # nobody came, or the socket went away
                continue

            threading.Thread(target=self._begin, args=(stream, address), daemon=True).start()

    def _begin(self, stream: socket.socket, address: Any) -> None:
        with self._lock:
            self.accepted += 1
            connection = Connection(self, self.accepted, stream, address)
            self._open.add(connection)

        # A handshake that fails, or an answer that nobody takes, ends that connection only.
        with contextlib.suppress(OSError, ValueError):
            stream.settimeout(None)
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.serve()

        with contextlib.suppress(OSError):
            connection.stream.close()

        with self._lock:
            self._open.discard(connection)

    def go_away(self, seconds: float, kept: Connection | None = None) -> None:
        """Reset all connections and refuse new ones for a while.

        Args:
            seconds: how long; a panel that is away already may stay away longer.
            kept: the one connection that stays.
        """
        with self._lock:
            is_away = time.monotonic() < self._away_until
            self._away_until = max(self._away_until, time.monotonic() + seconds)
            to_cut = [connection for connection in self._open if connection is not kept]

        if not is_away:
            self._close()
            # Bound but not listening: connections are refused, and no other program can take
            # the port.
            self._bound = self._bind()

        for connection in to_cut:
            connection.cut()

    def _come_back(self) -> None:
        with self._lock:
            if time.monotonic() >= self._away_until and not self._is_stopped:
                self._bound.listen(_BACKLOG)

    def _close(self) -> None:
        with contextlib.suppress(OSError):
            self._bound.shutdown(socket.SHUT_RDWR)  # wakes whoever accepts

        self._bound.close()

    def stop(self) -> None:
        """End all connections and accept no more."""
        self._is_stopped = True
        self._close()
        for connection in list(self._open):
            connection.cut()

"""Connections, each with a thread of its own: how requests arrive, how connections end, and the socket that can go away for a while."""

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
from panel_simulator.calls import Call, phrase_of

_BACKLOG = 256
_LOOKS_EVERY = 0.2
_ABORTIVE = struct.pack("ii", 1, 0)


class Connection(BaseHTTPRequestHandler):
    """One accepted connection, by the standard library's way from bytes to requests. ``connection`` is the socket, encrypted or not."""

    protocol_version = "HTTP/1.1"
    # In which an idle connection is closed.
    idle_seconds = 75.0

    def __init__(
        self, listener: Listener, number: int, stream: socket.socket, address: Any
    ) -> None:
        self.listener, self.number = listener, number
        self.stream, self._address = stream, address
        self.api_requests = 0
        self.is_over = False

    def serve(self) -> None:
        """Answers until one of both sides ends it."""
        if self.listener.tls is not None:
            self.stream = self.listener.tls.wrap_socket(self.stream, server_side=True)
        super().__init__(self.stream, self._address, self.listener)  # type: ignore[arg-type]  # only kept

    def reset(self) -> None:
        """Ends it as a crash does: with a reset, not with a regular end."""
        self.is_over = True
        with contextlib.suppress(OSError):
            self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABORTIVE)

    def cut(self) -> None:
        """The same from another thread, which this wakes."""
        self.reset()
        with contextlib.suppress(OSError):
            # Not that of an encrypted stream, which its own thread may be using.
            socket.socket.shutdown(self.stream, socket.SHUT_RDWR)

    def is_left(self) -> bool:
        try:
            return socket.socket.recv(self.stream, 1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def handle(self) -> None:
        self.close_connection = False
        while not self.close_connection and not self.is_over:
            self.handle_one_request()
            self.connection.settimeout(self.idle_seconds)

    def finish(self) -> None:
        """Nothing is buffered, and the connection is closed where it was accepted."""
        self.rfile.close()

    def log_message(self, *arguments: Any) -> None:
        """Says nothing: the log is below /_simulator/."""

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
            self.connection.sendall(self._sent(reply))

    def _sent(self, reply: Reply) -> bytes:
        self.close_connection = self.close_connection or reply.closes or reply.ends
        lines = [
            f"{self.protocol_version} {reply.status} {phrase_of(reply.status)}",
            f"Date: {self.date_time_string()}",
            *(f"{name}: {value}" for name, value in reply.headers.items()),
        ]
        if reply.media_type is not None:
            lines.append(f"Content-Type: {reply.media_type}")
        if reply.status not in (204, 304):
            lines.append(
                f"Content-Length: {len(reply.body) if reply.length is None else reply.length}"
            )
        if reply.closes:
            lines.append("Connection: close")
        return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + reply.body


class Listener:
    """Accepts connections, and has each request answered. ``port`` is known from the beginning; OSError where it is taken."""

    def __init__(
        self,
        host: str,
        port: int,
        tls: ssl.SSLContext | None,
        answer: Callable[[Connection, Call], Reply],
    ) -> None:
        self.host, self.port, self.tls, self.answer = host, port, tls, answer
        self.accepted = 0
        self._open: set[Connection] = set()
        self._lock = threading.Lock()
        self._away_until = 0.0
        self._is_stopped = False
        self._bound = self._bind()

    def start(self) -> None:
        self._bound.listen(_BACKLOG)
        threading.Thread(target=self._accept, daemon=True).start()

    def _bind(self) -> socket.socket:
        bound = socket.socket(
            socket.AF_INET6 if ":" in self.host else socket.AF_INET, socket.SOCK_STREAM
        )
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.settimeout(_LOOKS_EVERY)
        try:
            bound.bind((self.host, self.port))
        except OSError as error:
            bound.close()
            raise OSError(error.errno, f"{error.strerror} (port {self.port})") from error
        self.port = bound.getsockname()[1]
        return bound

    def _accept(self) -> None:
        while not self._is_stopped:
            if (left := self._away_until - time.monotonic()) > 0:
                time.sleep(left)
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

    def go_away(self, seconds: float, spared: Connection | None = None) -> None:
        """Resets all connections (but one) and refuses new ones for a while, or longer if it does so already."""
        with self._lock:
            is_away = time.monotonic() < self._away_until
            self._away_until = max(self._away_until, time.monotonic() + seconds)
            others = [one for one in self._open if one is not spared]
        if not is_away:
            self._close()
            # Bound but not listening: connections are refused, and nobody else can take the port.
            self._bound = self._bind()
        for connection in others:
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
        self._is_stopped = True
        self._close()
        for connection in list(self._open):
            connection.cut()

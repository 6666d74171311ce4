"""Connections, each with a thread of its own: their numbers, how they end, and the listening socket that can go away for a while."""

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

BACKLOG = 256
_LOOKS_EVERY = 0.2
_ABORTIVE = struct.pack("ii", 1, 0)


class Connection:
    """One accepted connection. ``stream`` is the socket, encrypted or not."""

    def __init__(self, number: int, stream: socket.socket) -> None:
        self.number, self.stream = number, stream
        self.api_requests = 0
        self.is_over = False

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
        """Whether the other side has closed it."""
        try:
            return socket.socket.recv(self.stream, 1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True


class Listener:
    """Accepts connections, and hands each to ``serve`` in a thread. ``port`` is known from the beginning; OSError where it is taken."""

    def __init__(
        self, host: str, port: int, tls: ssl.SSLContext | None, serve: Callable[[Connection, Any], None]
    ) -> None:
        self.host, self.port, self.tls, self._serve = host, port, tls, serve
        self.open: set[Connection] = set()
        self.accepted = 0
        self._lock = threading.Lock()
        self._away_until = 0.0
        self._is_stopped = False
        self._bound = self._bind()

    def start(self) -> None:
        """Begins to accept."""
        self._bound.listen(BACKLOG)
        threading.Thread(target=self._accept, daemon=True).start()

    def _bind(self) -> socket.socket:
        bound = socket.socket(socket.AF_INET6 if ":" in self.host else socket.AF_INET, socket.SOCK_STREAM)
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
            if time.monotonic() < self._away_until:
                time.sleep(max(0.0, self._away_until - time.monotonic()))
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
            connection = Connection(self.accepted, stream)
            self.open.add(connection)
        # A handshake that fails, or an answer that nobody takes, ends that connection only.
        with contextlib.suppress(OSError, ValueError):
            stream.settimeout(None)
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.tls is not None:
                connection.stream = self.tls.wrap_socket(stream, server_side=True)
            self._serve(connection, address)
        with contextlib.suppress(OSError):
            connection.stream.close()
        with self._lock:
            self.open.discard(connection)

    def go_away(self, seconds: float, spared: Connection | None = None) -> None:
        """Resets all connections (but one) and refuses new ones for a while, or longer if it does so already."""
        with self._lock:
            is_away = time.monotonic() < self._away_until
            self._away_until = max(self._away_until, time.monotonic() + seconds)
            others = [one for one in self.open if one is not spared]
        if not is_away:
            self._close()
            # Bound but not listening: connections are refused, and nobody else can take the port.
            self._bound = self._bind()
        for connection in others:
            connection.cut()

    def _come_back(self) -> None:
        with self._lock:
            if time.monotonic() >= self._away_until and not self._is_stopped:
                self._bound.listen(BACKLOG)

    def _close(self) -> None:
        with contextlib.suppress(OSError):
            self._bound.shutdown(socket.SHUT_RDWR)  # wakes whoever accepts
        self._bound.close()

    def stop(self) -> None:
        """Closes the socket and every connection."""
        self._is_stopped = True
        self._close()
        for connection in list(self.open):
            connection.cut()


class RequestHandler(BaseHTTPRequestHandler):
    """The standard library's way from bytes to a request; what comes of it is up to ``handling.py``."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: Any) -> None:
        """Says nothing: the log is below /_simulator/."""

    def finish(self) -> None:
        """Nothing is buffered, and the connection is closed where it was accepted."""
        self.rfile.close()

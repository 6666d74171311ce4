"""Servers on this machine that keep what they are sent: a panel that answers everything alike, and a proxy."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.broken_server import read_request

LONGEST_SILENCE = 10.0


@dataclass
class Wire:
    """One server. connections: how many there were; received: the head and body of every request, in their order."""

    port: int
    connections: int = 0
    received: list[bytes] = field(default_factory=list)

    def about(self, text: str) -> list[bytes]:
        """The requests that hold a text."""
        return [request for request in self.received if text.encode() in request]


@contextlib.contextmanager
def recording(
    body: object = None,
    status: str = "200 OK",
    headers: str = "",
    tls: tuple[Path, Path] | None = None,
    host: str = "127.0.0.1",
) -> Iterator[Wire]:
    """A panel that answers every request with the same. tls: its certificate and key."""
    content = json.dumps({"id": 12} if body is None else body).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\nConnection: close\r\n{headers}\r\n"
    context = None
    if tls is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*tls)

    def handle(accepted: socket.socket, wire: Wire) -> None:
        with context.wrap_socket(accepted, server_side=True) if context else accepted as connection:
            request = read_request(connection)
            if request:
                wire.received.append(request)
                connection.sendall(head.encode() + content)

    with _served(handle, host) as wire:
        yield wire


@contextlib.contextmanager
def proxy(target: int, refusal: str = "") -> Iterator[Wire]:
    """A proxy that leads every tunnel to a port of this machine, whatever host is asked for; refusal: the status of its answer, if it has one."""

    def handle(accepted: socket.socket, wire: Wire) -> None:
        request = read_request(accepted)
        wire.received.append(request)
        if refusal or not request.startswith(b"CONNECT "):
            accepted.sendall(f"HTTP/1.1 {refusal or '400 Bad Request'}\r\nContent-Length: 0\r\n\r\n".encode())
            return
        with socket.create_connection(("127.0.0.1", target), LONGEST_SILENCE) as other:
            accepted.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            back = threading.Thread(target=_copy, args=(other, accepted), daemon=True)
            back.start()
            _copy(accepted, other)
            back.join(LONGEST_SILENCE)

    with _served(handle, "127.0.0.1") as wire:
        yield wire


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := source.recv(65536):
            target.sendall(piece)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def _served(handle: Callable[[socket.socket, Wire], None], host: str) -> Iterator[Wire]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, 0), family=family)
    wire = Wire(listener.getsockname()[1])

    def handle_one(accepted: socket.socket) -> None:
        # The caller may hang up in the middle of everything, a handshake included.
        with contextlib.suppress(OSError), accepted:
            accepted.settimeout(LONGEST_SILENCE)
            handle(accepted, wire)

    def serve() -> None:
        while True:
            try:
                accepted, _address = listener.accept()
            except OSError:
                return
            wire.connections += 1
            threading.Thread(target=handle_one, args=(accepted,), daemon=True).start()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield wire
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(LONGEST_SILENCE)

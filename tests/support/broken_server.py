"""A server on this machine that fails as servers fail: resets, silence, cut answers, bad TLS."""

from __future__ import annotations

import contextlib
import re
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec

from tests.support.pem import encode_key, make_self_signed_certificate

Handler = Callable[[socket.socket], None]
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 10\r\n"
ANSWER = _HEAD + b'Connection: close\r\n\r\n{"id": 12}'
HALF_AN_ANSWER = (
    b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"id":'
)
# Longer than the timeout of every test.
LONGEST_SILENCE = 10.0


@contextlib.contextmanager
def run_server(handler: Handler) -> Iterator[int]:
    """Yield the port of a server that handles each connection so until the block ends."""
    listener = socket.create_server(("127.0.0.1", 0))

    def handle_connection(accepted: socket.socket) -> None:
        """Handle a connection, and close it."""
        # The caller may hang up in the middle of everything, a handshake included.
        with contextlib.suppress(OSError), accepted:
            accepted.settimeout(LONGEST_SILENCE)
            handler(accepted)

    def serve() -> None:
        """Accept connections until the listener is closed, each in its thread."""
        with contextlib.suppress(OSError):
            while True:
                accepted, _address = listener.accept()
                arguments = (accepted,)
                threading.Thread(target=handle_connection, args=arguments, daemon=True).start()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()

    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(LONGEST_SILENCE)


def read_request(connection: socket.socket) -> bytes:
    """Read a whole request.

    A socket that is closed with something unread would send a reset.
    """
    received = b""
    while not _is_complete(received):
        piece = connection.recv(65536)
        if not piece:
            return received
        received += piece

    return received


def _is_complete(received: bytes) -> bool:
    head, separator, body = received.partition(b"\r\n\r\n")
    if not separator:
        return False

    length = re.search(rb"(?i)content-length: (\d+)", head)

    return length is None or len(body) >= int(length[1])


def make_answering_handler(content: bytes = ANSWER) -> Handler:
    """Return a handler that answers each request so."""

    def handle(connection: socket.socket) -> None:
        """Read the request and answer."""
        read_request(connection)
        connection.sendall(content)

    return handle


def make_resetting_handler(after: bytes = b"") -> Handler:
    """Return a handler that resets the connection, after it has sent a part of an answer."""

    def handle(connection: socket.socket) -> None:
        """Read the request, send the part and let the end be a reset."""
        read_request(connection)
        connection.sendall(after)
        # Closed with this option, a socket sends a reset.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return handle


def make_silent_handler(after: bytes = b"") -> Handler:
    """Return a handler that sends nothing, or nothing more, until the caller hangs up."""

    def handle(connection: socket.socket) -> None:
        """Read the request, send the part and wait."""
        read_request(connection)
        connection.sendall(after)
        connection.recv(1)

    return handle


def make_dripping_handler(answer: bytes, pause: float, beginning: bytes = b"") -> Handler:
    """Return a handler that sends the rest of an answer one byte after the other."""

    def handle(connection: socket.socket) -> None:
        """Read the request, and send as long as the caller listens."""
        read_request(connection)
        connection.sendall(beginning)
        for start in range(len(answer)):
            connection.sendall(answer[start : start + 1])
            time.sleep(pause)

    return handle


def hang_up(connection: socket.socket) -> None:
    """Read the request, and close the connection without an answer."""
    read_request(connection)


def hang_up_in_the_handshake(connection: socket.socket) -> None:
    """Close the connection after the first message of TLS."""
    connection.recv(65536)


def speak_http_only(connection: socket.socket) -> None:
    """Answer whatever comes first as a web server answers what is no HTTP."""
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def wrap_in_tls(certificate: Path, handler: Handler) -> Handler:
    """Return a handler that does the same over TLS with a certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def handle(connection: socket.socket) -> None:
        """Do the handshake, and hand the encrypted connection on."""
        with context.wrap_socket(connection, server_side=True) as wrapped:
            handler(wrapped)

    return handle


@contextlib.contextmanager
def open_full_backlog() -> Iterator[int]:
    """Yield the port of a listener that takes no connection any more.

    Connecting to it takes for ever.
    """
    listener = socket.create_server(("127.0.0.1", 0), backlog=0)
    with contextlib.ExitStack() as stack:
        stack.enter_context(listener)
        for _number in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                waiting.connect(listener.getsockname())

        yield listener.getsockname()[1]


def make_certificate(folder: Path, *names: str, days: int = 10) -> Path:
    """Return a file with a new key and a self-signed certificate.

    names: names and addresses that it is for. days: how long it is valid.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    path = folder / f"{names[0]}-{days}.pem"
    path.write_bytes(make_self_signed_certificate(key, *names, days=days) + encode_key(key))
    return path


# Answers that no program for HTTP understands, with what comes before them on their connection.
UNREADABLE = {
    "two lengths": b'HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Length: 11\r\n\r\n{"id": 12}',
    "lengths in one line": b'HTTP/1.1 200 OK\r\nContent-Length: 10, 11\r\n\r\n{"id": 12}',
    "a wrong status line": b"HTTP/1.1 abc\r\n\r\n",
    "no HTTP": b"SSH-2.0-OpenSSH_9.9\r\n",
    "a wrong coding": b'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 10\r\n\r\n{"id": 12}',
    "a wrong chunk": b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{"id": 12}\r\n0\r\n\r\n',
    "half a chunk": b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{"id": 12}',
    "endless headers": b"HTTP/1.1 200 OK\r\n" + b"X-Many: 1\r\n" * 200 + b"\r\n",
    "an endless line": b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 70_000 + b"\r\n\r\n",
    "nothing": b"",
}

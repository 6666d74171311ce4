"""A directory that names another authority's addresses, perhaps but for one, at which it takes no orders, and that goes away when told to."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.support.pebble import HOST, Pebble

PROBLEM = {"type": "urn:ietf:params:acme:error:rateLimited", "detail": "too many new orders recently"}


class Limited:
    """``directory``: its address, whose certificate is the other authority's; ``orders``: how many it was asked for.

    ``is_away``: whether it answers as a server that is in trouble itself.
    """

    is_away = False

    def __init__(self, port: int) -> None:
        self.directory, self.orders = f"https://{HOST}:{port}/dir", 0


@contextmanager
def limited(authority: Pebble, status: int | None = None, retry_after: int = 1) -> Iterator[Limited]:
    """Such a directory, which answers each order with this status, and says when to ask again; with none, the other authority gets them."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            own = {"newOrder": f"{running.directory}/order"} if status else {}
            named = {} if running.is_away else authority.get(authority.directory).json()
            self._answer(500 if running.is_away else 200, {**named, **own})

        def do_POST(self) -> None:
            running.orders += 1
            self.rfile.read(int(self.headers["Content-Length"]))
            self._answer(status or 500, PROBLEM)

        def _answer(self, code: int, content: object) -> None:
            body = json.dumps(content).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Retry-After", str(retry_after))
            self.end_headers()
            self.wfile.write(body)

        def log_request(self, *arguments: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer((HOST, 0), Handler)
    running = Limited(server.server_address[1])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    (key,) = authority.ca_file.parent.glob(f"{HOST}-*.key")
    context.load_cert_chain(key.with_suffix(".pem"), key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield running
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A directory that names another authority's addresses but for one, at which it takes no orders."""

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
    """``directory``: its address, whose certificate is the other authority's; ``orders``: how many it was asked for."""

    def __init__(self, port: int) -> None:
        self.directory, self.orders = f"https://{HOST}:{port}/dir", 0


@contextmanager
def limited(authority: Pebble, status: int, retry_after: int) -> Iterator[Limited]:
    """Such a directory, which answers each order with this status, and says when to ask again."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(200, {**authority.get(authority.directory).json(), "newOrder": f"{running.directory}/order"})

        def do_POST(self) -> None:
            running.orders += 1
            self.rfile.read(int(self.headers["Content-Length"]))
            self._answer(status, PROBLEM)

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

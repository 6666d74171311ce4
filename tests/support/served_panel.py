"""Serves panels in memory over HTTP on this machine, one for each API key, so that both ways of running a module can be compared."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.support.memory_panel import MemoryPanel

BASE = "/api/v2"


@contextlib.contextmanager
def served(panels: Mapping[str, MemoryPanel]) -> Iterator[str]:
    """The address of a server that answers for the panel behind the key of each request, and with 401 to any other key."""

    class Handler(_Handler):
        panels_by_key = panels

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10
    # Head and body are written one after the other; without this the second waits for the acknowledgement of the first.
    disable_nagle_algorithm = True
    panels_by_key: Mapping[str, MemoryPanel] = {}

    def do_GET(self) -> None:
        self._handle()

    do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815

    def _handle(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        panel = self.panels_by_key.get(self.headers.get("X-API-Key", ""))
        if panel is None:
            self._answer(401, {"code": "401 Unauthorized", "message": "API key is missing or invalid."})
            return
        address = urlsplit(self.path)
        path = address.path.removeprefix(BASE)
        self._answer(*panel.answered(self.command, path, dict(parse_qsl(address.query)) or None, body))

    def _answer(self, status: int, data: Any) -> None:
        content = b"" if data is None else json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        if status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002  the name of http.server
        """Says nothing."""

# SPDX-License-Identifier: GPL-3.0-or-later
"""Another panel's API on this machine, for the import: it answers as ISPConfig or froxlor do.

It takes the right user alone, answers each function whole or refuses it, and spoils the answer of
one function where a test says so.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

USERNAME = "import-reader"
PASSWORD = "Kept-From-All-Logs-26"
JSON = "application/json"
HTML = "text/html; charset=utf-8"
LONGEST_SILENCE = 10.0
# How often a body without an end is announced. It is sent half as often.
_ENDLESS = 100
_PAGE = b"<html><head><title>Wartung</title></head></html>"
_ARGUMENTS = {"client_get": "client_id", "sites_cron_get": "cron_id"}


@dataclass(frozen=True)
class Reply:
    """What comes back.

    Attributes:
        is_cut: Whether the connection ends in the middle of the body.
        is_late: Whether nothing comes before the caller gives up.
        is_endless: Whether the body comes again and again, as long as the caller reads.
    """

    body: bytes
    status: int = 200
    media_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    is_cut: bool = False
    is_late: bool = False
    is_endless: bool = False


def reply_json(body: Any, status: int = 200) -> Reply:
    """Return an answer in JSON."""
    return Reply(json.dumps(body).encode(), status)


FAULTS: Mapping[str, Reply] = {
    "401": reply_json({"message": f"no such user as {PASSWORD}"}, 401),
    "403 with a page": Reply(_PAGE, 403, HTML),
    "500 with a page": Reply(_PAGE, 500, HTML),
    "a redirect": Reply(b"", 302, HTML, {"Location": "http://127.0.0.1:1/login"}),
    "a page in place of JSON": Reply(_PAGE, 200, HTML),
    "half of the JSON": Reply(b'{"code": "ok", "response": [{"client_id"', 200),
    "a cut answer": Reply(b'{"code": "ok", "response": [', 200, is_cut=True),
    "no answer in time": Reply(b"", is_late=True),
    "an empty answer": Reply(b""),
    "a number": reply_json(7),
    "a part": Reply(b"[]", 206),
    "deep lists": Reply(b"[" * 2000 + b"]" * 2000),
}
"""By name what comes in place of an answer."""


@dataclass
class SourceServer:
    """A panel that is asked.

    Attributes:
        bodies: The answers by function, of which one for an object has its number behind a dot.
        spoiled: The replies that come in place of answers, by function.
        forbidden: Functions that the user may not call.
        calls_of_session: After how many calls a session of ISPConfig ends.
        asked: The functions that were called, in their order.
        sessions: The sessions of ISPConfig that are open.
        port: Where it listens.
    """

    bodies: Mapping[str, Any]
    spoiled: Mapping[str, Reply] = field(default_factory=dict)
    forbidden: frozenset[str] = frozenset()
    calls_of_session: int = 1000
    asked: list[str] = field(default_factory=list)
    sessions: dict[str, int] = field(default_factory=dict)
    port: int = 0
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def answer_ispconfig(self, path: str, _headers: Mapping[str, str], content: bytes) -> Reply:
        """Return what ISPConfig's remote API answers."""
        target, _sign, function = path.partition("?")
        if target != "/remote/json.php":
            return Reply(_PAGE, 404, HTML)
        arguments = json.loads(content)
        self.asked.append(function)
        if function in self.spoiled:
            return self.spoiled[function]
        if function == "login":
            return self._log_in(arguments)
        if function == "logout":
            return _succeed(self.sessions.pop(arguments["session_id"], None) is not None)
        return self._call(function, arguments)

    def _log_in(self, arguments: Mapping[str, Any]) -> Reply:
        if (arguments["username"], arguments["password"]) != (USERNAME, PASSWORD):
            return _fail("remote_fault", f"The login failed for {arguments['password']}.")
        session = f"session-{next(self._numbers)}-of-the-import"
        self.sessions[session] = self.calls_of_session
        return _succeed(session)

    def _call(self, function: str, arguments: Mapping[str, Any]) -> Reply:
        session = arguments["session_id"]
        if self.sessions.get(session, 0) < 1:
            self.sessions.pop(session, None)
            return _fail("remote_fault", f"The session {session} is expired or does not exist.")
        self.sessions[session] -= 1
        if function in self.forbidden:
            return _fail("remote_fault", "You do not have the permissions.")
        if function == "client_get_groupid":
            return self._answer_group(f"{function}.{arguments['client_id']}")
        if function not in self.bodies:
            return _fail("invalid_method", f"Method {function} does not exist")
        return self._answer_rows(function, arguments)

    def _answer_group(self, name: str) -> Reply:
        if name not in self.bodies:
            return _fail("remote_fault", "There is no group for this client ID.")
        return reply_json(self.bodies[name])

    def _answer_rows(self, function: str, arguments: Mapping[str, Any]) -> Reply:
        """Return all rows of a table, or none where the arguments do not ask for all."""
        if function == "server_get_php_versions":
            asks_for_rows = bool(arguments.get("get_full_data"))
        elif function == "client_templates_get_all":
            asks_for_rows = True
        else:
            asks_for_rows = arguments.get(_ARGUMENTS.get(function, "primary_id")) == -1
        return reply_json(self.bodies[function]) if asks_for_rows else _succeed([])

    def answer_froxlor(self, path: str, headers: Mapping[str, str], content: bytes) -> Reply:
        """Return what froxlor's API answers."""
        if path != "/api.php":
            return Reply(_PAGE, 404, HTML)
        request = json.loads(content)
        function = request["command"]
        self.asked.append(function)
        if function in self.spoiled:
            return self.spoiled[function]
        credentials = base64.b64encode(f"{USERNAME}:{PASSWORD}".encode()).decode()
        if headers.get("Authorization") != f"Basic {credentials}":
            return reply_json({"message": "Invalid authorization credentials"}, 403)
        if function in self.forbidden:
            return reply_json({"message": "Not allowed to execute given command."}, 403)
        number = request["params"].get("id")
        name = function if number is None else f"{function}.{number}"
        if name not in self.bodies:
            return reply_json({"message": "Unknown command"}, 400)
        return reply_json(self.bodies[name])


def _succeed(response: Any) -> Reply:
    return reply_json({"code": "ok", "message": "", "response": response})


def _fail(code: str, message: str) -> Reply:
    return reply_json({"code": code, "message": message, "response": False})


Answer = Callable[[str, Mapping[str, str], bytes], Reply]


@contextlib.contextmanager
def serve(server: SourceServer, answer: Answer, certificate: Path | None = None) -> Iterator[str]:
    """Yield the address of a panel, without a path, until the block ends.

    Args:
        server: Gets the port.
        answer: A method of the server.
        certificate: The file with key and certificate of TLS; plain http without it.
    """
    is_over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        """Answers one connection."""

        protocol_version = "HTTP/1.1"
        timeout = LONGEST_SILENCE
        # Head and body in one piece, since a second one would wait for the first to be confirmed.
        wbufsize = 1024 * 1024

        def do_POST(self) -> None:  # as http.server calls it
            """Answer one request."""
            content = self.rfile.read(int(self.headers["Content-Length"]))
            reply = answer(self.path, dict(self.headers), content)
            if reply.is_late:
                is_over.wait(LONGEST_SILENCE)
                self.close_connection = True
                return
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.media_type)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            missing = 100 if reply.is_cut else 0
            if reply.is_endless:
                missing = _ENDLESS * len(reply.body)
            self.send_header("Content-Length", str(len(reply.body) + missing))
            self.end_headers()
            self.wfile.write(reply.body)
            if reply.is_endless:
                self._repeat(reply.body)
            self.close_connection = missing > 0

        def _repeat(self, body: bytes) -> None:
            """Send a body again and again, until the caller hangs up; not for ever."""
            with contextlib.suppress(OSError):
                for _number in range(_ENDLESS // 2):
                    self.wfile.write(body)

        def log_message(self, *_arguments: Any) -> None:
            """Print nothing."""

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listener.daemon_threads = True
    scheme = "http"
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        listener.socket = context.wrap_socket(listener.socket, server_side=True)
        scheme = "https"
    server.port = listener.server_address[1]
    thread = threading.Thread(target=listener.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"{scheme}://127.0.0.1:{server.port}"
    finally:
        is_over.set()
        listener.shutdown()
        listener.server_close()
        thread.join(LONGEST_SILENCE)

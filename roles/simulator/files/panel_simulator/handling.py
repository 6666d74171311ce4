"""From a connection to an answer: delays, faults, the log, and what is not the API."""

from __future__ import annotations

import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, unquote

from panel_simulator import API_PATH, CONTROL_PATH, control, openapi, server, spoiling
from panel_simulator.answering import HTML, WRITES, Reply, is_in, json_reply, page
from panel_simulator.application import Application
from panel_simulator.calls import Call
from panel_simulator.connections import Connection, RequestHandler
from panel_simulator.errors import ApiError
from panel_simulator.request_log import LoggedRequest

OPENAPI_PATH = f"{API_PATH.rpartition('/')[0]}/openapi.json"


def serving(application: Application) -> Callable[[Connection, Any], None]:
    """What a listener does with a connection."""
    return lambda connection, address: Handler(application, connection, address).serve()


class Handler(RequestHandler):
    """All requests of one connection."""

    def __init__(self, application: Application, connection: Connection, address: Any) -> None:
        self.application, self.about = application, connection
        self._address = address

    def serve(self) -> None:
        """Answers until one of both sides ends it."""
        super().__init__(self.about.stream, self._address, self.application)  # type: ignore[arg-type]  # only passed on

    def handle(self) -> None:
        """The requests, one after the other."""
        self.close_connection = False
        while not self.close_connection and not self.about.is_over:
            self.handle_one_request()
            self.connection.settimeout(self.application.panel.settings.keep_alive_seconds)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):
            return self._answer
        raise AttributeError(name)

    def _answer(self) -> None:
        self.connection.settimeout(None)
        path, _mark, query_text = self.path.partition("?")
        query = dict(parse_qsl(query_text, keep_blank_values=True)) if query_text else {}
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if path.startswith(f"{API_PATH}/") and path != OPENAPI_PATH:
            reply = self._of_api(path[len(API_PATH) :], query, raw)
        else:
            reply = self._of_other(path, query, raw)
        if not self.about.is_over:
            self.connection.sendall(self._sent(reply))

    def _sent(self, reply: Reply) -> bytes:
        self.close_connection = self.close_connection or reply.closes or reply.ends
        lines = [f"{self.protocol_version} {reply.status} {_phrase(reply.status)}", f"Date: {self.date_time_string()}"]
        lines += [f"{name}: {value}" for name, value in reply.headers.items()]
        if reply.media_type is not None:
            lines.append(f"Content-Type: {reply.media_type}")
        if reply.status not in (204, 304):
            lines.append(f"Content-Length: {len(reply.body) if reply.length is None else reply.length}")
        if reply.closes:
            lines.append("Connection: close")
        return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + reply.body

    def _of_other(self, path: str, query: dict[str, str], raw: bytes) -> Reply:
        if path.startswith(f"{CONTROL_PATH}/"):
            return self._of_control(Call(self.command, path[len(CONTROL_PATH) :], query, raw))
        with self.application.lock:
            if self.command == "GET" and path == OPENAPI_PATH:
                return json_reply(200, openapi.document(self._base_url()))
            if self.command == "GET" and path == server.LOGIN_PATH:
                status, html = server.login_page(self.application.panel, query.get("token", ""))
                return Reply(status, html.encode(), f"{HTML}; charset=utf-8")
        return page(404)

    def _of_control(self, call: Call) -> Reply:
        try:
            if not is_in(self.client_address[0], ("127.0.0.0/8", "::1/128")):
                raise ApiError(403, "The control interface answers on loopback only.")
            with self.application.lock:
                answer = control.handle(self.application, call)
                return Reply(answer.status) if answer.value is None else json_reply(answer.status, answer.value)
        except ApiError as error:
            return json_reply(error.status, error.body)

    def _base_url(self) -> str:
        return f"{self.application.scheme}://{self.headers.get('Host', self.application.panel.settings.hostname)}"

    def _of_api(self, path: str, query: dict[str, str], raw: bytes) -> Reply:
        application, connection = self.application, self.about
        connection.api_requests += 1
        target = self.path[len(API_PATH) :]
        entry = application.begin(connection.number, self.command, unquote(path), query, target, raw)
        try:
            self._delay()
            call = Call(
                self.command,
                path,
                query,
                raw,
                base_url=self._base_url(),
                target=self.path,
                key=self.headers.get("X-API-Key"),
                accept=self.headers.get("Accept", ""),
                remote=self.client_address[0],
            )
            reply = self._carried_out(call, entry)
        finally:
            application.end()
        settings = application.panel.settings
        if settings.requests_per_connection and connection.api_requests >= settings.requests_per_connection:
            return reply.ending(is_announced=settings.announce_close)
        return reply

    def _delay(self) -> None:
        settings = self.application.panel.settings
        milliseconds = settings.latency
        if self.about.api_requests == 1:
            milliseconds += settings.connection_latency
        if self.command in WRITES:
            milliseconds += settings.write_latency
        if milliseconds:
            time.sleep(milliseconds / 1000)

    def _carried_out(self, call: Call, entry: LoggedRequest) -> Reply:
        application = self.application
        if not application.released.is_set():
            application.released.wait()
            if application.drops and self.about.is_left():
                return page(503)  # to nobody
        if time.monotonic() < application.reload_until:
            entry.status, entry.fault = application.panel.settings.reload_status, "reload"
            return page(entry.status)
        if application.faults.queue:
            with application.lock:
                fault, mutations = application.faults.strike(call.method, call.path)
            if fault is not None or mutations:
                return spoiling.answer(application, self.about, call, entry, fault, mutations)
        reply = application.carry_out(call)
        entry.status = reply.status
        return reply


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Unknown"

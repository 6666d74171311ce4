"""From a connection to an answer: delays, faults, the log, the control interface below /_simulator/, and what is not the API."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, unquote

from panel_simulator import API_PATH, CONTROL_PATH, handlers, openapi, spoiling, state
from panel_simulator.answering import WRITES, Reply, html_reply, is_in, json_reply, page
from panel_simulator.application import Application, LoggedRequest
from panel_simulator.calls import ApiError, Call, Invalid, NotFound, phrase_of
from panel_simulator.connections import Connection, RequestHandler

OPENAPI_PATH = f"{API_PATH.rpartition('/')[0]}/openapi.json"
_LOOPBACK = ("127.0.0.0/8", "::1/128")


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
        lines = [
            f"{self.protocol_version} {reply.status} {phrase_of(reply.status)}",
            f"Date: {self.date_time_string()}",
        ]
        lines += [f"{name}: {value}" for name, value in reply.headers.items()]
        if reply.media_type is not None:
            lines.append(f"Content-Type: {reply.media_type}")
        if reply.status not in (204, 304):
            lines.append(f"Content-Length: {len(reply.body) if reply.length is None else reply.length}")
        if reply.closes:
            lines.append("Connection: close")
        return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + reply.body

    def _of_other(self, path: str, query: dict[str, str], raw: bytes) -> Reply:
        application = self.application
        with application.lock:
            if path.startswith(f"{CONTROL_PATH}/"):
                call = Call(self.command, path[len(CONTROL_PATH) :], query, raw, remote=self.client_address[0])
                return _of_control(application, call)
            if self.command == "GET" and path == OPENAPI_PATH:
                return json_reply(200, openapi.document(self._base_url()))
            if self.command == "GET" and path == handlers.LOGIN_PATH:
                return html_reply(*handlers.login_page(application.panel, query.get("token", "")))
        return page(404)

    def _base_url(self) -> str:
        return f"{self.application.scheme}://{self.headers.get('Host', self.application.panel.settings.hostname)}"

    def _of_api(self, path: str, query: dict[str, str], raw: bytes) -> Reply:
        application, connection = self.application, self.about
        connection.api_requests += 1
        target = self.path[len(API_PATH) :]
        entry = application.begin(connection.number, self.command, unquote(path), query, target, raw)
        try:
            settings = application.panel.settings
            time.sleep((settings.latency + (settings.write_latency if self.command in WRITES else 0)) / 1000)
            call = Call(
                self.command,
                path,
                query,
                raw,
                base_url=self._base_url(),
                key=self.headers.get("X-API-Key"),
                accept=self.headers.get("Accept", ""),
                remote=self.client_address[0],
            )
            reply = self._carried_out(call, entry)
        finally:
            application.end()
        if settings.requests_per_connection and connection.api_requests >= settings.requests_per_connection:
            return replace(reply, closes=settings.announce_close, ends=True)
        return reply

    def _carried_out(self, call: Call, entry: LoggedRequest) -> Reply:
        application = self.application
        if not application.released.is_set():
            application.released.wait()
            if application.drops and self.about.is_left():
                return page(503)  # to nobody
        if time.monotonic() < application.reload_until:
            entry.status, entry.fault = 503, "reload"
            return page(503)
        if application.faults.queue:
            with application.lock:
                fault, interferences = application.faults.strike(call.method, call.path)
            if fault is not None or interferences:
                return spoiling.answer(application, self.about, call, entry, fault, interferences)
        reply = application.carry_out(call)
        entry.status = reply.status
        return reply


def _get_log(application: Application, call: Call) -> Any:
    since = call.query.get("since", "0")
    if not (since.isascii() and since.isdigit()):
        raise Invalid("since: must be a number.")
    return application.shown_log(int(since))


def _post_faults(application: Application, call: Call) -> Any:
    body = call.decoded_body()
    added = [application.faults.add(described).shown() for described in (body if isinstance(body, list) else [body])]
    return added if isinstance(body, list) else added[0]


def _post_settings(application: Application, call: Call) -> Any:
    application.panel.settings.merge(call.decoded_body())
    return application.panel.settings.values


_OPERATIONS: dict[tuple[str, str], Callable[[Application, Call], Any]] = {
    ("GET", "/log"): _get_log,
    ("DELETE", "/log"): lambda application, _call: application.log.clear(),
    ("GET", "/faults"): lambda application, _call: [fault.shown() for fault in application.faults.queue],
    ("POST", "/faults"): _post_faults,
    ("DELETE", "/faults"): lambda application, _call: application.take_back_faults(),
    ("GET", "/settings"): lambda application, _call: application.panel.settings.values,
    ("POST", "/settings"): _post_settings,
    ("GET", "/state"): lambda application, _call: state.dump(application.panel),
    ("PUT", "/state"): lambda application, call: state.load(application.panel, call.decoded_body()),
    ("POST", "/seed"): lambda application, call: state.plant(application.panel, call.decoded_body()),
    ("POST", "/reset"): lambda application, _call: application.reset(),
    ("GET", "/counters"): lambda application, _call: application.counters(),
}


def _of_control(application: Application, call: Call) -> Reply:
    """Carries out one operation of the control interface: 200 with JSON, or 204."""
    path = call.path.rstrip("/")
    operation = _OPERATIONS.get((call.method, path))
    try:
        if not is_in(call.remote, _LOOPBACK):
            raise ApiError(403, "The control interface answers on loopback only.")
        if operation is None and any(path == known for _method, known in _OPERATIONS):
            raise ApiError(405, f"The method {call.method} is not allowed here.")
        if operation is None:
            raise NotFound("The control interface has no such path.")
        value = operation(application, call)
    except ApiError as error:
        return json_reply(error.status, error.body)
    return Reply(204) if value is None else json_reply(200, value)

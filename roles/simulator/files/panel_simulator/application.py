# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated panel at work: from a request to its answer.

It has the delays, faults, reloads, reboots, the log, and the paths that are not the API's.
"""

from __future__ import annotations

import ipaddress
import json
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from panel_simulator import API_PATH, CONTROL_PATH, OPENAPI_PATH, handlers, openapi, state
from panel_simulator.answering import WRITES, Reply, answer_call, make_json_reply, make_page
from panel_simulator.calls import ApiError, Call, Invalid
from panel_simulator.faults import AFTER, BEFORE, Fault, interfere, read_fault, spoil_reply, strike
from panel_simulator.panel import Panel
from panel_simulator.server import Connection, Listener


class Application:
    """One simulated panel behind one listener, which is set once it exists.

    ``before_write`` is called before each write takes effect. ``lock`` is held by whoever reads or
    changes the panel: each connection has a thread.
    """

    listener: Listener

    def __init__(
        self, panel: Panel, scheme: str, first_settings: Sequence[Any], first_seed: Any
    ) -> None:
        self.panel = panel
        self.scheme = scheme
        self.first_settings = first_settings
        self.first_seed = first_seed
        self.lock = threading.RLock()
        self.log: list[dict[str, Any]] = []
        self.faults: list[Fault] = []
        self.released = threading.Event()
        # Of a panel that stands still: whether a request has no effect once its client has gone.
        self.drops = False
        self.before_write: Callable[[], None] = lambda: None
        self._last_number = 0
        self._timers: list[threading.Timer] = []
        self.reset()

    def reset(self) -> None:
        """Return to a start without a state file: settings, objects, no faults, an empty log."""
        for timer in self._timers:
            timer.cancel()

        self._timers = []
        self.panel.settings.reset()
        for settings in self.first_settings:
            self.panel.settings.merge(settings)

        self.panel.reset_objects()
        state.plant(self.panel, self.first_seed)
        self.log.clear()
        self.take_back_faults()
        self._reload_until = 0.0
        self._writes = 0
        self._by_method: Counter[str] = Counter()

    def take_back_faults(self) -> None:
        """Drop all queued faults, and let a panel that stands still go on."""
        self.faults.clear()
        self.released.set()

    def answer(self, connection: Connection, call: Call) -> Reply:
        """Answer a request to any path: of the API, of the control interface, or a page."""
        connection.idle_seconds = self.panel.settings["keep_alive_seconds"]
        call.base_url = f"{self.scheme}://{call.host or self.panel.settings['hostname']}"
        if call.path.startswith(f"{API_PATH}/") and call.path != OPENAPI_PATH:
            call.path = call.path[len(API_PATH) :]
            call.target = call.target[len(API_PATH) :]
            return self._answer_api(connection, call)

        with self.lock:
            if call.path.startswith(f"{CONTROL_PATH}/"):
                return self._answer_control(call, call.path[len(CONTROL_PATH) :].rstrip("/"))
            if call.method == "GET" and call.path == OPENAPI_PATH:
                return make_json_reply(200, openapi.make_document(call.base_url))
            if call.method == "GET" and call.path == handlers.LOGIN_PATH:
                status, text = handlers.open_login_url(self.panel, call.query.get("token", ""))
                return make_page(status, text)

        return make_page(404)

    def _answer_api(self, connection: Connection, call: Call) -> Reply:
        """Answer a request to the API: note it, wait as long as the panel would, carry it out."""
        settings = self.panel.settings
        connection.api_requests += 1
        with self.lock:
            entry = self._log_request(connection, call)

        milliseconds = settings["latency"]
        if call.method in WRITES:
            milliseconds += settings["write_latency"]

        time.sleep(milliseconds / 1000)

        reply = self._strike(connection, call, entry)
        entry["status"] = None if connection.is_over else reply.status
        most = settings["requests_per_connection"]
        if most and connection.api_requests >= most:
            return replace(reply, closes=settings["announce_close"], ends=True)

        return reply

    def _log_request(self, connection: Connection, call: Call) -> dict[str, Any]:
        """Add a request to the log, and return its entry."""
        self._by_method[call.method] += 1
        self._last_number += 1
        entry = {
            "number": self._last_number,
            "time": time.time(),
            "connection": connection.number,
            "method": call.method,
            "path": unquote(call.path),
            "query": call.query,
            "target": call.target,
            "body": _decode_body(call.raw),
            # None: no answer was sent. What was done to the request instead, if anything, is
            # its fault.
            "status": None,
            "fault": None,
        }
        self.log.append(entry)
        return entry

    def _strike(self, connection: Connection, call: Call, entry: dict[str, Any]) -> Reply:
        """Carry a request out, as far as no fault keeps it from that."""
        if not self.released.is_set():
            self.released.wait()
            if self.drops and connection.is_left():
                return make_page(503)  # to nobody

        if time.monotonic() < self._reload_until:
            entry["fault"] = "reload"
            return make_page(503)

        with self.lock:
            fault, interferences = strike(self.faults, call.method, call.path)

        if fault is None and not interferences:
            return self.carry_out(call)

        entry["fault"] = (fault or interferences[0]).kind
        with self.lock:
            interfere(self.panel, call.path, interferences, BEFORE)

        if fault is None:
            reply = self.carry_out(call)
        else:
            reply = self._spoil(connection, call, fault)

        with self.lock:
            interfere(self.panel, call.path, interferences, AFTER)

        return reply

    def _spoil(self, connection: Connection, call: Call, fault: Fault) -> Reply:
        """Carry the request out, or not, and answer as the fault wants it."""
        seconds = fault.options.get("seconds", 0.0)
        if fault.kind == "slow" and fault.when == BEFORE:
            time.sleep(seconds)

        if fault.late is not None:
            self._postpone(fault.late, lambda: self.carry_out(call))

        reply = make_json_reply(200, {})
        if fault.late is None and (fault.kind == "slow" or fault.when == AFTER):
            reply = self.carry_out(call)

        match fault.kind:
            case "refuse":
                self.listener.go_away(seconds, connection)
                connection.reset()
            case "reset":
                connection.reset()
            case "stall":
                self.drops = fault.options["drops"]
                self.released.clear()
                self.released.wait()
            case "slow" if fault.when == AFTER:
                time.sleep(seconds)

        return spoil_reply(fault, reply)

    def carry_out(self, call: Call) -> Reply:
        """Do what a panel without faults does with a request."""
        with self.lock:
            if call.method in WRITES:
                self.before_write()
            try:
                reply = answer_call(self.panel, call)
            except Exception:
                # A mistake in the simulator; the caller sees it as an error of the panel, the
                # trace tells where it is.
                traceback.print_exc(file=sys.stderr)
                error = ApiError(500, "The simulator failed; see its standard error.")
                return make_json_reply(500, error.body)

            if call.method in WRITES and reply.status < 400:
                self._follow_write(call)
            return reply

    def _postpone(self, seconds: float, work: Callable[[], object]) -> None:
        """Do something in so many seconds, when no request waits for it any more.

        A reset cancels what has not been done by then.
        """

        def run() -> None:
            """Do the work, unless a reset has cancelled it."""
            with self.lock:
                if timer in self._timers:
                    work()

        timer = threading.Timer(seconds, run)
        timer.daemon = True

        with self.lock:
            waiting = [other_timer for other_timer in self._timers if other_timer.is_alive()]
            self._timers = [*waiting, timer]
            timer.start()

    def _follow_write(self, call: Call) -> None:
        settings = self.panel.settings
        self._writes += 1
        every = settings["reload_every_writes"]
        if every and self._writes % every == 0:
            self._reload_until = time.monotonic() + settings["reload_milliseconds"] / 1000

        if call.path.rstrip("/") == "/server/reboot":
            down_time = settings["reboot_down_time"]
            self._postpone(settings["reboot_delay"], lambda: self._reboot(down_time))

    def _reboot(self, seconds: float) -> None:
        self.panel.booted_at = self.panel.clock() + seconds
        self.listener.go_away(seconds)

    def _answer_control(self, call: Call, path: str) -> Reply:
        """Carry out an operation of the control interface."""
        try:
            value = _find_operation(call, path)(self, call)
        except ApiError as error:
            return make_json_reply(error.status, error.body)

        if value is None:
            return Reply(204)
        return make_json_reply(200, value)

    def show_log(self, call: Call) -> dict[str, Any]:
        """Return the entries after number ``since``, without the API key.

        ``next`` has the ``since`` for the next time.
        """
        since = call.query.get("since", "0")
        if not (since.isascii() and since.isdigit()):
            raise Invalid("since: must be a number.")

        text = json.dumps([entry for entry in self.log if entry["number"] > int(since)])
        escaped_key = json.dumps(self.panel.api_key)[1:-1]
        return {
            "next": self._last_number,
            "requests": json.loads(text.replace(escaped_key, "***")),
        }

    def queue(self, call: Call) -> Any:
        """Queue a fault, or a list of them; return what was queued, as a list if it was one."""
        body = call.decode_body()
        if isinstance(body, list):
            faults = [read_fault(described) for described in body]
            self.faults += faults
            return [fault.show() for fault in faults]

        fault = read_fault(body)
        self.faults.append(fault)
        return fault.show()

    def set(self, call: Call) -> dict[str, Any]:
        """Change settings; return all of them."""
        self.panel.settings.merge(call.decode_body())
        return self.panel.settings.values

    def show_counters(self) -> dict[str, Any]:
        """Return what happened since the start or the last reset; connections since the start."""
        return {
            "requests": self._by_method.total(),
            "by_method": dict(self._by_method),
            "connections": self.listener.accepted,
            "stalled": not self.released.is_set(),
        }


_OPERATIONS: dict[tuple[str, str], Callable[[Application, Call], Any]] = {
    ("GET", "/log"): Application.show_log,
    ("DELETE", "/log"): lambda application, _call: application.log.clear(),
    ("GET", "/faults"): lambda application, _call: [fault.show() for fault in application.faults],
    ("POST", "/faults"): Application.queue,
    ("DELETE", "/faults"): lambda application, _call: application.take_back_faults(),
    ("GET", "/settings"): lambda application, _call: application.panel.settings.values,
    ("POST", "/settings"): Application.set,
    ("GET", "/state"): lambda application, _call: state.dump(application.panel),
    ("PUT", "/state"): lambda application, call: state.load(application.panel, call.decode_body()),
    ("POST", "/seed"): lambda application, call: state.plant(application.panel, call.decode_body()),
    ("POST", "/reset"): lambda application, _call: application.reset(),
    ("GET", "/counters"): lambda application, _call: application.show_counters(),
}


def _find_operation(call: Call, path: str) -> Callable[[Application, Call], Any]:
    """Return the operation of the control interface that a request names; raises ApiError."""
    if not ipaddress.ip_address(call.remote).is_loopback:
        raise ApiError(403, "The control interface answers on loopback only.")
    if (call.method, path) in _OPERATIONS:
        return _OPERATIONS[call.method, path]

    paths = {known_path for _method, known_path in _OPERATIONS}
    status = 405 if path in paths else 404
    raise ApiError(status, "The control interface has no such operation.")


def _decode_body(raw: bytes) -> Any:
    """Return the body of a request for the log, as text if it is no JSON."""
    if not raw:
        return None

    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return raw.decode("utf-8", "replace")

"""A simulated panel at work: from a request to its answer, with delays, faults, reloads, reboots, the log, and what is not the API."""

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
from panel_simulator.answering import WRITES, Reply, answered, json_reply, page
from panel_simulator.calls import ApiError, Call, Invalid
from panel_simulator.faults import AFTER, BEFORE, Fault, interfere, read_fault, spoilt, strike
from panel_simulator.panel import Panel
from panel_simulator.server import Connection, Listener


class Application:
    """One simulated panel behind one listener, which is set once it exists. ``before_write`` is called before each write takes effect.

    ``lock`` is held by whoever reads or changes the panel: each connection has a thread.
    """

    listener: Listener

    def __init__(
        self, panel: Panel, scheme: str, first_settings: Sequence[Any], first_seed: Any
    ) -> None:
        self.panel = panel
        self.scheme = scheme
        self.first_settings, self.first_seed = first_settings, first_seed
        self.lock = threading.RLock()
        self.log: list[dict[str, Any]] = []
        self.faults: list[Fault] = []
        self.released = threading.Event()
        # Of a panel that stands still: whether requests that nobody waits for any more have no effect.
        self.drops = False
        self.before_write: Callable[[], None] = lambda: None
        self._last_number = 0
        self._timers: list[threading.Timer] = []
        self.reset()

    def reset(self) -> None:
        """Everything as after a start without a state file: settings, objects, no faults, an empty log."""
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
        self._reload_until, self._writes = 0.0, 0
        self._by_method: Counter[str] = Counter()

    def take_back_faults(self) -> None:
        """No fault is queued any more, and a panel that stands still goes on."""
        self.faults.clear()
        self.released.set()

    def answer(self, connection: Connection, call: Call) -> Reply:
        connection.idle_seconds = self.panel.settings.keep_alive_seconds
        call.base_url = f"{self.scheme}://{call.host or self.panel.settings.hostname}"
        path = call.path
        if path.startswith(f"{API_PATH}/") and path != OPENAPI_PATH:
            call.path, call.target = path[len(API_PATH) :], call.target[len(API_PATH) :]
            return self._of_api(connection, call)
        with self.lock:
            if path.startswith(f"{CONTROL_PATH}/"):
                return self._of_control(call, path[len(CONTROL_PATH) :].rstrip("/"))
            if call.method == "GET" and path == OPENAPI_PATH:
                return json_reply(200, openapi.document(call.base_url))
            if call.method == "GET" and path == handlers.LOGIN_PATH:
                return page(*handlers.logged_in(self.panel, call.query.get("token", "")))
        return page(404)

    def _of_api(self, connection: Connection, call: Call) -> Reply:
        settings = self.panel.settings
        connection.api_requests += 1
        with self.lock:
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
                "body": _decoded(call.raw),
                # None: no answer was sent. What was done to the request instead, if anything, is its fault.
                "status": None,
                "fault": None,
            }
            self.log.append(entry)
        time.sleep(
            (settings.latency + (settings.write_latency if call.method in WRITES else 0)) / 1000
        )
        reply = self._struck(connection, call, entry)
        entry["status"] = None if connection.is_over else reply.status
        if (
            settings.requests_per_connection
            and connection.api_requests >= settings.requests_per_connection
        ):
            return replace(reply, closes=settings.announce_close, ends=True)
        return reply

    def _struck(self, connection: Connection, call: Call, entry: dict[str, Any]) -> Reply:
        """Carries a request out, as far as no fault keeps it from that."""
        if not self.released.is_set():
            self.released.wait()
            if self.drops and connection.is_left():
                return page(503)  # to nobody
        if time.monotonic() < self._reload_until:
            entry["fault"] = "reload"
            return page(503)
        with self.lock:
            fault, interferences = strike(self.faults, call.method, call.path)
        if fault is None and not interferences:
            return self.carry_out(call)
        entry["fault"] = fault.kind if fault else interferences[0].kind
        with self.lock:
            interfere(self.panel, call.path, interferences, BEFORE)
        reply = self._spoilt(connection, call, fault) if fault else self.carry_out(call)
        with self.lock:
            interfere(self.panel, call.path, interferences, AFTER)
        return reply

    def _spoilt(self, connection: Connection, call: Call, fault: Fault) -> Reply:
        """Carries the request out, or not, and answers as the fault wants it."""
        seconds = fault.options.get("seconds", 0.0)
        if fault.kind == "slow" and fault.when == BEFORE:
            time.sleep(seconds)
        if fault.late is not None:
            self._later(fault.late, lambda: self.carry_out(call))
        has_effect = fault.late is None and (fault.kind == "slow" or fault.when == AFTER)
        reply = self.carry_out(call) if has_effect else json_reply(200, {})
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
        return spoilt(fault, reply)

    def carry_out(self, call: Call) -> Reply:
        """What a panel without faults does with a request."""
        with self.lock:
            if call.method in WRITES:
                self.before_write()
            try:
                reply = answered(self.panel, call)
            except Exception:
                # A mistake in the simulator; the caller sees it as an error of the panel, the trace tells where it is.
                traceback.print_exc(file=sys.stderr)
                return json_reply(
                    500, ApiError(500, "The simulator failed; see its standard error.").body
                )
            if call.method in WRITES and reply.status < 400:
                self._after_write(call)
            return reply

    def _later(self, seconds: float, work: Callable[[], object]) -> None:
        """Does something in so many seconds, when nobody waits for it any more; nothing of it is left after a reset."""

        def run() -> None:
            with self.lock:
                if timer in self._timers:
                    work()

        timer = threading.Timer(seconds, run)
        timer.daemon = True
        with self.lock:
            self._timers = [*(one for one in self._timers if one.is_alive()), timer]
            timer.start()

    def _after_write(self, call: Call) -> None:
        settings = self.panel.settings
        self._writes += 1
        if settings.reload_every_writes and self._writes % settings.reload_every_writes == 0:
            self._reload_until = time.monotonic() + settings.reload_milliseconds / 1000
        if call.path.rstrip("/") == "/server/reboot":
            down_time = settings.reboot_down_time
            self._later(settings.reboot_delay, lambda: self._reboot(down_time))

    def _reboot(self, seconds: float) -> None:
        self.panel.booted_at = self.panel.clock() + seconds
        self.listener.go_away(seconds)

    def _of_control(self, call: Call, path: str) -> Reply:
        operation = _OPERATIONS.get((call.method, path))
        try:
            if not ipaddress.ip_address(call.remote).is_loopback:
                raise ApiError(403, "The control interface answers on loopback only.")
            if operation is None:
                is_path = any(path == known for _method, known in _OPERATIONS)
                raise ApiError(
                    405 if is_path else 404, "The control interface has no such operation."
                )
            value = operation(self, call)
        except ApiError as error:
            return json_reply(error.status, error.body)
        return Reply(204) if value is None else json_reply(200, value)

    def shown_log(self, call: Call) -> dict[str, Any]:
        """Entries after number ``since``, without the API key, and in ``next`` the ``since`` for the next time."""
        since = call.query.get("since", "0")
        if not (since.isascii() and since.isdigit()):
            raise Invalid("since: must be a number.")
        text = json.dumps([one for one in self.log if one["number"] > int(since)])
        return {
            "next": self._last_number,
            "requests": json.loads(text.replace(json.dumps(self.panel.api_key)[1:-1], "***")),
        }

    def queue(self, call: Call) -> Any:
        body = call.decoded_body()
        added = [
            read_fault(described) for described in (body if isinstance(body, list) else [body])
        ]
        self.faults += added
        shown = [fault.shown() for fault in added]
        return shown if isinstance(body, list) else shown[0]

    def set(self, call: Call) -> dict[str, Any]:
        self.panel.settings.merge(call.decoded_body())
        return self.panel.settings.values

    def counters(self) -> dict[str, Any]:
        """What happened since the start or the last reset; connections since the start."""
        return {
            "requests": self._by_method.total(),
            "by_method": dict(self._by_method),
            "connections": self.listener.accepted,
            "stalled": not self.released.is_set(),
        }


_OPERATIONS: dict[tuple[str, str], Callable[[Application, Call], Any]] = {
    ("GET", "/log"): Application.shown_log,
    ("DELETE", "/log"): lambda application, _call: application.log.clear(),
    ("GET", "/faults"): lambda application, _call: [fault.shown() for fault in application.faults],
    ("POST", "/faults"): Application.queue,
    ("DELETE", "/faults"): lambda application, _call: application.take_back_faults(),
    ("GET", "/settings"): lambda application, _call: application.panel.settings.values,
    ("POST", "/settings"): Application.set,
    ("GET", "/state"): lambda application, _call: state.dump(application.panel),
    ("PUT", "/state"): lambda application, call: state.load(application.panel, call.decoded_body()),
    ("POST", "/seed"): lambda application, call: state.plant(
        application.panel, call.decoded_body()
    ),
    ("POST", "/reset"): lambda application, _call: application.reset(),
    ("GET", "/counters"): lambda application, _call: application.counters(),
}


def _decoded(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else None
    except (ValueError, RecursionError):
        return raw.decode("utf-8", "replace")

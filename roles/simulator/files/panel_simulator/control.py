"""The control interface below /_simulator/: not part of the panel's API, without a key, for loopback only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from panel_simulator import seed, state
from panel_simulator.application import Application
from panel_simulator.calls import Answer, Call
from panel_simulator.errors import ApiError, Invalid, NotFound

Operation = Callable[["Application", Call], Any]


def _get_log(application: Application, call: Call) -> Any:
    since = call.query.get("since", "0")
    if not (since.isascii() and since.isdigit()):
        raise Invalid("since: must be a number.")
    return application.log.shown(int(since), application.panel.api_key)


def _post_faults(application: Application, call: Call) -> Any:
    body = call.decoded_body()
    if isinstance(body, list):
        return [application.faults.add(described).shown() for described in body]
    return application.faults.add(body).shown()


def _post_settings(application: Application, call: Call) -> Any:
    application.panel.settings.merge(call.decoded_body())
    return application.panel.settings.values


OPERATIONS: dict[tuple[str, str], Operation] = {
    ("GET", "/log"): _get_log,
    ("DELETE", "/log"): lambda application, _call: application.log.clear(),
    ("GET", "/faults"): lambda application, _call: [fault.shown() for fault in application.faults.queue],
    ("POST", "/faults"): _post_faults,
    ("DELETE", "/faults"): lambda application, _call: application.take_back_faults(),
    ("GET", "/settings"): lambda application, _call: application.panel.settings.values,
    ("POST", "/settings"): _post_settings,
    ("GET", "/state"): lambda application, _call: state.dump(application.panel),
    ("PUT", "/state"): lambda application, call: state.load(application.panel, call.decoded_body()),
    ("POST", "/seed"): lambda application, call: seed.plant(application.panel, call.decoded_body()),
    ("POST", "/reset"): lambda application, _call: application.reset(),
    ("GET", "/counters"): lambda application, _call: application.counters(),
}


def handle(application: Application, call: Call) -> Answer:
    """Carries out one operation; ``call.path`` is below /_simulator. 200 with JSON, or 204."""
    operation = OPERATIONS.get((call.method, call.path.rstrip("/")))
    if operation is None:
        if any(path == call.path.rstrip("/") for _method, path in OPERATIONS):
            raise ApiError(405, f"The method {call.method} is not allowed here.")
        raise NotFound("The control interface has no such path.")
    value = operation(application, call)
    return Answer(status=204) if value is None else Answer(value=value)

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
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


def _delete_log(application: Application, _call: Call) -> Any:
    application.log.clear()
    return None


def _get_faults(application: Application, _call: Call) -> Any:
    return [fault.shown() for fault in application.faults.queue]


def _post_faults(application: Application, call: Call) -> Any:
    body = call.decoded_body()
    if isinstance(body, list):
        return [application.faults.add(described).shown() for described in body]
    return application.faults.add(body).shown()


def _delete_faults(application: Application, _call: Call) -> Any:
    application.take_back_faults()
    return None


def _get_settings(application: Application, _call: Call) -> Any:
    return application.panel.settings.values


def _post_settings(application: Application, call: Call) -> Any:
    application.panel.settings.merge(call.decoded_body())
    return application.panel.settings.values


def _get_state(application: Application, _call: Call) -> Any:
    return state.dump(application.panel)


def _put_state(application: Application, call: Call) -> Any:
    state.load(application.panel, call.decoded_body())
    return None


def _post_seed(application: Application, call: Call) -> Any:
    return seed.plant(application.panel, call.decoded_body())


def _post_reset(application: Application, _call: Call) -> Any:
    application.reset()
    return None


def _get_counters(application: Application, _call: Call) -> Any:
    return application.counters()


OPERATIONS: dict[tuple[str, str], Operation] = {
    ("GET", "/log"): _get_log,
    ("DELETE", "/log"): _delete_log,
    ("GET", "/faults"): _get_faults,
    ("POST", "/faults"): _post_faults,
    ("DELETE", "/faults"): _delete_faults,
    ("GET", "/settings"): _get_settings,
    ("POST", "/settings"): _post_settings,
    ("GET", "/state"): _get_state,
    ("PUT", "/state"): _put_state,
    ("POST", "/seed"): _post_seed,
    ("POST", "/reset"): _post_reset,
    ("GET", "/counters"): _get_counters,
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

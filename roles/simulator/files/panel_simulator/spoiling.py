"""What each kind of fault does to a request and its answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from panel_simulator import interference
from panel_simulator.answering import HTML, Reply, json_reply, page, page_text
from panel_simulator.application import Application
from panel_simulator.calls import Call
from panel_simulator.connections import Connection
from panel_simulator.errors import reason_of
from panel_simulator.faults import AFTER, BEFORE, Fault
from panel_simulator.request_log import LoggedRequest


@dataclass
class Strike:
    """One fault that strikes one request; ``reply`` is the panel's own answer, or a stand-in where the request had no effect."""

    application: Application
    connection: Connection
    reply: Reply
    options: Mapping[str, Any]


def answer(
    application: Application,
    connection: Connection,
    call: Call,
    entry: LoggedRequest,
    fault: Fault | None,
    mutations: list[Fault],
) -> Reply:
    """Carries the request out, or not, and answers as the fault wants it; notes in the log what was done."""
    entry.fault = fault.kind if fault else mutations[0].kind
    _mutate(application, call, mutations, BEFORE)
    if fault is not None and fault.kind == "slow" and fault.when == BEFORE:
        time.sleep(fault.options["seconds"])
    has_effect = fault is None or (fault.late is None and (fault.kind == "slow" or fault.when == AFTER))
    if fault is not None and fault.late is not None:
        application.carry_out_later(call, fault.late)
    reply = application.carry_out(call) if has_effect else json_reply(200, {})
    _mutate(application, call, mutations, AFTER)
    if fault is not None and not (fault.kind == "slow" and fault.when == BEFORE):
        reply = _EFFECTS[fault.kind](Strike(application, connection, reply, fault.options))
    entry.status = None if connection.is_over else reply.status
    return reply


def _mutate(application: Application, call: Call, mutations: list[Fault], when: str) -> None:
    with application.lock:
        for mutation in mutations:
            if mutation.when == when:
                interference.interfere(application.panel, call.path, mutation.kind, mutation.options)


def _status(strike: Strike) -> Reply:
    status = strike.options["status"]
    if strike.options["body"] == "json":
        reply = json_reply(status, {"code": reason_of(status), "message": strike.options["message"]})
    else:
        reply = page(status)
    return replace(reply, headers={name: str(value) for name, value in strike.options["headers"].items()})


def _reset(strike: Strike) -> Reply:
    strike.connection.reset()
    return strike.reply


def _refuse(strike: Strike) -> Reply:
    strike.application.go_away(strike.options["seconds"], strike.connection)
    # Where it is answered, the end is announced: the caller opens another connection for its next request, in vain.
    return replace(strike.reply, closes=True) if strike.options["answered"] else _reset(strike)


def _slow(strike: Strike) -> Reply:
    time.sleep(strike.options["seconds"])
    return strike.reply


def _stall(strike: Strike) -> Reply:
    strike.application.stall(strike.options["drops"])
    strike.application.released.wait()
    return strike.reply


def _truncate(strike: Strike) -> Reply:
    body, most = strike.reply.body or b"{}", strike.options["bytes"]
    length = len(body) // 2 if most is None else min(most, len(body) - 1)
    status = 200 if strike.reply.status == 204 else strike.reply.status
    return replace(strike.reply, status=status, body=body[:length], length=len(body), closes=True)


def _wrong_type(strike: Strike) -> Reply:
    return replace(strike.reply, media_type=strike.options["content_type"])


def _html_200(strike: Strike) -> Reply:
    return Reply(200, (strike.options["html"] or page_text(200)).encode(), f"{HTML}; charset=utf-8")


def _redirect(strike: Strike) -> Reply:
    return Reply(strike.options["status"], headers={"Location": strike.options["location"]})


def _body(strike: Strike) -> Reply:
    return json_reply(strike.options["status"] or strike.reply.status, strike.options["body"])


_EFFECTS: dict[str, Callable[[Strike], Reply]] = {
    "status": _status,
    "reset": _reset,
    "refuse": _refuse,
    "slow": _slow,
    "stall": _stall,
    "truncate": _truncate,
    "wrong_type": _wrong_type,
    "html_200": _html_200,
    "redirect": _redirect,
    "body": _body,
}

"""One operation whose answers are lost on the panel in memory, and whether it kept every promise: judged by an undisturbed run of the same.

It knows nothing of how the collection decides. The panel must be as before the task or as after an undisturbed one; a task that ends well
must have done and told what the undisturbed one did; one that fails must tell the truth and what to do; and the next run must complete it.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._errors import PanelError, RequestError
from tests.support.memory import TIMEOUT, Loss, MemoryPlace
from tests.support.operations import (
    CREATE,
    REBOOT,
    REGENERATE,
    UNCHANGED,
    Operation,
    operations,
    world,
)
from tests.support.playbook import Recording

BULK = "panel_resources"
# Another in every run.
_VOLATILE = frozenset(
    {
        "created_at",
        "dkim_record",
        "generated_password",
        "generated_passwords",
        "elapsed",
        "checksum",
        "invocation",
    }
)
_ADVICE = re.compile(
    r"[Rr]un (?:the task )?again|\b[Ll]ook (at|on) |\bCheck |Try again|\bRaise |\bCorrect |regenerate_password|Name the object|[Rr]un it again"
)
_REQUEST_ERRORS: list[type[PanelError]] = [RequestError, *RequestError.__subclasses__()]
_REQUEST_MEMBERS = ("method", "path", "attempts")
# Between two arrivals there may be a pause beside the time for repeats: Ansible's own start is not among them.
_SLACK = 2.5
_OVERHEAD = 20.0


@dataclass(frozen=True)
class Baseline:
    """What a task does when nothing disturbs it. before, after: the state of the panel."""

    before: Mapping[str, Any]
    after: Mapping[str, Any]
    real: Recording


def baseline(check: Recording, real: Recording) -> Baseline:
    """From a run in check mode and a real one, neither of them disturbed; raises ValueError where they are not what the matrix builds on."""
    for recording in (check, real):
        if recording.outcome != "ok":
            raise ValueError(f"{recording.name} fails without any fault: {recording.msg}")
    return Baseline(canonical(check.observed[0]), canonical(real.observed[0]), real)


def canonical(state: Mapping[str, Any]) -> dict[str, Any]:
    """The state of a panel without what is another in every run."""
    return {
        "objects": {
            kind: sorted(({"id": item["id"], **_steady(item["data"])} for item in items), key=_text)
            for kind, items in state["objects"].items()
        },
        "zones": {
            number: {**zone, "other": sorted(_steady(zone["other"]), key=_text)}
            for number, zone in state["zones"].items()
        },
    }


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _steady(value: Any) -> Any:
    """A copy without what is another in every run; of members that come and go with that it says only that they are there."""
    if isinstance(value, Mapping):
        return {
            name: "(there)" if name in _VOLATILE else _steady(member)
            for name, member in value.items()
        }
    if isinstance(value, list):
        return [_steady(entry) for entry in value]
    return "(DKIM)" if isinstance(value, str) and "v=DKIM1" in value else value


def judged(
    operation: Operation, retry_time: int, known: Baseline, struck: Recording, again: Recording
) -> list[str]:
    """Every broken promise, none for a task that kept them all."""
    state = canonical(struck.observed[0])
    problems = [
        *_of_state(known, state),
        *_of_requests(operation, known, struck),
        *_of_time(retry_time, struck),
    ]
    if struck.outcome == "ok":
        problems += _of_success(known, state, struck)
    else:
        problems += _of_failure(operation, known, state, struck)
    problems += _of_passwords(operation, known, state, struck)
    return [*problems, *_of_the_next_run(operation, known, struck.outcome, state, again)]


def _of_state(known: Baseline, state: Mapping[str, Any]) -> Iterator[str]:
    if state in (known.before, known.after):
        return
    for kind, items in state["objects"].items():
        counts = [len(side["objects"][kind]) for side in (known.before, known.after)]
        if len(items) > max(counts):
            yield f"there are {len(items)} {kind}"
            return
        if len(items) < min(counts):
            yield f"there are only {len(items)} {kind}"
            return
    yield f"the panel is neither as before nor as it should be: {_differences(known.after, state)}"


def _differences(wanted: Any, found: Any, place: str = "") -> str:
    if isinstance(wanted, Mapping) and isinstance(found, Mapping):
        names = [name for name in {**wanted, **found} if wanted.get(name) != found.get(name)]
        return "; ".join(
            _differences(wanted.get(name), found.get(name), f"{place}.{name}") for name in names[:3]
        )
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        pairs = [(one, other) for one, other in zip(wanted, found, strict=True) if one != other]
        return "; ".join(_differences(one, other, f"{place}[]") for one, other in pairs[:2])
    return f"{place.lstrip('.')} is {str(found)[:120]} instead of {str(wanted)[:120]}"


def _of_requests(operation: Operation, known: Baseline, struck: Recording) -> Iterator[str]:
    """No write is sent twice without a look between, where a second one could do harm; and nothing else is written."""
    allowed = {
        (request["method"], request["path"]): request["body"] for request in known.real.writes
    }
    pending: set[tuple[str, str]] = set()
    for request in struck.requests:
        identity = (request["method"], request["path"])
        if request["method"] == "GET":
            if request["status"] in (200, 404):
                pending.clear()
            continue
        if not _is_allowed(request, allowed, operation):
            yield f"{request['method']} {request['path']} with {request['body']} is no part of the task"
        harms = request["method"] == "POST" or request["path"].startswith("/dns/")
        if harms and identity in pending:
            yield f"{request['method']} {request['path']} was sent again without a look"
        # Whoever sends too much is told that nothing was done.
        if request["status"] != 429:
            pending.add(identity)


def _is_allowed(
    request: Mapping[str, Any], allowed: Mapping[tuple[str, str], Any], operation: Operation
) -> bool:
    if (request["method"], request["path"]) in allowed:
        return bool(
            _steady(request["body"]) == _steady(allowed[request["method"], request["path"]])
        )
    if request["method"] != "PUT":
        return False
    # A password that was lost with its answer is generated anew, and a given one is sent once more.
    given = [_passwords_in(body) for (method, _path), body in allowed.items() if method == "POST"]
    return bool(request["body"]) and request["body"] in [
        *given,
        *([{"password": None}] if operation.generates else []),
    ]


def _passwords_in(body: Any) -> dict[str, Any]:
    return {name: body[name] for name in body or {} if name.startswith("password")}


def _settles(request: Mapping[str, Any]) -> bool:
    return (
        request["method"] == "PUT"
        and bool(request["body"])
        and request["body"] == _passwords_in(request["body"])
    )


def _of_time(retry_time: int, struck: Recording) -> Iterator[str]:
    """The time for repeats, counted from the first request that failed, and bounded for the task as a whole."""
    arrivals = [request["time"] for request in struck.requests]
    failed = [request["time"] for request in struck.requests if request["fault"]]
    # What settles a password is a request of its own, which may wait for its answer as long as the first one.
    waits = 1 + any(request["fault"] and _settles(request) for request in struck.requests)
    allowed = retry_time + TIMEOUT * waits + _SLACK
    if failed and arrivals[-1] - failed[0] > allowed:
        yield f"still sends {arrivals[-1] - failed[0]:.1f} s after the first fault"
    if struck.seconds > allowed + _OVERHEAD:
        yield f"took {struck.seconds:.0f} s"


def _of_success(known: Baseline, state: Mapping[str, Any], struck: Recording) -> Iterator[str]:
    if state != known.after:
        yield f"ended well, and the panel is not as it should be: {_differences(known.after, state)}"
    # What begins so is for Ansible itself.
    wanted, found = (
        _steady(
            _without_looks(
                {
                    name: value
                    for name, value in recording.result.items()
                    if not name.startswith("_ansible_")
                }
            )
        )
        for recording in (known.real, struck)
    )
    if struck.changed != known.real.changed:
        yield f"changed is {struck.changed}"
    elif wanted != found:
        yield f"another result than undisturbed: {_differences(wanted, found)}"


def _without_looks(result: dict[str, Any]) -> dict[str, Any]:
    """Without the warning that a look at a new object did not tell how the panel keeps it, which a fault of that look brings."""
    # A module in a process of its own tells newer versions of Ansible more of a warning than its text.
    told = [
        warning
        for warning in result.get("warnings") or ()
        if "and reading its name failed" not in str(warning)
    ]
    others = {name: value for name, value in result.items() if name != "warnings"}
    return {**others, "warnings": told} if told else others


def _of_failure(
    operation: Operation, known: Baseline, state: Mapping[str, Any], struck: Recording
) -> Iterator[str]:
    msg, error = struck.msg, _error_of(struck.result)
    if not error or error.get("type") == "Defect" or "Traceback" in msg:
        yield f"not an error for people: {msg[:200]}"
        return
    missing = [
        str(error[name])
        for name in ("method", "path", "status")
        if name in error and str(error[name]) not in msg
    ]
    if error["type"] in [kind.__name__ for kind in _REQUEST_ERRORS]:
        missing += [name for name in _REQUEST_MEMBERS if name not in error]
    if error.get("attempts", 1) > 1 and f"{error['attempts']} attempts" not in msg:
        missing.append(f"{error['attempts']} attempts")
    if missing:
        yield f"the message lacks {', '.join(missing)}: {msg}"
    if not _ADVICE.search(msg):
        yield f"the message does not say what to do: {msg}"
    took_effect = state != known.before or (operation.verb == REGENERATE and _had_effect(struck))
    if took_effect and "Nothing was written" in msg:
        yield f"something was written: {msg}"


def _had_effect(struck: Recording) -> bool:
    return any(
        request["status"] is not None and request["status"] < 300 for request in struck.writes
    )


def _error_of(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """The error of a task, or of the one item of a task for many."""
    items: Sequence[Mapping[str, Any]] = result.get("results") or ()
    return next((item["error"] for item in items if "error" in item), result.get("error") or {})


def _of_passwords(
    operation: Operation, known: Baseline, state: Mapping[str, Any], struck: Recording
) -> Iterator[str]:
    """A password that the panel generated is returned, or said to be lost together with the way to a new one."""
    if not operation.generates:
        if "generated_password" in str(struck.result):
            yield "a password that nobody asked for"
        return
    shown = _password_of(struck.result)
    kept = _kept_passwords(operation, struck.observed[0])
    if struck.outcome == "ok" and shown is None:
        yield "ended well without the password"
    elif shown is not None and shown not in kept:
        yield "returned a password that is not the panel's"
    elif (
        shown is None
        and operation.verb == CREATE
        and state == known.after
        and "regenerate_password" not in struck.msg
    ):
        yield f"the object is there, nobody knows its password, and nothing says so: {struck.msg}"


def _password_of(result: Mapping[str, Any]) -> str | None:
    several = result.get("generated_passwords") or [{}]
    password: str | None = result.get("generated_password") or several[0].get("password")
    return password


def _kept_passwords(operation: Operation, state: Mapping[str, Any]) -> set[str]:
    return {item["hidden"].get("password") for item in state["objects"][operation.kind]}


def _of_the_next_run(
    operation: Operation, known: Baseline, outcome: str, state: Mapping[str, Any], again: Recording
) -> Iterator[str]:
    after = canonical(again.observed[0])
    if again.outcome != "ok":
        yield f"the next run fails: {again.msg}"
    elif after != known.after:
        yield f"the next run does not complete it: {_differences(known.after, after)}"
    elif operation.verb != REGENERATE and again.changed != (state != known.after):
        yield f"the next run says changed: {again.changed}"
    elif operation.verb != REGENERATE and outcome == "ok" and again.writes:
        yield "the next run writes again"


@dataclass(frozen=True)
class Case:
    """One operation with one loss."""

    operation: Operation
    is_bulk: bool
    loss: Loss
    retry_time: int

    @property
    def name(self) -> str:
        return f"{BULK if self.is_bulk else 'single'}: {self.operation.name}, {self.loss}"

    @property
    def task(self) -> tuple[str, dict[str, Any]]:
        """The module, and its options."""
        options = dict(self.operation.options)
        if not self.is_bulk:
            return self.operation.module, options
        return BULK, {"resources": {self.operation.kind: [options]}, "max_deletes": 50}


@functools.cache
def operations_that_write() -> list[Operation]:
    """All of objects and zones."""
    every = operations(MemoryPlace(world(), {"status_delay": 0.0}))
    return [operation for operation in every if operation.verb not in (UNCHANGED, REBOOT)]


@functools.cache
def _place() -> tuple[MemoryPlace, Mapping[str, Any]]:
    """The panel in this process, and its state at the beginning."""
    place = MemoryPlace(world(), {"status_delay": 0.0})
    return place, place.state()


_baselines: dict[tuple[str, bool], Baseline] = {}


def _undisturbed(case: Case) -> Baseline:
    key = (case.operation.name, case.is_bulk)
    if key not in _baselines:
        place, first = _place()
        place.put(first, case.operation.existing)
        check, real = (
            place.run(case.operation.name, *case.task, check_mode=mode) for mode in (True, False)
        )
        _baselines[key] = baseline(check, real)
    return _baselines[key]


def tried(case: Case) -> tuple[bool, list[str]]:
    """Whether the task ended well, and every promise that it broke."""
    known = _undisturbed(case)
    place, first = _place()
    place.put(first, case.operation.existing)
    struck = place.run(case.name, *case.task, loss=case.loss, retry_time=case.retry_time)
    at_the_end, late = struck.observed
    struck.observed[:] = [late]
    # Until lists show it too.
    place.pass_time(60.0)
    again = place.run(case.name, *case.task)
    again.observed.pop()
    problems = judged(case.operation, case.retry_time, known, struck, again)
    if (
        struck.outcome == "ok"
        and case.operation.verb != REGENERATE
        and canonical(at_the_end) != known.after
    ):
        problems.append("ended well before it was done")
    if (
        struck.outcome != "ok"
        and case.operation.verb == REGENERATE
        and "regenerate_password" not in struck.msg
    ):
        problems.append(f"nobody may know the password, and nothing says so: {struck.msg}")
    return struck.outcome == "ok", problems

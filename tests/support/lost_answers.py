"""One operation whose answers are lost on the panel in memory, and whether it kept every promise.

An undisturbed run of the same is the measure; nothing here depends on how the collection decides.
The panel must be as before the task or as after an undisturbed one; a task that ends well must have
done and reported what the undisturbed one did; one that fails must tell the truth and what to do;
and the next run must complete it.
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
    list_operations,
    make_world,
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
    r"[Rr]un (?:the task )?again|\b[Ll]ook (at|on) |\bCheck |Try again|\bRaise |\bCorrect "
    r"|regenerate_password|Name the object|[Rr]un it again"
)
_REQUEST_ERRORS: list[type[PanelError]] = [RequestError, *RequestError.__subclasses__()]
_REQUEST_MEMBERS = ("method", "path", "attempts")
# Between two arrivals there may be a pause beside the time for repeats: Ansible's own start is not
# among them.
_SLACK = 2.5
_OVERHEAD = 20.0


@dataclass(frozen=True)
class Baseline:
    """What a task does when nothing disturbs it. before, after: the state of the panel."""

    before: Mapping[str, Any]
    after: Mapping[str, Any]
    real: Recording


def make_baseline(check: Recording, real: Recording) -> Baseline:
    """Return the baseline of a run in check mode and a real one, neither of them disturbed.

    Raises: ValueError if they are not what the matrix builds on.
    """
    for recording in (check, real):
        if recording.outcome != "ok":
            raise ValueError(f"{recording.name} fails without any fault: {recording.msg}")

    return Baseline(canonicalize(check.observed[0]), canonicalize(real.observed[0]), real)


def canonicalize(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state of a panel without what is different in every run."""
    objects = {}
    for kind, items in state["objects"].items():
        steady_items = [
            {"id": item["id"], **_without_unsteady_values(item["data"])} for item in items
        ]
        objects[kind] = sorted(steady_items, key=_encode_value)

    zones = {}
    for number, zone in state["zones"].items():
        zones[number] = {
            **zone,
            "other": sorted(_without_unsteady_values(zone["other"]), key=_encode_value),
        }

    return {"objects": objects, "zones": zones}


def _encode_value(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _without_unsteady_values(value: Any) -> Any:
    """Return a copy without what is different in every run.

    Of fields that come and go with that, the copy has only that they exist.
    """
    if isinstance(value, Mapping):
        copied = {}
        for name, item in value.items():
            copied[name] = "(there)" if name in _VOLATILE else _without_unsteady_values(item)
        return copied

    if isinstance(value, list):
        return [_without_unsteady_values(item) for item in value]
    if isinstance(value, str) and "v=DKIM1" in value:
        return "(DKIM)"

    return value


def judge(
    operation: Operation,
    retry_time: int,
    undisturbed: Baseline,
    struck: Recording,
    next_run: Recording,
) -> list[str]:
    """Return every broken promise, none for a task that kept them all."""
    state = canonicalize(struck.observed[0])
    problems = [
        *_judge_state(undisturbed, state),
        *_judge_requests(operation, undisturbed, struck),
        *_judge_time(retry_time, struck),
    ]

    if struck.outcome == "ok":
        problems += _judge_success(undisturbed, state, struck)
    else:
        problems += _judge_failure(operation, undisturbed, state, struck)

    problems += _judge_passwords(operation, undisturbed, state, struck)

    return [*problems, *_judge_next_run(operation, undisturbed, struck.outcome, state, next_run)]


def _judge_state(undisturbed: Baseline, state: Mapping[str, Any]) -> Iterator[str]:
    if state in (undisturbed.before, undisturbed.after):
        return

    for kind, items in state["objects"].items():
        before = len(undisturbed.before["objects"][kind])
        after = len(undisturbed.after["objects"][kind])
        if len(items) > max(before, after):
            yield f"there are {len(items)} {kind}"
            return
        if len(items) < min(before, after):
            yield f"there are only {len(items)} {kind}"
            return

    differences = _describe_differences(undisturbed.after, state)

    yield f"the panel is neither as before nor as it should be: {differences}"


def _describe_differences(expected: Any, actual: Any, path: str = "") -> str:
    """Return the first differences of two values, each with its path."""
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        names = [name for name in {**expected, **actual} if expected.get(name) != actual.get(name)]
        return "; ".join(
            _describe_differences(expected.get(name), actual.get(name), f"{path}.{name}")
            for name in names[:3]
        )

    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        pairs = [pair for pair in zip(expected, actual, strict=True) if pair[0] != pair[1]]
        return "; ".join(_describe_differences(*pair, f"{path}[]") for pair in pairs[:2])

    return f"{path.lstrip('.')} is {str(actual)[:120]} instead of {str(expected)[:120]}"


def _judge_requests(
    operation: Operation, undisturbed: Baseline, struck: Recording
) -> Iterator[str]:
    """Judge the writes of a task.

    None is sent twice without a look between, where a second one could do harm; and nothing else
    is written.
    """
    allowed = {
        (request["method"], request["path"]): request["body"] for request in undisturbed.real.writes
    }
    pending: set[tuple[str, str]] = set()

    for request in struck.requests:
        identity = (request["method"], request["path"])
        if request["method"] == "GET":
            if request["status"] in (200, 404):
                pending.clear()
            continue

        subject = f"{request['method']} {request['path']}"
        if not _is_allowed(request, allowed, operation):
            yield f"{subject} with {request['body']} is no part of the task"
        harms = request["method"] == "POST" or request["path"].startswith("/dns/")
        if harms and identity in pending:
            yield f"{subject} was sent again without a look"
        # A client that sends too much hears that nothing was done.
        if request["status"] != 429:
            pending.add(identity)


def _is_allowed(
    request: Mapping[str, Any], allowed: Mapping[tuple[str, str], Any], operation: Operation
) -> bool:
    body = request["body"]
    identity = (request["method"], request["path"])
    if identity in allowed:
        return bool(_without_unsteady_values(body) == _without_unsteady_values(allowed[identity]))
    if request["method"] != "PUT":
        return False

    # A password that was lost with its answer is generated anew, and a given one is sent again.
    settling_bodies = [
        _select_passwords(created)
        for (method, _path), created in allowed.items()
        if method == "POST"
    ]
    if operation.generates:
        settling_bodies.append({"password": None})

    return bool(body) and body in settling_bodies


def _select_passwords(body: Any) -> dict[str, Any]:
    return {name: body[name] for name in body or {} if name.startswith("password")}


def _settles(request: Mapping[str, Any]) -> bool:
    return (
        request["method"] == "PUT"
        and bool(request["body"])
        and request["body"] == _select_passwords(request["body"])
    )


def _judge_time(retry_time: int, struck: Recording) -> Iterator[str]:
    """Judge the time for repeats, from the first request that failed, and that of the task."""
    arrivals = [request["time"] for request in struck.requests]
    failed = [request["time"] for request in struck.requests if request["fault"]]
    # What settles a password is a further request, which may wait for its answer as long as the
    # first one.
    waits = 1 + any(request["fault"] and _settles(request) for request in struck.requests)
    allowed = retry_time + TIMEOUT * waits + _SLACK
    if failed and arrivals[-1] - failed[0] > allowed:
        yield f"still sends {arrivals[-1] - failed[0]:.1f} s after the first fault"

    if struck.seconds > allowed + _OVERHEAD:
        yield f"took {struck.seconds:.0f} s"


def _judge_success(
    undisturbed: Baseline, state: Mapping[str, Any], struck: Recording
) -> Iterator[str]:
    if state != undisturbed.after:
        differences = _describe_differences(undisturbed.after, state)
        yield f"ended well, and the panel is not as it should be: {differences}"

    expected = _make_comparable_result(undisturbed.real)
    actual = _make_comparable_result(struck)

    if struck.changed != undisturbed.real.changed:
        yield f"changed is {struck.changed}"
    elif expected != actual:
        yield f"another result than undisturbed: {_describe_differences(expected, actual)}"


def _make_comparable_result(recording: Recording) -> Any:
    """Return the result of a task without what is for Ansible itself, or another in every run."""
    result = {
        name: value for name, value in recording.result.items() if not name.startswith("_ansible_")
    }
    return _without_unsteady_values(_without_looks(result))


def _without_looks(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result without the warning that a look at a new object failed.

    A fault of that look brings the warning.
    """
    # A module in a process of its own gives newer versions of Ansible more of a warning than its
    # text.
    warnings = [
        warning
        for warning in result.get("warnings") or ()
        if "and reading its name failed" not in str(warning)
    ]
    cleaned = {name: value for name, value in result.items() if name != "warnings"}
    if warnings:
        cleaned["warnings"] = warnings

    return cleaned


def _judge_failure(
    operation: Operation, undisturbed: Baseline, state: Mapping[str, Any], struck: Recording
) -> Iterator[str]:
    message = struck.msg
    error = _get_error(struck.result)

    if not error or error.get("type") == "Defect" or "Traceback" in message:
        yield f"not an error for people: {message[:200]}"
        return

    missing = _list_missing_in_message(error, message)
    if missing:
        yield f"the message lacks {', '.join(missing)}: {message}"

    if not _ADVICE.search(message):
        yield f"the message does not say what to do: {message}"

    took_effect = state != undisturbed.before or (
        operation.verb == REGENERATE and _had_effect(struck)
    )
    if took_effect and "Nothing was written" in message:
        yield f"something was written: {message}"


def _list_missing_in_message(error: Mapping[str, Any], message: str) -> list[str]:
    """Return what an error of a request has to say, and does not."""
    missing = [
        str(error[name])
        for name in ("method", "path", "status")
        if name in error and str(error[name]) not in message
    ]
    if error["type"] in [kind.__name__ for kind in _REQUEST_ERRORS]:
        missing += [name for name in _REQUEST_MEMBERS if name not in error]

    attempts = error.get("attempts", 1)
    if attempts > 1 and f"{attempts} attempts" not in message:
        missing.append(f"{attempts} attempts")

    return missing


def _had_effect(struck: Recording) -> bool:
    return any(
        request["status"] is not None and request["status"] < 300 for request in struck.writes
    )


def _get_error(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the error of a task, or of the one item of a task for many."""
    items: Sequence[Mapping[str, Any]] = result.get("results") or ()
    for item in items:
        if "error" in item:
            error: Mapping[str, Any] = item["error"]
            return error

    return result.get("error") or {}


def _judge_passwords(
    operation: Operation, undisturbed: Baseline, state: Mapping[str, Any], struck: Recording
) -> Iterator[str]:
    """Judge whether a password that the panel generated is returned, or reported as lost."""
    if not operation.generates:
        if "generated_password" in str(struck.result):
            yield "a password that nobody asked for"
        return

    returned = _find_password(struck.result)

    if returned is not None:
        if returned not in _list_kept_passwords(operation, struck.observed[0]):
            yield "returned a password that is not the panel's"
        return

    if struck.outcome == "ok":
        yield "ended well without the password"
        return

    is_created = operation.verb == CREATE and state == undisturbed.after
    if is_created and "regenerate_password" not in struck.msg:
        yield f"the object is there, nobody knows its password, and nothing says so: {struck.msg}"


def _find_password(result: Mapping[str, Any]) -> str | None:
    several = result.get("generated_passwords") or [{}]
    password: str | None = result.get("generated_password") or several[0].get("password")
    return password


def _list_kept_passwords(operation: Operation, state: Mapping[str, Any]) -> set[str]:
    return {item["hidden"].get("password") for item in state["objects"][operation.kind]}


def _judge_next_run(
    operation: Operation,
    undisturbed: Baseline,
    outcome: str,
    state: Mapping[str, Any],
    next_run: Recording,
) -> Iterator[str]:
    after = canonicalize(next_run.observed[0])
    if next_run.outcome != "ok":
        yield f"the next run fails: {next_run.msg}"
    elif after != undisturbed.after:
        differences = _describe_differences(undisturbed.after, after)
        yield f"the next run does not complete it: {differences}"
    elif operation.verb != REGENERATE and next_run.changed != (state != undisturbed.after):
        yield f"the next run says changed: {next_run.changed}"
    elif operation.verb != REGENERATE and outcome == "ok" and next_run.writes:
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
        """Return the name of the case, with the loss."""
        form = BULK if self.is_bulk else "single"
        return f"{form}: {self.operation.name}, {self.loss}"

    @property
    def task(self) -> tuple[str, dict[str, Any]]:
        """Return the module, and its options."""
        options = dict(self.operation.options)
        if not self.is_bulk:
            return self.operation.module, options
        return BULK, {"resources": {self.operation.kind: [options]}, "max_deletes": 50}


@functools.cache
def list_writing_operations() -> list[Operation]:
    """Return all operations of objects and zones."""
    all_operations = list_operations(MemoryPlace(make_world(), {"status_delay": 0.0}))
    return [operation for operation in all_operations if operation.verb not in (UNCHANGED, REBOOT)]


@functools.cache
def _make_memory_and_state() -> tuple[MemoryPlace, Mapping[str, Any]]:
    """Return the panel in this process, and its state at the beginning."""
    memory = MemoryPlace(make_world(), {"status_delay": 0.0})
    return memory, memory.get_state()


_baselines: dict[tuple[str, bool], Baseline] = {}


def _run_undisturbed(case: Case) -> Baseline:
    key = (case.operation.name, case.is_bulk)
    if key not in _baselines:
        memory, first_state = _make_memory_and_state()
        memory.put(first_state, case.operation.existing)
        check = memory.run(case.operation.name, *case.task, check_mode=True)
        real = memory.run(case.operation.name, *case.task, check_mode=False)
        _baselines[key] = make_baseline(check, real)

    return _baselines[key]


def try_case(case: Case) -> tuple[bool, list[str]]:
    """Lose an answer of an operation.

    Returns: whether the task ended well, and every promise that it broke.
    """
    undisturbed = _run_undisturbed(case)
    memory, first_state = _make_memory_and_state()
    memory.put(first_state, case.operation.existing)
    struck = memory.run(case.name, *case.task, loss=case.loss, retry_time=case.retry_time)
    at_the_end, late = struck.observed
    struck.observed[:] = [late]
    # Until lists show it too.
    memory.pass_time(60.0)
    next_run = memory.run(case.name, *case.task)
    next_run.observed.pop()

    problems = judge(case.operation, case.retry_time, undisturbed, struck, next_run)
    ended_well = struck.outcome == "ok"
    regenerates = case.operation.verb == REGENERATE
    if ended_well and not regenerates and canonicalize(at_the_end) != undisturbed.after:
        problems.append("ended well before it was done")

    if not ended_well and regenerates and "regenerate_password" not in struck.msg:
        problems.append(f"nobody may know the password, and nothing says so: {struck.msg}")

    return ended_well, problems

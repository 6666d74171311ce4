# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules that manage one object of a kind: options in, decision, write, result out. Private to the collection."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Any, Callable

from .._errors import NOTHING_WRITTEN, PanelError, RequestError, about
from .._kinds.registry import ERROR, OKAY, STATUS_WORDS
from .._kinds.tables import CLIENT
from .._log import NOTHING_TO_CHANGE, log_plan, log_resolved
from .._schema.kind import Kind, argument_spec, read_wanted
from .._secrets.redaction import without_secrets, without_secrets_in_extra
from .._task.operation import Operation, Outcome, Task
from .._values.value_types import check_seconds
from .deciding import DELETE, NONE, Decision
from .objects import Object, Panel, Store

INTERVAL = 1.0  # seconds between two looks at the status


class NotApplied(PanelError):
    """The panel has the object, but has not applied it."""


class NotReadBack(PanelError):
    """The panel has what was wanted, and did not show it afterwards."""


def resource_operation(kind: Kind) -> Operation:
    return Operation(options=argument_spec(kind), run=partial(_run, kind))


def _run(kind: Kind, params: Mapping[str, Any], task: Task) -> Outcome:
    if params.get("wait_timeout") is not None:
        check_seconds("wait_timeout", params["wait_timeout"], 0)
    panel = Panel(lambda: task.client, is_lenient=task.check_mode)
    decision = Decision(panel, kind, read_wanted(kind, params))
    task.warnings = decision.warnings  # to which writing may add
    _log_decision(decision)
    with about(decision.label, NOTHING_WRITTEN):
        removed = _removed(panel, decision)
    waits = kind.has_status and bool(params.get("wait")) and decision.wanted.is_present
    # Waiting for an object that the panel could not apply fails in check mode too.
    has_failed = decision.plan.action == NONE and (decision.current or {}).get("status") == ERROR
    is_predicted = task.check_mode and not has_failed
    if decision.plan.action != NONE and not is_predicted:
        from .writing import write  # noqa: PLC0415 - most tasks find everything right

        write(panel, decision)
    plan, identifier, password = decision.plan, decision.id, decision.password
    extra = decision.wanted.extra
    shown, is_changed = panel.real(_displayed(plan.outcome, extra)), plan.action != NONE
    if shown is not None and identifier is not None:
        shown = {**shown, "id": identifier}
    made = {"generated_password": password} if password else {}
    if identifier is not None and decision.wanted.is_present and not is_predicted:
        read = partial(_read, panel.store(kind), identifier, decision.label, waits)
        try:
            if waits:
                wait_until_applied(read, decision.label, params["wait_timeout"])
            if params.get("read_back") and is_changed:
                shown = _displayed(read(), extra)
        except (NotApplied, NotReadBack) as error:
            if isinstance(error, NotApplied):
                shown = {**(shown or {}), **error.details}
            error.details["result"] = {"changed": is_changed, kind.singular: shown, **made}
            raise
    if waits and shown is not None:
        shown = {**shown, "status": OKAY}
    goes = {} if removed is None else {"removed": removed if is_changed else {}}
    before = kind.with_sizes_in_words(plan.before)
    return Outcome(
        changed=is_changed,
        result={kind.singular: shown, **goes, **made},
        before={**before, **goes} if plan.action == DELETE else before,
        after=kind.with_sizes_in_words(plan.after),
    )


def _log_decision(decision: Decision) -> None:
    log_resolved(decision.label, decision.id, decision.current is not None)
    plan = decision.plan
    if plan.action == NONE:
        log_plan(decision.label, NOTHING_TO_CHANGE)
    else:
        log_plan(
            decision.label, plan.action, [name for name in plan.after if plan.after[name] != plan.before.get(name)]
        )


def _displayed(found: Mapping[str, Any] | None, extra: Mapping[str, Any]) -> dict[str, Any] | None:
    """An object without its secrets, and without those that the option extra gives."""
    return None if found is None else without_secrets_in_extra(without_secrets(found), extra)


def _removed(panel: Panel, decision: Decision) -> dict[str, list[str]] | None:
    """The names of what goes with a client that shall go, by kind; None for everything else."""
    if decision.kind is not CLIENT or decision.wanted.is_present:
        return None
    if decision.plan.action != DELETE:
        return {}
    from .info import names_of, owned_by  # noqa: PLC0415 - few tasks delete clients

    username = str((decision.current or {}).get(CLIENT.name_member))
    return names_of(owned_by(panel.client, decision.id), username)


def _read(store: Store, identifier: Any, label: str, waits: bool) -> Object:
    """The object with all its members; raises NotReadBack."""
    details: dict[str, Any] = {}
    try:
        found, problem = store.read(identifier), "it is gone again: someone else has deleted it since."
    except RequestError as error:
        found, problem, details = None, error.what, error.details
    if found is None:
        done = "The task has done its work: you do not have to run it again."
        advice = "Run the task again to wait for it." if waits else done
        raise NotReadBack(f"it was stored, but reading it back failed: {problem} {advice}", label, **details)
    return found


def wait_until_applied(
    read: Callable[[], Mapping[str, Any]],
    label: str,
    timeout: float,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Reads until ``status`` is 1; raises NotApplied on status 2, or when ``timeout`` seconds are over."""
    end = clock() + timeout
    status: Any = read().get("status")
    while status not in (OKAY, ERROR) and clock() + INTERVAL <= end:
        sleep(INTERVAL)
        status = read().get("status")
    if status == OKAY:
        return
    words = STATUS_WORDS.get(status, "not shown")
    if status == ERROR:
        raise NotApplied(
            f"it was stored, but the panel could not apply it: status {status} ({words}). Check the panel's own log; the object exists.",
            label,
            status=status,
        )
    raise NotApplied(
        f"it was stored, but not applied within {timeout:g} s: status {status} ({words}). Run the task again, or raise wait_timeout.",
        label,
        status=status,
    )

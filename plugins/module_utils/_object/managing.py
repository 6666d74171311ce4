# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules that manage one object of a kind: options in, plan, write, result out."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Any, Callable

from .._apply.outcomes import Applied
from .._errors import PanelError, RequestError, about
from .._kinds.registry import ERROR, OKAY, STATUS_WORDS
from .._kinds.tables import CLIENT
from .._log import NOTHING_TO_CHANGE, log_plan, log_resolved
from .._operation.operation import Operation, Outcome, Task
from .._plan.object_plan import DELETE, NONE, ObjectPlan
from .._plan.prepare import prepare
from .._problems import NOTHING_WRITTEN
from .._resolve.resolution import locate_object
from .._schema.desired_object import build_argument_spec, read_desired
from .._schema.kind import Kind
from .._secrets.redaction import without_secrets, without_secrets_in_extra
from .._sources.kind_objects import KindObjects, PanelObject
from .._sources.live_source import LiveSource
from .._values.value_types import check_seconds

INTERVAL = 1.0  # seconds between two looks at the status


class NotApplied(PanelError):
    """The panel has the object, but has not applied it."""


class NotReadBack(PanelError):
    """The panel has what was wanted, and did not show it afterwards."""


def resource_operation(kind: Kind) -> Operation:
    return Operation(options=build_argument_spec(kind), run=partial(_run, kind))


def _run(kind: Kind, params: Mapping[str, Any], task: Task) -> Outcome:
    timeout: Any = params.get("wait_timeout")
    if timeout is not None:
        check_seconds("wait_timeout", timeout, 0)
    source = LiveSource(lambda: task.client)
    plan = prepare(
        locate_object(kind, read_desired(kind, params), source, assumes_missing=task.check_mode),
        source,
    )
    task.warnings += plan.warnings
    _log(plan)
    with about(plan.label, NOTHING_WRITTEN):
        removed = _removed(source, plan)

    applied = Applied(plan, plan.identifier)
    if plan.action != NONE and not task.check_mode:
        applied = _apply(plan, source, task)
    if applied.plan.sets_password:
        task.passwords_set.append((kind.plural, applied.plan.desired.label()))

    reached = _Reached(kind, applied, source)
    # Waiting for an object that the panel could not apply fails in check mode too.
    has_failed = plan.action == NONE and (plan.current or {}).get("status") == ERROR
    is_read = reached.exists and (has_failed or not task.check_mode)
    is_waiting = kind.traits.has_status and bool(params.get("wait")) and plan.desired.is_present
    if is_read and is_waiting:
        reached.wait(timeout)
    if is_read and params.get("read_back") and reached.is_changed:
        reached.read_back(is_waiting)
    if is_waiting:
        reached.note_applied()
    return reached.outcome(removed)


def _apply(plan: ObjectPlan, source: LiveSource, task: Task) -> Applied:
    from .._apply.apply import apply  # noqa: PLC0415 - most tasks find everything right

    applied = apply(plan, source)
    task.warnings += applied.warnings
    if applied.error is not None:
        raise applied.error
    return applied


class _Reached:
    """What a task has reached. displayed: the object for the result, without secrets; None where it
    is not there.
    """

    def __init__(self, kind: Kind, applied: Applied, source: LiveSource) -> None:
        self._kind = kind
        self._applied = applied
        self._plan = applied.plan
        self._objects = source.of(kind)
        self.is_changed = applied.plan.action != NONE
        self.displayed: dict[str, Any] | None = source.with_real_ids(
            self._display(applied.plan.outcome)
        )
        if self.displayed is not None and applied.identifier is not None:
            self.displayed = {**self.displayed, "id": applied.identifier}

    @property
    def exists(self) -> bool:
        """Tell whether the panel has the object, and shall keep it."""
        return self._applied.identifier is not None and self._plan.desired.is_present

    def _display(self, item: Mapping[str, Any] | None) -> dict[str, Any] | None:
        """Return an object without its secrets, and without those that the option extra gives."""
        return (
            None
            if item is None
            else without_secrets_in_extra(without_secrets(item), self._plan.desired.extra)
        )

    def _result(self) -> dict[str, Any]:
        result: dict[str, Any] = {self._kind.singular: self.displayed}
        if self._applied.password:
            result["generated_password"] = self._applied.password
        return result

    def wait(self, timeout: float) -> None:
        """Wait until the panel has applied the object; raises NotApplied and NotReadBack with what
        was reached.
        """
        read = partial(
            _read, self._objects, self._applied.identifier, self._plan.label, is_waiting=True
        )
        try:
            wait_until_applied(read, self._plan.label, timeout)
        except (NotApplied, NotReadBack) as error:
            if isinstance(error, NotApplied):
                self.displayed = {**(self.displayed or {}), **error.details}
            error.details["result"] = {"changed": self.is_changed, **self._result()}
            raise

    def read_back(self, is_waiting: bool) -> None:
        """Read the object as the panel has it now; raises NotReadBack with what was reached."""
        try:
            item = _read(self._objects, self._applied.identifier, self._plan.label, is_waiting)
        except NotReadBack as error:
            error.details["result"] = {"changed": self.is_changed, **self._result()}
            raise
        self.displayed = self._display(item)

    def note_applied(self) -> None:
        """Note that the panel has, or will have, applied the object."""
        if self.displayed is not None:
            self.displayed = {**self.displayed, "status": OKAY}

    def outcome(self, removed: Mapping[str, list[str]] | None) -> Outcome:
        """Return the outcome of the task. removed: the names of what is deleted with a client, by
        kind.
        """
        result = self._result()
        before = self._kind.display_sizes(self._plan.before)
        if removed is not None:
            result["removed"] = removed if self.is_changed else {}
        if removed is not None and self._plan.action == DELETE:
            before["removed"] = removed
        return Outcome(
            changed=self.is_changed,
            result=result,
            before=before,
            after=self._kind.display_sizes(self._plan.after),
        )


def _log(plan: ObjectPlan) -> None:
    log_resolved(plan.label, plan.identifier, plan.current is not None)
    if plan.action == NONE:
        log_plan(plan.label, NOTHING_TO_CHANGE)
    else:
        changed = [name for name in plan.after if plan.after[name] != plan.before.get(name)]
        log_plan(plan.label, plan.action, changed)


def _removed(source: LiveSource, plan: ObjectPlan) -> dict[str, list[str]] | None:
    """Return the names of what is deleted with a client, by kind; None for everything else."""
    if plan.kind is not CLIENT or plan.desired.is_present:
        return None
    if plan.action != DELETE:
        return {}
    from .info import names_of, owned_by  # noqa: PLC0415 - few tasks delete clients

    username = str((plan.current or {}).get(CLIENT.name_field))
    return names_of(owned_by(source.client, plan.identifier), username)


def _read(objects: KindObjects, identifier: Any, label: str, is_waiting: bool) -> PanelObject:
    """Return the object with all its fields; raises NotReadBack."""
    why = "it is gone again: someone else has deleted it since."
    details: dict[str, Any] = {}
    try:
        item = objects.fetch(identifier)
    except RequestError as error:
        item = None
        why = error.problem.cause
        details = error.details
    if item is not None:
        return item

    advice = "The task has done its work: you do not have to run it again."
    if is_waiting:
        advice = "Run the task again to wait for it."
    raise NotReadBack(
        f"it was stored, but reading it back failed: {why}", label, advice=advice, **details
    )


def wait_until_applied(
    read: Callable[[], Mapping[str, Any]],
    label: str,
    timeout: float,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Reads until ``status`` is 1; raises NotApplied on status 2, or when ``timeout`` seconds are
    over.
    """
    end = clock() + timeout
    status: Any = read().get("status")
    while status not in (OKAY, ERROR) and clock() + INTERVAL <= end:
        sleep(INTERVAL)
        status = read().get("status")
    if status == OKAY:
        return
    status_name = STATUS_WORDS.get(status, "not shown")
    if status == ERROR:
        raise NotApplied(
            f"it was stored, but the panel could not apply it: status {status} ({status_name}). Check the panel's own log; the object exists.",
            label,
            status=status,
        )
    raise NotApplied(
        f"it was stored, but not applied within {timeout:g} s: status {status} ({status_name}). Run the task again, or raise wait_timeout.",
        label,
        status=status,
    )

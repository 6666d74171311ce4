# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules that manage one object of a kind: options in, plan, write, result out."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Any, Callable

from .._apply.applied import Applied
from .._errors import PanelError, Reached, RequestError, name_subject_in_errors
from .._kinds.registry import ERROR, OKAY, STATUS_WORDS
from .._kinds.tables import CLIENT
from .._log import NOTHING_TO_CHANGE, log_plan, log_resolved
from .._operation.operation import Operation, Outcome, PlanReport, Task
from .._plan.object_plan import DELETE, NONE, ObjectPlan
from .._plan.prepare import prepare
from .._problems import Written
from .._resolve.resolution import locate_object
from .._schema.desired_object import build_argument_spec, read_desired
from .._schema.kind import Kind
from .._secrets.redaction import remove_secrets, remove_secrets_in_extra
from .._sources.checked_answers import PanelObject
from .._sources.kind_objects import KindObjects
from .._sources.live_source import LiveSource
from .._values.value_types import check_seconds

INTERVAL = 1.0  # seconds between two looks at the status


class NotApplied(PanelError):
    """The panel has the object, but has not applied it."""


class NotReadBack(PanelError):
    """The panel has what is desired, and did not show it afterwards."""


def build_resource_operation(kind: Kind) -> Operation:
    """Return the operation of the module that manages one object of a kind."""
    return Operation(options=build_argument_spec(kind), run=partial(_run, kind))


def _run(kind: Kind, params: Mapping[str, Any], task: Task) -> Outcome:
    """Make the object of a task what its options want."""
    timeout: Any = params.get("wait_timeout")
    if timeout is not None:
        check_seconds("wait_timeout", timeout, 0)

    source = LiveSource(lambda: task.session)
    desired = read_desired(kind, params)
    location = locate_object(kind, desired, source, assumes_missing=task.check_mode)
    plan = prepare(location, source)
    task.warnings += plan.warnings
    task.plan = _report_plan(plan)
    _log(plan)
    with name_subject_in_errors(plan.label, Written.NOTHING):
        removed = _list_removed(source, plan)

    applied = Applied(plan, plan.identifier)
    if plan.action != NONE and not task.check_mode:
        applied = _apply(plan, source, task)
    _note_password(applied.plan, task)
    if applied.plan.generates_password:
        task.warn_of_lost_password()

    progress = _Progress(kind, applied, source)
    may_read = not task.check_mode or _has_failed(plan)
    _wait_and_read(progress, params, may_read)
    return progress.build_outcome(removed)


def _report_plan(plan: ObjectPlan) -> PlanReport:
    """Return what a front end needs to know of a plan."""
    identifier = None if plan.action == DELETE else plan.identifier
    return PlanReport(plan.action != NONE, identifier)


def _wait_and_read(progress: _Progress, params: Mapping[str, Any], may_read: bool) -> None:
    """Do what the options ask for after the change.

    Args:
        progress: What the task has reached.
        params: The options of the module.
        may_read: Whether the panel has by now what the task wants.
    """
    is_waiting = progress.can_be_waited_for and bool(params.get("wait"))
    if progress.exists and may_read:
        if is_waiting:
            progress.wait(params["wait_timeout"])
        if params.get("read_back") and progress.is_changed:
            progress.read_back(is_waiting)

    if is_waiting:
        progress.note_applied()


def _has_failed(plan: ObjectPlan) -> bool:
    """Tell whether the panel could not apply an object that stays as it is; waiting for it fails in
    check mode too.
    """
    return plan.action == NONE and (plan.current or {}).get("status") == ERROR


def _apply(plan: ObjectPlan, source: LiveSource, task: Task) -> Applied:
    from .._apply.apply import apply  # noqa: PLC0415 - most tasks find everything right

    # Until it is known which plan was carried out, a password counts as sent.
    _note_password(plan, task)
    task.local.before_writes(task.passwords_set)
    applied = apply(plan, source)
    _note_password(applied.plan, task)
    task.warnings += applied.warnings
    if applied.error is not None:
        raise applied.error
    return applied


def _note_password(plan: ObjectPlan, task: Task) -> None:
    """Note whether the object gets a password by a plan, in place of what was noted before."""
    task.passwords_set = []
    if plan.sets_password:
        task.passwords_set.append((plan.kind.plural, plan.desired.format_label()))


class _Progress:
    """Follows what a task has reached.

    is_changed: Whether the task changes the object.
    displayed: The object for the result, without secrets; None where it is not there.
    """

    def __init__(self, kind: Kind, applied: Applied, source: LiveSource) -> None:
        """Begin with what the plan says of the object."""
        self._kind = kind
        self._applied = applied
        self._plan = applied.plan
        self._objects = source.get_objects(kind)
        self.is_changed = applied.plan.action != NONE
        outcome = self._display(applied.plan.outcome)
        self.displayed: dict[str, Any] | None = source.with_real_ids(outcome)
        if self.displayed is not None and applied.identifier is not None:
            self.displayed = {**self.displayed, "id": applied.identifier}

    @property
    def can_be_waited_for(self) -> bool:
        """Tell whether the panel applies the object later, and shows when it has."""
        return self._kind.traits.has_status and self._plan.desired.is_present

    @property
    def exists(self) -> bool:
        """Tell whether the panel has the object, and shall keep it."""
        return self._applied.identifier is not None and self._plan.desired.is_present

    def _display(self, item: Mapping[str, Any] | None) -> dict[str, Any] | None:
        """Return an object without its secrets, and without those that the option extra gives."""
        if item is None:
            return None
        return remove_secrets_in_extra(remove_secrets(item), self._plan.desired.extra)

    def _build_result(self) -> dict[str, Any]:
        result: dict[str, Any] = {self._kind.singular: self.displayed}
        if self._applied.password:
            result["generated_password"] = self._applied.password
        return result

    def _build_reached(self) -> Reached:
        """Return what a failure has of the result."""
        fields = {self._kind.singular: self.displayed}
        return Reached(self.is_changed, fields, self._applied.password)

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
            error.reached = self._build_reached()
            raise

    def read_back(self, is_waiting: bool) -> None:
        """Read the object as the panel has it now; raises NotReadBack with what was reached."""
        try:
            item = _read(self._objects, self._applied.identifier, self._plan.label, is_waiting)
        except NotReadBack as error:
            error.reached = self._build_reached()
            raise
        self.displayed = self._display(item)

    def note_applied(self) -> None:
        """Note that the panel has, or will have, applied the object."""
        if self.displayed is not None:
            self.displayed = {**self.displayed, "status": OKAY}

    def build_outcome(self, removed: Mapping[str, list[str]] | None) -> Outcome:
        """Return the outcome of the task. removed: the names of what is deleted with a client, by
        kind.
        """
        result = self._build_result()
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
        return

    before = plan.before
    changed = [name for name, value in plan.after.items() if value != before.get(name)]
    log_plan(plan.label, plan.action, changed)


def _list_removed(source: LiveSource, plan: ObjectPlan) -> dict[str, list[str]] | None:
    """Return the names of what is deleted with a client, by kind; None for everything else."""
    if plan.kind is not CLIENT or plan.desired.is_present:
        return None
    if plan.action != DELETE:
        return {}
    from .info import fetch_owned, list_names  # noqa: PLC0415 - few tasks delete clients

    username = str((plan.current or {}).get(CLIENT.name_field))
    return list_names(fetch_owned(source.session, plan.identifier), username)


def _read(objects: KindObjects, identifier: Any, label: str, is_waiting: bool) -> PanelObject:
    """Return the object with all its fields; raises NotReadBack."""
    cause = "it is gone again: someone else has deleted it since."
    details: dict[str, Any] = {}
    try:
        item = objects.fetch(identifier)
    except RequestError as error:
        item = None
        cause = error.problem.cause
        details = error.details

    if item is not None:
        return item

    advice = "The task has done its work: you do not have to run it again."
    if is_waiting:
        advice = "Run the task again to wait for it."
    failure = NotReadBack(cause, subject=label, advice=advice, **details)
    failure.amend(context="it was stored, but reading it back failed")
    raise failure


def wait_until_applied(
    read: Callable[[], Mapping[str, Any]],
    label: str,
    timeout: float,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Read until ``status`` is 1; raise NotApplied on status 2, or when ``timeout`` seconds are
    over.
    """
    end = clock() + timeout
    status: Any = read().get("status")
    while status not in (OKAY, ERROR) and clock() + INTERVAL <= end:
        sleep(INTERVAL)
        status = read().get("status")

    if status == OKAY:
        return

    cause = f"not applied within {timeout:g} s"
    advice = "Run the task again, or raise wait_timeout."
    if status == ERROR:
        cause = "the panel could not apply it"
        advice = "Check the panel's own log; the object exists."
    status_name = STATUS_WORDS.get(status, "not shown")
    raise NotApplied(
        f"it was stored, but {cause}: status {status} ({status_name}).",
        subject=label,
        advice=advice,
        status=status,
    )

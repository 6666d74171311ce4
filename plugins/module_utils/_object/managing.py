# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules that manage one object of a kind: options in, decision, write, result out. Private to the collection."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from .._errors import PanelError, RequestError
from .._kinds.client import CLIENT
from .._kinds.registry import ERROR, OKAY, STATUS_WORDS
from .._schema.kind import Kind, argument_spec, constraints, read_wanted
from .._secrets.redaction import without_secrets
from .._task.operation import Operation, Outcome, Task
from .._values.value_types import check_seconds
from .deciding import Decision, decide
from .objects import Panel, Store, is_planned
from .planning import CREATE, DELETE, NONE, UPDATE, Plan

if TYPE_CHECKING:
    from .writing import Done


INTERVAL = 1.0  # seconds between two looks at the status


class NotApplied(PanelError):
    """The panel has the object, but has not applied it."""


class NotReadBack(PanelError):
    """The panel has what was wanted, and did not show it afterwards."""


def resource_operation(kind: Kind) -> Operation:
    """The operation of the module that manages one object of this kind."""
    return Operation(
        options=argument_spec(kind),
        constraints=constraints(kind),
        run=lambda params, task: _run(kind, params, task),
    )


def _run(kind: Kind, params: Mapping[str, Any], task: Task) -> Outcome:
    if params.get("wait_timeout") is not None:
        check_seconds("wait_timeout", params["wait_timeout"], 0)
    panel = Panel(lambda: task.client, is_lenient=task.check_mode)
    decision = decide(panel, kind, read_wanted(kind, params))
    task.warnings += decision.warnings
    plan = decision.plan
    report = _Report(kind, params, decision, _removed(panel, decision))
    has_failed = plan.action == NONE and (decision.current or {}).get("status") == ERROR
    # Waiting for an object that the panel could not apply fails in check mode too.
    if plan.action == NONE or (task.check_mode and not has_failed):
        return report.finished(
            panel.store(kind), plan, decision.id, None, is_predicted=task.check_mode and not has_failed
        )
    from .writing import write  # noqa: PLC0415 - most tasks find everything right

    done: Done = write(panel, decision)
    task.warnings += [warning for warning in decision.warnings if warning not in task.warnings]
    return report.finished(panel.store(kind), done.plan, done.id, done.password)


def _removed(panel: Panel, decision: Decision) -> dict[str, list[str]] | None:
    """The names of what goes with a client that shall go, by kind; None for everything else."""
    if decision.kind is not CLIENT or decision.wanted.is_present:
        return None
    if decision.plan.action != DELETE:
        return {}
    from .info import names_of, owned_by  # noqa: PLC0415 - few tasks delete clients

    username = str((decision.current or {}).get(CLIENT.name_member))
    return names_of(owned_by(panel.client, decision.id), username)


class _Report:
    """Makes the result of a task about one object. params: its options. removed: what goes with it, where that is told."""

    def __init__(
        self, kind: Kind, params: Mapping[str, Any], decision: Decision, removed: Mapping[str, Any] | None
    ) -> None:
        self._kind, self._params, self._label = kind, params, f"the {decision.label}"
        self._removed = removed
        self._waits = kind.has_status and bool(params.get("wait")) and decision.wanted.is_present

    def finished(
        self, store: Store, plan: Plan, identifier: Any, password: str | None, is_predicted: bool = False
    ) -> Outcome:
        """The result; a wait or a reading back that fails still hands over a generated password."""
        shown = _without_planned(plan.object)
        if shown is not None and identifier is not None:
            shown = {**shown, "id": identifier}
        try:
            if self._waits and identifier is not None and not is_predicted:
                self._wait(store, identifier)
            is_read = self._params.get("read_back") and plan.action in (CREATE, UPDATE) and not is_predicted
            if is_read and identifier is not None:
                shown = self._read_back(store, identifier)
        except (NotApplied, NotReadBack) as error:
            # The status of the object, and not that of a request which failed.
            if isinstance(error, NotApplied) and "method" not in error.details:
                shown = {**(shown or {}), "status": error.details.get("status")}
            error.details["result"] = {
                "changed": plan.action != NONE,
                self._kind.singular: shown,
                **({"generated_password": password} if password else {}),
            }
            raise
        if shown is not None and self._waits:
            shown = {**shown, "status": OKAY}
        removed = {} if self._removed is None else {"removed": self._removed if plan.action != NONE else {}}
        before = self._kind.with_sizes_in_words(plan.before)
        return Outcome(
            changed=plan.action != NONE,
            result={self._kind.singular: shown, **removed},
            before={**before, **removed} if plan.action == DELETE else before,
            after=self._kind.with_sizes_in_words(plan.after),
            generated_password=password,
        )

    def _wait(self, store: Store, identifier: Any) -> None:
        try:
            wait_until_applied(lambda: store.read(identifier), self._label, self._params["wait_timeout"])
        except RequestError as error:
            raise NotApplied(
                f"The panel stored {self._label}, and the wait for it to be applied failed: {error.what} Run the task again to wait for it.",
                **error.details,
            ) from None

    def _read_back(self, store: Store, identifier: Any) -> Any:
        """The object with all its members, without secrets; raises NotReadBack."""
        try:
            found = store.read(identifier)
            problem = "it is gone again: someone else deleted it meanwhile."
            details: dict[str, Any] = {}
        except RequestError as error:
            found, problem, details = None, error.what, error.details
        if found is None:
            raise NotReadBack(
                f"The panel stored {self._label}, but reading it back failed: {problem} The task has done its work and need not be repeated.",
                **details,
            )
        return without_secrets(found)


def _without_planned(value: Any) -> Any:
    """The same without the ids of what is only assumed to be there."""
    if isinstance(value, dict):
        return {name: _without_planned(member) for name, member in value.items()}
    return None if is_planned(value) else value


def wait_until_applied(
    read: Callable[[], Mapping[str, Any] | None],
    label: str,
    timeout: float,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> int:
    """Reads until ``status`` is 1 and returns it; raises NotApplied on status 2, or when ``timeout`` seconds are over."""
    end = clock() + timeout
    while True:
        current = read()
        if current is None:
            raise NotApplied(
                f"The panel stored {label}, but it is gone again: somebody else deleted it meanwhile. Look on the panel, and run the "
                "task again if it shall be there.",
                status=None,
            )
        status = current.get("status")
        if status == OKAY:
            return OKAY
        words = STATUS_WORDS.get(status, "not shown") if isinstance(status, int) else "not shown"
        if status == ERROR:
            raise NotApplied(
                f"The panel stored {label}, but reports status {status} ({words}): it could not apply it. "
                "Look at the panel's own log; the object exists.",
                status=status,
            )
        if clock() + INTERVAL > end:
            raise NotApplied(
                f"The panel stored {label}, but has not applied it within {timeout:g} s (status {status}, {words}). "
                "It goes on by itself; run the task again, or raise wait_timeout.",
                status=status,
            )
        sleep(INTERVAL)

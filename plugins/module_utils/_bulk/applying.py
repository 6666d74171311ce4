# SPDX-License-Identifier: GPL-3.0-or-later
"""Carries out the actions of a plan, several at once, and returns what came of each.

An action that fails does not stop the others, but for those that need it. What the panel refused is
tried once more after all others, when what stood in its way may be gone. When the panel does not
accept the key, or has stopped to answer, or Ansible itself was killed, nothing more is sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from typing import Callable

from .._apply.apply import apply
from .._errors import Conflict, PanelError, name_subject_in_errors
from .._http.lost_ansible import StartingProcess
from .._kinds.registry import CASCADING, KINDS, TABLES
from .._operation.defects import as_panel_error
from .._operation.operation import Task, report_progress
from .._plan.object_plan import CREATE, NONE, ObjectPlan
from .._problems import Problem, Written
from .._schema.kind import Kind
from .._sources.kind_objects import LockedList
from .._sources.snapshot_source import SnapshotSource
from .action_results import CHANGED, FAILED, SKIPPED, UNCHANGED, Result, merge, select_retries
from .actions import Action, Deletion, ObjectName
from .stop_rule import StopRule

ApplyAtOnce = Callable[..., Iterable[Result]]
"""``map``, by itself or of a pool."""
# So many new objects which the panel would make twice are looked for again with one list, while no
# other task may create them.
_BATCH = 20


def _choose_actions(chosen: Set[Action], waves: Iterable[Iterable[Action]]) -> list[list[Action]]:
    """Return the waves with the chosen actions alone."""
    return [list(filter(chosen.__contains__, wave)) for wave in waves]


def _name_object_in(warning: str | Problem, name: str) -> str | Problem:
    """Return a warning that begins with the name of the object that it is about."""
    if isinstance(warning, str):
        return f"{name}: {warning}"
    return replace(warning, subject=f"{name}: {warning.subject}")


class Applier:
    """Carries out actions."""

    def __init__(
        self,
        source: SnapshotSource,
        task: Task,
        starting_process: StartingProcess,
        is_exact: bool,
    ) -> None:
        """Prepare to apply.

        Args:
            source: The lists of the panel, with what is planned.
            task: The running task.
            starting_process: Watched since the run began.
            is_exact: Whether only the plan that was approved is carried out.
        """
        self._source = source
        self._task = task
        self._starting_process = starting_process
        self._is_exact = is_exact
        self._stop_rule = StopRule()
        # Threads of the pool set single entries of this dictionary, and a switch that no one resets.
        self._not_done: dict[ObjectName, str] = {}
        self._has_deleted_owner = False

    def apply(self, waves: Sequence[Sequence[Action]]) -> list[Result]:
        """Carry out all actions, and once more those that the panel refused."""
        most = self._source.session.limiter.most
        with ThreadPoolExecutor(most) as pool:
            apply_at_once = map if most == 1 else pool.map
            results = self._apply_waves(waves, apply_at_once, "changes written")
            retries = select_retries(results)
            if not retries or self._stop_rule.reason:
                return results
            # What needs an action that is tried again may be done in this round.
            self._not_done = {
                result.action.name: FAILED
                for result in results
                if result.outcome == FAILED and not result.is_refused
            }
            chosen_waves = _choose_actions(retries, waves)
            second_results = self._apply_waves(chosen_waves, apply_at_once, "changes tried again")
            return merge(results, second_results)

    def _apply_waves(
        self, waves: Sequence[Sequence[Action]], apply_at_once: ApplyAtOnce, counted: str
    ) -> list[Result]:
        """Apply all actions of the waves, and report the progress. counted: what it counts."""
        results = self._yield_results(waves, apply_at_once)
        total = sum(map(len, waves))
        return list(report_progress(results, counted, total, self._task.local.say))

    def _yield_results(
        self, waves: Iterable[Sequence[Action]], apply_at_once: ApplyAtOnce
    ) -> Iterator[Result]:
        """Apply one wave after the other, each in batches, and yield what came of each action."""
        for wave in filter(None, waves):
            kind = KINDS[wave[0].plural]
            size = len(wave) if kind.traits.is_unique else _BATCH
            for begin in range(0, len(wave), size):
                batch = wave[begin : begin + size]
                with ExitStack() as locks:
                    locked = self._lock(kind, batch, locks)
                    yield from apply_at_once(partial(self._apply, locked=locked), batch)

    def _lock(self, kind: Kind, batch: Sequence[Action], locks: ExitStack) -> LockedList | None:
        """Keep other tasks from creating the objects of a batch; None where each has to wait for
        its own lock.
        """
        if kind.traits.is_unique:
            return None
        plans = [action.change for action in batch if not self._explain_skip(action)]
        bodies = [
            self._source.with_real_ids(dict(plan.body))
            for plan in plans
            if isinstance(plan, ObjectPlan) and plan.action == CREATE
        ]
        if not bodies:
            return None
        # Where not all of them can be had at once, each waits for its own.
        with suppress(PanelError):
            return locks.enter_context(self._source.get_objects(kind).lock_creation(bodies))
        return None

    def _apply(self, action: Action, locked: LockedList | None) -> Result:
        """Return what came of an action, with the id of its object; note what is not done."""
        why_not = self._explain_skip(action)
        if why_not:
            result = Result(action, SKIPPED, PanelError(why_not, subject=action.label))
        else:
            result = self._try(action, locked)
        if result.outcome in (FAILED, SKIPPED):
            self._not_done[action.name] = result.outcome
        identifier = self._source.real_ids.get(action.identifier or 0, action.id)
        if result.error is not None and result.error.reached is not None:
            identifier = result.error.reached.identifier or identifier
        return replace(result, id=identifier)

    def _explain_skip(self, action: Action) -> str:
        """Return why an action is skipped; empty where it is not."""
        if self._starting_process.has_ended():
            # A worker outlives a killed Ansible. Two runs at once, this one and the next, would
            # create objects twice.
            self._stop_rule.stop("Ansible has ended, so nothing more was sent.")
        reason = self._stop_rule.reason
        if reason:
            return reason
        for plural, key in sorted(action.needs):
            outcome = self._not_done.get((plural, key))
            if outcome is not None:
                fate = "failed" if outcome == FAILED else "was skipped"
                return f"it needs the {KINDS[plural].title} {key}, which {fate}."
        return ""

    def _try(self, action: Action, locked: LockedList | None) -> Result:
        """Carry out an action, and count its failure for the rule that stops the run."""
        result = self._carry_out(action, locked)
        self._stop_rule.count(result.error)
        return result

    def _carry_out(self, action: Action, locked: LockedList | None) -> Result:
        """Carry out an action; a failure is a result, so that the others go on, and what they
        generate is not lost.
        """
        try:
            return self._change(action, locked)
        except Exception as fault:
            return Result(action, FAILED, as_panel_error(fault))

    def _change(self, action: Action, locked: LockedList | None) -> Result:
        """Do what an action says, by its type; raises PanelError."""
        change = action.change
        if isinstance(change, ObjectPlan):
            return self._apply_object(action, change, locked)
        if isinstance(change, Deletion):
            return Result(action, CHANGED if self._delete(action) else UNCHANGED)
        from .._dns.located_zone import ZoneState  # noqa: PLC0415 - it is there, since a zone was read
        from .._dns.zone_writing import write_zone  # noqa: PLC0415 - most runs write no zones

        session = self._source.session
        written = write_zone(session, change.located, change.plan, self._is_exact)
        # Of a new zone check mode says that it changes.
        is_new = change.located.state is ZoneState.PLANNED
        return Result(action, CHANGED if written.plan.is_change or is_new else UNCHANGED)

    def _apply_object(self, action: Action, plan: ObjectPlan, locked: LockedList | None) -> Result:
        applied = apply(plan, self._source, locked, self._is_exact)
        for warning in applied.warnings:
            self._task.warn(_name_object_in(warning, f"{action.plural} {action.key}"))
        if applied.error is not None:
            return Result(action, FAILED, applied.error, applied)
        if action.identifier is not None and applied.identifier is not None:
            self._source.real_ids[action.identifier] = applied.identifier
        return Result(
            action, CHANGED if applied.plan.action != NONE else UNCHANGED, applied=applied
        )

    def _delete(self, action: Action) -> bool:
        """Delete an object, and tell whether it is gone by this task.

        With a client or a domain the panel deletes what belongs to it. So once this task has
        deleted one, an object that is missing counts as deleted with it; before that, someone else
        has deleted it.
        """
        with name_subject_in_errors(action.label):
            is_deleted = self._source.get_objects(TABLES[action.plural]).delete(action.identifier)

        is_gone_by_task = is_deleted or self._has_deleted_owner
        if not is_gone_by_task and self._is_exact:
            raise Conflict(
                "it is gone by now: someone deleted it after the plan was made.",
                subject=action.label,
                written=Written.NOTHING_FOR_IT,
                advice="Plan again.",
            )
        if is_deleted and action.plural in CASCADING:
            self._has_deleted_owner = True
        return is_gone_by_task

# SPDX-License-Identifier: GPL-3.0-or-later
"""Carries out the actions of a plan, several at once, and says what became of each.

An action that fails does not stop the others, but for those that need it. What the panel refused is
tried once more after all others, when what stood in its way may be gone. When the panel does not
accept the key, or has stopped to answer, or Ansible itself was killed, nothing more is sent.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Callable, NamedTuple

from .._apply.apply import apply
from .._apply.outcomes import Applied
from .._errors import Conflict, Defect, Effect, PanelError, Reached, Refused, RequestError, about
from .._kinds.registry import CASCADING, KINDS, TABLES
from .._operation.operation import ObjectEffect, Task, report_progress
from .._plan.object_plan import CREATE, NONE, ObjectPlan
from .._problems import format_message, format_messages
from .._schema.kind import Kind
from .._secrets.redaction import Secrets
from .._sources.kind_objects import NOT_FOUND, LockedList
from .._sources.snapshot_source import SnapshotSource
from .actions import Action, Deletion, ObjectName
from .stop_rule import StopRule

ApplyAtOnce = Callable[..., Iterable["Result"]]
"""``map``, by itself or of a pool."""
CHANGED, UNCHANGED, FAILED, SKIPPED = "changed", "unchanged", "failed", "skipped"
# So many new objects which the panel would make twice are looked for again with one list, while no
# other task may create them.
_BATCH = 20


class Incomplete(PanelError):
    """Some actions failed, or were skipped; the result says which."""


@dataclass(frozen=True)
class Result:
    """What came of an action.

    action: What was to be done.
    outcome: One of the four above.
    error: Why it failed or was skipped.
    applied: What became of the plan of an object.
    id: Of the object.
    """

    action: Action
    outcome: str
    error: PanelError | None = None
    applied: Applied | None = None
    id: Any = None

    @property
    def password(self) -> str | None:
        """Return the password that the panel has generated."""
        return None if self.applied is None else self.applied.password

    @property
    def effect(self) -> ObjectEffect:
        """Return what was written, for a front end."""
        effect = Effect.NOTHING
        kept_as = ""
        if self.outcome == CHANGED:
            effect = Effect.WRITTEN
        elif self.outcome == FAILED and self.error is not None:
            effect = self.error.effect
            kept_as = self.error.kept_as
        existed = self.applied is not None and self.applied.existed
        return ObjectEffect(self.action.kind, self.action.key, effect, kept_as, existed)

    @property
    def is_refused(self) -> bool:
        """Tell whether the panel refused it, perhaps because of what another action has
        done since.
        """
        return isinstance(self.error, Refused) and self.error.status != NOT_FOUND


def select_retries(results: Sequence[Result]) -> set[Action]:
    """Return the actions that the panel refused, and those that were skipped; none where nothing
    has changed since.

    The panel may accept now what it refused, because of what another action has done since or
    because a client is ready by now (docs/panel_api.md#new-clients).
    """
    has_refused = any(result.is_refused for result in results)
    has_changed = any(result.outcome == CHANGED for result in results)
    if not has_refused or not has_changed:
        return set()
    return {result.action for result in results if result.is_refused or result.outcome == SKIPPED}


def _only(chosen: Set[Action], waves: Iterable[Iterable[Action]]) -> list[list[Action]]:
    """Return the waves with the chosen actions."""
    return [list(filter(chosen.__contains__, wave)) for wave in waves]


def merge(first: Sequence[Result], second: Iterable[Result]) -> list[Result]:
    """Return the results of both rounds in the order of the first. A refusal is not replaced by
    "skipped".
    """
    of_second = {result.action: result for result in second}
    merged: list[Result] = []
    for result in first:
        retried = of_second.get(result.action)
        # What was skipped the second time says less than the refusal before.
        if retried is None or (retried.outcome == SKIPPED and result.is_refused):
            merged.append(result)
        else:
            merged.append(retried)
    return merged


class Applier:
    """Carries out actions."""

    def __init__(self, source: SnapshotSource, task: Task, parent: int, is_exact: bool) -> None:
        """Prepare to apply.

        Args:
            source: The lists of the panel, with what is planned.
            task: The running task.
            parent: The id of the process that started this one when the run began.
            is_exact: Whether only the plan that was approved is carried out.
        """
        self._source = source
        self._task = task
        self._parent = parent
        self._is_exact = is_exact
        self._stop_rule = StopRule()
        # Threads of the pool set single entries of this dictionary, and a switch that no one resets.
        self._not_done: dict[ObjectName, str] = {}
        self._takes_along = False

    def apply(self, waves: Sequence[Sequence[Action]]) -> list[Result]:
        """Carry out all actions, and once more those that the panel refused."""
        most = self._source.client.limiter.most
        with ThreadPoolExecutor(most) as pool:
            apply_at_once = map if most == 1 else pool.map
            results = self._apply_waves(waves, apply_at_once, "changes written")
            retries = select_retries(results)
            if not retries or self._stop_rule.reason:
                return results
            failed = [
                result for result in results if result.outcome == FAILED and not result.is_refused
            ]
            self._not_done = {result.action.name: FAILED for result in failed}
            return merge(
                results,
                self._apply_waves(_only(retries, waves), apply_at_once, "changes tried again"),
            )

    def _apply_waves(
        self, waves: Sequence[Sequence[Action]], apply_at_once: ApplyAtOnce, counted: str
    ) -> list[Result]:
        total = sum(map(len, waves))
        return list(
            report_progress(self._results(waves, apply_at_once), counted, total, self._task.say)
        )

    def _results(
        self, waves: Iterable[Sequence[Action]], apply_at_once: ApplyAtOnce
    ) -> Iterator[Result]:
        for wave in filter(None, waves):
            kind = KINDS[wave[0].kind]
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
        plans = [action.change for action in batch if not self._why_not(action)]
        bodies = [
            self._source.with_real_ids(dict(plan.body))
            for plan in plans
            if isinstance(plan, ObjectPlan) and plan.action == CREATE
        ]
        # Where not all of them can be had at once, each waits for its own.
        with suppress(PanelError):
            return (
                locks.enter_context(self._source.get_objects(kind).creation_lock(bodies))
                if bodies
                else None
            )
        return None

    def _apply(self, action: Action, locked: LockedList | None) -> Result:
        why_not = self._why_not(action)
        if why_not:
            result = Result(action, SKIPPED, PanelError(why_not, action.label))
        else:
            result = self._try(action, locked)
        if result.outcome in (FAILED, SKIPPED):
            self._not_done[action.name] = result.outcome
        identifier = self._source.real_ids.get(action.identifier or 0, action.id)
        if result.error is not None and result.error.reached is not None:
            identifier = result.error.reached.identifier or identifier
        return replace(result, id=identifier)

    def _why_not(self, action: Action) -> str:
        """Return why an action is skipped; empty where it is not."""
        if os.getppid() != self._parent:
            # A worker outlives a killed Ansible. Two runs at once, this one and the next, would
            # create objects twice.
            self._stop_rule.stop("Ansible has ended, so nothing more was sent.")
        reason = self._stop_rule.reason
        if reason:
            return reason
        for kind, key in sorted(action.needs):
            outcome = self._not_done.get((kind, key))
            if outcome is not None:
                fate = "failed" if outcome == FAILED else "was skipped"
                return f"it needs the {KINDS[kind].title} {key}, which {fate}."
        return ""

    def _try(self, action: Action, locked: LockedList | None) -> Result:
        try:
            result = self._carry_out(action, locked)
            self._stop_rule.count(result.error)
        finally:
            self._source.client.limiter.release()
        return result

    def _carry_out(self, action: Action, locked: LockedList | None) -> Result:
        """Carry out an action; a failure is a result, so that the others go on, and what they
        generate is not lost.
        """
        try:
            return self._change(action, locked)
        except Exception as fault:
            return Result(action, FAILED, fault if isinstance(fault, PanelError) else Defect(fault))

    def _change(self, action: Action, locked: LockedList | None) -> Result:
        change = action.change
        if isinstance(change, ObjectPlan):
            return self._apply_object(action, change, locked)
        if isinstance(change, Deletion):
            return Result(action, CHANGED if self._delete(action) else UNCHANGED)
        from .._dns.located_zone import ZoneState  # noqa: PLC0415 - it is there, since a zone was read
        from .._dns.zone_writing import write_zone  # noqa: PLC0415 - most runs write no zones

        written = write_zone(self._source.client, change.located, self._is_exact)
        # Of a new zone check mode says that it changes.
        is_new = change.located.state is ZoneState.PLANNED
        return Result(action, CHANGED if written.plan.is_change or is_new else UNCHANGED)

    def _apply_object(self, action: Action, plan: ObjectPlan, locked: LockedList | None) -> Result:
        applied = apply(plan, self._source, locked, self._is_exact)
        for warning in applied.warnings:
            self._task.warn(f"{action.kind} {action.key}: {warning}")
        if applied.error is not None:
            return Result(action, FAILED, applied.error, applied)
        if action.identifier is not None and applied.identifier is not None:
            self._source.real_ids[action.identifier] = applied.identifier
        return Result(
            action, CHANGED if applied.plan.action != NONE else UNCHANGED, applied=applied
        )

    def _delete(self, action: Action) -> bool:
        """Delete an object, and tell whether that is this task's work: what is gone by then went
        with its client or domain.
        """
        with about(action.label):
            is_deleted = self._source.get_objects(TABLES[action.kind]).delete(action.identifier)
        is_ours = is_deleted or self._takes_along
        if not is_ours and self._is_exact:
            raise Conflict(
                "it is gone by now: someone deleted it after the plan was made.",
                action.label,
                written="Nothing was written for it.",
                advice="Plan again.",
            )
        if action.kind in CASCADING:
            self._takes_along = True
        return is_ours


# The result


def report(
    results: Sequence[Result],
    reached: dict[str, Any],
    others: Sequence[Mapping[str, Any]],
    secrets: Secrets,
) -> bool:
    """Add what became of each action to the result of the task.

    Args:
        results: What became of each action.
        reached: The result, to which is added.
        others: What comes after them in the result.
        secrets: What no message shows.

    Returns:
        Whether anything was written.

    Raises:
        Incomplete: Something failed or was skipped.
    """
    reached["results"] = [*(_displayed(result, secrets) for result in results), *others]
    passwords = [
        {"kind": result.action.kind, "key": result.action.key, "password": result.password}
        for result in results
        if result.password
    ]
    if passwords:
        reached["generated_passwords"] = passwords

    counts = _Counts.of(results)
    if not counts.failed and not counts.skipped:
        return counts.written > 0
    first = ", see results; first" if counts.failed + counts.skipped > 1 else ";"
    error = Incomplete(secrets.mask(f"{counts.words()}{first} {_first_failure(results)}"))
    error.details.update(failed=counts.failed, skipped=counts.skipped, written=counts.written)
    error.reached = Reached(counts.written > 0, reached)
    raise error


class _Counts(NamedTuple):
    """How many actions came to what.

    total: All actions.
    failed: Those that failed.
    skipped: Those that were not tried.
    written: Those that were written, some of which failed after it.
    failed_after_write: Those among them.
    unknown: Those that failed and may have been written.
    """

    total: int
    failed: int
    skipped: int
    written: int
    failed_after_write: int
    unknown: int

    @classmethod
    def of(cls, results: Sequence[Result]) -> _Counts:
        """Count the results."""
        counts = Counter(result.outcome for result in results)
        errors = [result.error for result in results if result.error and result.outcome == FAILED]
        # What failed after its write was written too, such as a zone that is not what it should be,
        # or an object whose password did not arrive.
        untouched = [error for error in errors if not error.has_changed]
        after_write = len(errors) - len(untouched)
        return cls(
            total=len(results),
            failed=counts[FAILED],
            skipped=counts[SKIPPED],
            written=after_write + counts[CHANGED],
            failed_after_write=after_write,
            unknown=sum(error.may_have_written for error in untouched),
        )

    def words(self) -> str:
        """Return the counts in the words of a message."""
        failed = f"{self.failed} of {self.total} changes failed"
        if self.failed_after_write:
            they_were = "it was" if self.failed_after_write == 1 else "they were"
            failed += f" ({self.failed_after_write} after {they_were} written)"
        parts = [failed]
        if self.skipped:
            parts.append(f"{_were(self.skipped)} skipped")
        parts.append(f"{_were(self.written)} written")
        if self.unknown:
            parts.append(f"{self.unknown} may have been")
        return ", ".join(parts)


def _were(count: int) -> str:
    return f"{count} was" if count == 1 else f"{count} were"


def _first_failure(results: Sequence[Result]) -> str:
    """Put into words why the first action failed, or was skipped where none did."""
    failed = [result for result in results if result.outcome == FAILED]
    skipped = [result for result in results if result.outcome == SKIPPED]
    first = (failed or skipped)[0]
    error = first.error or PanelError()
    problem = error.problem
    if isinstance(error, RequestError):
        # The number of those that were written stands before it.
        return format_message(replace(problem, written=""))
    message = format_messages(error.problems)
    return message if problem.subject else f"{first.action.label}: {message}"


def _displayed(result: Result, secrets: Secrets) -> dict[str, Any]:
    """Return what a result says of one action."""
    action, error = result.action, result.error
    displayed: dict[str, Any] = {
        "kind": action.kind,
        "key": action.key,
        "id": result.id,
        "result": result.outcome,
    }
    if error is not None:
        displayed["msg"] = secrets.mask(format_messages(error.problems))
    if error is not None and result.outcome == FAILED:
        displayed["error"] = {"type": error.type_name, **secrets.mask_value(error.details)}
        if error.has_changed:
            displayed["error"]["written"] = True
        if error.reached is not None:
            # What a zone was before, so that it can be put back. Passwords are listed for all
            # objects together.
            displayed |= error.reached.fields
    # Somebody else has made it by now.
    if result.applied is not None and result.applied.existed:
        displayed["existed"] = True
    return displayed

# SPDX-License-Identifier: GPL-3.0-or-later
"""Carries out the actions of a plan, several at once, and says what became of each. Private to the collection.

An action that fails does not stop the others, but for those that need it. What the panel refused is tried once more after all others, when
what stood in its way may be gone. When the panel does not accept the key, or has stopped to answer, or Ansible itself was killed, nothing
more is sent.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import Any, Callable, NamedTuple

from .._errors import (
    Conflict,
    Defect,
    Denied,
    OutcomeUnknown,
    PanelError,
    Refused,
    RequestError,
    ServerFailed,
    TimeIsUp,
    Unreachable,
    about,
    in_words,
)
from .._kinds.registry import KINDS, TABLES, TAKING_ALONG
from .._object.deciding import CREATE, NONE
from .._object.objects import NOT_FOUND, Panel
from .._object.writing import write
from .._secrets.redaction import Secrets
from .._task.operation import Task, progress
from .planner import Action, Name

AtOnce = Callable[..., Iterable["Result"]]  # map, by itself or of a pool
CHANGED, UNCHANGED, FAILED, SKIPPED = "changed", "unchanged", "failed", "skipped"
# After so many actions in a row that the panel did not answer, it is taken to be gone.
_MOST_UNANSWERED = 2
# So many new objects which the panel would make twice are looked for again with one list, while no other task may create them.
_IN_A_TURN = 20


class Incomplete(PanelError):
    """Some actions failed, or were skipped; the result says which."""


class Result(NamedTuple):
    """What came of an action. error: why it failed or was skipped. id: of the object. The action's decision says the rest."""

    action: Action
    outcome: str
    error: PanelError | None = None
    id: Any = None


class Applier:
    """Carries out actions. parent: the id of the process that started this one when the run began."""

    def __init__(self, panel: Panel, task: Task, parent: int, is_exact: bool) -> None:
        self._panel, self._task, self._parent, self._is_exact = panel, task, parent, is_exact
        self._not_done: dict[Name, str] = {}
        self._stopped = ""
        self._unanswered = 0
        self._takes_along = False

    def apply(self, waves: Sequence[Sequence[Action]]) -> list[Result]:
        most = self._panel.client.limiter.most
        with ThreadPoolExecutor(most) as pool:
            at_once = map if most == 1 else pool.map
            results = self._all(waves, at_once, "changes written")
            # The panel may accept now what it refused, because of what another action has done
            # since or because a client is ready by now (docs/panel_api.md#new-clients).
            faults = [one for one in results if isinstance(one.error, Refused)]
            refused = {id(one.action) for one in faults if one.error and one.error.details.get("status") != NOT_FOUND}
            if refused and not self._stopped and any(one.outcome == CHANGED for one in results):
                others = (one for one in results if one.outcome == FAILED and id(one.action) not in refused)
                self._not_done = {one.action.name: FAILED for one in others}
                again = refused | {id(one.action) for one in results if one.outcome == SKIPPED}
                left = [[one for one in wave if id(one) in again] for wave in waves]
                second = self._all(left, at_once, "changes tried again")
                told = [one for one in second if one.outcome != SKIPPED or id(one.action) not in refused]
                results = list({id(one.action): one for one in (*results, *told)}.values())
        return results

    def _all(self, waves: Sequence[Sequence[Action]], at_once: AtOnce, words: str) -> list[Result]:
        return list(progress(self._each(waves, at_once), words, sum(map(len, waves)), self._task.say))

    def _each(self, waves: Iterable[Sequence[Action]], at_once: AtOnce) -> Iterator[Result]:
        for wave in filter(None, waves):
            kind = KINDS[wave[0].kind]
            size = len(wave) if kind.is_unique else _IN_A_TURN
            for turn in (wave[begin : begin + size] for begin in range(0, len(wave), size)):
                new = [] if kind.is_unique else [one for one in turn if one.action == CREATE and not self._why_not(one)]
                bodies = [self._panel.real(one.decision.plan.body) for one in new if one.decision is not None]
                with ExitStack() as locks:
                    # Where not all of them can be had at once, each waits for its own.
                    with suppress(PanelError):
                        locks.enter_context(self._panel.store(kind).alone(bodies))
                    yield from at_once(self._one, turn)

    def _one(self, action: Action) -> Result:
        why = self._why_not(action)
        result = Result(action, SKIPPED, PanelError(why, action.label)) if why else self._tried(action)
        if result.outcome in (FAILED, SKIPPED):
            self._not_done[action.name] = result.outcome
        known = self._panel.ids.get(action.identifier or 0, action.id)
        return result._replace(id=result.error.details.get("id", known) if result.error else known)

    def _why_not(self, action: Action) -> str:
        if os.getppid() != self._parent:
            # A worker outlives a killed Ansible. Two runs at once, this one and the next, would create objects twice.
            self._stopped = "Ansible has ended, so nothing more was sent."
        if self._stopped:
            return self._stopped
        for kind, key in sorted(action.needs):
            outcome = self._not_done.get((kind, key))
            if outcome is not None:
                return (
                    f"it needs the {KINDS[kind].title} {key}, which {'failed' if outcome == FAILED else 'was skipped'}."
                )
        return ""

    def _tried(self, action: Action) -> Result:
        try:
            outcome = CHANGED if self._changes(action) else UNCHANGED
        except Exception as fault:
            # The others go on, and what they generate is not lost.
            error = fault if isinstance(fault, PanelError) else Defect(fault)
            self._stop_after(error)
            return Result(action, FAILED, error)
        finally:
            self._panel.client.limiter.release()
        self._unanswered = 0
        return Result(action, outcome)

    def _changes(self, action: Action) -> bool:
        """Carries an action out; whether that changes anything."""
        decision = action.decision
        if action.zone is not None:
            plan, _before, _after = action.zone.write(self._panel.client, self._is_exact)
            # Of a new zone check mode says that it changes.
            return plan.is_change or action.zone.zone is None
        if decision is None:
            store = self._panel.store(TABLES[action.kind])
            with about(action.label):
                # What is gone by then went with its client or domain.
                is_ours = store.delete(action.identifier) or self._takes_along
            if not is_ours and self._is_exact:
                raise Conflict(
                    "it is gone by now: someone deleted it after the plan was made. Nothing was written for it. Plan again.",
                    action.label,
                )
            self._takes_along = self._takes_along or action.kind in TAKING_ALONG
            return is_ours
        known = len(decision.warnings)
        try:
            write(self._panel, decision, self._is_exact)
        finally:
            for warning in decision.warnings[known:]:
                self._task.warn(f"{action.kind} {action.key}: {warning}")
        if action.identifier is not None and decision.id is not None:
            self._panel.ids[action.identifier] = decision.id
        return decision.plan.action != NONE

    def _stop_after(self, error: PanelError) -> None:
        is_unanswered = isinstance(error, (Unreachable, ServerFailed, OutcomeUnknown, Denied))
        self._unanswered = self._unanswered + 1 if is_unanswered else 0
        if isinstance(error, Denied) and _is_about_key(error):
            self._stopped = "the panel does not accept the key for this any more, so nothing more was sent."
        elif isinstance(error, TimeIsUp):
            self._stopped = "the time of the task was over, so nothing more was sent."
        elif self._unanswered >= _MOST_UNANSWERED and not self._stopped:
            words = "access was refused twice" if isinstance(error, Denied) else "the panel had stopped to answer"
            self._stopped = f"{words}, so nothing more was sent."


def _is_about_key(error: Denied) -> bool:
    """Whether the panel refuses the key, and not a web server before it a request, for what that one holds."""
    return error.details.get("status") == 401 or not error.details.keys().isdisjoint(("code", "message"))


# What is told


def report(
    results: Sequence[Result], reached: dict[str, Any], others: Sequence[Mapping[str, Any]], secrets: Secrets
) -> bool:
    """Adds what became of each action to the result, others after them; whether anything was written. Raises Incomplete."""
    shown = [_shown(result, secrets) for result in results]
    reached["results"] = [*shown, *others]
    made = [(one.action, one.action.decision.password) for one in results if one.action.decision is not None]
    passwords = [
        {"kind": action.kind, "key": action.key, "password": password} for action, password in made if password
    ]
    if passwords:
        reached["generated_passwords"] = passwords
    counts = Counter(result.outcome for result in results)
    errors = [result.error for result in results if result.error and result.outcome == FAILED]
    # What failed after its write was written too, such as a zone that is not what it should be, or an object whose password did not arrive.
    untouched = [error for error in errors if not error.details.get("result", {}).get("changed")]
    touched, unknown = len(errors) - len(untouched), sum(error.may_have_written for error in untouched)
    failed, skipped, written = counts[FAILED], counts[SKIPPED], touched + counts[CHANGED]
    if not failed and not skipped:
        return written > 0
    words = f"{failed} of {len(results)} changes failed"
    words += f" ({touched} after {'it was' if touched == 1 else 'they were'} written)" if touched else ""
    words += f", {skipped} {'was' if skipped == 1 else 'were'} skipped" if skipped else ""
    words += f", {written} {'was' if written == 1 else 'were'} written"
    words += f", {unknown} may have been" if unknown else ""
    raise Incomplete(
        secrets.masked(f"{words}{', see results; first' if failed + skipped > 1 else ';'} {_first_failure(results)}"),
        failed=failed,
        skipped=skipped,
        written=written,
        result={"changed": written > 0, **reached},
    )


def _first_failure(results: Sequence[Result]) -> str:
    """Tells of the first action that failed, or was skipped where none did."""
    first = next(one for outcome in (FAILED, SKIPPED) for one in results if one.outcome == outcome)
    error = first.error or PanelError("")
    message = error.message
    if isinstance(error, RequestError):
        # The number of those that were written stands before it.
        message = in_words(error.subject, error.what, "", error.advice)
    elif not error.subject:
        message = f"{first.action.label}: {message}"
    return message


def _shown(result: Result, secrets: Secrets) -> dict[str, Any]:
    action, error = result.action, result.error
    shown: dict[str, Any] = {"kind": action.kind, "key": action.key, "id": result.id, "result": result.outcome}
    if error is not None:
        shown["msg"] = secrets.masked(error.message)
    if error is not None and result.outcome == FAILED:
        details = dict(error.details)
        # What a zone was before, so that it can be put back. Passwords are told of all objects together.
        inner = {name: one for name, one in details.pop("result", {}).items() if name != "generated_password"}
        shown["error"] = {"type": type(error).__name__, **secrets.value(details)}
        if inner.pop("changed", False):
            shown["error"]["written"] = True
        shown |= inner
    # Somebody else has made it by now.
    if action.action == CREATE and action.decision is not None and action.decision.plan.action != CREATE:
        shown["existed"] = True
    return shown

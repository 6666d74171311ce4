# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Carries out the actions of a plan, several at once. Private to the collection.

An action that fails does not stop the others, but for those that need it. When the panel does not accept the key, or has stopped to
answer, or Ansible itself was killed, nothing more is sent.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
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
)
from .._http.panel_client import PanelClient
from .._kinds.registry import KINDS, TABLES
from .._object.managing import GONE_ALREADY, Applied, ObjectRun, Planned
from .._object.stored_keys import looked_at, may_be_kept_otherwise
from .._task.mistakes import without_ending
from .actions import CREATE, DELETE, Action, Name
from .progress import Progress
from .snapshot import SnapshotPanel

CHANGED, UNCHANGED, FAILED, SKIPPED = "changed", "unchanged", "failed", "skipped"
# After so many actions in a row that the panel did not answer, it is taken to be gone.
_MOST_UNANSWERED = 2
# So many new objects which the panel would make twice are looked for once more with one list, while nobody else may create them.
_IN_A_TURN = 20
# What a panel may answer to a deletion of what is not empty.
_NOT_AS_IT_IS = (400, 409, 422)
_NO_ANSWER = (Unreachable, ServerFailed, OutcomeUnknown)


class Result(NamedTuple):
    """What came of an action. why: of one that was skipped. password: the one that the panel generated.

    existed: whether what was to be created was there by now, so that it is somebody else's work. made: what was created. id: of the object.
    """

    action: Action
    outcome: str
    error: PanelError | None = None
    why: str = ""
    password: str | None = None
    existed: bool = False
    made: Applied | None = None
    id: Any = None


class Applier:
    """Carries out actions. parent: the id of the process that started this one when the run began. is_exact: whether somebody approved the plan.

    is_planned: as of ObjectRun.
    """

    def __init__(
        self,
        client: PanelClient,
        panel: SnapshotPanel,
        concurrency: int,
        progress: Progress,
        parent: int,
        is_exact: bool = False,
        is_planned: bool = False,
    ) -> None:
        self._is_exact, self._is_planned = is_exact, is_planned
        self._client, self._panel, self._concurrency, self._progress = client, panel, concurrency, progress
        self._not_done: dict[Name, str] = {}
        self._gone: set[tuple[str, Any]] = set()  # the kinds and ids of what was deleted
        self._stopped = ""
        self._unanswered = 0
        self._parent = parent
        self.warnings: list[str] = []

    def apply(self, waves: Sequence[Iterable[Action]]) -> list[Result]:
        """Carries out one wave after the other, in each as many actions at once as are allowed."""
        if self._concurrency == 1:
            return self._looked_at([result for wave in waves for result in self._of_wave(list(wave), map)])
        with ThreadPoolExecutor(self._concurrency) as pool:
            return self._looked_at([result for wave in waves for result in self._of_wave(list(wave), pool.map)])

    def _of_wave(self, wave: list[Action], carry_out: Callable[..., Iterable[Result]]) -> list[Result]:
        """What came of the actions of a wave, which are of one kind."""
        kind = KINDS[wave[0].kind]
        if kind.is_unique or all(action.action != CREATE for action in wave):
            return list(carry_out(self._one, wave))
        results: list[Result] = []
        for begin in range(0, len(wave), _IN_A_TURN):
            turn = wave[begin : begin + _IN_A_TURN]
            with self._panel.objects(kind).turn(self._bodies(turn)):
                results += carry_out(self._one, turn)
        return results

    def _bodies(self, actions: Iterable[Action]) -> list[Mapping[str, Any]]:
        """What will be sent for the new ones among these."""
        bodies: list[Mapping[str, Any]] = []
        for action in actions:
            if action.action != CREATE or self._has_ended() or self._why_not(action):
                continue
            # What is wrong with one is met again, and told, when it is carried out.
            with suppress(Exception):
                plan = self._planned(action)[1].plan
                bodies += [plan.body] if plan.action == CREATE else []
        return bodies

    def _has_ended(self) -> bool:
        """Whether nothing more may be sent."""
        return bool(self._stopped) or os.getppid() != self._parent

    def _looked_at(self, results: list[Result]) -> list[Result]:
        """The results; a new object that the next run would not find has failed. One list request for each kind of which that may be."""
        problems: dict[tuple[str, Any], PanelError] = {}
        for plural in sorted({result.action.kind for result in results if result.made is not None}):
            made = {one.made.id: one.made.plan.body for one in results if one.made and _is_doubtful(one, plural)}
            if not made or self._has_ended():
                continue
            found = looked_at(self._panel.objects(TABLES[plural]), TABLES[plural], made)
            for identifier, problem in found.items():
                if isinstance(problem, PanelError):
                    problems[plural, identifier] = problem
                elif problem is not None:
                    self.warnings.append(problem)
        return [_with_problem(result, problems) for result in results]

    def _one(self, action: Action) -> Result:
        if os.getppid() != self._parent:
            # A worker outlives a killed Ansible. Two runs at once, this one and the next, would create objects twice.
            self._stopped = "Ansible has ended, so nothing more was sent."
        why = self._stopped or self._why_not(action)
        result = Result(action, SKIPPED, why=why) if why else self._tried(action)
        result = result if result.id is not None else result._replace(id=action.identifier)
        if result.outcome in (FAILED, SKIPPED):
            self._not_done[action.name] = result.outcome
        self._progress.step()
        return result

    def _why_not(self, action: Action) -> str:
        for kind, key in sorted(action.needs):
            outcome = self._not_done.get((kind, key))
            if outcome is not None:
                words = "which failed" if outcome == FAILED else "which was skipped"
                return f"It needs {kind} {key}, {words}."
        return ""

    def _tried(self, action: Action) -> Result:
        try:
            applied = self._carried_out(action)
        except PanelError as error:
            self._note_failure(error)
            return Result(action, FAILED, error=error, id=error.details.get("id"))
        except Exception as error:
            # The others go on, and what they generate is not lost.
            return Result(action, FAILED, error=Defect(error))
        finally:
            self._client.limiter.release()
        self._unanswered = 0
        if applied is None:
            return Result(action, CHANGED)
        outcome = UNCHANGED if applied.plan.action == "none" else CHANGED
        existed = action.action == CREATE and applied.plan.action != CREATE
        made = applied if applied.plan.action == CREATE and applied.id is not None else None
        return Result(action, outcome, password=applied.password, existed=existed, made=made, id=applied.id)

    def _note_failure(self, error: PanelError) -> None:
        if isinstance(error, Denied):
            is_lost = error.details.get("status") == 401
            why = "does not accept the key any more" if is_lost else "refuses what this key asks for"
            self._stopped = f"The panel {why}, so nothing more was sent."
        elif isinstance(error, TimeIsUp):
            self._stopped = "The time of the task was over, so nothing more was sent."
        elif not isinstance(error, _NO_ANSWER):
            self._unanswered = 0
            return
        self._unanswered += 1
        if self._unanswered >= _MOST_UNANSWERED and not self._stopped:
            self._stopped = "The panel had stopped to answer, so nothing more was sent."

    def _carried_out(self, action: Action) -> Applied | None:
        """What came of the plan; None for a deletion, and for a zone."""
        if action.action == DELETE:
            # What went with another object, or before it, was deleted by this run.
            is_ours = (action.kind, action.identifier) in self._gone
            return None if self._deleted(action) or is_ours else GONE_ALREADY
        if action.zone is not None:
            action.zone.write(self._client, self._is_exact)
            return None
        run, planned = self._planned(action)
        if planned.plan.action != action.action or (planned.current or {}).get("id") != action.identifier:
            # What was planned counted on another action, which did not come to be.
            raise Conflict(
                f"{action.key} was to be {action.action}d, and now that the actions before it are done, that is not what it needs. "
                "Nothing was written for it. Run the task again.",
            )
        told = len(run.warnings)
        try:
            return run.apply(planned)
        finally:
            self.warnings += [f"{action.kind} {action.key}: {warning}" for warning in run.warnings[told:]]

    def _deleted(self, action: Action) -> bool:
        """Whether this run deleted the object. What goes with it, as the plan says, goes first where the panel refuses to take it along."""
        contents = action.contents
        try:
            return self._delete(action)
        except Refused as refusal:
            if not contents or refusal.details.get("status") not in _NOT_AS_IT_IS:
                raise
        count = 0
        try:
            for one in contents:
                self._delete(one)
                count += 1
            return self._delete(action)
        except RequestError as error:
            gone = f"{count} of the {len(contents)} objects in it were deleted before this"
            raise type(error)(
                f"The panel deletes only what is empty, and {gone}: {without_ending(error.message)}",
                **error.details,
                result={"changed": count > 0},
            ) from error

    def _delete(self, action: Action) -> bool:
        if action.identifier is None:
            raise TypeError(action.kind)
        is_ours = self._panel.objects(TABLES[action.kind]).delete(action.identifier)
        self._gone.update((one.kind, one.identifier) for one in (action, *action.contents))
        return is_ours

    def _planned(self, action: Action) -> tuple[ObjectRun, Planned]:
        """What the object needs now."""
        if action.item is None:
            raise TypeError(action.kind)
        exactly = {"is_exact": self._is_exact, "is_planned": self._is_planned}
        run = ObjectRun(TABLES[action.kind], action.item.wanted, self._panel, **exactly)
        with self._panel.snapshot.lock:
            return run, run.plan()


def _is_doubtful(result: Result, plural: str) -> bool:
    """Whether what was made is of this kind, and the panel may keep it otherwise than it was sent."""
    made, item = result.made, result.action.item
    if made is None or item is None or result.action.kind != plural:
        return False
    return TABLES[plural].may_be_kept_otherwise and may_be_kept_otherwise(TABLES[plural], item.wanted, made.plan.body)


def _with_problem(result: Result, problems: Mapping[tuple[str, Any], PanelError]) -> Result:
    problem = problems.get((result.action.kind, result.made.id)) if result.made is not None else None
    if problem is None:
        return result
    # The password of what is gone again opens nothing.
    return result._replace(
        outcome=FAILED, error=problem, password=result.password if "result" in problem.details else None
    )

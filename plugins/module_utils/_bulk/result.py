# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person gets to see of a run over many objects: the plan, its checksum, the diff, what became of each. Pure. Private to the collection."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._errors import PanelError
from .._object.planning import CREATE, DELETE, UPDATE
from .._secrets.panel_text import Secrets
from .._task.operation import Outcome
from .actions import Action
from .plan_lines import plan_text

CHANGED, UNCHANGED, FAILED, SKIPPED = "changed", "unchanged", "failed", "skipped"


class Result(NamedTuple):
    """What came of an action. why: of one that was skipped. password: the one that the panel generated.

    existed: whether what was to be created was there by now, so that it is somebody else's work. id: of the object.
    """

    action: Action
    outcome: str
    error: PanelError | None = None
    why: str = ""
    password: str | None = None
    existed: bool = False
    id: Any = None


def shown_plan(actions: Sequence[Action], unchanged: int) -> dict[str, Any]:
    """The plan of a result. The checksum covers what is done with which object, and in which order."""
    shown = [action.shown() for action in actions]
    counts = {name: sum(1 for action in actions if action.action == name) for name in (CREATE, UPDATE, DELETE)}
    return {
        "summary": {**counts, "unchanged": unchanged},
        "actions": shown,
        "checksum": checksum([{**one, "refers_to": action.referred_to()} for one, action in zip(shown, actions)]),
    }


def checksum(actions: Sequence[Mapping[str, Any]]) -> str:
    """The same for the same actions, on every machine."""
    text = json.dumps(actions, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


Shown = Mapping[str, Any]


class Incomplete(PanelError):
    """Some actions failed, or were skipped; the result says which."""


def outcome_of(
    actions: Sequence[Action],
    plan: Mapping[str, Any],
    results: Sequence[Result],
    others: Sequence[Shown],
    secrets: Secrets,
) -> Outcome:
    """The result of a run, or Incomplete. results: none where nothing was written. others: of what needed no action, or could have none."""
    shown: list[Shown] = [_shown_result(result, secrets) for result in results]
    if not results:
        shown = [{"kind": one.kind, "key": one.key, "id": one.identifier, "result": CHANGED} for one in actions]
    shown += others
    passwords = [
        {"kind": result.action.kind, "key": result.action.key, "password": result.password}
        for result in results
        if result.password is not None
    ]
    reached: dict[str, Any] = {"plan": plan, "results": shown}
    if passwords:
        reached["generated_passwords"] = passwords
    if any(result.outcome in (FAILED, SKIPPED) for result in results):
        raise _incomplete(results, reached)
    # Where all of it was there by now, nothing was written.
    changed = any(result.outcome == CHANGED for result in results) if results else bool(actions)
    return Outcome(changed=changed, result=reached, prepared=plan_text(plan))


def _shown_result(result: Result, secrets: Secrets) -> dict[str, Any]:
    action = result.action
    shown: dict[str, Any] = {"kind": action.kind, "key": action.key, "id": result.id, "result": result.outcome}
    if result.error is not None:
        shown["msg"] = secrets.masked(result.error.message)
        details = {name: value for name, value in result.error.details.items() if name != "result"}
        shown["error"] = {"type": type(result.error).__name__, **secrets.value(details)}
        if result.error.details.get("result", {}).get("changed"):
            shown["error"]["written"] = True
        # What a zone was before, so that it can be put back.
        shown.update(
            {name: value for name, value in result.error.details.get("result", {}).items() if name != "changed"}
        )
    elif result.why:
        shown["msg"] = result.why
    if result.existed:
        shown["existed"] = True
    return shown


def _incomplete(results: Sequence[Result], reached: Mapping[str, Any]) -> Incomplete:
    failed = [result for result in results if result.outcome == FAILED]
    # What failed after its write was written too, such as a zone that is not what it should be, or an object whose password did not arrive.
    errors = [result.error for result in failed if result.error]
    untouched = [error for error in errors if not error.details.get("result", {}).get("changed")]
    touched, unknown = len(errors) - len(untouched), sum(error.may_have_written for error in untouched)
    written = touched + sum(1 for result in results if result.outcome == CHANGED)
    skipped = sum(1 for result in results if result.outcome == SKIPPED)
    words = f"{len(failed)} of {len(results)} changes failed"
    if touched:
        words += f" ({touched} after {'it was' if touched == 1 else 'they were'} written)"
    if skipped:
        words += f", {skipped} {'was' if skipped == 1 else 'were'} skipped"
    perhaps = f", {unknown} may have been" if unknown else ""
    shown = next(entry for outcome in (FAILED, SKIPPED) for entry in reached["results"] if entry["result"] == outcome)
    return Incomplete(
        f"{words}, {written} {'was' if written == 1 else 'were'} written{perhaps}. First: {shown['kind']} {shown['key']}: {shown['msg']} "
        "The results of this task say what became of each; run it again to complete the rest.",
        failed=len(failed),
        skipped=skipped,
        written=written,
        result={"changed": written > 0, **reached},
    )

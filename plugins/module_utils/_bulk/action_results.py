# SPDX-License-Identifier: GPL-3.0-or-later
"""What came of an action, and which actions are tried once more. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .._apply.applied import Applied
from .._errors import Effect, PanelError, Refused
from .._operation.operation import ObjectEffect
from .._sources.kind_objects import NOT_FOUND
from .actions import Action

CHANGED, UNCHANGED, FAILED, SKIPPED = "changed", "unchanged", "failed", "skipped"


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
        return ObjectEffect(self.action.plural, self.action.key, effect, kept_as, existed)

    @property
    def is_refused(self) -> bool:
        """Tell whether the panel refused it, perhaps because of what another action has
        done since. What was written, and refused to be read afterwards, is not.
        """
        if not isinstance(self.error, Refused) or self.error.has_changed:
            return False
        return self.error.status != NOT_FOUND


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
            _keep_doubt(result.error, retried.error)
            merged.append(retried)
    return merged


def _keep_doubt(first: PanelError | None, second: PanelError | None) -> None:
    """Let a second failure say that the first attempt may have written."""
    if first is None or second is None or second.has_changed:
        return
    if first.may_have_written and not second.may_have_written:
        second.amend(written=first.problem.written)

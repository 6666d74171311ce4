# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells the objects of one task apart, where the panel may keep them under other names."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from .checked_answers import PanelObject


class NewObjects(NamedTuple):
    """Says which of the new objects of an owner may be the one that a creation has made.

    candidates: Those that no other creation of the task has made for certain.
    may_be_of_others: Whether another creation for the owner is not settled, so that a candidate
        may be the object of that one.
    """

    candidates: Sequence[PanelObject]
    may_be_of_others: bool


class TaskCreations:
    """Knows the creations of a task for one kind: which objects they have made, and which of them
    are not settled. Safe to use from several threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._created_ids: set[Any] = set()
        self._unsettled: Counter[Any] = Counter()

    def begin(self, owner_id: Any) -> None:
        """Note a creation before it is sent. owner_id: of the client that gets the object."""
        with self._lock:
            self._unsettled[owner_id] += 1

    def settle(self, owner_id: Any, identifier: Any = None) -> None:
        """Note what came of a creation. It is not called where that is unknown.

        Args:
            owner_id: As of ``begin``.
            identifier: The id of the object that it has made; None where it has made none.
        """
        with self._lock:
            self._unsettled[owner_id] -= 1
            if identifier is not None:
                self._created_ids.add(identifier)

    def has_created(self, item: PanelObject) -> bool:
        """Tell whether a settled creation has made an object."""
        with self._lock:
            return item.get("id") in self._created_ids

    def exclude_created(self, items: Sequence[PanelObject], owner_id: Any) -> NewObjects:
        """Return which objects may be that of a creation that is not settled.

        Args:
            items: New objects under other names than the task has sent.
            owner_id: Of the client of the creation; None where the panel does not show whose the
                objects are.
        """
        with self._lock:
            candidates = [item for item in items if item.get("id") not in self._created_ids]
            unsettled = self._unsettled[owner_id]
            if owner_id is None:
                unsettled = sum(self._unsettled.values())
            # One of them is the creation itself.
            return NewObjects(candidates, may_be_of_others=unsettled > 1)

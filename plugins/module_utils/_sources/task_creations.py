# SPDX-License-Identifier: GPL-3.0-or-later
"""Tells the objects of one task apart, where the panel may keep them under other names."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple


class SentCreation(NamedTuple):
    """Names what a creation has sent.

    owner_id: The id of the client that gets the object.
    name: The name in the normal form of its field; the panel may keep another one.
    """

    owner_id: Any
    name: str


class RivalCreations(NamedTuple):
    """Says what is known of the creations of a task, beside one of them.

    makers: By their ids the objects of which it is known who has made them: another creation, or
        None for somebody else.
    unsettled: The others of which it is not known what they have made.
    has_made_up_names: Whether the panel keeps an object of the task under a name that does not even
        hold the one that was sent.
    """

    makers: Mapping[Any, SentCreation | None]
    unsettled: tuple[SentCreation, ...]
    has_made_up_names: bool


class TaskCreations:
    """Knows the creations of a task for one kind: which objects they have made, and which of them
    are not settled. Safe to use from several threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._makers: dict[Any, SentCreation | None] = {}
        self._unsettled: Counter[SentCreation] = Counter()
        self._has_made_up_names = False

    def begin(self, creation: SentCreation) -> None:
        """Note a creation before it is sent."""
        with self._lock:
            self._unsettled[creation] += 1

    def settle(self, creation: SentCreation, identifier: Any = None) -> None:
        """Note what came of a creation. It is not called where that is unknown.

        Args:
            creation: As of ``begin``.
            identifier: The id of the object that it has made; None where it has made none.
        """
        with self._lock:
            self._unsettled[creation] -= 1
            if identifier is not None:
                self._makers[identifier] = creation

    def note_existing(self, identifier: Any) -> None:
        """Note an object that somebody else has made since the lists were read."""
        if identifier is None:
            return
        with self._lock:
            self._makers[identifier] = None

    def note_kept_name(self, creation: SentCreation, kept_as: str) -> None:
        """Note the name under which the panel keeps what a creation has made."""
        with self._lock:
            if creation.name not in kept_as:
                self._has_made_up_names = True

    def list_rivals(self, creation: SentCreation) -> RivalCreations:
        """Return what is known of the others at one moment."""
        with self._lock:
            unsettled = [sent for sent, number in self._unsettled.items() if number]
            rivals = [sent for sent in unsettled if sent != creation]
            return RivalCreations(dict(self._makers), tuple(rivals), self._has_made_up_names)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks on the panel for an object whose creation got no whole answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple

from .._http.repeats import MAX_POLLS
from .._schema.field_paths import Path
from .._schema.fields import OWNER
from .._sources.checked_answers import PanelObject
from .._sources.kind_objects import KindObjects, read_owner_id
from .._sources.task_creations import NewObjects


class SearchResult(NamedTuple):
    """Says what a search for a created object came to.

    candidates: The objects that may be it.
    may_be_of_others: Whether they may as well be those of other creations of the task.
    outlasted_late_effect: Whether the panel answered for so long without showing it that a request
        which ended before can make none any more.
    """

    candidates: Sequence[PanelObject]
    may_be_of_others: bool = False
    outlasted_late_effect: bool = False


class CreationSearch:
    """Searches for one object by its natural key."""

    def __init__(
        self,
        objects: KindObjects,
        body: Mapping[str, Any],
        key: Mapping[str, Any],
        paths: Iterable[Path],
        listed_before: Set[Any] | None,
    ) -> None:
        """Keep what is searched for, and which objects there were before the creation.

        Args:
            objects: The objects of its kind.
            body: What is sent to create it.
            key: Its natural key, references by their ids.
            paths: Of the fields that are compared.
            listed_before: The ids of the list before the creation; None where none was read.
        """
        self._objects = objects
        self._body = body
        self._key = key
        self._paths = paths
        self._listed_before = listed_before

    def require_list(self) -> Set[Any]:
        """Return the ids of the list before the creation.

        Raises:
            LookupError: None was read, so that every object of the owner would pass for a new one.
        """
        if self._listed_before is None:
            raise LookupError("No list was read before the creation.")
        return self._listed_before

    def search(self, polls: int, may_have_another_name: bool) -> SearchResult:
        """Ask the panel for the object, until it shows a candidate.

        Args:
            polls: How often it is asked at most.
            may_have_another_name: Whether the panel may keep it under another name than was sent.
        """
        poll = 0
        new_objects = NewObjects([], may_be_of_others=False)
        retry_budget = self._objects.session.retry_budget
        for poll in retry_budget.count_polls(polls):
            new_objects = self._find_candidates(may_have_another_name)
            # Another creation of the task may be settled soon, and then claims its object.
            if new_objects.candidates and not new_objects.may_be_of_others:
                if poll > 1:
                    retry_budget.reset()
                return SearchResult(new_objects.candidates)
        return SearchResult(
            new_objects.candidates,
            new_objects.may_be_of_others,
            outlasted_late_effect=poll == MAX_POLLS,
        )

    def _find_candidates(self, may_have_another_name: bool) -> NewObjects:
        """Return what has its name; or, where the panel may have given it another one, what its
        owner has since.
        """
        if may_have_another_name:
            return self._find_new_of_owner()
        actual = self._objects.fetch_by_key(self._key, self._paths)
        return NewObjects([actual] if actual is not None else [], may_be_of_others=False)

    def _find_new_of_owner(self) -> NewObjects:
        """Return the new object of its owner that has its name, or else all that may be it."""
        listed_before = self.require_list()
        objects = self._objects
        owner_id = self._body.get(OWNER)
        owned = [
            actual for actual in objects.fetch_all() if read_owner_id(actual) in (None, owner_id)
        ]
        new = [
            actual
            for actual in owned
            if actual.get("id") not in listed_before and not objects.creations.has_created(actual)
        ]

        name_field = objects.kind.key[-1]
        name = self._key[name_field.name]
        with_name = [
            actual for actual in new if name_field.equals(name, actual.get(name_field.name))
        ]
        if with_name:
            return NewObjects(with_name, may_be_of_others=False)

        # What the list of a run about many has is known, or is made by that run.
        unknown = [actual for actual in new if not objects.has_in_list(actual)]
        named = [actual for actual in unknown if actual.get(name_field.name) is not None]
        if any(read_owner_id(actual) is None for actual in named):
            owner_id = None
        return objects.creations.exclude_created(named, owner_id)

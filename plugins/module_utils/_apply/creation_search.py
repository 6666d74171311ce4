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
from .._sources.task_creations import RivalCreations, SentCreation


class SearchResult(NamedTuple):
    """Says what a search for a created object came to.

    candidates: The objects that may be it.
    may_be_of_others: Whether other creations of the task have made them, or may have.
    outlasted_late_effect: Whether the panel answered for so long without showing it that a request
        which ended before can make none any more.
    """

    candidates: Sequence[PanelObject]
    may_be_of_others: bool = False
    outlasted_late_effect: bool = False


class CreationSearch:
    """Searches for one object by its natural key.

    creation: What is sent to create it.
    """

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
        self._name_field = objects.kind.key[-1]
        self.creation = SentCreation(body.get(OWNER), self._normalize_name(key))

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
        result = SearchResult(())
        retry_budget = self._objects.session.retry_budget
        for poll in retry_budget.count_polls(polls):
            result = self._find_candidates(may_have_another_name)
            # Another creation of the task may be settled soon, and then claims its object.
            if result.candidates and not result.may_be_of_others:
                if poll > 1:
                    retry_budget.reset()
                return result
        return result._replace(outlasted_late_effect=poll == MAX_POLLS)

    def _find_candidates(self, may_have_another_name: bool) -> SearchResult:
        """Return what has its name; or, where the panel may have given it another one, what its
        owner has since.
        """
        if may_have_another_name:
            return self._find_new_of_owner()
        actual = self._objects.fetch_by_key(self._key, self._paths)
        if actual is None:
            return SearchResult(())
        if not self._objects.kind.traits.has_scheme:
            return SearchResult((actual,))

        rivals = self._objects.creations.list_rivals(self.creation)
        if actual.get("id") in rivals.makers:
            is_of_other = rivals.makers[actual["id"]] not in (None, self.creation)
            return SearchResult((actual,), may_be_of_others=is_of_other)
        return self._judge((actual,), rivals)

    def _find_new_of_owner(self) -> SearchResult:
        """Return the new object of its owner that has its name, or else all that may be it."""
        listed_before = self.require_list()
        owner_id = self._body.get(OWNER)
        listed = self._objects.fetch_all()
        rivals = self._objects.creations.list_rivals(self.creation)
        unaccounted = [
            actual
            for actual in listed
            if actual.get("id") not in listed_before and actual.get("id") not in rivals.makers
        ]
        new = [
            actual
            for actual in unaccounted
            if actual.get(self._name_field.name) is not None
            and read_owner_id(actual) in (None, owner_id)
        ]
        return self._judge(new, rivals)

    def _judge(self, new: Sequence[PanelObject], rivals: RivalCreations) -> SearchResult:
        """Choose the candidates of new objects, and tell whether another creation may have made
        one of them.
        """
        names = {self._normalize_name(actual) for actual in new}
        candidates = [
            actual for actual in new if self._normalize_name(actual) == self.creation.name
        ]
        if not candidates:
            candidates = [
                actual for actual in new if self._may_be_of(self.creation, actual, names, rivals)
            ]
        may_be_of_others = any(
            self._may_be_of(rival, actual, names, rivals)
            for rival in rivals.unsettled
            for actual in candidates
        )
        return SearchResult(candidates, may_be_of_others)

    def _may_be_of(
        self,
        creation: SentCreation,
        actual: PanelObject,
        new_names: Set[str],
        rivals: RivalCreations,
    ) -> bool:
        """Tell whether a creation may have made a new object.

        Args:
            creation: A creation that is not settled.
            actual: The object.
            new_names: The names of all new objects among which it is.
            rivals: All other creations than this one.
        """
        if read_owner_id(actual) not in (None, creation.owner_id):
            return False
        name = self._normalize_name(actual)
        if name == creation.name or rivals.has_made_up_names:
            return True
        if not self._is_in_task(actual, rivals):
            return True
        # The name is evidence for the creation that has sent it, unless the panel adds to names.
        return creation.name in name and creation.name not in new_names

    def _is_in_task(self, actual: PanelObject, rivals: RivalCreations) -> bool:
        """Tell whether an object has a name that the task has sent, or is going to send."""
        sent_names = {self.creation.name, *[rival.name for rival in rivals.unsettled]}
        return self._normalize_name(actual) in sent_names or self._objects.has_in_list(actual)

    def _normalize_name(self, item: Mapping[str, Any]) -> str:
        """Return the name of an object in its normal form."""
        return str(self._name_field.normalize(item.get(self._name_field.name)))

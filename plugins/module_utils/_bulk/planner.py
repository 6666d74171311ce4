# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides about the desired objects of a whole panel. Writes nothing.

``panel_reader.py`` reads what is certainly needed, and ``object_decisions.py`` and
``zone_decisions.py`` decide about one item each. What is known meanwhile is in ``plan_state.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from .._errors import PanelError, UnknownReference
from .._items.desired_items import Item
from .._kinds.registry import KINDS
from .._problems import ItemName, ProblemForm, format_cause
from .._secrets.redaction import Secrets
from .._sources.snapshot_source import SnapshotSource
from .actions import ObjectName
from .object_decisions import decide_object
from .panel_reader import Items, PanelReader
from .plan_state import ItemOutcome, PlanState

if TYPE_CHECKING:
    from .._dns.located_zone import LocatedZone


class Planner:
    """Plans all items of a run.

    deleting: The kinds of which objects may be deleted.
    state: What is decided.
    reader: Reads of the panel what is needed for it.
    """

    def __init__(
        self, source: SnapshotSource, items: Items, purge: Iterable[str], say: Callable[[str], None]
    ) -> None:
        """Prepare to plan.

        Args:
            source: The lists of the panel.
            items: What is desired, by plural kind.
            purge: The kinds of which the unnamed objects are deleted too.
            say: As of Task.
        """
        self._items = items
        absent = {
            plural for plural, of_kind in items.items() if any(item.is_absent for item in of_kind)
        }
        self.deleting = absent.union(purge)
        self.state = PlanState(source)
        self.reader = PanelReader(source, items, self.deleting, say)

    def plan(self) -> None:
        """Read what is certainly needed ahead, several requests at once, and decide about all items
        in the order of dependency.
        """
        self.reader.read_lists()
        zones = self.reader.read_zones()
        mistaken: set[ObjectName] = set()
        for item in self._sort_items():
            outcome = self._decide(item, zones)
            self.state.add(outcome)
            error = outcome.error
            if error is None:
                continue
            # What is missing for the mistake of another item is named there.
            missing = _find_missing(error)
            if missing is None or missing not in mistaken:
                self._refuse(item, error)
            mistaken.add(_name_object(item.plural, item.key))

    def _sort_items(self) -> list[Item]:
        """Return what is to be deleted, what others need last, and then all others, in the order of
        dependency.
        """
        absent: list[Item] = []
        for plural in reversed(KINDS):
            absent += [item for item in self._items.get(plural, ()) if item.is_absent]
        present: list[Item] = []
        for plural in KINDS:
            present += [item for item in self._items.get(plural, ()) if not item.is_absent]
        return absent + present

    def _decide(
        self, item: Item, zones: Mapping[ItemName, LocatedZone | PanelError]
    ) -> ItemOutcome:
        """Return what is done about an item."""
        if item.zone is None:
            return decide_object(self.state, item)
        zone = zones[item.name]
        if isinstance(zone, PanelError):
            return ItemOutcome(item, error=zone)
        from .zone_decisions import decide_zone  # noqa: PLC0415 - most lists have no zones, and their package is large

        return decide_zone(self.state, item, zone)

    def _refuse(self, item: Item, error: PanelError) -> None:
        """Note what is wrong with an item, without its secrets."""
        problems = [problem.without_nothing_written() for problem in error.problems]
        problem = problems[0]
        if len(problems) > 1:
            # What is wrong with one item counts once.
            problem = replace(problem, cause=format_cause(problems))
        # The item names the object.
        problem = replace(problem, item=item.name, form=ProblemForm.ITEM_MISTAKE, subject="")
        self.state.add_mistakes([problem.with_texts(Secrets(item.list_secrets()).mask)])


def _find_missing(error: PanelError) -> ObjectName | None:
    """Return the object that an item refers to and the panel lacks; None for another mistake."""
    if not isinstance(error, UnknownReference) or error.missing is None:
        return None
    return _name_object(*error.missing)


def _name_object(plural: str, key: str) -> ObjectName:
    """Return kind and key of an object, the same for each spelling of the key."""
    fields = KINDS[plural].key
    # Nothing refers to an object whose key has several parts.
    return plural, key if len(fields) > 1 else str(fields[0].normalize(key))

# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of a plan for many objects while it is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Union

from .._errors import PanelError
from .._http.failures import make_unexpected_answer
from .._items.desired_items import Item
from .._items.omissions import Omission
from .._kinds.registry import TABLES
from .._problems import OtherItem, Problem
from .._schema.kind import Kind
from .._sources.checked_answers import PanelObject
from .._sources.kind_objects import Identity
from .._sources.snapshot_source import SnapshotSource
from .actions import Action, ObjectName
from .object_names import name_object


class SameObject(PanelError):
    """Another item names the same object."""

    def __init__(self, first: Item) -> None:
        super().__init__("names the same object as")
        self.amend(other_item=OtherItem(first.name))


class Unchanged(NamedTuple):
    """An object that is as it is desired. plural: of its kind."""

    plural: str
    key: str
    identifier: Any


class MarkedObject(NamedTuple):
    """An object that is to be deleted. item: what asks for it; None for a purge."""

    item: Item | None
    current: PanelObject


class LeftOut(NamedTuple):
    """An object that cannot be created, since an option is not given. option: its name."""

    option: str

    def as_result(self, item: Item) -> dict[str, Any]:
        """Return what the result of the task says of its item."""
        return {
            "kind": item.plural,
            "key": item.key,
            "id": None,
            "result": "skipped",
            "msg": f"{self.option}: not given, and needed to create it.",
        }


class PlannedObject(NamedTuple):
    """An object that is created or changed.

    action: What is done with it.
    future: The object as it will be, with a planned id where it is new.
    released: What it refers to before the action.
    """

    action: Action
    future: PanelObject
    released: tuple[Identity, ...]


Decision = Union[PlannedObject, Action, Unchanged, MarkedObject, LeftOut]
"""What is done for an item; an Action is that of a zone."""


class ItemOutcome(NamedTuple):
    """What was decided about one item.

    item: The item.
    decision: What is done; None where the item is a mistake.
    error: The mistake.
    claimed: The identity of the object that the item is for, as far as there is one.
    required: The identities of the objects that it refers to.
    warnings: What the operator should know about the item.
    """

    item: Item
    decision: Decision | None = None
    error: PanelError | None = None
    claimed: Identity | None = None
    required: tuple[Identity, ...] = ()
    warnings: tuple[str, ...] = ()


def get_identity_of(kind: Kind, actual: Mapping[str, Any]) -> Identity:
    """Return by what the state knows an object of the panel."""
    return kind.path, actual.get("id")


def refuse_without_id(source: SnapshotSource, kind: Kind, current: PanelObject) -> None:
    """Raise UnexpectedAnswer where the panel shows an object without its id, so that it cannot be
    deleted.
    """
    if current.get("id") is None:
        label = name_object(source, kind, current)
        raise make_unexpected_answer(kind.path, f"shows {label} without its id.")


@dataclass
class PlanState:
    """What is known of a plan while it is made. Only its own methods change it; what is decided
    about an item, only ``add``.

    source: The lists of the panel, with what is planned.
    actions: In no order.
    unchanged: The objects that are as they are desired.
    left_out: Objects that cannot be created since a secret is not given, each with its result.
    spared: Objects of purged kinds that stay, since no item could be for them.
    warnings: What the operator should know.
    mistakes: What is wrong with the items.
    marked: By identity the objects that are to be deleted.
    claimed: By identity the item that an object is for.
    needed: By identity the first item that refers to an object.
    released_by: By identity the changes of what refers to an object by now.
    pending: By identity the action after which an object is as the source has it.
    """

    source: SnapshotSource
    actions: list[Action] = field(default_factory=list)
    unchanged: list[Unchanged] = field(default_factory=list)
    left_out: dict[ObjectName, dict[str, Any]] = field(default_factory=dict)
    spared: list[Omission] = field(default_factory=list)
    warnings: list[str | Problem] = field(default_factory=list)
    mistakes: list[Problem] = field(default_factory=list)
    marked: dict[Identity, MarkedObject] = field(default_factory=dict)
    claimed: dict[Identity, Item] = field(default_factory=dict)
    needed: dict[Identity, Item] = field(default_factory=dict)
    released_by: dict[Identity, set[ObjectName]] = field(default_factory=dict)
    pending: dict[Identity, ObjectName] = field(default_factory=dict)

    def add(self, outcome: ItemOutcome) -> None:
        """Add what was decided about an item, and put its object into the source as it will be."""
        self._note_objects_of(outcome)
        item = outcome.item
        self.warnings += [Problem(cause=warning, item=item.name) for warning in outcome.warnings]
        self._add_decision(item, outcome.decision)

    def _add_decision(self, item: Item, decision: Decision | None) -> None:
        """Add what is done for an item, by its type."""
        if isinstance(decision, Unchanged):
            self.unchanged.append(decision)
        if isinstance(decision, LeftOut):
            self.left_out[item.plural, item.key] = decision.as_result(item)
        if isinstance(decision, MarkedObject):
            self.mark_for_deletion(TABLES[item.plural], item, decision.current)
        if isinstance(decision, PlannedObject):
            self._add_planned(decision)
        if isinstance(decision, Action):
            self.actions.append(decision)

    def _note_objects_of(self, outcome: ItemOutcome) -> None:
        """Note the object that an item is for, and those that it refers to."""
        if outcome.claimed is not None:
            self.claimed.setdefault(outcome.claimed, outcome.item)
        for identity in outcome.required:
            self.needed.setdefault(identity, outcome.item)

    def _add_planned(self, planned: PlannedObject) -> None:
        """Add an action that makes an object what later items find."""
        action = planned.action
        kind = TABLES[action.plural]
        self.source.get_objects(kind).put(planned.future)
        self.actions.append(action)
        self.pending[get_identity_of(kind, planned.future)] = action.name
        for released_identity in planned.released:
            self.released_by.setdefault(released_identity, set()).add(action.name)

    def add_deletions(self, actions: Iterable[Action]) -> None:
        """Add the actions that delete what is marked."""
        self.actions += actions

    def add_warnings(self, warnings: Iterable[str | Problem]) -> None:
        """Add warnings that are about no single item."""
        self.warnings += warnings

    def add_mistakes(self, mistakes: Iterable[Problem]) -> None:
        """Add what is wrong with the items."""
        self.mistakes += mistakes

    def note_spared(self, omissions: Iterable[Omission]) -> None:
        """Add objects that stay, since no item could be for them."""
        self.spared += omissions

    def refuse_claimed(self, item: Item, identity: Identity) -> None:
        """Raise SameObject where another item is for an object."""
        first = self.claimed.get(identity, item)
        if first is not item:
            raise SameObject(first)

    def list_actions_before(self, identities: Iterable[Identity]) -> frozenset[ObjectName]:
        """Return the actions after which the objects are as the source has them."""
        return frozenset(
            [self.pending[identity] for identity in identities if identity in self.pending]
        )

    def find_user_of(self, identity: Identity) -> Item | None:
        """Return the item that an object is for, or else one that refers to it, unless that item is
        to be deleted.
        """
        for item in (self.claimed.get(identity), self.needed.get(identity)):
            if item is not None and not item.is_absent:
                return item
        return None

    def mark_for_deletion(self, kind: Kind, item: Item | None, current: PanelObject) -> None:
        """Note an object that is to be deleted. item: what asks for it; None for a purge.

        One of a kind of which the last must stay also leaves the list of the source.
        """
        refuse_without_id(self.source, kind, current)
        self.marked[get_identity_of(kind, current)] = MarkedObject(item, current)
        if kind.rules.keep_last is not None:
            # So that the next one is the last one, and a purge counts those that stay.
            self.source.get_objects(kind).remove(current["id"])

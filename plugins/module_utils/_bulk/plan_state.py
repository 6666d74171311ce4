# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of a plan for many objects while it is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .._errors import PanelError
from .._http.failures import make_unexpected_answer
from .._items.desired_items import Item
from .._items.omissions import Omission
from .._problems import OtherItem, Problem
from .._schema.kind import Kind
from .._sources.checked_answers import PanelObject
from .._sources.snapshot_source import SnapshotSource
from .actions import Action, ObjectName
from .object_names import name_object

Identity = tuple[str, Any]
"""The path of a kind, and the id of an object."""


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


def get_identity_of(kind: Kind, actual: Mapping[str, Any]) -> Identity:
    """Return by what the state knows an object of the panel."""
    return kind.path, actual.get("id")


@dataclass
class PlanState:
    """What is known of a plan while it is made. Only its own methods change it.

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

    def warn(self, item: Item, warning: str) -> None:
        """Add a warning about an item."""
        self.warnings.append(Problem("Warning", cause=warning, item=item.name))

    def add_warnings(self, warnings: Iterable[str | Problem]) -> None:
        """Add warnings that are about no single item."""
        self.warnings += warnings

    def add_mistakes(self, mistakes: Iterable[Problem]) -> None:
        """Add what is wrong with the items."""
        self.mistakes += mistakes

    def add_unchanged(self, unchanged: Unchanged) -> None:
        """Add an object that is as it is desired."""
        self.unchanged.append(unchanged)

    def leave_out(self, item: Item, result: Mapping[str, Any]) -> None:
        """Add an object that cannot be created, with its result."""
        self.left_out[item.plural, item.key] = {"kind": item.plural, "key": item.key, **result}

    def note_spared(self, omissions: Iterable[Omission]) -> None:
        """Add objects that stay, since no item could be for them."""
        self.spared += omissions

    def add_actions(self, actions: Iterable[Action]) -> None:
        """Add actions after which no other item looks for their objects."""
        self.actions += actions

    def add_change(
        self, item: Item, action: Action, identity: Identity, released: Iterable[Identity]
    ) -> None:
        """Add the action that makes an object what later items find.

        Args:
            item: The item that the object is for.
            action: What is done with it.
            identity: The identity of the object.
            released: The objects that it refers to before the action.
        """
        self.actions.append(action)
        self.claimed[identity] = item
        self.pending[identity] = action.name
        for released_identity in released:
            self.released_by.setdefault(released_identity, set()).add(action.name)

    def claim(self, item: Item, identity: Identity) -> None:
        """Note that an item is for an object; raises SameObject where another item is."""
        first = self.claimed.setdefault(identity, item)
        if first is not item:
            raise SameObject(first)

    def require(self, identities: Iterable[Identity], item: Item) -> None:
        """Note that an item refers to objects."""
        for identity in identities:
            self.needed.setdefault(identity, item)

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
        """Note an object that is to be deleted. item: what asks for it; None for a purge."""
        if current.get("id") is None:
            raise make_unexpected_answer(
                kind.path, f"shows {name_object(self.source, kind, current)} without its id."
            )
        self.marked[get_identity_of(kind, current)] = MarkedObject(item, current)
        if kind.rules.keep_last is not None:
            # So that the next one is the last one.
            self.source.get_objects(kind).remove(current["id"])

# SPDX-License-Identifier: GPL-3.0-or-later
"""The actions of a plan for many objects, and their order. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from .._items.desired_items import Item
from .._kinds.registry import KINDS, USED_BY_OTHERS
from .._kinds.tables import DOMAIN
from .._plan.object_plan import DELETE, UPDATE, ObjectPlan
from .._sources.kind_objects import is_planned

if TYPE_CHECKING:
    from .._dns.located_zone import LocatedZone
    from .._dns.zone_change import ZonePlan

ObjectName = tuple[str, str]
"""Plural kind, and natural key."""
ORDER = {plural: position for position, plural in enumerate(KINDS)}


class Cascaded(NamedTuple):
    """An object that is deleted with another one. plural: of its kind."""

    plural: str
    key: str
    identifier: Any


class Deletion(NamedTuple):
    """A deletion with everything that it takes, the object itself first."""

    cascade: tuple[Cascaded, ...]

    @property
    def cascaded(self) -> tuple[Cascaded, ...]:
        """Return what the deletion takes beside the object itself."""
        _itself, *cascaded = self.cascade
        return tuple(cascaded)


class ZoneChange(NamedTuple):
    """A change of one zone.

    located: The zone as it was read, and what is desired of it.
    plan: The change.
    """

    located: LocatedZone
    plan: ZonePlan


Change = Union[ObjectPlan, ZoneChange, Deletion]


@dataclass(frozen=True, eq=False)
class Action:
    """What is done with one object.

    plural: That of its kind.
    key: Its natural key.
    change: What is done with it.
    displayed: What a plan shows of it beside kind, key, id and action.
    item: What asked for it; None for a purge.
    identifier: Its id, of a zone its domain's. A planned id stands for that of an object which is
        still to be made.
    needs: The actions that have to succeed before this one makes sense.
    """

    plural: str
    key: str
    change: Change
    displayed: Mapping[str, Any]
    item: Item | None = None
    identifier: int | None = None
    needs: frozenset[ObjectName] = frozenset()

    @property
    def name(self) -> ObjectName:
        """Return what other actions know it by."""
        return (self.plural, self.key)

    @property
    def label(self) -> str:
        """Return the object in the words of a message."""
        return f"{KINDS[self.plural].title} {self.key}"

    @property
    def id(self) -> int | None:
        """Return the id of the object; None where it is still to be made."""
        return None if is_planned(self.identifier) else self.identifier

    @property
    def action(self) -> str:
        """Return what is done, as a plan shows it."""
        if isinstance(self.change, ObjectPlan):
            return self.change.action
        return DELETE if isinstance(self.change, Deletion) else UPDATE

    @property
    def sets_password(self) -> bool:
        """Tell whether the object gets a password."""
        return isinstance(self.change, ObjectPlan) and self.change.sets_password

    @property
    def generates_password(self) -> bool:
        """Tell whether the panel makes the password that the object gets."""
        return isinstance(self.change, ObjectPlan) and self.change.generates_password

    @property
    def cascade(self) -> tuple[Cascaded, ...]:
        """Return what a deletion takes, the object itself first; nothing for other actions."""
        return self.change.cascade if isinstance(self.change, Deletion) else ()

    @property
    def cascaded(self) -> tuple[Cascaded, ...]:
        """Return what a deletion takes beside the object itself; nothing for other actions."""
        return self.change.cascaded if isinstance(self.change, Deletion) else ()


def group_in_waves(actions: Sequence[Action]) -> list[list[Action]]:
    """Return the actions in the groups in which they may be done at once.

    Deletions come first and in reverse, so that names and limits are free again, and last where
    others may use the object until then. A domain comes after the one that it is in, and is deleted
    before it. New names, and what the panel keeps the last of, may count on others of their kind,
    and come one by one, as they were planned.
    """
    renamed = {
        action.plural
        for action in actions
        if action.item is not None and action.item.desired.new_name is not None
    }

    waves: dict[tuple[int, ...], list[Action]] = {}
    for number, action in enumerate(actions):
        turn = _rank_deletion(action)
        if action.action != DELETE:
            is_one_by_one = (
                action.plural in renamed or KINDS[action.plural].rules.keep_last is not None
            )
            turn = (
                1,
                ORDER[action.plural],
                _measure_depth_of(action),
                number if is_one_by_one else 0,
            )
        waves.setdefault(turn, []).append(action)
    return [waves[turn] for turn in sorted(waves)]


def _rank_deletion(action: Action) -> tuple[int, ...]:
    """Return what sorts the deletions among the waves."""
    is_late = action.plural in USED_BY_OTHERS
    return 2 if is_late else 0, -ORDER[action.plural], -_measure_depth_of(action), 0


def _measure_depth_of(action: Action) -> int:
    """Return how deep a domain is; 0 for all other kinds."""
    return action.key.count(".") if action.plural == DOMAIN.plural else 0

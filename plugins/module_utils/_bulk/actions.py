# SPDX-License-Identifier: GPL-3.0-or-later
"""The actions of a plan for many objects: their order, and how a result shows them. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from .._items.wanted_items import Item
from .._kinds.registry import KINDS, USED_BY_OTHERS
from .._kinds.tables import DOMAIN
from .._plan.object_plan import CREATE, DELETE, UPDATE, ObjectPlan
from .._sources.kind_objects import is_planned
from .encrypted_values import EncryptedValues

if TYPE_CHECKING:
    from .._dns.located_zone import LocatedZone

ObjectName = tuple[str, str]
"""Plural kind, and natural key."""
_ROUNDS = 600_000
"""How often a checksum is digested that covers texts which are shown in part: no one guesses a
password from it.
"""
ORDER = {plural: position for position, plural in enumerate(KINDS)}


class Cascaded(NamedTuple):
    """An object that is deleted with another one. kind: plural."""

    kind: str
    key: str
    identifier: Any


class Deletion(NamedTuple):
    """A deletion with everything that it takes, the object itself first."""

    cascade: tuple[Cascaded, ...]


@dataclass(frozen=True)
class ZoneChange:
    """A change of one zone, as it was read and is wanted."""

    located: LocatedZone


Change = Union[ObjectPlan, ZoneChange, Deletion]


@dataclass(frozen=True, eq=False)
class Action:
    """What is done with one object.

    kind: Its plural kind.
    key: Its natural key.
    change: What is done with it.
    displayed: What a plan shows of it beside kind, key, id and action.
    item: What asked for it; None for a purge.
    identifier: Its id, of a zone its domain's. A planned id stands for that of an object which is
        still to be made.
    needs: The actions that have to succeed before this one makes sense.
    """

    kind: str
    key: str
    change: Change
    displayed: Mapping[str, Any]
    item: Item | None = None
    identifier: int | None = None
    needs: frozenset[ObjectName] = frozenset()

    @property
    def name(self) -> ObjectName:
        """Return what other actions know it by."""
        return (self.kind, self.key)

    @property
    def label(self) -> str:
        """Return the object in the words of a message."""
        return f"{KINDS[self.kind].title} {self.key}"

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
    def cascade(self) -> tuple[Cascaded, ...]:
        """Return what a deletion takes, the object itself first; nothing for other actions."""
        return self.change.cascade if isinstance(self.change, Deletion) else ()


def displayed_plan(
    actions: Sequence[Action], unchanged: int, encrypted: EncryptedValues | None = None
) -> dict[str, Any]:
    """Return the plan of a result.

    Its checksum covers what is done with which object, in which order, and the ids of what it
    counts on; also what is written behind a mask, except the values of secret options.

    Args:
        actions: What is done, in this order.
        unchanged: How many objects are right already.
        encrypted: What the files of the task have encrypted, which the plan still shows.
    """
    # Whoever approves a plan approves the objects with these ids, and not others which have their
    # names by now.
    displayed = []
    covered = []
    masked_texts: list[Any] = []
    for action in actions:
        head = {"kind": action.kind, "key": action.key, "id": action.id, "action": action.action}
        displayed.append({**head, **action.displayed})
        dependencies = action.change.dependencies if isinstance(action.change, ObjectPlan) else None
        covered.append((displayed[-1], dependencies))
        if isinstance(action.change, ObjectPlan):
            masked_texts += [(action.name, *text) for text in action.change.partly_masked_texts]
    summary = {
        name: sum(action.action == name for action in actions) for name in (CREATE, UPDATE, DELETE)
    }
    plan = {"summary": {**summary, "unchanged": unchanged}, "actions": displayed}
    if encrypted is not None and encrypted.mask_plan(plan) != plan:
        masked_texts.append(covered)
    return {**plan, "checksum": _checksum(covered, masked_texts)}


def _checksum(covered: Sequence[Any], masked_texts: Sequence[Any]) -> str:
    """Return the checksum of what a plan shows and of the texts that it shows in part."""
    checksum = hashlib.sha256(_canonical(covered))
    if masked_texts:
        # Checksums are in logs, and such a text may hold a short password, which a fast digest
        # would tell.
        return hashlib.pbkdf2_hmac(
            "sha256", _canonical(masked_texts), checksum.digest(), _ROUNDS
        ).hex()
    return checksum.hexdigest()


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str).encode()


def in_waves(actions: Sequence[Action]) -> list[list[Action]]:
    """Return the actions in the groups in which they may be done at once.

    Deletions come first and in reverse, so that names and limits are free again, and last where
    others may use the object until then. A domain comes after the one that it is in, and is deleted
    before it. New names, and what the panel keeps the last of, may count on others of their kind,
    and come one by one, as they were planned.
    """
    waves: dict[tuple[int, ...], list[Action]] = {}
    renamed = {
        action.kind
        for action in actions
        if action.item is not None and action.item.wanted.new_name is not None
    }
    for number, action in enumerate(actions):
        position = ORDER[action.kind]
        depth = action.key.count(".") if action.kind == DOMAIN.plural else 0
        is_one_by_one = action.kind in renamed or KINDS[action.kind].rules.keep_last is not None
        when = (1, position, depth, number if is_one_by_one else 0)
        if action.action == DELETE:
            is_late = action.kind in USED_BY_OTHERS
            when = (2 * is_late, -position, -depth, 0)
        waves.setdefault(when, []).append(action)
    return [waves[when] for when in sorted(waves)]

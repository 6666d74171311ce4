# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be done with the objects of a panel, in which order, and as the plan of a result. Pure. Private to the collection."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .._items.wanted_items import Item
from .._kinds.domain import DOMAIN
from .._kinds.registry import DNS, KINDS, USED_BY_OTHERS
from .._object.deciding import Decision
from .._object.objects import is_planned
from .._object.planning import CREATE, DELETE, UPDATE
from .._schema.difference import value_at

if TYPE_CHECKING:
    from .._dns.managing import ReadZone

Name = tuple[str, str]  # (plural kind, natural key)
_ORDER = {plural: place for place, plural in enumerate(KINDS)}


class Action(NamedTuple):
    """What is done with one object.

    kind: plural. key: the natural key. before, after: the managed fields, without secrets. item: what asked for it; None for a purge.
    identifier: the object's id, of a zone its domain's; None where it is still to be made. along: the keys and ids of what goes with it, by kind.
    zone: of an action on a zone, as it was read and is wanted. entries: its record sets that change.
    needs: the actions that have to succeed before this one makes sense. client: the name of the client whose object it is, as far as it is known.
    decision: what is written. planned: the id by which others refer to the object, of a zone to its domain, until it is there.
    """

    kind: str
    key: str
    action: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    item: Item | None = None
    identifier: int | None = None
    along: Mapping[str, Sequence[tuple[str, Any]]] = {}
    zone: ReadZone | None = None
    needs: frozenset[Name] = frozenset()
    client: str = ""
    entries: Sequence[Mapping[str, Any]] = ()
    decision: Decision | None = None
    planned: int | None = None

    @property
    def name(self) -> Name:
        return (self.kind, self.key)

    def shown(self) -> dict[str, Any]:
        """As the plan of a result has it."""
        shown: dict[str, Any] = {
            "kind": self.kind,
            "key": self.key,
            # Whoever approves a plan approves these objects, and not others which have their names by now.
            "id": self.identifier,
            "client": self.client or None,
            "action": self.action,
            "before": dict(self.before),
            "after": dict(self.after),
        }
        if self.kind == DNS:
            shown["entries"] = [dict(entry) for entry in self.entries]
        if self.along:
            along = {kind: sorted(pairs, key=str) for kind, pairs in self.along.items()}
            shown["also_deleted"] = {kind: [key for key, _id in pairs] for kind, pairs in along.items()}
            shown["also_deleted_ids"] = {
                kind: [identifier for _key, identifier in pairs] for kind, pairs in along.items()
            }
        return shown

    def referred_to(self) -> list[Any]:
        """The ids that it writes of other objects, in place of which others may have their names by now; None for new ones."""
        if self.decision is None:
            return []
        kind, body = self.decision.kind, self.decision.plan.body
        paths = [(row.name,) for row in kind.key if row.refers_to] + [
            path for path, row in kind.leaves() if row.refers_to
        ]
        return [None if is_planned(one) else one for one in (value_at(body, path) for path in paths)]


def shown_plan(actions: Sequence[Action], unchanged: int) -> dict[str, Any]:
    """The plan of a result. The checksum covers what is done with which object, and in which order."""
    shown = [action.shown() for action in actions]
    counts = {name: sum(1 for action in actions if action.action == name) for name in (CREATE, UPDATE, DELETE)}
    covered = [{**one, "refers_to": action.referred_to()} for one, action in zip(shown, actions)]
    return {"summary": {**counts, "unchanged": unchanged}, "actions": shown, "checksum": checksum(covered)}


def checksum(actions: Sequence[Mapping[str, Any]]) -> str:
    """The same for the same actions, on every machine."""
    text = json.dumps(actions, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def in_waves(actions: Iterable[Action]) -> list[list[Action]]:
    """The actions in the groups in which they may be done at once.

    Deletions come first and in reverse, so that names and limits are free again, and last where others may use the object until then. A domain
    comes after the one that it is in, and is deleted before it.
    """
    waves: dict[tuple[int, ...], list[Action]] = {}
    for action in actions:
        place, depth = _ORDER[action.kind], action.key.count(".") if action.kind == DOMAIN.plural else 0
        is_late = action.kind in USED_BY_OTHERS
        when = (2 * is_late, -place, -depth) if action.action == DELETE else (1, place, depth)
        waves.setdefault(when, []).append(action)
    return [turn for when in sorted(waves) for turn in _in_turn(waves[when])]


def _in_turn(wave: list[Action]) -> Iterable[list[Action]]:
    """The actions one by one, where one may count on another of the same kind; they were planned in this order."""
    if wave[0].action == DELETE:
        return [wave]
    is_renaming = any(action.item is not None and action.item.wanted.new_name is not None for action in wave)
    # Whether one may cease to be what the panel keeps the last of depends on the others.
    counts = KINDS[wave[0].kind].keep_last is not None
    return [[action] for action in wave] if is_renaming or counts else [wave]

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be done with the objects of a panel, and in which order. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .._items.wanted_items import Item
from .._kinds.registry import DNS, KINDS, TABLES, USED_BY_OTHERS
from .._object.deciding import Decision
from .._object.objects import is_planned
from .._object.planning import DELETE
from .._schema.difference import value_at

if TYPE_CHECKING:
    from .._dns.managing import ReadZone

Name = tuple[str, str]  # (plural kind, natural key)
_ORDER = tuple(KINDS)


class Action(NamedTuple):
    """What is done with one object.

    kind: plural. key: the natural key. before, after: the managed members, without secrets. item: what asked for it; None for a purge.
    identifier: the object's id, of a zone its domain's; None where it is still to be made. also_deleted: the keys of what goes with it, by kind.
    also_ids: the ids of these.
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
    also_deleted: Mapping[str, list[str]] = {}
    also_ids: Mapping[str, list[Any]] = {}
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
        if self.also_deleted:
            along = {kind: sorted(zip(keys, self.also_ids[kind]), key=str) for kind, keys in self.also_deleted.items()}
            shown["also_deleted"] = {kind: [key for key, _identifier in pairs] for kind, pairs in along.items()}
            shown["also_deleted_ids"] = {
                kind: [identifier for _key, identifier in pairs] for kind, pairs in along.items()
            }
        return shown

    def referred_to(self) -> list[Any]:
        """The ids that it writes of other objects, in place of which others may have their names by now; None for new ones."""
        if self.decision is None:
            return []
        kind, body = self.decision.kind, self.decision.plan.body
        rows = [
            *((row.name,) for row in kind.key if row.refers_to),
            *(path for path, row in kind.leaves() if row.refers_to),
        ]
        return [None if is_planned(one) else one for one in (value_at(body, path) for path in rows)]


def in_waves(actions: Iterable[Action]) -> list[list[Action]]:
    """The actions in the groups in which they may be done at once.

    Deletions come first and in reverse, so that names and limits are free again; domains come after the ones that they are in. Where names
    are exchanged, the order of the items counts.
    """
    deletions: dict[str, list[Action]] = {}
    changes: dict[tuple[int, int], list[Action]] = {}
    for action in actions:
        if action.action == DELETE:
            deletions.setdefault(action.kind, []).append(action)
        else:
            changes.setdefault((_ORDER.index(action.kind), _step(action)), []).append(action)
    early = [kind for kind in reversed(TABLES) if kind not in USED_BY_OTHERS]
    late = [kind for kind in reversed(TABLES) if kind in USED_BY_OTHERS]
    return [
        *_deletion_waves(early, deletions),
        *(wave for place in sorted(changes) for wave in _in_turn(changes[place])),
        *_deletion_waves(late, deletions),
    ]


def _step(action: Action) -> int:
    """When an action is done among those of its kind."""
    return action.key.count(".") if action.kind == "domains" else 0


def _in_turn(wave: list[Action]) -> Iterable[list[Action]]:
    """The actions one by one, where one may count on another of the same kind; they were planned in this order."""
    is_renaming = any(action.item is not None and action.item.wanted.new_name is not None for action in wave)
    # Whether one may cease to be what the panel keeps the last of depends on the others.
    counts = KINDS[wave[0].kind].keep_last is not None
    return [[action] for action in wave] if is_renaming or counts else [wave]


def _deletion_waves(kinds: Iterable[str], deletions: Mapping[str, list[Action]]) -> Iterable[list[Action]]:
    for kind in kinds:
        wave = deletions.get(kind, [])
        if kind != "domains":
            if wave:
                yield wave
            continue
        depths = sorted({action.key.count(".") for action in wave}, reverse=True)
        yield from ([action for action in wave if action.key.count(".") == depth] for depth in depths)

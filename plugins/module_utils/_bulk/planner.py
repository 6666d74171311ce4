# SPDX-License-Identifier: GPL-3.0-or-later
"""From the wanted objects of a whole panel to the actions, their order, and the plan of a result. Each object is decided by the code of its
single module, and put into the stores as it will be, so that later objects can refer to it; what goes is only noted. Writes nothing.

Private to the collection.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from .._errors import OptionError, PanelError, UnknownReference, without_ending
from .._items.wanted_items import Item
from .._kinds.client import CLIENT
from .._kinds.domain import DOMAIN
from .._kinds.registry import BY_PATH, DNS, KINDS, TABLES, USED_BY_OTHERS
from .._object.deciding import CREATE, DELETE, NONE, UPDATE, Decision
from .._object.objects import Object, Panel, is_planned, owner_in
from .._schema.fields import Path, value_at
from .._schema.kind import Kind
from .._values.names import DomainName
from .._values.value_types import contains

if TYPE_CHECKING:
    from .._dns.managing import ReadZone

Name = tuple[str, str]  # (plural kind, natural key)
Place = tuple[str, Any]  # path of the kind, and id
_ORDER = {plural: place for place, plural in enumerate(KINDS)}
_MISSING = re.compile(r"there is no (.+?) on this panel\.")


class Action(NamedTuple):
    """What is done with one object.

    kind: plural. key: the natural key. before, after: the managed fields, without secrets. item: what asked for it; None for a purge.
    identifier: the object's id, of a zone its domain's; one that is planned stands for that of what is still to be made. client: the name of
    the client whose object it is, as far as it is known. needs: the actions that have to succeed before this one makes sense. decision: what
    is written. along: the keys and ids of what goes with it, by kind. zone: of an action on a zone, as it was read and is wanted, with its
    entries, the record sets that change.
    """

    kind: str
    key: str
    action: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    item: Item | None = None
    identifier: int | None = None
    client: str = ""
    needs: frozenset[Name] = frozenset()
    decision: Decision | None = None
    along: Mapping[str, Sequence[tuple[str, Any]]] = {}
    zone: ReadZone | None = None
    entries: Sequence[Mapping[str, Any]] = ()

    @property
    def name(self) -> Name:
        return (self.kind, self.key)

    @property
    def id(self) -> int | None:
        return None if is_planned(self.identifier) else self.identifier

    def shown(self) -> dict[str, Any]:
        # Whoever approves a plan approves the objects with these ids, and not others which have their names by now.
        shown: dict[str, Any] = {
            "kind": self.kind,
            "key": self.key,
            "id": self.id,
            "client": self.client or None,
            "action": self.action,
            "before": dict(self.before),
            "after": dict(self.after),
        }
        if self.kind == DNS:
            shown["entries"] = [dict(entry) for entry in self.entries]
        if self.along:
            along = {kind: sorted(pairs, key=str) for kind, pairs in self.along.items()}
            for number, name in enumerate(("also_deleted", "also_deleted_ids")):
                shown[name] = {kind: [pair[number] for pair in pairs] for kind, pairs in along.items()}
        return shown

    def referred_to(self) -> list[Any]:
        """The ids that it writes of other objects, in place of which others may have their names by now; None for new ones."""
        if self.decision is None:
            return []
        kind, body = self.decision.kind, self.decision.plan.body
        rows = [*(((row.name,), row) for row in kind.key), *kind.leaves()]
        ids = [value_at(body, path) for path, row in rows if row.collection]
        return [None if is_planned(one) else one for one in ids]


def shown_plan(actions: Sequence[Action], unchanged: int) -> dict[str, Any]:
    """The plan of a result. The checksum covers what is done with which object, and in which order."""
    shown = [action.shown() for action in actions]
    counts = {name: sum(1 for action in actions if action.action == name) for name in (CREATE, UPDATE, DELETE)}
    covered = [{**one, "refers_to": action.referred_to()} for one, action in zip(shown, actions)]
    text = json.dumps(covered, sort_keys=True, separators=(",", ":"), default=str)
    checksum = hashlib.sha256(text.encode()).hexdigest()
    return {"summary": {**counts, "unchanged": unchanged}, "actions": shown, "checksum": checksum}


def in_waves(actions: Sequence[Action]) -> list[list[Action]]:
    """The actions in the groups in which they may be done at once.

    Deletions come first and in reverse, so that names and limits are free again, and last where others may use the object until then. A domain
    comes after the one that it is in, and is deleted before it. New names, and what the panel keeps the last of, may count on others of their
    kind, and come one by one, as they were planned.
    """
    waves: dict[tuple[int, ...], list[Action]] = {}
    renamed = {action.kind for action in actions if action.item is not None and action.item.wanted.new_name is not None}
    for number, action in enumerate(actions):
        place, depth = _ORDER[action.kind], action.key.count(".") if action.kind == DOMAIN.plural else 0
        is_late = action.kind in USED_BY_OTHERS
        in_turn = number if action.kind in renamed or KINDS[action.kind].keep_last is not None else 0
        when = (2 * is_late, -place, -depth) if action.action == DELETE else (1, place, depth, in_turn)
        waves.setdefault(when, []).append(action)
    return [waves[when] for when in sorted(waves)]


def place_of(kind: Kind, found: Mapping[str, Any]) -> Place:
    return kind.path, found.get("id")


def _only(matching: Sequence[Object]) -> Object | None:
    return matching[0] if len(matching) == 1 and matching[0].get("id") is not None else None


class Planner:
    """Plans all items of a run. zones: by the place of their item, or why they cannot be read. is_deleting: whether objects may go.

    actions: in no order. unchanged: kinds, keys and ids of the objects that are right already. left_out: objects that cannot be created since
    a secret is not given, each with its result. mistakes: what is wrong with the items. going: what items let go. claimed, needed: objects
    that an item is about, and that one refers to. left: by object, changes of what refers to it by now. before: what is there before the run,
    by plural kind, where objects may go.
    """

    def __init__(self, panel: Panel, zones: Mapping[str, ReadZone | PanelError], is_deleting: bool) -> None:
        self.panel, self._zones = panel, zones
        stores = {plural: panel.store(kind) for plural, kind in TABLES.items()} if is_deleting else {}
        self.before = {plural: store.known() for plural, store in stores.items() if store.is_read()}
        self.actions: list[Action] = []
        self.unchanged: list[tuple[str, str, Any]] = []
        self.left_out: dict[Name, dict[str, Any]] = {}
        self.warnings: list[str] = []
        self.mistakes: list[str] = []
        self.going: dict[Place, tuple[Item | None, Object]] = {}
        self.claimed: dict[Place, Item] = {}
        self.needed: dict[Place, Item] = {}
        self.left: dict[Place, set[Name]] = {}
        self._pending: dict[Place, Name] = {}  # by object: the action after which it is as it is in the stores

    def plan(self, items: Mapping[str, list[Item]]) -> None:
        """Decides about these items, which are in the order of dependency."""
        absent = [item for plural in reversed(KINDS) for item in items.get(plural, ()) if item.is_absent]
        present = [item for plural in KINDS for item in items.get(plural, ()) if not item.is_absent]
        mistaken: set[str] = set()
        for item in (*absent, *present):
            try:
                if item.zone is not None:
                    self._decide_zone(item)
                elif not self._is_right(item):
                    self._decide(item)
            except PanelError as error:  # noqa: PERF203
                place, sentence = item.redacted([item.place, without_ending(error.message)])
                missing = _MISSING.search(sentence) if isinstance(error, UnknownReference) else None
                # What is missing for the mistake of another item is named there.
                if missing is None or missing[1] not in mistaken:
                    self.mistakes.append(f"{place} {sentence}")
                mistaken.add(f"{KINDS[item.kind].title} {item.key}")

    # Objects

    def _is_right(self, item: Item) -> bool:
        """Whether the panel shows letter by letter what an item wants, as it mostly does; what does not is compared with care."""
        kind, wanted, password = TABLES[item.kind], item.wanted, item.wanted.password
        is_odd = wanted.id is not None or wanted.new_name is not None or wanted.extra or self.left_out
        if is_odd or item.is_absent or password.always or password.regenerate or password.password_hash is not None:
            return False
        ids: dict[Path, int] = {}
        for one in wanted.references:
            store = self.panel.of(one.row.collection)
            target = _only(() if one.name is None else store.having({store.kind.name_member: one.name}))
            if one.reapply or (target is None and one.id != 0):
                return False
            ids[one.path] = 0 if target is None else target["id"]
        key = {**wanted.key, **{path[0]: one for path, one in ids.items()}}
        current, flags = _only(self.panel.store(kind).having(key)), kind.flags_of_creation
        if current is None or any(value_at(current, path) != one for path, one in ids.items()):
            return False
        if not contains(
            current, {name: one for name, one in wanted.values.items() if name in current or name not in flags}
        ):
            return False
        self._claim(item, current)
        for one in wanted.references:
            if ids[one.path]:
                self.needed.setdefault((one.row.collection, ids[one.path]), item)
        self.unchanged.append((item.kind, self._key(item, current), current["id"]))
        return True

    def _decide(self, item: Item) -> None:
        kind, item = TABLES[item.kind], self._without_left_out(item)
        try:
            decision = Decision(self.panel, kind, item.wanted, observed=partial(self._claim, item))
        except OptionError as error:
            # An option, dotted inside of a group, that holds a secret, or a group that cannot be given without one.
            path = tuple(error.option.split("."))
            secrets = [place for place, row in kind.leaves() if row.secret and row.required]
            if item.is_absent or all(place[: len(path)] != path for place in secrets):
                raise
            # An export has no secrets, nor what the panel shows incompletely; a rebuild goes on without the objects that need it, and says so.
            told = {"id": None, "result": "skipped", "msg": f"{error.option}: not given, and needed to create it."}
            self.left_out[item.kind, item.key] = {"kind": item.kind, "key": item.key, **told}
            problem = f"it is not on this panel and cannot be created without {error.option}, so it is left out."
            self.warnings.append(f"{item.place}: {problem} Add that, and run again.")
            return
        plan, current = decision.plan, decision.current
        self.warnings += [f"{item.place}: {warning}" for warning in decision.warnings]
        if not item.is_absent:
            for place in decision.counts_on:
                self.needed.setdefault(place, item)
        if plan.action == DELETE:
            self.let_go(kind, item, current or {})
        elif plan.action == NONE:
            self.unchanged.append((item.kind, self._key(item, current), decision.id))
        else:
            self._add(item, decision)

    def _claim(self, item: Item, current: Object | None) -> None:
        if current is not None:
            first = self.claimed.setdefault(place_of(TABLES[item.kind], current), item)
            if first is not item:
                raise PanelError(f"names the same object as {first.place}.")

    def _add(self, item: Item, decision: Decision) -> None:
        kind, plan, current = decision.kind, decision.plan, decision.current
        name = item.kind, self._key(item, current or plan.body)
        client = self.client_of(kind, {**(current or {}), **plan.body})
        places, store = set(decision.counts_on), self.panel.store(kind)
        if kind.keep_last is not None and plan.body.get(kind.keep_last) is False:
            # The actions that make others what the panel may not lose the last one of.
            places |= {place_of(kind, one) for one in store.known() if one.get(kind.keep_last)}
        needs = frozenset(self._pending[place] for place in places if place in self._pending) - {name}
        outcome = {**(plan.outcome or {}), "id": self.panel.planned_id() if plan.action == CREATE else decision.id}
        store.put(outcome)
        place = place_of(kind, outcome)
        self.claimed[place], self._pending[place] = item, name
        for path, row in kind.leaves():
            shown = value_at(current, path) if row.collection else None
            if shown:
                self.left.setdefault((row.collection, shown), set()).add(name)
        action = Action(*name, plan.action, plan.before, plan.after, item, outcome["id"], client, needs, decision)
        self.actions.append(action)

    def _without_left_out(self, item: Item) -> Item:
        references = item.wanted.references
        lost = [one for one in references if (BY_PATH[one.row.collection].plural, one.name) in self.left_out]
        if not lost:
            return item
        options = ", ".join(one.option for one in lost)
        self.warnings.append(f"{item.place}: {options} is not set, since that object is left out.")
        kept = tuple(one for one in references if one not in lost)
        return replace(item, wanted=item.wanted._replace(references=kept))

    def let_go(self, kind: Kind, item: Item | None, current: Object) -> None:
        """Notes an object that goes. item: None for a purge."""
        self.going[place_of(kind, current)] = item, current
        if kind.keep_last is not None:
            # So that the next one is the last one.
            self.panel.store(kind).remove(current["id"])

    # Zones

    def _decide_zone(self, item: Item) -> None:
        read = self._zones[item.place]
        if isinstance(read, PanelError):
            raise read
        from .._dns.planning import plan_zone  # noqa: PLC0415 - it is there, since a zone was read

        wanted, store = read.wanted, self.panel.store(DOMAIN)
        domain = wanted.domain or item.key
        first = self.claimed.setdefault((DNS, DomainName().comparable(domain)), item)
        if first is not item:
            # Both would write the whole zone, and the last one would take back what the other one did.
            raise PanelError(f"names the same zone as {first.place}.")
        plan = plan_zone(read.zone, wanted)
        self.warnings += [f"{item.place}: {warning}" for warning in wanted.warnings]
        # Which records a new zone begins with is not known, so what shall not be there is looked for when there is one.
        is_change = plan.is_change or (read.zone is None and (wanted.purge or wanted.state == "absent"))
        is_needed = is_change or read.zone is None or store.is_read() or self.before
        found = (store.by_key({"domain": domain}) if is_needed else None) or {}
        place = place_of(DOMAIN, found)
        if found:
            self.needed.setdefault(place, item)
        if not is_change:
            self.unchanged.append((DNS, domain, None if is_planned(place[1]) else place[1]))
            return
        # Its entries say which records change.
        old, new = ({one: side[one] for one in side if one != "records"} for side in (plan.before, plan.after))
        needs = frozenset([self._pending[place]] if place in self._pending else [])
        client = self.client_of(DOMAIN, found) or wanted.client or ""
        action = Action(DNS, domain, UPDATE, old, new, item, place[1], client, needs, zone=read, entries=plan.entries)
        self.actions.append(action)

    # Names

    def _key(self, item: Item, found: Mapping[str, Any] | None) -> str:
        """The natural key; an item may name its object, or the owner of it, by id."""
        kind, wanted = TABLES[item.kind], item.wanted
        is_named = wanted.id is None and all(one.name is not None for one in wanted.references if one.row in kind.key)
        return item.key if is_named or found is None else self.name_of(kind, found)

    def name_of(self, kind: Kind, found: Mapping[str, Any]) -> str:
        """The natural key of an object of the panel, its parts joined with a colon; owners by their names."""
        parts = []
        for row in kind.key:
            shown = found.get(row.name)
            if not row.collection:
                parts.append(str(row.type.written(shown)))
                continue
            owner = self.panel.of(row.collection).by_id(shown) if isinstance(shown, int) else None
            name = "" if owner is None else str(owner.get(BY_PATH[row.collection].name_member))
            parts.append(name or (f"id {shown}" if shown else ""))
        return ":".join(parts)

    def client_of(self, kind: Kind, found: Mapping[str, Any]) -> str:
        """The name of the client whose object it is; empty where it is nobody's, or the panel does not say whose."""
        if kind is CLIENT:
            return str(found.get(CLIENT.name_member) or "")
        if kind.owner is None:
            return ""
        owner = owner_in(found)
        domain = kind.domain_of(found) if owner is None else None
        if domain is not None:
            owner = owner_in(self.panel.store(DOMAIN).by_key({DOMAIN.name_member: domain}, [kind.owner.name]) or {})
        if owner is None and found.get("id") is not None:
            owner = owner_in(self.panel.store(kind).whole(dict(found), [kind.owner.name]) or {})
        client = self.panel.store(CLIENT).by_id(owner) if owner else None
        return str((client or {}).get(CLIENT.name_member) or "")

# SPDX-License-Identifier: GPL-3.0-or-later
"""From the wanted objects of a whole panel to the actions, their order, and the plan of a result. Each object is decided by the code of its
single module, and put into the stores as it will be, so that later objects can refer to it; what goes is only noted. Writes nothing.

Private to the collection.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from .._errors import Conflict, OptionError, PanelError, Refused, UnexpectedAnswer, UnknownReference, without_ending
from .._http.answers import unexpected_answer
from .._items.wanted_items import Item
from .._kinds.registry import BY_PATH, DNS, IN_DOMAINS, KINDS, TABLES, USED_BY_OTHERS
from .._kinds.tables import CLIENT, DOMAIN, PARENT
from .._object.deciding import CREATE, DELETE, NONE, UPDATE, Decision
from .._object.objects import Object, Panel, Store, is_planned, needed_members, owner_in
from .._schema.fields import Path, value_at
from .._schema.kind import NO_PASSWORD, Kind
from .._secrets.redaction import Secrets
from .._task.operation import progress
from .._values.names import DomainName
from .._values.value_types import contains

if TYPE_CHECKING:
    from .._dns.managing import ReadZone

Items = Mapping[str, list[Item]]
Name = tuple[str, str]  # (plural kind, natural key)
Place = tuple[str, Any]  # path of the kind, and id
ORDER = {plural: place for place, plural in enumerate(KINDS)}
_MISSING = re.compile(r"there is no (.+?) on this panel\.")


class Action(NamedTuple):
    """What is done with one object.

    kind: plural. key: the natural key. shown: what a plan says of it beside that. item: what asked for it; None for a purge. identifier: the
    object's id, of a zone its domain's; one that is planned stands for that of what is still to be made. needs: the actions that have to
    succeed before this one makes sense. decision: what is written. zone: of an action on a zone, as it was read and is wanted. lost: kinds,
    keys and ids of what a deletion takes, itself first.
    """

    kind: str
    key: str
    action: str
    shown: Mapping[str, Any]
    item: Item | None = None
    identifier: int | None = None
    needs: frozenset[Name] = frozenset()
    decision: Decision | None = None
    zone: ReadZone | None = None
    lost: Sequence[tuple[str, str, Any]] = ()

    @property
    def name(self) -> Name:
        return (self.kind, self.key)

    @property
    def label(self) -> str:
        """Names the object in a message."""
        return f"{KINDS[self.kind].title} {self.key}"

    @property
    def id(self) -> int | None:
        return None if is_planned(self.identifier) else self.identifier


def shown_plan(actions: Sequence[Action], unchanged: int) -> dict[str, Any]:
    """The plan of a result. The checksum covers what is done with which object, in which order, and the ids of what it counts on."""
    # Whoever approves a plan approves the objects with these ids, and not others which have their names by now.
    shown = [{"kind": one.kind, "key": one.key, "id": one.id, "action": one.action, **one.shown} for one in actions]
    counts = {name: sum(1 for action in actions if action.action == name) for name in (CREATE, UPDATE, DELETE)}
    covered = [(one, action.decision and action.decision.counts_on) for one, action in zip(shown, actions)]
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
        place, depth = ORDER[action.kind], action.key.count(".") if action.kind == DOMAIN.plural else 0
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
    """Plans all items of a run. purge: kinds of which the unnamed objects go too. say: as of Task.

    deleting: the kinds of which objects may go. actions: in no order. unchanged: kinds, keys and ids of the objects that are right already.
    left_out: objects that cannot be created since a secret is not given, each with its result. mistakes: what is wrong with the items. going:
    what items let go. claimed, needed: objects that an item is about, and that one refers to. left: by object, changes of what refers to it
    by now.
    """

    def __init__(self, panel: Panel, items: Items, purge: Iterable[str], say: Callable[[str], None]) -> None:
        self.panel, self._items, self._say = panel, items, say
        self.deleting = {plural for plural, its in items.items() if any(item.is_absent for item in its)}.union(purge)
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

    def plan(self) -> None:
        """Reads what is certainly needed ahead, several requests at once, and decides about all items in the order of dependency."""
        self._read_lists()
        zones = self._read_zones()
        absent = [item for plural in reversed(KINDS) for item in self._items.get(plural, ()) if item.is_absent]
        present = [item for plural in KINDS for item in self._items.get(plural, ()) if not item.is_absent]
        mistaken: set[str] = set()
        for item in (*absent, *present):
            try:
                if item.zone is not None:
                    self._decide_zone(item, zones[item.place])
                elif not self._is_right(item):
                    self._decide(item)
            except PanelError as error:  # noqa: PERF203
                error.subject = ""  # the place names the object
                place, sentence = Secrets(item.secrets()).value([item.place, without_ending(error.message)])
                missing = _MISSING.search(sentence) if isinstance(error, UnknownReference) else None
                # What is missing for the mistake of another item is named there.
                if missing is None or missing[1] not in mistaken:
                    self.mistakes.append(f"{place} {sentence}")
                mistaken.add(f"{KINDS[item.kind].title} {item.key}")

    # Reading

    def _read_lists(self) -> None:
        """One list request a kind that is certainly needed, and one for each item of a list that leaves out what is looked at."""
        needed = {plural for plural, items in self._items.items() if items} | self.deleting
        references = (one for items in self._items.values() for item in items for one in item.wanted.references)
        needed |= {BY_PATH[one.row.collection].plural for one in references if one.name is not None or one.row.copies}
        if DOMAIN.plural in self.deleting:
            needed.update(IN_DOMAINS)
        if any(CLIENT.plural in self.deleting or item.wanted.id is not None for item in self._items.get(DNS, ())):
            needed.add(DOMAIN.plural)
        stores = [self.panel.store(kind) for plural, kind in TABLES.items() if plural in needed]
        self.at_once(Store.known, stores, "lists read")
        for store in stores:
            self.complete(store, self._looked_at(store))

    def complete(self, store: Store, needed: Iterable[tuple[Object, Set[str]]]) -> None:
        """Reads each object that lacks any of its members that are needed, since a panel may show a flag only where it is set."""
        short = [(one, members) for one, members in needed if not members <= one.keys()]
        self.at_once(lambda pair: store.whole(*pair), short)

    def _looked_at(self, store: Store) -> Iterator[tuple[Object, Set[str]]]:
        """The objects of a list, each with the members that are looked at."""
        kind, row = store.kind, store.kind.key[-1]
        # By id or name: what is looked at, each with what has to be hidden or null for it to count.
        sought: dict[Any, set[tuple[str, str]]] = {}
        for item in self._items.get(kind.plural, ()):
            if not item.is_absent:
                name = item.wanted.id or row.comparable(item.wanted.key.get(row.name))
                pairs = sought.setdefault(name, set())
                pairs.update((member, "") for member in needed_members(kind, item.wanted))
                # What an object got from another one tells which it is where its id is not shown.
                references = item.wanted.references
                pairs.update((member, one.row.name) for one in references for member in one.row.copies.values())
        # It tells what goes with an object that is deleted, or whether that is the last one.
        telling = PARENT if kind is DOMAIN else kind.keep_last
        always = {(telling, "")} if telling is not None and kind.plural in self.deleting else set()
        for one in store.known():
            pairs = {*always, *sought.get(one.get("id"), ()), *sought.get(row.comparable(one.get(row.name)), ())}
            yield one, {member for member, hidden in pairs if one.get(hidden) is None}

    def _read_zones(self) -> dict[str, ReadZone | PanelError]:
        """By the places of their items; in place of one that is not to be had, why not."""
        named = self._items.get(DNS, [])
        if not named:
            return {}
        from .._dns.managing import observed  # noqa: PLC0415 - most lists have no zones, and their room is large

        # The domains that the same task creates, whose zones cannot be read yet.
        wanted = [item.key for item in self._items.get(DOMAIN.plural, ()) if not item.is_absent]
        new = frozenset(key for key in wanted if not self.panel.store(DOMAIN).having({"domain": key}))

        def read(item: Item) -> ReadZone | PanelError:
            zone: Any = item.zone
            try:
                return observed(self.panel, zone, new)
            except (Conflict, OptionError, Refused, UnexpectedAnswer, UnknownReference) as error:
                # Of what else fails, the other zones would only be asked for in vain.
                return error

        return dict(zip([item.place for item in named], self.at_once(read, named, "zones read")))

    def at_once(self, read: Callable[[Any], Any], wanted: Sequence[Any], words: str = "objects read") -> list[Any]:
        """Reads the first alone, since a panel that does not accept the key shall be asked once, and then several at once."""
        has_failed = threading.Event()

        def read_one(one: Any) -> Any:
            if has_failed.is_set():
                return None
            try:
                return read(one)
            except BaseException:
                has_failed.set()
                raise

        first = [read_one(one) for one in wanted[:1]]
        with ThreadPoolExecutor(self.panel.client.limiter.most) as pool:
            found = chain(first, pool.map(read_one, wanted[1:]))
            return list(progress(found, words, len(wanted), self._say))

    # Objects

    def _is_right(self, item: Item) -> bool:
        """Whether the panel shows letter by letter what an item wants, as it mostly does; what does not is compared with care."""
        kind, wanted = TABLES[item.kind], item.wanted
        is_odd = wanted.id or wanted.new_name or wanted.extra or wanted.password[1:] != NO_PASSWORD[1:]
        if is_odd or item.is_absent or self.left_out:
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
        compared = {name: one for name, one in wanted.values.items() if name in current or name not in flags}
        if not contains(current, compared):
            return False
        self._claim(item, current)
        for one in wanted.references:
            if ids[one.path]:
                self.needed.setdefault((one.row.collection, ids[one.path]), item)
        self.unchanged.append((item.kind, self._key(item, current), current["id"]))
        return True

    def _decide(self, item: Item) -> None:
        kind, references = TABLES[item.kind], item.wanted.references
        lost = [one for one in references if (BY_PATH[one.row.collection].plural, one.name) in self.left_out]
        if lost:
            options = ", ".join(one.option for one in lost)
            self.warnings.append(f"{item.place}: {options} is not set, since that object is left out.")
            kept = tuple(one for one in references if one not in lost)
            item.wanted = item.wanted._replace(references=kept)
        try:
            decision = Decision(self.panel, kind, item.wanted, observed=partial(self._claim, item))
        except OptionError as error:
            # An option that holds a secret, or a group that cannot be given without one.
            secrets = [path for path, row in kind.leaves() if row.secret and row.required]
            if item.is_absent or not any(error.option in (path[0], ".".join(path)) for path in secrets):
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

    def _claim(self, item: Item, current: Mapping[str, Any] | None) -> None:
        if current is not None:
            first = self.claimed.setdefault(place_of(KINDS[item.kind], current), item)
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
        shown = {"client": client, "before": plan.before, "after": plan.after}
        self.actions.append(Action(*name, plan.action, shown, item, outcome["id"], needs, decision))

    def let_go(self, kind: Kind, item: Item | None, current: Object) -> None:
        """Notes an object that goes. item: None for a purge."""
        if current.get("id") is None:
            raise unexpected_answer(kind.path, f"shows {self.name_of(kind, current)} without its id.")
        self.going[place_of(kind, current)] = item, current
        if kind.keep_last is not None:
            # So that the next one is the last one.
            self.panel.store(kind).remove(current["id"])

    # Zones

    def _decide_zone(self, item: Item, read: ReadZone | PanelError) -> None:
        if isinstance(read, PanelError):
            raise read
        from .._dns.planning import plan_zone, protect_warnings  # noqa: PLC0415 - it is there, since a zone was read

        wanted, store = read.wanted, self.panel.store(DOMAIN)
        domain = wanted.domain or item.key
        # Two items would both write the whole zone, and the last one would take back what the other one did.
        self._claim(item, {"id": DomainName().comparable(domain)})
        plan = plan_zone(read.zone, wanted)
        warnings = [*wanted.warnings, *protect_warnings(read.zone, wanted)]
        self.warnings += [f"{item.place}: {warning}" for warning in warnings]
        # The panel decides which records a new zone has (docs/panel_api.md#default-zones), so those
        # that have to go are looked for when there is a zone.
        is_change = plan.is_change or (read.zone is None and (wanted.purge or wanted.state == "absent"))
        is_needed = is_change or read.zone is None or store.is_read()
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
        client = self.client_of(DOMAIN, found) or wanted.client
        shown = {"client": client, "before": old, "after": new, "entries": plan.entries}
        self.actions.append(Action(DNS, domain, UPDATE, shown, item, place[1], needs, zone=read))

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
            name = None if row.collection else row.type.written(shown)
            if row.collection and isinstance(shown, int):
                name = (self.panel.of(row.collection).by_id(shown) or {}).get(BY_PATH[row.collection].name_member)
            parts.append(str(name or (f"id {shown}" if shown else "")))
        return ":".join(parts)

    def client_of(self, kind: Kind, found: Mapping[str, Any]) -> str | None:
        """The name of the client whose object it is; None where it is nobody's, or the panel does not say whose."""
        if kind is CLIENT:
            return found.get(CLIENT.name_member)
        if kind.owner is None:
            return None
        owner = owner_in(found)
        domain = kind.domain_of(found) if owner is None else None
        if domain is not None:
            owner = owner_in(self.panel.store(DOMAIN).by_key({DOMAIN.name_member: domain}, [kind.owner.name]) or {})
        if owner is None and found.get("id") is not None:
            owner = owner_in(self.panel.store(kind).whole(dict(found), [kind.owner.name]) or {})
        client = self.panel.store(CLIENT).by_id(owner) if owner else None
        return (client or {}).get(CLIENT.name_member)

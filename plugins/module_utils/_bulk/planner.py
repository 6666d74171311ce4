# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the wanted objects and a snapshot to the actions. Sends nothing but reads that the snapshot lacks. Private to the collection.

Each object is planned by the code of its single module. What a plan creates or changes is imagined to be so already, so that later objects
can refer to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Callable

from .._errors import OptionError, PanelError, UnknownReference
from .._http.panel_client import PanelClient
from .._items.wanted_items import Item
from .._kinds.client import CLIENT
from .._kinds.domain import DOMAIN
from .._kinds.registry import BY_PATH, DNS, KINDS, TABLES
from .._object.managing import ObjectRun, Planned
from .._object.planning import Plan, deleted, merged
from .._object.preconditions import OWNER_NAME, owner_of
from .._schema.difference import value_at
from .._schema.fields import WantedReference
from .._schema.kind import OWNER, Kind, Wanted
from .._task.mistakes import mistake, without_ending
from .._values.names import DomainName
from .actions import CREATE, DELETE, UPDATE, Action, Name, gives_away, in_waves
from .cascades import Cascades
from .deletion_guards import Protection, Sparing
from .snapshot import NaturalNames, Snapshot, SnapshotPanel, Store

if TYPE_CHECKING:
    from .zones import ReadZone

Place = tuple[str, Any]  # (path of the kind, id)
Deletion = tuple[Action, dict[str, Any]]  # with the object that goes


@dataclass
class Decisions:
    """The actions in no order, the kinds, keys and ids of objects that are right already, warnings, and what is wrong with the items.

    left_out: objects that cannot be created since a secret is not given, each with the reason.
    """

    actions: list[Action] = field(default_factory=list)
    unchanged: list[tuple[str, str, Any]] = field(default_factory=list)
    left_out: dict[Name, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    mistakes: list[str] = field(default_factory=list)


class Planner:
    """Plans all items of a run. ``zones``: by the place of their item."""

    def __init__(
        self,
        connect: Callable[[], PanelClient],
        snapshot: Snapshot,
        zones: Mapping[str, ReadZone],
        purge: Iterable[str] = (),
        protect: Protection | None = None,
    ) -> None:
        self._connect = connect
        self._panel = SnapshotPanel(connect, snapshot.imagined())
        self._panel.completed = set()
        self._real = snapshot
        self._zones = zones
        self._purge = frozenset(purge)
        self._protect = protect or Protection({})
        self._names = NaturalNames(snapshot)
        self._sparing = Sparing(SnapshotPanel(connect, snapshot))
        self._cascades = Cascades(lambda plural: snapshot.store(TABLES[plural]).all())
        self._decisions = Decisions()
        self._deletions: list[Deletion] = []
        self._never_say_whose: list[Kind] = []
        self._mistaken: set[tuple[str, Any]] = set()  # kinds and keys of items that have a mistake
        self._claimed: dict[Place, Item] = {}  # objects that an item wants to be there
        self._unwanted: dict[Place, Item] = {}  # objects that an item wants to go
        self._needed: dict[Place, Item] = {}  # objects that an item refers to
        self._left: dict[tuple[str, str], set[Name]] = {}  # by path and id: changes of what refers to it by now
        self._pending: dict[int, Name] = {}  # by the identity of an imagined object: the action that makes it so

    def plan(self, items: Mapping[str, list[Item]]) -> Decisions:
        """The decisions about these items, which are in the order of dependency."""
        self._panel.reapplied = frozenset(
            item.key
            for item in items.get("clients", ())
            if any(reference.reapply for reference in item.wanted.references)
        )
        for kind in reversed(KINDS):
            for item in items.get(kind, ()):
                if item.is_absent:
                    self._collect(item)
        for kind in KINDS:
            for item in self._as_written(kind, [item for item in items.get(kind, ()) if not item.is_absent]):
                self._collect(item)
        gone = {(TABLES[action.kind].path, action.identifier) for action, _current in self._deletions}
        for plural in KINDS:
            if plural in self._purge:
                self._deletions += self._purged(TABLES[plural], gone)
        self._decisions.warnings += self._sparing.warnings()
        self._add_deletions()
        self._warn_of_protection(items)
        return self._decisions

    def _as_written(self, plural: str, items: list[Item]) -> list[Item]:
        """The items in the order in which names become free, which is that of the writes."""
        if not items or not any(taken.among for taken in KINDS[plural].takes):
            return items
        kind, store = TABLES[plural], self._real.store(TABLES[plural])
        currents = {item.index: self._current_of(store, item.wanted) for item in items}
        named = {found.get("id") for found in currents.values()}
        if plural in self._purge:
            # A purge deletes before anything is created, and so does not stand in the way.
            going = [found for found in store.all() if found.get("id") not in named and not self._stays(kind, found)]
            self._panel.going.update(_place(kind, found) for found in going)
        return sorted(items, key=lambda item: not gives_away(currents[item.index], item.wanted.values))

    def _current_of(self, store: Store, wanted: Wanted) -> Mapping[str, Any]:
        found = [store.by_id.get(wanted.id)] if wanted.id is not None else store.find(wanted.key)
        return found[0] or {} if found else {}

    def _warn_of_protection(self, items: Mapping[str, list[Item]]) -> None:
        """Warns of what is protected by a name that nothing has. Of a kind that was not read nothing is deleted."""
        for plural in (kind for kind in TABLES if self._real.is_listed(TABLES[kind])):
            shown = (self._names.of(TABLES[plural], found) for found in self._real.store(TABLES[plural]).all())
            named = (item.key for item in items.get(plural, ()))
            self._decisions.warnings += [
                f"protect.{plural}: {text} fits none of the {plural} on this panel, so it protects nothing. Look at its spelling."
                for text in self._protect.fitting_nothing(plural, chain(shown, named))
            ]

    def _collect(self, item: Item) -> None:
        """Decides about an item, and notes what is wrong with it."""
        try:
            if item.is_absent:
                self._decide_deletion(item)
            elif item.zone is not None:
                self._decide_zone(item)
            else:
                self._decide_change(item)
        except PanelError as error:
            is_told = isinstance(error, UnknownReference) and self._counts_on_a_mistaken(item)
            # Only now, since an item may count on itself.
            self._mistaken.add((item.kind, item.key))
            if is_told:
                return
            place, sentence = item.redacted([item.place, without_ending(error.message)])
            self._decisions.mistakes.append(mistake(place, sentence))

    def _counts_on_a_mistaken(self, item: Item) -> bool:
        """Whether what is missing is an item with a mistake of its own, which is told already."""
        if item.zone is not None:
            return ("domains", item.zone.domain) in self._mistaken
        wanted = item.wanted
        named = [(one.row.collection, one.name) for one in wanted.references]
        members = {**wanted.key, **wanted.values}
        named += [
            (need.collection, name)
            for need in TABLES[item.kind].needs
            if not need.may_lack
            for name in need.names(members)
        ]
        return any((BY_PATH[collection].plural, name) in self._mistaken for collection, name in named)

    # Deletions

    def _decide_deletion(self, item: Item) -> None:
        kind = TABLES[item.kind]
        planned = ObjectRun(kind, item.wanted, self._panel).plan()
        if planned.current is None:
            key = item.key if item.wanted.id is not None else self._key(item, kind, None)
            self._decisions.unchanged.append((item.kind, key, None))
            return
        current = dict(planned.current)
        first = self._unwanted.setdefault(_place(kind, current), item)
        if first is not item:
            raise PanelError(f"names the same object as {first.place}.")
        self._panel.going.add(_place(kind, current))
        if kind.keep_last is not None:
            # So that the next one is the last one.
            self._panel.snapshot.store(kind).remove(current["id"])
        self._deletions.append((self._deletion(kind, current, planned.plan.before, item), current))

    def _deletion(self, kind: Kind, current: Mapping[str, Any], before: Mapping[str, Any], item: Item | None) -> Action:
        key = self._names.of(kind, current)
        client = self._client_of(kind.plural, current)
        return Action(kind.plural, key, DELETE, before, {}, item, identifier=current.get("id"), client=client)

    def _client_of(self, plural: str, found: Mapping[str, Any]) -> str:
        """The name of the client whose object it is; empty where it is nobody's. found: as the panel has it, of a zone its domain."""
        if plural == CLIENT.plural:
            return str(found.get(CLIENT.name_member) or "")
        kind = TABLES.get(plural, DOMAIN)
        if kind.owner is None:
            return ""
        member, owner = owner_of(found) or self._hidden_owner_of(kind, found) or ("", "")
        if member == OWNER_NAME or not owner:
            return owner
        return str((self._real.store(CLIENT).with_id(owner) or {}).get(CLIENT.name_member) or "")

    def _hidden_owner_of(self, kind: Kind, found: Mapping[str, Any]) -> tuple[str, str] | None:
        """The same of an object of which the list does not say whose it is: that of its domain, or what the panel says of it on its own."""
        name = kind.domain_of and kind.domain_of(kind.comparable_key(found))
        owner = owner_of(self._panel.look_up(DOMAIN.path, name) or {}) if name else None
        if owner is None and found.get("id") is not None and kind not in self._never_say_whose:
            owner = owner_of(self._panel.whole(kind.path, found, frozenset([OWNER])) or {})
            # One that is asked for in vain is enough.
            self._never_say_whose += [kind] if owner is None else []
        return owner

    def _purged(self, kind: Kind, gone: set[Place]) -> list[Deletion]:
        """The deletions of the objects that no item names."""
        found = []
        for current in self._real.store(kind).all():
            place = _place(kind, current)
            if place in gone or place in self._claimed or self._stays(kind, current):
                continue
            if current.get("id") is None:
                self._decisions.mistakes.append(
                    f"purge: the panel shows no id of the {kind.title} {self._names.of(kind, current)}, so it cannot be deleted."
                )
                continue
            found.append((self._deletion(kind, current, deleted(kind, current), None), current))
        # By name, since objects that were read on their own come in any order, and the checksum of the plan counts on one.
        found.sort(key=lambda pair: (pair[0].key, str(pair[0].identifier)))
        # As they will be, so that one which loses what makes it the last one does not count; new ones are not there yet.
        return _all_but_the_last(kind, found, self._panel.snapshot.store(kind).by_id.values(), gone)

    def _stays(self, kind: Kind, current: Mapping[str, Any]) -> bool:
        """Whether a purge leaves an object that nobody named: protected ones, what the panel made by itself, and what no item could."""
        if current.get("is_system_domain") is True:
            return True
        if self._protect.covers(kind.plural, self._names.of(kind, current)):
            return True
        above = self._real.store(kind).with_id(current.get("id_parent_domain"))
        parent = self._claimed.get(_place(kind, above)) if above is not None else None
        if above is not None and parent is not None:
            name = DomainName().comparable
            is_www = name(current.get("domain")) == f"www.{name(above.get('domain'))}"
            if is_www and parent.wanted.values.get("create_www_subdomain") is True:
                return True
        return self._sparing.covers(kind, current)

    def _add_deletions(self) -> None:
        explicit = {(TABLES[action.kind].path, action.identifier) for action, _current in self._deletions}
        for action, current in self._deletions:
            also: dict[str, list[str]] = {}
            ids: dict[str, list[Any]] = {}
            along: list[Action] = []
            self._refuse_needed(action, action.kind, current, is_itself=True)
            for plural, taken in self._cascades.taken_along(action.kind, current):
                self._refuse_needed(action, plural, taken, is_itself=False)
                key, identifier = self._names.of(TABLES[plural], taken), taken.get("id")
                along.append(Action(plural, key, DELETE, {}, {}, identifier=identifier))
                if (TABLES[plural].path, identifier) not in explicit:
                    also.setdefault(plural, []).append(key)
                    ids.setdefault(plural, []).append(identifier)
            needs = frozenset(self._left.get((TABLES[action.kind].path, str(action.identifier)), ()))
            contents = [one for wave in in_waves(along) for one in wave]
            self._decisions.actions.append(
                action._replace(also_deleted=also, also_ids=ids, contents=contents, needs=needs)
            )

    def _refuse_needed(self, action: Action, plural: str, lost: Mapping[str, Any], is_itself: bool) -> None:
        """Notes a mistake where an item wants to keep, or refers to, what a deletion takes."""
        place = (TABLES[plural].path, lost.get("id"))
        wanted, user = self._claimed.get(place), self._needed.get(place)
        why = action.item.place if action.item is not None else f"purge: {action.kind} {action.key}"
        if wanted is not None and not is_itself:
            self._decisions.mistakes.append(
                f"{why} would take {wanted.place} with it, which the same task wants to be there."
            )
        elif user is not None:
            shown = "is deleted" if is_itself else f"would take {plural} {self._names.of(TABLES[plural], lost)} with it"
            self._decisions.mistakes.append(f"{why} {shown}, but {user.place} refers to it.")

    # Changes

    def _decide_change(self, item: Item) -> None:
        kind = TABLES[item.kind]
        item = self._without_left_out(item)
        run = ObjectRun(kind, item.wanted, self._panel)
        try:
            planned = run.plan()
        except PanelError as error:
            # That another item is about the same object explains more.
            self._claim(kind, item, run.found())
            if isinstance(error, OptionError) and _needs_secret(kind, error.option):
                self._leave_out(item, error)
                return
            raise
        self._decisions.warnings += [f"{item.place}: {warning}" for warning in run.warnings]
        plan, current = planned.plan, planned.current
        self._claim(kind, item, current)
        needs = self._needs(run, plan, item)
        if plan.action == "none":
            self._decisions.unchanged.append((item.kind, self._key(item, kind, current), (current or {}).get("id")))
            return
        client = self._client_of(item.kind, {**(current or {}), **plan.body, **run.owner})
        imagined = self._imagine(kind, planned, run.owner)
        self._claimed[_place(kind, imagined)] = item
        verb = CREATE if current is None else UPDATE
        key = self._key(item, kind, current)
        identifier = (current or {}).get("id")
        action = Action(item.kind, key, verb, plan.before, plan.after, item, identifier, needs=needs, client=client)
        self._pending[id(imagined)] = action.name
        for path, identifier in _references_of(kind, current or {}):
            self._left.setdefault((path, identifier), set()).add(action.name)
        self._decisions.actions.append(action)

    def _leave_out(self, item: Item, error: OptionError) -> None:
        """An export has no secrets, nor what the panel shows incompletely; a rebuild goes on without the objects that need it, and says so."""
        self._decisions.left_out[item.kind, item.key] = f"{error.option}: not given, and needed to create it."
        self._decisions.warnings.append(
            f"{item.place}: it is not on this panel and cannot be created without {error.option}, so it is left out. Add that, and run again."
        )

    def _without_left_out(self, item: Item) -> Item:
        """The item without its references to objects that are left out."""
        if not self._decisions.left_out:
            return item
        wanted = item.wanted
        kept = tuple(reference for reference in wanted.references if not self._leads_nowhere(reference))
        if len(kept) == len(wanted.references):
            return item
        options = ", ".join(reference.option for reference in wanted.references if reference not in kept)
        self._decisions.warnings.append(f"{item.place}: {options} is not set, since that object is left out.")
        return replace(item, wanted=wanted._replace(references=kept))

    def _leads_nowhere(self, reference: WantedReference) -> bool:
        plural = BY_PATH[reference.row.collection].plural
        return (plural, reference.name) in self._decisions.left_out

    def _claim(self, kind: Kind, item: Item, current: Mapping[str, Any] | None) -> None:
        """Notes that an item is about this object; another one must not be."""
        if current is None:
            return
        place = _place(kind, current)
        first = self._unwanted.get(place) or self._claimed.setdefault(place, item)
        if first is not item:
            raise PanelError(f"names the same object as {first.place}.")

    def _imagine(self, kind: Kind, planned: Planned, owner: Mapping[str, Any]) -> dict[str, Any]:
        """The object as it will be; owner: whose a new one is, by name where that client has no id yet."""
        store = self._panel.snapshot.store(kind)
        body = planned.plan.body
        imagined = {**body, **owner, "id": None} if planned.current is None else merged(planned.current, body)
        store.put(imagined)
        return imagined

    def _needs(self, run: ObjectRun, plan: Plan, item: Item) -> frozenset[Name]:
        """The pending actions on objects that an object refers to, or takes over an omitted reference from."""
        return frozenset(
            name for path, found in self._referred(run, plan) for name in self._note_needed(path, found, item)
        )

    def _note_needed(self, path: str, found: Mapping[str, Any], item: Item) -> list[Name]:
        """Notes that an item counts on this object; the pending action on it."""
        if found.get("id") is not None:
            self._needed.setdefault((path, found["id"]), item)
        pending = self._pending.get(id(found))
        return [] if pending is None else [pending]

    def _referred(self, run: ObjectRun, plan: Plan) -> Iterable[tuple[str, Mapping[str, Any]]]:
        for reference in run.wanted.references:
            path = reference.row.collection
            found: Any = None
            if not reference.is_given:
                found = run.resolved[reference.path].object
            elif reference.name is not None:
                found = self._panel.look_up(path, reference.name)
            elif self._real.is_listed(BY_PATH[path]):
                found = self._panel.look_up(path, None, reference.id)
            if found is not None:
                yield path, found
        for need in run.kind.needs:
            if need.may_lack or need.option not in plan.body:
                continue
            for name in need.names(plan.body):
                found = self._panel.look_up(need.collection, name)
                if found is not None:
                    yield need.collection, found

    def _key(self, item: Item, kind: Kind, current: Mapping[str, Any] | None) -> str:
        """The natural key; an item may name its object, or the owner of it, by id."""
        wanted = item.wanted
        if wanted.id is None and all(reference.name is not None for reference in wanted.references):
            return item.key
        if current is not None:
            return self._names.of(kind, current)
        ids = {reference.path[0]: reference.id for reference in wanted.references if reference.name is None}
        return self._names.joined(kind, {**wanted.key, **ids}, wanted.key)

    # Zones

    def _decide_zone(self, item: Item) -> None:
        read = self._zones.get(item.place)
        if read is None:
            return  # Why it could not be read is among the mistakes already.
        domain = str(read.wanted.domain)
        first = self._claimed.setdefault((DNS, DomainName().comparable(domain)), item)
        if first is not item:
            # Both would write the whole zone, and the last one would take back what the other one did.
            raise PanelError(f"names the same zone as {first.place}.")
        planned = read.planned()
        self._decisions.warnings += [f"{item.place}: {warning}" for warning in read.wanted.warnings]
        found = None
        if read.zone is None or self._real.is_listed(TABLES["domains"]):
            found = self._panel.look_up(DOMAIN.path, domain)
        needs = frozenset(() if found is None else self._note_needed(DOMAIN.path, found, item))
        # Which records a new zone begins with is not known, so what shall not be there is looked for when there is one.
        removes = read.wanted.purge or read.wanted.state == "absent"
        if not planned.is_change and not (read.zone is None and removes):
            self._decisions.unchanged.append((DNS, domain, (found or {}).get("id")))
            return
        found = found or self._panel.look_up(DOMAIN.path, domain) or {}
        client = self._client_of(DNS, found) or read.wanted.client or ""
        before, after = (_without_records(side) for side in (planned.before, planned.after))
        action = Action(
            DNS, domain, UPDATE, before, after, item, found.get("id"), zone=read, needs=needs, client=client
        )
        self._decisions.actions.append(action._replace(entries=planned.entries))


def _without_records(side: Mapping[str, Any]) -> dict[str, Any]:
    """What is not in the entries of a zone's action."""
    return {name: value for name, value in side.items() if name != "records"}


def _place(kind: Kind, found: Mapping[str, Any]) -> Place:
    """What tells an object from all others, also one that is only imagined."""
    identifier = found.get("id")
    return (kind.path, identifier if identifier is not None else f"imagined {id(found)}")


def _references_of(kind: Kind, shown: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """The paths and ids of what an object of the panel refers to."""
    for path, row in kind.leaves():
        identifier = value_at(shown, path) if row.refers_to else None
        if identifier:
            yield row.refers_to, str(identifier)


def _needs_secret(kind: Kind, option: str) -> bool:
    """Whether an option, dotted inside of a group, holds a secret, or is a group that cannot be given without one."""
    path = tuple(option.split("."))
    return any(row.secret and row.required for place, row in kind.leaves() if place[: len(path)] == path)


def _all_but_the_last(
    kind: Kind,
    found: list[Deletion],
    everything: Iterable[Mapping[str, Any]],
    gone: set[Place],
) -> list[Deletion]:
    """A purge never takes the last object that the panel cannot do without."""
    member = kind.keep_last
    if member is None:
        return found
    going = gone | {(kind.path, current["id"]) for _action, current in found}
    if any(item.get(member, True) and (kind.path, item.get("id")) not in going for item in everything):
        return found
    kept = next((current for _action, current in found if current.get(member, True)), None)
    return [(action, current) for action, current in found if current is not kept]

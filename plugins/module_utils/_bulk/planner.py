# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the wanted objects of a whole panel to the actions. Each object is decided by the code of its single module, and put into the stores
as it will be, so that later objects can refer to it. Writes nothing. Private to the collection.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Callable

from .._errors import OptionError, PanelError, UnknownReference
from .._items.wanted_items import Item
from .._kinds.client import CLIENT
from .._kinds.domain import DOMAIN
from .._kinds.registry import BY_PATH, DNS, KINDS, TABLES
from .._object.deciding import Decision, decide, owner_in, plainly_right
from .._object.objects import Object, Panel, is_planned
from .._object.planning import CREATE, DELETE, NONE, UPDATE, deleted
from .._schema.difference import value_at
from .._schema.kind import Kind
from .._task.mistakes import mistake, without_ending
from .._values.names import DomainName
from .actions import Action, Name
from .cascades import PARENT, Cascades
from .deletion_guards import Protection

if TYPE_CHECKING:
    from .._dns.managing import ReadZone

Place = tuple[str, Any]  # path of the kind, and id
Owned = Callable[[Sequence[int]], Mapping[int, Mapping[str, list[Object]]]]


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
    """Plans all items of a run. zones: by the place of their item. owned: reads what clients have."""

    def __init__(
        self,
        panel: Panel,
        zones: Mapping[str, ReadZone],
        owned: Owned,
        purge: Iterable[str] = (),
        protect: Protection | None = None,
    ) -> None:
        self._panel, self._zones, self._owned = panel, zones, owned
        self._purge, self._protect = frozenset(purge), protect or Protection({})
        self._decisions = Decisions()
        self._before: dict[str, list[Object]] = {}  # by plural kind: what is there before the run
        self._going: dict[Place, tuple[Item | None, Object]] = {}
        self._claimed: dict[Place, Item] = {}  # objects that an item is about
        self._needed: dict[Place, Item] = {}  # objects that an item refers to
        self._left: dict[Place, set[Name]] = {}  # by object: changes of what refers to it by now
        self._pending: dict[Place, Name] = {}  # by object: the action after which it is as it is in the stores
        self._mistaken: set[tuple[str, Any]] = set()  # kinds and keys of items that have a mistake

    def plan(self, items: Mapping[str, list[Item]]) -> Decisions:
        """The decisions about these items, which are in the order of dependency."""
        stores = {plural: self._panel.store(kind) for plural, kind in TABLES.items()}
        self._before = {plural: store.known() for plural, store in stores.items() if store.is_read()}
        absent = [item for plural in reversed(KINDS) for item in items.get(plural, ()) if item.is_absent]
        present = [item for plural in KINDS for item in items.get(plural, ()) if not item.is_absent]
        for item in (*absent, *present):
            self._collect(item)
        if self._purge:
            from .purging import Spared  # noqa: PLC0415 - few tasks purge

            spared = Spared(self._panel, self._before)
            for plural in KINDS:
                if plural in self._purge:
                    self._purge_kind(TABLES[plural], spared)
            self._decisions.warnings += spared.warnings()
        self._add_deletions()
        self._warn_of_protection(items)
        return self._decisions

    def _collect(self, item: Item) -> None:
        """Decides about an item, and notes what is wrong with it."""
        try:
            if item.zone is not None:
                self._decide_zone(item)
            elif not self._is_plainly_right(item):
                self._decide(item)
        except PanelError as error:
            is_told = isinstance(error, UnknownReference) and self._counts_on_a_mistaken(item)
            # Only now, since an item may count on itself.
            self._mistaken.add((item.kind, item.key))
            if not is_told:
                place, sentence = item.redacted([item.place, without_ending(error.message)])
                self._decisions.mistakes.append(mistake(place, sentence))

    def _counts_on_a_mistaken(self, item: Item) -> bool:
        """Whether what is missing is an item with a mistake of its own, which is named already."""
        if item.zone is not None:
            return (DOMAIN.plural, item.zone.domain) in self._mistaken
        wanted = item.wanted
        members = {**wanted.key, **wanted.values}
        named = [(one.row.collection, one.name) for one in wanted.references]
        for need in TABLES[item.kind].needs:
            named += [(need.collection, name) for name in need.names(members) if not need.may_lack]
        return any((BY_PATH[collection].plural, name) in self._mistaken for collection, name in named)

    # Objects

    def _is_plainly_right(self, item: Item) -> bool:
        """Whether the panel shows letter by letter what an item wants, as it mostly does; what does not is compared with care."""
        kind, found = TABLES[item.kind], {}
        if self._decisions.left_out:
            return False
        for one in item.wanted.references:
            if one.reapply or (one.name is None and one.id != 0):
                return False
            if one.name is not None:
                store = self._panel.of(one.row.collection)
                matching = store.having({store.kind.name_member: one.name})
                if len(matching) != 1 or matching[0].get("id") is None:
                    return False
                found[one.path] = matching[0]["id"]
            else:
                found[one.path] = 0
        current = plainly_right(kind, item.wanted, found, self._panel.store(kind))
        if current is None:
            return False
        self._claim(kind, item, current)
        for one in item.wanted.references:
            if found[one.path]:
                self._needed.setdefault((one.row.collection, found[one.path]), item)
        self._decisions.unchanged.append((item.kind, self._key(item, kind, current), current["id"]))
        return True

    def _decide(self, item: Item) -> None:
        kind = TABLES[item.kind]
        item = self._without_left_out(item)
        try:
            decision = decide(self._panel, kind, item.wanted, observed=lambda found: self._claim(kind, item, found))
        except OptionError as error:
            if item.is_absent or not _needs_secret(kind, error.option):
                raise
            self._leave_out(item, error)
            return
        plan, current = decision.plan, decision.current
        self._decisions.warnings += [f"{item.place}: {warning}" for warning in decision.warnings]
        for place in decision.counts_on:
            if not item.is_absent:
                self._needed.setdefault(place, item)
        if plan.action == DELETE:
            self._let_go(kind, item, current or {})
        elif plan.action == NONE:
            self._decisions.unchanged.append((item.kind, self._key(item, kind, current), decision.id))
        else:
            self._add(item, decision)

    def _claim(self, kind: Kind, item: Item, current: Object | None) -> None:
        """Notes that an item is about this object; another one must not be."""
        if current is not None:
            first = self._claimed.setdefault(_place(kind, current), item)
            if first is not item:
                raise PanelError(f"names the same object as {first.place}.")

    def _add(self, item: Item, decision: Decision) -> None:
        kind, plan, current = decision.kind, decision.plan, decision.current
        key = self._key(item, kind, current)
        client = self._client_of(kind, {**(current or {}), **plan.body})
        needs = {self._pending[place] for place in decision.counts_on if place in self._pending}
        if kind.keep_last is not None and plan.body.get(kind.keep_last) is False:
            needs |= self._others_pending(kind)
        outcome = {**(plan.outcome or {}), "id": self._panel.planned_id() if plan.action == CREATE else decision.id}
        self._panel.store(kind).put(outcome)
        place = _place(kind, outcome)
        self._claimed[place] = item
        self._pending[place] = (item.kind, key)
        for path, row in kind.leaves():
            shown = value_at(current, path) if row.refers_to else None
            if shown:
                self._left.setdefault((row.refers_to, shown), set()).add((item.kind, key))
        self._decisions.actions.append(
            Action(
                item.kind,
                key,
                plan.action,
                plan.before,
                plan.after,
                item,
                identifier=decision.id,
                needs=frozenset(needs - {(item.kind, key)}),
                client=client,
                decision=decision,
                planned=outcome["id"],
            )
        )

    def _others_pending(self, kind: Kind) -> set[Name]:
        """The actions that make others what the panel may not lose the last one of."""
        found = self._panel.store(kind).known()
        places = [_place(kind, one) for one in found if one.get(str(kind.keep_last))]
        return {self._pending[place] for place in places if place in self._pending}

    def _leave_out(self, item: Item, error: OptionError) -> None:
        """An export has no secrets, nor what the panel shows incompletely; a rebuild goes on without the objects that need it, and says so."""
        self._decisions.left_out[item.kind, item.key] = f"{error.option}: not given, and needed to create it."
        self._decisions.warnings.append(
            f"{item.place}: it is not on this panel and cannot be created without {error.option}, so it is left out. Add that, and run again."
        )

    def _without_left_out(self, item: Item) -> Item:
        """The item without its references to objects that are left out."""
        wanted, left_out = item.wanted, self._decisions.left_out
        lost = [one for one in wanted.references if (BY_PATH[one.row.collection].plural, one.name) in left_out]
        if not lost:
            return item
        options = ", ".join(one.option for one in lost)
        self._decisions.warnings.append(f"{item.place}: {options} is not set, since that object is left out.")
        kept = tuple(one for one in wanted.references if one not in lost)
        return replace(item, wanted=wanted._replace(references=kept))

    # Deletions

    def _let_go(self, kind: Kind, item: Item | None, current: Object) -> None:
        self._going[_place(kind, current)] = item, current
        if kind.keep_last is not None:
            # So that the next one is the last one.
            self._panel.store(kind).remove(current["id"])

    def _purge_kind(self, kind: Kind, spared: Any) -> None:
        """Lets go what no item names."""
        places = ((_place(kind, one), one) for one in self._before.get(kind.plural, ()))
        unnamed = [one for place, one in places if place not in self._claimed and not self._stays(kind, one, spared)]
        # By name, since objects that were read on their own come in any order, and the checksum of the plan counts on one.
        unnamed.sort(key=lambda one: (self._name_of(kind, one), str(one.get("id"))))
        for one in self._all_but_the_last(kind, unnamed):
            if one.get("id") is not None:
                self._let_go(kind, None, one)
                continue
            problem = f"the panel shows no id of the {kind.title} {self._name_of(kind, one)}, so it cannot be deleted."
            self._decisions.mistakes.append(f"purge: {problem}")

    def _all_but_the_last(self, kind: Kind, unnamed: list[Object]) -> list[Object]:
        """A purge never takes the last object that the panel cannot do without; new ones are not there yet."""
        member = kind.keep_last
        if member is None:
            return unnamed
        going = {one.get("id") for one in unnamed}
        others = (
            one for one in self._panel.store(kind).known() if one["id"] not in going and not is_planned(one["id"])
        )
        if any(one.get(member, True) for one in others):
            return unnamed
        kept = next((one for one in unnamed if one.get(member, True)), None)
        return [one for one in unnamed if one is not kept]

    def _stays(self, kind: Kind, current: Object, spared: Any) -> bool:
        """Whether a purge leaves an object that nobody named: protected ones, what the panel made by itself, and what no item could be for."""
        if current.get("is_system_domain") is True or self._protect.covers(kind.plural, self._name_of(kind, current)):
            return True
        parent = self._claimed.get((kind.path, current.get(PARENT))) if kind is DOMAIN else None
        if parent is not None and parent.wanted.values.get("create_www_subdomain") is True:
            above = self._panel.store(kind).by_id(current.get(PARENT)) or {}
            name = DomainName().comparable
            if name(current.get("domain")) == f"www.{name(above.get('domain'))}":
                return True
        return bool(spared.covers(kind, current))

    def _add_deletions(self) -> None:
        cascades = Cascades(lambda plural: self._before.get(plural, ()))
        owned = self._owned([identifier for path, identifier in self._going if path == CLIENT.path])
        for place, (item, current) in self._going.items():
            kind = BY_PATH[place[0]]
            self._refuse_needed(kind, item, current, kind, current)
            taken: list[tuple[str, Mapping[str, Any]]] = []
            if kind is CLIENT:
                taken = [(plural, one) for plural, found in owned[place[1]].items() for one in found]
            elif kind is DOMAIN:
                taken = cascades.with_domain(current)
            also: dict[str, list[tuple[str, Any]]] = {}
            for plural, one in taken:
                self._refuse_needed(kind, item, current, TABLES[plural], one)
                if (TABLES[plural].path, one.get("id")) not in self._going:
                    name = self._name_of(TABLES[plural], {**one, **({"id_user": place[1]} if kind is CLIENT else {})})
                    also.setdefault(plural, []).append((name, one.get("id")))
            self._decisions.actions.append(
                Action(
                    kind.plural,
                    self._name_of(kind, current),
                    DELETE,
                    deleted(kind, current),
                    {},
                    item,
                    identifier=current.get("id"),
                    also_deleted={plural: [name for name, _id in pairs] for plural, pairs in also.items()},
                    also_ids={plural: [identifier for _name, identifier in pairs] for plural, pairs in also.items()},
                    needs=frozenset(self._left.get(place, ())),
                    client=self._client_of(kind, current),
                )
            )

    def _refuse_needed(
        self, kind: Kind, item: Item | None, current: Object, lost_kind: Kind, lost: Mapping[str, Any]
    ) -> None:
        """Notes a mistake where an item wants to keep, or refers to, what a deletion takes."""
        place = _place(lost_kind, lost)
        is_itself = place == _place(kind, current)
        wanted, user = self._claimed.get(place), self._needed.get(place)
        why = item.place if item is not None else f"purge: {kind.plural} {self._name_of(kind, current)}"
        if wanted is not None and not wanted.is_absent:
            self._decisions.mistakes.append(
                f"{why} would take {wanted.place} with it, which the same task wants to be there."
            )
        elif user is not None:
            what = f"would take {lost_kind.plural} {self._name_of(lost_kind, lost)} with it"
            self._decisions.mistakes.append(
                f"{why} {'is deleted' if is_itself else what}, but {user.place} refers to it."
            )

    def _warn_of_protection(self, items: Mapping[str, list[Item]]) -> None:
        """Warns of what is protected by a name that nothing has. Of a kind that was not read nothing is deleted."""
        for plural, found in self._before.items():
            keys = chain(
                (self._name_of(TABLES[plural], one) for one in found), (item.key for item in items.get(plural, ()))
            )
            self._decisions.warnings += [
                f"protect.{plural}: {text} fits none of the {plural} on this panel, so it protects nothing. Look at its spelling."
                for text in self._protect.fitting_nothing(plural, keys)
            ]

    # Zones

    def _decide_zone(self, item: Item) -> None:
        read = self._zones.get(item.place)
        if read is None:
            return  # why it could not be read is among the mistakes already
        domain = str(read.wanted.domain)
        first = self._claimed.setdefault((DNS, DomainName().comparable(domain)), item)
        if first is not item:
            # Both would write the whole zone, and the last one would take back what the other one did.
            raise PanelError(f"names the same zone as {first.place}.")
        planned, store = read.planned(), self._panel.store(DOMAIN)
        self._decisions.warnings += [f"{item.place}: {warning}" for warning in read.wanted.warnings]
        is_needed = read.zone is None or store.is_read() or self._going or self._purge
        found = store.by_key({"domain": domain}) if is_needed else None
        # Which records a new zone begins with is not known, so what shall not be there is looked for when there is one.
        removes = read.zone is None and (read.wanted.purge or read.wanted.state == "absent")
        is_change = planned.is_change or removes
        if found is None and is_change:
            found = store.by_key({"domain": domain})
        if found is not None:
            self._needed.setdefault(_place(DOMAIN, found), item)
        identifier = None if found is None or is_planned(found.get("id")) else found.get("id")
        if not is_change:
            self._decisions.unchanged.append((DNS, domain, identifier))
            return
        pending = self._pending.get(_place(DOMAIN, found)) if found is not None else None
        before, after = (
            {name: value for name, value in side.items() if name != "records"}
            for side in (planned.before, planned.after)
        )
        self._decisions.actions.append(
            Action(
                DNS,
                domain,
                UPDATE,
                before,
                after,
                item,
                identifier=identifier,
                zone=read,
                entries=planned.entries,
                needs=frozenset([pending] if pending is not None else []),
                client=self._client_of(DOMAIN, found or {}) or read.wanted.client or "",
                planned=None if found is None else found.get("id"),
            )
        )

    # Names

    def _key(self, item: Item, kind: Kind, current: Mapping[str, Any] | None) -> str:
        """The natural key; an item may name its object, or the owner of it, by id."""
        wanted = item.wanted
        if wanted.id is None and all(one.name is not None for one in wanted.references if one.row in kind.key):
            return item.key
        if current is not None:
            return self._name_of(kind, current)
        if wanted.id is not None:
            return item.key
        ids = {one.path[0]: one.id for one in wanted.references if one.name is None}
        return self._name_of(kind, {**wanted.key, **ids})

    def _name_of(self, kind: Kind, found: Mapping[str, Any]) -> str:
        """The natural key of an object of the panel, its parts joined with a colon; owners by their names."""
        return ":".join(self._part(row, found) for row in kind.key)

    def _part(self, row: Any, found: Mapping[str, Any]) -> str:
        shown = found.get(row.name)
        if not row.refers_to:
            return str(row.type.written(shown))
        if not shown:
            return str(found.get(row.option) or "")
        owner = self._panel.of(row.refers_to).by_id(shown) if isinstance(shown, int) else None
        return f"id {shown}" if owner is None else str(owner.get(BY_PATH[row.refers_to].name_member))

    def _client_of(self, kind: Kind, found: Mapping[str, Any]) -> str:
        """The name of the client whose object it is; empty where it is nobody's, or the panel does not say whose."""
        if kind is CLIENT:
            return str(found.get(CLIENT.name_member) or "")
        if kind.owner is None:
            return ""
        owner = owner_in(found)
        if owner is None and kind.domain_of is not None:
            domain = {DOMAIN.name_member: kind.domain_of(kind.comparable_key(found))}
            owner = owner_in(self._panel.store(DOMAIN).by_key(domain, [kind.owner.name]) or {})
        if owner is None and found.get("id") is not None:
            owner = owner_in(self._panel.store(kind).whole(dict(found), [kind.owner.name]) or {})
        client = self._panel.store(CLIENT).by_id(owner) if owner else None
        return str((client or {}).get(CLIENT.name_member) or "")


def _place(kind: Kind, found: Mapping[str, Any]) -> Place:
    """What tells an object from all others."""
    identifier = found.get("id")
    return kind.path, f"at {id(found)}" if identifier is None else identifier


def _needs_secret(kind: Kind, option: str) -> bool:
    """Whether an option, dotted inside of a group, holds a secret, or is a group that cannot be given without one."""
    path = tuple(option.split("."))
    return any(row.secret and row.required for place, row in kind.leaves() if place[: len(path)] == path)

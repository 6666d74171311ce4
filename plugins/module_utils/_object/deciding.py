# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides about one object: finds it and what it refers to, compares, and foresees what the panel would refuse. Writes nothing.

Private to the collection.

Limits of clients, the password policy and other settings of the panel cannot be read through the API, so what they refuse is not foreseen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any, Callable

from .._errors import NOTHING_WRITTEN, Conflict, OptionError, UnknownReference, in_words
from .._kinds.client import CLIENT
from .._kinds.client import owner as owner_row
from .._kinds.domain import DOMAIN
from .._kinds.registry import BY_PATH, TABLES
from .._schema.fields import Path, Resolved, has, value_at
from .._schema.kind import OWNER, Change, Kind, Needed, Wanted
from .._schema.rows import Reference, WantedReference
from .._values.value_types import read_id
from .objects import Object, Panel, is_planned, needed_members, owner_in
from .planning import CREATE, DELETE, UPDATE, Plan, make_plan

ASSUMED = "Check mode assumes that an earlier task creates it; if not, the real run fails here."


def shows_everything(kind: Kind, shown: Set[str]) -> bool:
    """Whether these members are all that an object of this kind may be compared by."""
    return all(row.is_told_by(shown) for row in (*kind.key, *kind.rows))


class Decision:
    """What is done with one object, and why.

    found: the object, where it was looked at just now. observed: is given the object before anything is compared. current: as it is; None where
    it is not there. plan: its change. resolved: where its references lead. counts_on: paths and ids of the objects that it refers to.
    """

    def __init__(
        self,
        panel: Panel,
        kind: Kind,
        wanted: Wanted,
        found: Object | None = None,
        observed: Callable[[Object | None], None] = lambda _current: None,
    ) -> None:
        self._panel, self.kind, self.wanted = panel, kind, wanted
        self._store, self.label = panel.store(kind), f"{kind.title} {wanted.label()}"
        self.resolved: dict[Path, Resolved] = {}
        self.warnings: list[str] = []
        self.counts_on: list[tuple[str, int]] = []
        self._found: dict[tuple[str, Any], Object | None] = {}
        self.current = found if found is not None else self._observed()
        observed(self.current)
        self.id: Any = (self.current or {}).get("id")
        self.plan = self._planned()
        self.warnings += self.plan.warnings

    def _planned(self) -> Plan:
        current, wanted = self.current, self.wanted
        if current is None:
            # What is created has nothing that could be out of date.
            wanted = wanted._replace(references=tuple(one for one in wanted.references if one.is_given))
            self.wanted = wanted
        for one in wanted.references:
            if wanted.is_present or (current is not None and one.row.tells_which):
                self.resolved[one.path] = self._with_names(one, self._lead(one, current), current)
        is_new, there = wanted.is_present and current is None, current or {}
        plan = make_plan(self.kind, wanted, current, self.resolved, self._inherited() if is_new else None)
        if plan.action == CREATE:
            self._foresee(plan.body, plan.body, plan.body)
        elif plan.action == UPDATE:
            self._foresee(plan.outcome or {}, plan.body, there)
            self._warn_of_copies(plan, there)
        if plan.action in (UPDATE, DELETE) and self.id is None:
            raise Conflict(f"The panel shows no id of the {self.label}. Nothing was written.")
        self._keep_the_last(plan, there)
        for row in self.kind.references:
            # An object is never written without an owner because the panel did not say whose id that is.
            if plan.body.get(row.name, 0) is None:
                problem = f"the panel shows no id in {row.name} of the {self.label}."
                raise _refusal(row.option, problem, f"Give {row.option} or {row.name}.")
        return plan

    # What is there

    def _observed(self) -> Object | None:
        kind, wanted, needed = self.kind, self.wanted, needed_members(self.kind, self.wanted)
        if wanted.id is not None:
            current = self._store.by_id(wanted.id, needed)
            if current is None and wanted.is_present:
                problem = f"the panel has no {kind.title} with id {wanted.id}, and {kind.titles} are never created under another id."
                raise _refusal("id", problem, "Omit id, and name the object instead.")
            return current
        key = self._key()
        if key is None:
            return None
        current = self._store.by_key(key, needed, wanted.label())
        member = kind.name_member
        if not wanted.is_present or wanted.new_name in (None, key[member]):
            return current
        renamed = self._store.by_key({**key, member: wanted.new_name}, needed)
        if current is not None and renamed is not None:
            ids = f"(ids {current.get('id')} and {renamed.get('id')})"
            problem = f"the {kind.title} {key[member]} cannot be renamed, since {wanted.new_name} exists too {ids}."
            raise _refusal("new_name", problem)
        return current if current is not None else renamed

    def _key(self) -> dict[str, Any] | None:
        """The natural key with ids for references; None where what it would be in is not there, so that nothing can be in it."""
        key: dict[str, Any] = {}
        references = {one.path: one for one in self.wanted.references}
        for row in self.kind.key:
            reference = references.get((row.name,))
            if reference is None:
                key[row.name] = self.wanted.key[row.name]
                continue
            try:
                target = self.resolved[reference.path] = self._lead(reference, None)
            except UnknownReference:
                if self.wanted.is_present:
                    raise
                return None
            key[row.name] = target.id
        return None if any(is_planned(part) and not self._panel.keeps_lists for part in key.values()) else key

    # What it refers to

    def _look_up(
        self, path: str, name: str | None, identifier: int | None = None, needed: Iterable[str] = ()
    ) -> Object | None:
        """An object of any kind by its name or its id, once."""
        place = (path, identifier if name is None else name)
        if place not in self._found:
            self._found[place] = self._panel.look_up(path, name, identifier, needed)
        found = self._found[place]
        if found is not None:
            self.counts_on.append((path, found["id"]))
        return found

    def _missing(self, option: str, problem: str, advice: str = "Create it first, or correct the name.") -> None:
        """Raises UnknownReference, or warns where an earlier task may be about to create it."""
        if not (self._panel.is_lenient and self.wanted.is_present):
            raise UnknownReference(f"{option}: {problem} {advice} {NOTHING_WRITTEN}", option=option)
        self.warnings.append(f"{option}: {problem} {ASSUMED}")

    def _lead(self, reference: WantedReference, current: Mapping[str, Any] | None) -> Resolved:
        """Where a reference leads."""
        row, collection = reference.row, reference.row.collection
        if reference.path in self.resolved:
            return self.resolved[reference.path]
        shown = None if current is None else current.get(row.name)
        if not reference.is_given:  # the same one again
            number = read_id(shown)
            found = self._look_up(collection, None, number, row.features) if number else None
            if found is None:
                problem = f"the panel does not show which {row.noun} the {self.label} has. Give {row.option} too."
                raise _refusal(row.reapply, problem)
            return Resolved(found["id"], found)
        is_compared = current is not None and (reference.reapply or shown is None)
        if reference.id == 0 or (reference.id is not None and not (is_compared and (row.copies or reference.reapply))):
            if reference.id and self._panel.keeps_lists and self._panel.of(collection).is_read():
                self._look_up(collection, None, reference.id)  # counts on it
            return Resolved(reference.id)
        found = self._look_up(collection, reference.name, reference.id, row.features if is_compared else ())
        if found is not None:
            return Resolved(found["id"], found)
        named = reference.name if reference.name is not None else f"with id {reference.id}"
        self._missing(reference.option, f"there is no {row.noun} {named} on this panel.")
        return Resolved(self._panel.planned_id())

    def _with_names(self, reference: WantedReference, target: Resolved, current: Mapping[str, Any] | None) -> Resolved:
        """The same with the name of what the object refers to now, where it is known or where the two are a conflict."""
        row, holder = reference.row, value_at(current, reference.path[:-1])
        if not isinstance(holder, Mapping):
            return target
        shown = row.shown(holder)
        if self._panel.keeps_lists and self._panel.of(row.collection).is_read():
            number = shown if is_planned(shown) else read_id(shown)
            before = self._panel.look_up(row.collection, None, number) if number else None
            target = target._replace(before=(before or {}).get(BY_PATH[row.collection].name_member))
        if row.change is not Change.IDENTITY or len(reference.path) > 1 or not row.is_another(target, shown):
            return target
        there = self._panel.shown(row, shown)
        wants = f"the {row.noun} {reference.name}" if reference.name else self._panel.shown(row, reference.id)
        return target._replace(instead=(there, wants))

    def _inherited(self) -> dict[str, Any]:
        """Ids that an omitted reference of a new object takes over: the owner of an address's domain, or of the parent domain."""
        given = {one.path for one in self.wanted.references}
        rows = [row for row in self.kind.references if row.inherit and (row.name,) not in given]
        sources = {row.name: self._source(row) for row in rows}
        return {name: owner_in(source) for name, source in sources.items() if source is not None}

    def _source(self, row: Reference) -> Mapping[str, Any] | None:
        """What an omitted reference is taken over from; None where there is nothing."""
        for need in self.kind.needs:
            if need.option == row.inherit:
                return self._there(need, *need.names(self.wanted.key))
        parent = self.resolved.get((row.inherit,))
        if parent is None or parent.id == 0:
            return None
        if is_planned(parent.id) and parent.object is None:
            return {OWNER: parent.id}  # only assumed to be there
        reference = next(one for one in self.wanted.references if one.path == (row.inherit,))
        found = self._existing(reference) if parent.object is None else parent.object
        return self._panel.of(reference.row.collection).whole(dict(found), [row.name]) or found

    # What the panel would refuse

    def _foresee(self, members: Mapping[str, Any], sent: Mapping[str, Any], owned: Mapping[str, Any]) -> None:
        """members: of the object as it will be. sent: what of them is written. owned: says whose it is."""
        for option, problem in self.kind.wrong(members) if self.kind.wrong is not None else ():
            if option.partition(".")[0] in sent:
                raise OptionError(option, f"{problem} {NOTHING_WRITTEN}")
        owner = owner_in(owned)
        needs = [need for need in self.kind.needs if need.option in sent]
        # All are looked up first: what is not there is not somebody else's.
        there = [(need, name, self._there(need, name)) for need in needs for name in dict.fromkeys(need.names(sent))]
        for reference in self.wanted.references:
            if has(sent, reference.path):
                self._check_reference(reference, owner)
        for need, name, found in there:
            self._check_owner(need.option, f"{need.noun} {name}", found, owner)
            member, value, why = need.having
            if found.get(member) is value:
                raise _refusal(need.option, f"the {need.noun} {name} {why}")

    def _there(self, need: Needed, name: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] | None = self._look_up(need.collection, name, None, need.shown)
        if found is None and need.collection == DOMAIN.path and self._panel.keeps_lists:
            found = self._system_domain(name)
        if found is None:
            self._missing(need.option, f"there is no {need.noun} {name} on this panel.")
            return {OWNER: self._panel.planned_id()}
        return found

    def _system_domain(self, name: str) -> Mapping[str, Any] | None:
        """The domain that the panel makes with a new client of the same task; it begins with the client's name."""
        for client in self._panel.store(CLIENT).known():
            is_new = is_planned(client.get("id")) and client.get("create_system_domain")
            if is_new and name.startswith(f"{client[CLIENT.name_member]}."):
                self.counts_on.append((CLIENT.path, client["id"]))
                return {"domain": name, OWNER: client["id"]}
        return None

    def _check_reference(self, reference: WantedReference, owner: int | None) -> None:
        row, found = reference.row, self.resolved[reference.path].object
        if found is None and reference.id:
            # An owner's id need not be looked up where something that was read belongs to it.
            belonging = (one for one in self._found.values() if one is not None and owner_in(one) == reference.id)
            if reference.path != (OWNER,) or not any(belonging):
                found = self._existing(reference)
        # What belongs to clients is referred to by objects of the same client alone; what is the server's own is everybody's.
        if BY_PATH[row.collection].owner is not None and found is not None:
            name = reference.name or found.get(BY_PATH[row.collection].name_member) or f"with id {reference.id}"
            self._check_owner(reference.option, f"{row.noun} {name}", found, owner)

    def _existing(self, reference: WantedReference) -> Object:
        row = reference.row
        found = self._look_up(row.collection, None, reference.id)
        if found is None:
            problem = f"there is no {row.noun} with id {reference.id} on this panel. Correct it, or give {row.option}."
            raise UnknownReference(f"{reference.option}: {problem} {NOTHING_WRITTEN}", option=reference.option)
        return found

    def _check_owner(self, option: str, what: str, found: Mapping[str, Any], owner: int | None) -> None:
        there = owner_in(found)
        is_guess = self._is_assumed(there) or (self._is_assumed(owner) and (OWNER,) not in self.resolved)
        if there in (None, 0, owner) or owner is None or is_guess:
            return
        names = [self._named_owner(one) for one in (there, owner)]
        problem = f"the {what} belongs to {names[0]}, and the {self.label} to {names[1]}; the panel keeps the objects of its clients apart."
        raise _refusal(option, problem, "Correct the task.")

    def _is_assumed(self, owner: int | None) -> bool:
        """Whether it stands for a client of which only check mode assumes that it will be there."""
        return is_planned(owner) and not self._panel.keeps_lists

    def _named_owner(self, owner: int | None) -> str:
        if self._is_assumed(owner):
            return f"the client {next(one.name for one in self.wanted.references if one.path == (OWNER,))}"
        return self._panel.shown(_OWNER_ROW, owner)

    def _keep_the_last(self, plan: Plan, current: Mapping[str, Any]) -> None:
        member = self.kind.keep_last
        if member is None or not current.get(member, True):
            return
        goes = plan.action == DELETE or (plan.action == UPDATE and plan.body.get(member) is False)
        if goes and sum(1 for item in self._store.known() if item.get(member, True)) < 2:
            raise Conflict(
                f"The {self.kind.title} {current.get(self.kind.name_member)} is the last one with {member}, and without one the "
                "panel cannot be managed. It is never deleted, and stays what it is. Nothing was written."
            )

    def _warn_of_copies(self, plan: Plan, current: Mapping[str, Any]) -> None:
        """Warns where objects keep what they once got from this one, such as the limits of a hosting plan."""
        rows = [(kind, row) for kind in TABLES.values() for row in kind.references if row.reapply]
        for kind, row in rows:
            if row.collection != self.kind.path or row.features.isdisjoint(plan.body):
                continue
            identifier, others = current.get("id"), self._panel.store(kind).known()
            if any(other.get(row.name) is None or row.same(other[row.name], identifier) for other in others):
                self.warnings.append(
                    f"{kind.titles.capitalize()} that have the {self.kind.title} {current.get(self.kind.name_member)} keep the "
                    f"limits that came with it before; set {row.reapply}: true for each {kind.title} to assign it again."
                )


_OWNER_ROW = owner_row()


def _refusal(option: str, problem: str, advice: str = "") -> Conflict:
    return Conflict(in_words(f"{option}: {problem}", "", advice, NOTHING_WRITTEN), option=option)

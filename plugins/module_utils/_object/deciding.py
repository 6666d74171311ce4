# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides about one object: finds it and what it refers to, compares, and foresees what the panel would refuse. Writes nothing.

The plan is the only source of ``changed``, of the diff, of check mode and of what is sent. Limits of clients, the password policy and other
settings of the panel cannot be read through the API, so what they refuse is not foreseen. Private to the collection.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any, Callable, NamedTuple

from .._errors import NOTHING_WRITTEN, Conflict, OptionError, PanelError, UnknownReference, about, in_words, raise_noted
from .._kinds.registry import BY_PATH, TABLES
from .._kinds.tables import CLIENT, DOMAIN
from .._schema.fields import SECRET_CHANGES, Difference, WantedReference, has, put, value_at, without_secrets_but_marks
from .._schema.kind import OWNER, Change, Kind, Wanted
from .._secrets.redaction import without_secrets, without_secrets_in_extra
from .._values.value_types import SetOf, contains, read_id
from .objects import Object, Panel, is_planned, needed_members, owner_in

NONE, CREATE, UPDATE, DELETE = "none", "create", "update", "delete"


class Plan(NamedTuple):
    """One change of one object.

    action: one of the four above. body: what is sent. before, after: the managed members, for the diff.
    outcome: the object as it will be, secrets included; None once deleted. generates: whether the answer must bring a password.
    """

    action: str = NONE
    body: Mapping[str, Any] = {}
    before: Mapping[str, Any] = {}
    after: Mapping[str, Any] = {}
    outcome: Mapping[str, Any] | None = None
    generates: bool = False
    warnings: tuple[str, ...] = ()


def merged(current: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    """The object after a write of ``body``: dictionaries are merged member by member, everything else is replaced."""
    # What the panel derives from an old value would contradict the new one.
    result = {name: value for name, value in current.items() if name[:-5] not in body or not name.endswith("_utf8")}
    for name, value in body.items():
        old = result.get(name)
        result[name] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return result


class Decision:
    """What is done with one object, why, and what came of it.

    observed: is given the object before anything is compared. current: as it is; None where it is not there. plan: its change. wanted: its
    references say where they lead. counts_on: paths and ids of the objects that it refers to. id: of a new object once it is created.
    password: the one that the panel generated.
    """

    def __init__(
        self, panel: Panel, kind: Kind, wanted: Wanted, observed: Callable[[Object | None], object] = bool
    ) -> None:
        self._panel, self.kind, self.wanted = panel, kind, wanted
        self._led: dict[tuple[str, ...], WantedReference] = {}
        self._found: dict[tuple[str, Any], Object] = {}
        self.label = f"{kind.title} {wanted.label()}"
        self.id: Any = None
        self.password: str | None = None
        self.warnings: list[str] = []
        self.counts_on: list[tuple[str, int]] = []
        with about(self.label, NOTHING_WRITTEN):
            self.current = self._observed()
        if wanted.id is not None and self.current is not None:
            self.label = f"{kind.title} {self._name(self.current)}"
        observed(self.current)
        with about(self.label, NOTHING_WRITTEN):
            self.plan = self._planned()

    def _name(self, current: Object) -> str:
        """The name of an object that the task names by its id, which one with a key of several parts keeps."""
        number = f"with id {self.wanted.id}"
        name = current.get(self.kind.name_member)
        if not isinstance(name, str) or not name:
            return number
        return name if len(self.kind.key) == 1 else f"{name} {number}"

    def decide_again(self, found: Object) -> None:
        """What is done with an object that is there by now."""
        client = self._panel.client
        self._panel, self._led, self._found, self.current = Panel(lambda: client), {}, {}, found
        self.plan = self._planned()

    def _planned(self) -> Plan:
        kind, current, wanted = self.kind, self.current, self.wanted
        self._refuse_unusual()
        self.id = (current or {}).get("id")
        if current is None and not wanted.is_present:
            return Plan()
        for one in wanted.references:
            # What is created has nothing that could be out of date.
            is_needed = one.given is not None if current is None else wanted.is_present or one.row.tells_which
            if is_needed and one.path not in self._led:
                self._led[one.path] = self._lead(one, current)
        self.wanted = wanted = wanted._replace(references=tuple(self._led.values()))
        plan = make_plan(kind, wanted, current, self._inherited() if current is None else None)
        there = current or plan.body
        if plan.action in (CREATE, UPDATE):
            self._foresee(plan.outcome or {}, plan.body, there)
        if plan.action in (UPDATE, DELETE) and self.id is None:
            raise Conflict(f"The panel shows no id of the {self.label}. {NOTHING_WRITTEN}")
        if plan.action == UPDATE:
            self._warn_of_copies(plan.body, there)
        self._keep_the_last(plan, there)
        for row in kind.references:
            # An object is never written without an owner because the panel did not say whose id that is.
            if plan.body.get(row.name, 0) is None:
                problem = f"the panel shows no id in {row.name} of the {self.label}."
                raise _refusal(row.option, problem, f"Give {row.option} or {row.name}.")
        self.warnings += [warning for warning in plan.warnings if warning not in self.warnings]
        return plan

    def _refuse_unusual(self) -> None:
        """Raises OptionError for what the options refuse, but for what the object has already, and for the name of one that shall go."""
        if not self.wanted.is_present:
            return
        wrong = [one for one in self.wanted.unusual if not one.is_in(self.current)]
        raise_noted([OptionError(one.option, f"{one.problem} {NOTHING_WRITTEN}") for one in wrong])

    # What is there

    def _observed(self) -> Object | None:
        kind, wanted, store = self.kind, self.wanted, self._panel.store(self.kind)
        needed = needed_members(kind, wanted)
        if wanted.id is not None:
            current = store.by_id(wanted.id, needed)
            if current is None and wanted.is_present:
                problem = f"the panel has no {kind.title} with id {wanted.id}, and {kind.titles} are never created under another id."
                raise _refusal("id", problem, "Omit id, and name the object instead.")
            return current
        key = self._key()
        if key is None:
            return None
        current = store.by_key(key, needed)
        name = key[kind.name_member]
        if not wanted.is_present or wanted.new_name in (None, name):
            return current
        renamed = store.by_key({**key, kind.name_member: wanted.new_name}, needed)
        if current is not None and renamed is not None:
            ids = f"(ids {current.get('id')} and {renamed.get('id')})"
            problem = f"the {kind.title} {name} cannot be renamed, since {wanted.new_name} exists too {ids}."
            raise _refusal("new_name", problem)
        return current or renamed

    def _key(self) -> dict[str, Any] | None:
        """The natural key with ids for references; None where what it would be in is not there, so that nothing can be in it."""
        key = dict(self.wanted.key)
        for one in self.wanted.references:
            if one.row not in self.kind.key:
                continue
            try:
                self._led[one.path] = self._lead(one, None)
            except UnknownReference:
                if self.wanted.is_present:
                    raise
                return None
            key[one.row.name] = self._led[one.path].leads_to
        return None if any(map(self._is_assumed, key.values())) else {row.name: key[row.name] for row in self.kind.key}

    # What it refers to

    def _is_assumed(self, identifier: Any) -> bool:
        """Whether it stands for what only check mode assumes to be there."""
        return is_planned(identifier) and not self._panel.keeps_lists

    def _look_up(
        self, option: str, path: str, name: str | None, identifier: int | None = None, needed: Iterable[str] = ()
    ) -> Object:
        """What an option refers to by its name or its id, once; raises UnknownReference where it is not there."""
        place = (path, identifier if name is None else name)
        if place not in self._found:
            found = self._panel.look_up(path, name, identifier, needed)
            self._found[place] = self._missing(option, *place) if found is None else found
        self.counts_on.append((path, self._found[place]["id"]))
        return self._found[place]

    def _missing(self, option: str, path: str, named: Any) -> Object:
        """What stands for an object that is not there, but will be."""
        identifier, is_name = self._panel.planned_id(), isinstance(named, str)
        if self._panel.keeps_lists and option in self.kind.addresses:
            # The panel makes a domain with a new client of the same task, which begins with the
            # client's name (docs/panel_api.md#system-domain-of-a-client).
            for client in self._panel.store(CLIENT).known():
                is_new = is_planned(client.get("id")) and client.get("create_system_domain")
                if is_new and named.startswith(f"{client[CLIENT.name_member]}."):
                    self.counts_on.append((CLIENT.path, client["id"]))
                    return {"id": identifier, OWNER: client["id"]}
        problem = f"there is no {BY_PATH[path].title} {'' if is_name else 'with id '}{named} on this panel."
        if not (is_name and self._panel.is_lenient and self.wanted.is_present):
            advice = "Create it first, or correct the name." if is_name else "Give the name of one that is there."
            raise _refusal(option, problem, advice, UnknownReference)
        assumption = "Check mode assumes that an earlier task creates it; if not, the real run fails here."
        self.warnings.append(f"{option}: {problem} {assumption}")
        return {"id": identifier, OWNER: identifier}

    def _lead(self, reference: WantedReference, current: Mapping[str, Any] | None) -> WantedReference:
        """The reference with where it leads, and with the name of what the object refers to now, where that is known or a conflict."""
        row, path = reference.row, reference.row.collection
        holder = value_at(current, reference.path[:-1])
        shown = holder.get(row.name) if isinstance(holder, Mapping) else None
        # One that is not given is the same one again.
        identifier = read_id(shown) if reference.given is None else reference.id
        if identifier is None and reference.given is None:
            problem = f"the panel does not show which {row.noun} the {self.label} has. Give {row.option} too."
            raise _refusal(row.reapply, problem)
        needed = row.copies if current is not None and (reference.reapply or shown is None) else ()
        if identifier is not None and not needed:
            led = reference._replace(leads_to=identifier)
            self.counts_on.append((path, identifier))
        else:
            found = self._look_up(reference.option, path, reference.name, identifier, needed)
            target = None if self._is_assumed(found["id"]) else found
            led = reference._replace(leads_to=found["id"], target=target)
        is_conflict = row.change is Change.IDENTITY and not row.same(led.leads_to, shown)
        if shown and (is_conflict or self._panel.of(path).is_read()):
            return led._replace(before=self._panel.name_of(path, shown))
        return led

    def _inherited(self) -> dict[str, Any]:
        """The owner of a new object where none is given: that of its address's domain, or of the domain that it is in."""
        row = self.kind.owner
        if row is None or not row.inherit or (OWNER,) in self._led:
            return {}
        if row.inherit in self.kind.addresses:
            return {OWNER: owner_in(self._domain(row.inherit, *self.kind.domains_in(row.inherit, self.wanted.key)))}
        parent = self._led.get((row.inherit,))
        if parent is None or parent.leads_to == 0:
            return {}
        found = self._look_up(parent.option, parent.row.collection, parent.name, parent.id)
        return {OWNER: owner_in(self._panel.of(parent.row.collection).whole(dict(found), [OWNER]) or found)}

    def _domain(self, option: str, name: str) -> Object:
        """The domain of an address, which belongs to the same client
        (docs/panel_api.md#domain-of-a-mailbox)."""
        return self._look_up(option, DOMAIN.path, name, None, [OWNER, "is_email_domain"])

    # What the panel would refuse

    def _foresee(self, members: Mapping[str, Any], sent: Mapping[str, Any], owned: Mapping[str, Any]) -> None:
        """members: of the object as it will be. sent: what of them is written. owned: says whose it is."""
        wrong = self.kind.wrong or (lambda _members: ())
        # What the object had before is not the task's mistake.
        before = [*wrong(self.current)] if self.current is not None else []
        for option, problem in wrong(members):
            if option.partition(".")[0] in sent and (option, problem) not in before:
                raise OptionError(option, f"{problem} {NOTHING_WRITTEN}")
        owner = owner_in(owned)
        # All are looked up first: what is not there is not somebody else's.
        new = {option: self._new_addresses(option, sent.get(option)) for option in self.kind.addresses}
        named = [(option, name) for option in new for name in self.kind.domains_in(option, new)]
        domains = [(option, name, self._domain(option, name)) for option, name in named]
        for reference in self.wanted.references:
            if has(sent, reference.path):
                self._check_reference(reference, owner)
        for option, name, found in domains:
            self._check_owner(option, f"domain {name}", found, owner)
            if found.get("is_email_domain") is False:
                advice = "Switch that on with hosting.panel.panel_domain, or correct the address."
                raise _refusal(option, f"the domain {name} takes no e-mail (is_email_domain: false).", advice)

    def _new_addresses(self, option: str, sent: Any) -> Any:
        """The address of an option, or those of its list that the object does not have yet."""
        there = (self.current or {}).get(option)
        if not isinstance(sent, list) or not isinstance(there, list):
            return sent
        value_type = next(row.type for _path, row in self.kind.leaves() if row.name == option)
        comparable = value_type.item.comparable if isinstance(value_type, SetOf) else value_type.comparable
        known = [comparable(entry) for entry in there]
        return [entry for entry in sent if comparable(entry) not in known]

    def _check_reference(self, reference: WantedReference, owner: int | None) -> None:
        kind, found = BY_PATH[reference.row.collection], reference.target
        if found is None and reference.id:
            # An owner's id need not be looked up where something that was read belongs to it.
            if reference.path == (OWNER,) and any(owner_in(one) == reference.id for one in self._found.values()):
                return
            found = self._look_up(reference.option, kind.path, None, reference.id)
        # What belongs to clients is referred to by objects of the same client alone; what is the server's own is everybody's.
        if kind.owner is not None and found is not None:
            name = reference.name or found.get(kind.name_member) or f"with id {reference.id}"
            self._check_owner(reference.option, f"{kind.title} {name}", found, owner)

    def _check_owner(self, option: str, what: str, found: Mapping[str, Any], owner: int | None) -> None:
        there, is_assumed = owner_in(found), self._is_assumed(owner)
        is_guess = self._is_assumed(there) or (is_assumed and (OWNER,) not in self._led)
        if there in (None, 0, owner) or owner is None or is_guess:
            return
        ours = f"the client {self._led[OWNER,].name}" if is_assumed else self._panel.owner(owner)
        theirs = self._panel.owner(there)
        problem = f"the {what} belongs to {theirs}, and the {self.label} to {ours}; the panel keeps the objects of its clients apart."
        raise _refusal(option, problem, "Correct the task.")

    def _keep_the_last(self, plan: Plan, current: Mapping[str, Any]) -> None:
        """Refuses to remove the last one of what a panel needs (docs/panel_api.md#last-admin)."""
        member = self.kind.keep_last
        if member is None or not current.get(member, True):
            return
        goes = plan.action == DELETE or (plan.action == UPDATE and plan.body.get(member) is False)
        if goes and sum(1 for item in self._panel.store(self.kind).known() if item.get(member, True)) < 2:
            name = f"{self.kind.title} {current.get(self.kind.name_member)}"
            problem = f"the {name} is the last one with {member}, and without one the panel cannot be managed."
            raise _refusal(member, problem)

    def _warn_of_copies(self, body: Mapping[str, Any], current: Mapping[str, Any]) -> None:
        """Warns where objects keep what they once got from this one, such as the limits of a hosting plan."""
        rows = [(kind, row) for kind in TABLES.values() for row in kind.references if row.collection == self.kind.path]
        for kind, row in rows:
            others = [] if row.copies.keys().isdisjoint(body) else self._panel.store(kind).known()
            if any(other.get(row.name) is None or row.same(other[row.name], self.id) for other in others):
                name = current.get(self.kind.name_member)
                self.warnings.append(
                    f"{kind.titles.capitalize()} that have the {self.kind.title} {name} keep the limits that came with it before; "
                    f"set {row.reapply}: true for each {kind.title} to assign it again."
                )


def _refusal(option: str, problem: str, advice: str = "", error: type[PanelError] = Conflict) -> PanelError:
    return error(in_words(f"{option}: {problem}", "", advice, NOTHING_WRITTEN), option=option)


# From the wanted and the current object to one change: dictionaries in, a Plan out


def make_plan(
    kind: Kind, wanted: Wanted, current: Mapping[str, Any] | None, inherited: Mapping[str, Any] | None = None
) -> Plan:
    """The change that makes ``current`` (None: not there) what is wanted. inherited: ids of other objects, for a creation.

    Raises Conflict where the change would need another object, OptionError where an option is missing to create one.
    """
    if current is None:
        return _plan_creation(kind, wanted, inherited or {}) if wanted.is_present else Plan()
    name = wanted.label() if len(kind.key) > 1 else current.get(kind.name_member, wanted.label())
    difference = Difference(f"{kind.title} {name}", current)
    if wanted.is_present:
        return _plan_update(kind, wanted, difference)
    for one in wanted.references:
        one.row.refuse_another(one, current, difference)
    return Plan(DELETE, before=deleted(kind, current))


def deleted(kind: Kind, current: Mapping[str, Any]) -> dict[str, Any]:
    """The members of the table that the object shows, for the diff of a deletion."""
    return dict(
        without_secrets({row.name: current[row.name] for row in (*kind.key, *kind.rows) if row.name in current})
    )


def _plan_creation(kind: Kind, wanted: Wanted, inherited: Mapping[str, Any]) -> Plan:
    key = {row.name: wanted.key[row.name] for row in kind.key if row.name in wanted.key}
    if wanted.new_name is not None:
        key[kind.name_member] = wanted.new_name
    body: dict[str, Any] = copy.deepcopy({**inherited, **key, **wanted.values})
    after: dict[str, Any] = copy.deepcopy({**key, **wanted.values})
    for reference in wanted.references:
        put(body, reference.path, reference.leads_to)
        put(after, reference.shown_path, reference.given)
    for path, row in kind.leaves():
        if row.default_from in body and row.name not in body:
            body[row.name] = after[row.name] = body[row.default_from]
        if row.required and not has(body, path):
            problem = f"missing; it is needed to create the {kind.title} {wanted.label()}, which is not on this panel."
            # Of a group that is not given at all, the group.
            raise OptionError(".".join((*path[:-1], row.option) if has(body, path[:-1]) else path[:-1]), problem)
    body.update(copy.deepcopy(dict(wanted.extra)))
    secrets = wanted.password.body()
    after.update({**wanted.extra, **dict.fromkeys(list(secrets)[:1], SECRET_CHANGES)})
    return Plan(
        CREATE,
        body={**body, **secrets},
        after=without_secrets_in_extra(without_secrets_but_marks(after), wanted.extra, SECRET_CHANGES),
        outcome={"id": None, **body},
        generates=kind.password is not None and not secrets,
    )


def _plan_update(kind: Kind, wanted: Wanted, difference: Difference) -> Plan:
    current, leads = difference.current, dict[str, Any]()
    for reference in wanted.references:
        put(leads, reference.path, reference)
    wants = merged(wanted.values, leads)
    for row in (*kind.rows, *kind.key):
        if row.name in wants:
            row.compare(wants[row.name], current, (), difference)
    name = current.get(kind.name_member)
    if wanted.new_name not in (None, name):
        difference.record((kind.name_member,), wanted.new_name, name)
    for name, value in wanted.extra.items():
        if name not in current:
            difference.warn_unseen(f"{name} (from extra)")
        difference.record((name,), value, current.get(name), name in current and contains(current[name], value))
    wanted.password.compare(difference)
    after = without_secrets_but_marks(difference.after, difference.before)
    return Plan(
        UPDATE if difference.body else NONE,
        body=difference.body,
        before=without_secrets_in_extra(without_secrets(difference.before), wanted.extra),
        after=without_secrets_in_extra(after, wanted.extra, SECRET_CHANGES),
        outcome=merged(current, difference.body),
        generates=difference.generates,
        warnings=tuple(difference.warnings),
    )

# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides about the wanted objects of a whole panel. Writes nothing.

Each object is decided by the code of its single module, and put into the source as it will be, so
that later objects can refer to it. What is to be deleted is only marked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from .._errors import Conflict, OptionError, PanelError, Refused, UnexpectedAnswer, UnknownReference
from .._http.failures import unexpected_answer
from .._items.wanted_items import Item
from .._kinds.registry import BY_PATH, DNS, IN_DOMAINS, KINDS, TABLES
from .._kinds.tables import CLIENT, DOMAIN, PARENT
from .._operation.operation import report_progress
from .._plan.object_plan import CREATE, DELETE, NONE, ObjectPlan
from .._plan.prepare import prepare
from .._problems import ItemName, ProblemForm, format_cause
from .._resolve.resolution import list_compared_fields, locate_object
from .._schema.desired_object import DesiredObject
from .._schema.field_paths import Path, get_value
from .._schema.kind import Kind
from .._secrets.redaction import Secrets
from .._sources.checked_answers import PanelObject
from .._sources.kind_objects import is_planned, read_owner_id
from .._sources.snapshot_source import SnapshotObjects, SnapshotSource
from .._values.names import DomainName
from .._values.value_types import contains
from .actions import Action, ZoneChange
from .plan_state import MarkedObject, PlanState, Unchanged, identity_of

if TYPE_CHECKING:
    from .._dns.located_zone import LocatedZone
    from .._dns.zone_change import ZonePlan

Items = Mapping[str, list[Item]]


def _only(candidates: Sequence[PanelObject]) -> PanelObject | None:
    """Return the object where there is exactly one, with its id."""
    if len(candidates) != 1 or candidates[0].get("id") is None:
        return None
    return candidates[0]


class Planner:
    """Plans all items of a run.

    source: The lists of the panel, with what is planned. deleting: The kinds of which objects may
        be deleted. state: What is decided.
    """

    def __init__(
        self, source: SnapshotSource, items: Items, purge: Iterable[str], say: Callable[[str], None]
    ) -> None:
        """Prepare to plan.

        Args:
            source: The lists of the panel.
            items: What is wanted, by plural kind.
            purge: The kinds of which the unnamed objects are deleted too.
            say: As of Task.
        """
        self.source = source
        self._items = items
        self._say = say
        absent = {
            plural for plural, of_kind in items.items() if any(item.is_absent for item in of_kind)
        }
        self.deleting = absent.union(purge)
        self.state = PlanState()

    def plan(self) -> None:
        """Read what is certainly needed ahead, several requests at once, and decide about all items
        in the order of dependency.
        """
        self._read_lists()
        zones = self._read_zones()
        absent = [
            item
            for plural in reversed(KINDS)
            for item in self._items.get(plural, ())
            if item.is_absent
        ]
        present = [
            item for plural in KINDS for item in self._items.get(plural, ()) if not item.is_absent
        ]
        mistaken: set[str] = set()  # by title and key
        for item in (*absent, *present):
            error = self._decide_or_fail(item, zones)
            if error is None:
                continue
            # What is missing for the mistake of another item is named there.
            if not isinstance(error, UnknownReference) or error.missing not in mistaken:
                self._refuse(item, error)
            mistaken.add(f"{KINDS[item.kind].title} {item.key}")

    def _decide_or_fail(
        self, item: Item, zones: Mapping[ItemName, LocatedZone | PanelError]
    ) -> PanelError | None:
        """Decide about an item, and return what is wrong with it."""
        try:
            if item.zone is not None:
                self._decide_zone(item, zones[item.name])
            elif not self._is_unchanged(item):
                self._decide(item)
        except PanelError as error:
            return error
        return None

    def _refuse(self, item: Item, error: PanelError) -> None:
        """Note what is wrong with an item, without its secrets."""
        problems = [problem.without_nothing_written() for problem in error.problems]
        problem = problems[0]
        if len(problems) > 1:
            # What is wrong with one item counts once.
            problem = replace(problem, cause=format_cause(problems))
        problem = replace(
            problem, item=item.name, form=ProblemForm.ITEM_MISTAKE, subject=""
        )  # the item names the object
        self.state.mistakes.append(problem.with_texts(Secrets(item.secrets()).mask))

    # Reading

    def _read_lists(self) -> None:
        """Ask for one list for each kind that is certainly needed, and for each object of a list
        that leaves out what is compared.
        """
        needed = self._needed_kinds()
        all_objects = [
            self.source.get_objects(kind) for plural, kind in TABLES.items() if plural in needed
        ]
        self.read_at_once(SnapshotObjects.all, all_objects, "lists read")
        for objects in all_objects:
            self.complete(objects, self._compared(objects))

    def _needed_kinds(self) -> set[str]:
        needed = {plural for plural, items in self._items.items() if items} | self.deleting
        for item in chain.from_iterable(self._items.values()):
            for reference in item.wanted.references:
                if reference.name is not None or reference.field.copies:
                    needed.add(BY_PATH[reference.field.collection].plural)
        if DOMAIN.plural in self.deleting:
            needed.update(IN_DOMAINS)
        if any(
            CLIENT.plural in self.deleting or item.wanted.id is not None
            for item in self._items.get(DNS, ())
        ):
            needed.add(DOMAIN.plural)
        return needed

    def complete(
        self, objects: SnapshotObjects, needed: Iterable[tuple[PanelObject, Set[str]]]
    ) -> None:
        """Ask for each object that lacks any of its fields that are needed, since a panel may show
        a flag only where it is set.
        """
        incomplete = [(item, fields) for item, fields in needed if not fields <= item.keys()]
        self.read_at_once(lambda pair: objects.with_fields(*pair), incomplete)

    def _compared(self, objects: SnapshotObjects) -> Iterator[tuple[PanelObject, Set[str]]]:
        """Yield the objects of a list, each with the fields that are compared."""
        kind = objects.kind
        field = kind.key[-1]
        sought = self._sought_fields(kind)
        always: set[tuple[str, str]] = set()
        # It tells what is deleted with an object, or whether that is the last one.
        telling = PARENT if kind is DOMAIN else kind.rules.keep_last
        if telling is not None and kind.plural in self.deleting:
            always = {(telling, "")}
        for item in objects.all():
            name = field.normalize(item.get(field.name))
            pairs = {*always, *sought.get(item.get("id"), ()), *sought.get(name, ())}
            yield item, {name for name, hidden in pairs if item.get(hidden) is None}

    def _sought_fields(self, kind: Kind) -> dict[Any, set[tuple[str, str]]]:
        """Return by id or name the fields that are compared, each with another one that has to be
        hidden or null for it to count.
        """
        field = kind.key[-1]
        sought: dict[Any, set[tuple[str, str]]] = {}
        for item in self._items.get(kind.plural, ()):
            if item.is_absent:
                continue
            named = item.wanted.id or field.normalize(item.wanted.key.get(field.name))
            pairs = sought.setdefault(named, set())
            pairs.update((name, "") for name in list_compared_fields(kind, item.wanted))
            # What an object got from another one tells which it is where its id is not shown.
            for reference in item.wanted.references:
                pairs.update(
                    (name, reference.field.name) for name in reference.field.copies.values()
                )
        return sought

    def _read_zones(self) -> dict[ItemName, LocatedZone | PanelError]:
        """Return the zones by the names of their items; in place of one that is not to be had, why
        not.
        """
        items = self._items.get(DNS, [])
        if not items:
            return {}
        from .._dns.located_zone import locate_zone  # noqa: PLC0415 - most lists have no zones, and their package is large

        # The zones of new domains cannot be read yet.
        new_domains = self._find_new_keys(DOMAIN)
        new_clients = self._find_new_keys(CLIENT)

        def read(item: Item) -> LocatedZone | PanelError:
            zone: Any = item.zone
            try:
                return locate_zone(self.source, zone, new_domains, new_clients)
            except (Conflict, OptionError, Refused, UnexpectedAnswer, UnknownReference) as error:
                # Of what else fails, the other zones would only be asked for in vain.
                return error

        return dict(
            zip([item.name for item in items], self.read_at_once(read, items, "zones read"))
        )

    def _find_new_keys(self, kind: Kind) -> frozenset[str]:
        """Return the natural keys of the objects of a kind that the task creates."""
        wanted = [item.key for item in self._items.get(kind.plural, ()) if not item.is_absent]
        objects = self.source.get_objects(kind)
        return frozenset(key for key in wanted if not objects.candidates({kind.name_field: key}))

    def read_at_once(
        self, read: Callable[[Any], Any], wanted: Sequence[Any], counted: str = "objects read"
    ) -> list[Any]:
        """Read the first alone, since a panel that does not accept the key shall be asked once, and
        then several at once.
        """
        has_failed = threading.Event()

        def read_unless_failed(each: Any) -> Any:
            if has_failed.is_set():
                return None
            try:
                return read(each)
            except BaseException:
                has_failed.set()
                raise

        first = [read_unless_failed(each) for each in wanted[:1]]
        with ThreadPoolExecutor(self.source.client.limiter.most) as pool:
            results = chain(first, pool.map(read_unless_failed, wanted[1:]))
            return list(report_progress(results, counted, len(wanted), self._say))

    # Objects

    def _is_unchanged(self, item: Item) -> bool:
        """Tell whether the panel shows letter by letter what an item wants, as it mostly does; what
        does not is compared with care.
        """
        kind = TABLES[item.kind]
        wanted = item.wanted
        if item.is_absent or self.state.left_out or wanted.needs_careful_comparison():
            return False
        ids = self._exact_ids(wanted)
        if ids is None:
            return False
        key = {**wanted.key, **{path[0]: identifier for path, identifier in ids.items()}}
        current = _only(self.source.get_objects(kind).candidates(key))
        if current is None or any(
            get_value(current, path) != identifier for path, identifier in ids.items()
        ):
            return False
        flags = kind.creation_flags
        compared = {
            name: value
            for name, value in wanted.values.items()
            if name in current or name not in flags
        }
        if not contains(current, compared):
            return False
        self.state.claim(item, current)
        for reference in wanted.references:
            if ids[reference.path]:
                self.state.need([(reference.field.collection, ids[reference.path])], item)
        self.state.unchanged.append(Unchanged(item.kind, self._key(item, current), current["id"]))
        return True

    def _exact_ids(self, wanted: DesiredObject) -> dict[Path, int] | None:
        """Return the ids of what an item refers to by name; None where one cannot be told without
        care.
        """
        ids: dict[Path, int] = {}
        for reference in wanted.references:
            objects = self.source.get_objects_at(reference.field.collection)
            target = None
            if reference.name is not None:
                target = _only(objects.candidates({objects.kind.name_field: reference.name}))
            if reference.reapply or (target is None and reference.id != 0):
                return None
            ids[reference.path] = 0 if target is None else target["id"]
        return ids

    def _decide(self, item: Item) -> None:
        kind = TABLES[item.kind]
        wanted = self._without_left_out(item)
        location = locate_object(kind, wanted, self.source)
        self.state.claim(item, location.current)
        try:
            plan = prepare(location, self.source)
        except OptionError as error:
            if item.is_absent or not self._is_about_secret(kind, error.option):
                raise
            self._leave_out(item, error.option)
            return
        for warning in plan.warnings:
            self.state.warn(item, warning)
        if not item.is_absent:
            self.state.need(plan.dependencies, item)
        if plan.action == DELETE:
            self.mark_for_deletion(kind, item, dict(plan.current or {}))
        elif plan.action == NONE:
            self.state.unchanged.append(
                Unchanged(item.kind, self._key(item, plan.current), plan.identifier)
            )
        else:
            self._add(item, plan)

    def _without_left_out(self, item: Item) -> DesiredObject:
        """Return what an item wants without references to objects that are left out."""
        wanted = item.wanted
        lost = [
            reference
            for reference in wanted.references
            if (BY_PATH[reference.field.collection].plural, reference.name) in self.state.left_out
        ]
        if not lost:
            return wanted
        options = ", ".join(reference.option for reference in lost)
        self.state.warn(item, f"{options} is not set, since that object is left out.")
        kept = [reference for reference in wanted.references if reference not in lost]
        return wanted._replace(references=tuple(kept))

    def _is_about_secret(self, kind: Kind, option: str) -> bool:
        """Tell whether it is an option that holds a secret, or a group that cannot be given without
        one.
        """
        secrets = [path for path, field in kind.walk_fields() if field.secret and field.required]
        return any(option in (path[0], ".".join(path)) for path in secrets)

    def _leave_out(self, item: Item, option: str) -> None:
        """Go on without an object that needs a secret.

        An export has no secrets, nor what the panel shows incompletely; a rebuild goes on without
        the objects that need it, and says so.
        """
        result = {
            "id": None,
            "result": "skipped",
            "msg": f"{option}: not given, and needed to create it.",
        }
        self.state.left_out[item.kind, item.key] = {"kind": item.kind, "key": item.key, **result}
        problem = (
            f"it is not on this panel and cannot be created without {option}, so it is left out."
        )
        self.state.warn(item, f"{problem} Add that, and run again.")

    def _add(self, item: Item, plan: ObjectPlan) -> None:
        kind = plan.kind
        objects = self.source.get_objects(kind)
        name = item.kind, self._key(item, plan.owned)
        client = self.client_of(kind, {**(plan.current or {}), **plan.body})
        identities = set(plan.dependencies)
        if kind.rules.keep_last is not None and plan.body.get(kind.rules.keep_last) is False:
            # The actions that make others what the panel may not lose the last one of.
            identities |= {
                identity_of(kind, other)
                for other in objects.all()
                if other.get(kind.rules.keep_last)
            }
        needs = self.state.actions_before(identities) - {name}
        identifier = self.source.new_planned_id() if plan.action == CREATE else plan.identifier
        outcome = {**(plan.outcome or {}), "id": identifier}
        objects.put(outcome)
        identity = identity_of(kind, outcome)
        self.state.claimed[identity], self.state.pending[identity] = item, name
        for path, field in kind.walk_fields():
            referred = get_value(plan.current, path)
            if field.collection and referred:
                self.state.released_by.setdefault((field.collection, referred), set()).add(name)
        displayed = {"client": client, "before": plan.before, "after": plan.after}
        self.state.actions.append(Action(*name, plan, displayed, item, identifier, needs))

    def mark_for_deletion(self, kind: Kind, item: Item | None, current: PanelObject) -> None:
        """Note an object that is to be deleted. item: what asks for it; None for a purge."""
        if current.get("id") is None:
            raise unexpected_answer(
                kind.path, f"shows {self.name_of(kind, current)} without its id."
            )
        self.state.marked[identity_of(kind, current)] = MarkedObject(item, current)
        if kind.rules.keep_last is not None:
            # So that the next one is the last one.
            self.source.get_objects(kind).remove(current["id"])

    # Zones

    def _decide_zone(self, item: Item, read: LocatedZone | PanelError) -> None:
        if isinstance(read, PanelError):
            raise read
        from .._dns.located_zone import ZoneState  # noqa: PLC0415 - it is there, since a zone was read
        from .._dns.planning import plan_zone  # noqa: PLC0415 - it is there, since a zone was read
        from .._dns.zone_guards import refuse_masked_records  # noqa: PLC0415 - it is there, since a zone was read
        from .._dns.zone_warnings import find_warnings  # noqa: PLC0415 - it is there, since a zone was read

        wanted, domains = read.desired, self.source.get_objects(DOMAIN)
        name = wanted.domain or item.key
        # Two items would both write the whole zone, and the last one would take back what the other
        # one did.
        self.state.claim(item, {"id": DomainName().normalize(name)})
        plan = plan_zone(read.zone, wanted)
        refuse_masked_records(read.zone, plan, self.source.client.secrets.is_masked_form)
        for warning in (*wanted.warnings, *find_warnings(read.known_zone, wanted)):
            self.state.warn(item, warning)
        # The panel decides which records a new zone has (docs/panel_api.md#default-zones), so those
        # that have to go are looked for when there is a zone.
        is_planned_zone = read.state is ZoneState.PLANNED
        is_change = plan.is_change or (
            is_planned_zone and (wanted.purge or wanted.state == "absent")
        )
        is_needed = is_change or is_planned_zone or domains.has_list
        domain = (domains.find_by_key({"domain": name}) if is_needed else None) or {}
        identity = identity_of(DOMAIN, domain)
        if domain:
            self.state.need([identity], item)
        if is_change:
            client = self.client_of(DOMAIN, domain) or wanted.client
            displayed = _displayed_zone(plan, client)
            needs = self.state.actions_before([identity])
            self.state.actions.append(
                Action(DNS, name, ZoneChange(read), displayed, item, identity[1], needs)
            )
        else:
            self.state.unchanged.append(
                Unchanged(DNS, name, None if is_planned(identity[1]) else identity[1])
            )

    # Names

    def _key(self, item: Item, actual: Mapping[str, Any] | None) -> str:
        """Return the natural key; an item may name its object, or the owner of it, by id."""
        kind = TABLES[item.kind]
        wanted = item.wanted
        in_key = [reference for reference in wanted.references if reference.field in kind.key]
        is_named = wanted.id is None and all(reference.name is not None for reference in in_key)
        if is_named or actual is None:
            return item.key
        return self.name_of(kind, actual)

    def name_of(self, kind: Kind, actual: Mapping[str, Any]) -> str:
        """Return the natural key of an object of the panel, its parts joined with a colon; owners
        by their names.
        """
        parts = []
        for field in kind.key:
            value = actual.get(field.name)
            if field.collection:
                name = self._name_of_target(field.collection, value)
            else:
                name = field.type.display(value)
            if not name and value:
                name = f"id {value}"
            parts.append(str(name or ""))
        return ":".join(parts)

    def _name_of_target(self, path: str, identifier: Any) -> Any:
        if not isinstance(identifier, int):
            return None
        target = self.source.get_objects_at(path).find_by_id(identifier) or {}
        return target.get(BY_PATH[path].name_field)

    def client_of(self, kind: Kind, actual: Mapping[str, Any]) -> str | None:
        """Return the name of the client whose object it is; None where it is nobody's, or the panel
        does not say whose.
        """
        if kind is CLIENT:
            return actual.get(CLIENT.name_field)
        if kind.owner is None:
            return None
        owner = read_owner_id(actual)
        domain = kind.read_domain(actual) if owner is None else None
        if domain is not None:
            domains = self.source.get_objects(DOMAIN)
            owner = read_owner_id(
                domains.find_by_key({DOMAIN.name_field: domain}, [kind.owner.name]) or {}
            )
        if owner is None and actual.get("id") is not None:
            owner = read_owner_id(
                self.source.get_objects(kind).with_fields(dict(actual), [kind.owner.name]) or {}
            )
        if not owner:
            return None
        client = self.source.get_objects(CLIENT).find_by_id(owner) or {}
        return client.get(CLIENT.name_field)


def _displayed_zone(plan: ZonePlan, client: str | None) -> dict[str, Any]:
    """Return what a plan shows of a change of a zone, whose entries say which records change."""
    before, after = dict(plan.before), dict(plan.after)
    before.pop("records", None)
    after.pop("records", None)
    return {"client": client, "before": before, "after": after, "entries": plan.entries}

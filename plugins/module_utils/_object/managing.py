# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manages one object of a kind: observe, desire, plan, apply, report. Private to the collection."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, NamedTuple

from .._errors import (
    Conflict,
    PanelError,
    Refused,
    RequestError,
    UnknownReference,
)
from .._rows.difference import Resolved
from .._rows.nested import value_at
from .._rows.options import (
    Wanted,
    argument_spec,
    constraints,
    read_wanted,
)
from .._rows.reference import Reference, WantedReference
from .._rows.tables import Change, Kind
from .._secrets.redaction import without_secrets
from .._task.operation import Operation, Outcome, Task
from .._values.ids import read_id
from .._values.seconds import check_seconds
from .objects import Objects
from .panel import Panel
from .planning import Plan, make_plan
from .waiting import (
    ERROR,
    OKAY,
    NotApplied,
    wait_until_applied,
)
from .written import Written

if TYPE_CHECKING:
    from .foreseeing import Foreseeing


class NotReadBack(PanelError):
    """The panel has what was wanted, and did not show it afterwards."""


def resource_operation(kind: Kind) -> Operation:
    """The operation of the module that manages one object of this kind."""
    return Operation(
        options=argument_spec(kind),
        constraints=constraints(kind),
        run=lambda params, task: _run(kind, params, task),
    )


def _run(kind: Kind, params: Mapping[str, Any], task: Task) -> Outcome:
    if params.get("wait_timeout") is not None:
        check_seconds("wait_timeout", params["wait_timeout"], 0)
    run = ObjectRun(kind, read_wanted(kind, params), Panel(lambda: task.client), task.check_mode, task.predicted)
    planned = run.plan()
    task.warnings += run.warnings
    if task.check_mode and not _has_failed(planned):
        return _report(run, planned.plan, planned.plan.object, None, params)
    applied = run.apply(planned)
    task.warnings += [warning for warning in run.warnings if warning not in task.warnings]
    return _finish(run, applied, params)


def _has_failed(planned: Planned) -> bool:
    """Whether nothing is to be changed about an object that the panel could not apply; waiting for it fails, in check mode too."""
    return planned.plan.action == "none" and (planned.current or {}).get("status") == ERROR


class Planned(NamedTuple):
    """What is to be done with an object, and the object as it is; None where it is not there."""

    plan: Plan
    current: Mapping[str, Any] | None


class Applied(NamedTuple):
    """What came of a plan: the one that was carried out, the object's id, where it is known, and the password that the panel generated.

    plan: another one where the object was there by now, or gone.
    """

    plan: Plan
    id: Any = None
    password: str | None = None


def shows_everything(kind: Kind, shown: Set[str]) -> bool:
    """Whether these members are all that an object of this kind may be compared by."""
    return all(row.is_told_by(shown) for row in (*kind.key, *kind.rows))


class ObjectRun:
    """Brings one object to what is wanted of it: ``plan`` reads, ``apply`` writes.

    panel: where objects are looked up and written. is_lenient: whether a missing reference is only warned about, since an earlier task
    may be about to create it. predicted: what earlier tasks would create, as far as it is known, by the singular of its kind.
    """

    def __init__(
        self,
        kind: Kind,
        wanted: Wanted,
        panel: Panel,
        is_lenient: bool = False,
        predicted: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    ) -> None:
        self.kind, self.wanted, self.panel, self.is_lenient = kind, wanted, panel, is_lenient
        self.predicted = predicted or {}
        self.owner: Mapping[str, Any] = {}  # the members that tell whose a new object is
        self.warnings: list[str] = []
        self.resolved: dict[tuple[str, ...], Resolved] = {}

    @functools.cached_property
    def objects(self) -> Objects:
        return self.panel.objects(self.kind)

    def plan(self) -> Planned:
        """Reads the object and what it refers to, and compares."""
        return self._planned_for(self._observe(self.objects))

    def _planned_for(self, current: Mapping[str, Any] | None) -> Planned:
        ambient: dict[str, Any] = {}
        if current is None:
            # What is created has nothing that could be out of date.
            references = tuple(reference for reference in self.wanted.references if reference.is_given)
            self.wanted = self.wanted._replace(references=references)
        for reference in self._compared_references(current):
            if reference.path not in self.resolved:
                self.resolved[reference.path] = self._resolve(reference, current)
            self._name_before(reference, current)
            self._name_instead(reference, current)
        if self.wanted.is_present and current is None:
            ambient = self._inherited()
        plan = make_plan(self.kind, self.wanted, current, self.resolved, ambient)
        if plan.action == "create":
            try:
                self.owner = self._foreseeing.check_new(plan.body)
            except Conflict:
                # Somebody else may have made the object meanwhile, and with it what is in its way.
                found = self._find_again()
                if found is None:
                    raise
                self.objects.note(found)
                return self._planned_for(found)
        elif plan.action == "update" and current is not None:
            self._foreseeing.check_change(current, plan.body, plan.outcome or {})
            self.warnings += self._foreseeing.about_copies(current, plan.body)
        self.warnings += plan.warnings
        self._guard_id(plan, current or {})
        self._guard_last(plan, current or {})
        return Planned(plan, current)

    def _compared_references(self, current: Mapping[str, Any] | None) -> Iterable[WantedReference]:
        """Those that decide something: all of an object that shall be there, and of one that shall go those that tell which it is."""
        if self.wanted.is_present:
            return self.wanted.references
        return [one for one in self.wanted.references if current is not None and one.row.tells_which]

    def _observe(self, objects: Objects) -> dict[str, Any] | None:
        wanted = self.wanted
        if wanted.id is not None:
            current = objects.by_id(wanted.id)
            if current is None and wanted.is_present:
                raise Conflict(
                    f"id: the panel has no {self.kind.title} with id {wanted.id}, and a {self.kind.title} is never created under "
                    "another id. Name it by its natural key instead. Nothing was written.",
                    option="id",
                )
            return current
        key = self._key_with_ids()
        if key is None:
            return None
        current = objects.by_key(key, self.needed(), wanted.label())
        if wanted.new_name is not None and wanted.is_present:
            return self._observe_rename(objects, current, key)
        return current

    def _observe_rename(
        self, objects: Objects, current: dict[str, Any] | None, key: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        member = self.kind.name_member
        if self.wanted.new_name == key[member]:
            return current
        renamed = objects.by_key({**key, member: self.wanted.new_name}, self.needed())
        if current is not None and renamed is not None:
            raise Conflict(
                f"new_name: the {self.kind.title} {key[member]} cannot be renamed, since {self.wanted.new_name} exists too "
                f"(ids {current.get('id')} and {renamed.get('id')}). Nothing was written.",
                option="new_name",
            )
        return current if current is not None else renamed

    def _key_with_ids(self) -> dict[str, Any] | None:
        """The natural key with ids for references; None where a referenced object does not exist, so nothing can be in it."""
        key: dict[str, Any] = {}
        references = {reference.path: reference for reference in self.wanted.references}
        for row in self.kind.key:
            reference = references.get((row.name,))
            if reference is None:
                key[row.name] = self.wanted.key[row.name]
                continue
            if reference.id is None and not self.wanted.is_present:
                found = self._look_up(reference)
                if found is None:
                    return None
                target = Resolved(found.get("id"), found)
            else:
                target = self._resolve(reference, None)
            self.resolved[reference.path] = target
            if target.id is None:
                return None
            key[row.name] = target.id
        return key

    def found(self) -> Mapping[str, Any] | None:
        """The object as it is; None where it is not there, or where that cannot be told, which ``plan`` will explain."""
        try:
            return self._observe(self.objects)
        except PanelError:
            return None

    def needed(self) -> frozenset[str]:
        """The members that are compared; flags of creation and references that can be told without their id are not."""
        wanted = self.wanted
        references = {r.path[0] for r in wanted.references if r.row.alike is None}
        references = references.union(*(r.row.telling for r in wanted.references if r.reapply))
        hashes = {"password_hash"} if wanted.password.password_hash is not None else set()
        return frozenset((wanted.values.keys() - self.kind.flags_of_creation) | references | set(wanted.extra) | hashes)

    def is_short(self, found: Mapping[str, Any]) -> bool:
        """Whether an object of a list leaves out something that is compared."""
        shown = found.keys()
        references = [reference.row for reference in self.wanted.references if len(reference.path) == 1]
        return not self.needed() <= shown or not all(row.is_told_by(shown) for row in references)

    def _look_up(self, reference: WantedReference) -> Mapping[str, Any] | None:
        return self.panel.look_up(reference.row.collection, reference.name, reference.id)

    def _resolve(self, reference: WantedReference, current: Mapping[str, Any] | None) -> Resolved:
        row = reference.row
        if not reference.is_given:
            return self._resolve_again(row, current or {})
        if reference.id is not None and not (reference.reapply and current is not None):
            is_readable = current is None or current.get(row.name) is not None or row.alike is None
            if reference.id == 0 or is_readable:
                return Resolved(reference.id)
        found = self._look_up(reference)
        if found is not None:
            return Resolved(found.get("id", reference.id), found)
        shown = reference.name if reference.name is not None else f"with id {reference.id}"
        self._missing(reference.option, f"{reference.option}: there is no {row.noun} {shown} on this panel.")
        return Resolved(None)

    def _resolve_again(self, row: Reference, current: Mapping[str, Any]) -> Resolved:
        """The object that this one refers to already."""
        identifier = read_id(current.get(row.name))
        found = self.panel.look_up(row.collection, None, identifier) if identifier else None
        if found is None:
            raise Conflict(
                f"{row.reapply}: the panel does not show which {row.noun} the {self.kind.title} {self.wanted.label()} has. Give {row.option} "
                "too. Nothing was written.",
                option=row.reapply,
            )
        return Resolved(found.get("id", identifier), found)

    def _name_before(self, reference: WantedReference, current: Mapping[str, Any] | None) -> None:
        """Notes the name of what the object refers to now, where no request is needed for it."""
        holder = value_at(current, reference.path[:-1])
        if isinstance(holder, Mapping):
            before = self.panel.known_name(reference.row.collection, holder.get(reference.row.name))
            self.resolved[reference.path] = self.resolved[reference.path]._replace(before=before)

    def _name_instead(self, reference: WantedReference, current: Mapping[str, Any] | None) -> None:
        """Looks up the names of both, where an object refers to another one than is wanted and cannot be changed."""
        row, target = reference.row, self.resolved[reference.path]
        if current is None or row.change is not Change.IDENTITY or len(reference.path) > 1:
            return
        shown = row.shown(current)
        if row.is_another(target, shown):
            there = self.panel.shown(row, shown)
            wanted = f"the {row.noun} {reference.name}" if reference.name else self.panel.shown(row, reference.id)
            self.resolved[reference.path] = target._replace(instead=(there, wanted))

    def _inherited(self) -> dict[str, Any]:
        """Ids that an omitted reference takes over from another object when this one is created; None where only check mode goes on."""
        inherited: dict[str, Any] = {}
        given = {reference.path for reference in self.wanted.references}
        for row in self.kind.references:
            if row.inherit is not None and (row.name,) not in given:
                source = self._foreseeing.source_of(row.inherit)
                if source is None:
                    continue
                identifier = read_id(source.get(row.inherit.member), least=0)
                if identifier is None and source.get("id") is not None:
                    raise self._hidden(row)
                inherited[row.name] = identifier
        return inherited

    @functools.cached_property
    def _foreseeing(self) -> Foreseeing:
        # Late, because most runs change nothing.
        from .foreseeing import Foreseeing

        return Foreseeing(self.kind, self.wanted, self.panel, self.resolved, self.predicted)

    def _missing(self, option: str, problem: str) -> None:
        """Fails, or in check mode goes on, because an earlier task may be about to create it."""
        if not self.is_lenient or not self.wanted.is_present:
            raise UnknownReference(
                f"{problem} Create it first, or correct the name. Nothing was written.", option=option
            )
        self.warnings.append(
            f"{problem} Check mode assumes that an earlier task creates it; otherwise the real run fails here."
        )

    def _guard_id(self, plan: Plan, current: Mapping[str, Any]) -> None:
        identifier = current.get("id")
        if plan.action in ("update", "delete") and identifier is None:
            raise Conflict(
                f"The panel shows no id of the {self.kind.title} {self.wanted.label()}. Nothing was written."
            )

    def _guard_last(self, plan: Plan, current: Mapping[str, Any]) -> None:
        member = self.kind.keep_last
        if member is None or not current.get(member, True):
            return
        if plan.action != "delete" and not (plan.action == "update" and plan.body.get(member) is False):
            return
        if sum(1 for item in self.objects.list() if item.get(member, True)) < 2:
            raise Conflict(
                f"The {self.kind.title} {current.get(self.kind.name_member)} is the last one with {member}, and without one nobody "
                "can manage the panel. It is never deleted, and stays what it is. Nothing was written."
            )

    def apply(self, planned: Planned, is_again: bool = False) -> Applied:
        """Writes the plan: nothing, or one request; where the object is there by now, or gone, what it needs then."""
        plan, current = planned.plan, planned.current
        identifier: Any = current.get("id") if current else None
        self._guard_references(plan)
        if plan.action == "create":
            written = self._created(plan)
            if written.instead is not None:
                return self._apply_to(written.instead)
            return Applied(plan, written.id, written.password)
        if plan.action == "none":
            return Applied(plan, identifier)
        if plan.action == "delete":
            self.objects.delete(identifier)
            return Applied(plan)
        try:
            written = self.objects.update(identifier, plan.body)
        except Refused as refusal:
            is_gone = refusal.details.get("status") == 404
            if is_again or not (is_gone or self.kind.name_member in plan.body):
                raise
            return self._apply_to(self._found_behind(refusal, identifier), identifier)
        if plan.generates and not written.password:
            raise PanelError(
                f"The panel was asked for a new password of the {self.kind.title} {self.wanted.label()} and did not show one. The old one "
                "may not work any more; run the task again with regenerate_password: true, or give a password."
            )
        return Applied(plan, identifier, written.password if plan.generates else None)

    def _created(self, plan: Plan) -> Written:
        if self.kind.is_unique:
            return self.objects.create(plan.body, plan.generates, self._find_again, self._is_ours)
        with self.objects.alone(plan.body) as objects:
            found = self._find_again(objects)
            if found is not None:
                return Written(found.get("id"), None, instead=found)
            written = self.objects.create(plan.body, plan.generates, self._find_again, self._is_ours)
        if self.objects.looks_at_each and written.instead is None and written.id is not None:
            self._look_at(written.id, plan.body, written.password)
        return written

    def _look_at(self, identifier: int, body: Mapping[str, Any], password: str | None) -> None:
        """Warns or fails where the new object would not be found again."""
        # Late, because most runs create nothing that the panel would make twice.
        from .kept import looked_at

        found = looked_at(self.objects, self.kind, {identifier: body}).get(identifier)
        if isinstance(found, PanelError):
            if password and "result" in found.details:
                found.details["result"]["generated_password"] = password
            raise found
        if found is not None:
            self.warnings.append(found)

    def _found_behind(self, refusal: Refused, identifier: Any) -> Mapping[str, Any] | None:
        """What is there in the place of an object whose change was refused; raises the refusal where it is still that one."""
        try:
            found = self._observe(self.objects.now())
        except RequestError:
            raise refusal from None
        if found is not None and found.get("id") == identifier:
            raise refusal
        return found

    def _apply_to(self, found: Mapping[str, Any] | None, gone: Any = None) -> Applied:
        """Goes on with what is there now. gone: the id of what was to be changed."""
        self.objects.note(found, gone)
        return self.apply(self._planned_for(found), is_again=True)

    def _guard_references(self, plan: Plan) -> None:
        """An object is never written without an owner because the panel did not say whose id that is."""
        for row in self.kind.references:
            if plan.body.get(row.name, 0) is None:
                raise self._hidden(row)

    def _hidden(self, row: Reference) -> Conflict:
        return Conflict(
            f"{row.option}: the panel does not show the id that {row.name} of the {self.kind.title} {self.wanted.label()} has to be, or "
            f"shows something else there. Give {row.name} itself. Nothing was written.",
            option=row.option,
        )

    def _find_again(self, objects: Objects | None = None) -> Mapping[str, Any] | None:
        wanted = self.wanted.key
        key = {
            row.name: wanted[row.name] if row.name in wanted else self.resolved[row.name,].id for row in self.kind.key
        }
        if self.wanted.new_name is not None:
            key[self.kind.name_member] = self.wanted.new_name
        return (self.objects.now() if objects is None else objects).by_key(key, self.needed())

    def _is_ours(self, found: Mapping[str, Any]) -> bool:
        """Whether the found object needs no change but for what cannot be read."""
        try:
            plan = make_plan(self.kind, _without_password(self.wanted), found, self.resolved)
        except Conflict:
            return False
        shown = {name for name in plan.body if name in found}
        return not shown


def _finish(run: ObjectRun, applied: Applied, params: Mapping[str, Any]) -> Outcome:
    """Reports after a write that succeeded; a wait or a reading back that fails still hands over a generated password."""
    plan = applied.plan
    shown = None if plan.object is None else {**plan.object, **({"id": applied.id} if applied.id is not None else {})}
    label = f"the {run.kind.title} {run.wanted.label()}"
    try:
        if _waits(run, params) and applied.id is not None:
            _wait(run, applied.id, label, params["wait_timeout"])
        if params.get("read_back") and plan.action in ("create", "update") and applied.id is not None:
            return _report(run, plan, _read_back(run, applied.id, label), applied.password, params)
    except (NotApplied, NotReadBack) as error:
        # The status of the object, and not that of a request which failed.
        if isinstance(error, NotApplied) and "method" not in error.details:
            shown = {**(shown or {}), "status": error.details.get("status")}
        error.details["result"] = {
            "changed": plan.action != "none",
            run.kind.singular: shown,
            **({"generated_password": applied.password} if applied.password else {}),
        }
        raise
    return _report(run, plan, shown, applied.password, params)


def _wait(run: ObjectRun, identifier: Any, label: str, timeout: float) -> None:
    try:
        wait_until_applied(lambda: run.objects.by_id(identifier), label, timeout)
    except RequestError as error:
        raise NotApplied(
            f"The panel stored {label}, and the wait for it to be applied failed: {error.what} Run the task again to wait for it.",
            **error.details,
        ) from None


def _read_back(run: ObjectRun, identifier: Any, label: str) -> Mapping[str, Any]:
    """The object with all its members, without secrets; raises NotReadBack."""
    try:
        found = run.objects.by_id(identifier)
        problem = "it is gone again: somebody else deleted it meanwhile."
        details: dict[str, Any] = {}
    except RequestError as error:
        found, problem, details = None, error.what, error.details
    if found is None:
        raise NotReadBack(
            f"The panel stored {label}, but reading it back failed: {problem} The task has done its work and need not be repeated. "
            "Look at the object with the info module.",
            **details,
        )
    shown: Mapping[str, Any] = without_secrets(found)
    return shown


def _waits(run: ObjectRun, params: Mapping[str, Any]) -> bool:
    return run.kind.has_status and bool(params.get("wait")) and run.wanted.is_present


def _report(
    run: ObjectRun, plan: Plan, shown: Mapping[str, Any] | None, password: str | None, params: Mapping[str, Any]
) -> Outcome:
    if shown is not None and _waits(run, params):
        shown = {**shown, "status": OKAY}
    return Outcome(
        changed=plan.action != "none",
        result={run.kind.singular: shown},
        before=plan.before,
        after=plan.after,
        generated_password=password,
    )


def _without_password(wanted: Wanted) -> Wanted:
    return Wanted(True, wanted.id, wanted.key, wanted.new_name, wanted.values, wanted.references, wanted.extra)

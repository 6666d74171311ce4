# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manages one object of a kind: look up what it refers to, observe, plan, apply, report. Private to the collection."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Set
from typing import Any, NamedTuple

from .._errors import NOTHING_WRITTEN, Conflict, PanelError, Refused, RequestError, UnknownReference
from .._kinds.registry import CONTENTS
from .._schema.difference import Path, Resolved, value_at
from .._schema.fields import Reference, WantedReference
from .._schema.kind import Change, Kind, Wanted, argument_spec, constraints, read_wanted
from .._secrets.redaction import without_secrets
from .._task.operation import Operation, Outcome, Task
from .._values.json_values import read_id
from .._values.value_types import check_seconds
from .creation import Written
from .objects import Objects, Panel
from .planning import Plan, make_plan
from .preconditions import ASSUMED, Preconditions
from .stored_keys import looked_at, may_be_kept_otherwise
from .waiting import ERROR, OKAY, NotApplied, wait_until_applied


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
    run = ObjectRun(kind, read_wanted(kind, params), Panel(lambda: task.client), task.check_mode)
    reporting = Reporting(run, params)
    planned = run.plan()
    task.warnings += run.warnings
    if task.check_mode and not _has_failed(planned):
        return reporting.foretold(planned.plan)
    applied = run.apply(planned)
    task.warnings += [warning for warning in run.warnings if warning not in task.warnings]
    return reporting.finished(applied, run.objects)


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


class ExistsByNow(Conflict):
    """An object that an approved plan creates was made by somebody else in the meantime; it is left alone."""


# What was to be deleted had been by somebody else, or by an earlier run that the panel's list does not show yet.
GONE_ALREADY = Applied(Plan("none"))


def shows_everything(kind: Kind, shown: Set[str]) -> bool:
    """Whether these members are all that an object of this kind may be compared by."""
    return all(row.is_told_by(shown) for row in (*kind.key, *kind.rows))


class ObjectRun:
    """Brings one object to what is wanted of it: ``plan`` reads, ``apply`` writes.

    panel: where objects are looked up and written. is_lenient: whether a missing reference is only warned about, since an earlier task
    may be about to create it. is_exact: whether an object that is there by now, or gone, is a failure, since another one was approved.
    is_planned: whether an object that is gone is a failure, since no file has a password for a new one.
    """

    def __init__(
        self,
        kind: Kind,
        wanted: Wanted,
        panel: Panel,
        is_lenient: bool = False,
        is_exact: bool = False,
        is_planned: bool = False,
    ) -> None:
        self.kind, self.wanted, self.panel = kind, wanted, panel
        self._is_exact, self._is_planned = is_exact, is_planned
        self.label = wanted.label()  # the object in the words of a message
        self.owner: Mapping[str, Any] = {}  # the members that tell whose a new object is
        self.warnings: list[str] = []
        self._lenient = self.warnings if is_lenient and wanted.is_present else None
        self._references = References(kind, wanted, panel, self._lenient)

    @functools.cached_property
    def objects(self) -> Objects:
        return self.panel.objects(self.kind)

    @property
    def resolved(self) -> Mapping[Path, Resolved]:
        """By the paths of references the objects that they lead to."""
        return self._references.resolved

    def plan(self) -> Planned:
        """Reads the object and what it refers to, and compares."""
        return self._planned_for(self._observe(self.objects))

    def _planned_for(self, current: Mapping[str, Any] | None) -> Planned:
        references = self.wanted.references
        if current is None:
            # What is created has nothing that could be out of date.
            references = tuple(reference for reference in references if reference.is_given)
            self.wanted = self.wanted._replace(references=references)
        if self.wanted.is_present:
            self._references.follow(references, current)
        elif current is not None:
            self._references.follow([one for one in references if one.row.tells_which], current)
        is_new = self.wanted.is_present and current is None
        inherited = self._preconditions.inherited() if is_new else {}
        plan = make_plan(self.kind, self.wanted, current, self.resolved, inherited)
        if plan.action == "create":
            try:
                self.owner = self._preconditions.check_new(plan.body)
            except Conflict:
                # Somebody else may have made the object meanwhile, and with it what is in its way.
                found = self._find_again(self.objects.after_all())
                if found is None:
                    raise
                self.objects.note(found)
                return self._planned_for(found)
            self.warnings += self._preconditions.about_others(plan.body, self.owner)
        elif plan.action == "update" and current is not None:
            self._preconditions.check_change(current, plan.body, plan.outcome or {})
            self.warnings += self._preconditions.about_copies(current, plan.body)
        self.warnings += plan.warnings
        self._guard_id(plan, current or {})
        self._guard_last(plan, current or {})
        return Planned(plan, current)

    def _observe(self, objects: Objects) -> dict[str, Any] | None:
        wanted = self.wanted
        if wanted.id is not None:
            current = objects.by_id(wanted.id)
            if current is None and wanted.is_present:
                raise Conflict(
                    f"id: the panel has no {self.kind.title} with id {wanted.id}, and {self.kind.a_title} is never created under "
                    "another id. Name it by its natural key instead. Nothing was written.",
                    option="id",
                )
            return current
        key = self._references.key()
        if key is None:
            return None
        is_renamed = wanted.is_present and wanted.new_name is not None
        may_be_created = wanted.is_present and not is_renamed
        current = objects.by_key_at_first(key, self.needed(), self.label, may_be_created)
        return self._observe_rename(objects, current, key) if is_renamed else current

    def _observe_rename(
        self, objects: Objects, current: dict[str, Any] | None, key: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        member = self.kind.name_member
        if self.wanted.new_name == key[member]:
            return current
        renamed = objects.by_key_at_first({**key, member: self.wanted.new_name}, self.needed(), "", False)
        if current is not None and renamed is not None:
            raise Conflict(
                f"new_name: the {self.kind.title} {key[member]} cannot be renamed, since {self.wanted.new_name} exists too "
                f"(ids {current.get('id')} and {renamed.get('id')}). Nothing was written.",
                option="new_name",
            )
        return current if current is not None else renamed

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

    @functools.cached_property
    def _preconditions(self) -> Preconditions:
        return Preconditions(self.kind, self.wanted, self.label, self.panel, self.resolved, self._lenient)

    def _guard_id(self, plan: Plan, current: Mapping[str, Any]) -> None:
        identifier = current.get("id")
        if plan.action in ("update", "delete") and identifier is None:
            raise Conflict(f"The panel shows no id of the {self.kind.title} {self.label}. Nothing was written.")

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
                self._refuse_another(written.instead)
                return self._apply_to(written.instead)
            return Applied(plan, written.id, written.password)
        if plan.action == "none":
            return Applied(plan, identifier)
        if plan.action == "delete":
            return Applied(plan) if self._deleted(identifier) else GONE_ALREADY
        try:
            written = self.objects.update(identifier, plan.body)
        except Refused as refusal:
            is_gone = refusal.details.get("status") == 404
            stays = self._is_exact or (self._is_planned and is_gone)
            if is_again or stays or not (is_gone or self.kind.name_member in plan.body):
                raise
            return self._apply_to(self._found_behind(refusal, identifier), identifier)
        if plan.generates and not written.password:
            raise PanelError(
                f"The panel was asked for a new password of the {self.kind.title} {self.label} and did not show one. The old one "
                "may not work any more; run the task again with regenerate_password: true, or give a password."
            )
        return Applied(plan, identifier, written.password if plan.generates else None)

    def _refuse_another(self, found: Mapping[str, Any]) -> None:
        """Raises ExistsByNow where only a new object was approved."""
        if self._is_exact:
            raise ExistsByNow(
                f"The {self.kind.title} {self.label} exists by now, with id {found.get('id')}: someone created it after the plan was made. "
                "expected_checksum allows only its creation, so nothing was written for it. Plan again.",
            )

    def _deleted(self, identifier: int) -> bool:
        """Whether this task deleted it; a refusal says what may have to go first."""
        try:
            return self.objects.delete(identifier)
        except Refused as refusal:
            contents = CONTENTS.get(self.kind.plural)
            if not contents:
                raise
            unwritten = "" if refusal.may_have_written else f" {NOTHING_WRITTEN}"
            raise Refused(
                f"{refusal.what}{unwritten} Where this panel does not take along what is in the {self.kind.title}, delete "
                f"what is in it first: {', '.join(contents)}. hosting.panel.panel_resources does both in one task. Then run the task again.",
                **refusal.details,
            ) from refusal

    def _created(self, plan: Plan) -> Written:
        if self.kind.is_unique:
            written = self.objects.create(plan.body, plan.generates, self._find_again, self._is_ours)
        else:
            with self.objects.alone(plan.body) as objects:
                found = self._find_again(objects)
                if found is not None:
                    return Written(found.get("id"), None, instead=found)
                written = self.objects.create(plan.body, plan.generates, self._find_again, self._is_ours)
        if written.instead is not None or written.id is None or not self.objects.looks_at_each:
            return written
        if self.kind.may_be_kept_otherwise and may_be_kept_otherwise(self.kind, self.wanted, plan.body):
            self._look_at(written.id, plan.body, written.password)
        return written

    def _look_at(self, identifier: int, body: Mapping[str, Any], password: str | None) -> None:
        """Warns or fails where the new object would not be found again."""
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
                raise row.hidden(f"{self.kind.title} {self.label}")

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


def _without_password(wanted: Wanted) -> Wanted:
    return Wanted(True, wanted.id, wanted.key, wanted.new_name, wanted.values, wanted.references, wanted.extra)


class References:
    """Follows references, each once; ``resolved`` has by their paths what they lead to.

    wanted: the object that has them. warnings: what is added to where a missing object is only warned about; None where it is an error.
    """

    def __init__(self, kind: Kind, wanted: Wanted, panel: Panel, warnings: list[str] | None) -> None:
        self._kind, self._wanted, self._panel, self._warnings = kind, wanted, panel, warnings
        self.resolved: dict[Path, Resolved] = {}

    def follow(self, references: Iterable[WantedReference], current: Mapping[str, Any] | None) -> None:
        """Looks up where these lead to. current: the object as it is."""
        for reference in references:
            target = self.resolved.get(reference.path) or self._look_up(reference, current)
            self.resolved[reference.path] = self._named(reference, target, current)

    def key(self) -> dict[str, Any] | None:
        """The natural key with ids for references; None where a referenced object does not exist, so nothing can be in it."""
        key: dict[str, Any] = {}
        references = {reference.path: reference for reference in self._wanted.references}
        for row in self._kind.key:
            reference = references.get((row.name,))
            if reference is None:
                key[row.name] = self._wanted.key[row.name]
                continue
            if reference.id is None and not self._wanted.is_present:
                found = self._panel.look_up(row.refers_to, reference.name)
                if found is None:
                    return None
                target = Resolved(found.get("id"), found)
            else:
                target = self._look_up(reference, None)
            self.resolved[reference.path] = target
            if target.id is None:
                return None
            key[row.name] = target.id
        return key

    def _look_up(self, reference: WantedReference, current: Mapping[str, Any] | None) -> Resolved:
        row = reference.row
        if not reference.is_given:
            return self._look_up_again(row, current or {})
        if reference.id is not None and not (reference.reapply and current is not None):
            is_readable = current is None or current.get(row.name) is not None or row.alike is None
            if reference.id == 0 or is_readable:
                return Resolved(reference.id)
        found = self._panel.look_up(row.collection, reference.name, reference.id)
        if found is not None:
            return Resolved(found.get("id", reference.id), found)
        shown = reference.name if reference.name is not None else f"with id {reference.id}"
        problem = f"{reference.option}: there is no {row.noun} {shown} on this panel."
        if self._warnings is None:
            raise UnknownReference(
                f"{problem} Create it first, or correct the name. Nothing was written.", option=reference.option
            )
        self._warnings.append(f"{problem} {ASSUMED}")
        return Resolved(None)

    def _look_up_again(self, row: Reference, current: Mapping[str, Any]) -> Resolved:
        """The object that this one refers to already."""
        identifier = read_id(current.get(row.name))
        found = self._panel.look_up(row.collection, None, identifier) if identifier else None
        if found is None:
            raise Conflict(
                f"{row.reapply}: the panel does not show which {row.noun} the {self._kind.title} {self._wanted.label()} has. Give {row.option} "
                "too. Nothing was written.",
                option=row.reapply,
            )
        return Resolved(found.get("id", identifier), found)

    def _named(self, reference: WantedReference, target: Resolved, current: Mapping[str, Any] | None) -> Resolved:
        """The same with the name of what the object refers to now, where it is known or where the two are a conflict."""
        row, holder = reference.row, value_at(current, reference.path[:-1])
        if not isinstance(holder, Mapping):
            return target
        target = target._replace(before=self._panel.known_name(row.collection, holder.get(row.name)))
        shown = row.shown(holder)
        if row.change is Change.IDENTITY and len(reference.path) == 1 and row.is_another(target, shown):
            there = self._panel.shown(row, shown)
            wanted = f"the {row.noun} {reference.name}" if reference.name else self._panel.shown(row, reference.id)
            return target._replace(instead=(there, wanted))
        return target


class NotReadBack(PanelError):
    """The panel has what was wanted, and did not show it afterwards."""


class Reporting:
    """Makes the result of a task about one object. params: its options."""

    def __init__(self, run: ObjectRun, params: Mapping[str, Any]) -> None:
        self._kind, self._params = run.kind, params
        self._object = f"the {run.kind.title} {run.label}"
        self._waits = run.kind.has_status and bool(params.get("wait")) and run.wanted.is_present

    def foretold(self, plan: Plan) -> Outcome:
        """The result of a plan that is not carried out."""
        return self._result(Applied(plan), plan.object)

    def finished(self, applied: Applied, objects: Objects) -> Outcome:
        """The result after a write that succeeded; a wait or a reading back that fails still hands over a generated password."""
        plan, identifier = applied.plan, applied.id
        shown = plan.object
        if shown is not None and identifier is not None:
            shown = {**shown, "id": identifier}
        try:
            if self._waits and identifier is not None:
                self._wait(objects, identifier)
            if self._params.get("read_back") and plan.action in ("create", "update") and identifier is not None:
                shown = self._read_back(objects, identifier)
        except (NotApplied, NotReadBack) as error:
            # The status of the object, and not that of a request which failed.
            if isinstance(error, NotApplied) and "method" not in error.details:
                shown = {**(shown or {}), "status": error.details.get("status")}
            error.details["result"] = {
                "changed": plan.action != "none",
                self._kind.singular: shown,
                **({"generated_password": applied.password} if applied.password else {}),
            }
            raise
        return self._result(applied, shown)

    def _result(self, applied: Applied, shown: Mapping[str, Any] | None) -> Outcome:
        if shown is not None and self._waits:
            shown = {**shown, "status": OKAY}
        return Outcome(
            changed=applied.plan.action != "none",
            result={self._kind.singular: shown},
            before=self._kind.with_sizes_in_words(applied.plan.before),
            after=self._kind.with_sizes_in_words(applied.plan.after),
            generated_password=applied.password,
        )

    def _wait(self, objects: Objects, identifier: Any) -> None:
        try:
            wait_until_applied(lambda: objects.by_id(identifier), self._object, self._params["wait_timeout"])
        except RequestError as error:
            raise NotApplied(
                f"The panel stored {self._object}, and the wait for it to be applied failed: {error.what} Run the task again to wait for it.",
                **error.details,
            ) from None

    def _read_back(self, objects: Objects, identifier: Any) -> Mapping[str, Any]:
        """The object with all its members, without secrets; raises NotReadBack."""
        try:
            found = objects.by_id(identifier)
            problem = "it is gone again: somebody else deleted it meanwhile."
            details: dict[str, Any] = {}
        except RequestError as error:
            found, problem, details = None, error.what, error.details
        if found is None:
            raise NotReadBack(
                f"The panel stored {self._object}, but reading it back failed: {problem} The task has done its work and need not be repeated. "
                "Look at the object with the info module.",
                **details,
            )
        shown: Mapping[str, Any] = without_secrets(found)
        return shown

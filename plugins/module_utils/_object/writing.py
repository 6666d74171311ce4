# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Carries out what was decided about one object: one request, or none. The same for a task about one object and one about many. Private to
the collection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._errors import Conflict, OutcomeUnknown, PanelError, Refused, RequestError
from .._schema.kind import NO_PASSWORD, OWNER, Kind
from .creation import Created, create, password_in
from .deciding import Decision, decide, needed_members, owner_in
from .objects import NOT_FOUND, Object, Panel, Store
from .planning import CREATE, DELETE, NONE, Plan, make_plan, merged


class ExistsByNow(Conflict):
    """An object that an approved plan creates was made by somebody else in the meantime; it is left alone."""


class Approval(NamedTuple):
    """is_exact: whether an object that is there by now, or gone, is a failure, since another one was approved. is_planned: whether an object
    that is gone is a failure, since no file has a password for a new one."""

    is_exact: bool = False
    is_planned: bool = False


_NOTHING_APPROVED = Approval()


class Done(NamedTuple):
    """plan: what was carried out, another one where the object was there by now, or gone. password: the one that the panel generated."""

    plan: Plan
    id: Any = None
    password: str | None = None


def write(panel: Panel, decision: Decision, approval: Approval = _NOTHING_APPROVED) -> Done:
    """Raises what went wrong; its ``details["result"]`` may say what was reached. Warnings are added to the decision's."""
    plan, store = decision.plan, panel.store(decision.kind)
    if plan.action == NONE:
        return Done(plan, decision.id)
    if plan.action == DELETE:
        return Done(plan if store.delete(decision.id) else Plan(NONE))
    if plan.action == CREATE:
        return _create(panel, decision, approval)
    body = panel.real(plan.body)
    try:
        answer = store.update(decision.id, body)
    except Refused as refusal:
        if approval.is_exact or approval.is_planned or refusal.details.get("status") != NOT_FOUND:
            raise
        try:
            again = _again(panel, decision)
        except RequestError:
            raise refusal from None
        if again.id == decision.id:
            raise
        # It is gone, and what the task wants of it now is another thing.
        store.remove(decision.id)
        return write(panel, again, Approval(is_planned=True))
    except RequestError as fault:
        if not plan.generates or not fault.may_have_written:
            raise
        raise OutcomeUnknown(
            f"{decision.label}: {fault.what} It may have a new password, which nobody knows.",
            "Run the task again in a few minutes with regenerate_password: true.",
            **fault.details,
        ) from fault
    password = password_in(answer) if plan.generates else None
    if plan.generates and password is None:
        raise PanelError(
            f"{decision.label}: the panel returned no new password. The old one may be invalid. "
            "Run the task again with regenerate_password: true.",
            result={"changed": True},
        )
    store.put(merged(decision.current or {}, body))
    return Done(plan, decision.id, password)


def _again(panel: Panel, decision: Decision, found: Object | None = None) -> Decision:
    """The decision about the object as it is now, from the panel itself."""
    again = decide(panel.anew(), decision.kind, decision.wanted, found)
    decision.warnings += [warning for warning in again.warnings if warning not in decision.warnings]
    again.warnings = decision.warnings
    return again


def _create(panel: Panel, decision: Decision, approval: Approval) -> Done:
    kind, plan, store = decision.kind, decision.plan, panel.store(decision.kind)
    body = panel.real(plan.body)
    key = {row.name: body.get(row.name) for row in kind.key}
    needed = needed_members(kind, decision.wanted)

    seen = store.seen() if kind.has_scheme else frozenset()

    def find(is_lost: bool) -> Object | None:
        if not (is_lost and kind.has_scheme):
            return store.by_key(key, needed, is_fresh=True)
        new = [one for one in store.new_since(seen) if owner_in(one) in (None, body.get(OWNER))]
        found = store.by_key(key, needed, is_fresh=True) if new else None
        problem = _kept_as_one_of(decision, [one for one in new if not store.is_kept(one)]) if found is None else None
        if problem is not None:
            raise problem
        return found

    def is_ours(found: Mapping[str, Any]) -> bool:
        """Whether it needs no change but for what cannot be read."""
        resolved = {path: one._replace(id=panel.real(one.id)) for path, one in decision.resolved.items()}
        try:
            left = make_plan(kind, decision.wanted._replace(password=NO_PASSWORD), found, resolved)
        except Conflict:
            return False
        return not any(name in found for name in left.body)

    if kind.is_unique:
        created = create(store, decision.label, body, plan.generates, find, is_ours)
    else:
        with store.alone([body]):
            there = store.in_turn(key, needed)
            if there is not None:
                created = Created(there.get("id"), instead=there)
            else:
                created = create(store, decision.label, body, plan.generates, find, is_ours)
    if created.instead is not None:
        if approval.is_exact:
            raise ExistsByNow(
                f"{decision.label}: it exists by now, with id {created.id}: someone created it after the plan was made. "
                "expected_checksum allows only its creation, so nothing was written for it. Plan again."
            )
        store.put(dict(created.instead))
        return write(panel, _again(panel, decision, created.instead), Approval(is_planned=True))
    store.put({**body, "id": created.id})
    if kind.has_scheme and not panel.keeps_lists:
        _look_at(store, decision, created.id, created.password)
    return Done(plan, created.id, created.password)


def _look_at(store: Store, decision: Decision, identifier: Any, password: str | None) -> None:
    try:
        found = store.read(identifier)
    except RequestError as error:
        decision.warnings.append(
            f"{decision.label}: it was created with id {identifier}, and reading its name failed: {error.what}"
        )
        return
    problem = kept_otherwise(store.kind, decision, found or {})
    if problem is not None:
        problem.details["result"].update({"generated_password": password} if password else {})
        raise problem


def kept_otherwise(kind: Kind, decision: Decision, found: Mapping[str, Any]) -> Conflict | None:
    """The error where the panel keeps a new database or FTP user under another name than was sent (facts.md section 10)."""
    row, kept = kind.key[-1], found.get(kind.name_member)
    sent = decision.plan.body.get(row.name)
    if kept is None or row.same(sent, kept):
        return None
    return Conflict(
        f"{kind.title} {sent}: the panel keeps it under another name, {kept} (id {found.get('id')}). It was created. "
        "Use that name in your task.",
        id=found.get("id"),
        kept_as=str(kept),
        result={"changed": True},
    )


def _kept_as_one_of(decision: Decision, new: Sequence[Mapping[str, Any]]) -> PanelError | None:
    """The same where the answer was lost, among what its owner has since."""
    problem = kept_otherwise(decision.kind, decision, new[0]) if new else None
    if problem is not None and len(new) > 1:
        names = ", ".join(f"{one.get(decision.kind.name_member)} (id {one.get('id')})" for one in new)
        return OutcomeUnknown(
            f"{decision.label}: its creation got no answer. Its owner has several new {decision.kind.titles} by now: {names}.",
            "One of them may be it: look which, and use that name in your task.",
            method="POST",
            path=decision.kind.path,
            attempts=1,
            several=True,
        )
    if problem is not None and decision.plan.generates:
        problem.message += " Its password is lost: set regenerate_password: true for a new one."
    return problem

# SPDX-License-Identifier: GPL-3.0-or-later
"""Carries out what was decided about one object: one request, or none. The same for a task about one object and one about many.

An object is created exactly once, whatever becomes of the panel's answers: after a lost answer the panel is asked whether the object is
there. It is sent again only where the panel itself would refuse a second one, or is certainly through with the first request. A generated
password that was in a lost answer is made anew. Where a panel may keep another name than was sent, it refuses no second one. Private to the
collection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

from .._errors import (
    NOTHING_WRITTEN,
    Conflict,
    OutcomeUnknown,
    PanelError,
    Refused,
    RequestError,
    ServerFailed,
    UnexpectedAnswer,
)
from .._http.panel_client import path_of
from .._http.repeats import MOST_LOOKS
from .._schema.kind import NO_PASSWORD, OWNER
from .._values.value_types import read_id
from .deciding import CREATE, DELETE, NONE, Decision, Plan, make_plan, merged
from .objects import Object, Panel, needed_members, owner_in

_AGAIN = "It may have been created. Run the task again in a few minutes; it looks before it creates."
_PASSWORD_LOST = "its password is lost: set regenerate_password: true for a new one."


class ExistsByNow(Conflict):
    """An object that an approved plan creates was made by somebody else in the meantime; it is left alone."""


class Done(NamedTuple):
    """plan: what was carried out, another one where the object was there by now. password: the one that the panel generated.

    there: what had the name of a new object by then, so that nothing was created.
    """

    plan: Plan
    id: Any = None
    password: str | None = None
    there: Object | None = None


def write(panel: Panel, decision: Decision, is_exact: bool = False) -> Done:
    """Raises what went wrong; its ``details["result"]`` may say what was reached. Warnings are added to the decision's.

    is_exact: whether an object that is there by now is a failure, since its creation was approved.
    """
    plan, store = decision.plan, panel.store(decision.kind)
    if plan.action == NONE:
        return Done(plan, decision.id)
    if plan.action == DELETE:
        return Done(plan if store.delete(decision.id) else Plan(NONE))
    if plan.action == CREATE:
        return _create(panel, decision, is_exact)
    body = panel.real(plan.body)
    try:
        answer = store.update(decision.id, body)
    except RequestError as fault:
        if not plan.generates or not fault.may_have_written:
            raise
        advice = "Run the task again in a few minutes with regenerate_password: true."
        raise _unknown(decision, fault, f"{fault.what} It may have a new password, which is lost.", advice) from fault
    password = password_in(answer) if plan.generates else None
    if plan.generates and password is None:
        problem = "the panel returned no new password. The old one may be invalid. Run the task again with regenerate_password: true."
        raise PanelError(f"{decision.label}: {problem}", result={"changed": True})
    store.put(merged(decision.current or {}, body))
    return Done(plan, decision.id, password)


def _create(panel: Panel, decision: Decision, is_exact: bool) -> Done:
    store, creation = panel.store(decision.kind), Creation(panel, decision)
    with nullcontext() if decision.kind.is_unique else store.alone([creation.body]):
        done = creation.run()
    if done.there is None:
        store.put({**creation.body, "id": done.id})
        return done
    if is_exact:
        raise ExistsByNow(
            f"{decision.label}: it exists by now, with id {done.id}: someone created it after the plan was made. "
            "expected_checksum allows only its creation, so nothing was written for it. Plan again."
        )
    store.put(dict(done.there))
    again = Decision(Panel(lambda: panel.client), decision.kind, decision.wanted, done.there)
    decision.warnings += [warning for warning in again.warnings if warning not in decision.warnings]
    again.warnings = decision.warnings
    return write(panel, again)


def password_in(answer: Any) -> str | None:
    """The password that the panel made, in the answer to a write (facts.md section 1)."""
    password = answer.get("password") if isinstance(answer, dict) else None
    return password if isinstance(password, str) and password else None


def _unknown(decision: Decision, fault: RequestError, what: str, advice: str = _AGAIN) -> OutcomeUnknown:
    return OutcomeUnknown(f"{decision.label}: {what}", advice, **fault.details)


class Creation:
    """Creates what a decision found absent."""

    def __init__(self, panel: Panel, decision: Decision) -> None:
        self._panel, self._decision, self._kind, self._plan = panel, decision, decision.kind, decision.plan
        self._store, self._client = panel.store(decision.kind), panel.client
        self.body = panel.real(self._plan.body)
        self._key = {row.name: self.body.get(row.name) for row in self._kind.key}
        self._needed = needed_members(self._kind, decision.wanted)
        self._seen = self._store.seen

    def run(self) -> Done:
        there = None if self._kind.is_unique else self._store.in_turn(self._key, self._needed)
        if there is not None:
            return Done(self._plan, there.get("id"), there=there)
        generates = self._plan.generates
        try:
            created = self._created()
        except (OutcomeUnknown, ServerFailed, UnexpectedAnswer) as error:
            if generates and NOTHING_WRITTEN not in error.advice:
                error.message += f" If it is there, {_PASSWORD_LOST}"
            raise
        if created.there is not None:
            return created
        if generates and created.password is None:
            created = created._replace(password=self._made_anew(created.id))
        if self._kind.has_scheme:
            self._look_at(created)
        return created

    def _created(self) -> Done:
        kind, client = self._kind, self._client
        is_unique = kind.is_unique and not kind.has_scheme
        lost: OutcomeUnknown | None = None
        while True:
            try:
                answer = client.post(kind.path, self.body, is_repeat=lost is not None)
            except OutcomeUnknown as fault:  # noqa: PERF203
                found, looks = self._look(fault, 1 if is_unique else MOST_LOOKS)
                if found is not None:
                    return self._taken_over(fault, found)
                # A panel that has answered, and shows nothing for so long, is through with the first request.
                may_send = is_unique or (looks == MOST_LOOKS and (kind.has_scheme or not fault.is_under_way))
                if not may_send or not client.patience.wait(1 if lost is None else 2, fault.wait):
                    raise _unknown(self._decision, fault, f"it is not there yet: {fault.what}") from fault
                lost = fault
            except RequestError as error:
                # Somebody, or a request of ours whose answer was lost, may have made it by now; a panel may also fail after it has.
                is_refused, looks = isinstance(error, Refused), 1 if lost is None else MOST_LOOKS
                is_open = is_refused or (isinstance(error, ServerFailed) and error.may_have_written)
                found = self._look(error, looks, lost is not None or not is_refused)[0] if is_open else None
                if found is not None and lost is None and is_refused:
                    return Done(self._plan, found.get("id"), there=found)
                if found is not None:
                    return self._taken_over(error, found)
                if lost is None:
                    raise
                what = f"a second attempt, after one that got no answer, failed: {error.what}"
                raise _unknown(self._decision, error, what) from error
            else:
                return self._confirmed(answer)

    def _confirmed(self, answer: Any) -> Done:
        """What the panel says that it made; looked for where it does not say its id."""
        identifier = read_id(answer.get("id")) if isinstance(answer, dict) else None
        made = Done(self._plan, identifier, password_in(answer) if self._plan.generates else None)
        if identifier is not None:
            return made
        what = f"POST {self._kind.path} was answered as done, but without an id."
        fault = OutcomeUnknown(what, method="POST", path=self._kind.path, attempts=1)
        found, _looks = self._look(fault, 1)
        if found is None:
            raise _unknown(self._decision, fault, f"it is not there yet: {what}")
        # It is ours, whatever the panel made of the values.
        return made._replace(id=found.get("id") or self._taken_over(fault, found).id)

    def _taken_over(self, fault: RequestError, found: Object) -> Done:
        """The object that a lost creation made; raises OutcomeUnknown where it is not what was sent."""
        if found.get("id") is not None and self._is_ours(found):
            return Done(self._plan, found["id"])
        problem = "not as the task wants it: the panel stored other values, or someone else made it."
        if found.get("id") is None:
            problem = "the panel shows no id of it."
        what = f"{fault.what} It is there now, but {problem}"
        raise _unknown(self._decision, fault, what, "Check it, and run the task again.") from fault

    def _is_ours(self, found: Mapping[str, Any]) -> bool:
        """Whether it needs no change but for what cannot be read."""
        wanted = self._decision.wanted
        references = tuple(one._replace(leads_to=self._panel.real(one.leads_to)) for one in wanted.references)
        try:
            left = make_plan(self._kind, wanted._replace(password=NO_PASSWORD, references=references), found)
        except Conflict:
            return False
        return not any(name in found for name in left.body)

    def _look(self, fault: RequestError, most: int, is_lost: bool = True) -> tuple[Object | None, int]:
        """What is there after a fault, and how often that was looked at; raises OutcomeUnknown where it cannot be told.

        is_lost: whether it may be there under another name, which is raised.
        """
        look, patience, found = 0, self._client.patience, None
        others: Sequence[Object] = ()
        try:
            for look in patience.looks(most):
                found, others = self._find(is_lost and self._kind.has_scheme)
                if found is not None or others:
                    if look > 1:
                        patience.begin_anew()
                    break
        except (Conflict, RequestError) as error:
            if isinstance(fault, Refused) and not isinstance(error, Conflict):
                raise fault from error
            why = error.what.rstrip(".") if isinstance(error, RequestError) else error.message.partition(". ")[0]
            what = f"looking for it failed too: {why}; before that {fault.what}"
            raise _unknown(self._decision, fault, what) from error
        if len(others) == 1:
            problem = self._kept_otherwise(others[0])
            problem.message += f" {_PASSWORD_LOST.capitalize()}" if self._plan.generates else ""
            raise problem
        if others:
            names = ", ".join(f"{one.get(self._kind.name_member)} (id {one.get('id')})" for one in others)
            what = f"{fault.what} Its owner has several new {self._kind.titles} by now: {names}."
            raise _unknown(self._decision, fault, what, "One may be it: look which, and use that name in your task.")
        return found, look

    def _find(self, is_hidden: bool) -> tuple[Object | None, Sequence[Object]]:
        """What has its name; or, where the panel may have given it another one, what its owner has since."""
        store, owners, name = self._store, (None, self.body.get(OWNER)), self._kind.name_member
        if not is_hidden:
            return store.by_key(self._key, self._needed, is_fresh=True), ()
        new = [one for one in store.listed() if owner_in(one) in owners and one.get("id") not in self._seen]
        found = store.by_key(self._key, self._needed, is_fresh=True) if new else None
        if found is not None:
            return found, ()
        return None, [one for one in new if one.get(name) is not None and not store.is_kept(one)]

    # After it

    def _made_anew(self, identifier: Any) -> str:
        """A new password in place of one that nobody saw; the object is ours, since it was not there before."""
        path = self._kind.path + path_of(identifier)
        fault: RequestError = UnexpectedAnswer(f"PUT {path} did not return one.", method="PUT", path=path, attempts=1)
        try:
            password = password_in(self._store.update(identifier, {"password": None}))
            if password is not None:
                return password
        except RequestError as error:
            fault = error
        fault.details.update(id=identifier, result={"changed": True})
        what = f"it was created with id {identifier}, and its generated password did not arrive. Asking for another one failed: {fault.what}"
        advice = "Run the task again with regenerate_password: true, or give a password with update_password: always."
        raise _unknown(self._decision, fault, what, advice)

    def _look_at(self, created: Done) -> None:
        """Raises where the panel keeps a new database or FTP user under another name than was sent (facts.md section 10)."""
        try:
            found = self._store.read(created.id) or {}
        except RequestError as error:
            warning = f"it was created with id {created.id}, and reading its name failed: {error.what}"
            self._decision.warnings.append(f"{self._decision.label}: {warning}")
            return
        name, kept = self._key[self._kind.name_member], found.get(self._kind.name_member)
        if kept is not None and not self._kind.key[-1].same(name, kept):
            problem = self._kept_otherwise(found)
            problem.details["result"].update({"generated_password": created.password} if created.password else {})
            raise problem

    def _kept_otherwise(self, found: Mapping[str, Any]) -> Conflict:
        kind, kept = self._kind, found[self._kind.name_member]
        return Conflict(
            f"{kind.title} {self._key[kind.name_member]}: the panel keeps it under another name, {kept} (id {found.get('id')}). "
            "It was created. Use that name in your task.",
            id=found.get("id"),
            kept_as=str(kept),
            result={"changed": True},
        )

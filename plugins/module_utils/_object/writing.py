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

from .._errors import Conflict, OutcomeUnknown, Refused, RequestError, ServerFailed
from .._http.answers import answered_with, unexpected_answer
from .._http.panel_client import MOST_LOOKS
from .._schema.kind import NO_PASSWORD, OWNER
from .._values.value_types import read_id
from .deciding import CREATE, DELETE, NONE, Decision, Plan, make_plan, merged
from .objects import Object, Panel, needed_members, owner_in, password_in

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
        password = store.update(decision.id, body)
    except RequestError as fault:
        if not plan.generates or not fault.may_have_written:
            raise
        advice = "Run the task again in a few minutes with regenerate_password: true."
        raise _unknown(decision, fault, f"{fault.what} It may have a new password, which is lost.", advice) from fault
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
        except RequestError as error:
            if generates and error.may_have_written:
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
        is_unique, is_repeat = kind.is_unique and not kind.has_scheme, False
        while True:
            try:
                answer = client.post(kind.path, self.body, is_repeat=is_repeat)
            except RequestError as error:
                fault = error
            else:
                return self._answered(answer)
            is_lost, is_refused, looks = isinstance(fault, OutcomeUnknown), isinstance(fault, Refused), 0
            # Somebody, or a request of ours whose answer was lost, may have made it by now; a panel may also fail after it has.
            if is_lost or is_refused or (isinstance(fault, ServerFailed) and fault.may_have_written):
                waits, is_first_refusal = not is_unique if is_lost else is_repeat, is_refused and not is_repeat
                found, looks = self._look(fault, MOST_LOOKS if waits else 1, is_first_refusal)
                if found and is_first_refusal:
                    return Done(self._plan, found[0].get("id"), there=found[0])
                if found:
                    return self._taken_over(fault, found)
            if isinstance(fault, OutcomeUnknown):
                # A panel that has answered, and shows nothing for so long, is through with the first request.
                may_send = is_unique or (looks == MOST_LOOKS and (kind.has_scheme or not fault.is_under_way))
                if may_send and client.patience.wait(2 if is_repeat else 1, fault.wait):
                    is_repeat = True
                    continue
            elif not is_repeat:
                raise fault
            about = "it is not there yet" if is_lost else "a second attempt, after one that got no answer, failed"
            raise _unknown(self._decision, fault, f"{about}: {fault.what}") from fault

    def _answered(self, answer: Any) -> Done:
        identifier = read_id(answer.get("id")) if isinstance(answer, dict) else None
        if identifier is None:
            what = f"did not answer with an id {answered_with(answer)}"
            unexpected = unexpected_answer(self._kind.path, what, _AGAIN, "POST")
            found, _looks = self._look(unexpected, 1, False)
            if not found:
                raise unexpected
            # It is ours, whatever the panel made of the values.
            identifier = found[0].get("id") if len(found) == 1 else None
            identifier = identifier or self._taken_over(unexpected, found).id
        return Done(self._plan, identifier, password_in(answer) if self._plan.generates else None)

    def _look(self, fault: RequestError, most: int, is_first_refusal: bool) -> tuple[Sequence[Object], int]:
        """What is there after a fault, and how often that was looked at; raises the fault, or OutcomeUnknown, where it cannot be told."""
        look, patience, found = 0, self._client.patience, list[Object]()
        try:
            for look in patience.looks(most):
                found = self._find(self._kind.has_scheme and not is_first_refusal)
                if found:
                    if look > 1:
                        patience.begin_anew()
                    break
        except (Conflict, RequestError) as error:
            if is_first_refusal:
                raise fault from error
            why = error.what.rstrip(".") if isinstance(error, RequestError) else error.message.partition(". ")[0]
            what = f"looking for it failed too: {why}; before that {fault.what}"
            raise _unknown(self._decision, fault, what) from error
        return found, look

    def _find(self, may_have_another: bool) -> list[Object]:
        """What has its name; or, where the panel may have given it another one, what its owner has since."""
        store, owners, new = self._store, (None, self.body.get(OWNER)), list[Object]()
        if may_have_another:
            new = [one for one in store.listed() if owner_in(one) in owners and one.get("id") not in self._seen]
            if not new:
                return []
        found = store.by_key(self._key, self._needed, is_fresh=True)
        if found is not None:
            return [found]
        return [one for one in new if one.get(self._kind.name_member) is not None and not store.is_kept(one)]

    def _taken_over(self, fault: RequestError, found: Sequence[Object]) -> Done:
        """The object that a lost creation made; raises where it has another name, or is not what was sent."""
        one = found[0]
        if len(found) == 1 and self._has_another_name(one):
            problem = self._kept_otherwise(one)
            problem.message += f" {_PASSWORD_LOST.capitalize()}" if self._plan.generates else ""
            raise problem
        if len(found) == 1 and one.get("id") is not None and self._is_ours(one):
            return Done(self._plan, one["id"])
        names = ", ".join(f"{other.get(self._kind.name_member)} (id {other.get('id')})" for other in found)
        about = "the panel stored other values, or someone else made it."
        what = f"{fault.what} What is there now is not as the task wants it, {names}: {about}"
        advice = "Check it, and run the task again."
        if len(found) > 1:
            what = f"{fault.what} Its owner has several new {self._kind.titles} by now: {names}."
            advice = "Find yours among them and use its name in your task, since another run may make one more."
        raise _unknown(self._decision, fault, what, advice) from fault

    def _is_ours(self, found: Mapping[str, object]) -> bool:
        """Whether it needs no change but for what cannot be read."""
        wanted = self._decision.wanted
        references = tuple(one._replace(leads_to=self._panel.real(one.leads_to)) for one in wanted.references)
        try:
            left = make_plan(self._kind, wanted._replace(password=NO_PASSWORD, references=references), found)
        except Conflict:
            return False
        return not any(name in found for name in left.body)

    # After it

    def _made_anew(self, identifier: int) -> str | None:
        """A new password in place of one that nobody saw; the object is ours, since it was not there before."""
        try:
            return self._store.update(identifier, {"password": None})
        except RequestError as fault:
            fault.details.update(id=identifier, result={"changed": True})
            problem = f"it was created with id {identifier}, and its generated password did not arrive."
            advice = (
                "Run the task again with regenerate_password: true, or give a password with update_password: always."
            )
            what = f"{problem} Asking for another one failed: {fault.what}"
            raise _unknown(self._decision, fault, what, advice) from fault

    def _look_at(self, created: Done) -> None:
        """Raises where the panel keeps a new database or FTP user under another name than was sent (facts.md section 10)."""
        try:
            found = self._store.read(created.id) or {}
        except RequestError as error:
            warning = f"it was created with id {created.id}, and reading its name failed: {error.what}"
            self._decision.warnings.append(f"{self._decision.label}: {warning}")
            return
        if self._has_another_name(found):
            problem = self._kept_otherwise(found)
            problem.details["result"].update({"generated_password": created.password} if created.password else {})
            raise problem

    def _has_another_name(self, found: Mapping[str, object]) -> bool:
        name, kept = self._kind.name_member, found.get(self._kind.name_member)
        return kept is not None and not self._kind.key[-1].same(self._key[name], kept)

    def _kept_otherwise(self, found: Mapping[str, object]) -> Conflict:
        kind, kept = self._kind, found[self._kind.name_member]
        return Conflict(
            f"{kind.title} {self._key[kind.name_member]}: the panel keeps it under another name, {kept} (id {found.get('id')}). "
            "It was created. Use that name in your task.",
            id=found.get("id"),
            kept_as=str(kept),
            result={"changed": True},
        )

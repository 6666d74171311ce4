# SPDX-License-Identifier: GPL-3.0-or-later
"""Carries out what was decided about one object: one request, or none. The same for a task about one object and one about many.

An object is created exactly once, whatever becomes of the panel's answers: after a lost answer the panel is asked whether the object is
there. It is sent again only where the panel itself would refuse a second one, or is certainly through with the first request. A generated
password that was in a lost answer is made anew. Where a panel may keep another name than was sent, it refuses no second one. Private to the
collection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._errors import NOTHING_WRITTEN, Conflict, OutcomeUnknown, Refused, RequestError, ServerFailed, about
from .._http.answers import answered_with, unexpected_answer
from .._http.panel_client import MOST_LOOKS
from .._schema.kind import NO_PASSWORD, OWNER
from .._values.value_types import read_id
from .deciding import CREATE, DELETE, UPDATE, Decision, Plan, make_plan, merged
from .objects import Object, Panel, needed_members, owner_in, password_in

_MAY_BE_CREATED = "It may have been created."
_AGAIN = "Run the task again in a few minutes"
_WITH_PASSWORD = "with regenerate_password: true, since its password is lost"


class ExistsByNow(Conflict):
    """An object that an approved plan creates was made by somebody else in the meantime; it is left alone."""


def write(panel: Panel, decision: Decision, is_exact: bool = False) -> None:
    """Carries the decision out, which then says what came of it; about an object that is there by now it is decided again.

    Raises what went wrong; its ``details["result"]`` may say what was reached. is_exact: whether an object that is there by now is a failure,
    since its creation was approved.
    """
    plan, store = decision.plan, panel.store(decision.kind)
    if plan.action == DELETE:
        with about(decision.label):
            is_deleted = store.delete(decision.id)
        if not is_deleted:
            decision.plan = Plan()
    elif plan.action == UPDATE:
        body = panel.real(plan.body)
        with about(decision.label):
            _change(panel, decision, body)
        store.put(merged(decision.current or {}, body))
    elif plan.action == CREATE:
        creation = Creation(panel, decision)
        with about(decision.label, NOTHING_WRITTEN), store.alone([creation.body]):
            there = creation.run()
        if there is None:
            store.put({**creation.body, "id": decision.id})
        elif is_exact:
            raise ExistsByNow(
                f"it exists by now, with id {there.get('id')}: someone created it after the plan was made. "
                "expected_checksum allows only its creation, so nothing was written for it. Plan again.",
                decision.label,
            )
        else:
            store.put(dict(there))
            with about(decision.label, NOTHING_WRITTEN):
                decision.decide_again(there)
            write(panel, decision)


def _change(panel: Panel, decision: Decision, body: Mapping[str, Any], created: str = "") -> None:
    """Sends a change, and keeps the password that the panel made. created: what to say of an object that this task has created."""
    try:
        decision.password = panel.store(decision.kind).update(decision.id, body)
    except RequestError as fault:
        if created:
            fault.details.update(id=decision.id, result={"changed": True})
        elif not decision.plan.generates or not fault.may_have_written:
            raise
        written = "It may have a new password, which is lost." if fault.may_have_written else "Its password is lost."
        raise _unknown(fault, f"{created}{fault.what}", f"{_AGAIN} with regenerate_password: true.", written) from fault


def _unknown(fault: RequestError, what: str, advice: str, written: str = _MAY_BE_CREATED) -> OutcomeUnknown:
    return OutcomeUnknown(what, advice, written, **fault.details)


class Creation:
    """Creates what a decision found absent."""

    def __init__(self, panel: Panel, decision: Decision) -> None:
        self._panel, self._decision, self._kind = panel, decision, decision.kind
        self._store, self._client = panel.store(decision.kind), panel.client
        self.body = panel.real(decision.plan.body)
        self._key = {row.name: self.body.get(row.name) for row in self._kind.key}
        self._needed = needed_members(self._kind, decision.wanted)
        self._seen = self._store.seen

    def run(self) -> Object | None:
        """Creates the object; what is there instead, where somebody else has made it by now."""
        decision = self._decision
        there = self._store.in_turn(self._key, self._needed) or self._sent()
        if there is not None:
            return there
        if self._password_is_lost():
            # The object is ours, since it was not there before, and nobody has seen its password.
            created = f"it was created with id {decision.id}, and its generated password did not arrive: "
            _change(self._panel, decision, {"password": None}, created)
        if self._kind.has_scheme:
            try:
                self._check_name(self._store.read(decision.id) or {})
            except RequestError as error:
                problem = f"it was created with id {decision.id}, and reading its name failed: {error.what}"
                decision.warnings.append(f"{decision.label}: {problem}")
        return None

    def _password_is_lost(self) -> bool:
        return self._decision.plan.generates and self._decision.password is None

    def _again(self, advice: str = _AGAIN) -> str:
        """The advice after a creation that may have had its effect."""
        return f"{advice} {_WITH_PASSWORD}." if self._password_is_lost() else f"{advice}."

    def _sent(self) -> Object | None:
        """Sends it until the panel has it, or somebody else's, which is returned; raises where that cannot be told."""
        kind, patience, is_repeat = self._kind, self._client.patience, False
        refuses_a_second = kind.is_unique and not kind.has_scheme
        while True:
            fault: RequestError | None
            try:
                fault, is_done = self._answered(is_repeat), True
            except RequestError as error:
                fault, is_done = error, False
            if fault is None:
                return None
            is_lost, is_refused, looks = isinstance(fault, OutcomeUnknown), isinstance(fault, Refused), 0
            # Somebody, or a request of ours whose answer was lost, may have made it by now; a panel may also fail after it has.
            if is_done or is_lost or is_refused or (isinstance(fault, ServerFailed) and fault.may_have_written):
                waits, is_first_refusal = not refuses_a_second if is_lost else is_repeat, is_refused and not is_repeat
                found, looks = self._look(fault, MOST_LOOKS if waits else 1, is_first_refusal)
                if found and is_first_refusal:
                    return found[0]
                if found:
                    self._take_over(fault, found, is_done)
                    return None
            if isinstance(fault, OutcomeUnknown):
                # A panel that has answered, and shows nothing for so long, is through with the first request.
                may_send = refuses_a_second or (looks == MOST_LOOKS and (kind.has_scheme or not fault.is_under_way))
                if may_send and patience.wait(2 if is_repeat else 1, fault.wait):
                    is_repeat = True
                    continue
            elif not is_repeat:
                if fault.may_have_written:
                    fault.advice = self._again()
                raise fault
            problem = "it is not there yet" if is_lost else "a second attempt, after one that got no answer, failed"
            raise _unknown(fault, f"{problem}: {fault.what}", self._again()) from fault

    def _answered(self, is_repeat: bool) -> RequestError | None:
        """Sends it once, and keeps what the answer says; returned is what is wrong with an answer that says it is done."""
        decision, path = self._decision, self._kind.path
        answer = self._client.post(path, self.body, is_repeat=is_repeat)
        decision.id = read_id(answer.get("id")) if isinstance(answer, dict) else None
        decision.password = password_in(answer) if decision.plan.generates else None
        if decision.id is not None:
            return None
        return unexpected_answer(path, f"did not answer with an id {answered_with(answer)}", method="POST")

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
            raise _unknown(fault, what, self._again()) from error
        return found, look

    def _find(self, may_have_another: bool) -> list[Object]:
        """What has its name; or, where the panel may have given it another one, what its owner has since."""
        store, row, owners = self._store, self._kind.key[-1], (None, self.body.get(OWNER))
        if not may_have_another:
            found = store.by_key(self._key, self._needed, is_fresh=True)
            return [] if found is None else [found]
        new = [one for one in store.listed() if owner_in(one) in owners and one.get("id") not in self._seen]
        ours = [one for one in new if row.same(self._key[row.name], one.get(row.name))]
        # What the list of a run about many has is known, or is made by that run.
        others = [one for one in new if not (store.is_read() and store.having(one))]
        return ours or [one for one in others if one.get(row.name) is not None]

    def _take_over(self, fault: RequestError, found: Sequence[Object], is_done: bool) -> None:
        """Takes the object that a creation without a whole answer made; raises where it has another name, or may be somebody else's.

        is_done: whether the panel said that it made it, so that it is ours, whatever it made of the values.
        """
        names = ", ".join(f"{one.get(self._kind.name_member)} (id {one.get('id')})" for one in found)
        if len(found) > 1:
            problem = f"its owner has several new {self._kind.titles} by now, {names}."
            advice = "Another run may make one more: find yours, and use its name in your task"
        else:
            why = "the panel stored other values, or someone else made it"
            problem = f"what is there now, {names}, is not as the task requires ({why})."
            advice = "Check it, and run the task again"
            self._check_name(found[0])
            if found[0].get("id") is not None and (is_done or self._is_ours(found[0])):
                self._decision.id = found[0]["id"]
                return
        raise _unknown(fault, fault.what, self._again(advice), f"It may have been created: {problem}") from fault

    def _is_ours(self, found: Mapping[str, object]) -> bool:
        """Whether it needs no change but for what cannot be read."""
        wanted = self._decision.wanted
        references = tuple(one._replace(leads_to=self._panel.real(one.leads_to)) for one in wanted.references)
        try:
            left = make_plan(self._kind, wanted._replace(password=NO_PASSWORD, references=references), found)
        except Conflict:
            return False
        return not any(name in found for name in left.body)

    def _check_name(self, found: Mapping[str, Any]) -> None:
        """Raises where the panel keeps a new database or FTP user under another name than was sent
        (docs/panel_api.md#naming-schemes)."""
        row, password = self._kind.key[-1], self._decision.password
        kept = found.get(row.name)
        if kept is not None and not row.same(self._key[row.name], kept):
            raise Conflict(
                f"the panel keeps it under another name, {kept} (id {found.get('id')}). It was created. "
                f"{self._again('Use that name in your task')}",
                f"{self._kind.title} {self._key[row.name]}",
                id=found.get("id"),
                kept_as=str(kept),
                result={"changed": True, **({"generated_password": password} if password else {})},
            )

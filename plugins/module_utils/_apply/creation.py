# SPDX-License-Identifier: GPL-3.0-or-later
"""Creates an object exactly once, whatever becomes of the panel's answers.

After a lost answer the panel is asked whether the object is there. The creation is sent again only
where the panel itself would refuse a second object, or is certainly through with the first request:
``creation_rules.py`` says so. A generated password that was in a lost answer is made anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .._errors import (
    Conflict,
    OutcomeUnknown,
    PanelError,
    Reached,
    Refused,
    RequestError,
    ServerFailed,
)
from .._http.failures import describe_answer, make_unexpected_answer
from .._operation.defects import as_panel_error
from .._plan.object_plan import ObjectPlan, plan_object
from .._problems import Problem, Written
from .._resolve.references import ObjectQuery
from .._resolve.resolution import Resolution, list_compared_paths
from .._schema.fields import ResolvedReference
from .._schema.password_options import NO_PASSWORD
from .._sources.checked_answers import PanelObject
from .._sources.kind_objects import LockedList, read_password
from .._sources.object_source import ObjectSource
from .._values.value_types import read_id
from .creation_rules import Candidate, may_send_again, react_to
from .creation_search import CreationSearch, SearchResult
from .outcomes import (
    Created,
    CreationOutcome,
    Exists,
    Failed,
    FailedMidway,
    Lost,
    Rejected,
    Unidentified,
    UnsettledOutcome,
)

RUN_AGAIN = "Run the task again in a few minutes"
_WITH_PASSWORD = "with regenerate_password: true, since its password is lost"


class HasAnotherName(PanelError):
    """Says that the panel has created an object and keeps it under another name than was sent."""

    # Results have always called it so; playbooks branch on it.
    public_name = "Conflict"

    def __init__(
        self, *, label: str, identifier: Any, kept_as: str, advice: str, password: str | None
    ) -> None:
        """Describe what became of the object.

        Args:
            label: The object in words, with the name that was sent.
            identifier: The id of the object.
            kept_as: The name under which the panel keeps it.
            advice: What to do.
            password: The password that the panel generated.
        """
        super().__init__(
            f"the panel keeps it under another name, {kept_as} (id {identifier}). It was created.",
            subject=label,
            advice=advice,
            id=identifier,
            kept_as=kept_as,
            reached=Reached(
                is_changed=True, password=password, kept_as=kept_as, identifier=identifier
            ),
        )


def make_outcome_unknown(
    fault: RequestError,
    advice: str,
    written: Written = Written.MAYBE_CREATED,
    context: str = "",
) -> OutcomeUnknown:
    """Return the error for a write of which nobody can tell what became of it.

    Args:
        fault: The error of the last request.
        advice: What to do.
        written: What was written, or may have been.
        context: As of a problem.
    """
    cause = fault.problem.cause
    error = OutcomeUnknown(
        cause, advice=advice, written=written, reached=fault.reached, **fault.details
    )
    error.amend(context=context)
    return error


def get_password_of(outcome: UnsettledOutcome) -> str | None:
    """Return the password that the panel generated, where its answer arrived."""
    return outcome.password if isinstance(outcome, Unidentified) else None


def _describe_reached(created: Created) -> Reached:
    return Reached(is_changed=True, password=created.password, identifier=created.identifier)


class Creation:
    """Creates one object that was absent when its plan was made.

    body: What is sent.
    """

    def __init__(self, plan: ObjectPlan, source: ObjectSource[Any]) -> None:
        """Prepare to send the plan."""
        self._plan = plan
        self._source = source
        self._kind = plan.kind
        self._objects = source.get_objects(plan.kind)
        self._session = source.session
        self.body: dict[str, Any] = source.with_real_ids(dict(plan.body))
        self._key = {field.name: self.body.get(field.name) for field in self._kind.key}
        self._paths = list_compared_paths(self._kind, plan.desired)
        self._search = CreationSearch(
            self._objects, self.body, self._key, self._paths, plan.listed_ids
        )

    def run(self, locked: LockedList) -> Created | Exists:
        """Create the object.

        Args:
            locked: What the panel has of its key while no other task may create it.

        Raises:
            PanelError: It is not created, or that cannot be told. ``reached`` says what was
                reached.
            LookupError: The panel may keep it under another name, and the plan has no list by
                which it could be found then. Nothing is sent.
        """
        if self._kind.traits.has_scheme:
            self._search.require_list()
        existing = self._objects.find_in_locked_list(locked, self._key, self._paths)
        if existing is not None:
            return Exists(existing)

        # A creation that met a reload is looked for before other threads send anything.
        with self._session.limiter.limit_pause():
            created = self._create_and_note()
        if isinstance(created, Exists):
            return created
        try:
            created = self._get_lost_password(created)
            return self._check_kept_name(created)
        except PanelError as error:
            error.reached = error.reached or _describe_reached(created)
            raise
        except Exception as fault:
            defect = as_panel_error(fault)
            defect.reached = _describe_reached(created)
            raise defect from fault

    def _create_and_note(self) -> Created | Exists:
        """Create the object, and let other creations of the task know what came of it."""
        creations = self._objects.creations
        creation = self._search.creation
        creations.begin(creation)
        try:
            outcome = self._send_until_settled()
        except PanelError as error:
            identifier = error.reached.identifier if error.reached is not None else None
            # Else its object may be there, or may still come.
            if identifier is not None or not error.may_have_written:
                creations.settle(creation, identifier)
            raise
        if isinstance(outcome, Exists):
            creations.settle(creation)
            creations.note_existing(outcome.existing.get("id"))
            return outcome
        creations.settle(creation, outcome.identifier)
        return outcome

    def _get_lost_password(self, created: Created) -> Created:
        """Return the same with another password, where the generated one did not arrive."""
        if not self._is_password_lost(created.password):
            return created
        return replace(created, password=self._renew_password(created.identifier))

    def _check_kept_name(self, created: Created) -> Created:
        """Return the same, with a warning where the name that the panel keeps cannot be read."""
        if not self._kind.traits.has_scheme:
            return created
        try:
            actual = self._objects.fetch(created.identifier) or {}
        except RequestError as error:
            warning = Problem(
                subject=self._plan.label,
                context=f"it was created with id {created.identifier}, and reading its name failed",
                cause=error.problem.cause,
            )
            return replace(created, warnings=(warning,))
        self._check_name(actual, created.password)
        return created

    def _renew_password(self, identifier: Any) -> str | None:
        """Return another password, for an object whose password did not arrive. It is ours, since
        it was not there before, and nobody has seen its password.
        """
        context = f"it was created with id {identifier}, and its generated password did not arrive"
        try:
            password: str | None = self._objects.update(identifier, {"password": None})
            return password
        except RequestError as fault:
            fault.details["id"] = identifier
            fault.reached = Reached(is_changed=True, identifier=identifier)
            written = Written.PASSWORD_LOST
            if fault.may_have_written:
                written = Written.MAYBE_NEW_PASSWORD
            advice = f"{RUN_AGAIN} with regenerate_password: true."
            raise make_outcome_unknown(fault, advice, written, context) from fault

    def _is_password_lost(self, password: str | None) -> bool:
        """Tell whether the panel made a password, and nobody knows it. password: the known one."""
        return self._plan.generates_password and password is None

    def _complete_advice(self, password: str | None = None, advice: str = RUN_AGAIN) -> str:
        """Return the advice after a creation that may have had its effect.

        Args:
            password: The password that arrived.
            advice: What to do, without its full stop.
        """
        if not self._is_password_lost(password):
            return f"{advice}."
        return f"{advice} {_WITH_PASSWORD}."

    # Attempts

    def _send_until_settled(self) -> Created | Exists:
        """Send the creation, and again as long as that cannot make a second object."""
        is_repeat = False
        while True:
            outcome = self._send(is_repeat)
            if isinstance(outcome, Created):
                return outcome
            settled = self._settle(outcome, is_repeat)
            if settled is not None:
                return settled
            is_repeat = True

    def _send(self, is_repeat: bool) -> CreationOutcome:
        """Send the creation once, and return what came of it."""
        path = self._kind.path
        try:
            answer = self._session.post(path, self.body, is_repeat=is_repeat)
        except OutcomeUnknown as fault:
            return Lost(fault, fault.may_complete_later, fault.wait)
        except Refused as fault:
            return Rejected(fault)
        except RequestError as fault:
            if isinstance(fault, ServerFailed) and fault.may_have_written:
                return FailedMidway(fault)
            return Failed(fault)

        identifier = read_id(answer.get("id")) if isinstance(answer, dict) else None
        password = read_password(answer) if self._plan.generates_password else None
        if identifier is not None:
            return Created(identifier, password)
        problem = f"did not answer with an id {describe_answer(answer)}"
        error = make_unexpected_answer(path, problem, method="POST")
        if password is not None:
            error.reached = Reached(password=password)
        return Unidentified(error, password)

    def _settle(self, outcome: UnsettledOutcome, is_repeat: bool) -> Created | Exists | None:
        """Find out what became of an attempt; None where the creation is to be sent again."""
        reaction = react_to(outcome, is_repeat, self._kind.traits)
        if reaction is None:
            raise self._make_creation_error(outcome, is_repeat)
        if reaction.candidate is Candidate.SOMEBODY_ELSES:
            return self._find_other(outcome, reaction.polls)

        result = self._look(outcome, reaction.polls)
        if result.candidates:
            is_ours = reaction.candidate is Candidate.OURS
            created = self._take_over(outcome, result, is_ours)
            if not is_repeat:
                # The only attempt has had its effect.
                self._session.late_writes.settle("POST", self._kind.path, self.body)
            return created
        if not isinstance(outcome, Lost):
            raise self._make_creation_error(outcome, is_repeat)

        may_send = may_send_again(outcome, self._kind.traits, result.outlasted_late_effect)
        repeats = 2 if is_repeat else 1
        if may_send and self._session.retry_budget.wait(repeats, outcome.wait):
            return None
        fault = outcome.fault
        raise make_outcome_unknown(
            fault, self._complete_advice(), context="it is not there yet"
        ) from fault

    def _find_other(self, outcome: UnsettledOutcome, polls: int) -> Exists:
        """Return what somebody else has made, for which the panel refused the creation; raise the
        refusal where nothing is there."""
        try:
            result = self._search.search(polls, may_have_another_name=False)
        except (Conflict, RequestError) as error:
            raise outcome.fault from error
        if result.may_be_of_others:
            name = self._name_with_id(result.candidates[0])
            outcome.fault.amend(
                context=f"{name} may be another one of this task",
                advice="Find out which one it is, and give the other one another name.",
            )
            raise outcome.fault
        if result.candidates:
            return Exists(result.candidates[0])
        raise self._make_creation_error(outcome, is_repeat=False)

    def _make_creation_error(self, outcome: UnsettledOutcome, is_repeat: bool) -> RequestError:
        """Return the error of a creation.

        Args:
            outcome: What the last attempt came to.
            is_repeat: Whether it was sent again after a lost answer.
        """
        fault = outcome.fault
        advice = self._complete_advice(get_password_of(outcome))
        if is_repeat:
            context = "a second attempt, after one that got no answer, failed"
            error = make_outcome_unknown(fault, advice, context=context)
            error.__cause__ = fault
            return error
        if fault.may_have_written:
            fault.amend(advice=advice)
        return fault

    # Looking for what was made

    def _look(self, outcome: UnsettledOutcome, polls: int) -> SearchResult:
        """Search for the object after a fault; raise OutcomeUnknown where the panel cannot tell.

        Args:
            outcome: What the creation came to.
            polls: How often the panel is asked at most.
        """
        fault = outcome.fault
        try:
            return self._search.search(polls, self._kind.traits.has_scheme)
        except (Conflict, RequestError) as error:
            advice = self._complete_advice(get_password_of(outcome))
            unknown = make_outcome_unknown(fault, advice, context="looking for it failed too")
            unknown.amend(cause=error.problem.cause, earlier_cause=fault.problem.cause)
            raise unknown from error

    def _take_over(self, outcome: UnsettledOutcome, result: SearchResult, is_ours: bool) -> Created:
        """Take the object that a creation without a whole answer made; raise where it has another
        name, or may be somebody else's.

        Args:
            outcome: What the creation came to.
            result: What is there.
            is_ours: Whether it is ours for certain, since the panel said that it made it.
        """
        fault = outcome.fault
        password = get_password_of(outcome)
        names = ", ".join([self._name_with_id(actual) for actual in result.candidates])
        advice = "Another run may make one more: find yours, and use its name in your task"
        if len(result.candidates) > 1:
            problem = f"its owner has several new {self._kind.titles} by now, {names}."
        elif result.may_be_of_others:
            problem = f"what its owner has new, {names}, may also be another one of this task."
        else:
            (actual,) = result.candidates
            reason = "the panel stored other values, or someone else made it"
            problem = f"what is there now, {names}, is not as the task requires ({reason})."
            advice = "Check it, and run the task again"
            self._check_name(actual, password)
            if actual.get("id") is not None and (is_ours or self._is_as_desired(actual)):
                return Created(actual["id"], password)

        unknown = make_outcome_unknown(fault, self._complete_advice(password, advice))
        unknown.amend(written_detail=problem)
        raise unknown from fault

    def _name_with_id(self, actual: PanelObject) -> str:
        """Return the name of an object with its id, in words."""
        return f"{actual.get(self._kind.name_field)} (id {actual.get('id')})"

    def _is_as_desired(self, actual: PanelObject) -> bool:
        """Tell whether an object needs no change except for what cannot be read."""
        desired = self._plan.desired._replace(password=NO_PASSWORD)
        references = tuple(map(self._with_real_id, self._plan.references))
        request = ObjectQuery(self._kind, desired, self._plan.label)
        try:
            plan = plan_object(self._kind, desired, Resolution(request, actual, references))
        except Conflict:
            return False
        return not any(name in actual for name in plan.body)

    def _with_real_id(self, reference: ResolvedReference) -> ResolvedReference:
        """Return a reference to an object of which the plan had only a placeholder."""
        real_id = self._source.with_real_ids(reference.resolved_id)
        return reference._replace(resolved_id=real_id)

    def _check_name(self, actual: Mapping[str, Any], password: str | None) -> None:
        """Raise where the panel keeps a new database or FTP user under another name than was sent
        (docs/panel_api.md#naming-schemes).

        Args:
            actual: The object as the panel has it.
            password: The password that the panel generated.
        """
        field = self._kind.key[-1]
        sent = self._key[field.name]
        kept = actual.get(field.name)
        if kept is None or field.equals(sent, kept):
            return

        self._objects.creations.note_kept_name(self._search.creation, str(field.normalize(kept)))
        raise HasAnotherName(
            label=f"{self._kind.title} {sent}",
            identifier=actual.get("id"),
            kept_as=str(kept),
            advice=self._complete_advice(password, "Use that name in your task"),
            password=password,
        )

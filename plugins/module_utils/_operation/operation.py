# SPDX-License-Identifier: GPL-3.0-or-later
"""Defines what a module does, apart from how Ansible starts it: the types between an operation and
what runs it.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from .._errors import Effect
from .._http.connection_settings import build_connection_argument_spec
from .._problems import Problem
from .handover import NOTHING, NOTHING_LOCAL, Handover, LocalHandover

# Loading it takes 0.1 s of a controller that runs each module as a process.
if TYPE_CHECKING:
    from .._http.connection_settings import Connection
    from .._http.panel_session import PanelSession

_SECONDS_BETWEEN_REPORTS = 5.0
Params = Mapping[str, Any]


class ObjectEffect(NamedTuple):
    """Says what became of an object that a task was to change.

    kind: The plural of its kind.
    key: Its key.
    effect: What was written.
    kept_as: The name under which the panel keeps it; empty where it is the one that was sent.
    existed: Whether someone else has made the object that was to be created.
    """

    kind: str
    key: str
    effect: Effect
    kept_as: str = ""
    existed: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return it in the types of JSON, for a front end in another process."""
        return {**self._asdict(), "effect": self.effect.value}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> ObjectEffect:
        """Return what ``as_json`` has described."""
        return cls(**{**fields, "effect": Effect(fields["effect"])})


class PlanReport(NamedTuple):
    """Says what a task has planned.

    is_change: Whether anything is to be written.
    identifier: The id of the one object that the plan is about, and that stays; None of many.
    checksum: That of the plan for many objects; empty of one.
    """

    is_change: bool
    identifier: int | None = None
    checksum: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return it in the types of JSON, for a front end in another process."""
        return self._asdict()

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> PlanReport:
        """Return what ``as_json`` has described."""
        return cls(**fields)


class MaskedField(NamedTuple):
    """Names a field of an object in which a result shows a mask in the place of a secret.

    kind: The plural of the object's kind.
    name: The object's name.
    id: Its id.
    field: The field, with those that lead to it.
    """

    kind: str
    name: str
    id: Any
    field: str


def describe_lost_password(position: str, is_generated: bool) -> Problem:
    """Describe that nothing keeps a password which the panel generates.

    Args:
        position: File and line of the task.
        is_generated: Whether the panel has generated it; False in check mode.
    """
    action = "would generate"
    advice = "Set credentials_file or register the result."
    if is_generated:
        action = "generated"
        advice = (
            "Set credentials_file or register the result; "
            "regenerate_password replaces a lost password."
        )
    cause = f"the panel {action} a password that this task does not keep."
    return Problem(subject=position, cause=cause, advice=advice)


@dataclass
class Task:
    """Shows the running task to an operation.

    check_mode: Whether nothing is written.
    connect: Opens the session.
    handover: What the front end knows more than the options say.
    local: What the front end gives where it runs in this process.
    warnings: What the operator should know.
    plan: What was planned; None of a task that plans nothing, or has not come so far.
    passwords_set: The kinds and keys of the objects that get a password.
    effects: What became of the objects of a task about many, as far as it came to them.
    public_texts: Those of the options that the result shows.
    masked_fields: In which of its fields the result shows a mask.
    connect_to: Opens a session with another panel; None where a task has no use for one.
    """

    check_mode: bool
    connect: Callable[[], PanelSession]
    handover: Handover = NOTHING
    local: LocalHandover = NOTHING_LOCAL
    warnings: list[str | Problem] = field(default_factory=list)
    plan: PlanReport | None = None
    passwords_set: list[tuple[str, str]] = field(default_factory=list)
    effects: list[ObjectEffect] = field(default_factory=list)
    public_texts: Collection[str] = frozenset()
    masked_fields: list[MaskedField] = field(default_factory=list)
    connect_to: Callable[[Connection], PanelSession] | None = None

    @cached_property
    def session(self) -> PanelSession:
        """Return the session, which is opened on first use, so that wrong options send nothing."""
        return self.connect()

    def name_option(self, option: str) -> str:
        """Return what messages call an option: the variable that the operator wrote, or the option
        itself.
        """
        return self.handover.names.get(option, option)

    def hides(self, text: str) -> bool:
        """Tell whether the result shows a mask in a text, in which a secret of the task stands."""
        displayed: str = self.session.secrets.mask_given(text, self.public_texts)
        return displayed != text

    def warn(self, warning: str | Problem) -> None:
        """Add a warning to the result."""
        self.warnings.append(warning)

    def warn_of_lost_password(self) -> None:
        """Warn in check mode of a password that the panel would generate and that nothing keeps.

        Of a real run the controller warns, since only the result has the password.
        """
        position = self.handover.unregistered
        if position:
            self.warn(describe_lost_password(position, is_generated=False))


def report_progress(
    results: Iterable[Any], noun: str, total: int, say: Callable[[str], None]
) -> Iterator[Any]:
    """Yield the results of long work as they come, and say at most once in five seconds how many
    there are.

    Args:
        results: What is done, one by one.
        noun: What is counted, such as "lists read".
        total: How many results there will be.
        say: As of Task.
    """
    reported_at = time.monotonic()
    for number, result in enumerate(results, 1):
        if time.monotonic() - reported_at >= _SECONDS_BETWEEN_REPORTS:
            reported_at = time.monotonic()
            say(f"{number} of {total} {noun}")
        yield result


class Outcome(NamedTuple):
    """Says what an operation has done.

    changed: Whether anything was, or would be, written.
    result: Its own fields of the result.
    before, after: Fields or a text, of which the diff is made.
    prepared: The diff itself, in place of these two.
    """

    changed: bool
    result: Mapping[str, Any]
    before: Mapping[str, Any] | str = {}
    after: Mapping[str, Any] | str = {}
    prepared: str | None = None

    def build_diff(self) -> dict[str, Any]:
        """Return the diff as Ansible takes it."""
        if self.prepared is not None:
            return {"prepared": self.prepared}
        return {"before": self.before, "after": self.after}


@dataclass(frozen=True)
class Operation:
    """Describes one module.

    options: Its options, without the connection.
    run: What it does.
    constraints: Those between its options.
    summarized: Options too long for Ansible to check and for people to read, which the operation
        checks itself and whose secrets it keeps out of everything; each with what is displayed in
        its place.
    """

    options: Mapping[str, Mapping[str, Any]]
    run: Callable[[Params, Task], Outcome]
    constraints: Mapping[str, Any] = field(default_factory=dict)
    summarized: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)

    def summarize_options(self, params: Params) -> dict[str, Any]:
        """Return the options as they may be displayed and checked by Ansible: the long ones in
        short.
        """
        summary = dict(params)
        for name, summarize in self.summarized.items():
            if params.get(name) is not None:
                summary[name] = summarize(params[name])
        return summary

    @cached_property
    def validator(self) -> ArgumentSpecValidator:
        """Return what checks the options, those of the connection included."""
        options = {**build_connection_argument_spec(), **self.options}
        return ArgumentSpecValidator(options, **self.constraints)

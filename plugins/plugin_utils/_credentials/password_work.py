# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules that make objects with passwords, and what they say of the new ones.

In this process a module makes its plan once, and lets the passwords be kept before it writes. A
module in a process of its own cannot ask for that. So it runs twice: for the plan, and to write.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ...module_utils._errors import Effect, PanelError
from ...module_utils._items.desired_items import SINGLE_MODULE_ONLY, ItemsRead, read_items
from ...module_utils._operation.handover import (
    ON_EFFECTS,
    ON_PASSWORDS,
    ON_PLAN,
    Handover,
    LocalHandover,
)
from ...module_utils._operation.operation import ObjectEffect, PlanReport
from ...module_utils._schema.kind import Kind
from ...module_utils._secrets.redaction import parse_structure
from .._run.module_call import ModuleResult, Result, split_report
from .._run.panel_action import ActionOfCall, ModuleAction
from .credentials_file import (
    ChosenPasswords,
    DecidedPassword,
    DecidedPasswords,
    Name,
    Outcomes,
    Resources,
)

# Puts the passwords of objects into their files; gets what a module reports of these objects.
Keep = Callable[[Iterable[Sequence[str]]], None]


class PlanFailed(Exception):
    """A module that only reads has failed. result: what it returned."""

    def __init__(self, result: Result) -> None:
        super().__init__()
        self.result = result


class ModuleRunner:
    """Runs modules for a task, with its connection. connection: its options."""

    def __init__(self, action: ModuleAction, connection: Mapping[str, Any], task_vars: Any) -> None:
        self._action = action
        self.connection = connection
        self._task_vars = task_vars

    @property
    def user_handover(self) -> Handover:
        """What the module of the user's task gets beside its options."""
        return self._action.make_call().handover

    @property
    def runs_in_process(self) -> bool:
        """Tell whether a module runs in this process."""
        return self._action.runs_in_process()

    def run(
        self,
        module: str,
        options: Mapping[str, Any],
        check_mode: bool,
        handover: Handover | None = None,
        local: LocalHandover | None = None,
    ) -> ModuleResult:
        """Run a module.

        Args:
            module: Its name without the collection.
            options: Those beside the connection.
            check_mode: Whether it only plans.
            handover: What it gets beside its options; None for that of the user's task. The
                reports that a file of passwords needs are added.
            local: What it gets in this process alone, as of ModuleCall.

        Raises:
            PlanFailed: It has failed in check mode.
        """
        user_call = self._action.make_call()
        handover = handover or user_call.handover
        reports = [*handover.reports, ON_PASSWORDS, ON_PLAN, ON_EFFECTS]
        call = user_call._replace(
            module=f"hosting.panel.{module}",
            options={**self.connection, **options},
            handover=replace(handover, reports=reports),
            check_mode=check_mode,
            local=local,
        )
        returned = split_report(ActionOfCall(self._action, call).run(task_vars=self._task_vars))
        if check_mode and returned.result.get("failed"):
            raise PlanFailed(returned.result)
        return returned


class AppliedPasswords(NamedTuple):
    """What came of a module that wrote.

    returned: What it returned.
    chosen: The passwords that were kept for it; none where it did not get so far.
    """

    returned: ModuleResult
    chosen: ChosenPasswords


class PasswordWork(ABC):
    """What a task wants of a module that makes objects with passwords.

    resources: The items of the task, by kind, as they were written.
    read: The same as they are understood. What is wrong with them the module says.
    """

    resources: Resources
    read: ItemsRead

    def __init__(self, runner: ModuleRunner) -> None:
        self._runner = runner

    def carry_out(self, passwords: DecidedPasswords) -> AppliedPasswords:
        """Plan, keep the passwords that the objects get by the plan, and write exactly that plan.

        Args:
            passwords: Those that the objects may get.

        Raises:
            FileError: A file cannot be written; nothing was sent.
            PlanFailed: The plan cannot be made.
        """
        if self._runner.runs_in_process:
            return self._carry_out_at_once(passwords)
        planned = self.plan(passwords)
        receivers = self.select_receivers(planned.report[ON_PASSWORDS], passwords.by_name)
        chosen = passwords.choose(receivers)
        chosen.keep()
        return AppliedPasswords(self._apply_plan(planned, passwords, chosen), chosen)

    def _carry_out_at_once(self, passwords: DecidedPasswords) -> AppliedPasswords:
        """Run the module once; it lets the passwords be kept between its plan and its writes."""
        # None where the module fails before it has a plan.
        chosen = passwords.choose(())
        refusals: list[PanelError] = []

        def keep(reported: Iterable[Sequence[str]]) -> None:
            nonlocal chosen
            chosen = passwords.choose(self.select_receivers(reported, passwords.by_name))
            try:
                chosen.keep()
            except PanelError as error:
                refusals.append(error)
                raise

        returned = self._run_once(passwords, keep)
        if refusals:
            # It has stopped before it wrote anything.
            raise refusals[0]
        return AppliedPasswords(returned, chosen)

    @abstractmethod
    def plan(self, passwords: DecidedPasswords) -> ModuleResult:
        """Return what the module returns in check mode, for the items with all these passwords."""

    @abstractmethod
    def select_receivers(
        self, reported: Iterable[Sequence[str]], names: Iterable[Name]
    ) -> set[Name]:
        """Return which of the named objects get a password, as the module reports them."""

    @abstractmethod
    def _run_once(self, passwords: DecidedPasswords, keep: Keep) -> ModuleResult:
        """Run the module in this process for the items with all these passwords.

        Args:
            passwords: Those that the objects may get.
            keep: Called between the plan and its writes.
        """

    @abstractmethod
    def _apply_plan(
        self, planned: ModuleResult, passwords: DecidedPasswords, chosen: ChosenPasswords
    ) -> ModuleResult:
        """Have another process carry out a plan.

        Args:
            planned: What the module returned as the plan.
            passwords: Those that the objects may get.
            chosen: Those that are kept.
        """

    @abstractmethod
    def find_outcomes(
        self, applied: ModuleResult, chosen: Mapping[Name, DecidedPassword]
    ) -> Outcomes:
        """Return which of the chosen objects have their new password by now."""


def _get_plan(planned: ModuleResult) -> PlanReport:
    """Return what the module reports of its plan."""
    return PlanReport.from_json(planned.report[ON_PLAN])


def _get_effects(returned: ModuleResult) -> Mapping[str, Any]:
    """Return what the module reports of what it wrote; nothing where it did not come to its end."""
    effects: Mapping[str, Any] = returned.report.get(ON_EFFECTS, {})
    return effects


def _wrote_nothing(effects: Mapping[str, Any]) -> bool:
    """Return whether a module that failed says that it wrote nothing, at any attempt."""
    return effects.get("failure") == Effect.NOTHING.value


class BulkWork(PasswordWork):
    """Resources, by panel_resources."""

    def __init__(self, runner: ModuleRunner, options: Mapping[str, Any]) -> None:
        super().__init__(runner)
        self._options = options
        resources: Any = options.get("resources")
        if isinstance(resources, str):
            resources = parse_structure(resources)
        self._is_readable = _is_resources(resources)
        self.resources = resources if self._is_readable else {}
        self.read = read_items(self.resources)

    def plan(self, passwords: DecidedPasswords) -> ModuleResult:
        """Return the plan."""
        return self._run(passwords, passwords.by_name, check_mode=True)

    def _run_once(self, passwords: DecidedPasswords, keep: Keep) -> ModuleResult:
        """Run the module with the items that are read already."""
        items = passwords.fill_items(self.read) if self._is_readable else None
        local = LocalHandover(before_writes=keep, items=items)
        return self._run(passwords, passwords.by_name, check_mode=False, local=local)

    def _apply_plan(
        self, planned: ModuleResult, passwords: DecidedPasswords, chosen: ChosenPasswords
    ) -> ModuleResult:
        """Carry out the plan, and no other: the module makes it again, and compares checksums."""
        plan = _get_plan(planned)
        if not plan.is_change:
            return planned
        return self._run(
            passwords, chosen.by_name, check_mode=False, approved_checksum=plan.checksum
        )

    def _run(
        self,
        passwords: DecidedPasswords,
        names: Collection[Name],
        check_mode: bool,
        approved_checksum: str = "",
        local: LocalHandover | None = None,
    ) -> ModuleResult:
        """Run the module for the items with the passwords of the named objects."""
        options = dict(self._options)
        if self._is_readable:
            options["resources"] = passwords.fill(self.resources, names)
        positions = [passwords.by_name[name].position for name in names]
        handover = replace(
            self._runner.user_handover,
            approved_checksum=approved_checksum,
            made_passwords=positions,
        )
        return self._runner.run("panel_resources", options, check_mode, handover, local)

    def select_receivers(
        self, reported: Iterable[Sequence[str]], _names: Iterable[Name]
    ) -> set[Name]:
        """Return the reported objects."""
        # A process reports pairs as lists.
        return {(name[0], name[1]) for name in reported}

    def find_outcomes(
        self, applied: ModuleResult, chosen: Mapping[Name, DecidedPassword]
    ) -> Outcomes:
        """Return which of the chosen objects have their new password."""
        effects = _get_effects(applied)
        objects = [ObjectEffect.from_json(fields) for fields in effects.get("objects", ())]
        if not objects:
            return dict.fromkeys(chosen) if _wrote_nothing(effects) else {}
        outcomes: dict[Name, str | None] = {}
        for written in objects:
            name = (written.kind, written.key)
            is_theirs = name in chosen and _is_of_someone_else(written, chosen[name])
            if is_theirs or written.effect is not Effect.UNKNOWN:
                outcomes[name] = _find_key(written, is_theirs)
        return outcomes


def _is_resources(value: Any) -> bool:
    """Return whether a value is a dictionary of lists."""
    if not isinstance(value, dict):
        return False
    return all(isinstance(items, list) for items in value.values())


def _is_of_someone_else(written: ObjectEffect, password: DecidedPassword) -> bool:
    """Return whether someone else made an object in the meantime, which keeps its own password.

    Args:
        written: What became of the object.
        password: The new password of the object.
    """
    return written.existed and not password.force


def _find_key(written: ObjectEffect, is_theirs: bool) -> str | None:
    """Return the key under which an object has its new password; None if it does not have it."""
    if written.kept_as:
        return written.kept_as
    if written.effect is Effect.WRITTEN and not is_theirs:
        return written.key
    return None


class SingleWork(PasswordWork):
    """One object, by the module of its kind."""

    def __init__(self, runner: ModuleRunner, kind: Kind, options: Mapping[str, Any]) -> None:
        super().__init__(runner)
        self._kind = kind
        # What is done after the write is no option of an item.
        self._task_options: dict[str, Any] = {}
        item: dict[str, Any] = {}
        for name, value in options.items():
            if name in SINGLE_MODULE_ONLY:
                self._task_options[name] = value
            else:
                item[name] = value
        self.resources = {kind.plural: [item]}
        self.read = read_items(self.resources)

    def plan(self, passwords: DecidedPasswords) -> ModuleResult:
        """Return the plan of the one object."""
        return self._run(self._fill(passwords, passwords.by_name), check_mode=True)

    def _run_once(self, passwords: DecidedPasswords, keep: Keep) -> ModuleResult:
        """Run the module for the one object."""
        item = self._fill(passwords, passwords.by_name)
        return self._run(item, check_mode=False, local=LocalHandover(before_writes=keep))

    def _apply_plan(
        self, planned: ModuleResult, passwords: DecidedPasswords, chosen: ChosenPasswords
    ) -> ModuleResult:
        """Carry out what was planned."""
        waits = self._task_options.get("wait") or self._task_options.get("read_back")
        plan = _get_plan(planned)
        if not chosen.by_name and not plan.is_change and not waits:
            return planned
        item = self._fill(passwords, chosen.by_name)
        if not chosen.by_name and plan.identifier is not None:
            # By its id, so that it is not created where someone has deleted it in the meantime.
            item["id"] = plan.identifier
            # Parts of a composite key are fields then.
            if len(self._kind.key) == 1:
                item.pop(self._kind.key_options[0], None)
        return self._run(item, check_mode=False)

    def _fill(self, passwords: DecidedPasswords, names: Collection[Name]) -> dict[str, Any]:
        """Return the options of the object, with its password where its name is among these."""
        filled = passwords.fill(self.resources, names)
        return dict(filled[self._kind.plural][0])

    def _run(
        self,
        item: Mapping[str, Any],
        check_mode: bool,
        local: LocalHandover | None = None,
    ) -> ModuleResult:
        """Run the module for the one object."""
        options = {**self._task_options, **item}
        return self._runner.run(self._kind.module, options, check_mode, local=local)

    def select_receivers(
        self, reported: Iterable[Sequence[str]], names: Iterable[Name]
    ) -> set[Name]:
        """Return the object where it gets a password."""
        return set(names) if reported else set()

    def find_outcomes(
        self, applied: ModuleResult, chosen: Mapping[Name, DecidedPassword]
    ) -> Outcomes:
        """Return whether the object has its new password."""
        effects = _get_effects(applied)
        if _wrote_nothing(effects):
            return dict.fromkeys(chosen)
        passwords_sent = applied.report.get(ON_PASSWORDS)
        if passwords_sent is None:
            return {}
        if not passwords_sent:
            # Someone else has made the object in the meantime, and it keeps its own password.
            return dict.fromkeys(chosen)
        # A module fails after its write where a wait does, or where the panel keeps the object
        # under another name.
        is_written = effects.get("failure") == Effect.WRITTEN.value
        if applied.result.get("failed") and not is_written:
            return {}
        return {name: effects.get("kept_as") or name[1] for name in chosen}

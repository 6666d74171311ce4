# SPDX-License-Identifier: GPL-3.0-or-later
"""The action of a module that runs on the controller alone: its options, the modules that it runs in turn, and its result or failure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...module_utils._errors import OptionError
from ...module_utils._http.connection_settings import ENVIRONMENT
from ...module_utils._kinds.registry import KINDS
from .panel_action import PanelAction, module_action
from .panel_connections import panel_host


class JobFailed(Exception):
    """The text is the message of the task, for a person and without a secret; members: what else its result has."""

    def __init__(self, message: str, **members: Any) -> None:
        super().__init__(message)
        self.members = members


class ModuleFailed(JobFailed):
    """A module that the job ran has failed; the text is its message."""

    def __init__(self, result: Mapping[str, Any]) -> None:
        members = {name: result[name] for name in ("error", "exception") if name in result}
        super().__init__(str(result.get("msg", "The module failed without a message.")), **members)


class Job:
    """What a job works with. arguments: of the task, checked, and as plain values. given: the same as they were written."""

    def __init__(self, action: PanelAction, arguments: Mapping[str, Any], task_vars: Mapping[str, Any]) -> None:
        self.arguments, self.variables = arguments, task_vars
        self.given: Mapping[str, Any] = action._task.args
        self.check_mode, self.diff = bool(action._task.check_mode), bool(action._task.diff)
        self.environment = action.task_environment()
        self.say, self.vault = action.say, action.vault
        self.names, self.name_of = action.names, action.name_of
        self.warnings: list[str] = []
        self._action = action
        self._connection = {name: self.given[name] for name in ENVIRONMENT if name in self.given}

    def read(self, module: str, member: str, options: Mapping[str, Any], **handed_on: Any) -> Any:
        """Return a member of what an info module returned for the panel of the task.

        Args:
            module: The name of the module, without its collection.
            member: The key in its result.
            options: Its options, without those of the connection.
            handed_on: What it gets beside its options, by the names of ``HANDED_ON``.

        Raises:
            ModuleFailed: with the module's message.
        """
        return self.result_of(module, options, **handed_on)[member]

    def result_of(self, module: str, options: Mapping[str, Any], **handed_on: Any) -> dict[str, Any]:
        """Return all that an info module returned; otherwise as ``read``."""
        task = self._action._task.copy()
        task.action, task.args = f"hosting.panel.{module}", {**self._connection, **options}
        action = module_action(self._action, task)
        action.handed_on = {**action.handed_on, **handed_on}
        result: dict[str, Any] = action.run(task_vars=self.variables)
        self.warn(result.get("warnings") or ())
        if result.get("failed"):
            raise ModuleFailed(result)
        return result

    def objects(self, kind: str, **options: Any) -> list[dict[str, Any]]:
        """The objects of a kind, or those that the options of its info module name."""
        return list(self.read(f"{KINDS[kind].module}_info", kind, options))

    def panel_name(self) -> str:
        return panel_host(self._connection, self.environment)

    def warn(self, warnings: Iterable[str]) -> None:
        """Warnings for the result, each once."""
        self.warnings[:] = dict.fromkeys([*self.warnings, *warnings])


class JobAction(PanelAction):
    """specification: the options. failures: by type of an error the message, {0} for the error's own words, {name} for an option's value,
    {names[name]} for what messages call it. steps: does the job."""

    _supports_async = False
    specification: Mapping[str, Any] = {}
    failures: Mapping[type[Exception], str] = {}
    steps: Callable[[Job], Mapping[str, Any]]

    def result_of(self, task_vars: Mapping[str, Any]) -> Mapping[str, Any]:
        job = Job(self, self.arguments(), task_vars)
        known: tuple[type[Exception], ...] = (JobFailed, *self.failures)
        try:
            done = dict(self.steps(job))
        except known as error:
            message = next((text for type_, text in self.failures.items() if isinstance(error, type_)), "{0}")
            if isinstance(error, OptionError):
                error.name_options(self.names)
            failure = {"type": type(error).__name__, **getattr(error, "details", {})}
            members = {"error": failure, **(error.members if isinstance(error, JobFailed) else {})}
            names = {option: self.name_of(option) for option in self.specification}
            done = {**members, "failed": True, "msg": message.format(error, names=names, **job.arguments)}
        job.warn(done.get("warnings") or ())
        return {"changed": False, **done, **({"warnings": job.warnings} if job.warnings else {})}

    def arguments(self) -> dict[str, Any]:
        return self.checked_arguments(self.specification)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The action of a module that runs on the controller alone.

Here are its options, the modules that it runs in turn, and its result or failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...module_utils._errors import PanelError, Reached
from ...module_utils._http.connection_settings import ENVIRONMENT
from ...module_utils._kinds.registry import KINDS
from ...module_utils._operation.handover import NOTHING, Handover
from ...module_utils._problems import Problem, Written
from .module_call import ModuleCall
from .panel_action import ActionOfCall, PanelAction
from .panel_connections import get_panel_host


class JobFailed(PanelError):
    """A job cannot be done, or not to its end. Its problems hold no secret."""


class ModuleFailed(JobFailed):
    """A module that the job ran has failed; the cause is its message."""

    def __init__(self, result: Mapping[str, Any]) -> None:
        super().__init__(str(result.get("msg", "The module failed without a message.")))
        self._fields = {name: result[name] for name in ("error", "exception") if name in result}

    def as_result(self) -> dict[str, Any]:
        """Return the result of the task, with what the module says of its error."""
        return {**super().as_result(), **self._fields}


def make_failure(problems: Iterable[Problem], result: Mapping[str, Any]) -> JobFailed:
    """Return the error of a job that did not come to its end.

    Args:
        problems: What went wrong.
        result: What the job had reached, as the result of its task.
    """
    error = JobFailed(reached=Reached(result["changed"], result))
    error.problems = tuple(problems)
    return error


def refuse_conflicts(conflicts: Sequence[Problem], written: Written) -> None:
    """Raise JobFailed if there are files that must not be written.

    Args:
        conflicts: What is wrong with each.
        written: What was written, which is said once at the end.
    """
    if not conflicts:
        return
    *first, last = conflicts
    error = JobFailed()
    error.problems = (*first, replace(last, written=written))
    raise error


class Job:
    """What a job works with.

    Attributes:
        arguments: The options of the task, checked, and as plain values.
        variables: The variables of the task.
        given: The options as they were written.
        check_mode: Whether nothing is written.
        diff: Whether the result shows what changes.
        environment: What the task adds to the environment of the run.
        say: Prints a line of progress.
        vault: The Vault passwords of the run.
        names: By option the variable that sets it.
        name_option: What messages call an option.
        is_template: Tells whether a value of a variable is still a template.
        warnings: Those of the result.
    """

    def __init__(
        self, action: PanelAction, arguments: Mapping[str, Any], task_vars: Mapping[str, Any]
    ) -> None:
        self.arguments = arguments
        self.variables = task_vars
        self.given: Mapping[str, Any] = action._task.args
        self.check_mode = bool(action._task.check_mode)
        self.diff = bool(action._task.diff)
        self.environment = action.get_task_environment()
        self.say = action.say
        self.vault = action.vault
        self.names = action.names
        self.name_option = action.name_option
        self.is_template = action.is_template
        self.warnings: list[str] = []
        self._action = action
        self._connection = {name: self.given[name] for name in ENVIRONMENT if name in self.given}

    def read(
        self,
        module: str,
        field: str,
        options: Mapping[str, Any],
        handover: Handover = NOTHING,
    ) -> Any:
        """Return a field of what an info module returned for the panel of the task.

        Args:
            module: The name of the module, without its collection.
            field: The key in its result.
            options: Its options, without those of the connection.
            handover: What it gets beside its options.

        Raises:
            ModuleFailed: The module failed; it has its message.
        """
        return self.read_result(module, options, handover)[field]

    def read_result(
        self, module: str, options: Mapping[str, Any], handover: Handover = NOTHING
    ) -> dict[str, Any]:
        """Return all that an info module returned; otherwise as ``read``."""
        call = ModuleCall(
            f"hosting.panel.{module}",
            {**self._connection, **options},
            check_mode=self.check_mode,
            handover=handover,
        )
        result = ActionOfCall(self._action, call).run(task_vars=self.variables)
        self.warn(result.get("warnings") or ())
        if result.get("failed"):
            raise ModuleFailed(result)
        return result

    def read_objects(self, plural: str, **options: Any) -> list[dict[str, Any]]:
        """Return the objects of a kind, or those that the options of its info module name."""
        return list(self.read(f"{KINDS[plural].module}_info", plural, options))

    def get_panel_name(self) -> str:
        """Return host and port of the panel of the task."""
        return get_panel_host(self._connection, self.environment)

    def warn(self, warnings: Iterable[str]) -> None:
        """Add warnings to those of the result, each once."""
        self.warnings[:] = dict.fromkeys([*self.warnings, *warnings])


class JobAction(PanelAction):
    """An action that does a job on the controller.

    Attributes:
        specification: The options.
        failures: By type of an error the message, with {0} for the error's own words, {name} for
            the value of an option, and {names[name]} for what messages call it.
        do_job: Does the job.
    """

    _supports_async = False
    specification: Mapping[str, Any] = {}
    failures: Mapping[type[Exception], str] = {}
    do_job: Callable[[Job], Mapping[str, Any]]

    def run_task(self, task_vars: Mapping[str, Any]) -> Mapping[str, Any]:
        """Do the job, and return its result or failure."""
        job = Job(self, self.read_arguments(), task_vars)
        expected_errors: tuple[type[Exception], ...] = (JobFailed, *self.failures)
        try:
            result = dict(self.do_job(job))
        except expected_errors as error:
            result = self._describe_failure(error, job)

        job.warn(result.get("warnings") or ())
        if job.warnings:
            result["warnings"] = job.warnings
        return {"changed": False, **result}

    def read_arguments(self) -> dict[str, Any]:
        """Return the options of the task, checked, and as plain values."""
        return self.check_arguments(self.specification)

    def _describe_failure(self, error: Exception, job: Job) -> dict[str, Any]:
        """Return the result of a job that cannot be done."""
        result: dict[str, Any] = {"error": {"type": type(error).__name__}, "failed": True}
        if isinstance(error, PanelError):
            error.name_options(self.names)
            result = error.as_result()
        names = {option: self.name_option(option) for option in self.specification}
        message = self._find_message(error).format(error, names=names, **job.arguments)
        return {**result, "msg": message}

    def _find_message(self, error: Exception) -> str:
        """Return the message for an error, in which the words of the error are missing."""
        for error_type, message in self.failures.items():
            if isinstance(error, error_type):
                return message
        return "{0}"

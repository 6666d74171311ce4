# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one way in which the job of a role is done on the controller, and ends. Private to the collection."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ansible.parsing.vault import VaultLib

from ...module_utils._http.connection_settings import ENVIRONMENT
from .._run.panel_action import PanelAction
from .._run.task_arguments import checked_arguments, plain
from .job_failed import JobFailed
from .role_variables import with_variables
from .run_modules import ModuleFailed, ModuleRuns
from .vaulted import RunVault, as_in_files


class Job:
    """A job with what it works with.

    action: the plugin of the task. arguments: of the task, checked, and as plain values. given: the same as they were written. variables: of the
    task's host. shown: what the result has, however the job ends.
    """

    def __init__(self, action: PanelAction, arguments: Mapping[str, Any], task_vars: Mapping[str, Any] | None) -> None:
        self.action, self.variables = action, task_vars or {}
        self.given: Mapping[str, Any] = action._task.args
        self.arguments = {
            name: as_in_files(self.vault, value, self.given.get(name)) for name, value in arguments.items()
        }
        self.check_mode: bool = action._task.check_mode
        self.shown: dict[str, Any] = {}
        self.warnings: list[str] = []

    def say(self, text: str) -> None:
        """A line of progress on the controller's display."""
        self.action.say(self.vault.masked(text))

    @functools.cached_property
    def panel(self) -> ModuleRuns:
        """The panel of the task."""
        return self.panel_of({name: self.given[name] for name in ENVIRONMENT if name in self.given})

    def panel_of(self, connection: Mapping[str, Any], place: str = "") -> ModuleRuns:
        """The panel that these connection options lead to; place: as in ``ModuleFailed``."""
        return ModuleRuns(self.action, self.variables, connection, place, self.warnings)

    @functools.cached_property
    def vault(self) -> RunVault:
        """The Vault secrets of the running ansible-playbook.

        Ansible has no public way to them. The loader that it hands to every action plugin holds them, in ansible-core 2.16 to 2.21 alike.
        """
        return RunVault(getattr(self.action._loader, "_vault", VaultLib()).secrets)

    @property
    def environment(self) -> dict[str, str]:
        """What the task adds to the environment of the run."""
        return self.action._task_environment()

    @property
    def diff(self) -> bool:
        """Whether the task shows what it changes."""
        return bool(self.action._task.diff)

    def handed_on(self, names: Iterable[str]) -> dict[str, Any]:
        """Those of the arguments that were given, for a module that takes them as they are."""
        return {name: self.arguments[name] for name in names if self.arguments[name] is not None}

    def warn(self, warnings: Iterable[str]) -> None:
        """Warnings for the result, each once."""
        self.warnings[:] = dict.fromkeys([*self.warnings, *warnings])


class JobAction(PanelAction):
    """The action of a job: the options that it takes, what is said of the errors that it knows, and the steps.

    specification: as Ansible has it. failures: by type of an error the message, {} for the error's own words. role: whose variables the options
    are, and so have its name before their own; variables: those that are called otherwise, empty for what has none.
    """

    _supports_async = False
    role = ""
    variables: Mapping[str, str] = {}
    specification: Mapping[str, Any] = {}
    failures: Mapping[type[Exception], str] = {}
    # Does the job; the members of its result. Raises JobFailed and the errors of ``failures``.
    steps: Callable[[Job], Mapping[str, Any]]

    def result_of(self, result: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        job = Job(self, self.arguments(), task_vars)
        known: tuple[type[Exception], ...] = (JobFailed, *self.failures)
        try:
            done = self.steps(job)
        except known as error:
            message = next((text for type_, text in self.failures.items() if isinstance(error, type_)), "{}")
            members = error.members if isinstance(error, JobFailed) else {}
            text = message.format(error)
            # What a module says is about its own options.
            done = {
                **members,
                "failed": True,
                "msg": text if isinstance(error, ModuleFailed) else self._with_variables(text),
            }
        job.warn(done.get("warnings") or ())
        warnings = {"warnings": job.warnings} if job.warnings else {}
        return {**result, "changed": False, **job.vault.masked({**job.shown, **done, **warnings})}

    def arguments(self) -> dict[str, Any]:
        """The arguments of the task as the steps get them."""
        checked = checked_arguments(self, self.specification)
        arguments: dict[str, Any] = plain({name: checked[name] for name in self.specification if name in checked})
        return arguments

    @classmethod
    def variable_of(cls, option: str) -> str:
        """The variable of the role in which a user gives the option; empty where there is none."""
        return cls.variables.get(option, f"{cls.role}_{option}" if cls.role else "")

    def _with_variables(self, message: str) -> str:
        own = {option: self.variable_of(option) for option in self.specification if option not in ENVIRONMENT}
        named = {option: variable for option, variable in own.items() if variable}
        return with_variables(message, self.role, named) if named else message

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action of a module that runs on the controller alone: its options, the modules that it runs in turn, and its result or failure."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ansible.parsing.vault import VaultLib

from ...module_utils._http.connection_settings import ENVIRONMENT
from ...module_utils._kinds.registry import KINDS
from ...module_utils._values.ids import read_id
from .controller_files import reason_of
from .module_action import module_action
from .panel_action import PanelAction
from .panel_name import panel_host
from .task_arguments import checked_arguments, plain


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


def id_of(found: Mapping[str, Any], name: str) -> int:
    """The id of an object that the panel has shown; name: of the object, for a person. Raises JobFailed."""
    identifier = read_id(found.get("id"))
    if identifier is None:
        raise JobFailed(f"{name}: the panel shows it without an id. Nothing was written. Leave it out here.")
    return identifier


@contextlib.contextmanager
def explained(place: str, ending: str = "", error: type[Exception] = JobFailed) -> Iterator[None]:
    """Makes an error for a person of an OSError. place: the file, and what was to be done to it; ending: what was not done because of it."""
    try:
        yield
    except OSError as cause:
        raise error(f"{place}: {reason_of(cause)}.{ending and f' {ending}'}") from None


class Modules:
    """Info modules on the panel of a task."""

    def __init__(self, job: Job) -> None:
        self._job = job
        given = job.action._task.args
        self._connection = {name: given[name] for name in ENVIRONMENT if name in given}

    def read(self, module: str, member: str, options: Mapping[str, Any]) -> Any:
        """A member of what an info module returned; raises ModuleFailed."""
        task = self._job.action._task.copy()
        task.action, task.args = f"hosting.panel.{module}", {**self._connection, **options}
        result: dict[str, Any] = module_action(self._job.action, task).run(task_vars=self._job.variables)
        self._job.warn(result.get("warnings") or ())
        if result.get("failed"):
            raise ModuleFailed(result)
        return result[member]

    def objects(self, kind: str, **options: Any) -> list[dict[str, Any]]:
        """The objects of a kind, or those that the options of its info module name."""
        found: list[dict[str, Any]] = self.read(f"{KINDS[kind].module}_info", kind, options)
        return found

    def name(self) -> str:
        """By which name the panel is known in files."""
        return panel_host(self._connection, self._job.environment)


class Job:
    """What a job works with. arguments: of the task, checked, and as plain values. given: the same as they were written."""

    def __init__(self, action: PanelAction, arguments: Mapping[str, Any], task_vars: Mapping[str, Any] | None) -> None:
        self.action, self.arguments, self.variables = action, arguments, task_vars or {}
        self.given: Mapping[str, Any] = action._task.args
        self.check_mode, self.diff = bool(action._task.check_mode), bool(action._task.diff)
        self.environment = action._task_environment()
        self.say = action.say
        self.warnings: list[str] = []

    @functools.cached_property
    def panel(self) -> Modules:
        """The panel of the task."""
        return Modules(self)

    @functools.cached_property
    def vault(self) -> VaultLib:
        """The Vault passwords of the run, to which Ansible has no public way; the loader of every action plugin holds them."""
        return getattr(self.action._loader, "_vault", None) or VaultLib()

    def warn(self, warnings: Iterable[str]) -> None:
        """Warnings for the result, each once."""
        self.warnings[:] = dict.fromkeys([*self.warnings, *warnings])


class JobAction(PanelAction):
    """specification: the options. failures: by type of an error the message, {} for the error's own words. steps: does the job.

    role: the one whose variables the options are, except those in ``no_variables``; a message names both.
    """

    _supports_async = False
    role = ""
    no_variables: frozenset[str] = frozenset(ENVIRONMENT)
    specification: Mapping[str, Any] = {}
    failures: Mapping[type[Exception], str] = {}
    steps: Callable[[Job], Mapping[str, Any]]

    def result_of(self, result: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        job = Job(self, self.arguments(), task_vars)
        known: tuple[type[Exception], ...] = (JobFailed, *self.failures)
        try:
            done = dict(self.steps(job))
        except known as error:
            message = next((text for type_, text in self.failures.items() if isinstance(error, type_)), "{}")
            members = error.members if isinstance(error, JobFailed) else {}
            done = {**members, "failed": True, "msg": self._with_variables(message.format(error))}
        job.warn(done.get("warnings") or ())
        return {**result, "changed": False, **done, **({"warnings": job.warnings} if job.warnings else {})}

    def arguments(self) -> dict[str, Any]:
        """The arguments of the task as the steps get them."""
        checked = checked_arguments(self, self.specification)
        arguments: dict[str, Any] = plain({name: checked[name] for name in self.specification if name in checked})
        return arguments

    def _with_variables(self, message: str) -> str:
        options = "|".join(name for name in self.specification if name not in self.no_variables)
        if not self.role or not options:
            return message
        place = re.compile(rf"(^|[.] )({options})((?:[.]\w+|\[\d+\])*): ")
        return place.sub(rf"\1\2\3 ({self.role}_\2 in the role {self.role}): ", message)

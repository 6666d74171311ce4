# SPDX-License-Identifier: GPL-3.0-or-later
"""What all actions of the collection have in common, and the one that runs its modules.

Starting a module costs about 0.25 s of processor time, the work itself a few milliseconds. With a
local connection, without async and without become, the module would run on this machine as this
user anyway, so the same core runs here, with one kept-alive session for all items of a loop. In
every other case the module runs as usual. PANEL_IN_PROCESS=0 forces the module.
"""

from __future__ import annotations

import contextlib
import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable

from ansible.errors import AnsibleError
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.parsing.vault import VaultLib
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display
from jinja2 import TemplateError

from ...module_utils._errors import OptionError, raise_if_any
from ...module_utils._http.connection_settings import ENVIRONMENT, REQUIRED_OPTIONS
from ...module_utils._operation.defects import as_panel_error
from ...module_utils._operation.handover import REPORTS
from ...module_utils._problems import OptionPath, Problem, Written, describe_option_problem
from ...module_utils._secrets.redaction import (
    Secrets,
    collect_secrets,
    escape_control_characters,
    parse_structure,
    with_harmless_words,
)
from ...module_utils._values.unsendable import describe_unsendable
from .._ansible.module_process import collect_constructor_arguments, get_environment_of, run_process
from .._ansible.plain_values import as_plain
from .._ansible.results import shows_invocation
from .._ansible.types_of_templates import read_written_options, with_option_types
from .._ansible.vault import get_vault_of
from .controller_files import describe_unusable_path
from .dates import check_dates, check_dates_by_specification
from .module_call import ModuleCall, split_report

display = Display()
_COLLECTION = Path(__file__).parents[3]
_FOLDERS_WITH_TASKS = (_COLLECTION / "roles", _COLLECTION / "playbooks")
# The variable in which a role or playbook says which of its variables set the options of its tasks,
# for messages.
OPTION_NAMES = "__panel_option_names"
# The same for the connection, where a play gives that to all of its tasks.
CONNECTION_NAMES = "__panel_connection_names"

_GROUP_OF_PASSWORDS = "group/hosting.panel.panel_passwords"
_FILE_IN_DEFAULTS = ("credentials_file", "group/hosting.panel.panel")
_WITH_CREDENTIALS_FILE = frozenset(
    {
        *("panel_admin", "panel_client", "panel_database", "panel_directory_protection"),
        *("panel_email", "panel_export", "panel_ftp_user", "panel_resources"),
    }
)


class PanelAction(ActionBase):
    """An action whose words cannot control a terminal."""

    _supports_check_mode = True
    # By option the variable that sets it, for messages.
    names: Mapping[str, str] = {}
    # The options, as far as the action checks them itself.
    specification: Mapping[str, Any] = {}

    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        """Run the task, and return its result or failure."""
        result = super().run(tmp, task_vars)
        variables = task_vars or {}
        self.names = self._collect_option_names(variables)
        if self._has_options_of_operator():
            self._task.args = with_option_types(self._templar, self._task, self._task.args)
        result.update(self.run_and_report(lambda: self.run_task(variables)))
        if result.get("failed"):
            result = self._without_secrets(result)
        return with_harmless_words(result)

    def run_and_report(self, work: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
        """Return the result of the work, or of its failure."""
        try:
            return dict(work())
        except (AnsibleError, TemplateError):
            raise  # a host that cannot be reached, for example, of which Ansible tells itself
        except Exception as fault:
            with set_environment(self.get_task_environment()):
                error = as_panel_error(fault)
            error.name_options(self.names)
            return error.as_result()

    def _has_options_of_operator(self) -> bool:
        """Return whether the options are as an operator wrote them.

        In the roles and playbooks of the collection they come from variables that the lookup
        panel_variables has read.
        """
        # The path of a task ends with a colon and the line.
        file = Path(str(self._task.get_path()).rpartition(":")[0])
        return not any(file.is_relative_to(folder) for folder in _FOLDERS_WITH_TASKS)

    def _without_secrets(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return a result without the secrets of the task's options.

        The value of another option may repeat one.
        """
        options = as_plain(self._task.args)
        environment = {**os.environ, **self.get_task_environment()}
        secrets = Secrets(collect_secrets(options, self.specification))
        secrets.add([environment.get(ENVIRONMENT["api_key"], "")])
        masked: dict[str, Any] = secrets.mask_value(result)
        return masked

    @abstractmethod
    def run_task(self, task_vars: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what the task did. A PanelError is its failure."""

    def name_option(self, option: str) -> str:
        """Return what messages call an option.

        That is the variable that the operator wrote, or the option itself.
        """
        return self.names.get(option, option)

    def _collect_option_names(self, task_vars: Mapping[str, Any]) -> Mapping[str, str]:
        """Return by option which variable of a role or playbook sets it."""
        of_connection = self._read_names(task_vars, CONNECTION_NAMES)
        options = filter(self._may_be_set_by_variable, of_connection)
        names = self._collect_names_of_defaults()
        names.update({option: of_connection[option] for option in options})
        names.update(self._read_names(task_vars, OPTION_NAMES))
        return names

    def _collect_names_of_defaults(self) -> dict[str, str]:
        """Return by option which of ``module_defaults`` sets it, but for those of a connection."""
        names = {}
        for defaults in self._task.module_defaults or ():
            for group, options in defaults.items():
                further = set(options) & set(self._task.args) - set(ENVIRONMENT)
                names.update({name: self._name_default(name, group) for name in further})
        own_options = read_written_options(self._task) if names else {}
        return {option: name for option, name in names.items() if option not in own_options}

    def _name_default(self, option: str, group: str) -> str:
        """Return what messages call an option that ``module_defaults`` sets.

        Not all modules of the group for the connection have a file for passwords.
        """
        module = str(self._task.action).rpartition(".")[2]
        origin = f"module_defaults of {group}"
        if (option, group) == _FILE_IN_DEFAULTS and module not in _WITH_CREDENTIALS_FILE:
            origin += f", which belongs under {_GROUP_OF_PASSWORDS}"
        return f"{option} ({origin})"

    def _may_be_set_by_variable(self, option: str) -> bool:
        """Return whether a variable of the play sets an option of the connection, or could set it.

        What the environment sets has no variable.
        """
        if option in self._task.args:
            return True
        variable = ENVIRONMENT[option]
        if os.environ.get(variable) or self.get_task_environment().get(variable):
            return False
        # One that is missing is called by the variable that can set it.
        return "api_url" in self._task.args or option in REQUIRED_OPTIONS

    def _read_names(self, task_vars: Mapping[str, Any], variable: str) -> dict[str, str]:
        """Return by option the variable that sets it, as a variable of the role says it."""
        if variable not in task_vars:
            return {}
        return dict(as_plain(self._templar.template(task_vars[variable])))

    @property
    def vault(self) -> VaultLib:
        """The Vault passwords of the run."""
        return get_vault_of(self._loader)

    def check_arguments(self, specification: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options as the specification has them, as plain values.

        Not by Ansible's own method, whose failure shows all arguments of the task, secrets too.

        Raises:
            OptionError: One does not fit it, or a path is empty or none that the system takes.
        """
        # The process of a module checks its own options, so its action does without.
        from ...module_utils._operation.validation import check_options  # noqa: PLC0415

        try:
            check_dates_by_specification(specification, self._task.args)
            with set_environment(self.get_task_environment()):
                arguments = check_options(
                    as_plain(self._task.args), ArgumentSpecValidator(dict(specification))
                )
            raise_if_any([*find_unusable_paths(arguments, specification)])
        except OptionError as error:
            *first, last = error.problems
            error.problems = (*first, replace(last, written=Written.NOTHING_READ))
            raise
        return arguments

    def is_template(self, value: Any) -> bool:
        """Return whether a value of a variable is still a template.

        Up to ansible-core 2.18 a template whose variables are not defined comes from ``hostvars``
        as it is.
        """
        is_unsafe = getattr(value, "__UNSAFE__", False)
        return not is_unsafe and bool(self._templar.is_template(value))

    def get_task_environment(self) -> dict[str, str]:
        """Return the variables that the task adds to the environment of the run."""
        return get_environment_of(self)

    def say(self, text: str) -> None:
        """Print a line of progress on the controller's display."""
        display.display(f"{self._task.action}: {escape_control_characters(text)}")


def is_switched_on() -> bool:
    """Return whether modules run in process wherever that is the same."""
    return os.environ.get("PANEL_IN_PROCESS", "1") != "0"


class ModuleAction(PanelAction):
    """The one action plugin of all modules, named for each of them in meta/runtime.yml."""

    _supports_async = True

    def run_task(self, task_vars: Mapping[str, Any]) -> Mapping[str, Any]:
        """Run the module, with nothing done around it."""
        return self.run_module(task_vars)

    def make_call(self) -> ModuleCall:
        """Return what this action runs: the module of its task."""
        # Not the task's resolved_action: up to ansible-core 2.18 that names the action plugin.
        return ModuleCall(
            str(self._task.action), self._task.args, check_mode=bool(self._task.check_mode)
        )

    def run_module(self, task_vars: Mapping[str, Any]) -> dict[str, Any]:
        """Run the module, in this process where that is the same."""
        call = self.make_call()
        result = self._run_call(call, task_vars)
        if call.wording is None:
            return result
        worded = call.wording(split_report(result))
        if REPORTS in result:
            worded[REPORTS] = result[REPORTS]
        return worded

    def _run_call(self, call: ModuleCall, task_vars: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the module returns."""
        options = call.options
        check_values(options)
        check_dates(call.name, options)
        if self.names:
            call = call._replace(handover=replace(call.handover, names=self.names))

        environment = self.get_task_environment()
        with set_environment(environment):
            if self._connection.transport == "local" and not options.get("api_url"):
                address = self._templar.template(task_vars.get("panel_api_url"))
                if address:
                    # Few inventories name panels.
                    from .panel_connections import refuse_panel_of_another  # noqa: PLC0415

                    refuse_panel_of_another(address, environment)
            if not call.needs_this_process and not self._may_run_here():
                return self._run_in_other_process(call, task_vars)
            result = self._run_here(call)
            if not shows_invocation(task_vars):
                result.pop("invocation", None)
            return result

    def find_panel_of_task(self) -> str:
        """Return host and port of the task's panel.

        They are empty if only the environment of another host names it.
        """
        options = self._task.args
        environment = self.get_task_environment()
        is_named = bool(options.get("api_url") or environment.get(ENVIRONMENT["api_url"]))
        if not is_named and self._connection.transport != "local":
            return ""
        from .panel_connections import get_panel_host  # noqa: PLC0415 - only files need its name

        return get_panel_host(options, environment)

    def runs_in_process(self) -> bool:
        """Return whether the module runs in this process."""
        with set_environment(self.get_task_environment()):
            return self._may_run_here()

    def _may_run_here(self) -> bool:
        if not is_switched_on() or not self._is_local():
            return False
        # Not loaded where each module is a process: 0.1 s, a tenth of a play of one task.
        from ...module_utils._http.request_library import HAS_REQUESTS  # noqa: PLC0415

        return HAS_REQUESTS

    def _is_local(self) -> bool:
        """Return whether the module would run on this machine, as this user, and not by itself."""
        return (
            not self._task.async_val
            and not self._task.become
            # An inventory switches it on by a variable, which the task does not show.
            and getattr(self._connection, "become", None) is None
            and self._connection.transport == "local"
        )

    def _run_here(self, call: ModuleCall) -> dict[str, Any]:
        from .in_process import perform_call  # noqa: PLC0415

        return perform_call(call, self._task.diff, self.say)

    def _run_in_other_process(self, call: ModuleCall, task_vars: Any) -> dict[str, Any]:
        options = {**call.options, **call.handover.as_options()}
        return run_process(self, call.module, options, task_vars)


class ActionOfCall(ModuleAction):
    """Runs a call for another action, as a task of its own: that of the user never changes."""

    def __init__(self, action: PanelAction, call: ModuleCall) -> None:
        """Take a call, and the action whose task wants it."""
        task = action._task.copy()
        task.action = call.module
        task.args = dict(call.options)
        # A module in a process of its own takes it from there.
        task.check_mode = call.check_mode
        super().__init__(task=task, **collect_constructor_arguments(action))
        self.names = action.names
        self._call = call

    def make_call(self) -> ModuleCall:
        """Return the call."""
        return self._call

    def _collect_option_names(self, _task_vars: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the names of the user's task."""
        return self.names

    def _has_options_of_operator(self) -> bool:
        return False


def check_values(options: Mapping[str, Any]) -> None:
    """Refuse a value that no request can hold, before anything else looks at it.

    Args:
        options: As the user wrote them.

    Raises:
        OptionError: It names the innermost place of the value.
    """
    values = dict(options)
    for name, value in options.items():
        if isinstance(value, str):
            # A string of JSON may stand for a dictionary or a list.
            values[name] = parse_structure(value) or value
    try:
        _check((), values)
    except OptionError as error:
        # Few tasks have such a value.
        from ...module_utils._items.desired_items import name_item_of_problem  # noqa: PLC0415

        resources = values.get("resources")
        error.problems = tuple(
            [name_item_of_problem(problem, resources) for problem in error.problems]
        )
        raise


def _check(path: OptionPath, value: Any) -> None:
    """Raise OptionError for the innermost value that no request can hold. path: of the value."""
    problem = describe_unsendable(value)
    if not problem:
        return
    if isinstance(value, Mapping):
        for name, field in value.items():
            _check((*path, "".join(filter(str.isprintable, str(name)))), field)
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            _check((*path, index), entry)
    raise OptionError(f"{problem}.", option=path, written=Written.NOTHING_SENT)


@contextlib.contextmanager
def set_environment(variables: dict[str, str]) -> Iterator[None]:
    """Set the variables of a task's environment for its time."""
    before = {name: os.environ[name] for name in variables if name in os.environ}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            os.environ.pop(name, None)
        os.environ.update(before)


def find_unusable_paths(
    arguments: Mapping[str, Any], specification: Mapping[str, Any], path: OptionPath = ()
) -> Iterator[Problem]:
    """Yield a problem for each path that is empty, which would be the current folder, and for each
    that the system does not take.

    Args:
        arguments: The options.
        specification: Their types.
        path: Leads to the entry of a list that has them.
    """
    for name, option in specification.items():
        value = arguments.get(name)
        if option.get("type") == "path" and isinstance(value, str):
            yield from _check_path(value, (*path, name))
        elif "options" in option and isinstance(value, list):
            for index, item in enumerate(value):
                yield from find_unusable_paths(item, option["options"], (*path, name, index))


def _check_path(value: str, option: OptionPath) -> Iterator[Problem]:
    """Yield a problem if an option cannot be this path."""
    problem = _describe_path_problem(value)
    if problem:
        yield describe_option_problem(option, problem)


def _describe_path_problem(path: str) -> str:
    """Return why an option cannot be this path; empty where it can."""
    if not path.strip():
        return "is empty; give a path, or omit the option."
    reason = describe_unusable_path(path)
    return f"{reason}." if reason else ""

# SPDX-License-Identifier: GPL-3.0-or-later
"""The durable write: new passwords are in their credentials file before the panel gets them.

The collection makes a password itself. What a killed run left pending, the next run sets again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from ...module_utils._errors import OptionError
from ...module_utils._http.connection_settings import ENVIRONMENT
from ...module_utils._kinds.registry import KINDS
from ...module_utils._operation.handover import ON_PASSWORDS
from ...module_utils._problems import Written
from ...module_utils._schema.kind import Kind
from .._ansible.plain_values import as_plain
from .._run.controller_files import expand_path
from .._run.module_call import Result
from .._run.panel_action import ModuleAction, check_values, set_environment
from .._run.panel_connections import get_panel_host
from .credentials_file import ROTATION, ChosenPasswords, NewPasswords
from .encrypted_file import check_files, lock_files
from .item_files import CLIENT, FILE, Owners, assign_files, select_items
from .password_work import BulkWork, ModuleRunner, PasswordWork, PlanFailed, SingleWork


class _Outcome(NamedTuple):
    """What a task did.

    result: What its module returned, with what is to be said of the passwords.
    pending_paths: The files that have, or in check mode would have, passwords that the panel gets.
    number_kept: Of how many objects the files have a new password.
    """

    result: Result
    pending_paths: Collection[str] = ()
    number_kept: int = 0


def run_with_file(action: ModuleAction, task_vars: Any) -> Result:
    """Run a task with credentials_file.

    Args:
        action: The action of the task.
        task_vars: The variables of the task.

    Raises:
        PanelError: The options are wrong, or the file cannot be read; nothing was written.
    """
    task = action._task
    module = str(task.action).rpartition(".")[2]
    kind = _find_kind(module)
    takes_file = kind is not None or module == "panel_resources"
    if not takes_file or not isinstance(task.args[FILE], str):
        # The module itself says what is wrong.
        return action.run_module(task_vars)
    _refuse_other_hosts(action)
    return _run_with_passwords(action, module, kind, task_vars)


def _run_with_passwords(
    action: ModuleAction, module: str, kind: Kind | None, task_vars: Any
) -> Result:
    """Run a task whose new passwords a file keeps.

    Args:
        action: The action of the task.
        module: Its module, without the collection.
        kind: What its module manages; None for several kinds.
        task_vars: The variables of the task.
    """
    task = action._task
    options: dict[str, Any] = as_plain(task.args)
    check_values(options)
    pattern = options.pop(FILE)
    rotation = options.pop(ROTATION, None)
    _check_file_options(pattern, rotation)
    connection = {name: options.pop(name) for name in ENVIRONMENT if name in options}
    runner = ModuleRunner(action, connection, task_vars)
    work: PasswordWork = BulkWork(runner, options)
    if kind is not None:
        work = SingleWork(runner, kind, options)
    owners = Owners(runner.run, work.resources, task.check_mode)
    panel = get_panel_host(connection, action.get_task_environment())

    # None where the module that names the accounts of the objects fails.
    paths: Collection[str] = ()
    try:
        if CLIENT in pattern:
            _check_module_options(runner, module, options, action.get_task_environment())
        new = assign_files(select_items(work.read), pattern, owners, action.vault)
        passwords = NewPasswords(new, panel, str(rotation or ""))
        paths = [file.path for file in passwords.list_files()]
        if task.check_mode:
            outcome = _foresee(work, passwords)
        else:
            outcome = _write(work, passwords)
    except PlanFailed as failure:
        # This module only reads, so no file has a new password.
        outcome = _Outcome(failure.result)

    result = outcome.result
    path = _display_path(paths, outcome, pattern, task.check_mode)
    if path:
        result[FILE] = path
    if not kind:
        result["new_passwords"] = outcome.number_kept
    result.pop("invocation", None)  # it would show how the module was called from here
    return result


def _refuse_other_hosts(action: ModuleAction) -> None:
    """Raise OptionError for a task that does not run on the controller, or not at once."""
    if action._task.async_val or action._connection.transport != "local":
        problem = "needs a local connection and no async, because the file is on the controller."
        raise OptionError(problem, option=FILE, written=Written.NOTHING)


def _display_path(paths: Collection[str], outcome: _Outcome, pattern: str, check_mode: bool) -> str:
    """Return what the result has as the credentials file; empty if there is no file.

    Args:
        paths: The files of all objects of the task.
        outcome: What the task did.
        pattern: The path of the task, in which ``{client}`` stands for an account.
        check_mode: Whether nothing was written.
    """
    existing = {path for path in paths if os.path.exists(path)}
    if check_mode:
        existing |= set(outcome.pending_paths)
    # What exists already may need no password, so that there is no file.
    if not existing:
        return ""
    return next(iter(paths)) if len(paths) == 1 else pattern


def _find_kind(module: str) -> Kind | None:
    """Return the kind with passwords that a module manages; None if there is none."""
    for kind in KINDS.values():
        if kind.module == module and kind.password:
            return kind
    return None


def _check_file_options(pattern: str, rotation: Any) -> None:
    """Raise OptionError for an option that is empty, or a path with unknown names."""
    for name, value in ((FILE, pattern), (ROTATION, rotation)):
        if value is not None and not str(value).strip():
            problem = "is empty; give a value, or omit the option."
            raise OptionError(problem, option=name, written=Written.NOTHING)
    if set(re.findall(r"{\w+}", expand_path(pattern))) - {CLIENT}:
        problem = f"{pattern}: only {CLIENT} can stand for something in a path."
        raise OptionError(problem, option=FILE, written=Written.NOTHING)


def _check_module_options(
    runner: ModuleRunner, module: str, options: Mapping[str, Any], environment: dict[str, str]
) -> None:
    """Have a module refuse wrong options, before the panel is asked whose the objects are.

    Args:
        runner: Runs it.
        module: Its name without the collection.
        options: Those beside the connection.
        environment: What the task adds to the environment of the run.

    Raises:
        PlanFailed: It refuses them, in its own words.
    """
    # Most tasks name a file that needs no client.
    from ...module_utils._operation.validation import check_options  # noqa: PLC0415
    from .._run.in_process import load_operation  # noqa: PLC0415

    operation = load_operation(module)
    written_options = {**runner.connection, **options}
    try:
        with set_environment(environment):
            check_options(operation.summarize_options(written_options), operation.validator)
    except OptionError:
        runner.run(module, options, check_mode=True)


def _foresee(work: PasswordWork, passwords: NewPasswords) -> _Outcome:
    """Return what a task would do.

    Raises:
        FileError: A file cannot be read, or could not be written.
        PlanFailed: The plan cannot be made.
    """
    decided = passwords.decide()
    planned = work.plan(decided)
    receivers = work.select_receivers(planned.report[ON_PASSWORDS], decided.by_name)
    chosen = decided.choose(receivers)
    check_files(chosen.make_pending_contents())
    return _Outcome(_add_warnings(planned.result, chosen), chosen.list_paths())


def _write(work: PasswordWork, passwords: NewPasswords) -> _Outcome:
    """Carry out a task, and note what the panel has.

    Raises:
        FileError: A file cannot be read or written; nothing was sent.
        PlanFailed: The plan cannot be made; nothing was sent.
    """
    # All files of the task, since only its plan says which objects get a password.
    with lock_files(passwords.list_files()):
        applied = work.carry_out(passwords.decide())
        chosen = applied.chosen
        settlement = chosen.settle(work.find_outcomes(applied.returned, chosen.by_name))
    result = applied.returned.result
    if settlement.problem:
        result = _add_failure(result, settlement.problem)
    result = _add_warnings(result, chosen)
    return _Outcome(result, chosen.list_paths(), settlement.number_kept)


def _add_failure(result: Result, reason: str) -> Result:
    """Return the result as that of a failed task. reason: why; what failed before comes first."""
    messages = [result.get("msg"), reason]
    return {
        "error": {"type": "FileError", "message": reason},
        **result,
        "failed": True,
        "msg": " ".join(message for message in messages if message),
    }


def _add_warnings(result: Result, chosen: ChosenPasswords) -> Result:
    warnings = [*(result.get("warnings") or ()), *chosen.list_warnings()]
    if not warnings:
        return result
    return {**result, "warnings": warnings}

# SPDX-License-Identifier: GPL-3.0-or-later
"""The option resources_dir of panel_resources: its files are read on the controller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ansible.module_utils.parsing.convert_bool import boolean
from ansible.parsing.vault import VaultLib

from ...module_utils._bulk.bulk_task import build_resources_operation
from ...module_utils._bulk.plan_lines import describe_action_changes, make_plan_text
from ...module_utils._errors import OptionError, PanelError, list_messages
from ...module_utils._http.panel_session import PanelSession
from ...module_utils._kinds.registry import KINDS
from ...module_utils._operation.handover import ON_PROBLEMS, REPORTS, Handover
from ...module_utils._operation.operation import Task
from ...module_utils._problems import Problem, Written, abbreviate, format_message, limit_lines
from ...module_utils._secrets.redaction import escape_control_characters
from .._run.controller_files import describe_unusable_path, expand_path
from .._run.module_call import ModuleCall, ModuleResult
from .._run.panel_action import ModuleAction
from .files import FolderError
from .folder import Folder, read_folder
from .panel_line import check_panel

OPTION = "resources_dir"
REBUILD = "rebuild"
_MOST_NAMED = 10
_MOST_LINES = 100
_PASSED_OVER = "{}: these files hold no objects and were passed over: {}."
_ADVICE_ON_PURGE = (
    "Name files of objects NAME.yml, write an empty list as in emails: [], and move all other "
    "files away."
)
# By action, how the panel differs from the files, and the same in the line of an object.
_DIFFERENCES = {
    "create": ("missing", "missing on the panel ({file})"),
    "update": ("different", "differs ({file})"),
    "delete": ("surplus", "only on the panel"),
}

Result = dict[str, Any]
Item = dict[str, Any]


def run_with_files(action: ModuleAction, run: Callable[[ModuleCall], Result]) -> Result:
    """Run a task with resources_dir.

    Args:
        action: The action of the task.
        run: Runs the module as the call says.

    Raises:
        PanelError: The files are wrong, or are another panel's; nothing was sent.
    """
    call = action.make_call()
    options = call.options
    if options.get("resources") is not None:
        return run(call)  # the module refuses both
    folder = _read_folder(action, options)

    passed_over = abbreviate(folder.passed_over, _MOST_NAMED)
    if passed_over and options.get("purge"):
        purge = action.name_option("purge")
        raise FolderError(
            f"{action.name_option(OPTION)}: with {purge}, what these files should hold would be "
            f"deleted: {passed_over}.",
            written=Written.NOTHING,
            advice=_ADVICE_ON_PURGE,
        )

    compares = boolean(options.get("compare") or False, strict=False)
    is_awaited = not action._task.async_val
    result = run(_make_call(call, folder, compares, is_awaited))
    result.pop(REPORTS, None)

    if passed_over:
        warning = _PASSED_OVER.format(action.name_option(OPTION), passed_over)
        result["warnings"] = [warning, *(result.get("warnings") or ())]
    return _explain(result, folder, compares)


def _read_folder(action: ModuleAction, options: Mapping[str, Any]) -> Folder:
    """Read the files of a task, and check that they are of its panel."""
    if not str(options[OPTION]).strip():
        raise OptionError(
            "is empty; name a directory, or omit the option. Nothing was read.", option=OPTION
        )
    path = Path(expand_path(str(options[OPTION])))
    reason = describe_unusable_path(path)
    if reason:
        raise OptionError(f"{reason}.", option=OPTION, written=Written.NOTHING)
    if not path.exists():
        raise OptionError(
            f"there is no directory {path}.",
            option=OPTION,
            written=Written.NOTHING,
            advice="Correct the path, or export the panel there first.",
        )
    is_rebuild = _read_switch(REBUILD, options.get(REBUILD))
    credentials_file = options.get("credentials_file")
    if credentials_file is not None:
        credentials_file = expand_path(str(credentials_file))
    folder = read_folder(path, action.vault, credentials_file)
    if not is_rebuild:
        check_panel(
            path,
            folder.panel,
            action.find_panel_of_task(),
            Written.NOTHING,
            action.name_option,
        )
    return folder


def _make_call(call: ModuleCall, folder: Folder, compares: bool, is_awaited: bool) -> ModuleCall:
    """Return the call of a task with the objects of its directory.

    Args:
        call: As the task has it.
        folder: The files of the directory.
        compares: Whether the panel is only compared with them.
        is_awaited: Whether the result comes back here, where the files of the items are known.
    """
    # A module masks its own result, since a connection may show what it prints, and with async
    # nothing here sees it.
    handover = replace(
        call.handover,
        encrypted=folder.encrypted_values.as_json(),
        unlisted=[kind for kind in KINDS if kind not in folder.resources],
    )
    if is_awaited:
        handover = replace(handover, reports=[ON_PROBLEMS])
    return call._replace(
        options=_make_module_options(call.options, folder, compares),
        handover=handover,
        wording=lambda returned: _name_files_in_result(returned, folder),
    )


def _make_module_options(
    options: Mapping[str, Any], folder: Folder, compares: bool
) -> dict[str, Any]:
    """Return the options of a task as its module takes them, with the objects of the directory."""
    omitted = {OPTION, REBUILD}
    if compares:
        # A comparison makes no passwords.
        omitted |= {"credentials_file", "rotation"}
    module_options = {name: value for name, value in options.items() if name not in omitted}
    module_options["resources"] = folder.resources
    return module_options


def _read_switch(option: str, value: Any) -> bool:
    """Read a switch of the task before the module does; raises OptionError."""
    if value is None:
        return False
    try:
        return bool(boolean(value))
    except TypeError:
        raise OptionError(
            "must be true or false.", option=option, written=Written.NOTHING
        ) from None


def compare(
    session: PanelSession, directory: Path, vault: VaultLib, concurrency: int
) -> list[dict[str, Any]]:
    """Compare the files of a directory with their panel.

    Args:
        session: Sends the requests to the panel.
        directory: Has the files.
        vault: Decrypts what the files have encrypted.
        concurrency: How many requests are under way at once.

    Returns:
        The ``differences`` of panel_resources.

    Raises:
        PanelError: The panel cannot be read; FolderError where the files are wrong.
    """
    folder = read_folder(directory, vault)
    check_panel(directory, folder.panel, session.connection.panel, Written.NOTHING)

    operation = build_resources_operation()
    defaults = {name: option.get("default") for name, option in operation.options.items()}
    params = {
        **defaults,
        "resources": folder.resources,
        "compare": True,
        "concurrency": concurrency,
    }
    handover = Handover(encrypted=folder.encrypted_values.as_json())
    task = Task(check_mode=True, connect=lambda: session, handover=handover)
    try:
        outcome = operation.run(params, task)
    except PanelError as error:
        mask = folder.mask
        error.problems = tuple(
            [problem.with_places(folder.locate).with_texts(mask) for problem in error.problems]
        )
        raise

    result = _explain(dict(outcome.result), folder, compares=True)
    differences: list[dict[str, Any]] = result["differences"]
    return differences


# What the result says


def _explain(result: Result, folder: Folder, compares: bool) -> Result:
    """Return a result with files and lines in its messages, without encrypted values."""
    encrypted = folder.encrypted_values
    if isinstance(result.get("plan"), Mapping):
        plan = encrypted.mask_plan(result["plan"])
        if compares:
            plan = _as_comparison(plan, result.get("results") or (), folder)
            result["differences"] = [_make_difference(action) for action in plan["actions"]]
            result["changed"] = bool(plan["actions"])
            text = _display_differences(plan["actions"])
        else:
            text = make_plan_text(plan)
        result["plan"] = plan
        if "diff" in result:
            result["diff"] = {"prepared": text}
    masked: Result = encrypted.mask(result)
    return masked


def _name_files_in_result(returned: ModuleResult, folder: Folder) -> Result:
    """Return the result of a module, its items named by the files and lines that have them."""
    result = dict(returned.result)
    reported = returned.report.get(ON_PROBLEMS, {})
    warnings = [_describe_warning(warning, folder) for warning in reported.get("warnings", ())]
    # What Ansible itself warns of.
    warnings += result.get("warnings") or ()
    if warnings:
        result["warnings"] = warnings

    messages = [_describe_problem(problem, folder) for problem in reported.get("failure", ())]
    if messages:
        result.update(list_messages(result["error"], "mistakes", messages))
    return result


def _describe_warning(warning: str | Mapping[str, Any], folder: Folder) -> str:
    if isinstance(warning, str):
        return escape_control_characters(folder.mask(warning))
    return _describe_problem(warning, folder)


def _describe_problem(fields: Mapping[str, Any], folder: Folder) -> str:
    """Return the message of a problem with the file of its item. fields: Problem as JSON."""
    located = Problem.from_json(fields).with_places(folder.locate)
    return escape_control_characters(folder.mask(format_message(located)))


def _as_comparison(
    plan: Mapping[str, Any], results: Iterable[Mapping[str, Any]], folder: Folder
) -> dict[str, Any]:
    """Return a plan as the differences between the panel and the files, each with its file.

    Args:
        plan: The plan.
        results: What came of each item. A certificate that is not on the panel, and whose key no
            file has, is no action, and differs nevertheless.
        folder: The files.
    """
    skipped = [entry for entry in results if entry.get("result") == "skipped"]
    creations = [_make_creation(entry["kind"], entry["key"]) for entry in skipped]
    summary = {**plan["summary"], "create": plan["summary"]["create"] + len(creations)}

    places = folder.locate_objects()
    actions = [
        {**action, "file": places.get((action["kind"], str(action["key"]).casefold()), "")}
        for action in (*plan["actions"], *creations)
    ]
    return {**plan, "summary": summary, "actions": actions}


def _make_creation(plural: str, key: Any) -> dict[str, Any]:
    """Return an action for an object that would have to be created."""
    return {
        "id": None,
        "client": None,
        "action": "create",
        "before": {},
        "after": {},
        "kind": plural,
        "key": key,
    }


def _make_difference(action: Mapping[str, Any]) -> dict[str, Any]:
    difference, _description = _DIFFERENCES[action["action"]]
    name = {field: action[field] for field in ("kind", "key", "client", "file")}
    return {**name, "what": difference, "details": _display_changes(action)}


def _display_changes(action: Mapping[str, Any]) -> str:
    """Return the changed options of an object, from the value of the panel to that of the file."""
    if action["action"] != "update":
        return ""
    return ", ".join(describe_action_changes(action))


def _display_differences(actions: Sequence[Mapping[str, Any]]) -> str:
    """Return the differences as a text, with a line for each object, at most so many."""
    if not actions:
        return ""
    lines = []
    for action in actions:
        _difference, description = _DIFFERENCES[action["action"]]
        title = f"{KINDS[action['kind']].title} {action['key']}"
        line = f"{title}: {description.format(file=action['file'])} {_display_changes(action)}"
        lines.append(escape_control_characters(line.rstrip()))

    verb = "object differs" if len(lines) == 1 else "objects differ"
    head = f"{len(lines)} {verb} (on the panel -> in the files):"
    return "".join(f"{line}\n" for line in [head, *limit_lines(lines, _MOST_LINES)])

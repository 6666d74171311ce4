# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The option resources_dir of panel_resources: its files are read here, wherever the module runs. Private to the collection."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ansible.module_utils.parsing.convert_bool import boolean
from ansible.parsing.vault import VaultLib

from ...module_utils._bulk.managing import resources_operation
from ...module_utils._bulk.plan_lines import action_changes, plan_text
from ...module_utils._errors import OptionError
from ...module_utils._http.panel_client import PanelClient
from ...module_utils._kinds.registry import KINDS
from ...module_utils._secrets.terminal import on_one_line
from ...module_utils._task.mistakes import first_lines, first_of
from ...module_utils._task.operation import Task
from .encrypted_values import EncryptedValues, object_name
from .folder import Folder, FolderError, read_folder

OPTION = "resources_dir"
_MOST_NAMED, _MOST_LINES, _LONGEST_LINE = 10, 100, 240
_PASSED_OVER = "resources_dir: these files hold no objects and were passed over: {}."
_NO_PURGE = (
    "resources_dir: with purge, what these files should hold would be deleted: {}. Nothing was written. Name files of objects NAME.yml, write an "
    "empty list as in emails: [], and move all other files away."
)
_NOT_NAMED = (
    "purge: no file of {1} has a list of {0}, so all of that would be deleted. Nothing was written. If you want this, write "
    "{2}: [] into a file."
)
_WHAT = {"create": "missing", "update": "different", "delete": "surplus"}
_WORDS = {"create": "missing on the panel ({file})", "update": "differs ({file})", "delete": "only on the panel"}

Result = dict[str, Any]


def run_with_files(task: Any, vault: VaultLib, run: Callable[[], Result]) -> Result:
    """The result of a task with resources_dir. run: what is done with the task once it has resources. Raises PanelError before anything is sent."""
    given: Mapping[str, Any] = task.args
    if given.get("resources") is not None:
        raise OptionError(OPTION, "excludes resources; give one of them.")
    if not str(given[OPTION]).strip():
        raise OptionError(OPTION, "is empty; name a directory, or omit the option. Nothing was read.")
    path = Path(os.path.expanduser(os.path.expandvars(str(given[OPTION]))))
    folder = read_folder(path, vault, given.get("credentials_file"))
    passed_over = first_of(folder.passed_over, _MOST_NAMED)
    if passed_over and given.get("purge"):
        raise FolderError(_NO_PURGE.format(passed_over))
    if unnamed := [kind for kind in given.get("purge") or () if kind in KINDS and kind not in folder.resources]:
        raise FolderError(_NOT_NAMED.format(", ".join(unnamed), path, unnamed[0]))
    compares = boolean(given.get("compare") or False, strict=False)
    left_out = {OPTION, *(("credentials_file", "rotation") if compares else ())}  # a comparison makes no passwords
    kept = {name: value for name, value in given.items() if name not in left_out}
    task.args = {**kept, "resources": folder.resources}
    try:
        done = run()
    finally:
        task.args = given
    if passed_over:
        done["warnings"] = [_PASSED_OVER.format(passed_over), *(done.get("warnings") or ())]
    return _explained(done, folder, compares)


def compare(client: PanelClient, directory: Path, vault: VaultLib, concurrency: int) -> list[dict[str, Any]]:
    """The ``differences`` of panel_resources. Raises PanelError; FolderError where the files are wrong."""
    folder = read_folder(directory, vault)
    operation = resources_operation()
    defaults = {name: option.get("default") for name, option in operation.options.items()}
    params = {**defaults, "resources": folder.resources, "compare": True, "concurrency": concurrency}
    outcome = operation.run(params, Task(check_mode=True, connect=lambda: client))
    found: list[dict[str, Any]] = _explained(dict(outcome.result), folder, compares=True)["differences"]
    return found


def _explained(done: Result, folder: Folder, compares: bool) -> Result:
    """With the files and lines in its messages, and without what the files have encrypted."""
    hidden = EncryptedValues(folder.files)
    done = {name: one if name in ("plan", "invocation") else _in_files(one, folder) for name, one in done.items()}
    if isinstance(done.get("plan"), Mapping):
        plan = done["plan"] = hidden.masked_plan(done["plan"])
        if compares:
            _add_left_out(plan, done)
            _add_places(plan["actions"], folder)
            done["differences"] = [_difference(action) for action in plan["actions"]]
            done["changed"] = bool(done["differences"])
        if "diff" in done:
            done["diff"] = {"prepared": (_drift_text if compares else plan_text)(plan)}
    masked: Result = hidden.masked(done)
    return masked


def _in_files(value: Any, folder: Folder) -> Any:
    """Every message in it, with the file and the line in place of the number of an item."""
    if isinstance(value, str):
        return folder.in_files(value) if "[" in value else value
    if isinstance(value, list):
        return [_in_files(entry, folder) for entry in value]
    if isinstance(value, dict):
        return {name: _in_files(inner, folder) for name, inner in value.items()}
    return value


def _add_left_out(plan: dict[str, Any], done: Result) -> None:
    """A certificate that is not on the panel, and whose key no file has, is no action, and differs nevertheless."""
    skipped = [one for one in done.get("results") or () if one.get("result") == "skipped"]
    action: dict[str, Any] = {"id": None, "client": None, "action": "create", "before": {}, "after": {}}
    plan["actions"] = [*plan["actions"], *({**action, "kind": one["kind"], "key": one["key"]} for one in skipped)]
    plan["summary"] = {**plan["summary"], "create": plan["summary"]["create"] + len(skipped)}


def _add_places(actions: list[dict[str, Any]], folder: Folder) -> None:
    """The file and line of each object; empty if only the panel has it."""
    places = {
        object_name(kind, item): origins[0].place()
        for kind, items in folder.resources.items()
        for item, origins in zip(items, folder.origins[kind])
    }
    for action in actions:
        action["file"] = places.get((action["kind"], str(action["key"]).casefold()), "")


def _difference(action: Mapping[str, Any]) -> dict[str, Any]:
    """details: from the value of the panel to that of the file."""
    details = ", ".join(action_changes(action)) if action["action"] == "update" else ""
    shown = {name: action[name] for name in ("kind", "key", "client", "file")}
    return {**shown, "what": _WHAT[action["action"]], "details": details}


def _drift_text(plan: Mapping[str, Any]) -> str:
    """A line for each object, at most so many: its name, its file, and what differs."""
    lines = []
    for one in plan["actions"]:
        words = _WORDS[one["action"]].format(file=one["file"])
        lines.append(f"{KINDS[one['kind']].title} {one['key']}: {words} {_difference(one)['details']}".rstrip())
    head = f"{len(lines)} object{' differs' if len(lines) == 1 else 's differ'} (on the panel -> in the files):"
    shown = [on_one_line(line) for line in [head, *first_lines(lines, _MOST_LINES)]] if lines else []
    return "".join(f"{line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + '…'}\n" for line in shown)

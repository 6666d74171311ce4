# SPDX-License-Identifier: GPL-3.0-or-later
"""The option resources_dir of panel_resources: its files are read here, wherever the module runs. Private to the collection."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ansible.module_utils.parsing.convert_bool import boolean
from ansible.parsing.vault import VaultLib

from ...module_utils._bulk.encrypted_values import EncryptedValues
from ...module_utils._bulk.managing import resources_operation
from ...module_utils._bulk.plan_lines import action_changes, plan_text
from ...module_utils._errors import OptionError, PanelError
from ...module_utils._http.panel_client import PanelClient
from ...module_utils._items.wanted_items import path_of, read_items
from ...module_utils._kinds.registry import KINDS
from ...module_utils._operation.operation import ON_PROBLEMS, REPORTS, Task
from ...module_utils._operation.validation import path_in_words
from ...module_utils._problems import (
    NOTHING_WRITTEN,
    ItemName,
    Problem,
    abbreviate,
    first_lines,
    format_message,
    join_problems,
)
from ...module_utils._secrets.redaction import on_one_line
from .._run.panel_action import ModuleAction
from .files import REST, FolderError, is_read, link_problem, paths_in
from .panel_line import ELSEWHERE, LINE, check_panel, host_and_port, is_meant_as_line
from .vaulted import encrypted_values, object_name
from .written_texts import texts_as_written
from .yaml_file import Place, YamlFile, read_yaml

OPTION, REBUILD = "resources_dir", "rebuild"
_MOST_NAMED, _MOST_LINES = 10, 100
_PASSED_OVER = "{}: these files hold no objects and were passed over: {}."
_NO_PURGE = (
    "{}: with {}, what these files should hold would be deleted: {}. Nothing was written. Name files of objects NAME.yml, write an "
    "empty list as in emails: [], and move all other files away."
)
_WORDS = {
    "create": ("missing", "missing on the panel ({file})"),
    "update": ("different", "differs ({file})"),
    "delete": ("surplus", "only on the panel"),
}

Result = dict[str, Any]
Item = dict[str, Any]
# Which file has an object, and where: ("emails", 7).
Origin = tuple[YamlFile, Place]


def run_with_files(action: ModuleAction, run: Callable[[], Result]) -> Result:
    """Run a task with resources_dir.

    Args:
        action: The action of the task.
        run: Does the task once it has resources.

    Raises:
        PanelError: The files are wrong, or are another panel's; nothing was sent.
    """
    task: Any = action._task
    given: Mapping[str, Any] = task.args
    if given.get("resources") is not None:
        return run()  # the module refuses both
    if not str(given[OPTION]).strip():
        raise OptionError(OPTION, "is empty; name a directory, or omit the option. Nothing was read.")
    path = Path(os.path.expanduser(os.path.expandvars(str(given[OPTION]))))
    is_rebuild = _switch(REBUILD, given.get(REBUILD))
    folder = Folder(path, action.vault, given.get("credentials_file"))
    if not is_rebuild:
        check_panel(path, folder.panel, action.panel_of_task(), NOTHING_WRITTEN, action.name_of)
    passed_over = abbreviate(folder.passed_over, _MOST_NAMED)
    if passed_over and given.get("purge"):
        raise FolderError(_NO_PURGE.format(action.name_of(OPTION), action.name_of("purge"), passed_over))
    compares = boolean(given.get("compare") or False, strict=False)
    # A comparison makes no passwords.
    left_out = {OPTION, REBUILD, *(("credentials_file", "rotation") if compares else ())}
    kept = {name: value for name, value in given.items() if name not in left_out}
    task.args = {**kept, "resources": folder.resources}
    # A module masks its own result, since a connection may show what it prints, and with async nothing here sees it.
    action.handed_on = {**action.handed_on, "encrypted": folder.encrypted_values.handed_on()}
    if not task.async_val:
        # Its result comes back here, where the files of the items are known.
        action.handed_on = {**action.handed_on, "reports": [ON_PROBLEMS]}
    try:
        done = run()
    finally:
        task.args = given
    if passed_over:
        done["warnings"] = [_PASSED_OVER.format(action.name_of(OPTION), passed_over), *(done.get("warnings") or ())]
    return _explained(done, folder, compares)


def _switch(option: str, value: Any) -> bool:
    """Read a switch of the task before the module does; raises OptionError."""
    if value is None:
        return False
    try:
        return bool(boolean(value))
    except TypeError:
        raise OptionError(option, f"must be true or false. {NOTHING_WRITTEN}") from None


def compare(client: PanelClient, directory: Path, vault: VaultLib, concurrency: int) -> list[dict[str, Any]]:
    """The ``differences`` of panel_resources. Raises PanelError; FolderError where the files are wrong."""
    folder = Folder(directory, vault)
    check_panel(directory, folder.panel, client.connection.panel, NOTHING_WRITTEN)
    operation = resources_operation()
    defaults = {name: option.get("default") for name, option in operation.options.items()}
    params = {**defaults, "resources": folder.resources, "compare": True, "concurrency": concurrency}
    task = Task(check_mode=True, connect=lambda: client, encrypted=folder.encrypted_values.handed_on())
    try:
        outcome = operation.run(params, task)
    except PanelError as error:
        mask = folder.encrypted_values.masked
        error.problems = tuple([problem.with_places(folder.placed).with_texts(mask) for problem in error.problems])
        raise
    found: list[dict[str, Any]] = _explained(dict(outcome.result), folder, compares=True)["differences"]
    return found


# What is read


class Folder:
    """All objects in the files of a directory and below it. Raises FolderError with every mistake.

    panel: the panel that the files name, as host and port; empty if they name none. passed_over: names of files that hold no objects.
    credentials_file: is passed over, as is its lock file; may hold ``{client}``.
    """

    def __init__(self, directory: Path, vault: VaultLib, credentials_file: str | None = None) -> None:
        self.files: list[YamlFile] = []
        self.panel = ""
        self.passed_over: list[str] = []
        # By kind and key, or by number where there is no key. An object may be in several files.
        self._objects: dict[str, dict[str, tuple[Item, list[Origin]]]] = {}
        self._mistakes: list[str] = []
        paths = list(paths_in(directory, credentials_file))
        if not any(map(is_read, paths)):
            raise FolderError(f"{directory}: no file with the ending .yml or .yaml. Nothing was written.")
        for path in paths:
            self._read(path, path.relative_to(directory).as_posix(), vault)
        if self._mistakes:
            for problem in read_items(self.resources).mistakes:
                self._mistakes.append(format_message(problem.with_places(self.placed)))
            mistakes = self.encrypted_values.masked(list(dict.fromkeys(self._mistakes)))
            raise FolderError(join_problems(mistakes, "error.mistakes"), mistakes=mistakes)

    @cached_property
    def encrypted_values(self) -> EncryptedValues:
        """What the files have encrypted."""
        return encrypted_values(self.files)

    @property
    def resources(self) -> dict[str, list[Item]]:
        """As the option of panel_resources."""
        return {kind: [item for item, _origins in objects.values()] for kind, objects in self._objects.items()}

    def placed(self, item: ItemName, option: str) -> ItemName:
        """Return the name of an item with the file and line that has it, or that has one of its options."""
        options, origins = list(self._objects[item.kind].values())[item.index]
        place = _place(origins, path_of(option))
        return replace(item, key=KINDS[item.kind].key_of(options) or "", place=place)

    def places(self) -> dict[tuple[str, str], str]:
        """The file and line of each object."""
        return {
            object_name(kind, item): _place(origins)
            for kind, objects in self._objects.items()
            for item, origins in objects.values()
        }

    def _read(self, path: Path, name: str, vault: VaultLib) -> None:
        if problem := link_problem(path):
            self._mistakes.append(f"{name}: {problem}")
            return
        if not is_read(path):
            self.passed_over.append(name)
            return
        file = read_yaml(path, name, vault)
        self._mistakes += file.mistakes
        if not file.content:
            self.passed_over += [] if file.mistakes else [f"{name} (no objects)"]
            return
        self.files.append(file)
        if not isinstance(file.content, dict):
            self._wrong(file, (), "the file must hold a list of objects for each type, such as emails.")
            return
        for kind, items in file.content.items():
            if is_meant_as_line(kind):
                self._read_line(file, kind, items)
            elif kind not in KINDS:
                self._wrong(file, (kind,), f"there is no type {kind}; the types are {', '.join(KINDS)}.")
            elif not isinstance(items or [], list) or not all(isinstance(item, dict) for item in items or ()):
                self._wrong(file, (kind,), f"{kind} must be a list of dictionaries.")
            else:
                self._objects.setdefault(kind, {})
                for index, item in enumerate(items or ()):
                    read, mistakes = texts_as_written(file, kind, item, (kind, index))
                    title = f"{kind} {KINDS[kind].key_of(read) or ''}".rstrip()
                    for place, sentence in mistakes:
                        self._wrong(file, (kind, index, *place), f"{title} {path_in_words(place)}: {sentence}")
                    self._add(kind, read, (file, (kind, index)))

    def _read_line(self, file: YamlFile, name: str, value: Any) -> None:
        """Read the line that says whose the files are. name: as the file has it."""
        if file.name != REST:
            self._wrong(file, (name,), ELSEWHERE)
            return
        if name != LINE:
            sentence = f"there is no type {name}; the line that says whose files these are is {LINE}: HOST."
            self._wrong(file, (name,), sentence)
            return
        try:
            self.panel = host_and_port(value)
        except ValueError as error:
            self._wrong(file, (LINE,), str(error))

    def _wrong(self, file: YamlFile, where: Place, sentence: str) -> None:
        self._mistakes.append(f"{file.place(where)}: {sentence}")

    def _add(self, kind: str, item: Item, origin: Origin) -> None:
        objects, (file, where) = self._objects[kind], origin
        key = KINDS[kind].key_of(item) or f"#{len(objects)}"
        if key not in objects:
            objects[key] = item, [origin]
            return
        before, origins = objects[key]
        if twice := next((one for one in origins if one[0] is file), None):
            self._wrong(file, where, f"{kind} {key} is there twice, first in {_place([twice])}.")
            return
        other = {name: value for name, value in item.items() if name not in KINDS[kind].named_by}
        differing: list[Place] = []
        merged = _merged({"state": "present", **before}, {"state": "present", **other}, differing)
        for option in differing:
            sentence = f"{kind} {key} has another {'.'.join(option)} in {_place(origins, option)}. Remove one of them."
            self._wrong(file, (*where, *option), sentence)
        objects[key] = merged, [*origins, origin]


def _place(origins: list[Origin], option: Place = ()) -> str:
    """In the first file that has the option, else in the first that has the object."""
    having = ((file, where) for file, where in origins if file.has((*where, *option)))
    file, where = next(having, origins[0])
    return file.place((*where, *option))


def _merged(one: Item, other: Item, differing: list[Place], path: Place = ()) -> Item:
    """differing: gets the paths of options that have two values."""
    made = dict(one)
    for name, value in other.items():
        if isinstance(value, dict) and isinstance(made.get(name), dict):
            made[name] = _merged(made[name], value, differing, (*path, name))
        elif made.setdefault(name, value) != value:
            differing.append((*path, name))
    return made


# What is told


def _explained(done: Result, folder: Folder, compares: bool) -> Result:
    """With the files and lines in its messages, and without what the files have encrypted."""
    hidden = folder.encrypted_values
    done = _with_places(done, folder)
    if isinstance(done.get("plan"), Mapping):
        done["plan"] = hidden.masked_plan(done["plan"])
        text = _with_differences(done, folder) if compares else plan_text(done["plan"])
        if "diff" in done:
            done["diff"] = {"prepared": text}
    masked: Result = hidden.masked(done)
    return masked


def _with_places(done: Result, folder: Folder) -> Result:
    """Return the result with messages that name items by the files and lines that have them."""
    reported = done.pop(REPORTS, {}).get(ON_PROBLEMS, {})
    warnings = dict(_reworded(reported.get("warnings", ()), folder))
    if warnings:
        done["warnings"] = [warnings.get(warning, warning) for warning in done["warnings"]]
    mistakes = dict(_reworded(reported.get("failure", ()), folder))
    if mistakes:
        before, after = join_problems(mistakes, "error.mistakes"), join_problems(mistakes.values(), "error.mistakes")
        done["msg"] = done["msg"].replace(before, after)
        done["error"] = {**done["error"], "mistakes": list(dict.fromkeys(mistakes.values()))}
    return done


def _reworded(problems: Iterable[Mapping[str, Any]], folder: Folder) -> Iterator[tuple[str, str]]:
    """Yield the message of each problem as the result has it, and with the file that has the item."""
    for fields in problems:
        problem = Problem.from_json(fields)
        yield on_one_line(format_message(problem)), on_one_line(format_message(problem.with_places(folder.placed)))


def _with_differences(done: Result, folder: Folder) -> str:
    """Adds how panel and files differ to the result; as a text, a line for each object, at most so many."""
    plan, places = done["plan"], folder.places()
    # A certificate that is not on the panel, and whose key no file has, is no action, and differs nevertheless.
    missing: dict[str, Any] = {"id": None, "client": None, "action": "create", "before": {}, "after": {}}
    skipped = [one for one in done.get("results") or () if one.get("result") == "skipped"]
    plan["summary"]["create"] += len(skipped)
    plan["actions"] = [
        {**one, "file": places.get((one["kind"], str(one["key"]).casefold()), "")}
        for one in (*plan["actions"], *({**missing, "kind": one["kind"], "key": one["key"]} for one in skipped))
    ]
    lines, done["differences"] = [], []
    for action in plan["actions"]:
        what, words = _WORDS[action["action"]]
        # From the value of the panel to that of the file.
        details = ", ".join(action_changes(action)) if what == "different" else ""
        shown = {name: action[name] for name in ("kind", "key", "client", "file")}
        done["differences"].append({**shown, "what": what, "details": details})
        line = f"{KINDS[action['kind']].title} {action['key']}: {words.format(file=action['file'])} {details}"
        lines.append(on_one_line(line.rstrip()))
    done["changed"] = bool(lines)
    head = f"{len(lines)} object{' differs' if len(lines) == 1 else 's differ'} (on the panel -> in the files):"
    return "".join(f"{line}\n" for line in [head, *first_lines(lines, _MOST_LINES)]) if lines else ""

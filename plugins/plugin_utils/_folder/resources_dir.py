# SPDX-License-Identifier: GPL-3.0-or-later
"""The option resources_dir of panel_resources: its files are read on the controller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from ansible.module_utils.parsing.convert_bool import boolean
from ansible.parsing.vault import VaultLib

from ...module_utils._bulk.bulk_task import resources_operation
from ...module_utils._bulk.encrypted_values import EncryptedValues
from ...module_utils._bulk.plan_lines import action_changes, plan_text
from ...module_utils._errors import OptionError, PanelError
from ...module_utils._http.panel_client import PanelClient
from ...module_utils._items.wanted_items import read_items, split_option_path
from ...module_utils._kinds.registry import KINDS
from ...module_utils._operation.operation import ON_PROBLEMS, REPORTS, Task
from ...module_utils._operation.validation import format_path
from ...module_utils._problems import (
    NOTHING_WRITTEN,
    ItemName,
    Problem,
    abbreviate,
    first_lines,
    format_message,
    join_problems,
)
from ...module_utils._secrets.redaction import escape_control_characters
from .._run.controller_files import expand_path
from .._run.module_call import ModuleCall, ModuleResult
from .._run.panel_action import ModuleAction
from .files import REST, FolderError, is_read, link_problem, paths_in
from .panel_line import ELSEWHERE, LINE, check_panel, host_and_port, is_meant_as_line
from .vaulted import encrypted_values, object_name
from .written_texts import texts_as_written
from .yaml_file import Place, YamlFile, read_yaml

OPTION = "resources_dir"
REBUILD = "rebuild"
_MOST_NAMED = 10
_MOST_LINES = 100
_PASSED_OVER = "{}: these files hold no objects and were passed over: {}."
_NO_PURGE = (
    "{}: with {}, what these files should hold would be deleted: {}. Nothing was written. "
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


class Origin(NamedTuple):
    """Which file has an object, and where in it: ("emails", 7)."""

    file: YamlFile
    path: Place


class _PlacedItem(NamedTuple):
    """An object, and every part of the files that has options of it."""

    options: Item
    origins: list[Origin]


def run_with_files(action: ModuleAction, run: Callable[[ModuleCall], Result]) -> Result:
    """Run a task with resources_dir.

    Args:
        action: The action of the task.
        run: Runs the module as the call says.

    Raises:
        PanelError: The files are wrong, or are another panel's; nothing was sent.
    """
    call = action.call()
    options = call.options
    if options.get("resources") is not None:
        return run(call)  # the module refuses both
    folder = _read_folder(action, options)

    passed_over = abbreviate(folder.passed_over, _MOST_NAMED)
    if passed_over and options.get("purge"):
        raise FolderError(
            _NO_PURGE.format(action.name_of(OPTION), action.name_of("purge"), passed_over)
        )

    compares = boolean(options.get("compare") or False, strict=False)
    is_awaited = not action._task.async_val
    result = run(_make_call(call, folder, compares, is_awaited))
    result.pop(REPORTS, None)

    if passed_over:
        warning = _PASSED_OVER.format(action.name_of(OPTION), passed_over)
        result["warnings"] = [warning, *(result.get("warnings") or ())]
    return _explain(result, folder, compares)


def _read_folder(action: ModuleAction, options: Mapping[str, Any]) -> Folder:
    """Read the files of a task, and check that they are of its panel."""
    if not str(options[OPTION]).strip():
        raise OptionError(
            OPTION, "is empty; name a directory, or omit the option. Nothing was read."
        )
    path = Path(expand_path(str(options[OPTION])))
    is_rebuild = _read_switch(REBUILD, options.get(REBUILD))
    credentials_file = options.get("credentials_file")
    if credentials_file is not None:
        credentials_file = expand_path(str(credentials_file))
    folder = Folder(path, action.vault, credentials_file)
    if not is_rebuild:
        check_panel(path, folder.panel, action.panel_of_task(), NOTHING_WRITTEN, action.name_of)
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
    handed_on = {**call.handed_on, "encrypted": folder.encrypted_values.handed_on()}
    if is_awaited:
        handed_on["reports"] = [ON_PROBLEMS]
    return replace(
        call,
        options=_make_module_options(call.options, folder, compares),
        handed_on=handed_on,
        wording=lambda returned: _word_result(returned, folder),
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
        raise OptionError(option, f"must be true or false. {NOTHING_WRITTEN}") from None


def compare(
    client: PanelClient, directory: Path, vault: VaultLib, concurrency: int
) -> list[dict[str, Any]]:
    """Compare the files of a directory with their panel.

    Args:
        client: Sends the requests to the panel.
        directory: Has the files.
        vault: Decrypts what the files have encrypted.
        concurrency: How many requests are under way at once.

    Returns:
        The ``differences`` of panel_resources.

    Raises:
        PanelError: The panel cannot be read; FolderError where the files are wrong.
    """
    folder = Folder(directory, vault)
    check_panel(directory, folder.panel, client.connection.panel, NOTHING_WRITTEN)

    operation = resources_operation()
    defaults = {name: option.get("default") for name, option in operation.options.items()}
    params = {
        **defaults,
        "resources": folder.resources,
        "compare": True,
        "concurrency": concurrency,
    }
    task = Task(
        check_mode=True, connect=lambda: client, encrypted=folder.encrypted_values.handed_on()
    )
    try:
        outcome = operation.run(params, task)
    except PanelError as error:
        mask = folder.encrypted_values.mask
        error.problems = tuple(
            [problem.with_places(folder.locate).with_texts(mask) for problem in error.problems]
        )
        raise

    result = _explain(dict(outcome.result), folder, compares=True)
    differences: list[dict[str, Any]] = result["differences"]
    return differences


# What is read


class Folder:
    """All objects in the files of a directory and below it. Raises FolderError with every mistake.

    Attributes:
        files: The files that hold something.
        panel: The panel that the files name, as host and port; empty if they name none.
        passed_over: Names of files that hold no objects.
    """

    def __init__(
        self, directory: Path, vault: VaultLib, credentials_file: str | None = None
    ) -> None:
        """Read the files.

        Args:
            directory: Has the files.
            vault: Decrypts what they have encrypted.
            credentials_file: Is passed over, as is its lock file; may hold ``{client}``.
        """
        self.files: list[YamlFile] = []
        self.panel = ""
        self.passed_over: list[str] = []
        # By kind and key, or by number where there is no key. An object may be in several files.
        self._objects: dict[str, dict[str, _PlacedItem]] = {}
        self._mistakes: list[str] = []

        paths = list(paths_in(directory, credentials_file))
        if not any(map(is_read, paths)):
            raise FolderError(
                f"{directory}: no file with the ending .yml or .yaml. Nothing was written."
            )
        for path in paths:
            self._read(path, path.relative_to(directory).as_posix(), vault)
        if self._mistakes:
            self._raise_mistakes()

    def _raise_mistakes(self) -> NoReturn:
        for problem in read_items(self.resources).mistakes:
            self._mistakes.append(format_message(problem.with_places(self.locate)))
        mistakes = self.encrypted_values.mask(list(dict.fromkeys(self._mistakes)))
        raise FolderError(join_problems(mistakes, "error.mistakes"), mistakes=mistakes)

    @cached_property
    def encrypted_values(self) -> EncryptedValues:
        """Return what the files have encrypted."""
        return encrypted_values(self.files)

    @property
    def resources(self) -> dict[str, list[Item]]:
        """As the option of panel_resources."""
        resources = {}
        for kind, objects in self._objects.items():
            resources[kind] = [placed.options for placed in objects.values()]
        return resources

    def locate(self, item: ItemName, option: str) -> ItemName:
        """Return the name of an item with the file and line of it, or of one of its options."""
        objects = list(self._objects[item.kind].values())
        options, origins = objects[item.index]
        key = KINDS[item.kind].format_key(options) or ""
        return replace(item, key=key, place=_place_of(origins, split_option_path(option)))

    def places(self) -> dict[tuple[str, str], str]:
        """Return the file and line of each object, by its kind and key."""
        places = {}
        for kind, objects in self._objects.items():
            for placed in objects.values():
                places[object_name(kind, placed.options)] = _place_of(placed.origins)
        return places

    def _read(self, path: Path, name: str, vault: VaultLib) -> None:
        """Read a file, if it may hold objects. name: what messages call it."""
        if problem := link_problem(path):
            self._mistakes.append(f"{name}: {problem}")
            return
        if not is_read(path):
            self.passed_over.append(name)
            return

        file = read_yaml(path, name, vault)
        self._mistakes += file.mistakes
        if file.content:
            self.files.append(file)
            self._read_content(file)
        elif not file.mistakes:
            self.passed_over.append(f"{name} (no objects)")

    def _read_content(self, file: YamlFile) -> None:
        """Read the line of the panel and the lists of objects of a file."""
        if not isinstance(file.content, dict):
            self._add_mistake(
                file, (), "the file must hold a list of objects for each type, such as emails."
            )
            return
        for kind, items in file.content.items():
            if is_meant_as_line(kind):
                self._read_line(file, kind, items)
            elif problem := _problem_of_list(kind, items):
                self._add_mistake(file, (kind,), problem)
            else:
                self._read_items(file, kind, items or ())

    def _read_line(self, file: YamlFile, name: str, value: Any) -> None:
        """Read the line that says whose the files are. name: as the file has it."""
        if file.name != REST:
            self._add_mistake(file, (name,), ELSEWHERE)
            return
        if name != LINE:
            line = f"the line that says whose files these are is {LINE}: HOST."
            sentence = f"there is no type {name}; {line}"
            self._add_mistake(file, (name,), sentence)
            return
        try:
            self.panel = host_and_port(value)
        except ValueError as error:
            self._add_mistake(file, (LINE,), str(error))

    def _read_items(self, file: YamlFile, kind: str, items: Iterable[Item]) -> None:
        """Add the objects of a list of a file."""
        self._objects.setdefault(kind, {})
        for index, item in enumerate(items):
            origin = Origin(file, (kind, index))
            options, mistakes = texts_as_written(file, kind, item, origin.path)
            title = f"{kind} {KINDS[kind].format_key(options) or ''}".rstrip()
            for path, sentence in mistakes:
                self._add_mistake(
                    file, (*origin.path, *path), f"{title} {format_path(path)}: {sentence}"
                )
            self._add(kind, options, origin)

    def _add(self, kind: str, options: Item, origin: Origin) -> None:
        """Add an object, or the options of one that another file has too."""
        objects = self._objects[kind]
        key = KINDS[kind].format_key(options) or f"#{len(objects)}"
        if key not in objects:
            objects[key] = _PlacedItem(options, [origin])
            return

        existing = objects[key]
        duplicate = _find_origin(origin.file, existing.origins)
        if duplicate:
            sentence = f"{kind} {key} is there twice, first in {_place_of([duplicate])}."
            self._add_mistake(origin.file, origin.path, sentence)
            return

        addition = {
            name: value for name, value in options.items() if name not in KINDS[kind].key_options
        }
        conflicts: list[Place] = []
        merged = _merge(
            {"state": "present", **existing.options}, {"state": "present", **addition}, conflicts
        )
        for path in conflicts:
            file_and_line = _place_of(existing.origins, path)
            option = format_path(path)
            sentence = f"{kind} {key} has another {option} in {file_and_line}. Remove one of them."
            self._add_mistake(origin.file, (*origin.path, *path), sentence)
        objects[key] = _PlacedItem(merged, [*existing.origins, origin])

    def _add_mistake(self, file: YamlFile, path: Place, sentence: str) -> None:
        self._mistakes.append(f"{file.place(path)}: {sentence}")


def _problem_of_list(kind: Any, items: Any) -> str:
    """Return what is wrong with a list of objects as a whole; empty if nothing is."""
    if kind not in KINDS:
        return f"there is no type {kind}; the types are {', '.join(KINDS)}."
    if not items:
        return ""
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        return f"{kind} must be a list of dictionaries."
    return ""


def _find_origin(file: YamlFile, origins: Iterable[Origin]) -> Origin | None:
    for origin in origins:
        if origin.file is file:
            return origin
    return None


def _place_of(origins: Sequence[Origin], option: Place = ()) -> str:
    """Return the place in the first file that has the option, else in the first with the object."""
    nearest = origins[0]
    for origin in origins:
        if origin.file.has((*origin.path, *option)):
            nearest = origin
            break
    return nearest.file.place((*nearest.path, *option))


def _merge(options: Item, addition: Item, conflicts: list[Place], path: Place = ()) -> Item:
    """Return the options of an object with those that another file adds.

    Args:
        options: Of the object so far.
        addition: What another file has of it.
        conflicts: Gets the paths of options that have two values.
        path: Where in the object these options are.
    """
    merged = dict(options)
    for name, value in addition.items():
        if isinstance(value, dict) and isinstance(merged.get(name), dict):
            merged[name] = _merge(merged[name], value, conflicts, (*path, name))
        elif name not in merged:
            merged[name] = value
        elif merged[name] != value:
            conflicts.append((*path, name))
    return merged


# What the result says


def _explain(result: Result, folder: Folder, compares: bool) -> Result:
    """Return a result with files and lines in its messages, without encrypted values."""
    encrypted = folder.encrypted_values
    if isinstance(result.get("plan"), Mapping):
        result["plan"] = encrypted.mask_plan(result["plan"])
        text = _add_differences(result, folder) if compares else plan_text(result["plan"])
        if "diff" in result:
            result["diff"] = {"prepared": text}
    masked: Result = encrypted.mask(result)
    return masked


def _word_result(returned: ModuleResult, folder: Folder) -> Result:
    """Return the result of a module, its items named by the files and lines that have them."""
    result = dict(returned.result)
    reported = returned.report.get(ON_PROBLEMS, {})
    warnings = [_word_warning(warning, folder) for warning in reported.get("warnings", ())]
    # What Ansible itself warns of.
    warnings += result.get("warnings") or ()
    if warnings:
        result["warnings"] = warnings

    messages = [_word_problem(problem, folder) for problem in reported.get("failure", ())]
    if messages:
        result["msg"] = join_problems(messages, "error.mistakes")
        result["error"] = {**result["error"], "mistakes": list(dict.fromkeys(messages))}
    return result


def _word_warning(warning: str | Mapping[str, Any], folder: Folder) -> str:
    if isinstance(warning, str):
        return escape_control_characters(warning)
    return _word_problem(warning, folder)


def _word_problem(fields: Mapping[str, Any], folder: Folder) -> str:
    """Return the message of a problem with the file of its item. fields: Problem as JSON."""
    located = Problem.from_json(fields).with_places(folder.locate)
    return escape_control_characters(format_message(located))


def _add_differences(result: Result, folder: Folder) -> str:
    """Add to a result how the panel and the files differ.

    Returns:
        The differences as a text, with a line for each object, at most so many.
    """
    plan = result["plan"]
    actions = [*plan["actions"]]
    # A certificate that is not on the panel, and whose key no file has, is no action, and differs
    # nevertheless.
    for skipped in result.get("results") or ():
        if skipped.get("result") == "skipped":
            actions.append(_make_creation(skipped["kind"], skipped["key"]))
            plan["summary"]["create"] += 1

    places = folder.places()
    plan["actions"] = [
        {**action, "file": places.get((action["kind"], str(action["key"]).casefold()), "")}
        for action in actions
    ]
    result["differences"] = [_make_difference(action) for action in plan["actions"]]
    result["changed"] = bool(actions)
    return _display_differences(plan["actions"])


def _make_creation(kind: str, key: Any) -> dict[str, Any]:
    """Return an action for an object that would have to be created."""
    return {
        "id": None,
        "client": None,
        "action": "create",
        "before": {},
        "after": {},
        "kind": kind,
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
    return ", ".join(action_changes(action))


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
    return "".join(f"{line}\n" for line in [head, *first_lines(lines, _MOST_LINES)])

# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a panel as files, as a person would write them.

It writes only what changed, and only over files of an export.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible.parsing.vault import VaultLib

from ...module_utils._bulk.encrypted_values import FoldedName
from ...module_utils._kinds.registry import KINDS
from ...module_utils._problems import ProblemForm, Written, abbreviate, format_message
from .client_files import choose_files, make_readable
from .export_text import MARK, Items, dump_with_header
from .file_changes import (
    FileChange,
    describe_changes,
    find_changes,
    list_old_texts,
    read_own_texts,
    refuse_to_remove_most,
    write_changes,
)
from .files import REST, FolderError, list_files_in
from .kept_values import MergedItems, merge_kept_values, read_kept_values
from .panel_line import (
    LINE,
    NoOwner,
    check_panel,
    find_panel,
    is_meant_as_line,
    refuse_line_elsewhere,
)
from .replaced_files import ReplacedFiles, read_replaced_files
from .vaulted import fold_object_name
from .yaml_file import YamlFile, read_yaml

_MOST_NAMED = 20
_DIFFERING = (
    "The panel has other values than these encrypted fields, which stay as they are: {}. "
    "hosting.panel.apply writes them to the panel; to take over the panel's value, encrypt it with "
    "ansible-vault encrypt_string."
)
_TAKEN_OVER = "{}: the files did not say whose they are. They belong to the panel {} from now on."
_TAKEN_OUT = (
    "The panel does not show these secrets, so they are no longer in the files: {}. "
    "To keep such a field in a file, encrypt it with ansible-vault encrypt_string."
)
_UNREADABLE = (
    "The export replaces these files, which were not valid, so that what a person added to them "
    "is gone: {}"
)
_OTHER_PANEL = "Check that {} names the panel of this directory, or set {}: true."
_NOT_OF_EXPORT = "this file is not from an export."


@dataclass(frozen=True)
class Panel:
    """What the panel of a task holds.

    Attributes:
        name: Its host and port.
        resources: As panel_resources_info returns them.
        left_out: What that module leaves out, as it returns it.
    """

    name: str
    resources: Items
    left_out: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class Choice:
    """What a task chooses.

    Attributes:
        clients: Whose files alone are written.
        rebuild: Whether the files may be those of another panel.
        check_mode: Whether nothing is written.
        diff: Whether the result shows how the files change.
        credentials_file: The file of passwords, which is none of the panel's.
        name_option: What messages call an option.
    """

    clients: Collection[str] | None = None
    rebuild: bool = False
    check_mode: bool = False
    diff: bool = False
    credentials_file: str | None = None
    name_option: Callable[[str], str] = str


def export(directory: Path, panel: Panel, vault: VaultLib, choice: Choice) -> dict[str, Any]:
    """Write the panel into the directory.

    Returns:
        The result of the task.

    Raises:
        FolderError: A file is in the way, or the files are another panel's; nothing was written.
    """
    paths: list[Path] = []
    if directory.is_dir():
        paths = list_files_in(directory, choice.credentials_file)
    is_owned = choice.rebuild or _is_owned_by(directory, panel.name, vault, choice.name_option)

    names, items_by_file = choose_files(directory, panel.resources, choice.clients)
    before = read_own_texts(directory, names, items_by_file, _is_of_export, _NOT_OF_EXPORT)
    if not choice.rebuild:
        refuse_to_remove_most(
            directory, before, items_by_file, "export", _advise_other_panel(choice.name_option)
        )

    own_paths = frozenset(directory / name for name in before)
    kept = read_kept_values(directory, own_paths, paths, vault)
    merged = merge_kept_values(make_readable(items_by_file), kept, _name_left_out(panel))
    after = _make_texts(merged, panel.name)

    changes = find_changes(before, after)
    replaced = read_replaced_files(directory, list_old_texts(changes), vault)
    if not choice.rebuild:
        # A file that is as the export writes it has no such line.
        unchanged = own_paths.difference(directory / change.name for change in changes)
        remaining = [path for path in paths if path not in unchanged]
        _refuse_lines_elsewhere(directory, remaining, vault)
        _refuse_to_lose_objects(directory, changes, replaced, panel, choice.name_option)

    write_changes(directory, changes, choice.check_mode)

    result = describe_changes(changes, len(before), panel.resources)
    if REST in after and paths and not is_owned:
        result["lines"] = [_TAKEN_OVER.format(directory / REST, panel.name)]
    result.update(_describe_losses(merged.differing, replaced))
    if choice.diff:
        result["diff"] = [
            replaced.build_diff(change.name, change.after or "") for change in changes
        ]
    masked: dict[str, Any] = merged.encrypted.mask(result)
    return masked


def _make_texts(merged: MergedItems, panel: str) -> dict[str, str]:
    """Return the text of each file that is written.

    Args:
        merged: The items of these files.
        panel: Host and port of the panel.

    Raises:
        FolderError: An encrypted field has no object any more.
    """
    if merged.places_without_object:
        named = abbreviate(merged.places_without_object, _MOST_NAMED)
        raise FolderError(
            "encrypted, and its object is not on the panel.",
            subject=named,
            written=Written.NO_FILE,
            advice="Remove it, or move it to another file of the directory.",
            form=ProblemForm.MISMATCH,
        )

    texts: dict[str, str] = {}
    for name, items in merged.items_by_file.items():
        line = {LINE: panel} if name == REST else {}
        texts[name] = dump_with_header({**line, **items})
    return texts


def _describe_losses(differing: Sequence[str], replaced: ReplacedFiles) -> dict[str, Any]:
    """Return what the result says of what a person has written, and of what it warns.

    Args:
        differing: Places of encrypted values that stay, though the panel has others.
        replaced: What a person may have written into the files.
    """
    losses: dict[str, Any] = {}
    if replaced.taken_out:
        losses["taken_out"] = replaced.taken_out

    places_by_warning = {
        _DIFFERING: differing,
        _TAKEN_OUT: replaced.taken_out,
        _UNREADABLE: list(map(format_message, replaced.unreadable)),
    }
    warnings = []
    for warning, places in places_by_warning.items():
        if places:
            warnings.append(warning.format(abbreviate(places, _MOST_NAMED)))
    if warnings:
        losses["warnings"] = warnings
    return losses


# Which files an export may replace


def _is_of_export(text: str) -> bool:
    """Return whether an export may replace a file with this text."""
    return text.startswith(MARK)


# Whose the files are


def _is_owned_by(
    directory: Path, panel: str, vault: VaultLib, name_option: Callable[[str], str]
) -> bool:
    """Return whether the files say that they are this panel's.

    Raises:
        FolderError: They are another panel's, or that cannot be read.
    """
    path = directory / REST
    if not os.path.lexists(path):
        return False

    file = read_yaml(path, REST, vault, must_decrypt=False)
    if file.mistakes:
        raise _make_mistake_error(directory, file)
    try:
        owner = find_panel(file)
    except NoOwner as error:
        raise _make_no_owner_error(directory, file, error) from None
    check_panel(directory, owner, panel, Written.NO_FILE, name_option)
    return bool(owner)


def _refuse_lines_elsewhere(directory: Path, paths: Iterable[Path], vault: VaultLib) -> None:
    """Refuse a file that may say whose the directory is where nothing reads that.

    A file beside REST with its name in another spelling is judged as REST is. Any other may hold
    what it wants but for that line.

    Raises:
        FolderError: There is such a file; nothing was written.
    """
    for path in paths:
        name = path.relative_to(directory).as_posix()
        if name == REST:
            continue

        file = read_yaml(path, name, vault, must_decrypt=False)
        is_meant_as_rest = path.parent == directory and is_meant_as_line(path.stem)
        if is_meant_as_rest and file.mistakes:
            raise _make_mistake_error(directory, file)
        try:
            refuse_line_elsewhere(file)
            if is_meant_as_rest:
                find_panel(file)
        except NoOwner as error:
            raise _make_no_owner_error(directory, file, error) from None


def _make_mistake_error(directory: Path, file: YamlFile) -> FolderError:
    """Return the error for the first mistake of a file."""
    mistake = file.mistakes[0]
    subject = f"{directory}: {mistake.subject}"
    return FolderError(mistake.cause, subject=subject, written=Written.NO_FILE)


def _make_no_owner_error(directory: Path, file: YamlFile, error: NoOwner) -> FolderError:
    """Return the error for a file that does not say whose it is."""
    subject = f"{directory}: {file.locate(error.where)}"
    return FolderError(error.sentence, subject=subject, written=Written.NO_FILE)


def _advise_other_panel(name_option: Callable[[str], str]) -> str:
    """Return what to do where another panel than that of the directory may have been read."""
    return _OTHER_PANEL.format(name_option("api_url"), name_option("rebuild"))


def _refuse_to_lose_objects(
    directory: Path,
    changes: Iterable[FileChange],
    replaced: ReplacedFiles,
    panel: Panel,
    name_option: Callable[[str], str],
) -> None:
    """Raise FolderError where the panel still has an object of a file that would go.

    Its client is not gone then, but only not listed.

    Args:
        directory: The directory.
        changes: The files that change.
        replaced: What these files hold.
        panel: What the panel holds.
        name_option: What messages call an option.
    """
    removed = [change.name for change in changes if change.after is None]
    objects = {name: replaced.list_objects(name) for name in removed}

    for omission in panel.left_out:
        if "option" in omission:
            continue
        omitted = _name_omitted(omission)
        files = [name for name in removed if omitted in objects[name]]
        if not files:
            continue
        title = KINDS[omission["kind"]].title
        cause = (
            "this export would remove the file, but the panel still shows its "
            f"{title} {omission['key']}."
        )
        advice = (
            "A warning says why the export leaves that out; "
            f"set {name_option('rebuild')}: true if the file may go."
        )
        raise FolderError(
            cause, subject=str(directory / files[0]), written=Written.NO_FILE, advice=advice
        )


def _name_left_out(panel: Panel) -> set[FoldedName]:
    """Return the objects that the panel has and the export leaves out as a whole."""
    omissions = [omission for omission in panel.left_out if "option" not in omission]
    return {_name_omitted(omission) for omission in omissions}


def _name_omitted(omission: Mapping[str, Any]) -> FoldedName:
    """Return the name of an object that panel_resources_info leaves out."""
    kind = KINDS[omission["kind"]]
    key = omission["key"]
    if len(kind.key_options) == 1:
        return fold_object_name(kind.plural, {kind.key_options[0]: key})
    return kind.plural, key.casefold()

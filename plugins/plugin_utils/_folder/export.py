# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a panel as files, as a person would write them.

It writes only what changed, and only over files of an export.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ansible.parsing.vault import VaultLib

from ...module_utils._bulk.encrypted_values import FoldedName
from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._problems import abbreviate
from .._run.controller_files import ANY_NUMBER, check_folder, explained, read_regular, replace_file
from .export_text import MARK, Item, Items, dumped, readable
from .files import CLIENTS, NO_FILE_WRITTEN, REST, FolderError, file_name, files_in
from .kept_values import MergedItems, merge_kept_values, read_kept_values
from .panel_line import (
    LINE,
    NoOwner,
    check_panel,
    is_meant_as_line,
    panel_of,
    refuse_line_elsewhere,
)
from .replaced_files import ReplacedFiles, read_replaced_files
from .vaulted import object_name
from .yaml_file import YamlFile, read_yaml

_MOST_NAMED = 20
_DIFFERING = (
    "The panel has other values than these encrypted fields, which stay as they are: {}. "
    "hosting.panel.apply writes them to the panel; to take over the panel's value, encrypt it with "
    "ansible-vault encrypt_string."
)
_WITHOUT_OBJECT = (
    "{}: encrypted, and its object is not on the panel. Remove it, or move it to another file of "
    "the directory. {}"
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
_MOSTLY_REMOVED = (
    "{}: this export would remove the files of {} clients and keep {}. {} "
    "Check that {} names the panel of this directory, or set {}: true."
)
_STILL_THERE = (
    "{}: this export would remove the file, but the panel still shows its {} {}. {} "
    "A warning says why the export leaves that out; set {}: true if the file may go."
)

ItemsByFile = dict[str, dict[str, list[Item]]]
"""By name of a file, and by kind, the items in it."""


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
        name_of: What messages call an option.
    """

    clients: Collection[str] | None = None
    rebuild: bool = False
    check_mode: bool = False
    diff: bool = False
    credentials_file: str | None = None
    name_of: Callable[[str], str] = str


class _FileChange(NamedTuple):
    """How a file changes.

    Attributes:
        name: The file, below the directory.
        before: Its text as the export has compared it; None if the file is missing.
        after: Its new text; None if the file goes.
    """

    name: str
    before: str | None
    after: str | None


def export(directory: Path, panel: Panel, vault: VaultLib, choice: Choice) -> dict[str, Any]:
    """Write the panel into the directory.

    Returns:
        The result of the task.

    Raises:
        FolderError: A file is in the way, or the files are another panel's; nothing was written.
    """
    paths: list[Path] = []
    if directory.is_dir():
        paths = files_in(directory, choice.credentials_file)
    is_owned = choice.rebuild or _is_owned_by(directory, panel.name, vault, choice.name_of)

    names, items_by_file = _choose_files(directory, panel.resources, choice.clients)
    before = _read_before(directory, names, items_by_file)
    if not choice.rebuild:
        _refuse_to_remove_most(directory, before, items_by_file, choice.name_of)

    own_paths = frozenset(directory / name for name in before)
    kept = read_kept_values(directory, own_paths, paths, vault)
    merged = merge_kept_values(_make_readable(items_by_file), kept)
    after = _make_texts(merged, panel.name)

    changes = _find_changes(before, after)
    replaced = read_replaced_files(directory, _list_old_texts(changes), vault)
    if not choice.rebuild:
        # A file that is as the export writes it has no such line.
        unchanged = own_paths.difference(directory / change.name for change in changes)
        remaining = [path for path in paths if path not in unchanged]
        _refuse_lines_elsewhere(directory, remaining, vault)
        _refuse_to_lose_objects(directory, changes, replaced, panel, choice.name_of)

    _write_all(directory, changes, choice.check_mode)

    result = _describe_changes(changes, len(before), panel)
    if REST in after and paths and not is_owned:
        result["lines"] = [_TAKEN_OVER.format(directory / REST, panel.name)]
    result.update(_describe_losses(merged.differing, replaced))
    if choice.diff:
        result["diff"] = [replaced.diff(change.name, change.after or "") for change in changes]
    masked: dict[str, Any] = merged.encrypted.mask(result)
    return masked


def _make_readable(items_by_file: ItemsByFile) -> dict[str, Items]:
    """Return the items of files with values as a person would write them."""
    return {name: readable(items) for name, items in items_by_file.items()}


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
        raise FolderError(_WITHOUT_OBJECT.format(named, NO_FILE_WRITTEN))

    texts: dict[str, str] = {}
    for name, items in merged.items_by_file.items():
        line = {LINE: panel} if name == REST else {}
        texts[name] = dumped({**line, **items})
    return texts


def _find_changes(before: Mapping[str, str | None], after: Mapping[str, str]) -> list[_FileChange]:
    """Return the files that change, in the order of their names."""
    changes = [_FileChange(name, before[name], after.get(name)) for name in sorted(before)]
    return [change for change in changes if change.before != change.after]


def _list_old_texts(changes: Iterable[_FileChange]) -> dict[str, str]:
    """Return by name the text of each file that is replaced or removed."""
    return {change.name: change.before for change in changes if change.before}


def _describe_changes(changes: Sequence[_FileChange], count: int, panel: Panel) -> dict[str, Any]:
    """Return what the result says of each export.

    Args:
        changes: The files that change.
        count: How many files are compared.
        panel: What the panel holds.
    """
    return {
        "changed": bool(changes),
        "written": [change.name for change in changes if change.after is not None],
        "removed": [change.name for change in changes if change.after is None],
        "unchanged": count - len(changes),
        "counts": {kind: len(items) for kind, items in panel.resources.items() if items},
    }


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
        _UNREADABLE: replaced.unreadable,
    }
    warnings = []
    for warning, places in places_by_warning.items():
        if places:
            warnings.append(warning.format(abbreviate(places, _MOST_NAMED)))
    if warnings:
        losses["warnings"] = warnings
    return losses


# Whose the files are


def _is_owned_by(
    directory: Path, panel: str, vault: VaultLib, name_of: Callable[[str], str]
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
        raise FolderError(f"{directory}: {file.mistakes[0]} {NO_FILE_WRITTEN}")
    try:
        owner = panel_of(file)
    except NoOwner as error:
        raise _no_owner_error(directory, file, error) from None
    check_panel(directory, owner, panel, NO_FILE_WRITTEN, name_of)
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
            raise FolderError(f"{directory}: {file.mistakes[0]} {NO_FILE_WRITTEN}")
        try:
            refuse_line_elsewhere(file)
            if is_meant_as_rest:
                panel_of(file)
        except NoOwner as error:
            raise _no_owner_error(directory, file, error) from None


def _no_owner_error(directory: Path, file: YamlFile, error: NoOwner) -> FolderError:
    """Return the error for a file that does not say whose it is."""
    return FolderError(f"{directory}: {file.place(error.where)}: {error} {NO_FILE_WRITTEN}")


# Which files are written


def _split(resources: Items) -> ItemsByFile:
    """Return by file the items in it, in the order of ``resources``."""
    owners = {item["domain"]: item.get("client") for item in resources.get("domains", ())}
    files: ItemsByFile = {}
    for kind, items in resources.items():
        for item in items:
            owner = _find_owner(kind, item, owners)
            name = file_name(owner) if owner else REST
            files.setdefault(name, {}).setdefault(kind, []).append(item)
    return files


def _find_owner(kind: str, item: Item, owners: Mapping[str, str | None]) -> str | None:
    """Return the client that an object belongs to; None if it belongs to no client.

    Args:
        kind: The plural of its kind.
        item: The object.
        owners: The clients of the domains.
    """
    if kind == DNS:
        return owners.get(item["domain"])
    if kind == CLIENTS:
        return item.get("username")
    return item.get("client")


def _choose_files(
    directory: Path, resources: Items, clients: Collection[str] | None
) -> tuple[set[str], ItemsByFile]:
    """Return the names of the files that the export may change, and the items of those it writes.

    Args:
        directory: The directory.
        resources: All objects of the panel.
        clients: Whose files alone are written; None for all files.
    """
    items_by_file = _split(resources)
    if clients is None:
        items_by_file.setdefault(REST, {})
        existing = {f"{CLIENTS}/{path.name}" for path in (directory / CLIENTS).glob("*.yml")}
        return existing.union(items_by_file), items_by_file

    names = {file_name(client) for client in clients}
    return names, {name: items for name, items in items_by_file.items() if name in names}


def _read_before(
    directory: Path, names: Iterable[str], wanted: Collection[str]
) -> dict[str, str | None]:
    """Return the texts of the files that are an export's, None for those that are missing.

    Args:
        directory: The directory.
        names: The files that the export may write or remove.
        wanted: The files that have items.

    Raises:
        FolderError: No export wrote a file where one is wanted.
    """
    before: dict[str, str | None] = {}
    for name in names:
        text = _read_text(directory / name)
        is_of_export = text is None or text.startswith(MARK)
        if name in wanted and not is_of_export:
            raise FolderError(
                f"{directory / name}: this file is not from an export. {NO_FILE_WRITTEN} "
                "Move it away."
            )
        if name in wanted or (text is not None and is_of_export):
            before[name] = text
    return before


def _refuse_to_remove_most(
    directory: Path,
    before: Mapping[str, str | None],
    wanted: Collection[str],
    name_of: Callable[[str], str],
) -> None:
    """Raise FolderError where more of the clients' files would go than stay."""
    existing = {name for name, text in before.items() if name != REST and text is not None}
    stays = len(existing.intersection(wanted))
    goes = len(existing) - stays
    if goes > stays:
        problem = _MOSTLY_REMOVED.format(
            directory, goes, stays, NO_FILE_WRITTEN, name_of("api_url"), name_of("rebuild")
        )
        raise FolderError(problem, removed=goes, kept=stays)


def _refuse_to_lose_objects(
    directory: Path,
    changes: Iterable[_FileChange],
    replaced: ReplacedFiles,
    panel: Panel,
    name_of: Callable[[str], str],
) -> None:
    """Raise FolderError where the panel still has an object of a file that would go.

    Its client is not gone then, but only not listed.

    Args:
        directory: The directory.
        changes: The files that change.
        replaced: What these files hold.
        panel: What the panel holds.
        name_of: What messages call an option.
    """
    removed = [change.name for change in changes if change.after is None]
    objects = {name: replaced.objects(name) for name in removed}

    for omission in panel.left_out:
        if "option" in omission:
            continue
        omitted = _name_of_omission(omission)
        files = [name for name in removed if omitted in objects[name]]
        if not files:
            continue
        title = KINDS[omission["kind"]].title
        problem = _STILL_THERE.format(
            directory / files[0], title, omission["key"], NO_FILE_WRITTEN, name_of("rebuild")
        )
        raise FolderError(problem)


def _name_of_omission(omission: Mapping[str, Any]) -> FoldedName:
    """Return the name of an object that panel_resources_info leaves out."""
    kind = KINDS[omission["kind"]]
    key = omission["key"]
    if len(kind.key_options) == 1:
        return object_name(kind.plural, {kind.key_options[0]: key})
    return kind.plural, key


# Reading and writing


def _read_text(path: Path) -> str | None:
    """Return the text of a file; None if the file is missing."""
    with explained(str(path), FolderError, NO_FILE_WRITTEN):
        try:
            return read_regular(path).decode("utf-8", "replace")
        except FileNotFoundError:
            return None


def _write_all(directory: Path, changes: Sequence[_FileChange], check_mode: bool) -> None:
    """Write the files, and remove those without a text.

    In check mode, only find out whether that can be done.

    Raises:
        FolderError: A file cannot be written, or has changed since it was compared.
    """
    for change in changes:
        path = directory / change.name
        with explained(str(path), FolderError, NO_FILE_WRITTEN):
            check_folder(path.absolute().parent, missing=ANY_NUMBER)
    if check_mode:
        return

    for count, change in enumerate(changes):
        path = directory / change.name
        so_far = f"{count} of {len(changes)} files were written or removed. Run again."
        if _read_text(path) != change.before:
            raise FolderError(f"{path}: this file was changed while the export ran. {so_far}")
        with explained(str(path), FolderError, so_far):
            _write(path, change.after)


def _write(path: Path, text: str | None) -> None:
    """Replace a file by a whole new one, or remove it if it has no text.

    It keeps the mode of the old file, or gets that of a new file of this user.
    """
    if text is None:
        path.unlink()
        return

    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        mode = path.stat().st_mode & 0o777
    else:
        mask = os.umask(0o077)
        os.umask(mask)
        mode = 0o666 & ~mask
    replace_file(path, text.encode(), mode, flush=False)

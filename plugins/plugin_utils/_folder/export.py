# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a panel as files, as a person would write them: only what changed, only over files of an export. Private to the collection."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible.parsing.vault import VaultLib

from ...module_utils._bulk.encrypted_values import FoldedName
from ...module_utils._kinds.registry import DNS, KINDS
from ...module_utils._problems import abbreviate
from ...module_utils._schema.fields import get_value, set_value
from .._run.controller_files import ANY_NUMBER, VAULT_HEADER, check_folder, explained, read_regular, replace_file
from .export_text import MARK, Item, Items, dumped, readable
from .files import CLIENTS, REST, FolderError, file_name, files_in
from .panel_line import LINE, NoOwner, check_panel, is_meant_as_line, panel_of, refuse_line_elsewhere
from .plain_secrets import displayed_text, plain_secrets, secrets_of
from .vaulted import NAMES, Encrypted, encrypted_options, encrypted_values, items_in, object_name, option_path
from .yaml_file import read_yaml

_MOST_NAMED = 20
_NOTHING = "No file was written."
_DIFFERING = (
    "The panel has other values than these encrypted fields, which stay as they are: {}. hosting.panel.apply writes them to the panel; to take over "
    "the panel's value, encrypt it with ansible-vault encrypt_string."
)
_LOST = "{}: encrypted, and its object is not on the panel. Remove it, or move it to another file of the directory. {}"
_TAKEN_OVER = "{}: the files did not say whose they are. They belong to the panel {} from now on."
_TAKEN_OUT = (
    "The panel does not show these secrets, so they are no longer in the files: {}. To keep such a field in a file, encrypt it with "
    "ansible-vault encrypt_string."
)
_UNREADABLE = "The export replaces these files, which were not valid, so that what a person added to them is gone: {}"
_MOSTLY_REMOVED = (
    "{}: this export would remove the files of {} clients and keep {}. {} "
    "Check that {} names the panel of this directory, or set {}: true."
)
_STILL_THERE = (
    "{}: this export would remove the file, but the panel still shows its {} {}. {} "
    "A warning says why the export leaves that out; set {}: true if the file may go."
)


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


def export(directory: Path, panel: Panel, vault: VaultLib, choice: Choice) -> dict[str, Any]:
    """Write the panel into the directory; return the result of the task.

    Raises:
        FolderError: A file is in the way, or the files are another panel's; nothing was written.
    """
    files = files_in(directory, choice.credentials_file) if directory.is_dir() else []
    is_owned = choice.rebuild or _is_owned_by(directory, panel.name, vault, choice.name_of)
    before, wanted = _compared(directory, panel.resources, choice.clients)
    if not choice.rebuild:
        _refuse_to_remove_most(directory, before, wanted, choice.name_of)
    kept = _Kept(directory, frozenset(directory / name for name in before), files, vault)
    after: dict[str, str] = {}
    for name, items in wanted.items():
        line = {LINE: panel.name} if name == REST else {}
        after[name] = dumped({**line, **kept.applied(readable(items))})
    if lost := kept.lost():
        raise FolderError(_LOST.format(abbreviate(lost, _MOST_NAMED), _NOTHING))

    changed = [name for name in sorted(before) if before[name] != after.get(name)]
    if not choice.rebuild:
        # A file that is as the export writes it has no such line.
        unchanged = {directory / name for name in before if name not in changed}
        _refuse_lines_elsewhere(directory, [path for path in files if path not in unchanged], vault)
    replaced = _Replaced(directory, {name: text for name in changed if (text := before[name])}, vault)
    removed = [name for name in changed if name not in after]
    if not choice.rebuild:
        _refuse_to_lose_objects(directory, {name: replaced.objects(name) for name in removed}, panel, choice.name_of)
    _write_all(directory, {name: (before[name], after.get(name)) for name in changed}, choice.check_mode)
    result: dict[str, Any] = {
        "changed": bool(changed),
        "written": [name for name in changed if name in after],
        "removed": removed,
        "unchanged": len(before) - len(changed),
        "counts": {kind: len(items) for kind, items in panel.resources.items() if items},
    }
    if REST in after and files and not is_owned:
        result["lines"] = [_TAKEN_OVER.format(directory / REST, panel.name)]
    warnings = []
    if kept.differing:
        warnings.append(_DIFFERING.format(abbreviate(kept.differing, _MOST_NAMED)))
    if replaced.taken_out:
        result["taken_out"] = replaced.taken_out
        warnings.append(_TAKEN_OUT.format(abbreviate(replaced.taken_out, _MOST_NAMED)))
    if replaced.unreadable:
        warnings.append(_UNREADABLE.format(abbreviate(replaced.unreadable, _MOST_NAMED)))
    if warnings:
        result["warnings"] = warnings
    if choice.diff:
        result["diff"] = [replaced.diff(name, after.get(name, "")) for name in changed]
    masked: dict[str, Any] = kept.values.masked(result)
    return masked


def _is_owned_by(directory: Path, panel: str, vault: VaultLib, name_of: Callable[[str], str]) -> bool:
    """Return whether the files say that they are this panel's; raises FolderError if they are another one's, or if that cannot be read."""
    path = directory / REST
    if not os.path.lexists(path):
        return False
    file = read_yaml(path, REST, vault, must_decrypt=False)
    if file.mistakes:
        raise FolderError(f"{directory}: {file.mistakes[0]} {_NOTHING}")
    try:
        owner = panel_of(file)
    except NoOwner as error:
        raise FolderError(f"{directory}: {file.place(error.where)}: {error} {_NOTHING}") from None
    check_panel(directory, owner, panel, _NOTHING, name_of)
    return bool(owner)


def _refuse_lines_elsewhere(directory: Path, paths: Iterable[Path], vault: VaultLib) -> None:
    """Refuse a file that may say whose the directory is where nothing reads that.

    A file beside REST with its name in another spelling is judged as REST is. Any other may hold what it wants but for that line.

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
            raise FolderError(f"{directory}: {file.mistakes[0]} {_NOTHING}")
        try:
            refuse_line_elsewhere(file)
            if is_meant_as_rest:
                panel_of(file)
        except NoOwner as error:
            raise FolderError(f"{directory}: {file.place(error.where)}: {error} {_NOTHING}") from None


def _compared(
    directory: Path, resources: Items, clients: Collection[str] | None
) -> tuple[dict[str, str | None], dict[str, dict[str, list[Item]]]]:
    """Return the texts of the files that are an export's, None for those that are missing, and the items of each file that is wanted.

    Raises FolderError for a file that no export wrote where one is wanted.
    """
    wanted = _split(resources)
    if clients is None:
        wanted.setdefault(REST, {})
        names = {*wanted, *(f"{CLIENTS}/{path.name}" for path in (directory / CLIENTS).glob("*.yml"))}
    else:
        names = {file_name(client) for client in clients}
        wanted = {name: items for name, items in wanted.items() if name in names}
    before: dict[str, str | None] = {}
    for name in names:
        text = _text(directory / name)
        is_own = text is None or text.startswith(MARK)
        if name in wanted and not is_own:
            raise FolderError(f"{directory / name}: this file is not from an export. {_NOTHING} Move it away.")
        if name in wanted or (text is not None and is_own):
            before[name] = text
    return before, wanted


def _refuse_to_remove_most(
    directory: Path, before: Mapping[str, str | None], wanted: Collection[str], name_of: Callable[[str], str]
) -> None:
    """Raises FolderError where more of the clients' files would go than stay."""
    existing = {name for name, text in before.items() if name != REST and text is not None}
    stays = len(existing.intersection(wanted))
    goes = len(existing) - stays
    if goes > stays:
        problem = _MOSTLY_REMOVED.format(directory, goes, stays, _NOTHING, name_of("api_url"), name_of("rebuild"))
        raise FolderError(problem, removed=goes, kept=stays)


def _refuse_to_lose_objects(
    directory: Path, removed: Mapping[str, Collection[FoldedName]], panel: Panel, name_of: Callable[[str], str]
) -> None:
    """Raise FolderError where the panel still has an object of a file that would go: then its client is not gone, but only not listed.

    Args:
        directory: The directory.
        removed: By file that would go the objects in it.
        panel: What the panel holds.
        name_of: What messages call an option.
    """
    for omission in panel.left_out:
        kind, key = KINDS[omission["kind"]], omission["key"]
        name = (
            object_name(kind.plural, {kind.key_options[0]: key}) if len(kind.key_options) == 1 else (kind.plural, key)
        )
        files = [file for file, objects in removed.items() if name in objects and "option" not in omission]
        if files:
            path = directory / files[0]
            raise FolderError(_STILL_THERE.format(path, kind.title, key, _NOTHING, name_of("rebuild")))


def _split(resources: Items) -> dict[str, dict[str, list[Item]]]:
    """By file the items in it, in the order of ``resources``."""
    owners = {item["domain"]: item.get("client") for item in resources.get("domains", ())}
    files: dict[str, dict[str, list[Item]]] = {}
    for kind, items in resources.items():
        for item in items:
            owner = owners.get(item["domain"]) if kind == DNS else item.get("username" if kind == CLIENTS else "client")
            files.setdefault(file_name(owner) if owner else REST, {}).setdefault(kind, []).append(item)
    return files


def _text(path: Path) -> str | None:
    with explained(str(path), FolderError, _NOTHING):
        try:
            return read_regular(path).decode("utf-8", "replace")
        except FileNotFoundError:
            return None


def _write_all(directory: Path, changes: Mapping[str, tuple[str | None, str | None]], check_mode: bool) -> None:
    """Write the files, and remove those without a text; in check mode, only see whether that can be done.

    Args:
        changes: by file its text before, as the export has compared it, and afterwards.
    """
    for name in changes:
        with explained(str(directory / name), FolderError, _NOTHING):
            check_folder((directory / name).absolute().parent, missing=ANY_NUMBER)
    if check_mode:
        return
    for done, (name, (before, text)) in enumerate(changes.items()):
        so_far = f"{done} of {len(changes)} files were written or removed. Run again."
        if _text(directory / name) != before:
            raise FolderError(f"{directory / name}: this file was changed while the export ran. {so_far}")
        with explained(str(directory / name), FolderError, so_far):
            _write(directory / name, text)


def _write(path: Path, text: str | None) -> None:
    """The file is always a whole one, the old or the new, with the mode of the old one, or that which a new file of this user gets."""
    if text is None:
        path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    mask = os.umask(0o077)
    os.umask(mask)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~mask
    replace_file(path, text.encode(), mode, flush=False)


# What a person has written into the files


class _Replaced:
    """Files of an export that get another text, or go, as a person may have changed them.

    taken_out: places of the secrets in them in plain text, which the panel does not show. unreadable: files that are no valid YAML, each
    with its mistake.
    """

    def __init__(self, directory: Path, texts: Mapping[str, str], vault: VaultLib) -> None:
        self._directory, self._texts = directory, texts
        self._files = {name: read_yaml(directory / name, name, vault, must_decrypt=False) for name in texts}
        found = {name: plain_secrets(file) for name, file in self._files.items()}
        self.taken_out = [
            f"{self._files[name].place(one.where)}: {one.label}" for name, secrets in found.items() for one in secrets
        ]
        self.unreadable = [file.mistakes[0] for file in self._files.values() if file.mistakes]
        self._secrets = secrets_of([one for secrets in found.values() for one in secrets])

    def objects(self, name: str) -> set[FoldedName]:
        """Return the names of the objects in a file."""
        return {object_name(kind, item) for kind, item in items_in(self._files[name])}

    def diff(self, name: str, after: str) -> dict[str, str]:
        """Return how a file changes, without what is secret in it."""
        before = displayed_text(self._files[name], self._texts[name], self._secrets) if name in self._texts else ""
        path = str(self._directory / name)
        return {
            "before_header": path,
            "after_header": path,
            "before": before,
            "after": self._secrets.masked(after),
        }


# What is encrypted


class _Kept:
    """What the export's own files have encrypted keeps its text; what another file of the directory has encrypted is left out.

    differing: places of fields that the panel has otherwise.
    """

    def __init__(self, directory: Path, own: frozenset[Path], paths: Iterable[Path], vault: VaultLib) -> None:
        """Read what is encrypted. own: the files of the export. paths: all files of the directory."""
        self.differing: list[str] = []
        # By object, which another file may hold by now: the option, its place, and the item as the file has it.
        self._own: dict[FoldedName, list[tuple[Encrypted, str, Item]]] = {}
        files, others = [], []
        for path in paths:
            with explained(str(path), FolderError, _NOTHING):
                data = read_regular(path)
            if b"!vault" not in data and not data.startswith(VAULT_HEADER):
                continue
            file = read_yaml(path, path.relative_to(directory).as_posix(), vault, must_decrypt=False)
            if file.mistakes:
                raise FolderError(f"{file.mistakes[0]} {_NOTHING}")
            files.append(file)
            others += [] if path in own else [file]
            for option in encrypted_options(file) if path in own else ():
                kind, index, *_rest = option.where
                place = f"{file.place(option.where)}: {' '.join(option.object)} {'.'.join(option.path)}"
                self._own.setdefault(option.object, []).append((option, place, file.content[kind][index]))
        self.values, self._elsewhere = encrypted_values(files), encrypted_values(others).places

    def applied(self, items: Items) -> Items:
        """The items of a file of the export as they are written."""
        return {kind: [self._applied(kind, item) for item in found] for kind, found in items.items()}

    def _applied(self, kind: str, item: Item) -> Item:
        name = object_name(kind, item)
        left_out = {option[0] for option in self._elsewhere.get(name, ())} - NAMES[kind]
        made = _by_record_set(kind, {option: value for option, value in item.items() if option not in left_out})
        for option, place, own in self._own.pop(name, ()):
            shown, text = get_value(made, option.path), option.value
            if isinstance(shown, str) and text and shown.strip() != text.strip():
                self.differing.append(place)
            set_value(made, option.path, get_value(_by_record_set(kind, own), option.path))
        if isinstance(sets := made.get("records"), dict):
            made["records"] = [one for by_type in sets.values() for found in by_type.values() for one in found]
        return made

    def lost(self) -> list[str]:
        """Places of encrypted fields whose objects are not written."""
        return [place for options in self._own.values() for _option, place, _item in options]


def _by_record_set(kind: str, item: Item) -> Item:
    """An item of its own; the records of a zone by host and type, as paths of options name them."""
    made = {name: dict(value) if isinstance(value, Mapping) else value for name, value in item.items()}
    if kind == DNS and isinstance(item.get("records"), list):
        made["records"] = {}
        for number, record in enumerate(item["records"]):
            path = option_path(item, ("records", number))
            set_value(made, path, [*(get_value(made, path) or ()), record])
    return made

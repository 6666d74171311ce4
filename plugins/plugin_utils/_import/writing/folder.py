# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what is taken over from another panel as a directory of files, as an export has it.

The first line of each file has a digest of what was written. A file that somebody has changed since
is never replaced, and neither is one of anything else, an export included. An export may replace
the files of an import, since the panel is what counts from then on.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ansible.parsing.vault import VaultLib

from ....module_utils._items.desired_items import get_item_reader
from ....module_utils._kinds.registry import KINDS
from ....module_utils._problems import Written, abbreviate
from ....module_utils._secrets.redaction import Secrets
from ....module_utils._values.nesting import find_values
from ..._folder.export_text import MARK, dump_content, make_items_readable
from ..._folder.file_changes import (
    FileChange,
    describe_changes,
    find_changes,
    read_own_texts,
    read_text,
    refuse_to_remove_most,
    write_changes,
)
from ..._folder.files import CLIENTS, REST, FolderError, list_files_in, make_file_name
from ..._folder.vaulted import fold_object_name, make_option_path
from ..._folder.yaml_file import Place, read_yaml
from ..mapped_source import Item, ItemsByKind, ResourcesByClient, Secret
from .vault_texts import VaultTexts

_FIRST_LINE = re.compile(
    rf"{re.escape(MARK)} hosting\.panel\.import wrote this; edit it and run hosting\.panel\.apply; "
    r"sha256 ([0-9a-f]{64})\r?\n---\r?\n"
)
_HEADER = (
    f"{MARK} hosting.panel.import wrote this; edit it and run hosting.panel.apply; sha256 {{}}\n"
    "---\n"
)
_PLANS = "plans"
_MOST_NAMED = 20
_NOT_OF_IMPORT = "this file is not from an import."
_OTHER_DIRECTORY = "Name another directory, or remove the files yourself."


@dataclass(frozen=True)
class ImportChoice:
    """What a task chooses.

    Attributes:
        is_partial: Whether the files of the clients among the objects are written alone.
        check_mode: Whether nothing is written.
        diff: Whether the result shows how the files change.
        name_of_clients: What messages call the option that names clients.
    """

    is_partial: bool = False
    check_mode: bool = False
    diff: bool = False
    name_of_clients: str = "clients"


@dataclass(frozen=True)
class PlannedFiles:
    """How the files of a directory change, before the first of them is written.

    Attributes:
        directory: Has the files.
        changes: The files that change.
        result: What the result of the task says of them.
    """

    directory: Path
    changes: list[FileChange]
    result: dict[str, Any] = field(repr=False)

    def write(self, check_mode: bool) -> None:
        """Write the files; in check mode, only find out whether that can be done.

        Raises:
            FolderError: A file cannot be written, or has changed since it was compared.
        """
        write_changes(self.directory, self.changes, check_mode, "import")


def plan_files(
    directory: Path, resources: ResourcesByClient, vault: VaultLib, choice: ImportChoice
) -> PlannedFiles:
    """Find out how the files of a directory change, and write nothing.

    Args:
        directory: The directory, which may be missing.
        resources: The objects, by client and kind.
        vault: Encrypts what is secret in them.
        choice: What the task chooses.

    Raises:
        FolderError: A file is in the way, was edited, or has another Vault secret.
    """
    if directory.is_dir():
        list_files_in(directory)
    own_names = _list_own_files(directory)
    items_by_file = _choose_items(directory, resources, choice)
    names = set(items_by_file) if choice.is_partial else {*items_by_file, *own_names, REST}
    before = read_own_texts(directory, names, items_by_file, _is_of_import, _NOT_OF_IMPORT)
    _refuse_edited(directory, before, choice)
    if not choice.is_partial:
        refuse_to_remove_most(directory, before, items_by_file, "import", _OTHER_DIRECTORY)

    texts = VaultTexts(directory, vault)
    replaced = [name for name in sorted(before) if before[name] is not None]
    texts.read_kept(replaced, sorted(own_names.difference(before)))
    after = _make_texts(items_by_file, texts)

    changes = find_changes(before, after)
    result = describe_changes(changes, len(before), _count_together(resources))
    if choice.diff:
        secrets = Secrets(_list_secrets(resources))
        result["diff"] = [_describe_diff(directory, change, secrets) for change in changes]
    return PlannedFiles(directory, changes, result)


def _count_together(resources: ResourcesByClient) -> ItemsByKind:
    """Return the items of all clients by kind, in the order of the kinds."""
    together: ItemsByKind = {}
    for kind in KINDS:
        for items in resources.values():
            together.setdefault(kind, []).extend(items.get(kind, ()))
    return together


# Which files an import may replace


def _list_own_files(directory: Path) -> set[str]:
    """Return the files that an import wrote, whoever changed them afterwards."""
    names = [f"{CLIENTS}/{path.name}" for path in (directory / CLIENTS).glob("*.yml")]
    own_names = set()
    for name in [*names, REST]:
        text = read_text(directory / name)
        if text is not None and _is_of_import(text):
            own_names.add(name)
    return own_names


def _is_of_import(text: str) -> bool:
    """Return whether an import wrote a file with this text, whoever changed it afterwards."""
    return _FIRST_LINE.match(text) is not None


def _is_edited(text: str) -> bool:
    """Return whether somebody has changed the text of an import."""
    first_line = _FIRST_LINE.match(text)
    if first_line is None:
        return True
    return first_line[1] != _compute_digest(text[first_line.end() :])


def _compute_digest(content: str) -> str:
    """Return the digest of a content, which is the same where a checkout changed the line ends."""
    return hashlib.sha256(content.replace("\r\n", "\n").encode()).hexdigest()


def _refuse_edited(directory: Path, before: Mapping[str, str | None], choice: ImportChoice) -> None:
    """Raise FolderError where somebody has changed a file that would be replaced or removed."""
    edited = []
    for name, text in sorted(before.items()):
        if text is not None and _is_edited(text):
            edited.append(str(directory / name))
    if edited:
        named = abbreviate(edited, _MOST_NAMED)
        verb = "this file was" if len(edited) == 1 else "these files were"
        pronoun = "it" if len(edited) == 1 else "them"
        raise FolderError(
            f"{verb} changed since an import wrote {pronoun}.",
            subject=named,
            written=Written.NO_FILE,
            advice=(
                "Move them away, import into another directory, or leave these clients out with "
                f"{choice.name_of_clients}."
            ),
        )


# What the files hold


def _choose_items(
    directory: Path, resources: ResourcesByClient, choice: ImportChoice
) -> dict[str, ItemsByKind]:
    """Return by name of a file the items in it.

    A partial import leaves the plans of other clients in their file, and the file alone where it
    has all plans that are needed.
    """
    items_by_file: dict[str, ItemsByKind] = {}
    for client, items_by_kind in resources.items():
        if client is not None:
            items_by_file[make_file_name(client)] = items_by_kind

    common_items = resources.get(None, {})
    if not choice.is_partial:
        items_by_file[REST] = common_items
        return items_by_file

    plans = common_items.get(_PLANS, [])
    existing = _read_plans(directory)
    if any(plan not in existing for plan in _make_readable(_PLANS, plans)):
        items_by_file[REST] = {_PLANS: _merge_plans(existing, plans)}
    return items_by_file


def _read_plans(directory: Path) -> list[Item]:
    """Return the plans of the file that has them; none where it cannot be read."""
    content = read_yaml(directory / REST, REST, VaultLib(), must_decrypt=False).content
    plans = content.get(_PLANS) if isinstance(content, dict) else None
    if not isinstance(plans, list):
        return []
    return [plan for plan in plans if isinstance(plan, dict)]


def _merge_plans(existing: Iterable[Item], plans: Iterable[Item]) -> list[Item]:
    """Return the plans of both, each name once; one of this import counts."""
    merged = {str(plan.get("name")): plan for plan in existing}
    merged.update({str(plan.get("name")): plan for plan in plans})
    return list(merged.values())


def _make_readable(plural: str, items: list[Item]) -> list[Item]:
    """Return the items of a kind with values as a person would write them."""
    return list(make_items_readable({plural: items}).get(plural, ()))


def _make_texts(items_by_file: Mapping[str, ItemsByKind], texts: VaultTexts) -> dict[str, str]:
    """Return the text of each file by its name.

    Nearly all of the time goes into encrypting, in a library that lets other threads run.
    """
    names = sorted(items_by_file)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        contents = pool.map(lambda name: _make_text(items_by_file[name], texts), names)
        return dict(zip(names, contents))


def _make_text(items_by_kind: ItemsByKind, texts: VaultTexts) -> str:
    """Return the text of a file, with what is secret in it encrypted."""
    content: ItemsByKind = {}
    for kind in KINDS:
        for item in _make_readable(kind, items_by_kind.get(kind, [])):
            content.setdefault(kind, []).append(_encrypt_secrets(kind, item, texts))
    body = dump_content(content)
    return _HEADER.format(_compute_digest(body)) + body


def _encrypt_secrets(plural: str, item: Item, texts: VaultTexts) -> Item:
    """Return an item with each of its secrets encrypted."""
    secrets = dict(find_secrets(plural, item))
    name = fold_object_name(plural, item)

    def encrypt(value: Any, path: Place) -> Any:
        if path in secrets:
            text = secrets[path].replace("\r\n", "\n")
            return texts.encrypt((name, make_option_path(item, path)), text)
        if isinstance(value, dict):
            return {field: encrypt(member, (*path, field)) for field, member in value.items()}
        if isinstance(value, list):
            return [encrypt(entry, (*path, index)) for index, entry in enumerate(value)]
        return value

    return {option: encrypt(value, (option,)) for option, value in item.items()}


def find_secrets(plural: str, item: Item) -> Iterator[tuple[Place, str]]:
    """Yield path and text of what is secret in an item: by its mark, or by its option.

    Args:
        plural: The plural of its kind.
        item: The item.
    """
    for path, secret in find_values(item, Secret):
        yield path, secret.text
    options = get_item_reader(plural).spec
    for path, text in find_values(item, str):
        if text and options.get(path[0], {}).get("no_log"):
            yield path, text


def _list_secrets(resources: ResourcesByClient) -> list[str]:
    """Return all secrets of the objects, in clear."""
    texts: list[str] = []
    for items_by_kind in resources.values():
        for kind, items in items_by_kind.items():
            for item in items:
                texts += [text for _path, text in find_secrets(kind, item)]
    return texts


def _describe_diff(directory: Path, change: FileChange, secrets: Secrets) -> dict[str, str]:
    """Return how a file changes, without what is secret in it."""
    path = str(directory / change.name)
    return {
        "before_header": path,
        "after_header": path,
        "before": secrets.mask(change.before or ""),
        "after": secrets.mask(change.after or ""),
    }

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a panel as files, one for each client: only what changed, and only over files of an export. Private to the collection."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from ansible.parsing.vault import VaultLib

from ...module_utils._kinds.registry import DNS
from ...module_utils._task.mistakes import first_of
from .._run.controller_files import ANY_NUMBER, VAULT_HEADER, check_folder, read_regular, reason_of, replace_file
from .export_text import readable, text_of_readable
from .folder import FolderError
from .kept_fields import KeptFields
from .yaml_file import EXPORT_MARK, YamlFile, read_yaml

Resources = Mapping[str, list[dict[str, Any]]]
CLIENTS, REST = "clients", "panel.yml"
_MOST_NAMED = 20
_NOTHING = "No file was written."
_DIFFERING = (
    "The panel has other values than these encrypted fields, which stay as they are: {}. hosting.panel.apply writes them to the panel; to take over "
    "the panel's value, encrypt it with ansible-vault encrypt_string."
)


def split(resources: Resources) -> dict[str, Resources]:
    """By file the items in it, in the order of ``resources``."""
    owners = {item["domain"]: item.get("client") for item in resources.get("domains", ())}
    files: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for kind, items in resources.items():
        for item in items:
            owner = owners.get(item["domain"]) if kind == DNS else item.get("username" if kind == CLIENTS else "client")
            files.setdefault(file_name(owner) if owner else REST, {}).setdefault(kind, []).append(item)
    return {**files}


def file_name(username: str) -> str:
    """A name that is safe in a directory whatever the username is."""
    name = quote(username, safe="")
    return f"{CLIENTS}/{'%2E' + name[1:] if name.startswith('.') else name}.yml"


class Change(NamedTuple):
    """after: None for a file that goes; before: None for a new one."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Export:
    """What an export does to a directory. unchanged: how many files stay."""

    directory: Path
    changes: tuple[Change, ...]
    unchanged: int
    kept: KeptFields

    def write(self) -> None:
        """Each file is always a whole one, the old or the new."""
        for done, change in enumerate(self.changes):
            path = self.directory / change.name
            with _explained(path, f"{done} of {len(self.changes)} files were written or removed. Run again."):
                if change.after is None:
                    path.unlink()
                else:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    replace_file(path, change.after.encode(), _mode_for(path), flush=False)

    def shown(self, diff: bool) -> dict[str, Any]:
        """As the result of a task has it."""
        result: dict[str, Any] = {
            "changed": bool(self.changes),
            "written": [change.name for change in self.changes if change.after is not None],
            "removed": [change.name for change in self.changes if change.after is None],
            "unchanged": self.unchanged,
        }
        if self.kept.differing:
            result["warnings"] = [_DIFFERING.format(first_of(self.kept.differing, _MOST_NAMED))]
        if diff:
            result["diff"] = [
                {
                    **dict.fromkeys(("before_header", "after_header"), str(self.directory / name)),
                    "before": before or "",
                    "after": after or "",
                }
                for name, before, after in self.changes
            ]
        masked: dict[str, Any] = self.kept.values.masked(result)
        return masked


def plan_export(
    directory: Path, resources: Resources, vault: VaultLib, clients: Collection[str] | None = None
) -> Export:
    """Compares the panel with the directory. clients: whose files alone are written. Raises FolderError."""
    wanted = {name: readable(items) for name, items in split(resources).items()}
    if clients is not None:
        names = {file_name(client) for client in clients}
        wanted = {name: items for name, items in wanted.items() if name in names}
    before = {name: _text(directory / name) for name in wanted}
    for name, text in before.items():
        _refuse_to_replace(directory / name, text)
    if clients is None:
        there = {name: _text(directory / name) for name in _files_there(directory) if name not in wanted}
        before.update((name, text) for name, text in there.items() if text is not None and text.startswith(EXPORT_MARK))
    kept = KeptFields(directory, frozenset(directory / name for name in before), vault)
    changes = []
    for name, text in sorted(before.items()):
        path, after = directory / name, None
        if name in wanted:
            items = wanted[name].items()
            after = text_of_readable(
                {kind: [kept.applied(path, kind, item) for item in found] for kind, found in items}
            )
        if after != text:
            if text is not None:
                _refuse_to_lose(read_yaml(path, name, vault, must_decrypt=False), after or "")
            with _explained(path):
                check_folder(path.absolute().parent, missing=ANY_NUMBER)
            changes.append(Change(name, text, after))
    return Export(directory, tuple(changes), len(before) - len(changes), kept)


def _mode_for(path: Path) -> int:
    """That of the file where there is one, else the one that a new file of this user gets."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _files_there(directory: Path) -> list[str]:
    """Where an export writes; other files in the directory are not looked at."""
    with _explained(directory):
        found = [directory / REST, *(directory / CLIENTS).glob("*.yml")]
        return [path.relative_to(directory).as_posix() for path in found if path.is_file() and not path.is_symlink()]


def _text(path: Path) -> str | None:
    with _explained(path):
        try:
            return read_regular(path).decode("utf-8", "replace")
        except FileNotFoundError:
            return None


def _refuse_to_replace(path: Path, text: str | None) -> None:
    problem = ""
    if path.is_symlink() or path.parent.is_symlink():
        problem = "is a link, or in a linked directory, and an export follows none. Remove it."
    elif text is not None and text.startswith(VAULT_HEADER.decode()):
        problem = "the whole file is encrypted, and an export would write it in plain text. Give it another name."
    elif text is not None and not text.startswith(EXPORT_MARK):
        problem = "this file is not from an export, so it is not replaced. Move it away."
    if problem:
        raise FolderError(f"{path}: {problem} {_NOTHING}")


def _refuse_to_lose(file: YamlFile, after: str) -> None:
    """What only this file has."""
    if file.content is None and file.mistakes:
        raise FolderError(f"{file.mistakes[0]} An export replaces this file. Correct or remove it. {_NOTHING}")
    lost = [file.place(where) for where, secret in file.secrets.items() if not _holds(after, secret.ciphertext)]
    if lost:
        raise FolderError(
            f"{first_of(lost, _MOST_NAMED)}: encrypted, and not of an object on the panel, so an export would remove it. Move it to another "
            f"file of the directory, or remove it. {_NOTHING}"
        )
    if plain := file.plain_secrets():
        raise FolderError(
            f"{first_of(plain, _MOST_NAMED)}: a secret in plain text, which an export would remove. Encrypt it with ansible-vault encrypt_string, or "
            f"move it to another file of the directory. {_NOTHING}"
        )


def _holds(text: str, ciphertext: str) -> bool:
    """Whether a file has this encrypted value, however it is indented."""
    return all(line.strip() in text for line in ciphertext.split())


@contextlib.contextmanager
def _explained(path: Path, so_far: str = _NOTHING) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FolderError(f"{path}: {reason_of(error)}. {so_far}") from None

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An export writes no member in clear that the folder keeps encrypted. Private to the collection.

What the export's own file has encrypted stays there as it is, or is encrypted anew where the panel has something else. What another file has
encrypted is left to that file, which no export touches.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.difference import has, value_at
from .._files.folder_files import yaml_files
from .._files.vault_text import Ciphertext, NotDecrypted
from .._jobs.vaulted import EVERYTHING, Marks, texts_in
from .._run.controller_files import read_regular, reason_of
from .encrypted_members import (
    OWNER,
    Decryption,
    EncryptedMember,
    Members,
    ObjectName,
    Unreadable,
    encrypted_members,
    may_hold_encrypted,
    united,
)
from .export_text import looks_like_template
from .same_member import MemberPath, is_same


class Kept(NamedTuple):
    """A member that a file keeps encrypted with another value than the panel has."""

    file: Path
    kind: str
    key: str
    client: str
    path: MemberPath
    place: str


class EncryptedFolder:
    """What the files of a folder keep encrypted, and what an export does about it.

    kept: what another file has encrypted otherwise than the panel has it. uncompared: the places of what this run cannot decrypt. unreadable: why
    it cannot be told what a file keeps encrypted; where there is such a file, everything is masked. marks: what to mask.
    """

    def __init__(self, folder: Path, own: Collection[Path], decryption: Decryption) -> None:
        """own: the files that exports write."""
        self.kept: list[Kept] = []
        self.uncompared: list[str] = []
        self.unreadable: list[str] = []
        self._decryption = decryption
        self._own: dict[Path, Members] = {}
        self._elsewhere: dict[ObjectName, dict[MemberPath, tuple[Path, EncryptedMember]]] = {}
        self._settled: set[str] = set()
        self._marks: list[Marks] = []
        for path in yaml_files(folder) if folder.is_dir() else ():
            self._read(folder, path, path in own)

    def _read(self, folder: Path, path: Path, is_own: bool) -> None:
        name = path.relative_to(folder).as_posix()
        try:
            if not may_hold_encrypted(read_regular(path)):
                return
            members, marks = encrypted_members(path, name, self._decryption)
        except OSError as error:
            self.unreadable.append(f"{name}: {reason_of(error)}.")
            return
        except Unreadable as error:
            self.unreadable.append(str(error))
            return
        self._marks.append(marks)
        if is_own:
            self._own[path] = members
            return
        for object_name, found in members.items():
            of_object = self._elsewhere.setdefault(object_name, {})
            for member, one in found.items():
                of_object.setdefault(member, (path, one))

    @property
    def marks(self) -> Marks:
        return EVERYTHING if self.unreadable else united(self._marks)

    def is_settled(self, encrypted: str) -> bool:
        """Whether the texts of the export hold it, or what the panel has in its place."""
        return encrypted in self._settled

    def without_clear(
        self, path: Path, client: str, items: Mapping[str, list[dict[str, Any]]]
    ) -> dict[str, list[dict[str, Any]]]:
        """The items of a file of the export as it is to be written. client: whose file it is."""
        own = self._own.get(path, {})
        if not own and not self._elsewhere:
            return dict(items)
        return {kind: [self._item(path, kind, client, item, own) for item in found] for kind, found in items.items()}

    def _item(self, own_file: Path, kind: str, client: str, item: dict[str, Any], own: Members) -> dict[str, Any]:
        key = KINDS[kind].key_of(item) or ""
        inside, elsewhere = own.get((kind, key.casefold()), {}), self._elsewhere.get((kind, key.casefold()), {})
        shown = {(OWNER,), *((name,) for name in KINDS[kind].named_by)}
        for path, (file, member) in elsewhere.items():
            if path in inside or path in shown or not has(item, path):
                continue
            if self._is_as_on_panel(kind, key, path, member, item) is False:
                self.kept.append(Kept(file, kind, key, client, path, member.place))
            item = without_member(item, path)
        for path, member in inside.items():
            value = member.value
            if next(_ciphertexts(value), None) is None:
                continue  # a part of the file that this one takes over has it encrypted, and it stands here in clear
            if has(item, path) and self._is_as_on_panel(kind, key, path, member, item) is False:
                new = value_at(item, path)
                is_one_text = isinstance(value, Ciphertext) and not isinstance(new, (str, int, float))
                if is_one_text or any(looks_like_template(text) for text in texts_in(new)):
                    # A list has no form as one text, and nothing says of an encrypted value that Ansible is not to evaluate it.
                    self.kept.append(Kept(own_file, kind, key, client, path, member.place))
                else:
                    value = self._encrypted_as(value, new)
            self._settled.update(map(str, _ciphertexts(member.value)))
            item = _with(item, path, value)
        return item

    def _is_as_on_panel(
        self, kind: str, key: str, path: MemberPath, member: EncryptedMember, item: Mapping[str, Any]
    ) -> bool | None:
        """None where nobody can tell."""
        try:
            return is_same(kind, key, path, self._decryption.plain(member.value), value_at(item, path))
        except NotDecrypted:
            self.uncompared.append(member.place)
            return None

    def _encrypted_as(self, old: Any, new: Any) -> Any:
        """A new value, encrypted where the old one is."""
        if not isinstance(old, list) or not isinstance(new, list):
            return self._decryption.encrypted(new, next(_ciphertexts(old)))
        known = {repr(self._decryption.plain(entry)): entry for entry in old}
        return [known[repr(entry)] if repr(entry) in known else self._entry_as(old, entry) for entry in new]

    def _entry_as(self, old: list[Any], new: Any) -> Any:
        sample = next(_ciphertexts(old))
        if not isinstance(new, Mapping):
            return self._decryption.encrypted(new, sample)
        hidden = {
            name for entry in old if isinstance(entry, Mapping) for name in entry if any(_ciphertexts(entry[name]))
        }
        return {
            name: self._decryption.encrypted(value, sample) if name in hidden else value for name, value in new.items()
        }


def _ciphertexts(value: Any) -> Iterator[Ciphertext]:
    return (text for text in texts_in(value) if isinstance(text, Ciphertext))


def without_member(item: Mapping[str, Any], path: MemberPath) -> dict[str, Any]:
    """The item without a member, and without a group of which nothing is left."""
    name, *rest = path
    inner = without_member(item[name], tuple(rest)) if rest else {}
    return {**item, name: inner} if inner else {one: value for one, value in item.items() if one != name}


def _with(item: Mapping[str, Any], path: MemberPath, value: Any) -> dict[str, Any]:
    name, *rest = path
    if not rest:
        return {**item, name: value}
    inner = item.get(name)
    return {**item, name: _with(inner if isinstance(inner, Mapping) else {}, tuple(rest), value)}

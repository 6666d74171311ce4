# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which members of which objects a file of the folder keeps encrypted. Nothing but names is decrypted for it. Private to the collection."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible.parsing.vault import VaultLib

from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.difference import value_at
from .._files.places import nearest
from .._files.vault_text import Ciphertext, NotDecrypted, decrypted
from .._files.yaml_text import YamlText, read_yaml
from .._jobs.vaulted import Marks, hold, marks_in
from .._run.controller_files import VAULT_HEADER
from .same_member import MemberPath

OWNER = "client"  # with what names it, it tells the file of an object, and so is shown
ObjectName = tuple[str, str]
"""Kind and key, in small letters."""


@dataclass(frozen=True)
class EncryptedMember:
    """place: for a person. value: of the file, in which what is encrypted on its own is a Ciphertext."""

    place: str
    value: Any


Members = Mapping[ObjectName, Mapping[MemberPath, EncryptedMember]]


class Unreadable(Exception):
    """What a file keeps encrypted cannot be told; the text says why."""


class Decryption:
    """What ciphertexts stand for, each decrypted once, and then known to the run as a secret."""

    def __init__(self, vault: VaultLib) -> None:
        self.vault = vault
        self._known: dict[str, str] = {}

    def plain(self, value: Any) -> Any:
        """The value with nothing encrypted in it; raises NotDecrypted."""
        if isinstance(value, Mapping):
            return {name: self.plain(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self.plain(entry) for entry in value]
        return self._text(value) if isinstance(value, Ciphertext) else value

    def encrypted(self, value: Any, like: Ciphertext) -> Ciphertext:
        """A value with the secret that another one, which this run can decrypt, was encrypted with."""
        text = str(value).lower() if isinstance(value, bool) else str(value)
        _text, label, secret = self.vault.decrypt_and_get_vault_id(like.encode())
        return Ciphertext(self.vault.encrypt(text.encode(), secret=secret, vault_id=label).decode())

    def _text(self, encrypted: Ciphertext) -> str:
        if encrypted not in self._known:
            try:
                text = decrypted(self.vault, encrypted.encode()).decode("utf-8")
            except UnicodeDecodeError:
                raise NotDecrypted("holds something else than a text.") from None
            hold(self.vault, [text])
            self._known[encrypted] = text
        return self._known[encrypted]


def may_hold_encrypted(content: bytes) -> bool:
    """Whether it is worth reading; few files of a folder are."""
    return content.startswith(VAULT_HEADER) or b"!vault" in content


def encrypted_members(path: Path, name: str, decryption: Decryption) -> tuple[Members, Marks]:
    """The encrypted members, groups one by one and lists as a whole, and where to mask them. name: of the file. Raises Unreadable."""
    # First with a vault that remembers nothing: a file of passwords names panels and objects, and they are no secrets.
    read = read_yaml(path, name, VaultLib(decryption.vault.secrets), decrypts_values=False)
    if read.content is None and read.mistakes:
        raise Unreadable(read.mistakes[0])
    if not any(_items(read.content)):
        return {}, {}
    read = read_yaml(path, name, decryption.vault, decrypts_values=False)
    members: dict[ObjectName, dict[MemberPath, EncryptedMember]] = {}
    marks: dict[str, dict[str | None, frozenset[MemberPath]]] = {}
    for kind, index, item in _items(read.content):
        try:
            named = {one: decryption.plain(item[one]) if one in KINDS[kind].named_by else item[one] for one in item}
        except NotDecrypted as error:
            raise Unreadable(f"{name}: {kind}[{index}]: what names it {error}") from None
        for key, paths in marks_in({kind: [named]}).get(kind, {}).items():
            of_kind = marks.setdefault(kind, {})
            of_kind[key] = of_kind.get(key, frozenset()) | paths
            of_object = members.setdefault((kind, key or ""), {})
            for member in sorted({_up_to_a_list(item, one) for one in paths}):
                place = _place(read, name, kind, index, key, member)
                of_object[member] = EncryptedMember(place, _with_plain_names(value_at(item, member)))
    return members, marks


def _items(content: Any) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    for kind, items in content.items() if isinstance(content, Mapping) else ():
        if kind in KINDS and isinstance(items, list):
            yield from ((kind, index, item) for index, item in enumerate(items) if isinstance(item, Mapping))


def _up_to_a_list(item: Any, path: MemberPath) -> MemberPath:
    for depth, name in enumerate(path):
        item = item.get(name)
        if not isinstance(item, Mapping):
            return path[: depth + 1]
    return path


def _place(read: YamlText, name: str, kind: str, index: int, key: str | None, member: MemberPath) -> str:
    found = nearest(read.places, (kind, index, *member), least=2)
    return f"{name}: {'' if found is None else f'{found}: '}{kind}[{index}] ({key}) {'.'.join(member)}"


def _with_plain_names(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _with_plain_names(member) for name, member in value.items()}
    return [_with_plain_names(entry) for entry in value] if isinstance(value, list) else value


def united(marks: Collection[Marks]) -> Marks:
    """The marks of several files as those of one."""
    whole: dict[str, dict[str | None, frozenset[MemberPath]]] = {}
    for one in marks:
        for kind, by_key in one.items():
            for key, paths in by_key.items():
                whole.setdefault(kind, {})[key] = whole.get(kind, {}).get(key, frozenset()) | paths
    return whole

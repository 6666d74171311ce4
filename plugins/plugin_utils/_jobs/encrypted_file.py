# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file on the controller that is encrypted with the Vault secrets of the running ansible-playbook. Private to the collection.

Nothing here ever shows what such a file holds.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import yaml
from ansible.errors import AnsibleError
from ansible.parsing.vault import AnsibleVaultFormatError, VaultLib, match_encrypt_secret

from .._run.controller_files import (
    VAULT_HEADER,
    check_place,
    flush_folder,
    locked_folder,
    read_regular,
    replace_file,
    try_to_write,
)
from .job_failed import explained

# The same in C, where PyYAML has it: a file may hold thousands of secrets.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
# Vault writes a byte as four digits, in lines of 80.
_DIGITS = 4 * 81 / 80
# Of which a file takes whole ones on the disk.
_BLOCK = 4096

Edit = Callable[[dict[str, Any]], dict[str, Any]]


class EncryptedFile:
    """One file. ``path`` is relative to the folder that ansible-playbook was started in.

    Of the kinds of such files each has its error, what such a file keeps, the list that it has in any case, and the comment it begins with.
    """

    error: type[Exception]
    keeps: str
    member: str
    comment: str
    # How many parts of the path of its folder, the last ones, may be missing.
    missing = 0

    def __init__(self, path: str, vault: VaultLib, new_file_vault_id: str | None = None) -> None:
        """vault: with the run's secrets; new_file_vault_id: the label of the secret for a new file, else the run's first one."""
        # A link stays a link, since what it leads to is replaced.
        self.path = os.path.realpath(os.path.expanduser(path))
        self.vault = vault
        self.new_file_vault_id = new_file_vault_id

    def check(self) -> None:
        """Raises the error of its kind if `change` could not work, as far as that can be told without writing."""
        self.check_place()
        _content, secret = self._read()
        self._encrypted("", secret or self._new_file_secret())

    def check_place(self) -> None:
        """The part of ``check`` that costs nothing, for many files at once: everything but encrypting and decrypting."""
        if not self.vault.secrets:
            raise self.error(
                f"{self.path}: this run has no Vault secret, so {self.keeps} could not be encrypted. Start ansible-playbook with "
                "--vault-password-file, --vault-id or --ask-vault-pass, or set ANSIBLE_VAULT_PASSWORD_FILE."
            )
        with explained(self.path, error=self.error):
            check_place(Path(self.path), self.missing, may_be_encrypted=True)
        self._encrypted_text()

    def content(self) -> dict[str, Any]:
        """The decrypted content: a dictionary with the list of its kind and whatever else is in the file."""
        return self._read()[0]

    def change(self, edit: Edit) -> bool:
        """Replaces the content by what ``edit`` makes of it, which must not change what it is given; whether it is another one.

        The file on disk is always a whole one: the old one or the new one.
        """
        with self._explained("cannot be written"), locked_folder(Path(self.path).parent):
            content, secret = self._read()
            changed = edit(content)
            if changed == content:
                return False
            self._replace(changed, secret or self._new_file_secret())
            return True

    def _encrypted_text(self) -> bytes | None:
        """What the file holds, None where there is none."""
        with self._explained("cannot be read"):
            try:
                encrypted = read_regular(self.path)
            except FileNotFoundError:
                return None
        if not encrypted.startswith(VAULT_HEADER):
            raise self.error(
                f"{self.path}: the file exists and is not encrypted with Ansible Vault; it is left as it is. Move it away, or encrypt it "
                "with ansible-vault encrypt."
            )
        return encrypted

    def _read(self) -> tuple[dict[str, Any], tuple[str, Any] | None]:
        """The decrypted content, and the label and secret that it was encrypted with; an empty content and None where there is no file."""
        encrypted = self._encrypted_text()
        if encrypted is None:
            return {self.member: []}, None
        try:
            text, vault_id, secret = self.vault.decrypt_and_get_vault_id(encrypted)
        except AnsibleVaultFormatError:
            raise self.error(
                f"{self.path}: the file is damaged, and no secret decrypts it; it is left as it is. Take it from a backup, or move it away."
            ) from None
        except AnsibleError:
            raise self.error(
                f"{self.path}: none of this run's Vault secrets decrypts the file; it is left as it is. Give the secret that it was "
                "encrypted with, or name another file."
            ) from None
        return self._parsed(text), (vault_id, secret)

    def _parsed(self, text: bytes) -> dict[str, Any]:
        try:
            content = yaml.load(text, _LOADER)
        except (yaml.YAMLError, ValueError, LookupError):
            content = None  # the error's text would show what stands around the place
        if not isinstance(content, dict) or not isinstance(content.get(self.member), list):
            raise self.error(
                f"{self.path}: the file holds something else than a list {self.member}; it is left as it is. Name another file."
            )
        return content

    def _new_file_secret(self) -> tuple[str, Any]:
        try:
            label_and_secret: tuple[str, Any] = match_encrypt_secret(self.vault.secrets, self.new_file_vault_id)
        except AnsibleError:
            raise self.error(
                f"{self.path}: this run has no Vault secret with the label {self.new_file_vault_id}, which vault_encrypt_identity names."
            ) from None
        return label_and_secret

    def _replace(self, content: dict[str, Any], label_and_secret: tuple[str, Any]) -> None:
        encrypted = self._encrypted(self._text(content), label_and_secret)
        with self._explained("cannot be written"):
            replace_file(Path(self.path), encrypted, 0o600)
        flush_folder(Path(self.path).parent)

    def _encrypted(self, text: str, label_and_secret: tuple[str, Any]) -> bytes:
        label, secret = label_and_secret
        try:
            encrypted: bytes = self.vault.encrypt(text.encode(), secret=secret, vault_id=label)
        except AnsibleError as error:
            raise self.error(f"{self.path}: Ansible Vault cannot encrypt: {error}") from None
        return encrypted

    def _explained(self, what: str) -> contextlib.AbstractContextManager[None]:
        return explained(f"{self.path}: {what}", error=self.error)

    def _text(self, content: dict[str, Any]) -> str:
        text: str = yaml.dump(content, Dumper=_DUMPER, allow_unicode=True, sort_keys=False)
        return self.comment + text


def check_room(edits: Iterable[tuple[EncryptedFile, Edit]]) -> None:
    """Raises the error of their kind if `change` could not work now, and once more after that, as on a disk that is full.

    In each folder it writes one file, for which there is room where there is for all of them, and removes it again: to encrypt thousands, and
    to wait for the disk with each, would take minutes.
    """
    folders: dict[str, list[tuple[EncryptedFile, int, int]]] = {}
    least = 0
    for file, edit in edits:
        content, secret = file._read()
        changed = edit(content)
        if changed != content:
            least = least or len(file._encrypted("", secret or file._new_file_secret()))
            size = _in_blocks(least + math.ceil(_DIGITS * len(file._text(changed).encode())))
            is_there = _in_blocks(os.path.getsize(file.path)) if secret else 0
            folders.setdefault(os.path.dirname(file.path), []).append((file, size, max(0, size - is_there)))
    for files in folders.values():
        first, others = files[0][0], len(files) - 1
        place = first.path + (f" and {others} more in its folder" if others else "")
        with explained(f"{place}: cannot be written", error=first.error):
            # The second time, a new file needs room beside the old one.
            try_to_write(
                Path(first.path),
                sum(growth for _file, _size, growth in files) + max(size for _file, size, _growth in files),
            )


def _in_blocks(size: int) -> int:
    return math.ceil(size / _BLOCK) * _BLOCK

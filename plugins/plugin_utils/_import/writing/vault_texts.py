# SPDX-License-Identifier: GPL-3.0-or-later
"""Encrypts values one by one, all with the one Vault secret that the directory has already.

A value that did not change keeps the ciphertext that its file has.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ansible.errors import AnsibleError
from ansible.parsing.vault import VaultLib

from ....module_utils._bulk.encrypted_values import FoldedName, OptionPath
from ....module_utils._problems import Written
from ....module_utils._values.nesting import find_values
from ..._folder.files import FolderError
from ..._folder.vaulted import list_encrypted_options
from ..._folder.yaml_file import Vaulted, YamlFile, read_yaml
from ..._run.vault_secret import EncryptionSecret, NoVaultSecret, choose_secret

_SALT_BYTES = 32
ValueName = tuple[FoldedName, OptionPath]
"""The object that has an encrypted value, and the path of its option."""


class _KeptValue(NamedTuple):
    """A value that an earlier import has encrypted."""

    path: Path
    ciphertext: str


def _make_other_secret_error(path: Path) -> FolderError:
    return FolderError(
        "the earlier import encrypted this file with another Vault password.",
        subject=str(path),
        written=Written.NO_FILE,
        advice="Run with that password, or import into another directory.",
    )


class VaultTexts:
    """Encrypts the values of one run of an import."""

    def __init__(self, directory: Path, vault: VaultLib) -> None:
        """Name the directory, and read nothing.

        Args:
            directory: The directory of the import.
            vault: Has the Vault passwords of the run.
        """
        self._directory = directory
        self._vault = vault
        self._secret: EncryptionSecret | None = None
        self._kept: dict[ValueName, list[_KeptValue]] = {}
        # Deriving a key takes milliseconds, and both hashes of a client are the same.
        self._encrypted: dict[tuple[FoldedName, str], Vaulted] = {}

    def read_kept(self, names: Iterable[str], unchanged_names: Iterable[str]) -> None:
        """Read what the files of an earlier import have encrypted.

        Args:
            names: The files that this run may replace, below the directory.
            unchanged_names: Those that it leaves alone, and that have the same secret.

        Raises:
            FolderError: A file was encrypted with another secret than this run has.
        """
        for name in unchanged_names:
            self._take_secret_of(name)
        for name in names:
            file = self._take_secret_of(name)
            for option in list_encrypted_options(file):
                value = _KeptValue(self._directory / name, option.value.ciphertext)
                self._kept.setdefault((option.object, option.path), []).append(value)

    def encrypt(self, name: ValueName, text: str) -> Vaulted:
        """Return a text encrypted, with the ciphertext that it has already where it has one.

        Args:
            name: Its object and option.
            text: The text in clear.

        Raises:
            FolderError: The run lacks the secret of the directory, or has none.
        """
        for kept in self._kept.get(name, ()):
            if self._decrypt(kept) == text:
                vaulted = Vaulted(text)
                vaulted.ciphertext = kept.ciphertext
                return vaulted
        owner, _option = name
        if (owner, text) not in self._encrypted:
            self._encrypted[owner, text] = self._encrypt_anew(text)
        return self._encrypted[owner, text]

    def _encrypt_anew(self, text: str) -> Vaulted:
        """Return a text encrypted with a key of its own.

        Two texts with one key would show each other, so that the setting VAULT_ENCRYPT_SALT does not
        count here.
        """
        label, secret = self._find_secret()
        vaulted = Vaulted(text)
        salt = os.urandom(_SALT_BYTES)
        encrypted: bytes = self._vault.encrypt(text, secret=secret, vault_id=label, salt=salt)
        vaulted.ciphertext = encrypted.decode()
        return vaulted

    def _decrypt(self, kept: _KeptValue) -> str:
        """Return what a value of an earlier import is.

        Raises:
            FolderError: It has another secret than the directory.
        """
        try:
            decrypted: bytes = VaultLib([self._secret]).decrypt(kept.ciphertext.encode())
        except AnsibleError:
            raise _make_other_secret_error(kept.path) from None
        return decrypted.decode("utf-8", "replace")

    def _take_secret_of(self, name: str) -> YamlFile:
        """Return a file without decrypting its values, and have the secret of the first of them.

        Raises:
            FolderError: It has another secret.
        """
        path = self._directory / name
        # Without a secret nothing is decrypted, which takes long.
        unread = read_yaml(path, name, VaultLib(), must_decrypt=False)
        ciphertexts = [value.ciphertext for _path, value in find_values(unread.content, Vaulted)]
        if ciphertexts:
            vault = self._vault if self._secret is None else VaultLib([self._secret])
            self._secret = self._find_secret_of(ciphertexts[0], path, vault)
        return unread

    def _find_secret_of(self, ciphertext: str, path: Path, vault: VaultLib) -> EncryptionSecret:
        """Return the secret that a ciphertext of a file was made with."""
        try:
            _text, label, secret = vault.decrypt_and_get_vault_id(ciphertext.encode())
        except AnsibleError:
            raise _make_other_secret_error(path) from None
        return EncryptionSecret(label, secret)

    def _find_secret(self) -> EncryptionSecret:
        """Return the secret to encrypt with: that of the directory, or the run's for a new one."""
        if self._secret is None:
            try:
                self._secret = choose_secret(self._vault)
            except NoVaultSecret as error:
                raise FolderError(
                    f"{error.problem}.", subject=str(self._directory), written=Written.NO_FILE
                ) from None
        return self._secret

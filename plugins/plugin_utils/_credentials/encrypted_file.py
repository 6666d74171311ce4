# SPDX-License-Identifier: GPL-3.0-or-later
"""A dictionary in one YAML file on the controller, encrypted with a Vault secret of the run.

Every encrypted file of the collection is one of these. No message shows what the file holds.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from ansible.errors import AnsibleError
from ansible.parsing.vault import AnsibleVaultFormatError, VaultLib

from ...module_utils._errors import PanelError
from ...module_utils._operation.locks import hold_lock
from ...module_utils._problems import Written
from .._run.controller_files import (
    VAULT_HEADER,
    check_folder,
    check_place,
    describe_reason,
    read_regular,
    replace_file,
    try_to_write,
)
from .._run.nested_text import TooDeep, TooLarge, load_yaml
from .._run.vault_secret import EncryptionSecret, NoVaultSecret, choose_secret

# In C, where PyYAML has it: a file may hold thousands of passwords.
_SAFE_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
# A task keeps its turn while it writes to the panel; many objects on a slow panel take their time.
_LONGEST_TURN = 3600.0
_NOT_ENCRYPTED = "the file is not encrypted with Ansible Vault. Encrypt it, or move it away"
_EMPTY = "the file is empty. Restore it from a backup, or move it away"
_DAMAGED = "the file is damaged. Restore it from a backup, or move it away"
_OTHER_PASSWORD = (
    "no Vault password of this run decrypts the file. Give the password that it was encrypted with"
)


class _Dumper(_SAFE_DUMPER):
    """Writes the types by which Ansible marks values as the plain ones that they stand for."""


for _type in (str, dict, list):
    _Dumper.add_multi_representer(_type, _SAFE_DUMPER.yaml_representers[_type])


class FileError(PanelError):
    """Says that an encrypted file cannot be used. The file stays as it was.

    It says that nothing was written. Who catches it after the panel was written takes that out.
    """


class EncryptedFile:
    """Reads and writes one encrypted file.

    Attributes:
        comment: The first line of its content.
        path: The real path, since a link stays a link.
    """

    comment = "# Kept by the Ansible collection hosting.panel.\n"

    def __init__(self, path: str, vault: VaultLib) -> None:
        """Name the file, and read nothing.

        Args:
            path: Relative to the directory in which ansible-playbook was started, and expanded.
            vault: Has the Vault passwords of the run.
        """
        self.path = os.path.realpath(path)
        self._vault = vault
        # The label and the secret that the file is encrypted with, and what it held when it was
        # read.
        self._own: EncryptionSecret | None = None
        self._seen: tuple[bytes, dict[str, Any]] = b"", {}

    def read(self) -> dict[str, Any]:
        """Return the decrypted content; empty if there is no file."""
        if not self._vault.secrets:
            self._choose_secret()
        with self.explain_error("cannot be read"):
            try:
                encrypted = read_regular(self.path)
            except FileNotFoundError:
                check_folder(Path(self.path).parent)
                self._own = None
                return {}
        if not encrypted:
            raise self._make_error(_EMPTY)
        if not encrypted.startswith(VAULT_HEADER):
            raise self._make_error(_NOT_ENCRYPTED)
        if encrypted != self._seen[0]:  # to decrypt thousands of files again would take seconds
            self._seen = encrypted, self._decrypt(encrypted)
        return self._seen[1]

    def check(self, content: Mapping[str, Any]) -> int:
        """Return the bytes that ``replace`` needs on the disk for this content.

        Raises FileError if it could not work.
        """
        self._find_secret()
        with self.explain_error("cannot be written"):
            check_place(Path(self.path))
        # Vault writes a byte as four digits, in lines of 80.
        return (4 * len(self._render_content(content)) + 1024) * 81 // 80

    def replace(self, content: Mapping[str, Any]) -> None:
        """Put the content into the file, which was read before.

        On the disk is always a whole file: the old one or the new one.
        """
        label, secret = self._find_secret()
        encrypted: bytes = self._vault.encrypt(
            self._render_content(content), secret=secret, vault_id=label
        )
        with self.explain_error("cannot be written"):
            replace_file(Path(self.path), encrypted, 0o600)

    def make_content_error(self, expected: str) -> FileError:
        """Return the error for a file that does not hold what it should."""
        return self._make_error(f"the file holds no {expected}. Choose another file")

    def _decrypt(self, encrypted: bytes) -> dict[str, Any]:
        """Return the content of a file, and note what it is encrypted with; raises FileError."""
        try:
            text, label, secret = self._vault.decrypt_and_get_vault_id(encrypted)
        except AnsibleVaultFormatError:
            raise self._make_error(_DAMAGED) from None
        except AnsibleError:
            raise self._make_error(_OTHER_PASSWORD) from None
        try:
            content = load_yaml(text)
        except (TooDeep, TooLarge) as error:
            raise self._make_error(str(error).rstrip(".")) from None
        except (yaml.YAMLError, ValueError):
            content = None  # the error's own text would show secrets
        if not isinstance(content, dict):
            raise self.make_content_error("dictionary")
        self._own = EncryptionSecret(label, secret)
        return content

    def _find_secret(self) -> EncryptionSecret:
        """Return the secret to encrypt with: that of the file, or the run's for a new one."""
        if self._own is not None:
            return self._own
        return self._choose_secret()

    def _choose_secret(self) -> EncryptionSecret:
        """Return the secret that the run encrypts new files with; raises FileError without one."""
        try:
            return choose_secret(self._vault)
        except NoVaultSecret as error:
            raise self._make_error(error.problem) from None

    def _render_content(self, content: Mapping[str, Any]) -> bytes:
        text = yaml.dump(dict(content), Dumper=_Dumper, allow_unicode=True, sort_keys=False)
        return f"{self.comment}{text}".encode()

    def _make_error(self, problem: str) -> FileError:
        return FileError(f"{self.path}: {problem}.", written=Written.NOTHING)

    @contextlib.contextmanager
    def explain_error(self, failure: str) -> Iterator[None]:
        """Make a FileError of an OSError. failure: what cannot be done with the file."""
        try:
            yield
        except OSError as cause:
            raise self._make_error(f"{failure}: {describe_reason(cause)}") from None


def check_files(contents: Iterable[tuple[EncryptedFile, Mapping[str, Any]]]) -> None:
    """Raise FileError if these contents could not be written now; leaves nothing behind.

    In each directory one file of their whole size is tried: to encrypt thousands of them would take
    minutes.
    """
    sizes: dict[Path, int] = {}
    by_folder: dict[Path, EncryptedFile] = {}
    for file, content in contents:
        folder = Path(file.path).parent
        sizes[folder] = sizes.get(folder, 0) + file.check(content)
        by_folder[folder] = file
    for folder, file in by_folder.items():
        with file.explain_error("cannot be written"):
            try_to_write(Path(file.path), sizes[folder])


@contextlib.contextmanager
def lock_files(files: Iterable[EncryptedFile]) -> Iterator[None]:
    """Let only one task of this user be inside with any of these files.

    Files share locks, which are taken in one order.
    """
    # Not a lock for each file: a lock is an open file, a task may have a file for each of thousands
    # of clients, and a process may open 1,024 files by default, so the 1,020th lock fails. With 256
    # locks, two tasks with a file each share one in 1 of 256 cases, and of ten such tasks at once
    # any two do in 1 of 6. Then one of them waits until the panel has answered the other.
    names = sorted({hashlib.sha256(file.path.encode()).hexdigest()[:2] for file in files})
    with contextlib.ExitStack() as stack:
        for name in names:
            stack.enter_context(
                hold_lock(f"encrypted files {name}", "an encrypted file", _LONGEST_TURN)
            )
        yield

# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the answers of another panel as encrypted files, which an import reads without the panel.

Each file is named after its function, and encrypted as a whole with the run's Vault password. A
file with the same answer stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleError
from ansible.parsing.vault import VaultLib

from ...module_utils._errors import OptionError
from ...module_utils._problems import Written, abbreviate
from .._import_source.source_answers import ANSWER_ENDING
from .._run.controller_files import (
    ANY_NUMBER,
    VAULT_HEADER,
    check_folder,
    check_place,
    describe_reason,
    read_regular,
    replace_file,
)
from .._run.vault_secret import EncryptionSecret, NoVaultSecret, choose_secret

_OPTION = "source_dump_dir"
_MODE_OF_FILES = 0o600
_MODE_OF_DIRECTORY = 0o700
_MOST_NAMED = 5
_NOT_ENCRYPTED = (
    "{}: that file is not encrypted, so no import kept it there. Name another directory."
)
_OTHER_PASSWORD = "{}: no Vault password of this run decrypts that file. Name another directory."
_STALE = "{} has files that this panel did not answer: {}. Move them away, or name another one."


@dataclass(frozen=True)
class KeptDirectory:
    """The directory for the answers of a run.

    Attributes:
        path: The directory, which may be missing.
        vault: Has the Vault passwords of the run.
    """

    path: Path
    vault: VaultLib = field(repr=False)

    def check(self) -> None:
        """Check that answers can be kept there, before a panel is asked.

        Raises:
            OptionError: They cannot.
        """
        self._find_secret()
        try:
            check_folder(self.path, ANY_NUMBER)
            for path in self._list_files():
                check_place(path)
                if not read_regular(path).startswith(VAULT_HEADER):
                    raise _make_error(_NOT_ENCRYPTED.format(path))
        except OSError as error:
            raise _make_error(f"{self.path}: {describe_reason(error)}.") from None

    def plan(self, bodies: Mapping[str, Any]) -> PlannedAnswers:
        """Return which files change.

        Args:
            bodies: The answers by function.

        Raises:
            OptionError: Files of other answers are there.
        """
        files = {f"{function}{ANSWER_ENDING}": _dump(body) for function, body in bodies.items()}
        kept_names = [path.name for path in self._list_files()]
        stale_names = [name for name in kept_names if name not in files]
        if stale_names:
            raise _make_error(_STALE.format(self.path, abbreviate(stale_names, _MOST_NAMED)))
        changed_files = {
            name: content
            for name, content in files.items()
            if name not in kept_names or self._decrypt(self.path / name) != content
        }
        return PlannedAnswers(self, changed_files)

    def write(self, files: Mapping[str, bytes]) -> None:
        """Encrypt and write files; raises OSError. files: the content of each by its name."""
        label, secret = self._find_secret()
        self.path.mkdir(mode=_MODE_OF_DIRECTORY, parents=True, exist_ok=True)
        for name, content in files.items():
            encrypted: bytes = self.vault.encrypt(content, secret=secret, vault_id=label)
            replace_file(self.path / name, encrypted, _MODE_OF_FILES, flush=False)

    def _list_files(self) -> list[Path]:
        """Return the files of answers that are there."""
        if not self.path.is_dir():
            return []
        return sorted(path for path in self.path.iterdir() if path.name.endswith(ANSWER_ENDING))

    def _decrypt(self, path: Path) -> bytes:
        """Return what a file holds; raises OptionError."""
        try:
            return bytes(self.vault.decrypt(read_regular(path)))
        except OSError as error:
            raise _make_error(f"{path}: {describe_reason(error)}.") from None
        except AnsibleError:
            raise _make_error(_OTHER_PASSWORD.format(path)) from None

    def _find_secret(self) -> EncryptionSecret:
        """Return the secret to encrypt with; raises OptionError."""
        try:
            return choose_secret(self.vault)
        except NoVaultSecret as error:
            raise _make_error(f"{error.problem}.") from None


@dataclass(frozen=True)
class PlannedAnswers:
    """The files of answers that change.

    Attributes:
        directory: Has the files.
        files: The new content by the name of the file, in clear.
    """

    directory: KeptDirectory
    files: Mapping[str, bytes] = field(repr=False)

    def write(self) -> None:
        """Write the files, if there are any; raises OSError."""
        if self.files:
            self.directory.write(self.files)


def _dump(body: Any) -> bytes:
    """Return an answer as a file has it before it is encrypted."""
    return json.dumps(body).encode()


def _make_error(problem: str) -> OptionError:
    return OptionError(problem, option=_OPTION, written=Written.NOTHING)

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A file of generated passwords on the controller, encrypted with Ansible Vault. Private to the collection.

The file is encrypted and decrypted with the Vault secrets of the running ansible-playbook. Nothing here ever shows a password.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ansible import constants
from ansible.parsing.vault import VaultLib

from ...module_utils._errors import PanelError
from ...module_utils._task.locks import exclusive
from ...module_utils._task.mistakes import without_ending
from ...module_utils._values.names import address_in_letters
from .._jobs.encrypted_file import EncryptedFile
from .._jobs.job import Job
from .._run.panel_name import name_now

LIST = "generated_passwords"
KEY_IN_LETTERS = "key_utf8"
# A task holds the lock for as long as it writes to the panel; many objects on a slow one take their time.
_LONGEST_TURN = 3600.0


class CredentialsError(Exception):
    """The file cannot be used; the message says why and what to do, in one or two sentences, without a secret."""


@dataclass(frozen=True)
class Credential:
    """A password of an object. kind: the plural, emails for example; key: the natural key; panel: the host in api_url.

    rotation: what the operator calls the rotation that made it; empty for a password that came with its object.
    """

    panel: str
    kind: str
    key: str
    password: str = field(repr=False)
    rotation: str = ""

    def entry(self) -> dict[str, str]:
        """The entry for the file; without a time, so that the same passwords make the same text."""
        entry = _found_by_letters({"panel": self.panel, "kind": self.kind, "key": self.key, "password": self.password})
        if self.rotation:
            entry["rotation"] = self.rotation
        # Ansible marks texts with where they come from, and YAML cannot write marked ones.
        plain: dict[str, str] = json.loads(json.dumps(entry))
        return plain


def object_of(entry: Any) -> tuple[str, ...]:
    """What an entry of the file is about."""
    names = ("panel", "kind", "key")
    return tuple(str(entry.get(name)) for name in names) if isinstance(entry, dict) else (str(entry),)


def _found_by_letters(entry: dict[str, str]) -> dict[str, str]:
    """With an address outside ASCII as people write it too, so that whoever looks for it finds it by either spelling."""
    letters = address_in_letters(entry["key"]) if "@" in entry["key"] else entry["key"]
    return entry if letters == entry["key"] else {**entry, KEY_IN_LETTERS: letters}


def _named_as_now(entry: Any) -> Any:
    if not isinstance(entry, dict) or not isinstance(entry.get("panel"), str):
        return entry
    named = {**entry, "panel": name_now(entry["panel"])}
    return _found_by_letters(named) if isinstance(entry.get("key"), str) else named


class CredentialsFile(EncryptedFile):
    """One file of passwords."""

    error = CredentialsError
    keeps = "passwords"
    member = LIST
    comment = "# Generated passwords, kept by the Ansible collection hosting.panel, which adds to this file.\n"

    def kept(self) -> set[tuple[str, ...]]:
        """(panel, kind, key) of every password in force in the file."""
        content, _secret = self._read()
        return {object_of(entry) for entry in content[LIST]}

    def _parsed(self, text: bytes) -> dict[str, Any]:
        return {
            name: [_named_as_now(entry) for entry in value] if isinstance(value, list) else value
            for name, value in super()._parsed(text).items()
        }


def file_of_task(job: Job) -> CredentialsFile | None:
    """The file in the task's option credentials_file; None where it names none."""
    path = job.arguments["credentials_file"]
    return credentials_file(path, job.vault) if path else None


def credentials_file(path: str, vault: VaultLib) -> CredentialsFile:
    """The file at ``path``; a new one gets the secret that Ansible's own settings name."""
    return CredentialsFile(path, vault, constants.config.get_config_value("DEFAULT_VAULT_ENCRYPT_IDENTITY"))


@contextlib.contextmanager
def turn_at(paths: Iterable[str]) -> Iterator[None]:
    """Only one task of this user is inside with any of these files. Raises CredentialsError, before anything was done.

    Files share 256 locks, so that a task with thousands of files does not run out of open ones; two that share one only wait longer.
    """
    names = sorted({hashlib.sha256(os.path.realpath(path).encode()).hexdigest()[:2] for path in paths})
    with contextlib.ExitStack() as stack:
        try:
            # In one order, so that no two tasks wait for each other.
            for name in names:
                stack.enter_context(exclusive(f"passwords {name}", "a file of passwords", _LONGEST_TURN))
        except PanelError as error:
            raise CredentialsError(without_ending(error.message)) from None
        yield

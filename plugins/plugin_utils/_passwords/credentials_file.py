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
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from ansible import constants
from ansible.errors import AnsibleError
from ansible.parsing.vault import VaultLib, match_encrypt_secret

from ...module_utils._errors import PanelError
from ...module_utils._task.locks import exclusive
from ...module_utils._task.mistakes import without_ending
from .._files.vault_text import VAULT_HEADER
from .._jobs.controller_files import check_place, flush_folder, locked_folder, read_regular, replace_file, try_to_write
from .._jobs.job import Job
from .._jobs.job_failed import explained
from .._module_run.panel_name import name_now

LIST = "generated_passwords"
# The same in C, where PyYAML has it: a file may hold thousands of passwords.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_COMMENT = "# Generated passwords, kept by the Ansible collection hosting.panel, which adds to this file.\n"
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
        entry = {"panel": self.panel, "kind": self.kind, "key": self.key, "password": self.password}
        if self.rotation:
            entry["rotation"] = self.rotation
        # Ansible marks texts with where they come from, and YAML cannot write marked ones.
        plain: dict[str, str] = json.loads(json.dumps(entry))
        return plain


def object_of(entry: Any) -> tuple[str, ...]:
    """What an entry of the file is about."""
    names = ("panel", "kind", "key")
    return tuple(str(entry.get(name)) for name in names) if isinstance(entry, dict) else (str(entry),)


def _named_as_now(entry: Any) -> Any:
    if not isinstance(entry, dict) or not isinstance(entry.get("panel"), str):
        return entry
    return {**entry, "panel": name_now(entry["panel"])}


class CredentialsFile:
    """One file. ``path`` is relative to the folder that ansible-playbook was started in."""

    def __init__(self, path: str, vault: VaultLib, new_file_vault_id: str | None = None) -> None:
        """vault: with the run's secrets; new_file_vault_id: the label of the secret for a new file, else the run's first one."""
        # A link stays a link, since what it leads to is replaced.
        self.path = os.path.realpath(os.path.expanduser(path))
        self.vault = vault
        self.new_file_vault_id = new_file_vault_id

    def check(self) -> None:
        """Raises CredentialsError if `change` could not work, as far as that can be told without writing."""
        self.check_place()
        _content, secret = self._read()
        self._encrypted("", secret or self._new_file_secret())

    def check_room(self, edit: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Raises CredentialsError if `change` could not work now, and once more after that, as on a disk that is full.

        It writes a file of that size and removes it again.
        """
        content, secret = self._read()
        changed = edit(content)
        if changed != content:
            encrypted = self._encrypted(_text(changed), secret or self._new_file_secret())
            # The second time, this file is the old one, beside which a new one needs room.
            growth = max(0, len(encrypted) - len(self._encrypted_text() or b""))
            with self._explained("cannot be written"):
                try_to_write(Path(self.path), encrypted + bytes(growth))

    def check_place(self) -> None:
        """The part of ``check`` that costs nothing, for many files at once: everything but encrypting and decrypting."""
        if not self.vault.secrets:
            raise CredentialsError(
                f"{self.path}: this run has no Vault secret, so passwords could not be encrypted. Start ansible-playbook with "
                "--vault-password-file, --vault-id or --ask-vault-pass, or set ANSIBLE_VAULT_PASSWORD_FILE."
            )
        with explained(self.path, error=CredentialsError):
            check_place(Path(self.path))
        self._encrypted_text()

    def kept(self) -> set[tuple[str, ...]]:
        """(panel, kind, key) of every password in force in the file."""
        content, _secret = self._read()
        return {object_of(entry) for entry in content[LIST]}

    def content(self) -> dict[str, Any]:
        """The decrypted content: a dictionary with the list of passwords and whatever else is in the file."""
        return self._read()[0]

    def change(self, edit: Callable[[dict[str, Any]], dict[str, Any]]) -> bool:
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
            raise CredentialsError(
                f"{self.path}: the file exists and is not encrypted with Ansible Vault; it is left as it is. Move it away, or encrypt it "
                "with ansible-vault encrypt."
            )
        return encrypted

    def _read(self) -> tuple[dict[str, Any], tuple[str, Any] | None]:
        """The decrypted content, and the label and secret that it was encrypted with; an empty content and None where there is no file."""
        encrypted = self._encrypted_text()
        if encrypted is None:
            return {LIST: []}, None
        try:
            text, vault_id, secret = self.vault.decrypt_and_get_vault_id(encrypted)
        except AnsibleError:
            raise CredentialsError(
                f"{self.path}: none of this run's Vault secrets decrypts the file; it is left as it is. Give the secret that it was "
                "encrypted with, or name another file."
            ) from None
        return self._parsed(text), (vault_id, secret)

    def _parsed(self, text: bytes) -> dict[str, Any]:
        try:
            content = yaml.load(text, _LOADER)
        except (yaml.YAMLError, ValueError, LookupError):
            content = None  # the error's text would show what stands around the place
        if not isinstance(content, dict) or not isinstance(content.get(LIST), list):
            raise CredentialsError(
                f"{self.path}: the file holds something else than a list {LIST}; it is left as it is. Name another file."
            )
        return {
            name: [_named_as_now(entry) for entry in value] if isinstance(value, list) else value
            for name, value in content.items()
        }

    def _new_file_secret(self) -> tuple[str, Any]:
        try:
            label_and_secret: tuple[str, Any] = match_encrypt_secret(self.vault.secrets, self.new_file_vault_id)
        except AnsibleError:
            raise CredentialsError(
                f"{self.path}: this run has no Vault secret with the label {self.new_file_vault_id}, which vault_encrypt_identity names."
            ) from None
        return label_and_secret

    def _replace(self, content: dict[str, Any], label_and_secret: tuple[str, Any]) -> None:
        encrypted = self._encrypted(_text(content), label_and_secret)
        with self._explained("cannot be written"):
            replace_file(Path(self.path), encrypted, 0o600)
        flush_folder(Path(self.path).parent)

    def _encrypted(self, text: str, label_and_secret: tuple[str, Any]) -> bytes:
        label, secret = label_and_secret
        try:
            encrypted: bytes = self.vault.encrypt(text.encode(), secret=secret, vault_id=label)
        except AnsibleError as error:
            raise CredentialsError(f"{self.path}: Ansible Vault cannot encrypt: {error}") from None
        return encrypted

    def _explained(self, what: str) -> contextlib.AbstractContextManager[None]:
        return explained(f"{self.path}: {what}", error=CredentialsError)


def _text(content: dict[str, Any]) -> str:
    text: str = yaml.dump(content, Dumper=_DUMPER, allow_unicode=True, sort_keys=False)
    return _COMMENT + text


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

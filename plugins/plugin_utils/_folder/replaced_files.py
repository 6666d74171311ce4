# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person may have written into the files that an export replaces or removes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ansible.parsing.vault import VaultLib

from ...module_utils._bulk.encrypted_values import FoldedName
from .plain_secrets import PlainSecret, displayed_text, plain_secrets, secrets_of
from .vaulted import items_in, object_name
from .yaml_file import read_yaml


class ReplacedFiles:
    """Reads files of an export that get another text, or go, as a person may have changed them.

    Attributes:
        taken_out: Places of their secrets in plain text, which the panel does not show.
        unreadable: The files that are no valid YAML, each with its mistake.
    """

    def __init__(self, directory: Path, texts: Mapping[str, str], vault: VaultLib) -> None:
        """Read the files.

        Args:
            directory: Has the files.
            texts: By name the text of each file.
            vault: Decrypts their values.
        """
        self.taken_out: list[str] = []
        self.unreadable: list[str] = []
        self._directory = directory
        self._texts = texts
        self._files = {}
        secrets: list[PlainSecret] = []
        for name in texts:
            file = read_yaml(directory / name, name, vault, must_decrypt=False)
            self._files[name] = file
            self.unreadable += file.mistakes[:1]
            for secret in plain_secrets(file):
                secrets.append(secret)
                self.taken_out.append(f"{file.place(secret.where)}: {secret.label}")
        self._secrets = secrets_of(secrets)

    def objects(self, name: str) -> set[FoldedName]:
        """Return the names of the objects in a file."""
        return {object_name(kind, item) for kind, item in items_in(self._files[name])}

    def diff(self, name: str, after: str) -> dict[str, str]:
        """Return how a file changes, without what is secret in it."""
        before = ""
        if name in self._texts:
            before = displayed_text(self._files[name], self._texts[name], self._secrets)
        path = str(self._directory / name)
        return {
            "before_header": path,
            "after_header": path,
            "before": before,
            "after": self._secrets.mask(after),
        }

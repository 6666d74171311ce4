# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person may have written into the files that an export replaces or removes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ansible.parsing.vault import VaultLib

from ...module_utils._bulk.encrypted_values import FoldedName
from ...module_utils._problems import Problem
from ...module_utils._secrets.redaction import Secrets
from .plain_secrets import PlainSecret, display_file, find_plain_secrets, make_secrets
from .vaulted import fold_object_name, list_items_in
from .yaml_file import YamlFile, read_yaml


@dataclass(frozen=True)
class ReplacedFiles:
    """Holds files of an export that get another text, or go, as a person may have changed them.

    Attributes:
        directory: Has the files.
        texts: By name the text of each file.
        files: The same, read.
        secrets: What is secret in them, in plain text.
        taken_out: Places of these secrets, which the panel does not show.
        unreadable: The files that are no valid YAML, each with its mistake.
    """

    directory: Path
    texts: Mapping[str, str]
    files: Mapping[str, YamlFile]
    secrets: Secrets
    taken_out: Sequence[str]
    unreadable: Sequence[Problem]

    def list_objects(self, name: str) -> set[FoldedName]:
        """Return the names of the objects in a file."""
        return {fold_object_name(kind, item) for kind, item in list_items_in(self.files[name])}

    def build_diff(self, name: str, after: str) -> dict[str, str]:
        """Return how a file changes, without what is secret in it."""
        before = ""
        if name in self.texts:
            before = display_file(self.files[name], self.texts[name], self.secrets)
        path = str(self.directory / name)
        return {
            "before_header": path,
            "after_header": path,
            "before": before,
            "after": self.secrets.mask(after),
        }


def read_replaced_files(
    directory: Path, texts: Mapping[str, str], vault: VaultLib
) -> ReplacedFiles:
    """Read files that an export replaces or removes.

    Args:
        directory: Has the files.
        texts: By name the text of each file.
        vault: Decrypts their values.
    """
    files = {}
    secrets: list[PlainSecret] = []
    labels: list[str] = []
    unreadable: list[Problem] = []
    for name in texts:
        file = read_yaml(directory / name, name, vault, must_decrypt=False)
        files[name] = file
        unreadable += file.mistakes[:1]
        for secret in find_plain_secrets(file):
            secrets.append(secret)
            labels.append(f"{file.locate(secret.where)}: {secret.label}")

    all_secrets = make_secrets(secrets)
    # A name may be a secret too.
    taken_out = [all_secrets.mask(label) for label in labels]
    return ReplacedFiles(directory, texts, files, all_secrets, taken_out, unreadable)

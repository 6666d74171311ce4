# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves the passwords in a result of panel_resources to encrypted files. Private to the collection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.hosting.panel.plugins.plugin_utils._credentials import (
    Credential,
    CredentialsError,
    CredentialsFile,
)


def keep_generated(result: dict[str, Any], panel: str, file_of: Callable[[str, str], CredentialsFile]) -> None:
    """Takes ``generated_passwords`` out of a result and writes each into the file for its kind and key.

    Where that fails, the result says for which objects nobody knows the password.
    """
    by_path: dict[str, tuple[CredentialsFile, list[Credential]]] = {}
    for entry in result.pop("generated_passwords", ()):
        file = file_of(entry["kind"], entry["key"])
        credential = Credential(panel=panel, kind=entry["kind"], key=entry["key"], password=entry["password"])
        by_path.setdefault(file.path, (file, []))[1].append(credential)
    kept = [_kept(file, credentials) for file, credentials in by_path.values()]
    lost = [message for message in kept if message]
    if lost:
        result["msg"] = " ".join([*lost, result["msg"]] if result.get("failed") else lost)
        result["failed"] = True


def _kept(file: CredentialsFile, credentials: list[Credential]) -> str:
    """Writes the passwords into the file; what to say if that fails."""
    try:
        file.keep_all(credentials)
    except CredentialsError as error:
        named = ", ".join(f"{one.kind} {one.key}" for one in credentials)
        return (
            f"The panel generated passwords that could not be kept: {error} Nobody knows those of {named}. Correct the cause, then run "
            "once with regenerate_password: true for these objects."
        )
    return ""

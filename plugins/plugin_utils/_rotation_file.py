# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file of passwords says about rotations: passwords that are in force, and those that are about to be. Pure. Private to the collection.

A new password is in ``pending_passwords``, with the rotation that it is for, until the panel has accepted it. Then it takes the place of
the old one in ``generated_passwords`` and keeps the name of the rotation, so that the same rotation does not happen twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ansible_collections.hosting.panel.plugins.plugin_utils._credentials import (
    LIST,
    Credential,
    object_of,
    with_credentials,
)

PENDING = "pending_passwords"
ROTATION = "rotation"

Name = tuple[str, str]  # (plural kind, natural key)


def rotated(content: Mapping[str, Any], panel: str, rotation: str) -> set[Name]:
    """The objects of a panel whose password in force is of this rotation."""
    return {_name(entry) for entry in _of_panel(content.get(LIST), panel) if str(entry.get(ROTATION, "")) == rotation}


def pending(content: Mapping[str, Any], panel: str, rotation: str) -> dict[Name, str]:
    """The passwords of this rotation that the panel may or may not have, by object."""
    entries = _of_panel(content.get(PENDING), panel)
    return {_name(entry): str(entry.get("password")) for entry in entries if str(entry.get(ROTATION, "")) == rotation}


def begun(content: Mapping[str, Any], rotation: str, credentials: Iterable[Credential]) -> dict[str, Any]:
    """The content with these passwords pending; those that are pending already, or in force, stay as they are."""
    entries = list(content.get(PENDING) or [])
    known = {
        (_name(entry), entry.get("panel"), str(entry.get(ROTATION, "")))
        for entry in [*entries, *content[LIST]]
        if isinstance(entry, dict)
    }
    entries += [
        {**credential.entry(), ROTATION: rotation}
        for credential in credentials
        if ((credential.kind, credential.key), credential.panel, rotation) not in known
    ]
    return {**content, PENDING: entries} if entries else dict(content)


def finished(content: Mapping[str, Any], rotation: str, credentials: Collection[Credential]) -> dict[str, Any]:
    """The content after the panel has accepted these passwords: they are in force, and no other of these objects is pending."""
    done = {(credential.panel, credential.kind, credential.key) for credential in credentials}
    in_force = [
        {**entry, ROTATION: rotation} if object_of(entry) in done else entry
        for entry in with_credentials(content[LIST], credentials)
    ]
    return _without(done, {**content, LIST: in_force})


def forgotten(content: Mapping[str, Any], panel: str, names: Iterable[Name]) -> dict[str, Any]:
    """The content without pending passwords of these objects, which are not on the panel any more."""
    return _without({(panel, *name) for name in names}, content)


def _without(identities: Collection[tuple[Any, ...]], content: Mapping[str, Any]) -> dict[str, Any]:
    entries = [entry for entry in content.get(PENDING) or [] if object_of(entry) not in identities]
    others = {name: value for name, value in content.items() if name != PENDING}
    return {**others, PENDING: entries} if entries else others


def _name(entry: Mapping[str, Any]) -> Name:
    return (str(entry.get("kind")), str(entry.get("key")))


def _of_panel(entries: Any, panel: str) -> list[dict[str, Any]]:
    return [entry for entry in entries or [] if isinstance(entry, dict) and entry.get("panel") == panel]

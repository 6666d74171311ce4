# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file of passwords says: passwords that are in force, and those that may be. Pure. Private to the collection.

A new password is in ``pending_passwords`` from before the panel gets it until it is known that the panel has it. Then it takes the place of
the old one in ``generated_passwords``. One of a rotation has its name in both, so that the same rotation does not happen twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from .credentials_file import LIST, Credential, object_of

PENDING = "pending_passwords"
ROTATION = "rotation"

Name = tuple[str, str]  # (plural kind, natural key)


def rotated(content: Mapping[str, Any], panel: str, rotation: str) -> set[Name]:
    """The objects of a panel whose password in force is of this rotation."""
    return {_name(entry) for entry in _of_panel(content.get(LIST), panel) if _rotation(entry) == rotation}


def pending(content: Mapping[str, Any], panel: str | None, rotation: str = "") -> dict[Name, str]:
    """The passwords that a panel may or may not have, by object. panel: None for every panel; rotation: empty for those that came with objects."""
    entries = _of_panel(content.get(PENDING), panel)
    return {_name(entry): str(entry.get("password")) for entry in entries if _rotation(entry) == rotation}


def begun(content: Mapping[str, Any], credentials: Iterable[Credential]) -> dict[str, Any]:
    """The content with these passwords pending; those that are pending already, or in force by their rotation, stay as they are."""
    entries = list(content.get(PENDING) or [])
    known = {_purpose(entry) for entry in entries if isinstance(entry, dict)}
    known |= {_purpose(entry) for entry in content[LIST] if isinstance(entry, dict) and _rotation(entry)}
    entries += [one.entry() for one in credentials if (one.panel, one.kind, one.key, one.rotation) not in known]
    return _with_pending(content, entries)


def in_force(content: Mapping[str, Any], credentials: Collection[Credential]) -> dict[str, Any]:
    """The content after the panel has accepted these passwords: they replace older ones, and no other of these objects is pending."""
    entries = list(content[LIST])
    places = {object_of(entry): index for index, entry in reversed(list(enumerate(entries)))}
    for credential in credentials:
        wanted = credential.entry()
        place = places.setdefault(object_of(wanted), len(entries))
        entries[place : place + 1] = [wanted]
    return _without({object_of(one.entry()) for one in credentials}, {**content, LIST: entries})


def withdrawn(content: Mapping[str, Any], credentials: Iterable[Credential]) -> dict[str, Any]:
    """The content without these passwords as pending ones, since the panel certainly did not get them."""
    taken_out = [one.entry() for one in credentials]
    return _with_pending(content, [entry for entry in content.get(PENDING) or [] if entry not in taken_out])


def forgotten(content: Mapping[str, Any], panel: str, names: Iterable[Name]) -> dict[str, Any]:
    """The content without pending passwords of these objects, which are not on the panel any more."""
    return _without({(panel, *name) for name in names}, content)


def _without(identities: Collection[tuple[Any, ...]], content: Mapping[str, Any]) -> dict[str, Any]:
    entries = [entry for entry in content.get(PENDING) or [] if object_of(entry) not in identities]
    return _with_pending(content, entries)


def _with_pending(content: Mapping[str, Any], entries: list[Any]) -> dict[str, Any]:
    others = {name: value for name, value in content.items() if name != PENDING}
    return {**others, PENDING: entries} if entries else others


def _name(entry: Mapping[str, Any]) -> Name:
    return (str(entry.get("kind")), str(entry.get("key")))


def _rotation(entry: Mapping[str, Any]) -> str:
    return str(entry.get(ROTATION, ""))


def _purpose(entry: Mapping[str, Any]) -> tuple[str, ...]:
    return (*object_of(entry), _rotation(entry))


def _of_panel(entries: Any, panel: str | None) -> list[dict[str, Any]]:
    return [entry for entry in entries or [] if isinstance(entry, dict) and panel in (None, entry.get("panel"))]

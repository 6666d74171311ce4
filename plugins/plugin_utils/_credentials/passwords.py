# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a credentials file says: passwords that the panel has confirmed, and those that it may have. Private to the collection.

A new password is in ``pending_passwords`` from before the panel gets it until it is known that the panel has it. Then it replaces the old
one in ``generated_passwords``.
"""

from __future__ import annotations

import secrets
import string
from collections.abc import Iterable, Mapping
from typing import Any

from .encrypted_file import EncryptedFile

KEPT, PENDING, ROTATION = "generated_passwords", "pending_passwords", "rotation"
_LENGTH = 24
# Without what looks alike in print, and with signs that need no quotes in shells, URLs and configuration files.
_LETTERS_AND_DIGITS = "".join(sorted(set(string.ascii_letters + string.digits) - set("Il1O0")))
_SIGNS = "-_."
_CLASSES = (string.ascii_lowercase, string.ascii_uppercase, string.digits, _SIGNS)

Content = Mapping[str, Any]
Entry = dict[str, str]
Name = tuple[str, str]  # (plural kind, natural key)


def new_password() -> str:
    """A random password that starts with a letter or digit and has a small letter, a capital, a digit and a sign in it."""
    while True:
        first = secrets.choice(_LETTERS_AND_DIGITS)
        password = first + "".join(secrets.choice(_LETTERS_AND_DIGITS + _SIGNS) for _place in range(_LENGTH - 1))
        if all(any(character in password for character in characters) for characters in _CLASSES):
            return password


class CredentialsFile(EncryptedFile):
    """One file of passwords."""

    comment = "# Passwords that the Ansible collection hosting.panel generated; it adds to this file.\n"

    def read(self) -> dict[str, Any]:
        content = super().read()
        lists = [content.get(name, []) for name in (KEPT, PENDING)]
        if not all(isinstance(entries, list) and all(map(_is_entry, entries)) for entries in lists):
            raise self.refuse_content(f"lists {KEPT} and {PENDING}")
        return content


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, dict) and all(isinstance(entry.get(name), str) for name in ("kind", "key", "password"))


def entries_of(content: Content, member: str, panel: str) -> dict[Name, Entry]:
    """The entries for one panel by their objects; of several for one object the last."""
    return {(one["kind"], one["key"]): one for one in content.get(member, ()) if one.get("panel") == panel}


def begun(content: Content, entries: Iterable[Entry]) -> dict[str, Any]:
    """The content with these passwords pending."""
    pending = list(content.get(PENDING, ()))
    return _with(content, content.get(KEPT, []), pending + [entry for entry in entries if entry not in pending])


def settled(content: Content, confirmed: Mapping[Name, Entry], withdrawn: Iterable[Entry]) -> dict[str, Any]:
    """The content once it is known what became of pending passwords.

    confirmed: by the objects that they were pending for; the entry may have another name, by which the panel keeps the object.
    """
    withdrawn = list(withdrawn)
    replaced = {_object(entry) for entry in confirmed.values()}
    done = {(entry["panel"], *name) for name, entry in confirmed.items()}
    kept = [one for one in content.get(KEPT, ()) if _object(one) not in replaced]
    pending = [one for one in content.get(PENDING, ()) if one not in withdrawn and _object(one) not in done]
    return _with(content, [*kept, *confirmed.values()], pending)


def _with(content: Content, kept: list[Entry], pending: list[Entry]) -> dict[str, Any]:
    others = {name: value for name, value in content.items() if name not in (KEPT, PENDING)}
    return {**others, KEPT: kept, **({PENDING: pending} if pending else {})}


def _object(entry: Entry) -> tuple[Any, ...]:
    return entry.get("panel"), entry["kind"], entry["key"]

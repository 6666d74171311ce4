# SPDX-License-Identifier: GPL-3.0-or-later
"""The passwords that a task generates, and the credentials files that keep them. Private to the collection.

A new password is in ``pending_passwords`` from before the panel gets it until the panel has confirmed it. Then it replaces the old one in
``generated_passwords``.
"""

from __future__ import annotations

import secrets
import string
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._items.wanted_items import Item
from ...module_utils._problems import abbreviate, format_message
from .encrypted_file import EncryptedFile, FileError, check_files

KEPT, PENDING, ROTATION = "generated_passwords", "pending_passwords", "rotation"
_MOST_NAMED = 5
_LENGTH = 24
# Without what looks alike in print, and with signs that need no quotes in shells, URLs and configuration files.
_LETTERS_AND_DIGITS = "".join(sorted(set(string.ascii_letters + string.digits) - set("Il1O0")))
_SIGNS = "-_."
_CLASSES = (string.ascii_lowercase, string.ascii_uppercase, string.digits, _SIGNS)

Name = tuple[str, str]  # (plural kind, natural key)
Entry = dict[str, str]
Resources = Mapping[str, list[dict[str, Any]]]
# The key by which the panel keeps each object with its new password; None if it certainly does not have that password. The rest is unknown.
Became = Mapping[Name, "str | None"]


def new_password() -> str:
    """A random password that starts with a letter or digit and has a small letter, a capital, a digit and a sign in it."""
    while True:
        first = secrets.choice(_LETTERS_AND_DIGITS)
        password = first + "".join(secrets.choice(_LETTERS_AND_DIGITS + _SIGNS) for _place in range(_LENGTH - 1))
        if all(any(character in password for character in characters) for characters in _CLASSES):
            return password


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, dict) and all(isinstance(entry.get(name), str) for name in ("kind", "key", "password"))


def _object(entry: Entry) -> tuple[Any, ...]:
    return entry.get("panel"), entry["kind"], entry["key"]


class CredentialsFile(EncryptedFile):
    """One file of passwords, and what it held when it was read or written last."""

    comment = "# Passwords that the Ansible collection hosting.panel generated; it adds to this file.\n"
    content: Mapping[str, Any] = {}

    def read_again(self) -> bool:
        """Whether it holds something else than before. Raises FileError."""
        before, self.content = self.content, self.read()
        lists = [self.content.get(name, []) for name in (KEPT, PENDING)]
        if not all(isinstance(entries, list) and all(map(_is_entry, entries)) for entries in lists):
            raise self.refuse_content(f"lists {KEPT} and {PENDING}")
        return self.content != before

    def entries(self, name: str) -> dict[tuple[Any, ...], Entry]:
        """Those of one of the lists by their objects; of several for one object the last."""
        return {_object(entry): entry for entry in self.content.get(name, ())}

    def with_pending(self, entries: Iterable[Entry]) -> dict[str, Any]:
        """The content with these passwords pending."""
        pending = self.content.get(PENDING, [])
        return self._with(self.content.get(KEPT, []), pending + [entry for entry in entries if entry not in pending])

    def settled(self, confirmed: Mapping[tuple[Any, ...], Entry], withdrawn: list[Entry]) -> dict[str, Any]:
        """The content without these pending passwords. confirmed: by the objects that they were pending for."""
        replaced = {_object(entry) for entry in confirmed.values()}
        kept = [entry for entry in self.content.get(KEPT, ()) if _object(entry) not in replaced]
        pending = self.content.get(PENDING, ())
        left = [entry for entry in pending if entry not in withdrawn and _object(entry) not in confirmed]
        return self._with([*kept, *confirmed.values()], left)

    def _with(self, kept: list[Entry], pending: list[Entry]) -> dict[str, Any]:
        others = {name: value for name, value in self.content.items() if name not in (KEPT, PENDING)}
        return {**others, KEPT: kept, **({PENDING: pending} if pending else {})}

    def put(self, content: Mapping[str, Any]) -> None:
        """Raises FileError."""
        if content != self.content:
            self.replace(content)
            self.content = content


@dataclass
class New:
    """The new password of one object. again: an earlier run left it pending. anyway: it is set where the object exists, too."""

    item: Item
    file: CredentialsFile
    entry: Entry = field(default_factory=dict)
    again: bool = False
    anyway: bool = False

    def decide(self, panel: str, rotation: str, kept: Entry | None, waiting: Entry | None) -> None:
        """kept, waiting: what the file has for the object."""
        regenerates = self.item.wanted.password.regenerate
        rotation = rotation if regenerates else ""
        self.again = waiting is not None and rotation in ("", waiting.get(ROTATION))
        self.anyway = regenerates or waiting is not None
        if rotation and kept and not waiting and kept.get(ROTATION) == rotation:
            # This rotation has set it. The entry is used if the object has to be created again.
            self.entry, self.anyway = kept, False
        elif waiting and self.again:
            self.entry = waiting
        else:
            # Ansible marks texts with where they come from, and YAML cannot write marked ones.
            own = {"panel": str(panel), "kind": self.item.kind, "key": "".join(self.item.key)}
            self.entry = {**own, "password": new_password(), **({ROTATION: rotation} if rotation else {})}

    def options(self, with_password: bool) -> dict[str, Any]:
        """The options of the item without those that ask the panel for a password."""
        options = {name: value for name, value in self.item.options.items() if name != "regenerate_password"}
        if with_password:
            options["password"] = self.entry["password"]
            options["update_password"] = "always" if self.anyway else "on_create"
        return options


class NewPasswords:
    """All new passwords of a task. panel: its name in files. rotation: the operator's name of a rotation."""

    def __init__(self, new: Iterable[New], panel: str, rotation: str) -> None:
        self._panel, self._rotation = panel, rotation
        self.new: dict[Name, New] = {(one.item.kind, one.item.key): one for one in new}
        self.chosen: dict[Name, New] = {}
        # Of how many objects the files have a new password at the end.
        self.number_kept = 0

    def read(self) -> bool:
        """Reads the files and decides about each object; whether they hold something else than before."""
        files = {one.file.path: one.file for one in self.new.values()}
        is_other = [file.read_again() for file in files.values()]
        if not any(is_other) and all(one.entry for one in self.new.values()):
            return False
        kept, waiting = ({path: file.entries(name) for path, file in files.items()} for name in (KEPT, PENDING))
        for name, one in self.new.items():
            place, path = (self._panel, *name), one.file.path
            one.decide(self._panel, self._rotation, kept[path].get(place), waiting[path].get(place))
        return True

    def choose(self, sent: Collection[Name]) -> None:
        """Takes those that the panel will get."""
        self.chosen = {name: one for name, one in self.new.items() if name in sent}

    def filled(self, resources: Resources, only: Collection[Name] | None = None) -> dict[str, list[dict[str, Any]]]:
        """The resources with these passwords, or with those of some objects alone."""
        filled = {kind: list(items) for kind, items in resources.items()}
        for name, one in self.new.items():
            filled[one.item.kind][one.item.index] = one.options(only is None or name in only)
        return filled

    def warnings(self) -> list[str]:
        """A sentence about passwords that are set again."""
        again = abbreviate([f"{kind} {key}" for (kind, key), one in self.chosen.items() if one.again], _MOST_NAMED)
        words = (
            f"An earlier run ended before it knew whether the panel has the passwords of {again}. They are set again."
        )
        return [words] if again else []

    def check(self) -> list[tuple[CredentialsFile, dict[str, Any]]]:
        """The files with the chosen passwords pending. Raises FileError where they could not be written."""
        contents = [
            (file, file.with_pending(self.chosen[name].entry for name in names)) for file, names in self._by_file()
        ]
        check_files(contents)
        return contents

    def keep(self) -> None:
        """Puts the chosen passwords down as pending. Raises FileError; what it put down by then, a later run sets."""
        for file, content in self.check():
            file.put(content)

    def settle(self, became: Became) -> str:
        """Notes in the files what the panel has now; a sentence about what is unknown."""
        problems = []
        for file, names in self._by_file():
            written = {name: key for name in names if (key := became.get(name)) is not None}
            confirmed = {(self._panel, *name): {**self.chosen[name].entry, "key": key} for name, key in written.items()}
            refused = [self.chosen[name] for name in names if name in became and name not in written]
            self.number_kept += len(names) - len(refused)
            try:
                # What an earlier run left pending may be the password in force, whatever the panel says now.
                file.put(file.settled(confirmed, [one.entry for one in refused if not one.again]))
                if not became.keys() >= set(names):
                    problems.append(f"The passwords are in {file.path}; the next run sets them again.")
            except FileError as error:
                why = format_message(error.problem.without_nothing_written())
                problems.append(
                    f"The passwords are in {file.path}, under {PENDING}: {why} The next run sets them again."
                )
        return " ".join(problems)

    def _by_file(self) -> list[tuple[CredentialsFile, list[Name]]]:
        found: dict[str, tuple[CredentialsFile, list[Name]]] = {}
        for name, one in self.chosen.items():
            found.setdefault(one.file.path, (one.file, []))[1].append(name)
        return list(found.values())

# SPDX-License-Identifier: GPL-3.0-or-later
"""The passwords that a task generates, and the credentials files that keep them.

A new password is in ``pending_passwords`` from before the panel gets it until the panel has
confirmed it. Then it replaces the old one in ``generated_passwords``.
"""

from __future__ import annotations

import secrets
import string
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._http.connection_settings import name_panel
from ...module_utils._items.desired_items import Item, ItemsRead
from ...module_utils._problems import abbreviate, format_message
from ...module_utils._schema.password_options import REGENERATE
from .encrypted_file import EncryptedFile, FileError, check_files

KEPT = "generated_passwords"
PENDING = "pending_passwords"
ROTATION = "rotation"
_MOST_NAMED = 5
_LENGTH = 24
# Without what looks alike in print, and with signs that need no quotes in shells, URLs and
# configuration files.
_LETTERS_AND_DIGITS = "".join(sorted(set(string.ascii_letters + string.digits) - set("Il1O0")))
_SIGNS = "-_."
_CLASSES = (string.ascii_lowercase, string.ascii_uppercase, string.digits, _SIGNS)

Name = tuple[str, str]  # (plural kind, natural key)
Entry = dict[str, str]
Resources = Mapping[str, list[dict[str, Any]]]
# The key by which the panel keeps each object with its new password; None if it certainly does not
# have that password. The rest is unknown.
Outcomes = Mapping[Name, "str | None"]


def make_password() -> str:
    """Make a random password.

    It starts with a letter or digit, and has a small letter, a capital, a digit and a sign in it.
    """
    while True:
        password = secrets.choice(_LETTERS_AND_DIGITS)
        for _position in range(_LENGTH - 1):
            password += secrets.choice(_LETTERS_AND_DIGITS + _SIGNS)
        if all(not set(characters).isdisjoint(password) for characters in _CLASSES):
            return password


def _is_entry(entry: Any) -> bool:
    """Return whether an entry of a list has what each needs."""
    if not isinstance(entry, dict):
        return False
    return all(isinstance(entry.get(name), str) for name in ("kind", "key", "password"))


def _identify_object(entry: Entry) -> tuple[Any, ...]:
    """Return the panel, kind and key of the object that an entry is for."""
    panel = entry.get("panel")
    if isinstance(panel, str):
        panel = name_panel(panel)
    return panel, entry["kind"], entry["key"]


class CredentialsFile(EncryptedFile):
    """One file of passwords, and what it held when it was read or written last."""

    comment = (
        "# Passwords that the Ansible collection hosting.panel generated; it adds to this file.\n"
    )
    content: Mapping[str, Any] = {}

    def load(self) -> None:
        """Read the file; raises FileError."""
        self.content = self.read()
        for name in (KEPT, PENDING):
            entries = self.content.get(name, [])
            if not isinstance(entries, list) or not all(map(_is_entry, entries)):
                raise self.make_content_error(f"lists {KEPT} and {PENDING}")

    def index_entries(self, name: str) -> dict[tuple[Any, ...], Entry]:
        """Return the entries of a list by their objects; of several for one object the last."""
        return {_identify_object(entry): entry for entry in self.content.get(name, ())}

    def make_pending_content(self, entries: Iterable[Entry]) -> dict[str, Any]:
        """Return the content with these passwords pending."""
        pending = self.content.get(PENDING, [])
        added = [entry for entry in entries if entry not in pending]
        return self._make_content(self.content.get(KEPT, []), pending + added)

    def make_settled_content(
        self, confirmed: Mapping[tuple[Any, ...], Entry], withdrawn: list[Entry]
    ) -> dict[str, Any]:
        """Return the content without these pending passwords.

        Args:
            confirmed: What the panel has, by the objects that it was pending for.
            withdrawn: What the panel does not have.
        """
        replaced = {_identify_object(entry) for entry in confirmed.values()}
        kept = [
            entry for entry in self.content.get(KEPT, ()) if _identify_object(entry) not in replaced
        ]
        unsettled = [
            entry
            for entry in self.content.get(PENDING, ())
            if _identify_object(entry) not in confirmed
        ]
        pending = [entry for entry in unsettled if entry not in withdrawn]
        return self._make_content([*kept, *confirmed.values()], pending)

    def _make_content(self, kept: list[Entry], pending: list[Entry]) -> dict[str, Any]:
        """Return the content with these lists, behind what else the file holds."""
        content = dict(self.content)
        for name in (KEPT, PENDING):
            content.pop(name, None)
        content[KEPT] = kept
        if pending:
            content[PENDING] = pending
        return content

    def put(self, content: Mapping[str, Any]) -> None:
        """Write the file if it has other content; raises FileError."""
        if content != self.content:
            self.replace(content)
            self.content = content


@dataclass
class NewPassword:
    """The new password of one object.

    Attributes:
        item: The object.
        file: The file that keeps it.
        entry: What the file has of it.
        resumed: Whether an earlier run left it pending.
        force: Whether it is set where the object exists, too.
    """

    item: Item
    file: CredentialsFile
    entry: Entry = field(default_factory=dict)
    resumed: bool = False
    force: bool = False

    def decide(self, panel: str, rotation: str, kept: Entry | None, pending: Entry | None) -> None:
        """Choose the password.

        Args:
            panel: Its name in files.
            rotation: The operator's name of a rotation; empty without one.
            kept: What the file has for the object.
            pending: What an earlier run left pending for it.
        """
        regenerates = self.item.desired.password.regenerate
        if not regenerates:
            rotation = ""
        self.resumed = pending is not None and rotation in ("", pending.get(ROTATION))
        self.force = regenerates or pending is not None
        if rotation and kept and not pending and kept.get(ROTATION) == rotation:
            # This rotation has set it. The entry is used if the object has to be created again.
            self.entry = kept
            self.force = False
        elif pending and self.resumed:
            self.entry = pending
        else:
            self.entry = self._make_entry(panel, rotation)

    def _make_entry(self, panel: str, rotation: str) -> Entry:
        """Return the entry of a new password."""
        # Ansible marks texts with where they come from, and YAML cannot write marked ones.
        entry = {"panel": str(panel), "kind": self.item.plural, "key": "".join(self.item.key)}
        entry["password"] = make_password()
        if rotation:
            entry[ROTATION] = rotation
        return entry

    @property
    def position(self) -> tuple[str, int]:
        """Return the kind of the item, and its index in the list of that kind."""
        return self.item.plural, self.item.index

    def fill_item(self) -> Item:
        """Return the item with the password."""
        return self.item.with_password(self.entry["password"], is_always_set=self.force)

    def select_options_without_password(self) -> dict[str, Any]:
        """Return the options of the item without those that ask the panel for a password."""
        return {name: value for name, value in self.item.options.items() if name != REGENERATE}


class NewPasswords:
    """All new passwords of a task."""

    def __init__(self, new: Iterable[NewPassword], panel: str, rotation: str) -> None:
        """Take the passwords of the items.

        Args:
            new: One for each item.
            panel: Its name in files.
            rotation: The operator's name of a rotation.
        """
        self._panel = panel
        self._rotation = rotation
        self.new: dict[Name, NewPassword] = {
            (password.item.plural, password.item.key): password for password in new
        }
        self.chosen: dict[Name, NewPassword] = {}
        # Of how many objects the files have a new password at the end.
        self.number_kept = 0

    def list_files(self) -> list[CredentialsFile]:
        """Return the files of all objects."""
        return list({password.file.path: password.file for password in self.new.values()}.values())

    def read(self) -> None:
        """Read the files and decide about each object; raises FileError."""
        files = self.list_files()
        for file in files:
            file.load()
        kept = {file.path: file.index_entries(KEPT) for file in files}
        pending = {file.path: file.index_entries(PENDING) for file in files}
        for name, password in self.new.items():
            entry_name = (self._panel, *name)
            path = password.file.path
            password.decide(
                self._panel,
                self._rotation,
                kept[path].get(entry_name),
                pending[path].get(entry_name),
            )

    def choose(self, names: Collection[Name]) -> None:
        """Choose the passwords that the panel will get, by their objects."""
        self.chosen = {name: password for name, password in self.new.items() if name in names}

    def fill(
        self, resources: Resources, names: Collection[Name]
    ) -> dict[str, list[Mapping[str, Any]]]:
        """Return the resources with the passwords of the named objects."""
        filled: dict[str, list[Mapping[str, Any]]] = {
            plural: list(items) for plural, items in resources.items()
        }
        for name, password in self.new.items():
            options: Mapping[str, Any] = password.select_options_without_password()
            if name in names:
                options = password.fill_item().options
            filled[password.item.plural][password.item.index] = options
        return filled

    def fill_items(self, read: ItemsRead) -> ItemsRead:
        """Return what was read of the items with all these passwords."""
        filled = {plural: list(map(self._fill_item, items)) for plural, items in read.items.items()}
        return read._replace(items=filled)

    def _fill_item(self, item: Item) -> Item:
        password = self.new.get((item.plural, item.key))
        return item if password is None else password.fill_item()

    def list_warnings(self) -> list[str]:
        """Return a sentence about passwords that are set again."""
        resumed = [
            f"{plural} {key}" for (plural, key), password in self.chosen.items() if password.resumed
        ]
        if not resumed:
            return []
        names = abbreviate(resumed, _MOST_NAMED)
        problem = "An earlier run ended before it knew whether the panel has the passwords of"
        return [f"{problem} {names}. They are set again."]

    def check(self) -> list[tuple[CredentialsFile, dict[str, Any]]]:
        """Return the files with the chosen passwords pending.

        Raises:
            FileError: They could not be written.
        """
        contents = []
        for file, names in self._group_by_file():
            entries = [self.chosen[name].entry for name in names]
            contents.append((file, file.make_pending_content(entries)))
        check_files(contents)
        return contents

    def keep(self, names: Collection[Name]) -> None:
        """Choose the passwords of the named objects, and put them down as pending.

        Raises:
            FileError: A file cannot be written. What is put down by then, a later run sets.
        """
        self.choose(names)
        for file, content in self.check():
            file.put(content)

    def settle(self, outcomes: Outcomes) -> str:
        """Note in the files what the panel has now; returns a sentence about what is unknown."""
        problems = [
            self._settle_file(file, names, outcomes) for file, names in self._group_by_file()
        ]
        return " ".join(filter(None, problems))

    def _settle_file(
        self, file: CredentialsFile, names: Collection[Name], outcomes: Outcomes
    ) -> str:
        """Note in a file what the panel has now.

        Args:
            file: The file.
            names: The chosen objects whose passwords it keeps.
            outcomes: What the panel has.

        Returns:
            A sentence about what is unknown; empty if everything is known and noted.
        """
        confirmed = {}
        refused = []
        for name in names:
            key = outcomes.get(name)
            if key is not None:
                confirmed[(self._panel, *name)] = {**self.chosen[name].entry, "key": key}
            elif name in outcomes:
                refused.append(self.chosen[name])
        self.number_kept += len(names) - len(refused)

        # What an earlier run left pending may be the password in force, whatever the panel says
        # now.
        withdrawn = [password.entry for password in refused if not password.resumed]
        try:
            file.put(file.make_settled_content(confirmed, withdrawn))
        except FileError as error:
            reason = format_message(error.problem.without_nothing_written())
            problem = f"The passwords are in {file.path}, under {PENDING}: {reason}"
            return f"{problem} The next run sets them again."
        if not all(name in outcomes for name in names):
            return f"The passwords are in {file.path}; the next run sets them again."
        return ""

    def _group_by_file(self) -> list[tuple[CredentialsFile, list[Name]]]:
        """Return each file with the chosen objects whose passwords it keeps."""
        groups: dict[str, tuple[CredentialsFile, list[Name]]] = {}
        for name, password in self.chosen.items():
            _file, names = groups.setdefault(password.file.path, (password.file, []))
            names.append(name)
        return list(groups.values())

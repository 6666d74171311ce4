# SPDX-License-Identifier: GPL-3.0-or-later
"""The passwords that a task generates, and the credentials files that keep them.

A new password is in ``pending_passwords`` from before the panel gets it until the panel has
confirmed it. Then it replaces the old one in ``generated_passwords``.
"""

from __future__ import annotations

import secrets
import string
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...module_utils._http.connection_settings import name_panel
from ...module_utils._items.desired_items import Item, ItemsRead
from ...module_utils._problems import abbreviate, format_message
from ...module_utils._schema.password_options import REGENERATE
from .encrypted_file import EncryptedFile, FileError, check_files

GENERATED = "generated_passwords"
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
        for name in (GENERATED, PENDING):
            entries = self.content.get(name, [])
            if not isinstance(entries, list) or not all(map(_is_entry, entries)):
                raise self.make_content_error(f"lists {GENERATED} and {PENDING}")

    def index_entries(self, name: str) -> dict[tuple[Any, ...], Entry]:
        """Return the entries of a list by their objects; of several for one object the last."""
        return {_identify_object(entry): entry for entry in self.content.get(name, ())}

    def make_pending_content(self, entries: Iterable[Entry]) -> dict[str, Any]:
        """Return the content with these passwords pending."""
        pending = self.content.get(PENDING, [])
        added = [entry for entry in entries if entry not in pending]
        return self._make_content(self.content.get(GENERATED, []), pending + added)

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
            entry
            for entry in self.content.get(GENERATED, ())
            if _identify_object(entry) not in replaced
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
        for name in (GENERATED, PENDING):
            content.pop(name, None)
        content[GENERATED] = kept
        if pending:
            content[PENDING] = pending
        return content

    def put(self, content: Mapping[str, Any]) -> None:
        """Write the file if it has other content; raises FileError."""
        if content != self.content:
            self.replace(content)
            self.content = content


@dataclass(frozen=True)
class DecidedPassword:
    """The password that one object gets, if the plan sets one.

    Attributes:
        item: The object.
        file: The file that keeps it.
        entry: What the file has of it.
        resumed: Whether an earlier run left it pending.
        force: Whether it is set where the object exists, too.
    """

    item: Item
    file: CredentialsFile
    entry: Entry
    resumed: bool
    force: bool

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


@dataclass(frozen=True)
class NewPassword:
    """The new password of one object, before its file is read.

    Attributes:
        item: The object.
        file: The file that keeps it.
    """

    item: Item
    file: CredentialsFile

    def decide(
        self, panel: str, rotation: str, kept: Entry | None, pending: Entry | None
    ) -> DecidedPassword:
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
        resumed = pending is not None and rotation in ("", pending.get(ROTATION))
        force = regenerates or pending is not None
        if rotation and kept and not pending and kept.get(ROTATION) == rotation:
            # This rotation has set it. The entry is used if the object has to be created again.
            return DecidedPassword(self.item, self.file, kept, resumed, force=False)
        if pending and resumed:
            return DecidedPassword(self.item, self.file, pending, resumed, force)
        entry = self._make_entry(panel, rotation)
        return DecidedPassword(self.item, self.file, entry, resumed, force)

    def _make_entry(self, panel: str, rotation: str) -> Entry:
        """Return the entry of a new password."""
        # Ansible marks texts with where they come from, and YAML cannot write marked ones.
        entry = {"panel": str(panel), "kind": self.item.plural, "key": "".join(self.item.key)}
        entry["password"] = make_password()
        if rotation:
            entry[ROTATION] = rotation
        return entry


class NewPasswords:
    """All new passwords of a task, before its files are read."""

    def __init__(self, new: Iterable[NewPassword], panel: str, rotation: str) -> None:
        """Take the passwords of the items.

        Args:
            new: One for each item.
            panel: Its name in files.
            rotation: The operator's name of a rotation.
        """
        self._panel = panel
        self._rotation = rotation
        self._by_name: dict[Name, NewPassword] = {
            (password.item.plural, password.item.key): password for password in new
        }

    def list_files(self) -> list[CredentialsFile]:
        """Return the files of all objects."""
        files = {password.file.path: password.file for password in self._by_name.values()}
        return list(files.values())

    def decide(self) -> DecidedPasswords:
        """Read the files and decide about each object; raises FileError."""
        files = self.list_files()
        for file in files:
            file.load()
        kept = {file.path: file.index_entries(GENERATED) for file in files}
        pending = {file.path: file.index_entries(PENDING) for file in files}
        decided = {}
        for name, password in self._by_name.items():
            entry_name = (self._panel, *name)
            path = password.file.path
            decided[name] = password.decide(
                self._panel,
                self._rotation,
                kept[path].get(entry_name),
                pending[path].get(entry_name),
            )
        return DecidedPasswords(decided, self._panel)


@dataclass(frozen=True)
class DecidedPasswords:
    """The passwords that the objects of a task get, if its plan sets one.

    Attributes:
        by_name: The passwords by their objects.
        panel: Its name in files.
    """

    by_name: Mapping[Name, DecidedPassword]
    panel: str

    def choose(self, names: Collection[Name]) -> ChosenPasswords:
        """Return the passwords that the panel will get. names: their objects, by the plan."""
        chosen = {name: password for name, password in self.by_name.items() if name in names}
        return ChosenPasswords(chosen, self.panel)

    def fill(
        self, resources: Resources, names: Collection[Name]
    ) -> dict[str, list[Mapping[str, Any]]]:
        """Return the resources with the passwords of the named objects."""
        filled: dict[str, list[Mapping[str, Any]]] = {
            plural: list(items) for plural, items in resources.items()
        }
        for name, password in self.by_name.items():
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
        password = self.by_name.get((item.plural, item.key))
        return item if password is None else password.fill_item()


class Settlement(NamedTuple):
    """What the files have at the end of a task.

    number_kept: Of how many objects they have a new password.
    problem: A sentence about what is unknown; empty if everything is known and noted.
    """

    number_kept: int
    problem: str


@dataclass(frozen=True)
class ChosenPasswords:
    """The passwords that the panel gets by a plan.

    Attributes:
        by_name: The passwords by their objects.
        panel: Its name in files.
    """

    by_name: Mapping[Name, DecidedPassword]
    panel: str

    def list_paths(self) -> set[str]:
        """Return the paths of the files that keep these passwords."""
        return {password.file.path for password in self.by_name.values()}

    def list_warnings(self) -> list[str]:
        """Return a sentence about passwords that are set again."""
        resumed = [
            f"{plural} {key}"
            for (plural, key), password in self.by_name.items()
            if password.resumed
        ]
        if not resumed:
            return []
        names = abbreviate(resumed, _MOST_NAMED)
        problem = "An earlier run ended before it knew whether the panel has the passwords of"
        return [f"{problem} {names}. They are set again."]

    def make_pending_contents(self) -> list[tuple[CredentialsFile, dict[str, Any]]]:
        """Return each file with its content once these passwords are pending."""
        contents = []
        for file, names in self._group_by_file():
            entries = [self.by_name[name].entry for name in names]
            contents.append((file, file.make_pending_content(entries)))
        return contents

    def keep(self) -> None:
        """Put these passwords down as pending.

        Raises:
            FileError: A file cannot be written. What is put down by then, a later run sets.
        """
        contents = self.make_pending_contents()
        check_files(contents)
        for file, content in contents:
            file.put(content)

    def settle(self, outcomes: Outcomes) -> Settlement:
        """Note in the files what the panel has now."""
        problems = [
            self._settle_file(file, names, outcomes) for file, names in self._group_by_file()
        ]
        refused = [name for name in self.by_name if _is_refused(name, outcomes)]
        number_kept = len(self.by_name) - len(refused)
        return Settlement(number_kept, " ".join(filter(None, problems)))

    def _settle_file(
        self, file: CredentialsFile, names: Collection[Name], outcomes: Outcomes
    ) -> str:
        """Note in a file what the panel has now.

        Args:
            file: The file.
            names: The objects whose passwords it keeps.
            outcomes: What the panel has.

        Returns:
            A sentence about what is unknown; empty if everything is known and noted.
        """
        confirmed = {}
        refused = []
        for name in names:
            key = outcomes.get(name)
            if key is not None:
                confirmed[(self.panel, *name)] = {**self.by_name[name].entry, "key": key}
            elif _is_refused(name, outcomes):
                refused.append(self.by_name[name])

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
        """Return each file with the objects whose passwords it keeps."""
        groups: dict[str, tuple[CredentialsFile, list[Name]]] = {}
        for name, password in self.by_name.items():
            _file, names = groups.setdefault(password.file.path, (password.file, []))
            names.append(name)
        return list(groups.values())


def _is_refused(name: Name, outcomes: Outcomes) -> bool:
    """Return whether the panel certainly does not have the new password of an object."""
    return name in outcomes and outcomes[name] is None

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""New passwords of one task: in their encrypted file before the panel gets them. Private to the collection.

The collection makes a password itself, so there is no moment at which the panel alone has it. What a killed run left pending, the next run
sets again: so it does not matter where the last one ended.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Callable, NamedTuple

from ...module_utils._errors import OptionError
from ...module_utils._items.wanted_items import Item, read_items
from ...module_utils._kinds.registry import KINDS
from ...module_utils._task.mistakes import first_of
from .encrypted_file import FileError, check_files, turn_at
from .passwords import KEPT, PENDING, ROTATION, CredentialsFile, Entry, Name, begun, entries_of, new_password, settled

Resources = Mapping[str, list[dict[str, Any]]]

_MOST_NAMED = 5


class Outcome(NamedTuple):
    """written: the objects whose password the panel has. refused: those whose password it certainly does not have.

    existed: those that someone else had made by then. renamed: names under which the panel keeps new objects instead of those that were sent.
    """

    written: Collection[Name]
    refused: Collection[Name]
    existed: Collection[Name] = ()
    renamed: Mapping[Name, str] = {}


class NewPasswords:
    """Passwords for those of the resources that have none of their own.

    file_of: the file for an object. panel: its name in files. rotation: the operator's name of a rotation.
    """

    def __init__(
        self, resources: Resources, file_of: Callable[[Item], CredentialsFile], panel: str, rotation: str = ""
    ) -> None:
        self._resources, self._panel, self._rotation = resources, panel, rotation
        items = [item for found in reading(resources) for item in found if _gets_one(item)]
        _refuse_ids(items)
        self._items: dict[Name, Item] = {(item.kind, item.key): item for item in items}
        self._files = {name: file_of(item) for name, item in self._items.items()}
        self._by_path = {file.path: file for file in self._files.values()}
        self._contents: dict[str, dict[str, Any]] = {}
        self._entries: dict[Name, Entry] = {}
        # Whose password is set also where the object exists.
        self._again: set[Name] = set()
        self._anyway: set[Name] = set()
        self.chosen: list[Name] = []

    @property
    def paths(self) -> list[str]:
        """The files of all these objects."""
        return list(self._by_path)

    def read(self) -> bool:
        """Reads the files and decides about each object; whether they hold something else than before."""
        contents = {path: file.read() for path, file in self._by_path.items()}
        if contents == self._contents:
            return False
        self._contents = contents
        kept, pending = (
            {path: entries_of(content, member, self._panel) for path, content in contents.items()}
            for member in (KEPT, PENDING)
        )
        self._again.clear()
        self._anyway.clear()
        for name, item in self._items.items():
            path = self._files[name].path
            self._decide(name, item, kept[path].get(name), pending[path].get(name))
        return True

    def _decide(self, name: Name, item: Item, kept: Entry | None, waiting: Entry | None) -> None:
        regenerates = item.wanted.password.regenerate
        rotation = self._rotation if regenerates else ""
        if rotation and kept and not waiting and kept.get(ROTATION) == rotation:
            # It has its new password; the entry counts where the object is made again.
            self._entries[name] = kept
            return
        if waiting and (not rotation or waiting.get(ROTATION) == rotation):
            self._entries[name] = waiting
            self._again.add(name)
        else:
            # Ansible marks texts with where they come from, and YAML cannot write marked ones.
            entry = {"panel": str(self._panel), "kind": str(name[0]), "key": "".join(name[1])}
            self._entries[name] = {**entry, "password": new_password(), **({ROTATION: rotation} if rotation else {})}
        if regenerates or waiting:
            self._anyway.add(name)

    def resources(self, only: Collection[Name] | None = None) -> dict[str, list[dict[str, Any]]]:
        """The resources with these passwords, or with those of some objects alone."""
        filled = {kind: list(items) for kind, items in self._resources.items()}
        for name, item in self._items.items():
            options = {option: value for option, value in item.options.items() if option != "regenerate_password"}
            if only is None or name in only:
                options["password"] = self._entries[name]["password"]
                options["update_password"] = "always" if name in self._anyway else "on_create"
            filled[item.kind][item.index] = options
        return filled

    def choose(self, sent: Collection[Name]) -> None:
        """Takes those that the panel will get."""
        self.chosen = [name for name in self._items if name in sent]

    def warnings(self) -> list[str]:
        """A sentence about passwords that are set again."""
        again = [f"{kind} {key}" for kind, key in self.chosen if (kind, key) in self._again]
        if not again:
            return []
        return [
            f"An earlier run ended before it knew whether the panel has the passwords of {first_of(again, _MOST_NAMED)}. They are set again."
        ]

    def check(self) -> dict[str, dict[str, Any]]:
        """The contents of the files with the chosen passwords pending. Raises FileError where they could not be written."""
        contents = {
            path: begun(self._contents[path], [self._entries[name] for name in names])
            for path, names in self._by_file().items()
        }
        check_files((self._by_path[path], content) for path, content in contents.items())
        return contents

    def keep(self) -> None:
        """Puts the chosen passwords down as pending. Raises FileError; what it put down by then, a later run sets."""
        for path, content in self.check().items():
            if content != self._contents[path]:
                self._by_path[path].replace(content)
                self._contents[path] = content

    def settle(self, outcome: Outcome) -> str:
        """Notes in the files what the panel has now; a sentence about what is not known."""
        problems = []
        # What someone else made keeps its own password, unless it was to get a new one anyway.
        theirs = {name for name in outcome.existed if name not in self._anyway}
        written, refused = set(outcome.written) - theirs, set(outcome.refused) | theirs
        for path, names in self._by_file().items():
            confirmed = {
                name: {**self._entries[name], "key": outcome.renamed.get(name, name[1])}
                for name in names
                if name in written
            }
            # What an earlier run left pending may be the password in force, whatever the panel says now.
            withdrawn = [self._entries[name] for name in names if name in refused and name not in self._again]
            content = settled(self._contents[path], confirmed, withdrawn)
            try:
                if content != self._contents[path]:
                    self._by_path[path].replace(content)
                if not written.union(refused).issuperset(names):
                    problems.append(f"The passwords are in {path}.")
            except FileError as error:
                problems.append(f"The passwords are in {path}, under {PENDING}: {error.message}")
        return " ".join([*problems, "Run again: it sets them again."] if problems else [])

    def _by_file(self) -> dict[str, list[Name]]:
        found: dict[str, list[Name]] = {}
        for name in self.chosen:
            found.setdefault(self._files[name].path, []).append(name)
        return found

    def turn(self) -> Any:
        """The time in which no other task uses the files of the chosen passwords."""
        return turn_at(self._by_path[path] for path in self._by_file())


def reading(resources: Resources) -> list[list[Item]]:
    """The items of kinds that have passwords, as far as they are right; the module itself says what is wrong."""
    found = read_items({kind: items for kind, items in resources.items() if kind in KINDS and KINDS[kind].password})
    return list(found.items.values())


def _gets_one(item: Item) -> bool:
    wanted = item.wanted
    is_asked_for = wanted.id is None or wanted.password.regenerate
    return wanted.is_present and is_asked_for and not wanted.password.is_given


def _refuse_ids(items: Iterable[Item]) -> None:
    """A password is filed under the object's name; in some kinds the owner's name is a part of it."""
    for item in items:
        by_id = ["id"] if item.wanted.id is not None else []
        named = {one.path[0]: one.name for one in item.wanted.references}
        by_id += [row.name for row in KINDS[item.kind].key if row.refers_to and named.get(row.name) is None]
        if by_id:
            instead = KINDS[item.kind].named_by[0]
            problem = (
                f"give {instead} instead: the password is filed under the name of the object. Nothing was written."
            )
            raise OptionError(f"{item.kind}[{item.index}].{by_id[0]}", problem)

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The passwords that a run makes for objects, in their files before the panel gets them. Private to the collection.

A password is made here and not by the panel, so that there is no moment at which the panel alone knows it. It is pending in the file
until it is known that the panel has it. What a run that was killed left pending, the next one sets again, whatever became of the object: it
does not matter then where the last one ended.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple, Optional

from ...module_utils._bulk.progress import Progress
from ...module_utils._items.wanted_items import Item, read_items
from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.kind import Row
from ...module_utils._task.mistakes import first_of
from .._jobs.encrypted_file import check_room
from .credentials_content import Name, begun, in_force, pending, withdrawn
from .credentials_file import Credential, CredentialsError, CredentialsFile, turn_at
from .new_password import new_password

Resources = Mapping[str, list[dict[str, Any]]]
FileOf = Callable[[str, int], Optional[CredentialsFile]]
"""The file for the item of a kind at a place; None where there is none."""

# After these nothing was written.
_NOT_WRITTEN = (
    "OptionError",
    "UnknownReference",
    "Conflict",
    "MissingLibrary",
    "Unreachable",
    "TimeIsUp",
    "Denied",
    "Refused",
)
GIVE_THE_NAME = "give the object's name, not its id, so that the password can be filed."
GIVE_THE_OWNER = "give {} instead, so that the new object's password can be filed under its name."
_MOST_NAMED = 10


class Results(NamedTuple):
    """What became of objects: those that were certainly written, those that certainly were not, and those that somebody else had made by then."""

    written: frozenset[Name]
    not_written: frozenset[Name]
    existed: frozenset[Name] = frozenset()


def results_of(done: Mapping[str, Any], names: Collection[Name]) -> Results:
    """What a result of panel_resources says of these objects."""
    error = done.get("error")
    if "results" not in done and isinstance(error, dict) and error.get("type") != "Defect":
        # It failed before the first write, since each of those has its own result.
        return Results(frozenset(), frozenset(names))
    became = {(one["kind"], one["key"]): one for one in done.get("results") or ()}
    written = {name for name, one in became.items() if one["result"] == "changed"}
    not_written = {
        name
        for name, one in became.items()
        if one["result"] == "skipped" or (one["result"] == "failed" and is_certainly_not_written(one.get("error")))
    }
    existed = {name for name, one in became.items() if one.get("existed")}
    return Results(frozenset(written), frozenset(not_written), frozenset(existed))


def is_certainly_not_written(error: Any) -> bool:
    """Whether an error says that the panel did not do what was asked, neither at the last attempt nor at one before it."""
    return isinstance(error, dict) and error.get("type") in _NOT_WRITTEN and error.get("attempts") in (None, 0, 1)


class PasswordsAhead:
    """Passwords for those of the resources that have none of their own. Raises CredentialsError where a file cannot be read.

    resources: by plural kind the options of objects; panel: by which name the panel is known in files; say: hears how far it has come with
    many files. unnamed: a sentence for each object whose new password could not be filed. mistakes: these, and what is wrong with objects of
    kinds that have passwords; no secrets. chosen: the objects whose passwords are used. handed_over: the paths of the files that have them.
    """

    def __init__(
        self, resources: Resources, panel: str, file_of: FileOf, say: Callable[[str], None] = lambda _text: None
    ) -> None:
        self._resources, self._panel, self._progress = resources, panel, Progress(say)
        generating = {kind: items for kind, items in resources.items() if _generates(kind)}
        reading = read_items(generating)
        items = [item for found in reading.items.values() for item in found]
        self.unnamed = [f"{item.place} {problem}" for item in items for problem in _problems_of_name(item)]
        self.mistakes = [*reading.mistakes, *self.unnamed]
        self._items: dict[Name, Item] = {(item.kind, item.key): item for item in items if _gets_one(item)}
        self._files = {name: file_of(item.kind, item.index) for name, item in self._items.items()}
        paths = {file.path: file for file in self._files.values() if file is not None}
        files = self._progress.of("files of passwords read", paths.values())
        self._waiting = {file.path: pending(file.content(), panel) for file in files}
        self._passwords = {name: self._waiting_for(name) or new_password() for name in self._items}
        self.chosen: list[Name] = []
        self.handed_over: list[str] = []

    @property
    def names(self) -> list[Name]:
        """The objects that have no password of their own."""
        return list(self._items)

    def resources(self) -> dict[str, list[dict[str, Any]]]:
        """The resources with these passwords. They count where an object is created, asked to get a new one, or waited for."""
        filled = {kind: list(items) for kind, items in self._resources.items()}
        for name, item in self._items.items():
            filled[item.kind][item.index] = self._filled(name, item)
        return filled

    def choose(self, actions: Collection[Mapping[str, Any]]) -> list[Name]:
        """Takes those that a plan sends to the panel; the others are not used. Returns their names."""
        planned = {(action["kind"], action["key"]) for action in actions if "password" in (action.get("after") or {})}
        self.chosen = [name for name in self._items if name in planned]
        return self.chosen

    def chosen_without_file(self) -> list[Name]:
        """Those that would be in no file."""
        return [name for name in self.chosen if self._files[name] is None]

    def warnings(self) -> Iterator[str]:
        """What a person is to know of passwords that an earlier run left pending."""
        chosen: dict[str, list[Name]] = {}
        for name in self.chosen:
            chosen.setdefault(self._path(name), []).append(name)
        for path, waiting in self._waiting.items():
            again = [name for name in chosen.get(path, ()) if name in waiting]
            if again:
                yield (
                    f"{path} has passwords under pending_passwords of {_named(again)}: an earlier run ended before it was known whether the "
                    "panel has them. They are set again, also where somebody has given the object another password since."
                )
            others = [name for name in waiting if name not in self._items]
            if others:
                yield (
                    f"{path} has passwords under pending_passwords of {_named(others)}, of which it is not known whether the panel has them, "
                    "and which this run does not name without a password. A run that names them sets them again."
                )

    def check(self) -> None:
        """Raises CredentialsError where the files could not be written; each stays as it is."""
        by_file = self._each_file("files of passwords checked")
        check_room((file, functools.partial(begun, credentials=credentials)) for file, credentials in by_file)

    def hand_over(
        self,
        write: Callable[[dict[str, list[dict[str, Any]]]], dict[str, Any]],
        results: Callable[[Mapping[str, Any], Collection[Name]], Results] = results_of,
    ) -> dict[str, Any]:
        """Puts the chosen ones into their files, lets ``write`` give the resources to the panel, and says in the files what is in force.

        No other task writes to these files meanwhile. Raises CredentialsError where a file cannot be written; then ``write`` was not called.
        write: takes the resources and returns the result of a task. results: what such a result says of objects with these names.
        """
        with turn_at(self._by_file()):
            self.check()
            self._begin()
            self.handed_over = list(self._by_file())
            done = write(self.resources())
            unsettled = self._settle(results(done, self.chosen))
        if unsettled:
            done.update(failed=True, msg=" ".join(filter(None, [done.get("msg"), unsettled])))
        return done

    def _begin(self) -> None:
        begun_in: list[tuple[CredentialsFile, list[Credential]]] = []
        try:
            for file, credentials in self._each_file("files of passwords written"):
                self._begin_in(file, credentials)
                begun_in.append((file, credentials))
        except CredentialsError:
            for file, credentials in begun_in:
                self._write(file, [], self._own(credentials))
            raise

    def _begin_in(self, file: CredentialsFile, credentials: list[Credential]) -> None:
        """Writes them as pending, and takes over what another run has written meanwhile."""

        def edit(content: dict[str, Any]) -> dict[str, Any]:
            self._waiting[file.path] = pending(content, self._panel)
            changed = begun(content, credentials)
            self._passwords.update(
                (name, password) for name, password in pending(changed, self._panel).items() if name in self._items
            )
            return changed

        file.change(edit)

    def _settle(self, results: Results) -> str:
        """Says in the files what is known now; what to say where something is not."""
        said = []
        # What somebody else made has another password, unless ours was to be set anyway.
        theirs = {name for name in results.existed if name in self._items and not self._is_set_anyway(name)}
        written, not_written = results.written - theirs, results.not_written | theirs
        for file, credentials in self._each_file("files of passwords completed"):
            done = [one for one in credentials if _name(one) in written]
            refused = [one for one in self._own(credentials) if _name(one) in not_written]
            problem = self._write(file, done, refused)
            if problem:
                said.append(
                    f"Which of the passwords of {_named([_name(one) for one in credentials])} are in force could not be written to the file: "
                    f"{problem} They are in it, under pending_passwords. Correct the cause and run again, which sets them again."
                )
            open_ones = [_name(one) for one in credentials if one not in done and one not in refused]
            if open_ones and not problem:
                said.append(
                    f"Whether the panel has the passwords of {_named(open_ones)} is not known. They are in {file.path}, under "
                    "pending_passwords. Run again, which sets them again."
                )
        return " ".join(said)

    def _write(self, file: CredentialsFile, done: list[Credential], refused: list[Credential]) -> str:
        """Says in a file which are in force, and takes out those that are not; what is wrong if it cannot be written."""
        try:
            file.change(lambda content: withdrawn(in_force(content, done), refused))
        except CredentialsError as error:
            return str(error)
        return ""

    def _by_file(self) -> dict[str, tuple[CredentialsFile, list[Credential]]]:
        """The chosen ones by the path of their file."""
        found: dict[str, tuple[CredentialsFile, list[Credential]]] = {}
        for name in self.chosen:
            file = self._files[name]
            if file is not None:
                credential = Credential(self._panel, *name, password=self._passwords[name])
                found.setdefault(file.path, (file, []))[1].append(credential)
        return found

    def _each_file(self, done: str) -> Iterator[tuple[CredentialsFile, list[Credential]]]:
        """The chosen ones by their files. done: what is said to have been done with those that it has come past."""
        return self._progress.of(done, self._by_file().values())

    def _own(self, credentials: Collection[Credential]) -> list[Credential]:
        """Those that this run has made; what it found pending may be in force, whatever becomes of this run."""
        return [one for one in credentials if self._waiting_for(_name(one)) is None]

    def _waiting_for(self, name: Name) -> str | None:
        return self._waiting.get(self._path(name), {}).get(name)

    def _path(self, name: Name) -> str:
        file = self._files[name]
        return "" if file is None else file.path

    def _is_set_anyway(self, name: Name) -> bool:
        """Whether the object gets its password also where it is there already."""
        wanted = self._items[name].wanted
        return self._waiting_for(name) is not None or wanted.password.regenerate

    def _filled(self, name: Name, item: Item) -> dict[str, Any]:
        options = {option: value for option, value in item.options.items() if option != "regenerate_password"}
        update = "always" if self._is_set_anyway(name) else "on_create"
        return {**options, "password": self._passwords[name], "update_password": update}


def _generates(kind: str) -> bool:
    return kind in KINDS and KINDS[kind].password is not None


def _problems_of_name(item: Item) -> Iterator[str]:
    """Why a new password of the object could not be filed: nobody would know under which name."""
    wanted = item.wanted
    if wanted.id is not None and wanted.password.regenerate:
        yield f"regenerate_password: {GIVE_THE_NAME}"
    if _gets_one(item):
        # Its owner is a part of its name, which plans and results have with the username.
        rows = (row for row in KINDS[item.kind].key if row.refers_to)
        yield from (f"{row.name}: {GIVE_THE_OWNER.format(row.option)}" for row in rows if _by_id(item, row))


def _by_id(item: Item, row: Row) -> bool:
    return any(one.path == (row.name,) and one.name is None for one in item.wanted.references)


def _gets_one(item: Item) -> bool:
    """Whether the panel may have to make a password of it; one that is named by its id is never created."""
    wanted = item.wanted
    return wanted.is_present and wanted.id is None and not wanted.password.is_given


def _name(credential: Credential) -> Name:
    return (credential.kind, credential.key)


def _named(names: Collection[Name]) -> str:
    return first_of([f"{kind} {key}" for kind, key in names], _MOST_NAMED)

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rotation itself: each new password is in an encrypted file before the panel gets it. Private to the collection.

First all new passwords are written as pending, then one object after the other is set and marked as done. A run that ends at any
moment leaves passwords that nobody knows nowhere: the next one sets the pending ones again, with the same passwords.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from ...module_utils._kinds.registry import KINDS
from ...module_utils._task.mistakes import first_lines, first_of
from .._jobs.encrypted_file import Edit, check_room
from .._jobs.job import Job
from .._jobs.job_failed import JobFailed
from .._jobs.mistyped_names import refusal
from .._jobs.run_modules import Item, ModuleRuns, error_type, read_objects, with_owners
from .credentials_content import begun, forgotten, in_force, pending, rotated
from .credentials_file import Credential, CredentialsError, CredentialsFile, credentials_file, turn_at
from .new_password import LEAST, MOST, new_password
from .rotate_selection import ROTATED, Selection, Target, Wish, mistakes_in, names_in, pointless_exceptions, select

# After so many objects in a row that the panel did not answer, it is taken to be gone.
_MOST_UNANSWERED = 2
_NO_ANSWER = ("Unreachable", "ServerFailed", "OutcomeUnknown", "TimeIsUp")
_SAID_EVERY = 5.0
# Seconds between two times that the file is written: encrypting takes longer than setting a password.
_WRITTEN_EVERY = 2.0
_MOST_NAMED = 20
_MOST_LINES = 200


def rotate(job: Job) -> dict[str, Any]:
    """Gives new passwords to what is asked for; the result of the task. Raises JobFailed, WithoutId, and CredentialsError before the first write."""
    wish = Wish(*(job.arguments[name] for name in ("kinds", "clients", "plans", "objects", "except")))
    file = _checked_file(job, wish)
    lists = _lists(job.panel, wish)
    pointless = pointless_exceptions(wish, lists)
    if pointless:
        raise JobFailed(refusal(pointless, names_in(lists)))
    selection = select(wish, lists)
    if selection.missing:
        named = first_of(selection.missing, _MOST_NAMED)
        raise JobFailed(f"Not on this panel: {named}. Nothing was written. Correct the names, or take them out.")
    rotation = _Rotation(job, file, selection, lists)
    rotation.refuse_too_many()
    job.shown.update(rotation.shown())
    if not (rotation.targets or rotation.gone):
        return {}
    # So that of two rotations of the same objects the later one is in force on the panel and in the file.
    with turn_at([] if job.check_mode else [file.path]):
        return rotation.carry_out()


def _checked_file(job: Job, wish: Wish) -> CredentialsFile:
    """The file for the passwords, after all options were looked at; raises JobFailed with every mistake in them."""
    mistakes = [*mistakes_in(wish), *_mistakes_in_options(job.arguments)]
    file = credentials_file(job.arguments["credentials_file"], job.vault)
    try:
        file.check()
    except CredentialsError as error:
        mistakes.append(f"credentials_file: {error}")
    if mistakes:
        raise JobFailed(f"{' '.join(mistakes)} Nothing was written.")
    return file


def _lists(panel: ModuleRuns, wish: Wish) -> dict[str, Sequence[Item]]:
    """The objects of each kind that is needed, with one request a kind. Raises JobFailed and WithoutId."""
    lists: dict[str, Sequence[Item]] = {"plans": read_objects(panel, "plans")} if wish.plans else {}
    for kind in wish.needed_kinds():
        listed = read_objects(panel, kind)
        lists[kind] = listed if kind == "clients" else with_owners(panel, kind, listed)
    # An exception may also be of a kind that is not rotated this time.
    for kind in [kind for kind in ROTATED if kind not in lists] if pointless_exceptions(wish, lists) else ():
        lists[kind] = read_objects(panel, kind)
    return lists


def _set_password(panel: ModuleRuns, target: Target, password: str) -> dict[str, Any]:
    """The result of the module for one object. By its id, so that an object which has gone is not created."""
    options = {"id": target.id, "password": password, "update_password": "always"}
    return panel.run(KINDS[target.kind].module, options)


class _Rotation:
    """What is to be done, and doing it. Raises CredentialsError where the file cannot be used before the first write to the panel."""

    def __init__(
        self, job: Job, file: CredentialsFile, selection: Selection, lists: Mapping[str, Sequence[Item]]
    ) -> None:
        self._job, self._file = job, file
        self._rotation, self._panel = str(job.arguments["id"]), job.panel.name()
        content = file.content()
        done = rotated(content, self._panel, self._rotation)
        self._pending = pending(content, self._panel, self._rotation)
        self._done_before = [target for target in selection.targets if target.name in done]
        self.targets = [
            target for target in selection.targets if target.name not in done or target.name in self._pending
        ]
        there = {kind: {KINDS[kind].key_of(found) for found in lists[kind]} for kind in lists}
        chosen = {target.name for target in self.targets}
        self.gone = [name for name in self._pending if name[0] in there and name[1] not in there[name[0]]]
        self._waiting = [name for name in self._pending if name not in chosen and name not in self.gone]

    def shown(self) -> dict[str, Any]:
        """What is done, for a person; no password."""
        shown: dict[str, Any] = {
            "id": self._rotation,
            "objects": [{"kind": target.kind, "key": target.key, "client": target.client} for target in self.targets],
            "lines": self._lines(),
            "unchanged": len(self._done_before),
            "credentials_file": self._file.path,
        }
        if self._waiting:
            named = first_of([f"{kind} {key}" for kind, key in self._waiting], _MOST_NAMED)
            warning = (
                f"Rotation {self._rotation} was begun for {len(self._waiting)} more objects, which are not among those that are named "
                f"now, so it is not known which password they have: {named}. Name them too, and run again."
            )
            self._job.warn([warning])
        return shown

    def _lines(self) -> list[str]:
        again = " (again, with the password in the file)"
        is_in = "they would be" if self._job.check_mode else "they are"
        heading = f"new passwords: {len(self.targets)}; {is_in} in {self._file.path}:"
        lines = [heading] if self.targets else []
        lines += [f"{target.line()}{again if target.name in self._pending else ''}" for target in self.targets]
        lines += [
            f"{kind} {key} is gone from the panel, and its pending password from the file" for kind, key in self.gone
        ]
        return first_lines(lines, _MOST_LINES)

    def refuse_too_many(self) -> None:
        """Raises JobFailed where more objects are meant than the limit allows."""
        count, limit = len(self.targets), self._job.arguments["max"]
        if count > limit:
            named = first_of([target.line() for target in self.targets], _MOST_NAMED)
            raise JobFailed(
                f"max: {count} objects would get new passwords, and the limit is {limit}. Nothing was written. If that is meant, set the limit to "
                f"{count}; otherwise name fewer. They are: {named}."
            )

    def carry_out(self) -> dict[str, Any]:
        """Writes the passwords to the file, then sets them one by one; what came of it. In check mode only looks whether the file can be written."""
        beginning = self._beginning()
        check_room([(self._file, beginning)])
        if self._job.check_mode:
            return {"changed": True}
        self._begin(beginning)
        credentials = [self._credential(target) for target in self.targets]
        marks = RotationMarks(self._file)
        failures: list[str] = []
        parent, changed, why = os.getppid(), 0, ""
        said, unanswered = time.monotonic(), 0
        for target, credential in zip(self.targets, credentials):
            if os.getppid() != parent:
                why = "Ansible has ended."  # a worker outlives a killed Ansible
                break
            if time.monotonic() - said > _SAID_EVERY:
                said = time.monotonic()
                self._job.say(f"{changed} of {len(self.targets)} new passwords set")
            done = _set_password(self._job.panel, target, credential.password)
            if not done.get("failed"):
                changed, unanswered = changed + 1, 0
                marks.add(credential)
                continue
            failures.append(f"{target.line()}: {done.get('msg', '')}")
            unanswered = unanswered + 1 if error_type(done) in _NO_ANSWER else 0
            if unanswered == _MOST_UNANSWERED or error_type(done) == "Denied":
                why = "The panel does not take any more, so nothing was sent for the others."
                break
        lost_mark = marks.write()
        left = len(self.targets) - changed - len(failures)
        result = {"changed": True, "rotated": changed, "failures": failures, "left": left}
        if failures or left or lost_mark:
            # Ansible prints all of a result that failed.
            del self._job.shown["objects"], self._job.shown["lines"]
            sentences = [self._incomplete(changed, failures, left, why), lost_mark]
            raise JobFailed(" ".join(filter(None, sentences)), **result)
        return result

    def _beginning(self) -> Edit:
        """What makes of the file's content one with a pending password for each object."""
        made = [self._credential(target) for target in self.targets]
        return lambda content: begun(forgotten(content, self._panel, self.gone), made)

    def _begin(self, beginning: Edit) -> None:
        """Writes a pending password for each object, and takes over those that another run of the same rotation has written meanwhile."""

        def edit(content: dict[str, Any]) -> dict[str, Any]:
            changed = beginning(content)
            self._pending = pending(changed, self._panel, self._rotation)
            return changed

        self._file.change(edit)
        # What the other run has done already is done.
        self.targets = [target for target in self.targets if target.name in self._pending]

    def _credential(self, target: Target) -> Credential:
        password = self._pending.get(target.name) or new_password(self._job.arguments["length"])
        return Credential(self._panel, target.kind, target.key, password, self._rotation)

    def _incomplete(self, changed: int, failures: list[str], left: int, why: str) -> str:
        if not failures and not left:
            return ""
        first = f" First: {failures[0]}" if failures else ""
        return (
            f"{changed} of {len(self.targets)} objects have their new password, {len(failures)} failed, {left} were not tried. {why}{first} "
            f"{self._file.path} has the old passwords, as far as it knew them, and the new ones, under pending_passwords. Run again with the "
            f"same id {self._rotation}: it sets the same new passwords for the rest."
        ).replace("  ", " ")


def _mistakes_in_options(arguments: Mapping[str, Any]) -> list[str]:
    found = []
    if not str(arguments["id"]).strip():
        found.append("id: is empty; name the rotation, by its date for example.")
    if not LEAST <= arguments["length"] <= MOST:
        found.append(
            f"length: {arguments['length']} is not accepted; it must be a whole number from {LEAST} to {MOST}."
        )
    if arguments["max"] < 1:
        found.append(f"max: {arguments['max']} is not accepted; it must be a whole number from 1.")
    return found


class RotationMarks:
    """Marks passwords as set in the file, several at once where that goes faster than encrypting."""

    def __init__(self, file: CredentialsFile) -> None:
        self._file = file
        self._waiting: list[Credential] = []
        self._written = 0.0

    def add(self, credential: Credential) -> None:
        self._waiting.append(credential)
        if time.monotonic() - self._written > _WRITTEN_EVERY:
            self.write()

    def write(self) -> str:
        """What to say if the file cannot be written; the passwords are in it all the same, as pending ones."""
        done = self._waiting
        if not done:
            return ""
        try:
            self._file.change(lambda content: in_force(content, done))
        except CredentialsError as error:
            return (
                f"{len(done)} new passwords that are in force could not be marked as such: {error} They are in the file, under "
                "pending_passwords. Correct the cause and run again with the same id."
            )
        self._waiting, self._written = [], time.monotonic()
        return ""

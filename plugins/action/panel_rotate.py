# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives a group of objects new passwords, each of which is in an encrypted file before the panel gets it.

First all new passwords are written as pending, then one object after the other is set and marked as done. A run that ends at any
moment leaves passwords that nobody knows nowhere: the next one sets the pending ones again, with the same passwords.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from ..module_utils._http.connection import connection_argument_spec
from ..module_utils._kinds.registry import KINDS
from ..module_utils._rows.tables import OWNER
from ..module_utils._task.mistakes import first_lines, first_of
from ..plugin_utils._inputs.checked_arguments import checked_arguments
from ..plugin_utils._inputs.exceptions import refusal
from ..plugin_utils._inputs.ids import WithoutId, id_of
from ..plugin_utils._inputs.plain_values import plain
from ..plugin_utils._passwords.entries import begun, forgotten, pending, rotated
from ..plugin_utils._passwords.file import (
    Credential,
    CredentialsError,
    CredentialsFile,
)
from ..plugin_utils._passwords.new import LEAST, MOST, USUAL, new_password
from ..plugin_utils._passwords.turns import turn_at
from ..plugin_utils._passwords.vault import credentials_file
from ..plugin_utils._rotation.marks import RotationMarks
from ..plugin_utils._rotation.selection import (
    ROTATED,
    Selection,
    Target,
    Wish,
    mistakes_in,
    names_in,
    pointless_exceptions,
    select,
)
from ..plugin_utils._run.inner_module import (
    error_type,
    given_connection,
    inner_module,
)
from ..plugin_utils._run.panel_action import PanelAction
from ..plugin_utils._run.panel_host import panel_host

ARGUMENT_SPEC: dict[str, Any] = {
    "id": {"type": "str", "required": True},
    "kinds": {"type": "list", "elements": "str", "choices": list(ROTATED), "default": []},
    "clients": {"type": "list", "elements": "str", "default": []},
    "plans": {"type": "list", "elements": "str", "default": []},
    "objects": {"type": "dict", "default": {}},
    "except": {"type": "list", "elements": "str", "default": []},
    "max": {"type": "int", "default": 100},
    "length": {"type": "int", "default": USUAL},
    "credentials_file": {"type": "path", "required": True},
    **connection_argument_spec(),
}
# After so many objects in a row that the panel did not answer, it is taken to be gone.
_MOST_UNANSWERED = 2
_NO_ANSWER = ("Unreachable", "ServerFailed", "OutcomeUnknown")
_SAID_EVERY = 5.0
_MOST_NAMED = 20
_MOST_LINES = 200


class ActionModule(PanelAction):
    """The action behind hosting.panel.panel_rotate."""

    _supports_async = False

    def result_of(self, result: dict[str, Any], task_vars: Any) -> dict[str, Any]:
        arguments = checked_arguments(self, ARGUMENT_SPEC)
        arguments = plain({name: arguments[name] for name in ARGUMENT_SPEC if name in arguments})
        wish = Wish(*(arguments[name] for name in ("kinds", "clients", "plans", "objects", "except")))
        mistakes = [*mistakes_in(wish), *_mistakes_in_options(arguments)]
        file = credentials_file(arguments["credentials_file"], self._loader)
        try:
            if file is not None:
                file.check()
        except CredentialsError as error:
            mistakes.append(f"credentials_file: {error}")
        if mistakes or file is None:
            return {**result, **_failed(f"{' '.join(mistakes)} Nothing was written.")}
        try:
            lists, failure = self._lists(wish, task_vars)
            if failure:
                return {**result, **failure}
            pointless = pointless_exceptions(wish, lists)
            if pointless:
                return {**result, **_failed(refusal(pointless, names_in(lists)))}
            selection = select(wish, lists)
        except WithoutId as error:
            return {**result, **_failed(str(error))}
        if selection.missing:
            return {**result, **_failed(_missing_words(selection))}
        rotation = _Rotation(self, arguments, file, selection, lists, task_vars)
        try:
            if len(rotation.targets) > arguments["max"]:
                return {**result, **_failed(rotation.too_many())}
            result.update(rotation.shown())
            result["changed"] = bool(rotation.targets or rotation.gone)
            if result["changed"]:
                # So that of two rotations of the same objects the later one is in force on the panel and in the file.
                with turn_at([] if self._task.check_mode else [file.path]):
                    result.update(rotation.carry_out(self._task.check_mode))
                if result.get("failed"):
                    # Ansible prints all of a result that failed.
                    result = {name: value for name, value in result.items() if name not in ("objects", "lines")}
        except CredentialsError as error:
            return {**result, **_failed(f"credentials_file: {error} Nothing was written to the panel.")}
        return result

    def _lists(self, wish: Wish, task_vars: Any) -> tuple[dict[str, list[dict[str, Any]]], dict[str, Any]]:
        """The objects of each kind that is needed, with one request a kind; and what came of the first one that failed. Raises WithoutId."""
        lists: dict[str, list[dict[str, Any]]] = {}
        for kind in [*(["plans"] if wish.plans else []), *wish.needed_kinds()]:
            found = self._read(kind, {}, task_vars)
            if found.get("failed"):
                return {}, _read_failure(found)
            lists[kind] = found[kind]
            # A panel may leave out of a list whose an object is.
            for index, item in enumerate(lists[kind] if kind in ROTATED[1:] else ()):
                if OWNER not in item:
                    whole = self._read(kind, {"id": id_of(item, f"{kind} {KINDS[kind].key_of(item)}")}, task_vars)
                    if whole.get("failed"):
                        return {}, _read_failure(whole)
                    lists[kind][index] = {**item, **(whole[kind][0] if whole[kind] else {})}
        # An exception may also be of a kind that is not rotated this time.
        for kind in [kind for kind in ROTATED if kind not in lists] if pointless_exceptions(wish, lists) else ():
            found = self._read(kind, {}, task_vars)
            if found.get("failed"):
                return {}, _read_failure(found)
            lists[kind] = found[kind]
        return lists, {}

    def _read(self, kind: str, options: Mapping[str, Any], task_vars: Any) -> dict[str, Any]:
        module = f"{KINDS[kind].module}_info"
        result: dict[str, Any] = inner_module(self, module, {**given_connection(self), **options}).run(
            task_vars=task_vars
        )
        return result

    def set_password(self, target: Target, password: str, task_vars: Any) -> dict[str, Any]:
        """The result of the module for one object. By its id, so that an object which has gone is not created."""
        options = {"id": target.id, "password": password, "update_password": "always"}
        inner = inner_module(self, KINDS[target.kind].module, {**given_connection(self), **options})
        result: dict[str, Any] = inner.run(task_vars=task_vars)
        return result

    def panel(self) -> str:
        """By which name the panel is known in the file."""
        return panel_host(self._task.args, inner_module(self, "panel_ping", {})._task_environment())


class _Rotation:
    """What is to be done, and doing it. Raises CredentialsError where the file cannot be used before the first write to the panel."""

    def __init__(
        self,
        action: ActionModule,
        arguments: Mapping[str, Any],
        file: CredentialsFile,
        selection: Selection,
        lists: Mapping[str, list[dict[str, Any]]],
        task_vars: Any,
    ) -> None:
        self._action, self._arguments, self._file, self._task_vars = action, arguments, file, task_vars
        self._rotation, self._panel = str(arguments["id"]), action.panel()
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
            named = ", ".join(f"{kind} {key}" for kind, key in self._waiting[:_MOST_NAMED])
            warning = (
                f"Rotation {self._rotation} was begun for {len(self._waiting)} more objects, which are not among those that are named "
                f"now, so it is not known which password they have: {named}. Name them too, and run again."
            )
            shown["warnings"] = [warning]
        return shown

    def _lines(self) -> list[str]:
        again = " (again, with the password in the file)"
        is_in = "they would be" if self._action._task.check_mode else "they are"
        heading = f"new passwords: {len(self.targets)}; {is_in} in {self._file.path}:"
        lines = [heading] if self.targets else []
        lines += [f"{target.line()}{again if target.name in self._pending else ''}" for target in self.targets]
        lines += [
            f"{kind} {key} is gone from the panel, and its pending password from the file" for kind, key in self.gone
        ]
        return first_lines(lines, _MOST_LINES)

    def too_many(self) -> str:
        named = first_of([target.line() for target in self.targets], _MOST_NAMED)
        return (
            f"max: {len(self.targets)} objects would get new passwords, and the limit is {self._arguments['max']}. Nothing was written. If that "
            f"is meant, set the limit to {len(self.targets)}; otherwise name fewer. They are: {named}."
        )

    def carry_out(self, check_mode: bool) -> dict[str, Any]:
        """Writes the passwords to the file, then sets them one by one; what came of it. In check mode only looks whether the file can be written."""
        beginning = self._beginning()
        self._file.check_room(beginning)
        if check_mode:
            return {}
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
                self._action.say(f"{changed} of {len(self.targets)} new passwords set")
            done = self._action.set_password(target, credential.password, self._task_vars)
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
        result: dict[str, Any] = {"changed": True, "rotated": changed, "failures": failures, "left": left}
        if failures or left or lost_mark:
            result["failed"] = True
            result["msg"] = " ".join(filter(None, [self._incomplete(changed, failures, left, why), lost_mark]))
        return result

    def _beginning(self) -> Callable[[dict[str, Any]], dict[str, Any]]:
        """What makes of the file's content one with a pending password for each object."""
        made = [self._credential(target) for target in self.targets]
        return lambda content: begun(forgotten(content, self._panel, self.gone), made)

    def _begin(self, beginning: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Writes a pending password for each object, and takes over those that another run of the same rotation has written meanwhile."""

        def edit(content: dict[str, Any]) -> dict[str, Any]:
            changed = beginning(content)
            self._pending = pending(changed, self._panel, self._rotation)
            return changed

        self._file.change(edit)
        # What the other run has done already is done.
        self.targets = [target for target in self.targets if target.name in self._pending]

    def _credential(self, target: Target) -> Credential:
        password = self._pending.get(target.name) or new_password(self._arguments["length"])
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


def _missing_words(selection: Selection) -> str:
    named = first_of(selection.missing, _MOST_NAMED)
    return f"Not on this panel: {named}. Nothing was written. Correct the names, or take them out."


def _read_failure(result: Mapping[str, Any]) -> dict[str, Any]:
    names = ("failed", "changed", "msg", "error", "warnings", "exception")
    return {name: result[name] for name in names if name in result}


def _failed(message: str) -> dict[str, Any]:
    return {"failed": True, "changed": False, "msg": message}

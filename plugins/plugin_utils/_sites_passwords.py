# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The passwords that a run makes for new objects of customers, in their files. Private to the collection.

They are there before the panel gets them, in place of what the file had for the same objects. Where an object does not come to be, because
the panel has it after all or another run is making it, what the file had is put back: it may be the password in force.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from ansible_collections.hosting.panel.plugins.plugin_utils._credentials import (
    LIST,
    Credential,
    CredentialsError,
    CredentialsFile,
    object_of,
    with_credentials,
)

Name = tuple[str, str]  # (plural kind, natural key)
Entry = dict[str, Any]


class NewPasswords:
    """new: by path of their file the passwords that were made for objects which are to be created."""

    def __init__(self, files: Mapping[str, CredentialsFile], new: Mapping[str, list[Credential]]) -> None:
        self._files, self._new = files, new
        self._replaced: dict[str, list[Entry]] = {path: [] for path in new}

    def check(self) -> None:
        """Raises CredentialsError where `write` could not work; writes nothing."""
        for path in self._new:
            self._files[path].check(writes=False)

    def write(self) -> None:
        """Puts all of them into their files. Raises CredentialsError."""
        for path, credentials in self._new.items():
            self._files[path].change(self._remembering(path, credentials))

    def withdraw(self) -> str:
        """Takes all of them out again, for a panel that got none of them; what to say if that fails."""
        return self._each(
            lambda path, ours: _taken_out(ours, self._replaced[path]), "Passwords that nothing has are still in a file"
        )

    def settle(self, results: Collection[Mapping[str, Any]]) -> str:
        """After the run: those in force are in their files, also where another run wrote others; what to say if that fails.

        results: as panel_resources gives them.
        """
        created = {
            (one["kind"], one["key"]) for one in results if one["result"] == "changed" and not one.get("existed")
        }
        not_created = {(one["kind"], one["key"]) for one in results if _is_certainly_not_written(one)}
        put_back = {
            path: [entry for entry in entries if (entry["kind"], entry["key"]) in not_created]
            for path, entries in self._replaced.items()
        }

        def edit(path: str, ours: list[Credential]) -> Callable[[Entry], Entry]:
            in_force = [one for one in ours if (one.kind, one.key) in created]
            names = {(entry["kind"], entry["key"]) for entry in put_back[path]}
            withdrawn = _taken_out([one for one in ours if (one.kind, one.key) in names], put_back[path])

            def edited(content: Entry) -> Entry:
                before = withdrawn(content)
                return {**before, LIST: with_credentials(before[LIST], _not_in(before, in_force))}

            return edited

        return self._each(edit, "Whether the passwords in a file are those in force is not known")

    def _remembering(self, path: str, credentials: list[Credential]) -> Callable[[Entry], Entry]:
        def edit(content: Entry) -> Entry:
            changed = with_credentials(content[LIST], credentials)
            self._replaced[path] = [entry for entry in content[LIST] if entry not in changed]
            return {**content, LIST: changed}

        return edit

    def _each(self, edit: Callable[[str, list[Credential]], Callable[[Entry], Entry]], failure: str) -> str:
        said = [self._one(path, edit, failure) for path in self._new]
        return " ".join(filter(None, said))

    def _one(self, path: str, edit: Callable[[str, list[Credential]], Callable[[Entry], Entry]], failure: str) -> str:
        credentials = self._new[path]
        try:
            self._files[path].change(edit(path, credentials))
        except CredentialsError as error:
            named = ", ".join(f"{one.kind} {one.key}" for one in credentials)
            return f"{failure}, for {named}: {error}"
        return ""


def _taken_out(credentials: Collection[Credential], replaced: Collection[Entry]) -> Callable[[Entry], Entry]:
    """Takes passwords out, where they are still the ones in the file, and puts those that they replaced in their places."""
    entries = [credential.entry() for credential in credentials]
    older = {object_of(entry): entry for entry in replaced}

    def edit(content: Entry) -> Entry:
        kept = [older.get(object_of(one), one) if one in entries else one for one in content[LIST]]
        return {**content, LIST: [one for one in kept if one not in entries]}

    return edit


def _not_in(content: Entry, credentials: Collection[Credential]) -> list[Credential]:
    """Those that the file does not say are in force; an entry may say more than a password."""
    there = [(*object_of(entry), entry.get("password")) for entry in content[LIST] if isinstance(entry, dict)]
    return [one for one in credentials if (one.panel, one.kind, one.key, one.password) not in there]


def _is_certainly_not_written(result: Mapping[str, Any]) -> bool:
    error = result.get("error") or {}
    return (
        result["result"] == "skipped"
        or bool(result.get("existed"))
        or (result["result"] == "failed" and error.get("type") in ("Refused", "Denied", "Conflict", "Unreachable"))
    )

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of an object differs from what is wanted, collected from row to row; its members by their paths. Pure. Private to the collection."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple

from .._errors import Conflict
from .._secrets.redaction import without_secrets

SECRET_CHANGES = "(a new secret)"

Path = tuple[str, ...]
"""Leads to a member of an object, through the groups that it is in."""


def has(holder: Any, path: Path) -> bool:
    for name in path:
        if not isinstance(holder, Mapping) or name not in holder:
            return False
        holder = holder[name]
    return True


def value_at(holder: Any, path: Path) -> Any:
    """The member at this path; None where there is none."""
    for name in path:
        holder = holder.get(name) if isinstance(holder, Mapping) else None
    return holder


def put(holder: dict[str, Any], path: Path, value: Any) -> None:
    for name in path[:-1]:
        holder = holder.setdefault(name, {})
    holder[path[-1]] = value


class Resolved(NamedTuple):
    """The object that a reference leads to. ``id`` is None where it does not exist yet, which only check mode accepts.

    ``before``: the name of the one that is referred to now, where it is known. ``instead``: in the words of a message, what the object on
    the panel refers to and what it shall, where that is a conflict.
    """

    id: int | None
    object: Mapping[str, Any] | None = None
    before: str | None = None
    instead: tuple[str, str] | None = None


class Difference:
    """What has to be sent to change ``current``, and the two sides of the diff, in which secrets still are.

    title: of its kind. label: tells the object in the words of a message.
    """

    def __init__(self, title: str, label: Callable[[], str], current: Mapping[str, Any]) -> None:
        self.title, self.label, self.current = title, label, current
        self.body: dict[str, Any] = {}
        self.before: dict[str, Any] = {}
        self.after: dict[str, Any] = {}
        self.warnings: list[str] = []
        self.generates = False  # whether the answer must bring a password

    @property
    def object(self) -> str:
        return f"{self.title} {self.label()}"

    def record(self, path: Path, sent: Any, before: Any, is_same: bool = False, shown: Any = None) -> None:
        """Sends a value unless it is the same. shown: where in the diff, and as what, if that is another place or value."""
        where, after = shown or (path, sent)
        if not is_same:
            put(self.body, path, copy.deepcopy(sent))
        # A value that is right already is shown as the panel writes it, so that the diff has no line for it.
        put(self.before, where, before)
        put(self.after, where, before if is_same else after)

    def record_secret(self, path: Path, sent: Any) -> None:
        """Sends a value of which the diff only shows that it changes."""
        put(self.body, path, sent)
        put(self.after, path, SECRET_CHANGES)

    def sends(self, path: Path) -> bool:
        return has(self.body, path)

    def refuse(self, option: str, wanted: Any, there: Any) -> None:
        """Raises Conflict, since the panel keeps what is there."""
        problem = f"the {self.object} exists with {there}, the task wants {wanted}. The panel cannot change that on an existing object."
        raise Conflict(f"{option}: {problem} Correct the task. Nothing was written.", option=option)

    def warn_of_flag(self, option: str, there: Any, elsewhere: str) -> None:
        """Warns that the panel keeps what is there. elsewhere: what changes it."""
        problem = f"{option} counts only at creation; {self.label()} exists with {there!r} and keeps it."
        self.warnings.append(f"{problem} {elsewhere}".strip())


def without_secrets_but_marks(value: Mapping[str, Any], earlier: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A side of a diff without secrets; of one that is another than on the ``earlier`` side a mark is left that it changes."""
    earlier = earlier or {}
    kept: dict[str, Any] = without_secrets(dict(value))
    for name, member in value.items():
        before = earlier.get(name)
        if name not in kept:
            if member is not None and member != before:
                kept[name] = SECRET_CHANGES
        elif isinstance(member, str) and kept[name] != member != before and kept[name] == without_secrets(before):
            # Only what is masked in the text is another.
            kept[name] = SECRET_CHANGES
        elif isinstance(member, dict):
            kept[name] = without_secrets_but_marks(member, before if isinstance(before, dict) else None)
    return kept

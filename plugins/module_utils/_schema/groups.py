# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of a table that are nested dictionaries. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Callable, Union

from .._errors import OptionError
from .._values.value_types import ValueType
from .difference import Difference, Path
from .fields import Field, Member, Reference, Row, WantedReference


@dataclass(frozen=True)
class Group(Row):
    """A nested dictionary, managed member by member. ``clearable``: an empty dictionary clears all of its members.

    ``alternatives``: members of which at most one is on, each with the value that means off; switching one on switches the others off.
    ``shown``: members that the panel shows and nobody sets; they are accepted, so that what was read can be given, and ignored.
    """

    name: str
    members: tuple[Field | Reference, ...]
    clearable: bool = False
    required: bool = False
    alternatives: tuple[tuple[str, Any], ...] = ()
    shown: tuple[str, ...] = ()

    def leaves(self) -> Iterator[tuple[Path, Member]]:
        for member in self.members:
            yield (self.name, member.name), member

    def arguments(self) -> dict[str, dict[str, Any]]:
        members = {option: argument for member in self.members for option, argument in member.arguments().items()}
        members.update({name: {"type": "raw"} for name in self.shown})
        exclusive = [list(member.options) for member in self.members if len(member.options) > 1]
        limits = {"mutually_exclusive": exclusive} if exclusive else {}
        return {self.name: {"type": "dict", "options": members, **limits}}

    def read(self, given: Mapping[str, Any], path: Path, values: dict[str, Any], references: list[Any]) -> None:
        if self.name not in given:
            return
        value = given[self.name]
        if not isinstance(value, dict):
            raise OptionError(self.name, "must be a dictionary of its fields.")
        members = {name: member for name, member in value.items() if member is not None and name not in self.shown}
        if not members:
            if not value.keys().isdisjoint(self.shown):
                return
            if not self.clearable:
                raise OptionError(self.name, "an empty dictionary would change nothing; name the fields to change.")
            members = {member.name: "" for member in self.members}
        self._check_names(members)
        inner: dict[str, Any] = {}
        referring: list[WantedReference] = []
        for member in self.members:
            member.read(members, (*path, self.name), inner, referring)
        self._check_alternatives(inner, referring)
        self._check_siblings(inner)
        references += referring
        if inner:
            values[self.name] = inner

    def _check_names(self, given: Mapping[Any, Any]) -> None:
        known = {option for member in self.members for option in member.options}
        for name in sorted(str(name) for name in given.keys() - known):
            problem = f"there is no such field; {self.name} has {', '.join(sorted(known))}."
            raise OptionError(f"{self.name}.{name}", problem)

    def _check_alternatives(self, inner: Mapping[str, Any], references: Iterable[WantedReference]) -> None:
        off = dict(self.alternatives)
        on = [f"{self.name}.{name}" for name, value_off in off.items() if inner.get(name, value_off) != value_off]
        on += [one.option for one in references if one.given != off.get(one.row.name, one.given)]
        if len(on) > 1:
            raise OptionError(on[0], f"excludes {on[1]}; give one of the two.")

    def _check_siblings(self, inner: Mapping[str, Any]) -> None:
        for member in self.members:
            sibling, value = member.only_with or ("", None)
            if inner.get(member.name) is not None and inner.get(sibling, value) != value:
                problem = f"counts only with {self.name}.{sibling}: {value}; omit it, or clear it."
                raise OptionError(f"{self.name}.{member.name}", problem)

    def compare(self, wanted: Mapping[str, Any], holder: Mapping[str, Any], path: Path, difference: Difference) -> None:
        path = (*path, self.name)
        current = holder.get(self.name)
        current = current if isinstance(current, dict) else {}
        for member in self.members:
            if member.name in wanted:
                member.compare(wanted[member.name], current, path, difference)
        changed = difference.body.get(self.name)
        if changed is None:
            return
        self._switch_off_alternatives(wanted, current, changed, difference)
        # Whether the panel merges or replaces a nested object is only known for some; with all members sent both do the same.
        for member in self.members:
            name = member.name
            if name in current and name not in changed and member.is_repeatable(current[name]):
                changed[name] = member.repeated({**current, **changed})

    def _switch_off_alternatives(
        self, wanted: Mapping[str, Any], current: Mapping[str, Any], changed: dict[str, Any], difference: Difference
    ) -> None:
        """Sends the others as off beside the one that the task wants: a panel that merges would keep them, and may refuse two."""
        off = dict(self.alternatives)
        on = {
            member.name
            for member in self.members
            if member.name in off and member.name in wanted and member.sent(wanted[member.name]) != off[member.name]
        }
        for name, value_off in off.items() if on else ():
            if name in on or name in changed:
                continue
            if str(current.get(name) or value_off) != str(value_off):
                difference.record((self.name, name), value_off, current[name])
            changed[name] = value_off

    def rewritten(self, value: Any, how: Callable[[ValueType, Any], Any]) -> Any:
        return rewritten(self.members, value, how) if isinstance(value, dict) else value

    def lacking(self, body: Mapping[str, Any], prefix: str = "") -> list[str]:
        if self.name not in body:
            return super().lacking(body, prefix)
        return [
            option for member in self.members for option in member.lacking(body[self.name], f"{prefix}{self.name}.")
        ]


def rewritten(
    rows: Iterable[AnyRow], values: Mapping[str, Any], how: Callable[[ValueType, Any], Any]
) -> dict[str, Any]:
    """The options of these rows, each value in another spelling; what no row has stays."""
    by_option = {row.option: row for row in rows}
    return {
        name: by_option[name].rewritten(value, how) if name in by_option else value for name, value in values.items()
    }


AnyRow = Union[Field, Reference, Group]

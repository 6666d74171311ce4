# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A row that is one member of an object. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._secrets.redaction import without_secrets
from .._values.base import ValueType, parsed
from .._values.collections import SetOf
from .._values.sendable import problem_of
from .difference import Difference
from .exported import CannotBeNamed, NameOf, Said, option_value, reason_of_text
from .nested import Path
from .row import Change, Member


@dataclass(frozen=True)
class Field(Member):
    """One member, under the API's own name.

    ``required``: needed to create the object. ``default_from``: on creation, takes the value of that other option when it is omitted.
    ``unchanged_with``: where the panel does not show this member, it counts as unchanged while that sibling is unchanged.
    ``only_with``: the sibling and its value with which this member counts; with another value it is null. ``elsewhere``: for flags of
    creation, what changes it on an object that exists.
    """

    name: str
    type: ValueType
    change: Change = Change.FREE
    required: bool = False
    secret: bool = False
    default_from: str | None = None
    unchanged_with: str | None = None
    only_with: tuple[str, Any] | None = None
    elsewhere: str = ""

    def arguments(self) -> dict[str, dict[str, Any]]:
        return {self.name: {**self.type.argument(), **({"no_log": True} if self.secret else {})}}

    def read(self, given: Mapping[str, Any], path: Path, values: dict[str, Any], references: list[Any]) -> None:
        del references
        if self.name in given:
            values[self.name] = parsed(self.type, ".".join((*path, self.name)), given[self.name], self.secret)

    def compare(self, wanted: Any, holder: Mapping[str, Any], path: Path, difference: Difference) -> None:
        path = (*path, self.name)
        option = ".".join(path)
        is_shown, value = self.name in holder, holder.get(self.name)
        if self.change is not Change.FREE:
            if is_shown and not self.same(wanted, value):
                if self.change is Change.IDENTITY:
                    difference.refuse(option, wanted, value)
                difference.warn_of_flag(option, value, self.elsewhere)
            return
        if is_shown:
            is_same = self.same(wanted, value)
        elif self.unchanged_with is not None:
            is_same = not difference.sends((*path[:-1], self.unchanged_with))
        else:
            is_same = self.same(wanted, None)
            if not is_same:
                difference.warnings.append(
                    f"The panel does not show {option} of the {difference.object}, so whether it is right "
                    "already cannot be told: it is sent again in every run."
                )
        if not self.secret:
            difference.record(path, wanted, value, is_same)
        elif not is_same:
            difference.record_secret(path, wanted)

    def value_of(self, shown: Mapping[str, Any], _name_of: NameOf) -> Any:
        return option_value(self.type, shown[self.name]) if self.name in shown else None

    def label(self, shown: Mapping[str, Any], _name_of: NameOf) -> str:
        return str(without_secrets(shown.get(self.name)) or f"id {shown.get('id')}")

    def exported(self, shown: Mapping[str, Any], said: Said, prefix: str = "") -> Any:
        if self.secret or not self.counts(shown):
            return None
        if self.change is Change.AT_CREATION:
            return said.flags.get(self.name)
        current, value = shown.get(self.name), self.value_of(shown, said.name_of)
        if value is None and self.required:
            hidden = f"the panel shows no {self.name} of it, without which it is not made again"
            raise CannotBeNamed(hidden if current in (None, "") else self.why_unnamed(shown))
        if value is None and current not in (None, ""):
            reason = f"the module does not accept what the panel shows; it must be {self.type.form}"
            said.leave_out(prefix + self.name, reason_of_text(current) or reason, self._accepted(current))
        return value

    def why_unnamed(self, shown: Mapping[str, Any]) -> str:
        why = problem_of(shown.get(self.name)) or f"is none that the module accepts; it must be {self.type.form}"
        return f"its {self.name} {why}"

    def _accepted(self, shown: Any) -> list[Any] | None:
        """The entries of a list that the option takes, though it does not take all of them."""
        if not isinstance(self.type, SetOf) or not isinstance(shown, list):
            return None
        entries = (option_value(self.type, [entry]) for entry in shown)
        return sorted({one for entry in entries for one in entry or ()}, key=str)

    def is_repeatable(self, shown: Any) -> bool:
        del shown
        return not self.secret

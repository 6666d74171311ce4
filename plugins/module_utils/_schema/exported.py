# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the options of an item can say of an object that a panel shows, and what they leave out. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable, NamedTuple, Optional

from .._secrets.redaction import holds_secret_by_form
from .._values.json_values import problem_of
from .._values.value_types import ValueType

NameOf = Callable[[Any, Mapping[str, Any]], Optional[str]]
"""The name of the object that a reference of what a panel shows leads to; None where it has none, or cannot be told."""

SECRET = "it holds a secret (a private key, a hash of a password, an address or a text of JSON with a password)"


class CannotBeNamed(Exception):
    """An object that no item can stand for; the text says why."""


class LeftOut(NamedTuple):
    """A member that an item leaves out, and why. accepted: of a list, the entries that the option takes."""

    reason: str
    option: str
    accepted: list[Any] | None = None


class ObjectExport:
    """Collects, row by row, what an item says of one object. flags: what it has to say on creation for the panel to make the same."""

    def __init__(self, name_of: NameOf, flags: Mapping[str, Any]) -> None:
        self.name_of, self.flags = name_of, flags
        self.values: dict[str, Any] = {}  # by the names of rows
        self.left_out: list[LeftOut] = []

    def leave_out(self, option: str, reason: str, accepted: list[Any] | None = None) -> None:
        self.left_out.append(LeftOut(reason, option, accepted))


def option_value(value_type: ValueType, shown: Any) -> Any:
    """What an option takes to mean the shown value: an empty text for null where it clears, None where no value does.

    What the module would send for it is what is returned, so it is accepted, and it is the same as what is there.
    """
    if reason_of_text(shown):
        return None
    try:
        value = value_type.parse("" if shown is None else shown)
        if not value_type.same(value, shown):
            return None
    except (ValueError, TypeError, ArithmeticError):
        return None
    if isinstance(value, list):
        return sorted(value, key=str)
    return "" if value is None else value


def reason_of_text(shown: Any) -> str:
    """Why a value is none to hand on, whatever option it is for; empty where it may be."""
    return SECRET if holds_secret_by_form(shown) else reason_of_problem(shown)


def reason_of_problem(shown: Any) -> str:
    """Why no request could hold a value; empty where one could."""
    problem = problem_of(shown)
    return f"it {problem}" if problem else ""

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every type of value can do. Private to the collection."""

from __future__ import annotations

from typing import Any

from .._errors import OptionError


class ValueType:
    """Turns what a user writes into what is sent, and tells whether the panel has it already.

    ``option_type`` is the type in Ansible's words, ``form`` the accepted form in the words of an error message, ``is_shown`` whether
    such a message may show the value.
    """

    option_type = "str"
    form = "a text"
    is_shown = True

    def parse(self, value: Any) -> Any:
        """What is sent to the panel; raises ValueError for anything else than ``form``."""
        raise NotImplementedError

    def comparable(self, value: Any) -> Any:
        """A normal form that is equal for equal values; accepts whatever a panel may answer and never raises."""
        return value

    def stored(self, name: str) -> str:
        """A name in the panel's spelling; one that is none stays as it is."""
        return name

    def same(self, wanted: Any, current: Any) -> bool:
        """Whether the panel's value already is the wanted (parsed) one."""
        return bool(self.comparable(wanted) == self.comparable(current))

    def written(self, shown: Any) -> str:
        """What the panel shows as a text in which people know it."""
        return str(shown)

    def argument(self) -> dict[str, Any]:
        """How Ansible describes an option of this type."""
        return {"type": self.option_type}


def parsed(value_type: ValueType, option: str, value: Any, secret: bool = False) -> Any:
    """The parsed value, or an OptionError that names the option, the value and the accepted form."""
    try:
        return value_type.parse(value)
    except (ValueError, TypeError, ArithmeticError):
        shown = "the given value" if secret or not value_type.is_shown else repr(value)
        if len(shown) > 80:
            shown = shown[:77] + "..."
        raise OptionError(option, f"{shown} is not accepted; it must be {value_type.form}.") from None

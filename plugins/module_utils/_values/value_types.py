# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of values: texts, numbers, switches, choices, lists and directories. Private to the collection."""

from __future__ import annotations

import math
from typing import Any

from .._errors import OptionError


class ValueType:
    """Turns what a user writes into what is sent, and tells whether the panel has it already.

    ``option_type``: the type in Ansible's words. ``form``: the accepted form, for messages. ``is_shown``: whether a message may show the value.
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

    def typed(self, shown: Any) -> Any:
        """What the panel shows, in the type in which it is sent; what is none of its values stays."""
        return shown

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
        shown = "the given value" if secret or not value_type.is_shown else shortened(value)
        raise OptionError(option, f"{shown} is not accepted; it must be {value_type.form}.") from None


def shortened(value: Any) -> str:
    """A refused value as a message quotes it."""
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."


class Text(ValueType):
    """One or more lines of text. An empty text clears; ``empty_is_null`` says that the panel stores null for it."""

    def __init__(self, clearable: bool = True, empty_is_null: bool = False) -> None:
        self.clearable, self.empty_is_null = clearable, empty_is_null
        self.form = "a text" if clearable else "a text that is not empty"

    def parse(self, value: Any) -> Any:
        if isinstance(value, (dict, list)):
            raise ValueError
        text = str(value)
        if not text and not self.clearable:
            raise ValueError
        return None if not text and self.empty_is_null else text

    def comparable(self, value: Any) -> Any:
        if isinstance(value, str):
            # Panels and block scalars in YAML differ in line ends, which carry no meaning.
            return value.replace("\r\n", "\n").rstrip("\n")
        return "" if value is None else self.typed(value)

    def typed(self, shown: Any) -> Any:
        return str(shown) if isinstance(shown, (int, float)) and not isinstance(shown, bool) else shown


class Integer(ValueType):
    """A whole number within bounds; -1 stands for unlimited where ``unlimited`` is set."""

    option_type = "int"

    def __init__(self, least: int = 0, most: int | None = None, unlimited: bool = False) -> None:
        self.least, self.most, self.unlimited = least, most, unlimited
        bounds = f"a whole number from {least}" + (f" to {most}" if most is not None else "")
        self.form = bounds + (", or -1 for unlimited" if unlimited else "")

    def parse(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            raise ValueError
        number = int(value)
        is_within = number >= self.least and (self.most is None or number <= self.most)
        if not is_within and not (self.unlimited and number == -1):
            raise ValueError
        return number

    def comparable(self, value: Any) -> Any:
        try:
            return int(value) if isinstance(value, str) else value
        except ValueError:
            return value

    def typed(self, shown: Any) -> Any:
        return self.comparable(shown)

    def same(self, wanted: Any, current: Any) -> bool:
        # True equals 1 in Python, but a switch is not a number.
        return not isinstance(current, bool) and super().same(wanted, current)


class OptionalInteger(Integer):
    """A whole number that an empty text clears (null on the panel)."""

    option_type = "raw"

    def __init__(self, least: int = 0, most: int | None = None) -> None:
        super().__init__(least, most)
        self.form += ", or an empty text to clear it"

    def parse(self, value: Any) -> Any:
        return None if value == "" else super().parse(value)

    def comparable(self, value: Any) -> Any:
        return None if value == "" else super().comparable(value)


_SWITCHES = {
    **dict.fromkeys(("1", "true", "yes", "on", "y", "t"), True),
    **dict.fromkeys(("0", "false", "no", "off", "n", "f"), False),
}


class Boolean(ValueType):
    """A switch. Older panels answer 0 and 1, which are read as false and true."""

    option_type = "bool"
    form = "true or false"

    def parse(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value
        word = str(value).lower().strip()
        if word not in _SWITCHES:
            raise ValueError
        return _SWITCHES[word]

    def comparable(self, value: Any) -> Any:
        if isinstance(value, str):
            return _SWITCHES.get(value.lower(), value)
        return bool(value) if value in (0, 1) else value

    def typed(self, shown: Any) -> Any:
        return self.comparable(shown)


class Choice(ValueType):
    """One of a few words or numbers."""

    def __init__(self, *choices: Any) -> None:
        self.choices = choices
        self.option_type = "int" if isinstance(choices[0], int) else "str"
        self.form = "one of " + ", ".join(str(choice) for choice in choices)

    def parse(self, value: Any) -> Any:
        for choice in self.choices:
            if not isinstance(value, bool) and str(value) == str(choice):
                return choice
        raise ValueError

    def comparable(self, value: Any) -> Any:
        return str(value)

    def typed(self, shown: Any) -> Any:
        return next((choice for choice in self.choices if self.same(choice, shown)), shown)

    def argument(self) -> dict[str, Any]:
        return {"type": self.option_type, "choices": list(self.choices)}


class SetOf(ValueType):
    """A list whose order has no meaning, replaced as a whole; an empty list clears it."""

    option_type = "list"

    def __init__(self, item: ValueType) -> None:
        self.item = item
        self.form = f"a list; each entry must be {item.form}"

    def parse(self, value: Any) -> list[Any]:
        return list(dict.fromkeys(self.item.parse(entry) for entry in _as_list(value)))

    def comparable(self, value: Any) -> Any:
        if value is not None and not isinstance(value, list):
            return value
        return sorted({repr(self.item.comparable(entry)) for entry in value or ()})

    def argument(self) -> dict[str, Any]:
        return {"type": "list", "elements": self.item.option_type}


def _as_list(value: Any) -> list[Any]:
    if isinstance(value, str):
        value = value.split(",")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        value = [str(value)]
    if not isinstance(value, list):
        raise ValueError
    # An empty text is one empty entry to Ansible, and here it clears the list.
    return [] if value == [""] else value


def is_infinite(value: Any) -> bool:
    """Whether it is a number that has no end, on which Ansible's check of whole numbers crashes."""
    try:
        return math.isinf(float(value))
    except (TypeError, ValueError, OverflowError):
        return False


def check_seconds(option: str, value: int, least: int, most: int = 86400) -> None:
    """Raises OptionError where the time is too short, or too long for the operating system to wait."""
    if not least <= value <= most:
        raise OptionError(option, f"must be {least} to {most} seconds, not {value}.")

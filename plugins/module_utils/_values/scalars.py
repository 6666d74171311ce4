# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts, whole numbers, switches and choices. Private to the collection."""

from __future__ import annotations

from typing import Any

from .base import ValueType


class Text(ValueType):
    """One or more lines of text. An empty text clears; ``empty_is_null`` says that the panel stores null for it."""

    def __init__(self, clearable: bool = True, empty_is_null: bool = False) -> None:
        self.clearable = clearable
        self.empty_is_null = empty_is_null
        self.form = "a text" if clearable else "a text that is not empty"

    def parse(self, value: Any) -> Any:
        if isinstance(value, (dict, list)):
            raise ValueError
        text = str(value)
        if not text:
            if not self.clearable:
                raise ValueError
            return None if self.empty_is_null else ""
        return text

    def comparable(self, value: Any) -> Any:
        if value is None:
            return ""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str):
            # Panels and block scalars in YAML differ in line ends, which carry no meaning.
            return value.replace("\r\n", "\n").rstrip("\n")
        return value


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
        if self.unlimited and number == -1:
            return number
        if number < self.least or (self.most is not None and number > self.most):
            raise ValueError
        return number

    def comparable(self, value: Any) -> Any:
        if isinstance(value, str):
            try:
                return int(value)
            except ValueError:
                return value
        return value

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


_TRUE = frozenset(["1", "true", "yes", "on", "y", "t"])
_FALSE = frozenset(["0", "false", "no", "off", "n", "f"])


class Boolean(ValueType):
    """A switch. Older panels answer 0 and 1, which are read as false and true."""

    option_type = "bool"
    form = "true or false"

    def parse(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value
        word = str(value).lower().strip()
        if word in _TRUE:
            return True
        if word in _FALSE:
            return False
        raise ValueError

    def comparable(self, value: Any) -> Any:
        if isinstance(value, str):
            word = value.lower()
            return True if word in _TRUE else False if word in _FALSE else value
        if value in (0, 1):
            return bool(value)
        return value


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

    def argument(self) -> dict[str, Any]:
        return {"type": self.option_type, "choices": list(self.choices)}

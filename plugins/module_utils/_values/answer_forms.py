# SPDX-License-Identifier: GPL-3.0-or-later
"""What a field of an answer may be: a text, a number, a switch, a list or a dictionary.

Panels write the same value in several ways: a number or a switch as a text, a switch as 0 or 1,
nothing as null or as an empty text, an empty dictionary as an empty list. Each form brings these
into one. A value of another kind is odd, and no code behind this has to expect it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SWITCHES = {
    **dict.fromkeys(("1", "true", "yes", "on", "y", "t"), True),
    **dict.fromkeys(("0", "false", "no", "off", "n", "f"), False),
}
_MAX_DIGITS = 18  # fewer than any number that a database cannot hold
# What a column of a database can hold, with a sign or without.
_LEAST = -(2**63)
GREATEST_NUMBER = 2**64 - 1


def read_number(value: Any) -> Any:
    """Return the whole number that a panel shows, also as a text of digits
    (docs/panel_api.md#numbers-and-switches); anything else as it is."""
    if not isinstance(value, str):
        return value
    if value == "-1":
        return -1

    if value.isascii() and value.isdecimal() and len(value) <= _MAX_DIGITS:
        return int(value)
    return value


class OddValue(ValueError):
    """Reports a value of another kind than its field's."""

    def __init__(self, value: Any, form: str, path: tuple[str | int, ...] = ()) -> None:
        """Describe the value.

        Args:
            value: The value, as the panel shows it.
            form: The form that the field has, in words.
            path: The names of the fields, and the numbers of the entries of lists, that lead to
                the value.
        """
        super().__init__(form)
        self.value = value
        self.form = form
        self.path = path

    def add_step(self, name: str | int) -> OddValue:
        """Return the same of a value that lies deeper."""
        return OddValue(self.value, self.form, (name, *self.path))


class AnswerForm:
    """Brings a value of an answer into one form; null stays, and means that there is nothing.

    description: The form in words.
    final_type: The type of values that are in this form already, where one type tells it.
    """

    description = "anything"
    final_type: type | None = None

    def read(self, value: Any) -> Any:
        """Return the value in this form; raises OddValue."""
        raise NotImplementedError


class _Text(AnswerForm):
    """Takes texts, and numbers as texts."""

    description = "a text"
    final_type = str

    def read(self, value: Any) -> Any:
        """Return the text."""
        if value is None or isinstance(value, str):
            return value

        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number:
            raise OddValue(value, self.description)
        return str(value)


class _StrictText(AnswerForm):
    """Takes texts alone, for what is no number, such as a date."""

    description = "a text"
    final_type = str

    def read(self, value: Any) -> Any:
        """Return the text."""
        if value is None or isinstance(value, str):
            return value
        raise OddValue(value, self.description)


class _Number(AnswerForm):
    """Takes whole numbers; an id is written as one, while a sum may have a point and a zero
    behind it.
    """

    description = "a whole number"

    def __init__(self, is_id: bool = False) -> None:
        """Prepare to read. is_id: whether the number is an id."""
        self._is_id = is_id

    def read(self, value: Any) -> Any:
        """Return the number; an empty text stays."""
        if value is None or value == "":
            return value

        number = read_number(value)
        if isinstance(number, float) and number.is_integer() and not self._is_id:
            number = int(number)

        is_whole = isinstance(number, int) and not isinstance(number, bool)
        if not is_whole or not _LEAST <= number <= GREATEST_NUMBER:
            raise OddValue(value, self.description)
        return number


class _Switch(AnswerForm):
    """Takes what panels write for true and false."""

    description = "true or false"
    final_type = bool

    def read(self, value: Any) -> Any:
        """Return the switch; an empty text stays."""
        if value is None or value == "" or isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in SWITCHES:
            return SWITCHES[value.lower()]
        if isinstance(value, int) and value in (0, 1):
            return bool(value)
        raise OddValue(value, self.description)


class Loose(AnswerForm):
    """Brings a value into a form where it fits, and else lets it stay: for fields that are not
    known well enough.
    """

    def __init__(self, form: AnswerForm) -> None:
        """Keep the form."""
        self._form = form

    def read(self, value: Any) -> Any:
        """Return the value, in the form where it fits."""
        try:
            return self._form.read(value)
        except OddValue:
            return value


class ListOf(AnswerForm):
    """Takes a list whose entries all have one form; none of them is null."""

    def __init__(self, entry: AnswerForm, is_strict: bool = False) -> None:
        """Prepare to read.

        Args:
            entry: The form of each entry.
            is_strict: Whether an empty dictionary or text, which some panels write for an empty
                list, is none.
        """
        self.entry = entry
        self._is_strict = is_strict
        self.description = f"a list with {entry.description} in each entry"

    def read(self, value: Any) -> Any:
        """Return the list."""
        if value is None:
            return None
        if value in ("", {}) and not self._is_strict:
            return []
        if not isinstance(value, list):
            raise OddValue(value, self.description)
        return [self._read_entry(number, entry) for number, entry in enumerate(value)]

    def _read_entry(self, number: int, entry: Any) -> Any:
        if entry is None:
            raise OddValue(entry, self.entry.description, (number,))
        try:
            return self.entry.read(entry)
        except OddValue as odd:
            raise odd.add_step(number) from None


class DictionaryOf(AnswerForm):
    """Takes a dictionary whose fields have forms of their own; other fields stay as they are."""

    description = "a dictionary"

    def __init__(
        self,
        forms: Mapping[str, AnswerForm],
        default: AnswerForm | None = None,
        is_strict: bool = False,
    ) -> None:
        """Prepare to read.

        Args:
            forms: The forms by the names of the fields.
            default: The form of all fields that are not named.
            is_strict: Whether an empty list or text, which some panels write for an empty
                dictionary, is none.
        """
        self.forms = dict(forms)
        self._default = default
        self._is_strict = is_strict

    def read(self, value: Any) -> Any:
        """Return the dictionary, whose fields are brought into their forms in place."""
        if value is None:
            return None
        if value in ("", []) and not self._is_strict:
            return {}
        if not isinstance(value, dict):
            raise OddValue(value, self.description)

        for name, inner in value.items():
            form = self.forms.get(name, self._default)
            # Most values are in their form already.
            if form is None or inner is None or inner.__class__ is form.final_type:
                continue
            try:
                value[name] = form.read(inner)
            except OddValue as odd:
                raise odd.add_step(name) from None
        return value


TEXT = _Text()
STRICT_TEXT = _StrictText()
NUMBER = _Number()
SWITCH = _Switch()
IDENTIFIER = _Number(is_id=True)
TEXTS = ListOf(TEXT)


def declare_numbers(*names: str) -> dict[str, AnswerForm]:
    """Return the forms of these fields, which are numbers."""
    return dict.fromkeys(names, NUMBER)

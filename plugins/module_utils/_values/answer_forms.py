# SPDX-License-Identifier: GPL-3.0-or-later
"""What a field of an answer may be: a text, a number, a switch, a list or a dictionary. Private to the collection.

Panels write the same value in several ways: a number or a switch as a text, a switch as 0 or 1, nothing as null or as an empty text, an empty
dictionary as an empty list. Each form brings these into one. A value of another kind is odd, and no code behind this has to expect it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SWITCHES = {
    **dict.fromkeys(("1", "true", "yes", "on", "y", "t"), True),
    **dict.fromkeys(("0", "false", "no", "off", "n", "f"), False),
}
_MOST_DIGITS = 18  # fewer than any number that a database cannot hold
# What a column of a database can hold, with a sign or without.
_LEAST, _MOST = -(2**63), 2**64 - 1


def read_number(shown: Any) -> Any:
    """The whole number that a panel shows, also as a text of digits
    (docs/panel_api.md#numbers-and-switches); anything else as it is."""
    if not isinstance(shown, str):
        return shown
    is_number = shown == "-1" or (shown.isascii() and shown.isdecimal() and len(shown) <= _MOST_DIGITS)
    return int(shown) if is_number else shown


class OddValue(ValueError):
    """A value of another kind than its field's.

    Args:
        value: The value, as the panel shows it.
        form: The form that the field has, in words.
        path: The names of the fields, and the numbers of the entries of lists, that lead to the value.
    """

    def __init__(self, value: Any, form: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(form)
        self.value, self.form, self.path = value, form, path

    def inside(self, name: str | int) -> OddValue:
        """Return the same of a value that lies deeper."""
        return OddValue(self.value, self.form, (name, *self.path))


class AnswerForm:
    """Brings a value of an answer into one form; null stays, and means that there is nothing.

    words: the form in words. plain: the type of values that are in this form already, where one type tells it.
    """

    words = "anything"
    plain: type | None = None

    def read(self, value: Any) -> Any:
        """Return the value in this form; raises OddValue."""
        raise NotImplementedError


class _Text(AnswerForm):
    words, plain = "a text", str

    def read(self, value: Any) -> Any:
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return str(value)
        raise OddValue(value, self.words)


class _Words(AnswerForm):
    """A text that is no number, such as a date."""

    words, plain = "a text", str

    def read(self, value: Any) -> Any:
        if value is None or isinstance(value, str):
            return value
        raise OddValue(value, self.words)


class _Number(AnswerForm):
    """A whole number; an id is written as one, while a sum may have a point and a zero behind it."""

    words = "a whole number"

    def __init__(self, is_id: bool = False) -> None:
        self._is_id = is_id

    def read(self, value: Any) -> Any:
        if value is None or value == "":
            return value
        number = read_number(value)
        if isinstance(number, float) and number.is_integer() and not self._is_id:
            number = int(number)
        if not isinstance(number, int) or isinstance(number, bool) or not _LEAST <= number <= _MOST:
            raise OddValue(value, self.words)
        return number


class _Switch(AnswerForm):
    words, plain = "true or false", bool

    def read(self, value: Any) -> Any:
        if value is None or value == "" or isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in SWITCHES:
            return SWITCHES[value.lower()]
        if isinstance(value, int) and value in (0, 1):
            return bool(value)
        raise OddValue(value, self.words)


class Loose(AnswerForm):
    """A value that is brought into a form where it fits, and else stays: of fields that are not known well enough."""

    def __init__(self, form: AnswerForm) -> None:
        self._form = form

    def read(self, value: Any) -> Any:
        try:
            return self._form.read(value)
        except OddValue:
            return value


class ListOf(AnswerForm):
    """A list whose entries all have one form; none of them is null."""

    def __init__(self, entry: AnswerForm) -> None:
        self.entry = entry
        self.words = f"a list with {entry.words} in each entry"

    def read(self, value: Any) -> Any:
        if value is None:
            return None
        if value in ("", {}):
            return []
        if not isinstance(value, list):
            raise OddValue(value, self.words)
        return [self._read_entry(number, entry) for number, entry in enumerate(value)]

    def _read_entry(self, number: int, entry: Any) -> Any:
        if entry is None:
            raise OddValue(entry, self.entry.words, (number,))
        try:
            return self.entry.read(entry)
        except OddValue as odd:
            raise odd.inside(number) from None


class Fields(AnswerForm):
    """A dictionary whose fields have forms of their own; other fields stay as they are.

    Args:
        forms: The forms by the names of the fields.
        others: The form of all fields that are not named.
        is_strict: Whether an empty list or text, which some panels write for an empty dictionary, is none.
    """

    words = "a dictionary"

    def __init__(
        self, forms: Mapping[str, AnswerForm], others: AnswerForm | None = None, is_strict: bool = False
    ) -> None:
        self.forms, self._others, self._is_strict = dict(forms), others, is_strict

    def read(self, value: Any) -> Any:
        if value is None:
            return None
        if value in ("", []) and not self._is_strict:
            return {}
        if not isinstance(value, dict):
            raise OddValue(value, self.words)
        for name, inner in value.items():
            form = self.forms.get(name, self._others)
            # Most values are in their form already.
            if form is None or inner is None or inner.__class__ is form.plain:
                continue
            try:
                value[name] = form.read(inner)
            except OddValue as odd:
                raise odd.inside(name) from None
        return value


TEXT, STRICT_TEXT, NUMBER, SWITCH = _Text(), _Words(), _Number(), _Switch()
IDENTIFIER = _Number(is_id=True)
TEXTS = ListOf(TEXT)


def declare_numbers(*names: str) -> dict[str, AnswerForm]:
    """Return the forms of these fields, which are numbers."""
    return dict.fromkeys(names, NUMBER)

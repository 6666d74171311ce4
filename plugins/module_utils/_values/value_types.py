# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of values: texts, whole numbers, switches, choices and lists."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from typing import Any, Callable

from .._errors import MissingLibrary, OptionError, collect_problems, raise_if_any
from .._problems import OptionPath, Problem
from .answer_forms import NUMBER, SWITCH, SWITCHES, TEXT, AnswerForm, ListOf, read_number
from .option_marks import ACCEPTED, EMPTY_CLEARS, TEXT_ONLY_MARK

OR_EMPTY = ", or an empty string to clear it"
UNDISPLAYED = "the given value"
_LONGEST_DISPLAYED = 80
# What a template makes of a number, switch or date.
_LIKE_NUMBER = re.compile(r"[-+]?[0-9][0-9.:e+-]*( [0-9:.+-]+)?|True|False|[-+]?inf|nan", re.ASCII)


class ValueType:
    """Turns what a user writes into what is sent, and tells whether the panel has it already.

    option_type: The type of the option, in Ansible's words.
    is_text: Whether it takes texts alone, so that a number, switch or date is a mistake.
    form: The accepted form, for messages.
    is_printable: Whether a message may show the value.
    answer_form: What a panel may show, and how it is brought into the type in which it is sent.
    choices: The accepted values, where there are only a few.
    """

    option_type = "str"
    is_text = False
    form = "a string"
    is_printable = True
    answer_form: AnswerForm = TEXT
    choices: tuple[Any, ...] = ()

    def parse(self, value: Any) -> Any:
        """Return what is sent to the panel; raises ValueError for anything else than ``form``."""
        raise NotImplementedError

    def may_be_stored(self, value: Any) -> bool:
        """Tell whether a panel may hold a value that ``parse`` refuses, so that it can stay as it
        is.
        """
        del value
        return False

    def is_unusual(self, value: Any) -> bool:
        """Tell whether ``parse`` refuses a value that a panel may hold."""
        if not self.may_be_stored(value):
            return False
        try:
            self.parse(value)
        except (ValueError, TypeError, ArithmeticError):
            return True
        return False

    def normalize(self, value: Any) -> Any:
        """Return a form that is the same for equal values; accepts whatever a panel may answer and
        never raises.
        """
        return value

    def equals(self, desired: Any, actual: Any) -> bool:
        """Tell whether the panel's value is the desired (parsed) one."""
        return bool(self.normalize(desired) == self.normalize(actual))

    def display(self, actual: Any) -> str:
        """Return what the panel shows as a text in which people know it."""
        return str(actual)

    def describe_argument(self) -> dict[str, Any]:
        """Return how Ansible describes an option of this type."""
        argument: dict[str, Any] = {"type": self.option_type}
        if self.is_text:
            argument.update(TEXT_ONLY_MARK)
        elif self.option_type == "str":
            argument[ACCEPTED] = self.form
        return argument


# Refusing values


class WrongValue(ValueError):
    """Refuses a value for a reason of its own, which follows the option in a message."""

    def __init__(self, problem: str) -> None:
        """Describe what is wrong. problem: in a sentence without a secret."""
        super().__init__(problem)
        self.problem = problem


def quote_value(value: Any) -> str:
    """Return a value as Python writes it, for a message: of a long one the beginning."""
    text = repr(value)
    if len(text) <= _LONGEST_DISPLAYED:
        return text
    return f"{text[: _LONGEST_DISPLAYED - 3]}..."


def describe_text_problem(value: Any, is_secret: bool = False, written: str = "") -> str:
    """Say why a value is no text, in words that follow its option; empty where it is one.

    Args:
        value: The value, as YAML read it.
        is_secret: Whether no message may show it.
        written: The value as a file has it, where that is known.
    """
    if isinstance(value, str):
        return ""

    displayed = UNDISPLAYED
    if not is_secret:
        displayed = written or quote_value(value)
    if isinstance(value, bool):
        return (
            f"{displayed} is not accepted; YAML reads yes, no, on and off as a switch. "
            "Put the word in quotes."
        )
    if isinstance(value, (int, float)):
        digits = "YAML may have changed its digits (01234 becomes 668)"
        return f"{displayed} is a number, and {digits}; put it in quotes."

    if not isinstance(value, datetime.date):
        return f"{displayed} is not accepted; it must be a string."
    if not is_secret:
        displayed = str(value)
    return f"{displayed} is a date, which YAML may have changed; put it in quotes."


def describe_name_problem(value: Any) -> str:
    """Say why an entry of a list of names is none, in words that follow its option; empty where it
    is one.

    Blanks around a name have no meaning there. A template with a blank beside its expression makes
    a text even of a number, in which nobody sees the number any more.
    """
    if not isinstance(value, str):
        return describe_text_problem(value)
    text = value.strip()
    if text == value or not _LIKE_NUMBER.fullmatch(text):
        return ""
    digits = "YAML may have changed its digits (01234 becomes 668)"
    return (
        f"{quote_value(value)} has blanks around what may be a number, and {digits}; "
        "put it in quotes, without blanks."
    )


def has_plain_digits(text: str) -> bool:
    """Tell whether a text has neither digits of other scripts nor underscores, which Python takes
    in a number, and nobody else does.
    """
    return text.isascii() and "_" not in text


def require_text(value: Any) -> None:
    """Raise WrongValue for a number, switch or date in the place of a text, ValueError for anything
    else that is none.
    """
    if isinstance(value, str):
        return
    if isinstance(value, (int, float, datetime.date)):
        raise WrongValue(describe_text_problem(value))
    raise ValueError


# Reading options


def parse_option(
    value_type: ValueType, option: str | OptionPath, value: Any, is_secret: bool = False
) -> Any:
    """Return the parsed value, or raise an OptionError that names the option, the value and the
    accepted form. option: its name, or the path to what is in it.
    """
    try:
        return value_type.parse(value)
    except WrongValue as error:
        raise OptionError(error.problem, option=option) from None
    except (ValueError, TypeError, ArithmeticError):
        displayed = UNDISPLAYED
        if value_type.is_printable and not is_secret:
            displayed = quote_value(value)
        cause = f"{displayed} is not accepted; it must be {value_type.form}."
        raise OptionError(cause, option=option) from None


RefusedValue = tuple[Any, Problem]
"""A value, or an entry of a list, that is refused unless the panel has it already, and what is
wrong with it.
"""


def read_tolerantly(
    value_type: ValueType, path: OptionPath, value: Any, is_secret: bool = False
) -> tuple[Any, list[RefusedValue]]:
    """Read a value of which parts may be refused unless the panel has them already.

    Args:
        value_type: What the option takes.
        path: Leads to the option.
        value: The value as it was written.
        is_secret: Whether no message may show it.

    Returns:
        The value with such parts as they were written, and these parts.

    Raises:
        OptionError: for what no panel has, which names each entry of a list.
    """
    if not isinstance(value_type, SetOf):
        return _read_tolerated(value_type, path, value, is_secret)
    try:
        entries = value_type.split(value)
    except ValueError:
        return parse_option(value_type, path, value, is_secret), []

    parsed_entries: list[Any] = []
    refused: list[RefusedValue] = []
    problems: list[Problem] = []
    for index, entry in enumerate(entries):
        with collect_problems(problems):
            parsed, refused_values = _read_tolerated(
                value_type.item, (*path, index), entry, is_secret
            )
            parsed_entries.append(parsed)
            refused += refused_values

    raise_if_any(problems)
    return value_type.remove_duplicates(parsed_entries), refused


def _read_tolerated(
    value_type: ValueType, path: OptionPath, value: Any, is_secret: bool
) -> tuple[Any, list[RefusedValue]]:
    try:
        return parse_option(value_type, path, value, is_secret), []
    except OptionError as error:
        if not value_type.may_be_stored(value):
            raise
        return value, [(value, error.problem)]


def read_id(value: Any, least: int = 1) -> int | None:
    """Return the id that a panel shows; None where it is none. least: the smallest id."""
    identifier = read_number(value)
    if not isinstance(identifier, int) or isinstance(identifier, bool):
        return None
    if identifier < least:
        return None
    return identifier


def check_seconds(option: str, value: int, least: int, most: int = 86400) -> None:
    """Raise OptionError where the time is too short, or too long for the operating system to
    wait.
    """
    if not least <= value <= most:
        raise OptionError(f"must be {least} to {most} seconds, not {value}.", option=option)


def contains(actual: Any, desired: Any) -> bool:
    """Tell whether ``actual`` has all of ``desired``: dictionaries field by field, everything else
    by equality.
    """
    if isinstance(desired, dict) and isinstance(actual, dict):
        return all(
            name in actual and contains(actual[name], value) for name, value in desired.items()
        )
    return type(desired) is type(actual) and bool(desired == actual)


# Types


class Text(ValueType):
    """Takes one or more lines of text. An empty string clears."""

    is_text = True

    def __init__(self, clearable: bool = True, empty_is_null: bool = False) -> None:
        """Prepare to read.

        Args:
            clearable: Whether the text may be empty.
            empty_is_null: Whether the panel stores null for an empty text.
        """
        self.clearable = clearable
        self.empty_is_null = empty_is_null
        if not clearable:
            self.form = "a string that is not empty"

    def parse(self, value: Any) -> Any:
        """Return the text."""
        require_text(value)
        if value:
            return str(value)
        if not self.clearable:
            raise ValueError
        if self.empty_is_null:
            return None
        return ""

    def normalize(self, value: Any) -> Any:
        """Return the text as it is compared."""
        if isinstance(value, str):
            # Panels and block scalars in YAML differ in line ends, which carry no meaning.
            return value.replace("\r\n", "\n").rstrip("\n")
        if value is None:
            return ""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return str(value)
        return value


class Word(ValueType):
    """Takes a text of one line."""

    is_text = True

    def __init__(
        self,
        form: str,
        read: Callable[[str], Any],
        normalize: Callable[[str], str] = str,
        clearable: bool = False,
    ) -> None:
        """Prepare to read.

        Args:
            form: The accepted form, for messages.
            read: Makes of a text what is sent, and raises ValueError for what is none.
            normalize: Makes of equal texts the same.
            clearable: Whether the text may be empty.
        """
        self.form = form
        if clearable:
            self.form += OR_EMPTY
        self.clearable = clearable
        self._read = read
        self._normalize = normalize

    def parse(self, value: Any) -> Any:
        """Return the word as it is sent."""
        if value == "" and self.clearable:
            return ""
        if self.is_text:
            require_text(value)
        if value is None or isinstance(value, (bool, dict, list)):
            raise ValueError
        return self._read(str(value).strip())

    def normalize(self, value: Any) -> Any:
        """Return the word as it is compared."""
        if value is None and self.clearable:
            value = ""
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            return value
        try:
            return self._normalize(str(value))
        except (ValueError, MissingLibrary):
            return value


class Integer(ValueType):
    """Takes a whole number within bounds."""

    option_type = "int"
    answer_form: AnswerForm = NUMBER

    def __init__(
        self,
        least: int = 0,
        most: int | None = None,
        unlimited: bool = False,
        clearable: bool = False,
    ) -> None:
        """Prepare to read.

        Args:
            least: The smallest number.
            most: The greatest one.
            unlimited: Whether -1 is accepted too, and means that there is no limit.
            clearable: Whether an empty string clears the field (null).
        """
        self.least = least
        self.most = most
        self.unlimited = unlimited
        self.clearable = clearable
        self.form = f"a whole number from {least}"
        if most is not None:
            self.form += f" to {most}"
        if unlimited:
            self.form += ", or -1 for unlimited"
        if clearable:
            self.form += OR_EMPTY
            self.option_type = "raw"

    def _read_number(self, value: Any) -> int:
        """Return the number; raises ValueError for what is none.

        True equals 1 in Python, but a switch is no number.
        """
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            raise ValueError
        if isinstance(value, str) and not has_plain_digits(value):
            raise ValueError
        return int(value)

    def parse(self, value: Any) -> Any:
        """Return the number."""
        if value == "" and self.clearable:
            return None

        number = self._read_number(value)
        if self.unlimited and number == -1:
            return number
        if number < self.least or (self.most is not None and number > self.most):
            raise ValueError
        return number

    def normalize(self, value: Any) -> Any:
        """Return the number as it is compared."""
        if value == "" and self.clearable:
            return None
        try:
            return self._read_number(value)
        except ValueError:
            if isinstance(value, bool):
                return str(value)
            return value


class Boolean(ValueType):
    """Takes a switch. Older panels answer 0 and 1, which are read as false and true."""

    option_type = "bool"
    form = "true or false"
    answer_form = SWITCH

    def parse(self, value: Any) -> bool:
        """Return the switch."""
        switch = self.normalize(str(value).strip())
        if not isinstance(switch, bool):
            raise ValueError
        return switch

    def normalize(self, value: Any) -> Any:
        """Return the switch as it is compared."""
        if isinstance(value, str):
            return SWITCHES.get(value.lower(), value)
        if value in (0, 1):
            return bool(value)
        return value


class Choice(ValueType):
    """Takes one of a few words or numbers."""

    def __init__(self, *choices: Any) -> None:
        """Keep the choices, which all have one type."""
        self.choices = choices
        if isinstance(choices[0], int):
            self.option_type = "int"
            self.answer_form = NUMBER
        self.form = "one of " + ", ".join(map(str, choices))

    def parse(self, value: Any) -> Any:
        """Return the choice."""
        if isinstance(value, bool):
            raise ValueError
        for choice in self.choices:
            if self.equals(choice, value):
                return choice
        if value in self.choices:  # a number that is written with a point
            return value
        raise ValueError

    def normalize(self, value: Any) -> Any:
        """Return the choice as it is compared."""
        return str(value)

    def describe_argument(self) -> dict[str, Any]:
        """Return how Ansible describes an option of this type."""
        return {"type": self.option_type, "choices": list(self.choices)}


class SetOf(ValueType):
    """Takes a list whose order has no meaning, replaced as a whole; an empty list clears it, and so
    does an empty string.
    """

    option_type = "list"

    def __init__(self, item: ValueType) -> None:
        """Prepare to read. item: the type of each entry."""
        self.item = item
        self.is_text = item.is_text
        self.answer_form = ListOf(item.answer_form)
        self.form = f"a list; each entry must be {item.form}"

    def split(self, value: Any) -> list[Any]:
        """Return the entries as they were written; raises ValueError for what is no list."""
        if self.is_text and isinstance(value, (int, float)):
            require_text(value)
        if value == "":
            return []
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            value = str(value).split(",")  # as Ansible does
        if not isinstance(value, list):
            raise ValueError
        return value

    def remove_duplicates(self, entries: Iterable[Any]) -> list[Any]:
        """Return the entries without those that equal an earlier one."""
        first: dict[str, Any] = {}
        for entry in entries:
            first.setdefault(repr(self.item.normalize(entry)), entry)
        return list(first.values())

    def parse(self, value: Any) -> list[Any]:
        """Return the parsed entries, each once."""
        return self.remove_duplicates(map(self.item.parse, self.split(value)))

    def normalize(self, value: Any) -> Any:
        """Return the entries as they are compared."""
        if value is not None and not isinstance(value, list):
            return value
        return sorted({repr(self.item.normalize(entry)) for entry in value or ()})

    def describe_argument(self) -> dict[str, Any]:
        """Return how Ansible describes an option of this type."""
        return {
            **super().describe_argument(),
            "elements": self.item.option_type,
            EMPTY_CLEARS: True,
        }

# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of values: texts, numbers, sizes, switches, choices, lists and dates. Private to the collection."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from typing import Any, Callable

from .._errors import MissingLibrary, OptionError, collect_problems, raise_collected
from .._problems import Problem
from .answer_forms import NUMBER, STRICT_TEXT, SWITCH, SWITCHES, TEXT, AnswerForm, ListOf, OddValue, read_number

OR_EMPTY = ", or an empty string to clear it"


class ValueType:
    """Turns what a user writes into what is sent, and tells whether the panel has it already.

    option_type: in Ansible's words. form: the accepted form, for messages. is_printable: whether a message may show the value.
    is_text: whether it takes texts alone, so that a number, switch or date is a mistake.
    answer_form: what a panel may show, and how it is brought into the type in which it is sent.
    """

    option_type = "str"
    is_text = False
    form = "a string"
    is_printable = True
    answer_form: AnswerForm = TEXT

    def parse(self, value: Any) -> Any:
        """What is sent to the panel; raises ValueError for anything else than ``form``."""
        raise NotImplementedError

    def may_be_stored(self, value: Any) -> bool:
        """Tells whether a panel may hold a value that ``parse`` refuses, so that it can stay as it is."""
        del value
        return False

    def is_unusual(self, value: Any) -> bool:
        """Tells whether ``parse`` refuses a value that a panel may hold."""
        if not self.may_be_stored(value):
            return False
        try:
            self.parse(value)
        except (ValueError, TypeError, ArithmeticError):
            return True
        return False

    def normalize(self, value: Any) -> Any:
        """A normal form that is equal for equal values; accepts whatever a panel may answer and never raises."""
        return value

    def equals(self, wanted: Any, current: Any) -> bool:
        """Whether the panel's value already is the wanted (parsed) one."""
        return bool(self.normalize(wanted) == self.normalize(current))

    def display(self, shown: Any) -> str:
        """What the panel shows as a text in which people know it."""
        return str(shown)

    def describe_argument(self) -> dict[str, Any]:
        """How Ansible describes an option of this type."""
        argument: dict[str, Any] = {"type": self.option_type}
        if self.is_text:
            argument.update(TEXT_ONLY_MARK)
        elif self.option_type == "str":
            argument[ACCEPTED] = self.form
        return argument


# Beside Ansible's words for an option: that a number, switch or date in its place is a mistake.
# Ansible itself does not get it.
TEXT_ONLY = "text"
TEXT_ONLY_MARK = {TEXT_ONLY: True}
# In a specification, what an option takes that is written as a text and is no word, such as a size:
# for it, quotes around a switch would help nobody. Ansible itself does not get it.
ACCEPTED = "accepted"
# In a specification, the mark of an option that narrows what a task does: what the task would do without it.
NARROWS = "narrows"


def describe_text_problem(value: Any, is_secret: bool = False, written: str = "") -> str:
    """Says why a value is no text, in words that follow its option; empty where it is one.

    Args:
        value: The value, as YAML read it.
        is_secret: Whether no message may show it.
        written: The value as a file has it, where that is known.
    """
    if isinstance(value, str):
        return ""
    displayed = "the given value" if is_secret else written or shorten(value)
    if isinstance(value, bool):
        return f"{displayed} is not accepted; YAML reads yes, no, on and off as a switch. Put the word in quotes."
    if isinstance(value, (int, float)):
        digits = "YAML may have changed its digits (01234 becomes 668)"
        return f"{displayed} is a number, and {digits}; put it in quotes."
    if isinstance(value, datetime.date):
        displayed = "the given value" if is_secret else str(value)
        return f"{displayed} is a date, which YAML may have changed; put it in quotes."
    return f"{displayed} is not accepted; it must be a string."


def require_text(value: Any) -> None:
    """Raises WrongValue for a number, switch or date in the place of a text, ValueError for anything else that is none."""
    if isinstance(value, str):
        return
    if isinstance(value, (int, float, datetime.date)):
        raise WrongValue(describe_text_problem(value))
    raise ValueError


class WrongValue(ValueError):
    """A value that is refused for a reason of its own, which follows the option in a message.

    Args:
        problem: Says what is wrong, in a sentence without a secret.
        place: Names the entry of a list that it is about, such as ``[2]``.
    """

    def __init__(self, problem: str, place: str = "") -> None:
        super().__init__(problem)
        self.problem, self.place = problem, place


def parse_option(value_type: ValueType, option: str, value: Any, secret: bool = False) -> Any:
    """The parsed value, or an OptionError that names the option, the value and the accepted form."""
    try:
        return value_type.parse(value)
    except WrongValue as error:
        raise OptionError(option + error.place, error.problem) from None
    except (ValueError, TypeError, ArithmeticError):
        shown = "the given value" if secret or not value_type.is_printable else shorten(value)
        raise OptionError(option, f"{shown} is not accepted; it must be {value_type.form}.") from None


RefusedValue = tuple[Any, Problem]
"""A value, or an entry of a list, that is refused unless the panel has it already, and what is wrong with it."""


def read_tolerantly(
    value_type: ValueType, option: str, value: Any, secret: bool = False
) -> tuple[Any, list[RefusedValue]]:
    """Reads a value of which parts may be refused unless the panel has them already.

    Args:
        value_type: What the option takes.
        option: The name of the option, for messages.
        value: The value as it was written.
        secret: Whether no message may show it.

    Returns:
        The value with such parts as they were written, and these parts.

    Raises:
        OptionError: for what no panel has, which names each entry of a list.
    """
    if not isinstance(value_type, SetOf):
        return _read_one(value_type, option, value, secret)
    try:
        entries = value_type.entries(value)
    except ValueError:
        return parse_option(value_type, option, value, secret), []

    read: list[Any] = []
    kept: list[RefusedValue] = []
    problems: list[Problem] = []
    for index, entry in enumerate(entries):
        with collect_problems(problems):
            one, refused = _read_one(value_type.item, f"{option}[{index}]", entry, secret)
            read.append(one)
            kept += refused
    raise_collected(problems)
    return value_type.once(read), kept


def _read_one(value_type: ValueType, option: str, value: Any, secret: bool) -> tuple[Any, list[RefusedValue]]:
    try:
        return parse_option(value_type, option, value, secret), []
    except OptionError as error:
        if not value_type.may_be_stored(value):
            raise
        return value, [(value, error.problem)]


def shorten(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."


class Text(ValueType):
    """One or more lines of text. An empty string clears; ``empty_is_null`` says that the panel stores null for it."""

    is_text = True

    def __init__(self, clearable: bool = True, empty_is_null: bool = False) -> None:
        self.clearable, self.empty_is_null = clearable, empty_is_null
        self.form = "a string" if clearable else "a string that is not empty"

    def parse(self, value: Any) -> Any:
        require_text(value)
        if not (value or self.clearable):
            raise ValueError
        return None if not value and self.empty_is_null else str(value)

    def normalize(self, value: Any) -> Any:
        if isinstance(value, str):
            # Panels and block scalars in YAML differ in line ends, which carry no meaning.
            return value.replace("\r\n", "\n").rstrip("\n")
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return "" if value is None else str(value) if is_number else value


class Word(ValueType):
    """A text of one line. read: makes of it what is sent, and raises ValueError for what is none. normal: what is equal for equal values."""

    is_text = True

    def __init__(
        self, form: str, read: Callable[[str], Any], normal: Callable[[str], str] = str, clearable: bool = False
    ) -> None:
        self.form, self._read, self._normal = form + (OR_EMPTY if clearable else ""), read, normal
        self.clearable = clearable

    def parse(self, value: Any) -> Any:
        if value == "" and self.clearable:
            return ""
        if self.is_text:
            require_text(value)
        if value is None or isinstance(value, (bool, dict, list)):
            raise ValueError
        return self._read(str(value).strip())

    def normalize(self, value: Any) -> Any:
        value = "" if value is None and self.clearable else value
        try:
            return self._normal(str(value)) if isinstance(value, (int, str)) and not isinstance(value, bool) else value
        except (ValueError, MissingLibrary):
            return value


def read_id(shown: Any, least: int = 1) -> int | None:
    """The id that a panel shows; None where it is none."""
    shown = read_number(shown)
    return shown if isinstance(shown, int) and not isinstance(shown, bool) and shown >= least else None


class Integer(ValueType):
    """A whole number within bounds; -1 is unlimited where ``unlimited`` is set, and an empty string clears (null) where ``clearable`` is."""

    option_type = "int"
    answer_form: AnswerForm = NUMBER

    def __init__(
        self, least: int = 0, most: int | None = None, unlimited: bool = False, clearable: bool = False
    ) -> None:
        self.least, self.most, self.unlimited, self.clearable = least, most, unlimited, clearable
        bounds = f"a whole number from {least}" + (f" to {most}" if most is not None else "")
        self.form = bounds + (", or -1 for unlimited" if unlimited else "") + (OR_EMPTY if clearable else "")
        self.option_type = "raw" if clearable else self.option_type

    def _number(self, value: Any) -> int:
        """Raises ValueError for what is none; true equals 1 in Python, but a switch is no number."""
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            raise ValueError
        return int(value)

    def parse(self, value: Any) -> Any:
        if value == "" and self.clearable:
            return None
        number = self._number(value)
        is_within = number >= self.least and (self.most is None or number <= self.most)
        if not is_within and not (self.unlimited and number == -1):
            raise ValueError
        return number

    def normalize(self, value: Any) -> Any:
        try:
            return None if value == "" and self.clearable else self._number(value)
        except ValueError:
            return str(value) if isinstance(value, bool) else value


# Interface, "Byte values": powers of 1024; decimals are not allowed.
# The panel reads the same suffixes as powers of 1024 (docs/panel_api.md#byte-sizes).
_PREFIXES = ("", "K", "M", "G", "T", "P")
_SIZE = re.compile(r"(\d+)([KMGTP]?)", re.ASCII)
_LONGEST_SIZE = 20  # of a text that a panel may show


class SizeForm(AnswerForm):
    """A number of bytes, which a panel may also write with a unit."""

    words = "a number of bytes"

    def read(self, value: Any) -> Any:
        match = _SIZE.fullmatch(value) if isinstance(value, str) and len(value) <= _LONGEST_SIZE else None
        number = _bytes_in(match) if match else value
        try:
            return NUMBER.read(number)
        except OddValue:
            raise OddValue(value, self.words) from None


def _bytes_in(match: re.Match[str]) -> int:
    return int(match[1]) << (10 * _PREFIXES.index(match[2]))


class ByteSize(Integer):
    """Bytes as a whole number or with K, M, G, T or P; sent as a number. -1 is unlimited where ``unlimited`` is set."""

    option_type = "str"
    answer_form = SizeForm()

    def __init__(self, least: int = 1, unlimited: bool = True) -> None:
        super().__init__(least, 2**63 - 1, unlimited)  # what a panel can keep
        self.form = f"a whole number of bytes from {least}, or one with K, M, G, T or P such as 1536M"
        self.form += "; -1 is unlimited" if unlimited else ""

    def _number(self, value: Any) -> int:
        match = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
        if match:
            return _bytes_in(match)
        if isinstance(value, str) and value.strip() != "-1":
            raise ValueError
        return super()._number(value)


def format_size(value: float | None) -> str:
    """Bytes with a unit, three digits at most before it; a dash where the number is not known."""
    if value is None:
        return "–"
    power = next((one for one in range(5) if abs(value) < 999.5 * 1024**one), 5)
    amount = value / 1024**power
    digits = 1 if power and abs(amount) < 99.95 else 0
    return f"{amount:.{digits}f}\u00a0{_PREFIXES[power]}{'iB' if power else 'B'}"


def format_size_as_option(size: int) -> str:
    """Bytes as people write them in playbooks: 10737418240 as 10G where that is the same, else the number and what it comes to; -1 is unlimited."""
    if size == -1:
        return "unlimited"
    power = max(one for one in range(6) if size % 1024**one == 0) if size else 0
    # A number of bytes that is none of kilobytes is one that nobody wrote.
    if power or abs(size) < 1024:
        return f"{size // 1024**power}{_PREFIXES[power]}"
    return f"{size} ({format_size(size)})".replace("\u00a0", " ")


class Boolean(ValueType):
    """A switch. Older panels answer 0 and 1, which are read as false and true."""

    option_type = "bool"
    form = "true or false"
    answer_form = SWITCH

    def parse(self, value: Any) -> bool:
        switch = self.normalize(str(value).strip())
        if not isinstance(switch, bool):
            raise ValueError
        return switch

    def normalize(self, value: Any) -> Any:
        if isinstance(value, str):
            return SWITCHES.get(value.lower(), value)
        return bool(value) if value in (0, 1) else value


class Choice(ValueType):
    """One of a few words or numbers."""

    def __init__(self, *choices: Any) -> None:
        self.choices = choices
        self.option_type = "int" if isinstance(choices[0], int) else "str"
        self.answer_form = NUMBER if isinstance(choices[0], int) else TEXT
        self.form = "one of " + ", ".join(map(str, choices))

    def parse(self, value: Any) -> Any:
        choice = self._choice(value)
        if isinstance(value, bool) or choice not in self.choices:
            raise ValueError
        return choice

    def normalize(self, value: Any) -> Any:
        return str(value)

    def _choice(self, shown: Any) -> Any:
        return next((choice for choice in self.choices if self.equals(choice, shown)), shown)

    def describe_argument(self) -> dict[str, Any]:
        return {"type": self.option_type, "choices": list(self.choices)}


class SetOf(ValueType):
    """A list whose order has no meaning, replaced as a whole; an empty list clears it, and so does an empty string."""

    option_type = "list"

    def __init__(self, item: ValueType) -> None:
        self.item, self.is_text = item, item.is_text
        self.answer_form = ListOf(item.answer_form)
        self.form = f"a list; each entry must be {item.form}"

    def entries(self, value: Any) -> list[Any]:
        """The entries as they were written; raises ValueError for what is no list."""
        if self.is_text and isinstance(value, (int, float)):
            require_text(value)
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            value = str(value).split(",")  # as Ansible does
        if not isinstance(value, list):
            raise ValueError
        return [] if value == [""] else value

    def once(self, entries: Iterable[Any]) -> list[Any]:
        """The entries without those that equal an earlier one."""
        first: dict[str, Any] = {}
        for entry in entries:
            first.setdefault(repr(self.item.normalize(entry)), entry)
        return list(first.values())

    def parse(self, value: Any) -> list[Any]:
        return self.once(map(self.item.parse, self.entries(value)))

    def normalize(self, value: Any) -> Any:
        if value is not None and not isinstance(value, list):
            return value
        return sorted({repr(self.item.normalize(entry)) for entry in value or ()})

    def describe_argument(self) -> dict[str, Any]:
        return {**super().describe_argument(), "elements": self.item.option_type}


def check_seconds(option: str, value: int, least: int, most: int = 86400) -> None:
    """Raises OptionError where the time is too short, or too long for the operating system to wait."""
    if not least <= value <= most:
        raise OptionError(option, f"must be {least} to {most} seconds, not {value}.")


_INSTANT = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?\s*(Z|[+-]\d{2}:?\d{2})?)?", re.ASCII | re.I
)
_LENGTH_OF_A_DAY = 10  # YYYY-MM-DD
# By the offsets in use, a day begins somewhere so long before it does in UTC, and ends somewhere so long after that.
_BEGINS, _ENDS = datetime.timedelta(hours=-14), datetime.timedelta(hours=24 + 12)
# Later dates are refused by the panel (docs/panel_api.md#dates).
_LAST_YEAR = 2099


class Day(ValueType):
    """``YYYY-MM-DD`` or an ISO 8601 date with time and offset; an empty string clears (null on the panel).

    A bare day equals the date part of what the panel shows. Where the panel shows a day only, an instant equals each day that it is a part of
    somewhere. A time needs an offset, since the panel's own is unknown.
    """

    answer_form = STRICT_TEXT
    form = f"a date YYYY-MM-DD or a date with time and offset such as 2026-12-31T22:00:00+01:00, up to {_LAST_YEAR}-12-31{OR_EMPTY}"

    def parse(self, value: Any) -> Any:
        text = str(value).strip()
        if not text:
            return None
        instant = _instant(text)
        if instant is None or instant.tzinfo is None or instant.year > _LAST_YEAR:
            raise ValueError
        return text if len(text) == _LENGTH_OF_A_DAY else instant.isoformat(timespec="seconds")

    def equals(self, wanted: Any, current: Any) -> bool:
        if not wanted or not isinstance(current, str):
            return not wanted and not current
        if len(wanted) == _LENGTH_OF_A_DAY:
            return bool(wanted == current.strip()[:_LENGTH_OF_A_DAY])
        first, second = _instant(wanted), _instant(current)
        if first is None or second is None:
            return False
        if len(current) == _LENGTH_OF_A_DAY:
            return _BEGINS <= first - second < _ENDS
        # What the panel shows without an offset is in its own, which is taken for the given one.
        return first == (second if second.tzinfo else second.replace(tzinfo=first.tzinfo))


def _instant(text: str) -> datetime.datetime | None:
    """The instant, with the offsets that the panel writes with and without a colon
    (docs/panel_api.md#dates); of a day its beginning in UTC."""
    match = _INSTANT.fullmatch(text.strip())
    day, time, offset = match.groups("") if match else ("", "", "")
    if offset in ("Z", "z") or not time:
        offset = "+00:00"
    elif offset and ":" not in offset:
        offset = f"{offset[:3]}:{offset[3:]}"
    try:
        return datetime.datetime.fromisoformat(f"{day}T{time or '00:00'}{offset}")
    except ValueError:
        return None


def contains(current: Any, wanted: Any) -> bool:
    """Whether ``current`` has all of ``wanted``: dictionaries member by member, everything else by equality."""
    if isinstance(wanted, dict) and isinstance(current, dict):
        return all(name in current and contains(current[name], value) for name, value in wanted.items())
    return type(wanted) is type(current) and bool(wanted == current)

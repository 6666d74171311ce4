"""The types of values that fields of bodies have: each checks a value, stores its normal form and describes itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import timezone
from typing import Any

from panel_simulator.calls import Invalid
from panel_simulator.spellings import PANEL_ZONE, ascii_address, ascii_domain, read_instant, write_instant

_SIZE = re.compile(r"(\d+)([KMGTP]?)", re.ASCII | re.IGNORECASE)
UNLIMITED = -1
_FACTORS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50}


class Value:
    """One type of value; ``schema`` describes it for OpenAPI."""

    schema: dict[str, Any] = {"type": "string"}

    def check(self, value: Any, where: str) -> Any:
        """The form to store; raises Invalid. where: the path of the field."""
        raise NotImplementedError

    def converted(self, value: Any) -> Any:
        """What PHP makes of a scalar of another type before it is checked; anything else as it is."""
        return value


class Text(Value):
    """A string. form: what is wrong with one that does not match the pattern."""

    def __init__(
        self, pattern: str = "", longest: int = 0, required: bool = False, form: str = "", nullable: bool = False
    ) -> None:
        self.pattern = re.compile(pattern) if pattern else None
        self.longest, self.required, self.form, self.nullable = longest, required, form, nullable
        self.schema = {"type": "string", "nullable": True} if nullable else {"type": "string"}

    def check(self, value: Any, where: str) -> Any:
        if value is None and self.nullable:
            return None
        if not isinstance(value, str):
            raise Invalid(f"{where}: must be a string.")
        if self.required and not value.strip():
            raise Invalid(f"{where}: must not be empty.")
        if self.longest and len(value) > self.longest:
            raise Invalid(f"{where}: must not be longer than {self.longest} characters.")
        if self.pattern and value and not self.pattern.fullmatch(value):
            raise Invalid(f"{where}: {self.form or 'has an invalid format.'}")
        return value

    def converted(self, value: Any) -> Any:
        if isinstance(value, bool):
            return "1" if value else ""
        return str(value) if isinstance(value, (int, float)) else value


class Flag(Value):
    """A boolean; an empty string counts as false (facts.md section 4.1, is_suspended)."""

    schema = {"type": "boolean"}

    def check(self, value: Any, where: str) -> Any:
        if value == "" and isinstance(value, str):
            return False
        if not isinstance(value, bool):
            raise Invalid(f"{where}: must be true or false.")
        return value

    def converted(self, value: Any) -> Any:
        return str(value) == "1" if isinstance(value, (int, str)) and str(value) in ("0", "1") else value


class Number(Value):
    """An integer. text: whether it may be given as a numeric string."""

    def __init__(
        self, least: int | None = None, text: bool = False, nullable: bool = False, choices: Sequence[int] = ()
    ) -> None:
        self.least, self.text, self.nullable, self.choices = least, text, nullable, choices
        self.schema = {"type": "integer", "nullable": True} if nullable else {"type": "integer"}

    def check(self, value: Any, where: str) -> Any:
        if value is None and self.nullable:
            return None
        if self.text and isinstance(value, str) and re.fullmatch(r"\d{1,10}", value, re.ASCII):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise Invalid(f"{where}: must be an integer.")
        if self.choices and value not in self.choices:
            raise Invalid(f"{where}: must be one of {', '.join(map(str, self.choices))}.")
        if self.least is not None and value < self.least:
            raise Invalid(f"{where}: must be at least {self.least}.")
        if value >= 2**31:
            raise Invalid(f"{where}: must be at most {2**31 - 1}.")
        return value

    def converted(self, value: Any) -> Any:
        if isinstance(value, str) and re.fullmatch(r"-?\d{1,10}", value, re.ASCII):
            return int(value)
        return int(value) if isinstance(value, float) and value.is_integer() else value


class Bytes(Value):
    """A number of bytes: an integer, or a string of digits with K, M, G, T or P; -1 is unlimited."""

    schema = {"oneOf": [{"type": "integer"}, {"type": "string"}]}

    def __init__(self, least: int = 0) -> None:
        self.least = least

    def check(self, value: Any, where: str) -> Any:
        number = self._read(value)
        if number is None:
            raise Invalid(f"{where}: must be an integer, or an integer with K, M, G, T or P; decimals are not allowed.")
        if number < self.least and number != UNLIMITED:
            raise Invalid(f"{where}: must be -1 or at least {self.least}.")
        if number >= 2**63:
            raise Invalid(f"{where}: is too large.")
        return number

    @staticmethod
    def _read(value: Any) -> int | None:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if value == str(UNLIMITED):
            return UNLIMITED
        match = _SIZE.fullmatch(value) if isinstance(value, str) else None
        return int(match[1]) * _FACTORS[match[2].upper()] if match else None


class Choice(Value):
    """One of a few words."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self.schema = {"type": "string", "enum": list(words)}

    def check(self, value: Any, where: str) -> Any:
        if value not in self.words:
            raise Invalid(f"{where}: must be one of {', '.join(self.words)}.")
        return value


class Instant(Value):
    """A date or a date and time, or null; an empty string counts as null (facts.md section 4.1)."""

    schema = {"type": "string", "nullable": True}

    def __init__(self, zone: timezone = PANEL_ZONE, colon: bool = True) -> None:
        self.zone, self.colon = zone, colon

    def check(self, value: Any, where: str) -> Any:
        if value is None or value == "":
            return None
        try:
            return write_instant(read_instant(value, self.zone), self.colon)
        except (AttributeError, OverflowError, TypeError, ValueError) as error:
            raise Invalid(
                f"{where}: must be a date (YYYY-MM-DD) or an ISO 8601 date and time up to 2099-12-31, or null."
            ) from error


class DomainName(Value):
    """A domain name in punycode or UTF-8."""

    def check(self, value: Any, where: str) -> Any:
        try:
            return ascii_domain(value)
        except (AttributeError, ValueError) as error:
            raise Invalid(f"{where}: is not a valid domain name.") from error


class Address(Value):
    """An e-mail address in punycode or UTF-8; empty where ``required`` is not set."""

    def __init__(self, required: bool = True) -> None:
        self.required = required

    def check(self, value: Any, where: str) -> Any:
        if value == "" and not self.required:
            return ""
        try:
            return ascii_address(value)
        except (AttributeError, ValueError) as error:
            raise Invalid(f"{where}: is not a valid e-mail address.") from error


class ListOf(Value):
    """A list of one type of value, without duplicates."""

    def __init__(self, item: Value) -> None:
        self.item = item
        self.schema = {"type": "array", "items": item.schema}

    def check(self, value: Any, where: str) -> Any:
        if not isinstance(value, list):
            raise Invalid(f"{where}: must be a list.")
        return list(dict.fromkeys(self.item.check(item, f"{where}[{number}]") for number, item in enumerate(value)))

    def converted(self, value: Any) -> Any:
        return [self.item.converted(item) for item in value] if isinstance(value, list) else value


class Checked(Value):
    """A string that a function checks; it raises ValueError, whose text is shown."""

    def __init__(self, function: Callable[[str], str]) -> None:
        self.function = function

    def check(self, value: Any, where: str) -> Any:
        if not isinstance(value, str):
            raise Invalid(f"{where}: must be a string.")
        try:
            return self.function(value)
        except ValueError as error:
            raise Invalid(f"{where}: {error}") from error

# SPDX-License-Identifier: GPL-3.0-or-later
"""How values are checked, how the fields of a kind are declared, and how a body is read."""

from __future__ import annotations

import contextlib
import copy
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

from panel_simulator.addresses import encode_domain, normalize_address, normalize_foreign_address
from panel_simulator.calls import Invalid

PANEL_ZONE = timezone(timedelta(hours=2))
_WINTER_ZONE = timezone(timedelta(hours=1))
WITH_WINTER = "local_with_winter"
LAST_DAY = date(2099, 12, 31)
_SHOWN_ZONES = {"utc": UTC, "local": PANEL_ZONE, "west": timezone(timedelta(hours=-5))}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def format_now() -> str:
    """Return this moment in the panel's zone, with a colon in the offset, as ``created_at`` has it
    (docs/panel_api.md#dates).
    """
    return datetime.now(PANEL_ZONE).isoformat(timespec="seconds")


def read_instant(text: str, zone: timezone) -> datetime:
    """Read a date (midnight in ``zone``) or an ISO 8601 date and time, in ``zone``.

    Raises ValueError.
    """
    text = text.strip()
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    else:
        moment = moment.astimezone(zone)

    if moment.date() > LAST_DAY:
        raise ValueError(f"after {LAST_DAY}")

    return moment


def _find_zone_of_season(moment: datetime) -> timezone:
    """Return the panel's zone in summer, and the one that is an hour less in winter.

    Summer lasts from the last Sunday of March to the last one of October, at one o'clock UTC.
    """
    year = moment.astimezone(UTC).year
    if _find_last_sunday(year, 3) <= moment < _find_last_sunday(year, 10):
        return PANEL_ZONE
    return _WINTER_ZONE


def _find_last_sunday(year: int, month: int) -> datetime:
    """Return one o'clock UTC on the last Sunday of a month that has 31 days."""
    last_day = datetime(year, month, 31, 1, tzinfo=UTC)
    return last_day - timedelta(days=last_day.isoweekday() % 7)


def shift_to_season(value: Any) -> Any:
    """Return a bare day as the moment at which it begins in a zone with summer and winter time.

    Anything else stays as it is.
    """
    if isinstance(value, str) and _DATE.fullmatch(value.strip()):
        with contextlib.suppress(ValueError):
            midnight = datetime.fromisoformat(value.strip()).replace(tzinfo=_WINTER_ZONE)
            zone = _find_zone_of_season(midnight)
            return midnight.replace(tzinfo=zone).isoformat(timespec="seconds")

    return value


def show_instant(text: str, dates: str) -> str:
    """Return what was written, as answers show it with the setting ``dates``."""
    moment = datetime.fromisoformat(text)
    if dates == "date":
        return moment.date().isoformat()
    if dates == WITH_WINTER:
        return write_instant(moment.astimezone(_find_zone_of_season(moment)), colon=True)
    if dates not in _SHOWN_ZONES:
        return text

    return write_instant(moment.astimezone(_SHOWN_ZONES[dates]), colon=dates != "utc")


def write_instant(moment: datetime, colon: bool) -> str:
    """Write ISO 8601 with an offset, ``+02:00`` or, as in ``delete_on`` of domains, ``+0000``."""
    if colon:
        return moment.isoformat(timespec="seconds")
    return moment.strftime("%Y-%m-%dT%H:%M:%S%z")


UNLIMITED = -1
_SIZE = re.compile(r"(\d+)([KMGTP]?)", re.ASCII | re.IGNORECASE)
_UNITS = ["", *"KMGTP"]


class Value:
    """One type of value; ``schema`` describes it for OpenAPI."""

    schema: dict[str, Any] = {"type": "string"}

    def check(self, value: Any, where: str) -> Any:
        """Return the form to store; raises Invalid.

        Args:
            value: what the body has.
            where: the path of the field, for the message.
        """
        raise NotImplementedError

    def convert(self, value: Any) -> Any:
        """Return what PHP makes of a scalar of another type before it is checked.

        Anything else stays as it is.
        """
        return value


class Text(Value):
    """A string. form: what is wrong with one that does not match the pattern."""

    def __init__(
        self,
        pattern: str = "",
        longest: int = 0,
        required: bool = False,
        form: str = "",
        nullable: bool = False,
    ) -> None:
        self.pattern = pattern
        self.longest = longest
        self.required = required
        self.nullable = nullable
        self.form = form or "has an invalid format."
        self.schema = {"type": "string"}
        if nullable:
            self.schema["nullable"] = True

    def check(self, value: Any, where: str) -> Any:
        """Return the text as it is; raises Invalid when it is too long, empty or malformed."""
        if value is None and self.nullable:
            return None
        if not isinstance(value, str):
            raise Invalid(f"{where}: must be a string.")
        if self.required and not value.strip():
            raise Invalid(f"{where}: must not be empty.")
        if self.longest and len(value) > self.longest:
            raise Invalid(f"{where}: must not be longer than {self.longest} characters.")
        if self.pattern and value and not re.fullmatch(self.pattern, value):
            raise Invalid(f"{where}: {self.form}")

        return value

    def convert(self, value: Any) -> Any:
        """Return the text that PHP makes of a number, of true ("1") and of false ("")."""
        if value is True:
            return "1"
        if value is False:
            return ""
        if isinstance(value, (int, float)):
            return str(value)

        return value


class Flag(Value):
    """A boolean; an empty string counts as false (docs/panel_api.md#empty-texts)."""

    schema = {"type": "boolean"}

    def check(self, value: Any, where: str) -> Any:
        """Return true or false; raises Invalid for anything but those and an empty string."""
        if not isinstance(value, bool) and value != "":
            raise Invalid(f"{where}: must be true or false.")
        return bool(value)

    def convert(self, value: Any) -> Any:
        """Return the boolean that PHP makes of 0 and 1, as a number or as a text."""
        if isinstance(value, (int, str)) and str(value) in ("0", "1"):
            return str(value) == "1"
        return value


class Number(Value):
    """An integer. text: whether it may be given as a numeric string."""

    def __init__(
        self,
        least: int = -(2**31),
        text: bool = False,
        nullable: bool = False,
        choices: Sequence[int] = (),
    ) -> None:
        self.least = least
        self.text = text
        self.nullable = nullable
        self.choices = choices
        self.schema = {"type": "integer"}
        if nullable:
            self.schema["nullable"] = True

        if choices:
            self.schema["enum"] = [*choices]

    def check(self, value: Any, where: str) -> Any:
        """Return the number; raises Invalid for another type and beyond the bounds or choices."""
        if value is None and self.nullable:
            return None

        if self.text:
            value = self.convert(value)

        if isinstance(value, bool) or not isinstance(value, int):
            raise Invalid(f"{where}: must be an integer.")
        if self.choices and value not in self.choices:
            raise Invalid(f"{where}: must be one of {', '.join(map(str, self.choices))}.")
        if not self.least <= value < 2**31:
            raise Invalid(f"{where}: must be from {self.least} to {2**31 - 1}.")

        return value

    def convert(self, value: Any) -> Any:
        """Return the integer that PHP makes of digits, and of a float without decimals."""
        if isinstance(value, str) and re.fullmatch(r"-?\d{1,10}", value, re.ASCII):
            return int(value)
        if isinstance(value, float) and value.is_integer():
            return int(value)
        return value


class Bytes(Value):
    """A number of bytes: an integer, or digits with K, M, G, T or P; -1 is unlimited."""

    schema = {"oneOf": [{"type": "integer"}, {"type": "string"}]}

    def __init__(self, least: int = 0) -> None:
        self.least = least

    def check(self, value: Any, where: str) -> Any:
        """Return the number of bytes; raises Invalid when there is none or it is out of bounds."""
        number = _parse_size(value)
        if isinstance(number, bool) or not isinstance(number, int):
            raise Invalid(
                f"{where}: must be an integer, or an integer with K, M, G, T or P; "
                "decimals are not allowed."
            )
        if number != UNLIMITED and not self.least <= number < 2**63:
            raise Invalid(f"{where}: must be -1, or from {self.least} to {2**63 - 1}.")

        return number


def _parse_size(value: Any) -> Any:
    """Return the bytes that a text says; anything that is no size stays as it is."""
    if not isinstance(value, str):
        return value
    if value == str(UNLIMITED):
        return UNLIMITED

    size = _SIZE.fullmatch(value)
    if size is None:
        return value

    power = _UNITS.index(size[2].upper())
    return int(size[1]) * 1024**power


class Choice(Value):
    """One of a few texts."""

    def __init__(self, *choices: str) -> None:
        self.choices = choices
        self.schema = {"type": "string", "enum": list(choices)}

    def check(self, value: Any, where: str) -> Any:
        """Return the text; raises Invalid when it is none of the choices."""
        if value not in self.choices:
            raise Invalid(f"{where}: must be one of {', '.join(filter(None, self.choices))}.")
        return value


class Checked(Value):
    """A string that a function checks.

    If the function raises an error, ``complaint`` is shown, or else the text of the error.
    """

    def __init__(
        self, function: Callable[[str], str], complaint: str = "", required: bool = True
    ) -> None:
        self.function = function
        self.complaint = complaint
        self.required = required

    def check(self, value: Any, where: str) -> Any:
        """Return what the function makes of the text; raises Invalid when it refuses it."""
        if not isinstance(value, str):
            raise Invalid(f"{where}: must be a string.")
        if not value and not self.required:
            return ""

        try:
            return self.function(value)
        except ValueError as error:
            raise Invalid(f"{where}: {self.complaint or error}") from error


# In punycode or UTF-8.
DOMAIN_NAME = Checked(encode_domain, "is not a valid domain name.")
ADDRESS = Checked(normalize_address, "is not a valid e-mail address.")
FOREIGN_ADDRESS = Checked(normalize_foreign_address, "is not a valid e-mail address.")
NO_ADDRESS = Checked(normalize_address, "is not a valid e-mail address.", required=False)


class Instant(Value):
    """A date or a date and time (docs/panel_api.md#dates), or null; an empty string counts as null
    (docs/panel_api.md#empty-texts)."""

    schema = {"type": "string", "nullable": True}

    def __init__(self, zone: timezone = PANEL_ZONE, colon: bool = True) -> None:
        self.zone = zone
        self.colon = colon

    def check(self, value: Any, where: str) -> Any:
        """Return the moment in the panel's zone, as text; raises Invalid when there is none."""
        try:
            if value in (None, ""):
                return None
            return write_instant(read_instant(value, self.zone), self.colon)
        except (AttributeError, OverflowError, TypeError, ValueError) as error:
            raise Invalid(
                f"{where}: must be a date (YYYY-MM-DD) or an ISO 8601 date and time "
                "up to 2099-12-31, or null."
            ) from error


class ListOf(Value):
    """A list of one type of value, without duplicates where it is a set."""

    def __init__(self, item: Value, is_set: bool = True) -> None:
        self.item = item
        self.is_set = is_set
        self.schema = {"type": "array", "items": item.schema}

    def check(self, value: Any, where: str) -> Any:
        """Return the list with each item checked; raises Invalid."""
        if not isinstance(value, list):
            raise Invalid(f"{where}: must be a list.")

        checked = [self.item.check(item, f"{where}[{number}]") for number, item in enumerate(value)]
        if self.is_set:
            return list(dict.fromkeys(checked))

        return checked

    def convert(self, value: Any) -> Any:
        """Return the list with each item as PHP takes it."""
        if not isinstance(value, list):
            return value
        return [self.item.convert(item) for item in value]


MISSING = object()


@dataclass(frozen=True)
class Field:
    """One field.

    ``access``: ``rw``; ``create`` (given once, shown, the same value is tolerated later); ``flag``
    (given at creation, never shown); ``ro`` (shown; what a body says about it is ignored).
    ``inferred`` marks what no source proves.
    """

    name: str
    value: Value
    default: Any = MISSING
    access: str = "rw"
    required: bool = False
    inferred: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The description for OpenAPI, with a mark for each property that is not the usual one."""
        schema = dict(self.value.schema)
        if self.access == "ro":
            schema["readOnly"] = True

        if self.access == "flag":
            schema["writeOnly"] = True

        if self.inferred:
            schema["x-inferred"] = True

        return schema


@dataclass(frozen=True)
class Rules:
    """Settings that decide how a body is read. extra: fields that only this panel knows."""

    replace_nested: bool = False
    refuse_unknown: bool = False
    extra: Sequence[str] = ()


class Members(Value):
    """An object with fields; ``keeps`` names those that stay when the whole object is replaced."""

    def __init__(self, *fields: Field, keeps: frozenset[str] = frozenset()) -> None:
        self.fields = fields
        self.keeps = keeps
        self.by_name = {item.name: item for item in fields}
        properties = {item.name: item.schema for item in fields}
        self.schema = {"type": "object", "properties": properties}

    def copy_defaults(self) -> dict[str, Any]:
        """Return a copy of the default of each field that has one."""
        with_default = (item for item in self.fields if item.default is not MISSING)
        return {item.name: copy.copy(item.default) for item in with_default}

    def convert(self, value: Any) -> Any:
        """Return the object with each field as PHP takes it."""
        if not isinstance(value, Mapping):
            return value
        return convert_body(self.fields, value)

    def check(self, value: Any, where: str) -> dict[str, Any]:
        """Return an object with all of its fields; raises Invalid when one is missing or wrong."""
        if isinstance(value, Mapping):
            self._require_all(value, where)

        fields, _flags = read_body(self.fields, value, {}, Rules(), f"{where}.")
        return {name: fields[name] for name in self.by_name}

    def _require_all(self, value: Mapping[str, Any], where: str) -> None:
        for name in self.by_name:
            if name not in value:
                raise Invalid(f"{where}.{name}: this member is required.")


def convert_body(fields: Sequence[Field], body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a body with scalars of other types as PHP takes them: "17" for 17, 1 for true, 5 for
    "5" (docs/panel_api.md#unknown-fields)."""
    result = dict(body)
    for item in fields:
        if item.name in result:
            result[item.name] = item.value.convert(result[item.name])

    return result


def read_body(
    fields: Sequence[Field],
    body: Any,
    current: Mapping[str, Any] | None,
    rules: Rules,
    within: str = "",
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read the body of a POST or a PUT.

    Args:
        fields: what the object can have.
        body: the decoded body.
        current: the fields before a PUT; None for a POST.
        rules: how this panel reads bodies.
        within: the path of a nested object, with a dot at the end.

    Returns: the fields to show, and the flags, which the body sets but answers never show.
    Raises: Invalid.
    """
    if not isinstance(body, Mapping):
        raise Invalid(f"{within[:-1]}: must be an object.")

    data = dict(_collect_defaults(fields, body) if current is None else current)
    flags: dict[str, Any] = {}

    for item in fields:
        if item.name not in body or item.access == "ro":
            continue
        value = body[item.name]
        where = within + item.name
        if item.access == "flag":
            flags[item.name] = item.value.check(value, where)
        elif isinstance(item.value, Members) and not within:
            before = _list_fields_before(item.value, data.get(item.name, {}), rules)
            data[item.name] = read_body(item.value.fields, value, before, rules, f"{where}.")[0]
        else:
            data[item.name] = item.value.check(value, where)
            _refuse_change(item, data, current, where)

    _take_unknown(fields, body, data, rules, within)
    return data, flags


def _list_fields_before(
    value: Members, before: Mapping[str, Any], rules: Rules
) -> Mapping[str, Any]:
    """Return what a nested object keeps of its fields when a body writes it."""
    if not rules.replace_nested:
        return before

    kept = {name: before[name] for name in value.keeps if name in before}
    return {**value.copy_defaults(), **kept}


def _refuse_change(
    item: Field, data: Mapping[str, Any], current: Mapping[str, Any] | None, where: str
) -> None:
    """Raise Invalid when a field that only a creation sets has another value than before."""
    if item.access != "create" or current is None:
        return
    if data[item.name] != current.get(item.name):
        raise Invalid(f"{where}: cannot be changed.")


def _take_unknown(
    fields: Sequence[Field],
    body: Mapping[str, Any],
    data: dict[str, Any],
    rules: Rules,
    within: str,
) -> None:
    """Keep the fields that only this panel knows; ignore or refuse the others."""
    for name in sorted(body.keys() - {item.name for item in fields}):
        if not within and name in rules.extra:
            data[name] = body[name]
        elif rules.refuse_unknown:
            raise Invalid(f"{within}{name}: unknown member.")


def _collect_defaults(fields: Sequence[Field], body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a new object has before its body is read; raises Invalid for a missing field."""
    defaults: dict[str, Any] = {}
    for item in fields:
        if item.required and item.name not in body:
            raise Invalid(f"{item.name}: this member is required.")
        if isinstance(item.value, Members):
            defaults[item.name] = item.value.copy_defaults()
        elif item.default is not MISSING:
            defaults[item.name] = copy.copy(item.default)

    return defaults

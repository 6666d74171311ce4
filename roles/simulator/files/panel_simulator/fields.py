"""How values are written and checked, how the fields of a kind are declared, and how a body is read against the declaration."""

from __future__ import annotations

import contextlib
import copy
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

from panel_simulator.calls import Invalid

# requests brings it along; a host with Python alone has the older rules of the standard library.
idna: Any = None
with contextlib.suppress(ImportError):
    import idna

_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)", re.ASCII)
_LOCAL_PART = re.compile(r"[^\s@,;<>()\[\]\"\\]+")


def ascii_domain(text: str) -> str:
    """The stored form of a domain name; raises ValueError when it is none."""
    name = text.strip().rstrip(".").lower()
    if not name.isascii():
        name = (idna.encode(name, uts46=True) if idna else name.encode("idna")).decode("ascii")
    if (
        "." not in name
        or len(name) > 253
        or not all(_LABEL.fullmatch(label) for label in name.split("."))
    ):
        raise ValueError("not a domain name")
    return name


def utf8_domain(name: str) -> str:
    if "xn--" not in name:
        return name
    try:
        return str(idna.decode(name)) if idna else name.encode("ascii").decode("idna")
    except ValueError:
        return name


def ascii_address(text: str) -> str:
    """The stored form of an e-mail address; raises ValueError when it is none."""
    local, _sign, domain = foreign_address(text).rpartition("@")
    return f"{local.lower()}@{domain}"


def foreign_address(text: str) -> str:
    """The stored form of somebody else's address, whose first part keeps its case; raises ValueError when it is none."""
    local, separator, domain = text.strip().rpartition("@")
    if not separator or not _LOCAL_PART.fullmatch(local):
        raise ValueError("not an e-mail address")
    return f"{local}@{ascii_domain(domain)}"


def utf8_address(address: str) -> str:
    local, _separator, domain = address.rpartition("@")
    return f"{local}@{utf8_domain(domain)}"


PANEL_ZONE = timezone(timedelta(hours=2))
_WINTER_ZONE = timezone(timedelta(hours=1))
WITH_WINTER = "local_with_winter"
LAST_DAY = date(2099, 12, 31)
_SHOWN_ZONES = {"utc": UTC, "local": PANEL_ZONE, "west": timezone(timedelta(hours=-5))}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def now() -> str:
    """This moment in the panel's zone, with a colon in the offset, as ``created_at`` has it
    (docs/panel_api.md#dates)."""
    return datetime.now(PANEL_ZONE).isoformat(timespec="seconds")


def read_instant(text: str, zone: timezone) -> datetime:
    """A date (midnight in ``zone``) or an ISO 8601 date and time, in ``zone``; raises ValueError."""
    text = text.strip()
    if _DATE.fullmatch(text):
        moment = datetime.fromisoformat(text).replace(tzinfo=zone)
    else:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=zone) if moment.tzinfo is None else moment.astimezone(zone)
    if moment.date() > LAST_DAY:
        raise ValueError(f"after {LAST_DAY}")
    return moment


def _zone_of_season(moment: datetime) -> timezone:
    """The panel's zone in summer, and an hour less in winter: from the last Sundays of October and of March on, at one o'clock UTC."""
    last_days = (
        datetime(moment.astimezone(UTC).year, month, 31, 1, tzinfo=UTC) for month in (3, 10)
    )
    begin, end = (day - timedelta(days=day.isoweekday() % 7) for day in last_days)
    return PANEL_ZONE if begin <= moment < end else _WINTER_ZONE


def with_season(value: Any) -> Any:
    """A bare day as the moment at which it begins in a zone with summer and winter time; anything else as it is."""
    if isinstance(value, str) and _DATE.fullmatch(value.strip()):
        with contextlib.suppress(ValueError):
            midnight = datetime.fromisoformat(value.strip()).replace(tzinfo=_WINTER_ZONE)
            return midnight.replace(tzinfo=_zone_of_season(midnight)).isoformat(timespec="seconds")
    return value


def shown_instant(text: str, dates: str) -> str:
    """What was written, as answers show it with the setting ``dates``."""
    moment = datetime.fromisoformat(text)
    if dates == "date":
        return moment.date().isoformat()
    zone = _zone_of_season(moment) if dates == WITH_WINTER else _SHOWN_ZONES.get(dates)
    return text if zone is None else write_instant(moment.astimezone(zone), colon=dates != "utc")


def write_instant(moment: datetime, colon: bool) -> str:
    """ISO 8601 with an offset, ``+02:00`` or, as in ``delete_on`` of domains, ``+0000``."""
    return moment.isoformat(timespec="seconds") if colon else moment.strftime("%Y-%m-%dT%H:%M:%S%z")


UNLIMITED = -1
_SIZE = re.compile(r"(\d+)([KMGTP]?)", re.ASCII | re.IGNORECASE)
_UNITS = ["", *"KMGTP"]


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
        self,
        pattern: str = "",
        longest: int = 0,
        required: bool = False,
        form: str = "",
        nullable: bool = False,
    ) -> None:
        self.pattern, self.longest, self.required, self.nullable = (
            pattern,
            longest,
            required,
            nullable,
        )
        self.form = form or "has an invalid format."
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
        if self.pattern and value and not re.fullmatch(self.pattern, value):
            raise Invalid(f"{where}: {self.form}")
        return value

    def converted(self, value: Any) -> Any:
        if isinstance(value, bool):
            return "1" if value else ""
        return str(value) if isinstance(value, (int, float)) else value


class Flag(Value):
    """A boolean; an empty string counts as false (docs/panel_api.md#empty-texts)."""

    schema = {"type": "boolean"}

    def check(self, value: Any, where: str) -> Any:
        if not isinstance(value, bool) and value != "":
            raise Invalid(f"{where}: must be true or false.")
        return bool(value)

    def converted(self, value: Any) -> Any:
        return (
            str(value) == "1"
            if isinstance(value, (int, str)) and str(value) in ("0", "1")
            else value
        )


class Number(Value):
    """An integer. text: whether it may be given as a numeric string."""

    def __init__(
        self,
        least: int = -(2**31),
        text: bool = False,
        nullable: bool = False,
        choices: Sequence[int] = (),
    ) -> None:
        self.least, self.text, self.nullable, self.choices = least, text, nullable, choices
        self.schema = {"type": "integer", **({"nullable": True} if nullable else {})}
        if choices:
            self.schema["enum"] = [*choices]

    def check(self, value: Any, where: str) -> Any:
        if value is None and self.nullable:
            return None
        if self.text:
            value = self.converted(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise Invalid(f"{where}: must be an integer.")
        if self.choices and value not in self.choices:
            raise Invalid(f"{where}: must be one of {', '.join(map(str, self.choices))}.")
        if not self.least <= value < 2**31:
            raise Invalid(f"{where}: must be from {self.least} to {2**31 - 1}.")
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
        size = _SIZE.fullmatch(value) if isinstance(value, str) else None
        number = int(size[1]) * 2 ** (10 * _UNITS.index(size[2].upper())) if size else value
        if value == str(UNLIMITED):
            number = UNLIMITED
        if isinstance(number, bool) or not isinstance(number, int):
            raise Invalid(
                f"{where}: must be an integer, or an integer with K, M, G, T or P; decimals are not allowed."
            )
        if number != UNLIMITED and not self.least <= number < 2**63:
            raise Invalid(f"{where}: must be -1, or from {self.least} to {2**63 - 1}.")
        return number


class Choice(Value):
    """One of a few words."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self.schema = {"type": "string", "enum": list(words)}

    def check(self, value: Any, where: str) -> Any:
        if value not in self.words:
            raise Invalid(f"{where}: must be one of {', '.join(filter(None, self.words))}.")
        return value


class Checked(Value):
    """A string that a function checks; where it raises an error, ``words`` or else that of the error are shown."""

    def __init__(
        self, function: Callable[[str], str], words: str = "", required: bool = True
    ) -> None:
        self.function, self.words, self.required = function, words, required

    def check(self, value: Any, where: str) -> Any:
        if not isinstance(value, str):
            raise Invalid(f"{where}: must be a string.")
        try:
            return self.function(value) if value or self.required else ""
        except ValueError as error:
            raise Invalid(f"{where}: {self.words or error}") from error


# In punycode or UTF-8.
DOMAIN_NAME = Checked(ascii_domain, "is not a valid domain name.")
ADDRESS = Checked(ascii_address, "is not a valid e-mail address.")
FOREIGN_ADDRESS = Checked(foreign_address, "is not a valid e-mail address.")
NO_ADDRESS = Checked(ascii_address, "is not a valid e-mail address.", required=False)


class Instant(Value):
    """A date or a date and time (docs/panel_api.md#dates), or null; an empty string counts as null
    (docs/panel_api.md#empty-texts)."""

    schema = {"type": "string", "nullable": True}

    def __init__(self, zone: timezone = PANEL_ZONE, colon: bool = True) -> None:
        self.zone, self.colon = zone, colon

    def check(self, value: Any, where: str) -> Any:
        try:
            return (
                None
                if value in (None, "")
                else write_instant(read_instant(value, self.zone), self.colon)
            )
        except (AttributeError, OverflowError, TypeError, ValueError) as error:
            raise Invalid(
                f"{where}: must be a date (YYYY-MM-DD) or an ISO 8601 date and time up to 2099-12-31, or null."
            ) from error


class ListOf(Value):
    """A list of one type of value, without duplicates where it is a set."""

    def __init__(self, item: Value, is_set: bool = True) -> None:
        self.item, self.is_set = item, is_set
        self.schema = {"type": "array", "items": item.schema}

    def check(self, value: Any, where: str) -> Any:
        if not isinstance(value, list):
            raise Invalid(f"{where}: must be a list.")
        checked = [self.item.check(item, f"{where}[{number}]") for number, item in enumerate(value)]
        return list(dict.fromkeys(checked)) if self.is_set else checked

    def converted(self, value: Any) -> Any:
        return [self.item.converted(item) for item in value] if isinstance(value, list) else value


MISSING = object()


@dataclass(frozen=True)
class Field:
    """One field.

    ``access``: ``rw``; ``create`` (given once, shown, the same value is tolerated later); ``flag`` (given at creation, never shown);
    ``ro`` (shown; what a body says about it is ignored). ``inferred`` marks what no source proves.
    """

    name: str
    value: Value
    default: Any = MISSING
    access: str = "rw"
    required: bool = False
    inferred: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        marks = {
            "readOnly": self.access == "ro",
            "writeOnly": self.access == "flag",
            "x-inferred": self.inferred,
        }
        return {**self.value.schema, **{mark: True for mark, is_set in marks.items() if is_set}}


@dataclass(frozen=True)
class Rules:
    """Settings that decide how a body is read. extra: fields that only this panel knows."""

    replace_nested: bool = False
    refuse_unknown: bool = False
    extra: Sequence[str] = ()


class Members(Value):
    """An object with fields of its own; ``keeps`` names those that replacing the whole object leaves alone."""

    def __init__(self, *fields: Field, keeps: frozenset[str] = frozenset()) -> None:
        self.fields, self.keeps = fields, keeps
        self.by_name = {item.name: item for item in fields}
        self.schema = {"type": "object", "properties": {item.name: item.schema for item in fields}}

    def defaults(self) -> dict[str, Any]:
        return {
            item.name: copy.copy(item.default)
            for item in self.fields
            if item.default is not MISSING
        }

    def converted(self, value: Any) -> Any:
        return converted(self.fields, value) if isinstance(value, Mapping) else value

    def check(self, value: Any, where: str) -> dict[str, Any]:
        """An object with all of its fields."""
        for name in self.by_name if isinstance(value, Mapping) else ():
            if name not in value:
                raise Invalid(f"{where}.{name}: this member is required.")
        read, _given = read_body(self.fields, value, {}, Rules(), f"{where}.")
        return {name: read[name] for name in self.by_name}


def converted(fields: Sequence[Field], body: Mapping[str, Any]) -> dict[str, Any]:
    """A body with scalars of other types as PHP takes them: "17" for 17, 1 for true, 5 for "5"
    (docs/panel_api.md#unknown-fields)."""
    values = {item.name: item.value for item in fields}
    return {
        name: values[name].converted(value) if name in values else value
        for name, value in body.items()
    }


def read_body(
    fields: Sequence[Field],
    body: Any,
    current: Mapping[str, Any] | None,
    rules: Rules,
    within: str = "",
) -> tuple[dict[str, Any], dict[str, Any]]:
    """(fields to show, fields given but not shown) after a POST (``current`` is None) or a PUT. within: the path of a nested object, with a dot."""
    if not isinstance(body, Mapping):
        raise Invalid(f"{within[:-1]}: must be an object.")
    shown: dict[str, Any] = _defaults(fields, body) if current is None else dict(current)
    given: dict[str, Any] = {}
    for item in fields:
        if item.name not in body or item.access == "ro":
            continue
        value, where = body[item.name], within + item.name
        if item.access == "flag":
            given[item.name] = item.value.check(value, where)
        elif isinstance(item.value, Members) and not within:
            before = shown.get(item.name, {})
            if rules.replace_nested:
                kept = {name: before[name] for name in item.value.keeps if name in before}
                before = {**item.value.defaults(), **kept}
            shown[item.name] = read_body(item.value.fields, value, before, rules, f"{where}.")[0]
        else:
            shown[item.name] = item.value.check(value, where)
            if (
                item.access == "create"
                and current is not None
                and shown[item.name] != current.get(item.name)
            ):
                raise Invalid(f"{where}: cannot be changed.")
    for name in sorted(body.keys() - {item.name for item in fields}):
        if not within and name in rules.extra:
            shown[name] = body[name]
        elif rules.refuse_unknown:
            raise Invalid(f"{within}{name}: unknown member.")
    return shown, given


def _defaults(fields: Sequence[Field], body: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for item in fields:
        if item.required and item.name not in body:
            raise Invalid(f"{item.name}: this member is required.")
        if isinstance(item.value, Members):
            found[item.name] = item.value.defaults()
        elif item.default is not MISSING:
            found[item.name] = copy.copy(item.default)
    return found

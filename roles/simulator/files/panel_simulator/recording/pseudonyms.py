# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pseudonyms: what was equal stays equal, and nothing of what was there is in them. They are numbered in the order of first sight."""

from __future__ import annotations

import ipaddress
import random
import re
import string
import unicodedata
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

from panel_simulator.recording.vocabulary import EVERYWHERE, WORDS

_FIRST_DAY = date(2030, 1, 5).toordinal()
# Odd, so that steps of eight days meet each of them; until the last days that the panel takes.
_DAYS = 25559
_GREATEST_SHIFTED_ID = 100_000
# The letters of a pseudonym that are great ones where they are mixed in a text: neither all, none, nor the first alone.
_MIXTURES = (
    (1,),
    (2,),
    (3,),
    (0, 1),
    (0, 2),
    (0, 3),
    (1, 2),
    (1, 3),
    (2, 3),
    (0, 1, 2),
    (0, 1, 3),
    (0, 2, 3),
    (1, 2, 3),
)


class Pseudonyms:
    """Those of one conversation."""

    def __init__(self) -> None:
        self._seen: dict[str, dict[Any, int]] = {}
        self._days: dict[date, date] = {}
        self._taken: set[date] = set()
        self._sizes: set[int] = set()
        # Unknown to whoever reads the file, so that ids say no more than their order and what lies between them.
        self._shift = random.SystemRandom().randrange(100_001, 899_999)

    def _nth(self, table: str, value: Any) -> int:
        """Which one of its kind it is, from 1."""
        seen = self._seen.setdefault(table, {})
        return seen.setdefault(value, len(seen) + 1)

    def knows_word(self, text: str) -> bool:
        """Whether it was part of a name already."""
        return _folded(text) in self._seen.get("word", {})

    def knows_name(self, text: str) -> bool:
        """Whether a whole name was like this already."""
        return _folded(text) in self._seen.get("name", {})

    def note_name(self, text: str) -> None:
        """Remembers a whole name, so that it is known where it comes without saying that it is one."""
        self._nth("name", _folded(text))

    def word(self, text: str) -> str:
        """Letters and digits without anything in between. Words of the interface stay."""
        if text.isascii() and text.isdigit():
            return self.digits(text)
        if text in WORDS:
            return text
        if not unicodedata.is_normalized("NFC", text):
            return unicodedata.normalize("NFD", self.word(unicodedata.normalize("NFC", text)))
        number = self._nth("word", _folded(text))
        return self._spelled(text, f"name{number}" if text.isascii() else f"näme{number}")

    def _spelled(self, text: str, plain: str) -> str:
        """The pseudonym in small letters or as the text mixes them: equal but for that is still equal but for that."""
        if text == text.lower():
            return plain
        if text == text.upper():
            return plain.upper()
        if text == text.capitalize():
            return plain.capitalize()
        # Which letters are great ones is not told; another mixture is another one.
        places = _MIXTURES[(self._nth(f"mixture of {plain}", text) - 1) % len(_MIXTURES)]
        return "".join(letter.upper() if place in places else letter for place, letter in enumerate(plain))

    def digits(self, text: str) -> str:
        """A number as text, with the zeros ahead of it."""
        zeros = len(text) - len(text.lstrip("0")) if text.strip("0") else 0
        return "0" * min(zeros, 1) + str(self.number(int(text) if len(text) < 400 else 0))

    def number(self, number: int, is_size: bool = False) -> int:
        """Sizes are whole terabytes, so that they can be said in each unit. A negative one stays negative."""
        if number in EVERYWHERE:
            return number
        magnitude = abs(number)
        if is_size and magnitude not in self._seen.get("number", {}):
            self._sizes.add(magnitude)
        nth = self._nth("number", magnitude)
        pseudonym = nth * 2**40 if magnitude in self._sizes else 1000 + nth
        return pseudonym if number > 0 else -pseudonym

    def real(self, number: float) -> float:
        """A number that is not whole, or not written so."""
        if number == int(number):
            return float(self.number(int(number)))
        return self._nth("real", number) + 0.5

    def id(self, number: int) -> int:
        """Ids keep their order and their distances, since panels count with them."""
        if number in (0, -1):
            return number
        if 0 < number < _GREATEST_SHIFTED_ID:
            return number + self._shift
        return 2_000_000 + self._nth("id", number)

    def address(self, text: str) -> str:
        """An IP address, from those that nobody has; raises ValueError for other texts."""
        if "%" in text:
            raise ValueError("an address may name an interface, which is any text")
        address = ipaddress.ip_address(text)
        if address.is_loopback or address.is_unspecified:
            return str(address)
        if address.version == 4:
            return str(ipaddress.IPv4Address("198.18.0.0") + self._nth("IPv4", address) % 2**17)
        pseudonym = ipaddress.IPv6Address("2001:db8::") + self._nth("IPv6", str(address))
        if text == str(address):
            return str(pseudonym)
        return pseudonym.exploded if text == address.exploded else str(pseudonym).upper()

    def version(self, text: str) -> str:
        """A version, with as many dots."""
        return f"9.{self._nth('version', text)}" + ".0" * (text.count(".") - 1)

    def country(self, text: str) -> str:
        """One of the codes that no country has."""
        return "X" + string.ascii_uppercase[(self._nth("country", text) - 1) % 26]

    def month(self, text: str) -> str:
        """A year and a month."""
        nth = self._nth("month", text) - 1
        return f"{2030 + nth // 12 % 70}-{nth % 12 + 1:02d}"

    def in_schedule(self, text: str) -> str:
        """A number or word of a schedule: one that each field of it can have."""
        return str(self._nth("schedule", text) % 6 + 1)

    def text(self, text: str) -> str:
        """Anything. Whether a line end follows, blanks are in it and letters are great is all that stays."""
        core = " ".join(text.split())
        if not core:
            return " " if text else ""
        nth = self._nth("text", _folded(core))
        plain = f"text {nth}" if " " in core else f"text{nth}"
        if core != core.lower():
            spelling = self._nth(f"spelling of text {nth}", core)
            further = f" ({spelling})" if " " in core else f"s{spelling}"
            plain = plain.capitalize() + (further if spelling > 1 else "")
        return plain + ("\n" if text.endswith("\n") else "")

    def day(self, day: date) -> date:
        """A day; the next one is still the next one."""
        if day in self._days:
            return self._days[day]
        for step in (timedelta(1), timedelta(-1)):
            neighbour = self._neighbour(day, step)
            if neighbour is not None:
                return self._take(day, neighbour)
        for nth in range(len(self._days), len(self._days) + _DAYS):
            free = date.fromordinal(_FIRST_DAY + nth * 8 % _DAYS)
            if free not in self._taken:
                return self._take(day, free)
        return date.fromordinal(_FIRST_DAY)

    def _neighbour(self, day: date, step: timedelta) -> date | None:
        try:
            found = self._days.get(day - step)
        except OverflowError:
            return None
        if found is None or found + step in self._taken or not 2030 <= (found + step).year <= 2099:
            return None
        return found + step

    def _take(self, day: date, pseudonym: date) -> date:
        self._days[day] = pseudonym
        self._taken.add(pseudonym)
        return pseudonym

    def moment(self, moment: datetime) -> datetime:
        """A date and time, with or without an offset. A whole hour stays, since days begin with one; other times do not."""
        if not moment.minute and not moment.second and not moment.microsecond:
            return datetime.combine(self.day(moment.date()), moment.timetz())
        instant = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
        nth = self._nth("moment", instant.replace(microsecond=0))
        noon = datetime.combine(self.day(instant.date()), datetime.min.time(), UTC)
        pseudonym = noon + timedelta(hours=12, minutes=nth // 59 % 60, seconds=1 + nth % 59)
        return pseudonym.astimezone(moment.tzinfo) if moment.tzinfo else pseudonym.replace(tzinfo=None)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?:([T ])(\d\d:\d\d)(:\d\d)?(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?)?", re.ASCII)


def moment_as_text(text: str, pseudonyms: Pseudonyms) -> str | None:
    """The pseudonym of a date or of a date and time in the same form and offset; None if it is neither."""
    match = _MOMENT.fullmatch(text)
    if match is None:
        return None
    day, separator, minutes, seconds, fraction, offset = match.groups()
    try:
        if separator is None:
            return pseudonyms.day(date.fromisoformat(day)).isoformat()
        zone = _zone(offset)
        moment = datetime.fromisoformat(f"{day}T{minutes}{seconds or ':00'}").replace(tzinfo=zone)
        shown = pseudonyms.moment(moment)
    except (ValueError, OverflowError):
        return None
    form = f"%Y-%m-%d{separator}%H:%M" + (":%S" if seconds else "")
    return shown.strftime(form) + ("." + "0" * (len(fraction) - 1) if fraction else "") + (offset or "")


def _zone(offset: str | None) -> timezone | None:
    """Of offsets those that there are in the world, in whole quarters of hours; raises ValueError for others."""
    if offset is None:
        return None
    if offset == "Z":
        return UTC
    minutes = int(offset[1:3]) * 60 + int(offset[-2:])
    if minutes % 15 or minutes > 14 * 60:
        raise ValueError(offset)
    return timezone(timedelta(minutes=minutes if offset[0] == "+" else -minutes))

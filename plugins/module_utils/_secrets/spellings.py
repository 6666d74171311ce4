# SPDX-License-Identifier: GPL-3.0-or-later
"""The spellings of a secret that cannot be told from its letters, and what a text says once its escapes are read. Pure. Private to the collection.

A text is read in time that grows as its length does.
"""

from __future__ import annotations

import base64
import html
import re
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

_BITS_OF_A_DIGIT = 6
_MOST_READINGS = 12
"""An address in JSON in an address has escapes of escapes; what has more of them is not read to its end."""
# What another letter is written as, or none, by its language, since a letter of a secret is an escape in another language. Every repeat has a
# limit or begins where no other one of it can, so that none looks twice.
_ESCAPES = (
    re.compile(r"(?P<percent>(?:%[0-9A-Fa-f]{2})+)"),
    re.compile(r"(?P<entity>&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"),
    re.compile(
        r"(?P<unicode>(?:\\u[0-9A-Fa-f]{4})+)|\\(?P<code>x[0-9A-Fa-f]{2}|U000[0-9A-Fa-f]{5})|\\(?P<letter>[\"'\\/abfnrtv])"
    ),
    # A line of base64 goes on in the next one.
    re.compile(r"(?P<joint>(?<=[A-Za-z0-9+/_-]{16})[\r\n]+(?=[A-Za-z0-9+/_-]))"),
)
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_UTF_16_OF_TWO = 0x10000
_LONGEST_UNICODE = 6  # of ``\u00fc``


class Margins(NamedTuple):
    """Whether the digit of base64 before a form, and the one behind it, hold a part of the secret beside one of what is around it."""

    before: bool = False
    behind: bool = False


def base64_forms(secret: str) -> dict[str, Margins]:
    """Returns what is always there where a text that holds the secret is written in base64, by the place where the secret begins."""
    data = secret.encode("utf-8", "surrogateescape")  # what is no Unicode came from the environment
    forms: dict[str, Margins] = {}
    for bytes_before in range(3):
        first = -(-bytes_before * 8 // _BITS_OF_A_DIGIT)
        end = (bytes_before + len(data)) * 8 // _BITS_OF_A_DIGIT
        margins = Margins(bytes_before > 0, (bytes_before + len(data)) % 3 > 0)
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            digits = encode(b"\0" * bytes_before + data).decode()
            forms[digits[first:end]] = margins
    return forms


class Reading(NamedTuple):
    """What a text says. places: by letter where in the text it begins, and at last the text's length; None where that is the same."""

    text: str
    places: list[int] | None = None

    def place(self, index: int) -> int:
        """Returns where in the text a letter of the reading begins."""
        return index if self.places is None else self.places[index]


def readings(text: str) -> Iterator[Reading]:
    """Yields the text itself, and what it says once its escapes are read, and once more for escapes of escapes."""
    waiting = deque([Reading(text)])
    seen = {text}
    while waiting:
        reading = waiting.popleft()
        yield reading
        for pattern in _ESCAPES:
            if len(seen) == _MOST_READINGS or pattern.search(reading.text) is None:
                continue
            inner = _read_escapes(reading, pattern)
            if inner.text not in seen:
                seen.add(inner.text)
                waiting.append(inner)


def _read_escapes(reading: Reading, pattern: re.Pattern[str]) -> Reading:
    parts: list[str] = []
    places: list[int] = []
    end = 0
    for escape in pattern.finditer(reading.text):
        parts.append(reading.text[end : escape.start()])
        places += range(end, escape.start())
        place = escape.start()
        for letter, length in _letters_of(escape):
            parts.append(letter)
            places.append(place)
            place += length
        end = escape.end()
    parts.append(reading.text[end:])
    places += range(end, len(reading.text) + 1)
    return Reading("".join(parts), [reading.place(place) for place in places])


def _letters_of(escape: re.Match[str]) -> Iterator[tuple[str, int]]:
    """Yields the letters that an escape stands for, each with the number of letters that write it."""
    written, language = escape[0], escape.lastgroup
    if language == "percent":
        # A byte that is no UTF-8 stays a byte.
        for letter in bytes.fromhex(written.replace("%", "")).decode("utf-8", "surrogateescape"):
            yield letter, 3 * len(letter.encode("utf-8", "surrogateescape"))
    elif language == "unicode":
        units = bytes.fromhex(written.replace("\\u", ""))
        for letter in units.decode("utf-16-be", "surrogatepass"):
            yield letter, _LONGEST_UNICODE * (2 if ord(letter) >= _UTF_16_OF_TWO else 1)
    elif language == "entity":
        letters = html.unescape(written)  # two for some, and none where no letter has the number
        for letter in letters[:-1]:
            yield letter, 0
        if letters:
            yield letters[-1], len(written)
    elif language == "code":
        yield chr(int(escape["code"][1:], 16)), len(written)
    elif language == "letter":
        yield _LETTERS.get(escape["letter"], escape["letter"]), len(written)

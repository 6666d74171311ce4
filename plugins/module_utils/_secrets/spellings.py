# SPDX-License-Identifier: GPL-3.0-or-later
"""Spells a secret as its letters do not show, and reads the escapes of a text. Pure.

A text is read in time that grows as its length does.
"""

from __future__ import annotations

import base64
import json
import re
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote, quote_plus

LENGTH_OF_A_WORD = 8
"""A shorter secret is masked as a whole word only, so that "admin" does not blank half of a
sentence.
"""
# A shorter secret is masked only where it is a whole value.
SHORTEST = 4
_PEM_MARK = re.compile(r"-----[^-\n]*-----")
_PEM_LINE = 64
_BITS_OF_A_DIGIT = 6
_MOST_READINGS = 12
"""An address in JSON in an address has escapes of escapes; what has more of them is not read to its
end.
"""
# What another letter is written as, or none, by its language, since a letter of a secret is an
# escape in another language. Every repeat has a limit or begins where no other one of it can, so
# that none looks twice.
_ESCAPES = (
    re.compile(r"(?P<percent>(?:%[0-9A-Fa-f]{2})+)|(?P<percent_u>(?:%u[0-9A-Fa-f]{4})+)"),
    re.compile(r"(?P<entity>&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"),
    re.compile(
        r"(?P<unicode>(?:\\u[0-9A-Fa-f]{4})+)"
        r"|\\(?P<code>x[0-9A-Fa-f]{2}|U000[0-9A-Fa-f]{5})"
        r"|\\(?P<octal>[0-3][0-7]{2})"
        r"|\\(?P<letter>[\"'\\/abfnrtv])"
    ),
    # A line of base64 goes on in the next one, which may be indented.
    re.compile(r"(?P<joint>(?<=[A-Za-z0-9+/_-]{4})[\r\n]+[ \t]*(?=[A-Za-z0-9+/_-]))"),
)
# What every escape begins with.
_SIGN_OF_ESCAPE = re.compile(r"[%&\\\r\n]")
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_UTF_16_OF_TWO = 0x10000
_LENGTH_OF_PERCENT = 3  # of ``%fc``
_LENGTH_OF_UNICODE = 6  # of ``\u00fc``


class Margins(NamedTuple):
    """Tells whether the digits of base64 around a form hold a part of the secret.

    before: Whether the digit before the form does.
    behind: Whether the one behind it does.

    The other part of such a digit is of what is around it.
    """

    before: bool = False
    behind: bool = False


def encode_base64_forms(secret: str) -> dict[str, Margins]:
    """Return what is always there where a text that holds the secret is written in base64.

    There is one for each number of bytes, modulo three, that stand before the secret.
    """
    data = secret.encode("utf-8", "surrogateescape")  # what is no Unicode came from the environment
    forms: dict[str, Margins] = {}
    for bytes_before in range(3):
        padded = b"\0" * bytes_before + data
        first = -(-bytes_before * 8 // _BITS_OF_A_DIGIT)
        end = len(padded) * 8 // _BITS_OF_A_DIGIT
        is_cut = len(padded) % 3 > 0
        margins = Margins(before=bytes_before > 0, behind=is_cut)
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            digits = encode(padded).decode()
            forms[digits[first:end]] = margins
    return forms


def spell_secret(secret: str) -> dict[str, Margins]:
    """Return how a secret may be written where it stands, apart from the escapes that
    ``read_escapes`` knows.
    """
    on_one_line = " ".join(secret.split())
    in_query = secret.replace(" ", "+")
    texts = {secret, secret.strip(), on_one_line, in_query}
    texts.update(_quote_in_languages(secret))
    if "-----" in secret:
        # Of a key each line is enough, except those that only say what it is.
        lines = [line for line in secret.split() if "-----" not in line]
        lines += _split_key_anew(secret)
        texts |= {line for line in lines if len(line) >= LENGTH_OF_A_WORD}

    forms = dict.fromkeys(texts, Margins())
    if len(secret) >= LENGTH_OF_A_WORD:
        for encoded in _encode_in_base64_texts(secret):
            forms |= encode_base64_forms(encoded)
    usable = [form for form in forms if len(form) >= SHORTEST and form.strip()]
    return {form: forms[form] for form in usable}


def _quote_in_languages(secret: str) -> Iterator[str]:
    """Yield the secret with its quotes as SQL, tables and shells write them, and with its bytes
    for letters, which is what escapes of bytes are read as.
    """
    yield secret.replace("'", "''")
    yield secret.replace('"', '""')
    yield secret.replace("'", "'\\''")
    if not secret.isascii():
        yield secret.encode("utf-8", "surrogateescape").decode("latin-1")


def _encode_in_base64_texts(secret: str) -> set[str]:
    """Return how a text that is written in base64 may have the secret: as it is, in JSON, or in an
    address.
    """
    in_json = json.dumps(secret)[1:-1]
    in_address = secret.encode("utf-8", "surrogateescape")
    return {
        secret,
        in_json,
        in_json.replace("/", "\\/"),
        json.dumps(secret, ensure_ascii=False)[1:-1],
        quote(in_address, safe=""),
        quote_plus(in_address),
    }


def _split_key_anew(secret: str) -> Iterator[str]:
    """Yield the lines of a key as they are sent, which need not be those in which it was
    written.
    """
    for inside in _PEM_MARK.split(secret):
        text = "".join(inside.split())
        for start in range(0, len(text), _PEM_LINE):
            yield text[start : start + _PEM_LINE]


class Reading(NamedTuple):
    """Has what a text says.

    positions: By letter where in the text it begins, and at last the text's length; None where
        that is the same.
    """

    text: str
    positions: list[int] | None = None

    def get_position(self, index: int) -> int:
        """Return where in the text a letter of the reading begins."""
        if self.positions is None:
            return index
        return self.positions[index]


def read_escapes(text: str) -> Iterator[Reading]:
    """Yield the text itself, and what it says once its escapes are read, and once more for escapes
    of escapes.
    """
    if _SIGN_OF_ESCAPE.search(text) is None:
        yield Reading(text)
        return

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
    """Return what a reading says once the escapes of one language are read."""
    parts: list[str] = []
    positions: list[int] = []
    end = 0
    for escape in pattern.finditer(reading.text):
        position = escape.start()
        parts.append(reading.text[end:position])
        positions += range(end, position)
        for letter, length in _read_letters_of(escape):
            parts.append(letter)
            positions.append(position)
            position += length
        end = escape.end()

    parts.append(reading.text[end:])
    positions += range(end, len(reading.text) + 1)
    positions_in_text = [reading.get_position(position) for position in positions]
    return Reading("".join(parts), positions_in_text)


def _read_letters_of(escape: re.Match[str]) -> Iterator[tuple[str, int]]:
    """Return the letters that an escape stands for, each with the number of letters that write
    it.
    """
    written = escape[0]
    language = escape.lastgroup
    if language in _READERS:
        return _READERS[language](written)
    if language == "code":
        code = int(escape["code"][1:], 16)
        return iter([(chr(code), len(written))])
    if language == "octal":
        return iter([(chr(int(escape["octal"], 8)), len(written))])
    if language == "letter":
        letter = escape["letter"]
        return iter([(_LETTERS.get(letter, letter), len(written))])
    # A joint stands for nothing.
    return iter(())


def _read_letters_of_percent(written: str) -> Iterator[tuple[str, int]]:
    """Yield as ``_read_letters_of`` does what bytes of an address stand for."""
    data = bytes.fromhex(written.replace("%", ""))
    # A byte that is no UTF-8 stays a byte.
    for letter in data.decode("utf-8", "surrogateescape"):
        size = len(letter.encode("utf-8", "surrogateescape"))
        yield letter, _LENGTH_OF_PERCENT * size


def _read_letters_of_unicode(written: str) -> Iterator[tuple[str, int]]:
    """Yield as ``_read_letters_of`` does what units of UTF-16 in JSON, or in an address, stand for."""
    units_in_digits = written.replace("\\u", "").replace("%u", "")
    data = bytes.fromhex(units_in_digits)
    for letter in data.decode("utf-16-be", "surrogatepass"):
        units = 2 if ord(letter) >= _UTF_16_OF_TWO else 1
        yield letter, _LENGTH_OF_UNICODE * units


def _read_letters_of_entity(written: str) -> Iterator[tuple[str, int]]:
    """Yield as ``_read_letters_of`` does what an entity of HTML stands for.

    Some stand for two letters, and a number that no letter has stands for none.
    """
    import html  # noqa: PLC0415 - it has a table of all entities, and few texts have one

    letters = html.unescape(written)
    for letter in letters[:-1]:
        yield letter, 0
    if letters:
        yield letters[-1], len(written)


# By the languages whose escapes may stand for several letters.
_READERS = {
    "percent": _read_letters_of_percent,
    "unicode": _read_letters_of_unicode,
    "percent_u": _read_letters_of_unicode,
    "entity": _read_letters_of_entity,
}

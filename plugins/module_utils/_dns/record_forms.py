# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of records that have fields of their own, in one form for all spellings of a value. Pure. Private to the collection.

A zone file leaves much open: quotes, escapes, blanks and parentheses, the order of parameters, numbers that have a usual value. What name
servers send is the same in all of these spellings, and so is the form here. Modules run where dnspython may be missing, so this is no work
of that library.
"""

from __future__ import annotations

import base64
import ipaddress
import re
from collections.abc import Callable, Sequence
from decimal import Decimal

from .record_names import whole_name

# Words, with parentheses and the start of a remark by themselves. Within quotes everything belongs to the word.
_WORD = re.compile(r'(?:[^\s"\\();]|\\.|"(?:[^"\\]|\\.)*")+|[();]', re.DOTALL)
_ESCAPE_OR_QUOTE = re.compile(rb'\\(\d{3}|.)|"', re.DOTALL)
_NUMBER = re.compile(r"\d{1,10}", re.ASCII)
_HEXADECIMAL = re.compile(r"[0-9a-f]*", re.ASCII | re.IGNORECASE)

# RFC 9460, section 14.3.2, and what was registered since.
_PARAMETERS = {
    "mandatory": 0,
    "alpn": 1,
    "no-default-alpn": 2,
    "port": 3,
    "ipv4hint": 4,
    "ech": 5,
    "ipv6hint": 6,
    "dohpath": 7,
    "ohttp": 8,
    "tls-supported-groups": 9,
}
_NUMBERED_PARAMETER = re.compile(r"key(0|[1-9]\d{0,4})", re.ASCII)
# An entry of a list: a comma and a backslash that belong to it have a backslash before them.
_ENTRY = re.compile(rb"(?:[^,\\]|\\.)*", re.DOTALL)
_ESCAPED = re.compile(rb"\\(.)", re.DOTALL)

_DEGREES = re.compile(r"\d{1,3}", re.ASCII)
_SECONDS = re.compile(r"\d{1,2}(?:\.\d{1,3})?", re.ASCII)
_METRES = re.compile(r"(-?\d{1,8}(?:\.\d{1,2})?)m?", re.ASCII | re.IGNORECASE)
# Of a place without them: its size, and how exact it is, across and upwards (RFC 1876).
_USUAL_SIZES = ("1m", "10000m", "10m")

# Which word is a name.
_NAME_AT = {"HTTPS": 1, "NAPTR": 5, "SVCB": 1}

# How name servers and dnspython write the algorithms of DNSSEC and the digests of DS records.
_ALGORITHMS = {
    "RSAMD5": 1,
    "DH": 2,
    "DSA": 3,
    "RSASHA1": 5,
    "NSEC3DSA": 6,
    "DSANSEC3SHA1": 6,
    "NSEC3RSASHA1": 7,
    "RSASHA1NSEC3SHA1": 7,
    "RSASHA256": 8,
    "RSASHA512": 10,
    "ECCGOST": 12,
    "ECDSAP256SHA256": 13,
    "ECDSAP384SHA384": 14,
    "ED25519": 15,
    "ED448": 16,
}
_DIGESTS = {"SHA1": 1, "SHA-1": 1, "SHA256": 2, "SHA-256": 2, "GOST": 3, "SHA384": 4, "SHA-384": 4}


def form_of(kind: str, text: str, zone: str | None) -> str:
    """Write a value in the form that is the same for all of its spellings.

    Args:
        kind: The type of the record, in upper case.
        text: The value as a zone file has it.
        zone: The name of the zone, to which relative names belong; None where it is unknown.

    Raises:
        ValueError: For a value that is none of this type, and for a type without a form.
    """
    if kind not in _FORMS:
        raise ValueError(kind)
    return _FORMS[kind](_words(text), zone)


def with_whole_name(kind: str, text: str, zone: str) -> str:
    """The value with a complete name in it, as every other program reads it; of a type without one as it is.

    Raises ValueError for a value whose words cannot be told apart.
    """
    if kind not in _NAME_AT:
        return text
    name = _name_in(kind, text)
    return with_name(kind, text, whole_name(name, zone).rstrip(".") + ".")


def with_name(kind: str, text: str, name: str) -> str:
    """Write a value on one line, with single blanks, and with another name in place of the one that its type has.

    Raises ValueError for a value whose words cannot be told apart.
    """
    words = _words(text)
    place = _NAME_AT.get(kind, len(words))
    if place < len(words):
        words[place] = name
    return " ".join(words)


def _name_in(kind: str, text: str) -> str:
    """The name in a value; empty where the value ends before it."""
    words = _words(text)
    place = _NAME_AT[kind]
    return words[place] if place < len(words) else ""


def content_of(word: str) -> bytes:
    """The bytes that a word of a zone file stands for, without its quotes and escapes; raises ValueError for an escape of none."""

    def replaced(match: re.Match[bytes]) -> bytes:
        escaped = match[1]
        if escaped is None:
            return b""
        return bytes([int(escaped)]) if len(escaped) == 3 else escaped

    return _ESCAPE_OR_QUOTE.sub(replaced, word.encode("utf-8", "surrogateescape"))


def quoted(content: bytes) -> str:
    """Bytes as a quoted word, always in the same spelling."""
    signs = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03d}" for byte in content)
    return f'"{"".join(signs)}"'


def _words(text: str) -> list[str]:
    """The words of a value without parentheses and remarks; raises ValueError for quotes, escapes and parentheses without an end."""
    words = []
    end = depth = 0
    for match in _WORD.finditer(text):
        if text[end : match.start()].strip():
            break
        end = match.end()
        if match[0] == ";":
            end = len(text)
            break
        if match[0] in ("(", ")"):
            depth += 1 if match[0] == "(" else -1
            if depth < 0:
                break
        else:
            words.append(match[0])
    if depth or text[end:].strip():
        raise ValueError("a quote, an escape or a parenthesis has no end")
    return words


def _number(word: str, most: int = 65535) -> int:
    if not _NUMBER.fullmatch(word) or int(word) > most:
        raise ValueError(word)
    return int(word)


def _number_or_name(word: str, names: dict[str, int]) -> int:
    number = names.get(word.upper())
    return _number(word, 255) if number is None else number


def _digits(words: Sequence[str]) -> str:
    digits = "".join(words).lower()
    if not _HEXADECIMAL.fullmatch(digits):
        raise ValueError(digits)
    return digits


def _exactly(words: Sequence[str], count: int) -> None:
    if len(words) != count:
        raise ValueError(f"{len(words)} words instead of {count}")


def _ds(words: Sequence[str], _zone: str | None) -> str:
    tag, algorithm, digest, *digits = words
    numbers = (_number(tag), _number_or_name(algorithm, _ALGORITHMS), _number_or_name(digest, _DIGESTS))
    return f"{numbers[0]} {numbers[1]} {numbers[2]} {_digits(digits)}"


def _tlsa(words: Sequence[str], _zone: str | None) -> str:
    usage, selector, matching, *digits = words
    return f"{_number(usage, 255)} {_number(selector, 255)} {_number(matching, 255)} {_digits(digits)}"


def _sshfp(words: Sequence[str], _zone: str | None) -> str:
    algorithm, fingerprint, *digits = words
    return f"{_number(algorithm, 255)} {_number(fingerprint, 255)} {_digits(digits)}"


def _openpgpkey(words: Sequence[str], _zone: str | None) -> str:
    return "".join(words)


def _uri(words: Sequence[str], _zone: str | None) -> str:
    _exactly(words, 3)
    return f"{_number(words[0])} {_number(words[1])} {quoted(content_of(words[2]))}"


def _naptr(words: Sequence[str], zone: str | None) -> str:
    """Case has no meaning in flags and services (RFC 3403, RFC 6116)."""
    _exactly(words, 6)
    order, preference, flags, service, pattern, replacement = words
    numbers = f"{_number(order)} {_number(preference)}"
    names = f"{quoted(content_of(flags).lower())} {quoted(content_of(service).lower())}"
    return f"{numbers} {names} {quoted(content_of(pattern))} {whole_name(replacement, zone)}"


# LOC


def _loc(words: Sequence[str], _zone: str | None) -> str:
    latitude, left = _angle(words, "NS", 90)
    longitude, left = _angle(left, "EW", 180)
    if not left or len(left) > 4:
        raise ValueError("a place needs an altitude, and has three sizes at most")
    altitude = _centimetres(left[0])
    given = left[1:]
    sizes = [_rounded(_centimetres(word)) for word in (*given, *_USUAL_SIZES[len(given) :])]
    return " ".join(map(str, (latitude, longitude, altitude, *sizes)))


def _angle(words: Sequence[str], directions: str, most: int) -> tuple[int, Sequence[str]]:
    """Thousandths of a second, and the words behind it."""
    for count in (1, 2, 3):
        if count < len(words) and words[count].upper() in tuple(directions):
            break
    else:
        raise ValueError("no direction")
    degrees, minutes, seconds = (*words[:count], "0", "0")[:3]
    if not (_DEGREES.fullmatch(degrees) and _DEGREES.fullmatch(minutes) and _SECONDS.fullmatch(seconds)):
        raise ValueError("no angle")
    if int(minutes) > 59 or Decimal(seconds) >= 60:
        raise ValueError("no angle")
    thousandths = (int(degrees) * 60 + int(minutes)) * 60000 + int(Decimal(seconds) * 1000)
    if thousandths > most * 3600000:
        raise ValueError("no angle")
    is_negative = words[count].upper() in ("S", "W")
    return -thousandths if is_negative else thousandths, words[count + 1 :]


def _centimetres(word: str) -> int:
    match = _METRES.fullmatch(word)
    if match is None:
        raise ValueError(word)
    return int(Decimal(match[1]) * 100)


def _rounded(centimetres: int) -> int:
    """As DNS has it, with one digit that is no zero."""
    if centimetres < 0:
        raise ValueError("no size")
    digits = str(centimetres)
    return int(digits[0] + "0" * (len(digits) - 1))


# SVCB and HTTPS


def _svcb(words: Sequence[str], zone: str | None) -> str:
    if len(words) < 2:
        raise ValueError("a service needs a priority and a name")
    parameters: dict[int, bytes] = {}
    for word in words[2:]:
        name, sign, value = word.partition("=")
        number = _parameter_number(name)
        if number in parameters:
            raise ValueError(f"{name} twice")
        content = content_of(value)
        is_raw = name.lower() not in _PARAMETERS
        parameters[number] = content if is_raw else _parameter(number, content, bool(sign))
    shown = "".join(f" {number}={value.hex()}" for number, value in sorted(parameters.items()))
    return f"{_number(words[0])} {whole_name(words[1], zone)}{shown}"


def _parameter_number(name: str) -> int:
    number = _PARAMETERS.get(name.lower())
    if number is not None:
        return number
    match = _NUMBERED_PARAMETER.fullmatch(name.lower())
    if match is None or int(match[1]) > 65535:
        raise ValueError(name)
    return int(match[1])


def _parameter(number: int, content: bytes, has_value: bool) -> bytes:
    """The value of a parameter as DNS has it, whose form depends on its name."""
    if number in _WITHOUT_VALUE:
        if content:
            raise ValueError("a value where there is none")
        return b""
    if not has_value or not content:
        raise ValueError("no value")
    if number not in _ENCODERS:
        return content
    return _ENCODERS[number](content)


def _entries(content: bytes) -> list[bytes]:
    entries = []
    start = 0
    while True:
        match = _ENTRY.match(content, start)
        end = match.end() if match else start
        entries.append(_ESCAPED.sub(lambda escape: escape[1], content[start:end]))
        if end == len(content):
            return entries
        if content[end : end + 1] != b",":
            raise ValueError("an escape has no end")
        start = end + 1


def _encoded_keys(content: bytes) -> bytes:
    numbers = {_parameter_number(entry.decode("ascii")) for entry in _entries(content)}
    return b"".join(number.to_bytes(2, "big") for number in sorted(numbers))


def _encoded_protocols(content: bytes) -> bytes:
    entries = _entries(content)
    if not all(0 < len(entry) < 256 for entry in entries):
        raise ValueError("no protocol")
    return b"".join(bytes([len(entry)]) + entry for entry in entries)


def _encoded_numbers(content: bytes) -> bytes:
    words = content.decode("ascii").split(",")
    return b"".join(_number(word).to_bytes(2, "big") for word in words)


def _encoded_port(content: bytes) -> bytes:
    return _number(content.decode("ascii")).to_bytes(2, "big")


def _encoded_ipv4(content: bytes) -> bytes:
    return b"".join(ipaddress.IPv4Address(word).packed for word in content.decode("ascii").split(","))


def _encoded_ipv6(content: bytes) -> bytes:
    return b"".join(ipaddress.IPv6Address(word).packed for word in content.decode("ascii").split(","))


def _encoded_base64(content: bytes) -> bytes:
    return base64.b64decode(content, validate=True)


_WITHOUT_VALUE = frozenset({2, 8})
_ENCODERS: dict[int, Callable[[bytes], bytes]] = {
    0: _encoded_keys,
    1: _encoded_protocols,
    3: _encoded_port,
    4: _encoded_ipv4,
    5: _encoded_base64,
    6: _encoded_ipv6,
    9: _encoded_numbers,
}
_FORMS: dict[str, Callable[[Sequence[str], str | None], str]] = {
    "CDS": _ds,
    "DS": _ds,
    "HTTPS": _svcb,
    "LOC": _loc,
    "NAPTR": _naptr,
    "OPENPGPKEY": _openpgpkey,
    "SMIMEA": _tlsa,
    "SSHFP": _sshfp,
    "SVCB": _svcb,
    "TLSA": _tlsa,
    "URI": _uri,
}

# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of records that have fields of their own, in one form for all spellings of a value. Pure.

A zone file leaves much open: quotes, escapes, blanks and parentheses, the order of parameters,
numbers that have a usual value. What name servers send is the same in all of these spellings, and
so is the form here. Modules run where dnspython may be missing, so this is no work of that library.
"""

from __future__ import annotations

import base64
import ipaddress
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from .record_names import qualify_name

# Tokens, with parentheses and the start of a comment by themselves. Within quotes everything belongs
# to the token.
_TOKEN = re.compile(r'(?:[^\s"\\();]|\\.|"(?:[^"\\]|\\.)*")+|[();]', re.DOTALL)
_NO_END = "a quote, an escape or a parenthesis has no end"
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
_LIST_ENTRY = re.compile(rb"(?:[^,\\]|\\.)*", re.DOTALL)
_ESCAPED = re.compile(rb"\\(.)", re.DOTALL)

_DEGREES = re.compile(r"\d{1,3}", re.ASCII)
_SECONDS = re.compile(r"\d{1,2}(?:\.\d{1,3})?", re.ASCII)
# Name servers take a number without digits on one side of its point.
_METRES = re.compile(r"(-?(?:\d{1,8}(?:\.\d{0,2})?|\.\d{1,2}))m?", re.ASCII | re.IGNORECASE)
# Of a location without them: its size, and how exact it is, across and upwards (RFC 1876).
_DEFAULT_SIZES = ("1m", "10000m", "10m")

# Which token is a name.
_NAME_POSITIONS = {"HTTPS": 1, "NAPTR": 5, "SVCB": 1}

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


def canonicalize_fields(record_type: str, text: str, zone: str | None) -> str:
    """Return a value in the form that is the same for all of its spellings.

    Args:
        record_type: The type of the record, in upper case.
        text: The value as a zone file has it.
        zone: The name of the zone, to which relative names belong; None where it is unknown.

    Raises:
        ValueError: The value is none of this type, or the type has no such form.
    """
    if record_type not in _CANONICALIZERS:
        raise ValueError(record_type)
    return _CANONICALIZERS[record_type](_split_tokens(text), zone)


def qualify_name_in_value(record_type: str, text: str, zone: str) -> str:
    """Return a value with a complete name in it, as every other program reads it.

    Args:
        record_type: The type of the record, in upper case. Of a type without a name the value
            stays as it is.
        text: The value as a zone file has it.
        zone: The name of the zone.

    Raises:
        ValueError: The tokens of the value cannot be told apart.
    """
    if record_type not in _NAME_POSITIONS:
        return text
    tokens = _split_tokens(text)
    position = _NAME_POSITIONS[record_type]
    name = tokens[position] if position < len(tokens) else ""
    complete_name = qualify_name(name, zone).rstrip(".") + "."
    return replace_name_in_value(record_type, text, complete_name)


def replace_name_in_value(record_type: str, text: str, name: str) -> str:
    """Return a value on one line, with single blanks, and with another name in it.

    Args:
        record_type: The type of the record, in upper case. A type without a name gets none.
        text: The value as a zone file has it.
        name: The new name.

    Raises:
        ValueError: The tokens of the value cannot be told apart.
    """
    tokens = _split_tokens(text)
    position = _NAME_POSITIONS.get(record_type, len(tokens))
    if position < len(tokens):
        tokens[position] = name
    return " ".join(tokens)


# Tokens


def decode_token(token: str) -> bytes:
    """Return the bytes that a token of a zone file stands for, without its quotes and escapes.

    Raises:
        ValueError: An escape stands for no byte.
    """
    return _ESCAPE_OR_QUOTE.sub(_unescape, token.encode("utf-8", "surrogateescape"))


def _unescape(match: re.Match[bytes]) -> bytes:
    escaped = match[1]
    if escaped is None:  # a quote
        return b""
    if len(escaped) == 3:
        return bytes([int(escaped)])
    # RFC 1035: a digit behind a backslash is the first of three.
    if escaped.isdigit():
        raise ValueError("an escape of less than three digits")
    return escaped


def quote_bytes(content: bytes) -> str:
    """Return bytes as a quoted token, always in the same spelling."""
    characters = []
    for byte in content:
        is_plain = 32 <= byte < 127 and byte not in b'"\\'
        characters.append(chr(byte) if is_plain else f"\\{byte:03d}")
    return f'"{"".join(characters)}"'


def _split_tokens(text: str) -> list[str]:
    """Return the tokens of a value without parentheses and comments.

    Raises:
        ValueError: A quote, an escape or a parenthesis has no end.
    """
    tokens = []
    depth = 0
    for token in _scan(text):
        if token == "(":
            depth += 1
        elif token == ")":
            depth -= 1
            if depth < 0:
                raise ValueError(_NO_END)
        else:
            tokens.append(token)
    if depth:
        raise ValueError(_NO_END)
    return tokens


def _scan(text: str) -> Iterator[str]:
    """Yield the tokens of a value, also parentheses, up to a comment."""
    end = 0
    for match in _TOKEN.finditer(text):
        if text[end : match.start()].strip():
            raise ValueError(_NO_END)
        if match[0] == ";":
            return
        yield match[0]
        end = match.end()
    if text[end:].strip():
        raise ValueError(_NO_END)


def _parse_number(token: str, limit: int = 65535) -> int:
    if not _NUMBER.fullmatch(token) or int(token) > limit:
        raise ValueError(token)
    return int(token)


def _parse_byte(token: str) -> int:
    return _parse_number(token, 255)


def _parse_byte_or_name(token: str, numbers: dict[str, int]) -> int:
    number = numbers.get(token.upper())
    if number is None:
        return _parse_byte(token)
    return number


def _join_digits(tokens: Sequence[str]) -> str:
    digits = "".join(tokens).lower()
    if not _HEXADECIMAL.fullmatch(digits):
        raise ValueError(digits)
    return digits


def _require_tokens(tokens: Sequence[str], count: int) -> None:
    if len(tokens) != count:
        raise ValueError(f"{len(tokens)} tokens instead of {count}")


# Types with a fixed number of fields


def _canonicalize_ds(tokens: Sequence[str], _zone: str | None) -> str:
    tag, algorithm, digest_type, *digits = tokens
    tag_number = _parse_number(tag)
    algorithm_number = _parse_byte_or_name(algorithm, _ALGORITHMS)
    digest_number = _parse_byte_or_name(digest_type, _DIGESTS)
    return f"{tag_number} {algorithm_number} {digest_number} {_join_digits(digits)}"


def _canonicalize_tlsa(tokens: Sequence[str], _zone: str | None) -> str:
    usage, selector, matching, *digits = tokens
    numbers = f"{_parse_byte(usage)} {_parse_byte(selector)} {_parse_byte(matching)}"
    return f"{numbers} {_join_digits(digits)}"


def _canonicalize_sshfp(tokens: Sequence[str], _zone: str | None) -> str:
    algorithm, fingerprint_type, *digits = tokens
    return f"{_parse_byte(algorithm)} {_parse_byte(fingerprint_type)} {_join_digits(digits)}"


def _canonicalize_openpgpkey(tokens: Sequence[str], _zone: str | None) -> str:
    return "".join(tokens)


def _canonicalize_uri(tokens: Sequence[str], _zone: str | None) -> str:
    _require_tokens(tokens, 3)
    priority, weight, target = tokens
    return f"{_parse_number(priority)} {_parse_number(weight)} {quote_bytes(decode_token(target))}"


def _canonicalize_naptr(tokens: Sequence[str], zone: str | None) -> str:
    """Return the form of a NAPTR value.

    Case has no meaning in flags and services (RFC 3403, RFC 6116).
    """
    _require_tokens(tokens, 6)
    order, preference, flags, service, pattern, replacement = tokens
    parts = (
        str(_parse_number(order)),
        str(_parse_number(preference)),
        quote_bytes(decode_token(flags).lower()),
        quote_bytes(decode_token(service).lower()),
        quote_bytes(decode_token(pattern)),
        qualify_name(replacement, zone),
    )
    return " ".join(parts)


# LOC


class _Angle(NamedTuple):
    """A latitude or longitude in thousandths of a second, and how many tokens it has."""

    thousandths: int
    token_count: int


def _canonicalize_loc(tokens: Sequence[str], _zone: str | None) -> str:
    latitude = _parse_angle(tokens, ("N", "S"), 90)
    longitude_tokens = tokens[latitude.token_count :]
    longitude = _parse_angle(longitude_tokens, ("E", "W"), 180)
    lengths = longitude_tokens[longitude.token_count :]
    if not 1 <= len(lengths) <= 4:
        raise ValueError("a location needs an altitude, and has three sizes at most")

    altitude, *sizes = lengths
    sizes += _DEFAULT_SIZES[len(sizes) :]
    altitude_number = _parse_centimetres(altitude)
    size_numbers = [_round_size(_parse_centimetres(size)) for size in sizes]
    numbers = (latitude.thousandths, longitude.thousandths, altitude_number, *size_numbers)
    return " ".join(map(str, numbers))


def _parse_angle(tokens: Sequence[str], directions: tuple[str, str], limit: int) -> _Angle:
    """Read degrees, and perhaps minutes and seconds, up to a direction.

    Args:
        tokens: They start with the degrees.
        directions: The letter of a positive and that of a negative angle.
        limit: The most degrees.
    """
    direction_at = _find_direction(tokens, directions)
    degrees = tokens[0]
    minutes = tokens[1] if direction_at > 1 else "0"
    seconds = tokens[2] if direction_at > 2 else "0"
    if not (_DEGREES.fullmatch(degrees) and _DEGREES.fullmatch(minutes)):
        raise ValueError("no angle")
    if not _SECONDS.fullmatch(seconds):
        raise ValueError("no angle")
    if int(minutes) > 59 or Decimal(seconds) >= 60:
        raise ValueError("no angle")

    thousandths = (int(degrees) * 60 + int(minutes)) * 60000 + int(Decimal(seconds) * 1000)
    if thousandths > limit * 3600000:
        raise ValueError("no angle")
    if tokens[direction_at].upper() == directions[1]:
        thousandths = -thousandths
    return _Angle(thousandths, direction_at + 1)


def _find_direction(tokens: Sequence[str], directions: tuple[str, str]) -> int:
    for position in (1, 2, 3):
        if position < len(tokens) and tokens[position].upper() in directions:
            return position
    raise ValueError("no direction")


def _parse_centimetres(token: str) -> int:
    match = _METRES.fullmatch(token)
    if match is None:
        raise ValueError(token)
    return int(Decimal(match[1]) * 100)


def _round_size(centimetres: int) -> int:
    """Round a size as DNS has it, to one digit that is not zero."""
    if centimetres < 0:
        raise ValueError("no size")
    digits = str(centimetres)
    return int(digits[0] + "0" * (len(digits) - 1))


# SVCB and HTTPS


def _canonicalize_svcb(tokens: Sequence[str], zone: str | None) -> str:
    if len(tokens) < 2:
        raise ValueError("a service needs a priority and a name")
    priority, target, *parameter_tokens = tokens
    parameters = _parse_parameters(parameter_tokens)
    parts = [f" {number}={content.hex()}" for number, content in sorted(parameters.items())]
    return f"{_parse_number(priority)} {qualify_name(target, zone)}{''.join(parts)}"


def _parse_parameters(tokens: Iterable[str]) -> dict[int, bytes]:
    """Return the content of each parameter of a service by its number."""
    parameters: dict[int, bytes] = {}
    for token in tokens:
        name, sign, value = token.partition("=")
        number = _parse_parameter_number(name)
        if number in parameters:
            raise ValueError(f"{name} twice")
        content = decode_token(value)
        # The value of one that has a number for its name is in the form of DNS already.
        if name.lower() in _PARAMETERS:
            content = _encode_parameter(number, content, bool(sign))
        parameters[number] = content
    return parameters


def _parse_parameter_number(name: str) -> int:
    number = _PARAMETERS.get(name.lower())
    if number is not None:
        return number
    match = _NUMBERED_PARAMETER.fullmatch(name.lower())
    if match is None or int(match[1]) > 65535:
        raise ValueError(name)
    return int(match[1])


def _encode_parameter(number: int, content: bytes, has_value: bool) -> bytes:
    """Return the value of a parameter as DNS has it, whose form depends on its number."""
    if number in _KEYS_WITHOUT_VALUE:
        if content:
            raise ValueError("a value where there is none")
        return b""
    if not has_value or not content:
        raise ValueError("no value")
    if number not in _PARAMETER_ENCODERS:
        return content
    return _PARAMETER_ENCODERS[number](content)


def _split_list(content: bytes) -> list[bytes]:
    """Return the entries of a list with commas between them, without their escapes."""
    entries = []
    start = 0
    while True:
        match = _LIST_ENTRY.match(content, start)
        end = match.end() if match else start
        entries.append(_ESCAPED.sub(rb"\1", content[start:end]))
        if end == len(content):
            return entries
        if content[end : end + 1] != b",":
            raise ValueError("an escape has no end")
        start = end + 1


def _encode_keys(content: bytes) -> bytes:
    numbers = {_parse_parameter_number(entry.decode("ascii")) for entry in _split_list(content)}
    return b"".join(number.to_bytes(2, "big") for number in sorted(numbers))


def _encode_protocols(content: bytes) -> bytes:
    entries = _split_list(content)
    if not all(0 < len(entry) < 256 for entry in entries):
        raise ValueError("no protocol")
    return b"".join(bytes([len(entry)]) + entry for entry in entries)


def _encode_numbers(content: bytes) -> bytes:
    tokens = content.decode("ascii").split(",")
    return b"".join(_parse_number(token).to_bytes(2, "big") for token in tokens)


def _encode_port(content: bytes) -> bytes:
    return _parse_number(content.decode("ascii")).to_bytes(2, "big")


def _encode_ipv4(content: bytes) -> bytes:
    tokens = content.decode("ascii").split(",")
    return b"".join(ipaddress.IPv4Address(token).packed for token in tokens)


def _encode_ipv6(content: bytes) -> bytes:
    tokens = content.decode("ascii").split(",")
    return b"".join(ipaddress.IPv6Address(token).packed for token in tokens)


def _encode_base64(content: bytes) -> bytes:
    return base64.b64decode(content, validate=True)


_KEYS_WITHOUT_VALUE = frozenset({2, 8})
_PARAMETER_ENCODERS: dict[int, Callable[[bytes], bytes]] = {
    0: _encode_keys,
    1: _encode_protocols,
    3: _encode_port,
    4: _encode_ipv4,
    5: _encode_base64,
    6: _encode_ipv6,
    9: _encode_numbers,
}
_CANONICALIZERS: dict[str, Callable[[Sequence[str], str | None], str]] = {
    "CDS": _canonicalize_ds,
    "DS": _canonicalize_ds,
    "HTTPS": _canonicalize_svcb,
    "LOC": _canonicalize_loc,
    "NAPTR": _canonicalize_naptr,
    "OPENPGPKEY": _canonicalize_openpgpkey,
    "SMIMEA": _canonicalize_tlsa,
    "SSHFP": _canonicalize_sshfp,
    "SVCB": _canonicalize_svcb,
    "TLSA": _canonicalize_tlsa,
    "URI": _canonicalize_uri,
}

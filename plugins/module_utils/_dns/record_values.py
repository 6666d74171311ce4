# SPDX-License-Identifier: GPL-3.0-or-later
"""DNS records and their values by type: how they are checked, sent and compared. Pure.

MX and SRV carry their numbers inside the value (docs/panel_api.md#numbers-in-values). A name that
ends with a dot is absolute; a host without one is relative to the zone, and ``@`` is the zone
itself. A text may be written bare, in quotes, or in several quoted strings, since one string holds
255 bytes at most (RFC 1035): they are all the same text.
"""

from __future__ import annotations

import contextlib
import ipaddress
import re
from collections.abc import Mapping
from typing import Any, Callable

from .record_forms import canonicalize_fields, decode_token
from .record_names import APEX, normalize_name, qualify_name

# The panel replaces it with the DKIM record (docs/panel_api.md#dkim-record).
PLACEHOLDER = "<DKIM_RECORD_VALUE>"
MAX_STRING_LENGTH = 255
MAX_TTL = 2**31 - 1  # RFC 2181, section 8
TEXT_TYPES = frozenset({"TXT", "SPF"})
# How many numbers stand before the name in the value of a type that points to a name.
NUMBERS_BEFORE_NAME = {"ALIAS": 0, "CNAME": 0, "DNAME": 0, "NS": 0, "PTR": 0, "MX": 1, "SRV": 3}
_NAME_FORM = 'one name such as "www.example.com.", with a dot at its end, or one relative to the zone such as "www"'
_TEXT_FORM = 'a text of one line, or one or more closed strings such as "first" "second" with escapes up to \\255'
_SRV_FORM = (
    'priority, weight and port, each from 0 to 65535, and a name such as "0 5 443 www.example.com."'
)
_NAPTR_FORM = 'two numbers, three texts with escapes up to \\255, and a name such as 1 2 "s" "SIP+D2T" "" sip.example.com.'
# By type the accepted form of a value, for messages.
FORMS = {
    **dict.fromkeys(NUMBERS_BEFORE_NAME, _NAME_FORM),
    **dict.fromkeys(sorted(TEXT_TYPES), _TEXT_FORM),
    "A": "an IPv4 address such as 192.0.2.10",
    "AAAA": "an IPv6 address such as 2001:db8::10",
    "MX": 'a priority from 0 to 65535 and a name such as "10 mail.example.com."',
    "SRV": _SRV_FORM,
    "CAA": 'flags, tag and value such as 0 issue "ca.example"',
    "NAPTR": _NAPTR_FORM,
}
_ADDRESS_PARSERS: dict[str, Callable[[str], Any]] = {
    "A": ipaddress.IPv4Address,
    "AAAA": ipaddress.IPv6Address,
}
_MAX_NUMBER = 65535
_MAX_CAA_FLAGS = 255
_MAX_NAME_LENGTH = 254
_CAA = re.compile(r'(\d{1,10})\s+([A-Za-z0-9]+)\s+("(?:[^"\\]|\\.)*"|[^"\s].*)', re.ASCII)
_LIKE_ADDRESS = re.compile(r"(?:\d+\.){3}\d+\.?", re.ASCII)
_NAME = re.compile(
    r"(?:\*|[a-z0-9_/-]{1,63})(?:\.[a-z0-9_/-]{1,63})*\.?|@", re.ASCII | re.IGNORECASE
)
# A string without an end goes to the end of the text, or each quote in it would begin another one.
_QUOTED_STRING = re.compile(r'"((?:[^"\\]|\\.?)*)(?:"|\Z)', re.DOTALL)
_STRING = r'"(?:[^"\\]|\\.)*"'
_STRINGS = rf"{_STRING}(?:\s*{_STRING})*"
_QUOTED_STRINGS = re.compile(rf"{_STRINGS}\s*|\(\s*{_STRINGS}\s*\)", re.DOTALL)
_STRING_START = re.compile(r'(?:\(\s*)?"')
# Whole characters of UTF-8, as many as a string holds.
_CHARACTERS = re.compile(rb".{1,%d}(?![\x80-\xbf])" % MAX_STRING_LENGTH, re.DOTALL)
_ESCAPE = re.compile(rb"\\(\d{3}|.)", re.DOTALL)
# RFC 1035: a digit behind a backslash is the first of three, which are the number of a byte.
_WRONG_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\(?!25[0-5]|2[0-4]\d|[01]\d\d)\d", re.ASCII)
# What starts with an underscore is a policy, as _adsp, and no key.
_DKIM_HOST = re.compile(r"(?!_)[^.]+\._domainkey", re.IGNORECASE)
# With a key in it: the record of a revoked one is empty there.
_DKIM_KEY = re.compile(r"(?:^|;)\s*p\s*=\s*[A-Za-z0-9+/]")


# Texts


def decode_text(value: str) -> str:
    """Return the text that the value of a TXT record stands for, without quotes and escapes."""
    value = value.strip()
    if _QUOTED_STRINGS.fullmatch(value):
        return _join_strings(value)
    return value


def _join_strings(value: str) -> str:
    strings = [_ESCAPE.sub(_unescape, string.encode()) for string in _QUOTED_STRING.findall(value)]
    return b"".join(strings).decode("utf-8", "surrogateescape")


def _unescape(match: re.Match[bytes]) -> bytes:
    escaped = match[1]
    if not escaped.isdigit():
        return escaped
    # What is no byte stays as it is written, since it must not equal another text. It may be the
    # panel's.
    is_byte = len(escaped) == 3 and int(escaped) <= 255
    return bytes([int(escaped)]) if is_byte else match[0]


def split_long_text(value: str) -> str:
    """Return the value of a TXT record as it is sent.

    A bare text that is longer than one string is quoted and split. Everything else stays as it is.
    """
    content = value.encode()
    if _QUOTED_STRINGS.fullmatch(value) or len(content) <= MAX_STRING_LENGTH:
        return value

    strings = []
    for characters in _CHARACTERS.findall(content):
        escaped = characters.decode().replace("\\", "\\\\").replace('"', '\\"')
        strings.append(f'"{escaped}"')
    return " ".join(strings)


def find_dkim_text(zone: Mapping[str, Any]) -> str | None:
    """Return the text that replaces the placeholder (docs/panel_api.md#dkim-record).

    It is that of ``dkim_record``, else of the only DKIM record with a key.

    Args:
        zone: The zone as the panel shows it.

    Returns:
        The text; None where the zone has neither.
    """
    dkim_record = str(zone.get("dkim_record") or "").strip()
    if dkim_record:
        return _join_strings(dkim_record) if '"' in dkim_record else dkim_record

    texts = {
        decode_text(record["value"])
        for record in zone["records"]["other"]
        if str(record["type"]).upper() == "TXT" and _DKIM_HOST.match(record["host"])
    }
    keys = [text for text in texts if text != PLACEHOLDER and _DKIM_KEY.search(text)]
    return keys[0] if len(keys) == 1 else None


# Names


def parse_dns_name(text: str) -> str:
    """Return a DNS name, relative or absolute, in ASCII.

    Raises:
        ValueError: The text cannot be such a name.
    """
    name = normalize_name(text)
    if len(name) > _MAX_NAME_LENGTH or not _NAME.fullmatch(name):
        raise ValueError
    return name


def is_like_address(name: str) -> bool:
    """Tell whether a name has the form of an IPv4 address, with or without a dot at its end."""
    return _LIKE_ADDRESS.fullmatch(name) is not None


def relativize_host(host: str, zone: str | None) -> str:
    """Return a host relative to the zone, ``@`` for the zone itself.

    Args:
        host: A name as ``normalize_name`` returns it.
        zone: The name of the zone; None where it is unknown.

    Returns:
        The relative host; with its dot at the end where it is outside the zone.
    """
    if zone is not None and f".{host}".endswith(f".{zone}."):
        host = host[: -len(zone) - 2]
    return host or APEX


# Values


def parse_value(record_type: str, text: str) -> str:
    """Return a value as it is sent: single spaces, names in ASCII, long texts in strings.

    Everything else stays as it was written, and the panel may still refuse it.

    Args:
        record_type: The type in upper case.
        text: The value as it was written.

    Raises:
        ValueError: It cannot be a value of this type.
    """
    if not text or "\n" in text or "\r" in text:
        raise ValueError
    # The zone of an IPv6 address has a meaning on one host only.
    if record_type == "AAAA" and "%" in text:
        raise ValueError
    if record_type == "NAPTR":
        # Of all else in it a panel may know more than this does.
        _refuse_wrong_escape(text)
    elif record_type in FORMS:
        _canonicalize(record_type, text, None)

    if record_type in TEXT_TYPES:
        _check_strings(text)
        return split_long_text(text)
    if record_type in NUMBERS_BEFORE_NAME:
        return _parse_numbers_and_name(text)
    return text


def _check_strings(text: str) -> None:
    """Refuse a text that begins as a quoted string and is none to its end.

    A name server would read less of it than was written, or refuse the zone.

    Raises:
        ValueError: A quote or a parenthesis is not closed, other text follows a string, or an
            escape is no byte.
    """
    if _QUOTED_STRINGS.fullmatch(text):
        _refuse_wrong_escape(text)
    elif _STRING_START.match(text):
        raise ValueError


def _refuse_wrong_escape(text: str) -> None:
    """Raise ValueError for an escape that is no byte: a name server would refuse the zone."""
    if _WRONG_ESCAPE.search(text):
        raise ValueError


def _parse_numbers_and_name(text: str) -> str:
    *numbers, name = text.split()
    ascii_name = name if name == "." else parse_dns_name(name)
    if is_like_address(name) or any(int(number) > _MAX_NUMBER for number in numbers):
        raise ValueError
    # A name in ASCII keeps its upper case.
    return " ".join([*numbers, name if name.isascii() else ascii_name])


def normalize_value(record_type: str, value: Any, zone: str | None) -> str:
    """Return a form that is equal for equal values; whatever the value is, there is one.

    Args:
        record_type: The type in upper case.
        value: The value as the panel shows it or as it is written.
        zone: The name of the zone; None where it is unknown.
    """
    text = str(value).strip()
    canonical = canonicalize_value(record_type, text, zone)
    if canonical is None:
        return " ".join(text.split())
    return canonical


def canonicalize_value(record_type: str, text: str, zone: str | None) -> str | None:
    """Return the form that all spellings of a value share.

    Args:
        record_type: The type in upper case.
        text: The value as it is written.
        zone: The name of the zone; None where it is unknown.

    Returns:
        The form; None for what is no value of this type, or of a type that has no such form.
    """
    with contextlib.suppress(ValueError):
        return _canonicalize(record_type, text, zone)
    return None


def _canonicalize(record_type: str, text: str, zone: str | None) -> str:
    if record_type in TEXT_TYPES:
        return decode_text(text)
    if record_type in _ADDRESS_PARSERS:
        return str(_ADDRESS_PARSERS[record_type](text))
    if record_type == "CAA":
        return _canonicalize_caa(text)
    if record_type in NUMBERS_BEFORE_NAME:
        return _canonicalize_numbers_and_name(record_type, text, zone)
    return canonicalize_fields(record_type, text, zone)


def _canonicalize_caa(text: str) -> str:
    """Return the form of a CAA value; without quotes it may have blanks, as panels show it."""
    match = _CAA.fullmatch(text)
    if match is None or int(match[1]) > _MAX_CAA_FLAGS:
        raise ValueError
    content = decode_token(match[3]).decode("utf-8", "surrogateescape")
    return f"{int(match[1])} {match[2].lower()} {content}"


def _canonicalize_numbers_and_name(record_type: str, text: str, zone: str | None) -> str:
    *numbers, name = text.split() or [""]
    qualified_name = qualify_name(name, zone)
    if len(numbers) != NUMBERS_BEFORE_NAME[record_type]:
        raise ValueError
    if not all(number.isascii() and number.isdecimal() for number in numbers):
        raise ValueError
    plain_numbers = [str(int(number)) for number in numbers]
    return " ".join([*plain_numbers, qualified_name])

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of DNS records by type: how they are checked, sent and compared. Pure. Private to the collection.

MX and SRV carry their numbers inside the value (facts.md section 7).
"""

from __future__ import annotations

import ipaddress
import re
from typing import Any

from .names import ascii_name, comparable_name, is_name, lacks_dot, needs_zone
from .texts import PLACEHOLDER, in_pieces, text_of

TYPE = re.compile(r"[A-Z][A-Z0-9-]*", re.ASCII)
TEXT_TYPES = frozenset({"TXT", "SPF"})
# How many numbers stand before the name in the value of a type that points to a name.
NUMBERS_BEFORE_NAME = {"ALIAS": 0, "CNAME": 0, "DNAME": 0, "NS": 0, "PTR": 0, "MX": 1, "SRV": 3}
_FORMS = {
    "A": "an IPv4 address such as 192.0.2.10",
    "AAAA": "an IPv6 address such as 2001:db8::10",
    "MX": 'a priority from 0 to 65535 and a name such as "10 mail.example.com."',
    "SRV": 'priority, weight and port, each from 0 to 65535, and a name such as "0 5 443 www.example.com."',
    "CAA": 'flags, tag and value such as 0 issue "ca.example"',
}
_NAME_FORM = 'one name such as "www.example.com.", with a dot at its end, or one relative to the zone such as "www"'
# Values that end in hexadecimal digits, and how many words stand before them.
_WORDS_BEFORE_DIGITS = {"CDS": 3, "DS": 3, "SMIMEA": 3, "SSHFP": 2, "TLSA": 3}
_CAA = re.compile(r'(\d{1,3})\s+([A-Za-z0-9]+)\s+("(?:[^"\\]|\\.)*"|\S.*)', re.ASCII)
LONGEST_TTL = 2**31 - 1  # RFC 2181, section 8


def form_of(kind: str) -> str:
    """The accepted form of a value in the words of an error message."""
    return _FORMS.get(kind) or (_NAME_FORM if kind in NUMBERS_BEFORE_NAME else "a text of one line that is not empty")


def check_value(kind: str, value: str) -> None:
    """Raises ValueError where the value cannot be one of this type; what it lets pass the panel still may refuse."""
    if not value or "\n" in value or "\r" in value:
        raise ValueError
    if kind == "A":
        ipaddress.IPv4Address(value)
    elif kind == "AAAA":
        if "%" in value:
            raise ValueError
        ipaddress.IPv6Address(value)
    elif kind == "CAA" and not _CAA.fullmatch(value):
        raise ValueError
    elif kind in NUMBERS_BEFORE_NAME:
        numbers, name = _numbers_and_name(kind, value)
        name = ascii_name(name)
        if not all(number <= 65535 for number in numbers) or not is_name(name) or _is_address(name):
            raise ValueError


def sent_value(kind: str, value: str) -> str:
    """The value as it is sent: single spaces, names in ASCII, long texts in pieces; else as it was written."""
    if kind in TEXT_TYPES:
        return in_pieces(value)
    if kind not in NUMBERS_BEFORE_NAME:
        return value
    words = value.split()
    if not words[-1].isascii():
        words[-1] = ascii_name(words[-1])
    return " ".join(words)


def comparable_value(kind: str, value: Any, zone: str | None, dkim: str | None) -> str:
    """A form that is equal for equal values; never raises.

    zone: the zone's name where it is known. dkim: what the placeholder stands for where that is known.
    """
    text = str(value).strip()
    try:
        return _comparable(kind, text, zone, dkim)
    except ValueError:
        return " ".join(text.split())


def _comparable(kind: str, text: str, zone: str | None, dkim: str | None) -> str:
    if kind in TEXT_TYPES:
        plain = text_of(text)
        return plain.replace(PLACEHOLDER, dkim) if dkim else plain
    if kind in ("A", "AAAA"):
        return str(ipaddress.ip_address(text))
    if kind in NUMBERS_BEFORE_NAME:
        numbers, name = _numbers_and_name(kind, text)
        return " ".join([*map(str, numbers), comparable_name(name, zone)])
    if kind == "CAA":
        match = _CAA.fullmatch(text)
        if match:
            return f"{int(match[1])} {match[2].lower()} {text_of(match[3])}"
    words = text.split()
    before = _WORDS_BEFORE_DIGITS.get(kind)
    if before is not None:
        return " ".join([*words[:before], "".join(words[before:]).lower()])
    return " ".join(words)


def value_needs_zone(kind: str, value: Any) -> bool:
    """Whether the value can only be compared when the zone's name is known."""
    words = str(value).split()
    return kind in NUMBERS_BEFORE_NAME and bool(words) and needs_zone(words[-1])


def value_lacks_dot(kind: str, value: str) -> bool:
    """Whether the value's name looks complete but has no dot at its end."""
    words = value.split()
    return kind in NUMBERS_BEFORE_NAME and bool(words) and lacks_dot(words[-1])


def comparable_ttl(value: Any) -> Any:
    """Seconds as a number, whether the panel shows a number or a text."""
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    return value


def parsed_seconds(value: Any) -> int:
    """A ttl or a number of the SOA record; raises ValueError unless it is a whole number from 1 (facts.md section 7)."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise ValueError
    if isinstance(value, str) and not (value.isascii() and value.strip().isdecimal()):
        raise ValueError
    number = int(value)
    if not 1 <= number <= LONGEST_TTL:
        raise ValueError
    return number


def _numbers_and_name(kind: str, value: str) -> tuple[list[int], str]:
    words = value.split()
    if len(words) != NUMBERS_BEFORE_NAME[kind] + 1 or not all(w.isascii() and w.isdecimal() for w in words[:-1]):
        raise ValueError
    return [int(word) for word in words[:-1]], words[-1]


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.rstrip("."))
    except ValueError:
        return False
    return True

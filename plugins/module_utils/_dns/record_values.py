# SPDX-License-Identifier: GPL-3.0-or-later
"""DNS records and their values by type, with the names and texts in them: how they are checked, sent and compared. Pure. Private to the
collection.

MX and SRV carry their numbers inside the value (docs/panel_api.md#numbers-in-values). A name that
ends with a dot is absolute; a host without one is relative to the zone, and ``@`` is the zone
itself. A text may be written bare, in quotes, or in several quoted pieces, since one piece holds
255 bytes at most (RFC 1035): they are all the same text.
"""

from __future__ import annotations

import contextlib
import functools
import ipaddress
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Callable, NamedTuple

from .record_forms import content_of, form_of
from .record_names import APEX, ascii_name, whole_name

# The panel replaces it with the DKIM record (docs/panel_api.md#dkim-record).
PLACEHOLDER = "<DKIM_RECORD_VALUE>"
LONGEST_PIECE = 255
LONGEST_TTL = 2**31 - 1  # RFC 2181, section 8
TEXT_TYPES = frozenset({"TXT", "SPF"})
# How many numbers stand before the name in the value of a type that points to a name.
NUMBERS_BEFORE_NAME = {"ALIAS": 0, "CNAME": 0, "DNAME": 0, "NS": 0, "PTR": 0, "MX": 1, "SRV": 3}
_NAME_FORM = 'one name such as "www.example.com.", with a dot at its end, or one relative to the zone such as "www"'
FORMS = {
    **dict.fromkeys(NUMBERS_BEFORE_NAME, _NAME_FORM),
    "A": "an IPv4 address such as 192.0.2.10",
    "AAAA": "an IPv6 address such as 2001:db8::10",
    "MX": 'a priority from 0 to 65535 and a name such as "10 mail.example.com."',
    "SRV": 'priority, weight and port, each from 0 to 65535, and a name such as "0 5 443 www.example.com."',
    "CAA": 'flags, tag and value such as 0 issue "ca.example"',
}
_ADDRESSES: dict[str, Callable[[str], Any]] = {"A": ipaddress.IPv4Address, "AAAA": ipaddress.IPv6Address}
_CAA = re.compile(r'(\d{1,10})\s+([A-Za-z0-9]+)\s+("(?:[^"\\]|\\.)*"|\S.*)', re.ASCII)
_LIKE_ADDRESS = re.compile(r"(?:\d+\.){3}\d+\.?", re.ASCII)
_NAME = re.compile(r"(?:\*|[a-z0-9_/-]{1,63})(?:\.[a-z0-9_/-]{1,63})*\.?|@", re.ASCII | re.IGNORECASE)
# One that does not end goes to the end of the text, or each quote in it would begin another one.
_PIECE = re.compile(r'"((?:[^"\\]|\\.?)*)(?:"|\Z)', re.DOTALL)
_PIECES = re.compile(r'\(?\s*"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*\s*\)?', re.DOTALL)
_CHARACTERS = re.compile(rb".{1,%d}(?![\x80-\xbf])" % LONGEST_PIECE, re.DOTALL)  # whole ones, as many as a piece holds
_ESCAPE = re.compile(rb"\\(\d{3}|.)", re.DOTALL)
# What starts with an underscore is a policy, as _adsp, and no key.
_DKIM_HOST = re.compile(r"(?!_)[^.]+\._domainkey", re.IGNORECASE)
# With a key in it: the record of a revoked one is empty there.
_DKIM_KEY = re.compile(r"(?:^|;)\s*p\s*=\s*[A-Za-z0-9+/]")


def text_of(value: str) -> str:
    """The text that a value stands for, without quotes and escapes and in one piece."""
    value = value.strip()
    return _joined(value) if _PIECES.fullmatch(value) else value


def _joined(value: str) -> str:
    def unescaped(match: re.Match[bytes]) -> bytes:
        if len(match[1]) < 3:
            return match[1]
        number = int(match[1])
        # What is no byte stays as it is written, since it must not equal another text. It may be the panel's.
        return bytes([number]) if number <= 255 else match[0]

    pieces = (_ESCAPE.sub(unescaped, piece.encode()) for piece in _PIECE.findall(value))
    return b"".join(pieces).decode("utf-8", "surrogateescape")


def in_pieces(value: str) -> str:
    """The value as it is sent: a bare text that is longer than one piece is quoted and split, everything else stays as it is."""
    content = value.encode()
    if _PIECES.fullmatch(value) or len(content) <= LONGEST_PIECE:
        return value
    pieces = (piece.decode().replace("\\", "\\\\").replace('"', '\\"') for piece in _CHARACTERS.findall(content))
    return " ".join(f'"{piece}"' for piece in pieces)


def dkim_text(zone: Mapping[str, Any]) -> str | None:
    """The text that replaces the placeholder: that of ``dkim_record``
    (docs/panel_api.md#dkim-record), else of the only DKIM record; None where neither has one."""
    whole = str(zone.get("dkim_record") or "").strip()
    if whole:
        return _joined(whole) if '"' in whole else whole
    shown = {
        text_of(record["value"])
        for record in zone["records"]["other"]
        if str(record["type"]).upper() == "TXT" and _DKIM_HOST.match(record["host"])
    }
    keys = [text for text in shown if text != PLACEHOLDER and _DKIM_KEY.search(text)]
    return keys[0] if len(keys) == 1 else None


def dns_name(text: str) -> str:
    """A name in the DNS, relative or absolute, in ASCII; raises ValueError for what cannot be one."""
    name = ascii_name(text)
    if len(name) > 254 or not _NAME.fullmatch(name):
        raise ValueError
    return name


def relative_host(host: str, zone: str | None) -> str:
    """A host (as ``ascii_name`` gives it) relative to the zone, ``@`` for the zone itself; with its dot at the end where it is outside."""
    if zone is not None and f".{host}".endswith(f".{zone}."):
        host = host[: -len(zone) - 2]
    return host or APEX


def sent_value(kind: str, value: str) -> str:
    """The value as it is sent: single spaces, names in ASCII, long texts in pieces; else as it was written.

    Raises ValueError where it cannot be a value of this type; what is let pass the panel still may refuse.
    """
    if not value or "\n" in value or "\r" in value or (kind == "AAAA" and "%" in value):
        raise ValueError
    if kind in FORMS or kind in TEXT_TYPES:
        _comparable(kind, value, None)
    if kind not in NUMBERS_BEFORE_NAME:
        return in_pieces(value) if kind in TEXT_TYPES else value
    *numbers, name = value.split()
    stored = name if name == "." else dns_name(name)
    if any(int(number) > 65535 for number in numbers) or _LIKE_ADDRESS.fullmatch(name):
        raise ValueError
    return " ".join([*numbers, name if name.isascii() else stored])


def comparable_value(kind: str, value: Any, zone: str | None) -> str:
    """A form that is equal for equal values; never raises. zone: its name where it is known."""
    text = str(value).strip()
    meaning = meaning_of(kind, text, zone)
    return " ".join(text.split()) if meaning is None else meaning


def meaning_of(kind: str, text: str, zone: str | None) -> str | None:
    """The form that all spellings of a value share; None for what is no value of this type, or of a type that has no such form."""
    with contextlib.suppress(ValueError):
        return _comparable(kind, text, zone)
    return None


def _comparable(kind: str, text: str, zone: str | None) -> str:
    if kind in TEXT_TYPES:
        return text_of(text)
    if kind in _ADDRESSES:
        return str(_ADDRESSES[kind](text))
    if kind == "CAA":
        return _comparable_caa(text)
    if kind not in NUMBERS_BEFORE_NAME:
        return form_of(kind, text, zone)
    *numbers, shown = text.split() or [""]
    name = whole_name(shown, zone)
    if len(numbers) != NUMBERS_BEFORE_NAME[kind] or not all(one.isascii() and one.isdecimal() for one in numbers):
        raise ValueError
    return " ".join([*(str(int(number)) for number in numbers), name])


def _comparable_caa(text: str) -> str:
    """Without quotes the value may have blanks, as panels show it."""
    match = _CAA.fullmatch(text)
    if match is None or int(match[1]) > 255:
        raise ValueError
    value = content_of(match[3]).decode("utf-8", "surrogateescape")
    return f"{int(match[1])} {match[2].lower()} {value}"


class Record(NamedTuple):
    """One record: ``shown`` as the panel has it, or as it is sent; the rest in comparable form. value: empty where none is given."""

    shown: Mapping[str, Any]
    host: str
    type: str
    value: str
    ttl: Any

    @property
    def set(self) -> tuple[str, str]:
        """What belongs together in DNS."""
        return self[1:3]

    @property
    def key(self) -> tuple[str, str, str]:
        return self[1:4]

    @property
    def line(self) -> str:
        return f"{self.host} {self.type} {self.ttl} {self.shown['value']}"


def records_of(
    zone: Mapping[str, Any], domain: str | None, listed: Iterable[Mapping[str, Any]] | None = None
) -> list[Record]:
    """The zone's records but SOA, in the panel's order. domain: its name where it is known. listed: others that are to be in it instead."""
    dkim = dkim_text(zone)
    return [comparable_record(one, domain, dkim) for one in (zone["records"]["other"] if listed is None else listed)]


def comparable_record(record: Mapping[str, Any], domain: str | None, dkim: str | None = None) -> Record:
    """dkim: what the placeholder stands for, where that is known."""
    host, kind, value = _comparable_key(record["host"], str(record["type"]), str(record.get("value", "")), domain)
    if dkim and kind in TEXT_TYPES:
        value = value.replace(PLACEHOLDER, dkim)
    return Record(record, host, kind, value, record.get("ttl"))


@functools.lru_cache(maxsize=32768)  # a task that writes looks at each record up to nine times
def _comparable_key(host: str, kind: str, value: str, domain: str | None) -> tuple[str, str, str]:
    kind = kind.upper()
    with contextlib.suppress(ValueError):
        host = ascii_name(host)
    return relative_host(host.lower(), domain), kind, comparable_value(kind, value, domain)


def cnames_beside_others(records: Iterable[Record]) -> set[str]:
    """The hosts that have a CNAME and another record, which DNS does not allow."""
    keys = {one.key for one in records}
    counts = Counter(host for host, _kind, _value in keys)
    return {host for host, kind, _value in keys if kind == "CNAME" and (counts[host] > 1 or host == APEX)}

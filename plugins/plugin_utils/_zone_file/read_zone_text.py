# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the text of a zone file to records in the API's shape. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._dns.record_values import APEX, TEXT_TYPES, ascii_name, text_of
from ...module_utils._dns.wanted_zone import read_record, read_wanted_zone
from ...module_utils._errors import OptionError
from .zone_text import ZoneTextError, dns, require_library, types_to_skip, zone_name

# The panel's own list of types is not documented. These are data that people publish; every other type belongs to the name server that
# signs or transfers the zone, or is of no use in a panel.
KNOWN_TYPES = frozenset(
    (
        *("A", "AAAA", "CAA", "CNAME", "DNAME", "DS", "HTTPS", "LOC", "MX", "NAPTR", "NS", "OPENPGPKEY", "PTR"),
        *("SMIMEA", "SPF", "SRV", "SSHFP", "SVCB", "TLSA", "TXT", "URI"),
    )
)
_REFUSED_DIRECTIVES = ("$INCLUDE", "$GENERATE")
_PLACE = re.compile(r"records\[(\d+)\](?:\.(\w+))?")


@dataclass
class ZoneContent:
    """What a zone file says. soa: in the API's members, None without a SOA record. skipped: types that were left out, with their lines."""

    domain: str
    records: list[dict[str, Any]] = field(default_factory=list)
    soa: dict[str, Any] | None = None
    skipped: dict[str, list[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Entry:
    """One record of the file; ``data`` is None for a type that is left out."""

    line: int
    name: Any
    ttl: int
    type: str
    data: Any


def read_zone_text(text: Any, origin: Any = None, skip_types: Any = ()) -> ZoneContent:
    """The records of a zone file; raises ZoneTextError, which names the line.

    origin: the zone's name; without it, the text has to say it, with $ORIGIN or in the name of its SOA record.
    """
    require_library()
    if not isinstance(text, str):
        raise ZoneTextError("the input must be the text of a zone file.")
    reader = _Reader(text, zone_name(origin) if origin else None, types_to_skip(skip_types))
    entries = list(reader.entries())
    zone = zone_name(origin) if origin else _name_of(entries, reader.first_origin)
    content = ZoneContent(zone)
    lines: list[int] = []
    for entry in entries:
        _add(content, lines, entry, zone)
    _check(content, lines, zone)
    return content


def _name_of(entries: list[_Entry], first_origin: Any) -> str:
    for entry in entries:
        if entry.type == "SOA":
            return zone_name(entry.name.to_text())
    if first_origin is None:
        raise ZoneTextError(
            "origin: missing, and the text has neither a SOA record nor an $ORIGIN that would say which zone this is."
        )
    return zone_name(first_origin.to_text())


def _add(content: ZoneContent, lines: list[int], entry: _Entry, zone: str) -> None:
    apex = dns.name.from_text(zone)
    if not entry.name.is_subdomain(apex):
        raise ZoneTextError(f"line {entry.line}: {entry.name} does not lie in the zone {zone}.")
    if entry.data is None:
        content.skipped.setdefault(entry.type, []).append(entry.line)
    elif entry.type == "SOA":
        soa = _soa(entry)
        # A transfer ends with the SOA record that it began with.
        if entry.name != apex or content.soa not in (None, soa):
            raise ZoneTextError(f"line {entry.line}: a zone has one SOA record, at {zone} itself.")
        content.soa = soa
    else:
        host = APEX if entry.name == apex else entry.name.relativize(apex).to_text().lower()
        record = {"host": host, "type": entry.type, "ttl": entry.ttl, "value": _value(entry)}
        if record not in content.records:
            content.records.append(record)
            lines.append(entry.line)


def _check(content: ZoneContent, lines: list[int], zone: str) -> None:
    """Everything that panel_dns would refuse is an error here, where the line is known."""
    try:
        for index, record in enumerate(content.records):
            read_record(index, record, needs_value=True)
        read_wanted_zone({"domain": zone, "records": content.records})
        if content.soa is not None:
            read_wanted_zone({"domain": zone, "soa": content.soa})
    except OptionError as error:
        raise ZoneTextError(_PLACE.sub(lambda match: _line_of(match, lines), error.message)) from None


def _line_of(place: re.Match[str], lines: list[int]) -> str:
    return f"line {lines[int(place[1])]}" + (f", {place[2]}" if place[2] else "")


def _soa(entry: _Entry) -> dict[str, Any]:
    data = entry.data
    return {
        "ttl": entry.ttl,
        "primary_ns": data.mname.to_text(),
        "rname": data.rname.to_text(),
        **{name: getattr(data, name) for name in ("refresh", "retry", "expire", "minimum")},
    }


def _value(entry: _Entry) -> str:
    if entry.type in TEXT_TYPES:
        return _text_value(entry.data.strings, entry.data.to_text())
    value: str = entry.data.to_text(chunksize=0)
    return value


def _text_value(pieces: tuple[bytes, ...], quoted: str) -> str:
    """The bare text as panels show it where it can be told from a quoted one, else the quoted pieces."""
    text = pieces[0].decode("utf-8", "replace")
    is_readable = text.isprintable() and text.encode() == pieces[0] and not {'"', "\\"} & set(text)
    return text if len(pieces) == 1 and text and is_readable and text == text_of(text) else quoted


class _Reader:
    """Reads entries and keeps what the next one may leave out: origin, owner and ttl."""

    def __init__(self, text: str, origin: str | None, skipped: frozenset[str]) -> None:
        self._tokens = dns.tokenizer.Tokenizer(text.lstrip("\ufeff").replace("\r\n", "\n"), idna_codec=_codec())
        self._origin = dns.name.from_text(origin) if origin else None
        self.first_origin: Any = None
        self._skipped = skipped
        self._owner: Any = None
        self._default_ttl: int | None = None
        self._last_ttl: int | None = None
        self._line = 1

    def entries(self) -> Iterator[_Entry]:
        """All records in their order; raises ZoneTextError."""
        while True:
            try:
                entry, ended = self._next()
            except ZoneTextError:
                raise
            except (dns.exception.DNSException, ValueError) as error:
                raise ZoneTextError(f"line {self._line}: this cannot be read: {str(error).rstrip('.')}.") from None
            if entry is not None:
                yield entry
            if ended:
                return

    def _next(self) -> tuple[_Entry | None, bool]:
        """The next record, None for a line without one; and whether the text has ended."""
        token = self._tokens.get(want_leading=True)
        self._line = self._tokens.where()[1]
        if token.is_whitespace():
            token = self._tokens.get()
        elif token.is_identifier() and token.value.startswith("$"):
            self._directive(token.value.upper())
            return None, False
        elif not token.is_eol_or_eof():
            self._need_origin(token.value)
            self._owner = self._tokens.as_name(token, self._origin)
            token = self._tokens.get()
            if token.is_eol_or_eof():
                raise ZoneTextError(f"line {self._line}: there is a name and nothing else.")
        if token.is_eol_or_eof():
            return None, token.is_eof()
        self._tokens.unget(token)
        return self._entry(), False

    def _need_origin(self, name: str) -> None:
        if self._origin is None and not name.endswith("."):
            raise ZoneTextError(
                f"line {self._line}: {name} is relative to a zone that is not known; give its name as origin."
            )

    def _directive(self, name: str) -> None:
        if name == "$ORIGIN":
            token = self._tokens.get()
            self._need_origin(token.value)
            self._origin = self._tokens.as_name(token, self._origin)
            self.first_origin = self.first_origin or self._origin
        elif name == "$TTL":
            self._default_ttl = dns.ttl.from_text(self._tokens.get_string())
        elif name in _REFUSED_DIRECTIVES:
            raise ZoneTextError(
                f"line {self._line}: {name} is not carried out; make one plain file with named-compilezone first."
            )
        else:
            raise ZoneTextError(f"line {self._line}: {name} is no directive of zone files.")
        self._tokens.get_eol()

    def _entry(self) -> _Entry:
        if self._owner is None:
            raise ZoneTextError(f"line {self._line}: the first record has no name.")
        ttl, kind = self._ttl_and_type()
        if kind in self._skipped:
            while not self._tokens.get().is_eol_or_eof():
                pass
            return _Entry(self._line, self._owner, 0, kind, None)
        if kind not in KNOWN_TYPES and kind != "SOA":
            raise ZoneTextError(
                f"line {self._line}: records of type {kind} are not for a panel; remove the line, or leave them all out with "
                f"skip_types=['{kind}']."
            )
        data: Any = dns.rdata.from_text(dns.rdataclass.IN, kind, self._tokens, self._origin, False)
        if ttl is None and kind == "SOA":
            ttl = data.minimum
        if ttl is None:
            raise ZoneTextError(f"line {self._line}: no ttl; give one there, or with $TTL above.")
        self._last_ttl = ttl
        return _Entry(self._line, self._owner, ttl, kind, data)

    def _ttl_and_type(self) -> tuple[int | None, str]:
        """Ttl and class may be in either order, and either or both may be missing (RFC 1035, section 5.1)."""
        ttl, has_class = None, False
        while True:
            word = self._tokens.get_identifier()
            if ttl is None and word[:1].isdigit():
                ttl = dns.ttl.from_text(word)
            elif not has_class and _is_class(word):
                has_class = True
                if dns.rdataclass.from_text(word) != dns.rdataclass.IN:
                    raise ZoneTextError(f"line {self._line}: the class is {word}; panels have the class IN only.")
            else:
                break
        if ttl is None:
            ttl = self._last_ttl if self._default_ttl is None else self._default_ttl
        return ttl, _type_name(word)


def _is_class(word: str) -> bool:
    try:
        dns.rdataclass.from_text(word)
    except dns.exception.DNSException:
        return False
    return True


def _type_name(word: str) -> str:
    """The usual name also for a type that is written as a number (RFC 3597)."""
    try:
        return str(dns.rdatatype.to_text(dns.rdatatype.from_text(word)))
    except (dns.exception.DNSException, ValueError):
        return word.upper()


def _codec() -> Any:
    """Names outside ASCII in punycode, as everywhere in the collection."""

    class Codec(dns.name.IDNACodec):
        def encode(self, label: str) -> bytes:
            encoded = label if label.isascii() else ascii_name(label)
            if len(encoded) > 63 or ("." in encoded and not label.isascii()):
                raise ValueError(f"{label} is too long for a part of a name, or holds a dot")
            return encoded.encode("ascii")

    return Codec()

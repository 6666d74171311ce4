# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the text of a zone file to records in the API's shape. Pure. Private to the collection."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from ...module_utils._dns.record_values import APEX, TEXT_TYPES, ascii_name, text_of
from ...module_utils._dns.wanted_zone import read_wanted_zone
from ...module_utils._errors import OptionError, PanelError
from ...module_utils._values.names import DomainName
from ...module_utils._values.value_types import parsed

Reader: Any = object
Codec: Any = object
try:
    import dns.zonefile

    Reader, Codec = dns.zonefile.Reader, dns.name.IDNACodec
except ImportError:
    dns = None  # type: ignore[assignment]

# Every other type belongs to the name server that signs or transfers the zone, or is of no use in a panel.
KNOWN_TYPES = {"A", "AAAA", "CAA", "CNAME", "DNAME", "DS", "HTTPS", "LOC", "MX", "NAPTR", "NS", "OPENPGPKEY", "PTR"}
KNOWN_TYPES |= {"SMIMEA", "SOA", "SPF", "SRV", "SSHFP", "SVCB", "TLSA", "TXT", "URI"}
__all__ = ["ZoneTextError", "dns", "read_zone_text", "require_library", "types_to_skip", "zone_name"]
_INDEX = re.compile(r"records\[(\d+)\]")


class ZoneTextError(Exception):
    """The text or the records cannot be turned into the other; the message names the line or the record."""


@dataclass
class ZoneContent:
    """lines: of the records. soa: None without a SOA record. skipped: types that were left out, with their lines."""

    domain: str
    records: list[dict[str, Any]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    soa: dict[str, Any] | None = None
    skipped: dict[str, list[int]] = field(default_factory=dict)


def require_library() -> None:
    if dns is None:
        where = "the Python that runs Ansible"
        raise ZoneTextError(f"{where} has no library dnspython; install it there (pip install dnspython).")


def zone_name(origin: Any) -> str:
    """In punycode and lower case, without a dot at its end."""
    try:
        name: str = parsed(DomainName(), "origin", origin)
    except PanelError as error:
        raise ZoneTextError(error.message) from None
    return name


def types_to_skip(skip_types: Any) -> frozenset[str]:
    if not isinstance(skip_types, (list, tuple)):
        raise ZoneTextError("skip_types: must be a list of types such as [RRSIG, NSEC].")
    return frozenset(str(name).strip().upper() for name in skip_types)


def read_zone_text(text: Any, origin: Any = None, skip_types: Any = ()) -> ZoneContent:
    """The records of a zone file; raises ZoneTextError. origin: the zone's name; without it, $ORIGIN or the SOA record has to say it."""
    require_library()
    if not isinstance(text, str):
        raise ZoneTextError("the input must be the text of a zone file.")
    zone, unwanted = zone_name(origin) if origin else "", types_to_skip(skip_types)
    reader = _Reader(text, zone)
    try:
        reader.read()
    except (dns.exception.DNSException, ValueError) as error:
        reason = re.sub(r"^\S+:\d+: ", "", str(error)).rstrip(".") or "it ends too early"
        raise ZoneTextError(f"line {reader.line}: this cannot be read: {reason}.") from None
    names = [name for _line, name, _ttl, data in reader.found if data.rdtype == dns.rdatatype.SOA] + reader.origins
    if not zone and (not names or names[0] == dns.name.root):
        raise ZoneTextError("origin: missing; the text has neither a SOA record nor an $ORIGIN.")
    content = ZoneContent(zone or zone_name(names[0].to_text()))
    for line, name, ttl, data in reader.found:
        kind = str(dns.rdatatype.to_text(data.rdtype))
        if kind in unwanted:
            content.skipped.setdefault(kind, []).append(line)
        else:
            _add(content, line, name, kind, ttl, data)
    try:
        # What panel_dns would refuse is an error here, where the line is known.
        read_wanted_zone({"domain": content.domain, "records": content.records, "soa": content.soa})
    except OptionError as error:
        in_lines = _INDEX.sub(lambda found: f"line {content.lines[int(found[1])]}", error.message)
        raise ZoneTextError(in_lines) from None
    return content


def _add(content: ZoneContent, line: int, name: Any, kind: str, ttl: int, data: Any) -> None:
    apex = dns.name.from_text(content.domain)
    if not name.is_subdomain(apex):
        raise ZoneTextError(f"line {line}: {name} does not lie in the zone {content.domain}.")
    if kind not in KNOWN_TYPES:
        advice = f"leave them all out with skip_types=['{kind}']"
        raise ZoneTextError(f"line {line}: records of type {kind} are not for a panel; {advice}.")
    if kind == "SOA":
        numbers = {name: getattr(data, name) for name in ("refresh", "retry", "expire", "minimum")}
        soa = {"ttl": ttl, "primary_ns": data.mname.to_text(), "rname": data.rname.to_text(), **numbers}
        # A transfer ends with the SOA record that it began with.
        if name != apex or content.soa not in (None, soa):
            raise ZoneTextError(f"line {line}: a zone has one SOA record, at {content.domain} itself.")
        content.soa = soa
        return
    host = APEX if name == apex else name.relativize(apex).to_text().lower()
    value = _text_value(data.strings, data.to_text()) if kind in TEXT_TYPES else data.to_text(chunksize=0)
    content.records.append({"host": host, "type": kind, "ttl": ttl, "value": value})
    content.lines.append(line)


def _text_value(pieces: tuple[bytes, ...], quoted: str) -> str:
    """The bare text as panels show it where it can be told from a quoted one, else the quoted pieces."""
    text = pieces[0].decode("utf-8", "replace")
    is_readable = text.isprintable() and text.encode() == pieces[0] and not {'"', "\\"} & set(text)
    return text if len(pieces) == 1 and text and is_readable and text == text_of(text) else quoted


class _Reader(Reader):
    """dnspython's reader, which keeps every record with its line and leaves none out. The root stands for a zone that is not known yet."""

    def __init__(self, text: str, zone: str) -> None:
        self.line, self.found, self.origins = 1, list[tuple[int, Any, int, Any]](), list[Any]()
        # What it needs of a zone that takes the records.
        manager = SimpleNamespace(origin_information=lambda: (dns.name.root, False, dns.name.root))
        taking = SimpleNamespace(
            manager=manager,
            add=lambda name, ttl, data: self.found.append((self.line, name, ttl, data)),
            _set_origin=self.origins.append,
            check_put_rdataset=lambda _check: None,
        )
        tokens = dns.tokenizer.Tokenizer(text.lstrip("\ufeff").replace("\r\n", "\n"), idna_codec=_Punycode())
        super().__init__(tokens, dns.rdataclass.IN, taking)
        self.current_origin = dns.name.from_text(zone) if zone else dns.name.root
        self.last_name = None

    def _rr_line(self) -> None:
        token = self.tok.get(want_leading=True)
        self.line = self.tok.where()[1]
        self.tok.unget(token)
        super()._rr_line()


class _Punycode(Codec):
    """Names outside ASCII as everywhere in the collection."""

    def encode(self, label: str) -> bytes:
        return (label if label.isascii() else ascii_name(label)).encode("ascii")

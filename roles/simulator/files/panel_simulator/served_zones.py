# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The zones as a name server has them: the records of the API, read by dnspython."""

from __future__ import annotations

import re

import dns.exception
import dns.name
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.rrset
import dns.tokenizer

from panel_simulator import zones
from panel_simulator.kinds.domains import has_zone
from panel_simulator.panel import Panel
from panel_simulator.store import Zone

_WILDCARD = dns.name.Name([b"*"])
_SOA = "{primary_ns} {rname} {serial} {refresh} {retry} {expire} {minimum}"
_TEXT_TYPES = ("TXT", "SPF")
_PIECES = re.compile(r'\(?\s*("([^"\\]|\\.)*"\s*)+\)?', re.DOTALL)

Node = dict[dns.rdatatype.RdataType, dns.rrset.RRset]


class ServedZone:
    """One zone. ``nodes`` are the record sets by name and type; a name between others has a node without any (RFC 4592)."""

    def __init__(self, origin: dns.name.Name, zone: Zone, serial: int) -> None:
        """Raises DNSException or ValueError where a record is none that a name server can load."""
        self.origin = origin
        self.nodes: dict[dns.name.Name, Node] = {origin: {}}
        self._add(origin, _rdata("SOA", _SOA.format(serial=serial, **zone.soa), origin), zone.soa["ttl"])
        for record in zone.other:
            host = dns.name.from_text(record["host"] or "@", origin)
            self._add(host, _rdata(record["type"], record["value"], origin), record["ttl"])
        for name in list(self.nodes):
            while name != origin:
                name = name.parent()
                self.nodes.setdefault(name, {})
        self.soa = self.nodes[origin][dns.rdatatype.SOA]

    def _add(self, name: dns.name.Name, rdata: dns.rdata.Rdata, ttl: int) -> None:
        node = self.nodes.setdefault(name, {})
        if rdata.rdtype not in node:
            node[rdata.rdtype] = dns.rrset.RRset(name, dns.rdataclass.IN, rdata.rdtype)
        node[rdata.rdtype].add(rdata, ttl)

    def node(self, name: dns.name.Name) -> Node | None:
        """The record sets of a name, those of a wildcard where the name is not there itself; None where there is neither."""
        if name in self.nodes:
            return self.nodes[name]
        encloser = name.parent()
        while encloser not in self.nodes:
            encloser = encloser.parent()
        return self.nodes.get(_WILDCARD.concatenate(encloser))

    def delegation(self, name: dns.name.Name, rdtype: dns.rdatatype.RdataType) -> dns.rrset.RRset | None:
        """The name servers that a name below the zone's own is given away to, if it is."""
        depth = len(self.origin.labels)
        # What the parent of a delegated zone says about it (DS) is the parent's own.
        deepest = len(name.labels) - (rdtype == dns.rdatatype.DS)
        for length in range(depth + 1, deepest + 1):
            servers = self.nodes.get(name.split(length)[1], {}).get(dns.rdatatype.NS)
            if servers is not None:
                return servers
        return None


class ServedZones:
    """All zones at one moment. Each is read when it is first asked for; None is one that cannot be loaded."""

    def __init__(self, panel: Panel) -> None:
        self._zones = _published(panel)
        # The interface has no serial numbers: this one grows with every change, also over a restart.
        self._serial = int(panel.booted_at) + panel.store.changes
        self._read: dict[dns.name.Name, ServedZone | None] = {}

    def origin_of(self, name: dns.name.Name, rdtype: dns.rdatatype.RdataType) -> dns.name.Name | None:
        """The name of the zone that a question belongs to: the closest one above."""
        candidates = [name.split(length)[1] for length in range(len(name.labels), 1, -1)]
        found = [candidate for candidate in candidates if candidate in self._zones]
        if rdtype == dns.rdatatype.DS and len(found) > 1 and found[0] == name:
            return found[1]
        return found[0] if found else None

    def zone(self, origin: dns.name.Name) -> ServedZone | None:
        """The zone of that name, None where it has a record that no name server can load."""
        if origin not in self._read:
            try:
                self._read[origin] = ServedZone(origin, self._zones[origin], self._serial)
            except (dns.exception.DNSException, ValueError):
                self._read[origin] = None
        return self._read[origin]


def _published(panel: Panel) -> dict[dns.name.Name, Zone]:
    published = {}
    for entry in panel.store.all("domains"):
        if has_zone(panel, entry.data) and not (zone := zones.stored(panel, entry)).is_disabled:
            published[dns.name.from_text(entry.data["domain"])] = zone
    return published


def _rdata(kind: str, value: str, origin: dns.name.Name) -> dns.rdata.Rdata:
    text = _in_pieces(value) if kind in _TEXT_TYPES else value
    rdata = dns.rdata.from_text(dns.rdataclass.IN, kind, text, origin=origin, relativize=False)
    if len(rdata.to_wire() or b"") >= 2**16:
        raise ValueError("longer than a record may be")
    return rdata


def _in_pieces(value: str) -> str:
    """A text in quoted pieces of 255 bytes at most, however it was written: bare, in quotes, in pieces of any length."""
    value = value.strip()
    if _PIECES.fullmatch(value):
        tokens = dns.tokenizer.Tokenizer(value).get_remaining()
        pieces = [token.unescape_to_bytes().value for token in tokens]
    else:
        pieces = [value.encode()]
    longest = zones.LONGEST_TEXT
    short = [piece[start : start + longest] for piece in pieces for start in range(0, len(piece) or 1, longest)]
    return " ".join('"' + "".join(f"\\{byte:03}" for byte in piece) + '"' for piece in short)

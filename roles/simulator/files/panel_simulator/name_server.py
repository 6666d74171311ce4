# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel's name server answers to a question, with authority for its own zones and for nothing else."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.opcode
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.rrset

from panel_simulator.panel import Panel
from panel_simulator.served_zones import Node, ServedZone, ServedZones
from panel_simulator.store import Store

_ADDRESSES = (dns.rdatatype.A, dns.rdatatype.AAAA)
_HEADER_BYTES = 12
_REFUSED_TYPES = (dns.rdatatype.AXFR, dns.rdatatype.IXFR)


@dataclass(frozen=True)
class _Past:
    """What was there until a moment, and in which objects."""

    until: float
    store: Store
    zones: ServedZones


class NameServer:
    """Answers from the very records that the API holds, ``dns_delay`` seconds after they were written."""

    def __init__(self, panel: Panel) -> None:
        self.panel = panel
        self._past: deque[_Past] = deque()
        self._now: tuple[tuple[int, int], ServedZones] | None = None

    def remember(self) -> None:
        """Keeps what is there before a write, for answers that come later than writes."""
        if self.panel.settings.dns_delay:
            self._past.append(_Past(self.panel.clock(), self.panel.store, self._zones_of_now()))

    def reply(self, wire: bytes) -> tuple[dns.message.Message, int] | None:
        """The answer to a message, and how many bytes a datagram may have for it; None to what is no question."""
        if len(wire) < _HEADER_BYTES or wire[2] & 0x80:
            return None
        try:
            query = dns.message.from_wire(wire)
        except (dns.exception.DNSException, ValueError):
            unread = dns.message.Message(id=int.from_bytes(wire[:2], "big"))
            unread.flags = dns.flags.QR
            unread.set_rcode(dns.rcode.FORMERR)
            return unread, 512
        return self.answered(query), max(512, query.payload)

    def answered(self, query: dns.message.Message) -> dns.message.Message:
        """The answer to a question."""
        response = dns.message.make_response(query, our_payload=1232)
        if query.opcode() != dns.opcode.QUERY:
            response.set_rcode(dns.rcode.NOTIMP)
        elif len(query.question) != 1:
            response.set_rcode(dns.rcode.FORMERR)
        elif query.question[0].rdclass != dns.rdataclass.IN or query.question[0].rdtype in _REFUSED_TYPES:
            response.set_rcode(dns.rcode.REFUSED)
        else:
            _answer(self._served(), response, query.question[0].name, query.question[0].rdtype)
        return response

    def _served(self) -> ServedZones:
        begin = self.panel.clock() - self.panel.settings.dns_delay
        # Other objects in the place of all have no past.
        while self._past and (self._past[0].until <= begin or self._past[0].store is not self.panel.store):
            self._past.popleft()
        return self._past[0].zones if self._past else self._zones_of_now()

    def _zones_of_now(self) -> ServedZones:
        revision = (self.panel.store.changes, self.panel.settings.revision)
        if self._now is None or self._now[0] != revision:
            self._now = (revision, ServedZones(self.panel))
        return self._now[1]


def _answer(
    zones: ServedZones, response: dns.message.Message, name: dns.name.Name, rdtype: dns.rdatatype.RdataType
) -> None:
    """Follows aliases as far as the zones of this server go. The first name says who has authority, the last one whether it is there."""
    seen: set[dns.name.Name] = set()
    while name not in seen:
        seen.add(name)
        origin = zones.origin_of(name, rdtype)
        if origin is None:
            if len(seen) == 1:
                response.set_rcode(dns.rcode.REFUSED)
            return
        zone = zones.zone(origin)
        if zone is None:
            response.set_rcode(dns.rcode.SERVFAIL)
            return
        servers = zone.delegation(name, rdtype)
        if servers is not None:
            _refer(zone, response, servers)
            return
        if len(seen) == 1:
            response.flags |= dns.flags.AA
        alias = _add_records(zone, response, name, rdtype)
        if alias is None:
            return
        name = alias


def _add_records(
    zone: ServedZone, response: dns.message.Message, name: dns.name.Name, rdtype: dns.rdatatype.RdataType
) -> dns.name.Name | None:
    """Puts what the zone has for a name into the answer; the other name that it is an alias for."""
    node = zone.node(name)
    if node is None:
        response.set_rcode(dns.rcode.NXDOMAIN)
    found = _fitting(node or {}, rdtype)
    if not found:
        response.authority.append(_negative(zone))
    for records in found:
        # The records of a wildcard are those of the name that was asked for.
        response.answer.append(_named(records, name))
    is_alias = len(found) == 1 and found[0].rdtype == dns.rdatatype.CNAME
    return found[0][0].target if is_alias and rdtype not in (dns.rdatatype.CNAME, dns.rdatatype.ANY) else None


def _fitting(node: Node, rdtype: dns.rdatatype.RdataType) -> list[dns.rrset.RRset]:
    if rdtype == dns.rdatatype.ANY:
        return list(node.values())
    return [node[kind] for kind in (rdtype, dns.rdatatype.CNAME) if kind in node][:1]


def _negative(zone: ServedZone) -> dns.rrset.RRset:
    """The SOA record with the time for which an absence may be remembered (RFC 2308)."""
    return _named(zone.soa, zone.origin, min(zone.soa.ttl, zone.soa[0].minimum))


def _named(records: dns.rrset.RRset, name: dns.name.Name, ttl: int | None = None) -> dns.rrset.RRset:
    return dns.rrset.from_rdata_list(name, records.ttl if ttl is None else ttl, list(records))


def _refer(zone: ServedZone, response: dns.message.Message, servers: dns.rrset.RRset) -> None:
    response.authority.append(servers)
    for server in servers:
        node = zone.nodes.get(server.target, {})
        response.additional += [node[kind] for kind in _ADDRESSES if kind in node]

# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel's name server, over UDP and TCP: it answers from the records of the API.

It has authority for the panel's zones and for nothing else.
"""

from __future__ import annotations

import contextlib
import re
import socket
import threading

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.opcode
import dns.rcode
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.rrset
import dns.tokenizer

from panel_simulator import zones
from panel_simulator.application import Application
from panel_simulator.kinds.domains import has_zone
from panel_simulator.panel import Panel
from panel_simulator.store import Zone

_WILDCARD = dns.name.Name([b"*"])
_SOA = "{primary_ns} {rname} {serial} {refresh} {retry} {expire} {minimum}"
_PIECES = re.compile(r'\(?\s*("([^"\\]|\\.)*"\s*)+\)?', re.DOTALL)
_CNAME = dns.rdatatype.CNAME
_IDLE_SECONDS = 30.0

Node = dict[dns.rdatatype.RdataType, dns.rrset.RRset]
Zones = dict[dns.name.Name, "ServedZone"]


class ServedZone:
    """The record sets of a zone by name and type.

    A name between others has a node without record sets (RFC 4592).
    """

    def __init__(self, origin: dns.name.Name, zone: Zone, serial: int) -> None:
        self.origin = origin
        self.nodes: dict[dns.name.Name, Node] = {origin: {}}
        self._add(origin, "SOA", _SOA.format(serial=serial, **zone.soa), zone.soa["ttl"])

        for record in zone.other:
            # The panel takes records that no name server can load.
            with contextlib.suppress(dns.exception.DNSException, ValueError):
                host = dns.name.from_text(record["host"] or "@", origin)
                self._add(host, record["type"], record["value"], record["ttl"])

        for name in list(self.nodes):
            while name != origin:
                name = name.parent()
                self.nodes.setdefault(name, {})

    def _add(self, name: dns.name.Name, kind: str, value: str, ttl: int) -> None:
        text = _split_text(value) if kind == "TXT" else value
        rdata = dns.rdata.from_text(
            dns.rdataclass.IN, kind, text, origin=self.origin, relativize=False
        )
        node = self.nodes.setdefault(name, {})
        if rdata.rdtype not in node:
            node[rdata.rdtype] = dns.rrset.RRset(name, dns.rdataclass.IN, rdata.rdtype)

        node[rdata.rdtype].add(rdata, ttl)

    def find_node(self, name: dns.name.Name) -> Node | None:
        """Return the record sets of a name, or those of a wildcard; None where there is neither."""
        if name in self.nodes:
            return self.nodes[name]

        encloser = name.parent()
        while encloser not in self.nodes:
            encloser = encloser.parent()

        return self.nodes.get(_WILDCARD.concatenate(encloser))

    def make_negative_soa(self) -> dns.rrset.RRset:
        """Return the SOA record with the time for which an absence may be remembered (RFC 2308)."""
        soa = self.nodes[self.origin][dns.rdatatype.SOA]
        return dns.rrset.from_rdata_list(self.origin, min(soa.ttl, soa[0].minimum), list(soa))


def _split_text(value: str) -> str:
    """Return a text in quoted pieces of 255 bytes at most, however it was written: bare, in
    quotes, in pieces of any length."""
    value = value.strip()
    pieces = [value.encode()]
    if _PIECES.fullmatch(value):
        tokens = dns.tokenizer.Tokenizer(value).get_remaining()
        pieces = [token.unescape_to_bytes().value for token in tokens]

    chunks = (chunk for piece in pieces for chunk in _cut_into_chunks(piece))
    return " ".join(_quote(chunk) for chunk in chunks)


def _cut_into_chunks(piece: bytes) -> list[bytes]:
    longest = zones.LONGEST_TEXT
    return [piece[start : start + longest] for start in range(0, len(piece) or 1, longest)]


def _quote(chunk: bytes) -> str:
    """Return a text in quotes, each byte as its number, which needs no other escapes."""
    numbers = "".join(f"\\{byte:03}" for byte in chunk)
    return f'"{numbers}"'


def _list_published(panel: Panel) -> Zones:
    """Return the zones that the name server answers for, by their names."""
    # A serial number has to grow with every change, also over a restart, and the API has none
    # (docs/panel_api.md#serial-numbers).
    serial = int(panel.booted_at) + panel.store.changes
    published = {}

    for entry in panel.store.list_all("domains"):
        if not has_zone(panel, entry.data):
            continue
        zone = zones.get_stored_zone(panel, entry)
        if not zone.is_disabled:
            origin = dns.name.from_text(entry.data["domain"])
            published[origin] = ServedZone(origin, zone, serial)

    return published


def _find_closest(zones: Zones, name: dns.name.Name) -> ServedZone | None:
    """Return the zone that a name is in, the innermost if there are several."""
    for length in range(len(name.labels), 1, -1):
        _prefix, ancestor = name.split(length)
        if ancestor in zones:
            return zones[ancestor]

    return None


def _answer(
    zones: Zones,
    response: dns.message.Message,
    name: dns.name.Name,
    rdtype: dns.rdatatype.RdataType,
) -> None:
    """Fill in the answer to a question, with the aliases as far as this server has their zones.

    The first name decides who has authority, the last one whether it exists.
    """
    zone = _find_closest(zones, name)
    if zone is None:
        response.set_rcode(dns.rcode.REFUSED)
        return

    response.flags |= dns.flags.AA
    seen: set[dns.name.Name] = set()

    while zone is not None and name not in seen:
        seen.add(name)
        records = _answer_name(zone, response, name, rdtype)
        if records is None or records.rdtype != _CNAME or rdtype == _CNAME:
            return
        name = records[0].target
        zone = _find_closest(zones, name)


def _answer_name(
    zone: ServedZone,
    response: dns.message.Message,
    name: dns.name.Name,
    rdtype: dns.rdatatype.RdataType,
) -> dns.rrset.RRset | None:
    """Add the records of a name, or its alias, or the proof that there are none."""
    node = zone.find_node(name)
    if node is None:
        response.set_rcode(dns.rcode.NXDOMAIN)
        node = {}

    records = node.get(rdtype) or node.get(_CNAME)
    if records is None:
        response.authority.append(zone.make_negative_soa())
        return None

    # The records of a wildcard are those of the name that was asked for.
    response.answer.append(dns.rrset.from_rdata_list(name, records.ttl, list(records)))
    return records


def _bind_socket(host: str, port: int, attempts: int = 20) -> tuple[socket.socket, socket.socket]:
    """Return a socket for connections and one for datagrams on one port.

    A port that is free for the first may be taken for the second; then another one is tried.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    streams = socket.socket(family, socket.SOCK_STREAM)
    datagrams = socket.socket(family, socket.SOCK_DGRAM)

    try:
        streams.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        streams.bind((host, port))
        datagrams.bind(streams.getsockname()[:2])
        streams.listen()
    except OSError as error:
        streams.close()
        datagrams.close()
        if not port and attempts > 1:
            return _bind_socket(host, port, attempts - 1)
        raise OSError(error.errno, f"{error.strerror} (port {port} for DNS)") from error

    return streams, datagrams


class NameServer:
    """Answers from the records that the API holds, ``dns_delay`` seconds after their writing.

    It listens on one port for both; 0 means any free one. Raises OSError when the port is taken.
    """

    def __init__(self, application: Application, host: str, port: int) -> None:
        self._application = application
        self._panel = application.panel
        self._kept: tuple[tuple[int, int], Zones] | None = None
        # Until then, what was there before a write is answered.
        self._until = 0.0
        application.before_write = self._remember
        self._streams, self._datagrams = _bind_socket(host, port)
        self.port = self._streams.getsockname()[1]
        for loop in (self._take_streams, self._take_datagrams):
            threading.Thread(target=loop, daemon=True).start()

    def stop(self) -> None:
        """Answer no more queries, and free the port."""
        for bound in (self._streams, self._datagrams):
            with contextlib.suppress(OSError):
                bound.shutdown(socket.SHUT_RDWR)  # wakes whoever waits
            bound.close()

    def _take_datagrams(self) -> None:
        with contextlib.suppress(OSError):  # it was closed
            while True:
                wire, address = self._datagrams.recvfrom(65535)
                reply = self._reply(wire)
                if reply is not None:
                    response, size = reply
                    answer = response.to_wire(max_size=size, prefer_truncation=True)
                    self._datagrams.sendto(answer, address)

    def _take_streams(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                stream, _address = self._streams.accept()
                thread = threading.Thread(target=self._answer_stream, args=(stream,), daemon=True)
                thread.start()

    def _answer_stream(self, stream: socket.socket) -> None:
        stream.settimeout(_IDLE_SECONDS)
        with contextlib.suppress(OSError), stream, stream.makefile("rb") as incoming:
            while head := incoming.read(2):
                length = int.from_bytes(head, "big")
                reply = self._reply(incoming.read(length))
                if reply is not None:
                    response, _size = reply
                    stream.sendall(
                        response.to_wire(
                            max_size=65535, prefer_truncation=True, prepend_length=True
                        )
                    )

    def _remember(self) -> None:
        """Keep the records before a write, for answers that come later than writes."""
        if self._panel.settings["dns_delay"]:
            self._serve_zones()
            self._until = self._panel.clock() + self._panel.settings["dns_delay"]

    def _reply(self, wire: bytes) -> tuple[dns.message.Message, int] | None:
        """Answer a message; None to what is no question.

        Returns: the answer, and how many bytes a datagram may have for it.
        """
        try:
            query = dns.message.from_wire(wire)
        except (dns.exception.DNSException, ValueError):
            return None

        response = dns.message.make_response(query, our_payload=1232)
        if query.opcode() != dns.opcode.QUERY or len(query.question) != 1:
            response.set_rcode(dns.rcode.NOTIMP)
        elif query.question[0].rdclass != dns.rdataclass.IN:
            response.set_rcode(dns.rcode.REFUSED)
        else:
            with self._application.lock:
                served = self._serve_zones()
            question = query.question[0]
            _answer(served, response, question.name, question.rdtype)

        return response, max(512, query.payload)

    def _serve_zones(self) -> Zones:
        """Return the zones as they are, or as they were if a write is too recent to show."""
        panel = self._panel
        revision = (panel.store.changes, panel.settings.revision)
        is_late = panel.settings["dns_delay"] and panel.clock() < self._until
        if self._kept is not None:
            kept_revision, zones = self._kept
            if is_late or kept_revision == revision:
                return zones

        zones = _list_published(panel)
        self._kept = (revision, zones)
        return zones

"""The panel's name server: answers from the records of the API, with authority for the panel's zones and for nothing else; UDP and TCP."""

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
    """The record sets of a zone by name and type; a name between others has a node without any (RFC 4592)."""

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
        text = _in_pieces(value) if kind == "TXT" else value
        rdata = dns.rdata.from_text(
            dns.rdataclass.IN, kind, text, origin=self.origin, relativize=False
        )
        sets = self.nodes.setdefault(name, {})
        sets.setdefault(rdata.rdtype, dns.rrset.RRset(name, dns.rdataclass.IN, rdata.rdtype)).add(
            rdata, ttl
        )

    def node(self, name: dns.name.Name) -> Node | None:
        """The record sets of a name, or those of a wildcard; None where there is neither."""
        if name in self.nodes:
            return self.nodes[name]
        encloser = name.parent()
        while encloser not in self.nodes:
            encloser = encloser.parent()
        return self.nodes.get(_WILDCARD.concatenate(encloser))

    def negative(self) -> dns.rrset.RRset:
        """The SOA record with the time for which an absence may be remembered (RFC 2308)."""
        soa = self.nodes[self.origin][dns.rdatatype.SOA]
        return dns.rrset.from_rdata_list(self.origin, min(soa.ttl, soa[0].minimum), list(soa))


def _in_pieces(value: str) -> str:
    """A text in quoted pieces of 255 bytes at most, however it was written: bare, in quotes, in pieces of any length."""
    value = value.strip()
    if _PIECES.fullmatch(value):
        pieces = [
            token.unescape_to_bytes().value
            for token in dns.tokenizer.Tokenizer(value).get_remaining()
        ]
    else:
        pieces = [value.encode()]
    longest = zones.LONGEST_TEXT
    short = [
        piece[start : start + longest]
        for piece in pieces
        for start in range(0, len(piece) or 1, longest)
    ]
    return " ".join('"' + "".join(f"\\{byte:03}" for byte in piece) + '"' for piece in short)


def _published(panel: Panel) -> Zones:
    # A serial number has to grow with every change, also over a restart, and the API has none
    # (docs/panel_api.md#serial-numbers).
    serial = int(panel.booted_at) + panel.store.changes
    found = {}
    for entry in panel.store.all("domains"):
        if has_zone(panel, entry.data) and not (zone := zones.stored(panel, entry)).is_disabled:
            origin = dns.name.from_text(entry.data["domain"])
            found[origin] = ServedZone(origin, zone, serial)
    return found


def _closest(zones: Zones, name: dns.name.Name) -> ServedZone | None:
    above = (name.split(length)[1] for length in range(len(name.labels), 1, -1))
    return next((zones[one] for one in above if one in zones), None)


def _answer(
    zones: Zones,
    response: dns.message.Message,
    name: dns.name.Name,
    rdtype: dns.rdatatype.RdataType,
) -> None:
    """Follows aliases as far as the zones of this server go. The first name says who has authority, the last one whether it is there."""
    seen: set[dns.name.Name] = set()
    while name not in seen:
        seen.add(name)
        zone = _closest(zones, name)
        if zone is None:
            if len(seen) == 1:
                response.set_rcode(dns.rcode.REFUSED)
            return
        if len(seen) == 1:
            response.flags |= dns.flags.AA
        node = zone.node(name)
        if node is None:
            response.set_rcode(dns.rcode.NXDOMAIN)
        found = (
            next((node[kind] for kind in (rdtype, _CNAME) if kind in node), None) if node else None
        )
        if found is None:
            response.authority.append(zone.negative())
            return
        # The records of a wildcard are those of the name that was asked for.
        response.answer.append(dns.rrset.from_rdata_list(name, found.ttl, list(found)))
        if found.rdtype != _CNAME or rdtype == _CNAME:
            return
        name = found[0].target


def _bound(host: str, port: int, attempts: int = 20) -> tuple[socket.socket, socket.socket]:
    """A socket for connections and one for datagrams on one port. A port that is free for the first may be taken for the second."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    streams, datagrams = (
        socket.socket(family, kind) for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM)
    )
    try:
        streams.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        streams.bind((host, port))
        datagrams.bind(streams.getsockname()[:2])
        streams.listen()
    except OSError as error:
        streams.close()
        datagrams.close()
        if not port and attempts > 1:
            return _bound(host, port, attempts - 1)
        raise OSError(error.errno, f"{error.strerror} (port {port} for DNS)") from error
    return streams, datagrams


class NameServer:
    """Answers from the very records that the API holds, ``dns_delay`` seconds after they were written.

    It listens on one port for both; 0 means any that is free. Raises OSError when the port is taken.
    """

    def __init__(self, application: Application, host: str, port: int) -> None:
        self._application = application
        self._panel = application.panel
        self._kept: tuple[tuple[int, int], Zones] | None = None
        # Until then, what was there before a write is answered.
        self._until = 0.0
        application.before_write = self._remember
        self._streams, self._datagrams = _bound(host, port)
        self.port = self._streams.getsockname()[1]
        for loop in (self._take_streams, self._take_datagrams):
            threading.Thread(target=loop, daemon=True).start()

    def stop(self) -> None:
        for bound in (self._streams, self._datagrams):
            with contextlib.suppress(OSError):
                bound.shutdown(socket.SHUT_RDWR)  # wakes whoever waits
            bound.close()

    def _take_datagrams(self) -> None:
        with contextlib.suppress(OSError):  # it was closed
            while True:
                wire, address = self._datagrams.recvfrom(65535)
                if reply := self._reply(wire):
                    self._datagrams.sendto(
                        reply[0].to_wire(max_size=reply[1], prefer_truncation=True), address
                    )

    def _take_streams(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(
                    target=self._answer_stream, args=self._streams.accept()[:1], daemon=True
                ).start()

    def _answer_stream(self, stream: socket.socket) -> None:
        stream.settimeout(_IDLE_SECONDS)
        with contextlib.suppress(OSError), stream, stream.makefile("rb") as incoming:
            while head := incoming.read(2):
                if reply := self._reply(incoming.read(int.from_bytes(head, "big"))):
                    stream.sendall(
                        reply[0].to_wire(
                            max_size=65535, prefer_truncation=True, prepend_length=True
                        )
                    )

    def _remember(self) -> None:
        """Keeps what is there before a write, for answers that come later than writes."""
        if self._panel.settings.dns_delay:
            self._served()
            self._until = self._panel.clock() + self._panel.settings.dns_delay

    def _reply(self, wire: bytes) -> tuple[dns.message.Message, int] | None:
        """The answer to a message, and how many bytes a datagram may have for it; None to what is no question."""
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
                served = self._served()
            _answer(served, response, query.question[0].name, query.question[0].rdtype)
        return response, max(512, query.payload)

    def _served(self) -> Zones:
        revision = (self._panel.store.changes, self._panel.settings.revision)
        is_late = self._panel.settings.dns_delay and self._panel.clock() < self._until
        if self._kept is None or (self._kept[0] != revision and not is_late):
            self._kept = (revision, _published(self._panel))
        return self._kept[1]

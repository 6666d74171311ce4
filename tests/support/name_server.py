"""A small name server on 127.0.0.1 for names that are on no panel."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator, Mapping

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

ANSWERS = {
    ("elsewhere.example.", "TXT"): ['"v=spf1 " "ip4:192.0.2.1 -all"'],
    ("open.example.", "TXT"): ['"v=spf1 +all"'],
    ("mx.elsewhere.example.", "A"): ["192.0.2.1"],
    ("elsewhere.example.", "MX"): ["10 mx.elsewhere.example."],
    ("alias.example.", "A"): [],
    ("_dmarc.strict.example.", "TXT"): ['"v=DMARC1; p=reject"'],
}
UNKNOWN = ("broken.example.", "_dmarc.broken.example.")
# Of a zone that this server does not have.
REFUSED = ("_refused.acme.example.",)
# The answer ends within its first line.
MALFORMED = ("_malformed.acme.example.",)


class NameServer:
    """Answers over UDP from ANSWERS or others, and keeps what it was asked."""

    def __init__(self, answers: Mapping[tuple[str, str], list[str]]) -> None:
        self._answers = answers
        self.asked: list[tuple[str, str]] = []
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                data, peer = self._socket.recvfrom(4096)
            except OSError:
                return

            query = dns.message.from_wire(data)
            wire = self._make_response(query).to_wire()
            if query.question[0].name.to_text() in MALFORMED:
                wire = wire[:-1]
            self._socket.sendto(wire, peer)

    def _make_response(self, query: dns.message.Message) -> dns.message.Message:
        question = query.question[0]
        name = question.name.to_text()
        kind = dns.rdatatype.to_text(question.rdtype)
        self.asked.append((name, kind))
        response = dns.message.make_response(query)
        response.flags |= dns.flags.RA

        if name in UNKNOWN:
            response.set_rcode(dns.rcode.SERVFAIL)
        elif name in REFUSED:
            response.set_rcode(dns.rcode.REFUSED)
        elif name not in {known_name for known_name, _kind in self._answers}:
            response.set_rcode(dns.rcode.NXDOMAIN)
        elif self._answers.get((name, kind)):
            values = self._answers[name, kind]
            response.answer.append(dns.rrset.from_text(name, 60, "IN", kind, *values))

        return response

    @classmethod
    @contextlib.contextmanager
    def start(
        cls, answers: Mapping[tuple[str, str], list[str]] | None = None
    ) -> Iterator[NameServer]:
        """Yield a name server that runs until the end of the block."""
        running = cls(ANSWERS if answers is None else answers)
        yield running
        running._socket.close()

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels that are measured: simulators with mailboxes, put back before each run and looked at after it."""

from __future__ import annotations

from dataclasses import dataclass

from tests.support.simulator import API_KEY, Simulator
from tools.bench.certificate import Certificate
from tools.bench.mailboxes import Mailbox, Start, differences, outdated, surroundings, wanted

SETTINGS = {"status_delay": 0, "keep_alive_seconds": 7200}
"""An object that settles later would be rendered a second time."""
MAX_SECONDS = 7200
KEY = API_KEY


@dataclass(frozen=True)
class Traffic:
    """What reached a panel: requests by method, and connections."""

    requests: dict[str, int]
    connections: int


class BenchPanel:
    """One simulator with `count` mailboxes."""

    def __init__(self, count: int, certificate: Certificate, latency: float = 0.0) -> None:
        """Start it and create everything; `latency` is in milliseconds a request."""
        self.mailboxes = wanted(count)
        tls = (str(certificate.file), str(certificate.key))
        self.simulator = Simulator.start(settings={**SETTINGS, "latency": latency}, tls=tls, max_seconds=MAX_SECONDS)
        self.simulator.seed(surroundings(count))
        self._without_mailboxes = self.simulator.state()
        self.simulator.seed({"emails": self.mailboxes})
        domains = self.simulator.request("GET", "/domains").json()
        self._owners = {domain["domain"]: domain["id_user"] for domain in domains}
        self._is_as_wanted = True
        self._before = self._traffic()

    @property
    def url(self) -> str:
        """Its address, without a path."""
        return self.simulator.url

    def with_owners(self, mailboxes: list[Mailbox]) -> list[Mailbox]:
        """Return the mailboxes with `id_user`, which a request that creates one needs."""
        return [{**mailbox, "id_user": self._owners[mailbox["email"].rpartition("@")[2]]} for mailbox in mailboxes]

    def prepare(self, start: Start) -> None:
        """Put it into its state before a run, list once, so that what does not change is rendered, and start counting."""
        if start is Start.NEW or not self._is_as_wanted:
            self.simulator.set_state(self._without_mailboxes)
            if start is not Start.NEW:
                self.simulator.seed({"emails": self.mailboxes})
        self.simulator.seed({"emails": outdated(self.mailboxes, start)})
        self.simulator.request("GET", "/emails")
        self.simulator.clear_log()
        self._is_as_wanted = start is Start.UNCHANGED
        self._before = self._traffic()

    def traffic(self) -> Traffic:
        """Return what reached it since `prepare`."""
        now, before = self._traffic(), self._before
        requests = {name: count - before.requests.get(name, 0) for name, count in now.requests.items()}
        return Traffic(
            {name: count for name, count in sorted(requests.items()) if count}, now.connections - before.connections
        )

    def mistake(self) -> str:
        """Return what is not as wanted, or an empty text."""
        wrong = differences(self.mailboxes, self.simulator.request("GET", "/emails").json())
        self._is_as_wanted = not wrong
        return f"{len(wrong)} mailboxes are not as wanted, first {wrong[0]}" if wrong else ""

    def stop(self) -> None:
        """End it."""
        self.simulator.stop()

    def _traffic(self) -> Traffic:
        counters = self.simulator.counters()
        return Traffic(dict(counters["by_method"]), int(counters["connections"]))

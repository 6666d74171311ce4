"""The simulated panels that are measured, and what is wanted of them.

They have HTTPS, since no real panel is without.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tests.support import pem
from tests.support.fleet import draw_usernames, make_panel_seed
from tests.support.simulator import FILES, Simulator

SETTINGS = {"status_delay": 0, "keep_alive_seconds": 7200}
MAX_SECONDS = 7200
DOMAIN_SIZE = 100
CLIENTS_OF_A_REPORT = 50
NOW = datetime.datetime(2026, 11, 20, 6, tzinfo=datetime.UTC)


def make_wanted_mailboxes(count: int) -> list[dict[str, Any]]:
    """Return so many mailboxes, a hundred in each domain."""
    return [
        {
            "email": f"box{number:05}@site{number // DOMAIN_SIZE:04}.example",
            "description": f"Mailbox number {number}",
            "max_size": 2**30 * (1 + number % 5),
        }
        for number in range(count)
    ]


class Panels:
    """Started when they are first needed; `tls` is the file of their certificate."""

    def __init__(self, folder: Path) -> None:
        """Make the certificate below the folder."""
        command = [sys.executable, "-m", "panel_simulator.self_signed"]
        command += ["--name", "127.0.0.1", "--directory", str(folder)]
        subprocess.run(
            command,
            env={**os.environ, "PYTHONPATH": str(FILES)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        self.tls = folder / "certificate.pem"
        self._key = folder / "private_key.pem"
        self._stack = contextlib.ExitStack()
        self._filled: dict[tuple[int, int], tuple[Simulator, Any, Any]] = {}
        self._fleet: list[Simulator] = []

    def prepare_mailboxes(self, count: int, *, new: bool, latency: int) -> Simulator:
        """Return a panel that has so many mailboxes, or only their domains."""
        if (count, latency) not in self._filled:
            self._filled[count, latency] = self._fill(count, latency)

        panel, empty, full = self._filled[count, latency]
        if new:
            panel.set_state(empty)
        elif len(panel.request("GET", "/emails").json()) != count:
            panel.set_state(full)

        panel.clear_log()
        return panel

    def _fill(self, count: int, latency: int) -> tuple[Simulator, Any, Any]:
        """Start a panel; return it with its states before and after the mailboxes."""
        panel = self._start_panel(latency)
        clients = []
        domains = []

        for number in range(-(-count // DOMAIN_SIZE)):
            name = f"client{number:04}"
            clients.append({"username": name})
            domains.append({"domain": f"site{number:04}.example", "client": name})

        panel.seed({"clients": clients, "domains": domains})
        empty = panel.get_state()
        panel.seed({"emails": make_wanted_mailboxes(count)})
        return panel, empty, panel.get_state()

    def start_fleet(self, count: int) -> list[Simulator]:
        """Return so many panels with clients, as a report reads them."""
        for number in range(len(self._fleet), count):
            panel = self._start_panel(0)
            chance = random.Random(number)
            names = [f"{name}-{number:03}" for name in draw_usernames(chance)[:CLIENTS_OF_A_REPORT]]
            panel.seed(make_panel_seed(chance, names, NOW, pem.make_texts()))
            self._fleet.append(panel)

        return self._fleet[:count]

    def stop(self) -> None:
        """End all of them."""
        self._stack.close()

    def _start_panel(self, latency: int) -> Simulator:
        tls = (str(self.tls), str(self._key))
        panel = Simulator.start(
            settings={**SETTINGS, "latency": latency}, tls=tls, max_seconds=MAX_SECONDS
        )
        self._stack.callback(panel.stop)
        return panel


def count_requests(panel: Simulator) -> Counter[str]:
    """Return how many requests reached a panel, by method."""
    return Counter(panel.get_counters()["by_method"])


def describe_missing(panel: Simulator, count: int) -> str:
    """Return what is not as wanted, or an empty text."""
    actual = {_read_identity(mailbox) for mailbox in panel.request("GET", "/emails").json()}
    differing = {_read_identity(mailbox) for mailbox in make_wanted_mailboxes(count)} ^ actual
    if not differing:
        return ""

    return f"{len(differing)} mailboxes are not as wanted"


def _read_identity(mailbox: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(mailbox[name] for name in ("email", "description", "max_size"))

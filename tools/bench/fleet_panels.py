# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of a fleet: simulators in processes of their own, each with as many clients, and what reached them."""

from __future__ import annotations

import contextlib
import datetime
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from tests.support import pem
from tests.support.fleet import CLIENTS, panel_seed, usernames
from tests.support.simulator import Simulator
from tools.bench.certificate import Certificate
from tools.bench.panels import MAX_SECONDS, SETTINGS

STARTED_AT_ONCE = 4


@contextlib.contextmanager
def fleet_panels(
    count: int, clients: int, now: datetime.datetime, certificate: Certificate
) -> Iterator[list[Simulator]]:
    """So many panels with so many clients each, no name on two of them; stopped afterwards."""
    tls = (str(certificate.file), str(certificate.key))
    texts = pem.texts()
    assert clients <= CLIENTS

    def started(number: int) -> Simulator:
        simulator = Simulator.start(settings=SETTINGS, tls=tls, max_seconds=MAX_SECONDS)
        running.callback(simulator.stop)
        chance = random.Random(number)
        names = [f"{name}-{number:03}" for name in usernames(chance)[:clients]]
        simulator.seed(panel_seed(chance, names, now, texts))
        return simulator

    with contextlib.ExitStack() as running, ThreadPoolExecutor(STARTED_AT_ONCE) as pool:
        yield list(pool.map(started, range(count)))


def requests_of(panels: Sequence[Simulator]) -> Counter[str]:
    """How many requests have reached the panels, by method."""
    found: Counter[str] = Counter()
    for panel in panels:
        found.update(panel.counters()["by_method"])
    return found

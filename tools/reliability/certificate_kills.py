"""The role certificate, killed at random points of what it says to an authority and to the panel, and run again.

Three certificates for six names in three zones, one of them a wildcard, are ordered from Pebble, which asks the name server of the panel. The
requests to the authority and to the panel of such a run are cut into twenty parts. In each part the run is killed at a random request, with
everything that it has started, as when a machine loses its power; every other time it is the playbook. The next run then has to end well:
with the three certificates on the panel and in use, whose chains lead to the authority's root and whose keys are theirs, and with no challenge
record in any zone. One more run asks the authority for nothing and writes nothing.
"""

from __future__ import annotations

import contextlib
import random
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.integration.roles.orderers import ACME, BETA, PLAYS, SHOP, Orderer, names_of
from tests.support.killing import end_workers, kill_with_children, start_playbook
from tests.support.pebble import Pebble, pebble
from tests.support.playbook import IN_PROCESS
from tests.support.simulator import Simulator
from tools.reliability.figures import DOUBLED, LOST, WRONG, Problem, Row, Size, Tried, row_of
from tools.reliability.places import in_places

LANES = 2
PARTS = 20
# How often each part is tried.
ROUNDS = 2
# The parts that the slice takes: with records in the zones, and with certificates that are not uploaded.
SLICE = (9, 15)
ITEMS = [ACME, BETA, SHOP]
WANTED = {
    "acme": ["*.acme.example", "acme.example"],
    "Web of Müller": ["www.xn--mller-kva.example", "xn--mller-kva.example"],
    "shop": ["other.example", "shop.acme.example"],
}
USED = {
    "acme.example": "acme",
    "shop.acme.example": "acme",
    "xn--mller-kva.example": "Web of Müller",
    "other.example": "shop",
}
PLAYBOOK = "hosting.panel.certificates"
LONGEST_RUN = 120.0


@dataclass
class Lane:
    """A panel and an authority, and how many requests to both a run is."""

    simulator: Simulator
    authority: Pebble
    folder: Path
    requests: int = 0


def run(size: Size) -> list[Row]:
    """One row."""
    begin = time.monotonic()
    parts, rounds = (SLICE, 1) if size is Size.SLICE else (range(PARTS), ROUNDS)
    points = [(part, turn, bool((number + turn) % 2)) for turn in range(rounds) for number, part in enumerate(parts)]
    with contextlib.ExitStack() as stack:
        lanes = [stack.enter_context(_lane()) for _number in range(LANES)]
        cases = in_places(lanes, points, _killed)
    what = f"killed at random requests in {len(parts)} parts of a run, and run again"
    return [row_of("certificate kills", what, cases, begin)]


@contextlib.contextmanager
def _lane() -> Iterator[Lane]:
    with (
        tempfile.TemporaryDirectory(prefix="certificate-kills-") as name,
        Simulator.start(settings={"status_delay": 0.0}, dns=True) as simulator,
        pebble(simulator.dns_port, Path(name, "pebble")) as authority,
    ):
        orderer = Orderer(Path(name, "undisturbed"), simulator, authority)
        before = orderer.steps()
        ended = orderer.order(items=ITEMS)
        if ended.code:
            raise RuntimeError(f"The role fails without being killed: {ended.said}")
        yield Lane(simulator, authority, Path(name), orderer.steps() - before)


def _killed(lane: Lane, point: tuple[int, int, bool]) -> Tried:
    """Kills a run in this part, the first, second or a later time, of the playbook or of the role."""
    part, turn, is_playbook = point
    name = f"{PLAYBOOK if is_playbook else 'role certificate'}, part {part} of {PARTS}, turn {turn}"
    orderer = Orderer(lane.folder / name, lane.simulator, lane.authority)
    chance = random.Random(part + PARTS * turn).random()
    _kill(orderer, PLAYBOOK if is_playbook else PLAYS, int((part + chance) / PARTS * lane.requests))
    return Tried(name, True, list(_problems(orderer)))


def _kill(orderer: Orderer, playbook: str | list[dict[str, Any]], requests: int) -> None:
    words, environment = orderer.started(ITEMS, playbook)
    begin, deadline = orderer.steps(), time.monotonic() + LONGEST_RUN
    process = start_playbook(words, orderer.folder, IN_PROCESS, environment)
    try:
        while orderer.steps() - begin < requests and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
    finally:
        kill_with_children(process)
        end_workers(orderer.folder)


def _problems(orderer: Orderer) -> Iterator[Problem]:
    """What is wrong after the next run and one more."""
    kept = set(orderer.state.get("certificates", {})) if orderer.state_file.exists() else set()
    orders = orderer.orders()
    ended = orderer.order(items=ITEMS)
    if ended.code:
        yield LOST, f"the next run fails: {ended.said}"
        return
    if orderer.challenges() or orderer.state.get("challenges"):
        yield WRONG, "challenge records are left on the panel, or in the state file"
    if orderer.orders() - orders != len(ITEMS) - len(kept):
        yield DOUBLED, f"{orderer.orders() - orders} orders, while {len(kept)} of {len(ITEMS)} certificates were kept"
    if {name: names_of(one) for name, one in orderer.certificates().items()} != WANTED or orderer.used_by() != USED:
        yield LOST, "certificates are not on the panel, or not used"
    asked = orderer.asked()
    again = orderer.order(items=ITEMS)
    if again.code or again.writes or orderer.asked() != asked:
        yield WRONG, f"one more run fails, writes or asks the authority: {again.said}"

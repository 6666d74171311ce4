"""Another writer changes a zone while a task changes it, at random moments: nothing of either side is lost, or the task fails and says so.

The panel replaces a zone as a whole and knows no versions. The task adds, sets or removes records, through `panel_dns` or `panel_resources`;
the other writer adds and removes others: once or several times between the reads, between a write that was lost and its repeat, on top of a
write whose answer was lost, after the write and before it is verified. One moment is left: the time of a single request between the last read
and the write. No client can see a change in it; that it is overwritten there is counted below the table.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._dns.managing import dns_operation
from tests.support.bulk import run_on
from tests.support.operations import simulator_with
from tests.support.simulator import Simulator
from tools.reliability.figures import LOST, Row, Size, Tried, row_of

TRIES = {Size.SLICE: 32, Size.FULL: 200}
BLIND_TRIES = {Size.SLICE: 4, Size.FULL: 20}
RANDOM_SEED = 20260731
DOMAIN = "acme.example"
SEED = {"clients": [{"username": "acme"}], "domains": [{"domain": DOMAIN, "client": "acme"}]}
# More often in a row than a task starts over.
MOST_CHANGES = 6
VALUES = [
    ("A", "192.0.2.1"),
    ("AAAA", "2001:db8::1"),
    ("TXT", "text {}"),
    ("CNAME", "www"),
    ("MX", "10 mail{}.elsewhere.example."),
]
BLIND = "between the last read and the write"

Record = dict[str, Any]
Records = Counter[tuple[str, str, int, str]]
Fault = dict[str, Any]
# What becomes of the task's own requests, and where the other writer comes in.
_BETWEEN = [{"method": "GET", "skip": 2, "when": "before"}]
MOMENTS: Mapping[str, tuple[list[Fault], list[Fault]]] = {
    "between reads": ([], [{"method": "GET", "skip": skip, "when": "before"} for skip in range(1, MOST_CHANGES + 1)]),
    "after the first read": ([], [{"method": "GET", "when": "after"}]),
    "before a write is repeated": ([{"kind": "status", "status": 503, "method": "PUT", "when": "before"}], _BETWEEN),
    "on top of a write whose answer was lost": ([{"kind": "reset", "method": "PUT", "when": "after"}], _BETWEEN),
    "after the write": ([], [{"method": "PUT", "when": "after"}]),
    BLIND: ([], [{"method": "PUT", "when": "before"}]),
}


@dataclass(frozen=True)
class Race:
    """One task and what the other writer does meanwhile. added, removed: what the task asks for. faults: the other writer's are `mutate_dns`."""

    moment: str
    is_bulk: bool
    zone: list[Record]
    options: Mapping[str, Any]
    added: list[Record]
    removed: list[Record]
    faults: list[Fault]


class Dice:
    """Random tasks and changes; no two records are alike."""

    def __init__(self) -> None:
        self.random, self.used = random.Random(RANDOM_SEED), 0

    def record(self) -> Record:
        self.used += 1
        kind, value = self.random.choice(VALUES)
        ttl = self.random.choice((60, 300, 3600))
        return {"host": f"host-{self.used}", "type": kind, "ttl": ttl, "value": value.format(self.used)}

    def records(self, most: int = 3) -> list[Record]:
        return [self.record() for _number in range(self.random.randint(1, most))]

    def race(self, moment: str) -> Race:
        zone = [self.record() for _number in range(self.random.randint(14, 24))]
        named, others = zone[:4], zone[4:]
        options, added, removed = self._task(named)
        own, places = MOMENTS[moment]
        if len(places) > 1:
            places = places[: self.random.randint(1, len(places))]
        theirs = [{"kind": "mutate_dns", "path": "^/dns/", **place, **self._foreign(others)} for place in places]
        return Race(moment, self.random.random() < 0.5, zone, options, added, removed, [*own, *theirs])

    def _task(self, named: list[Record]) -> tuple[dict[str, Any], list[Record], list[Record]]:
        """(options, what they add, what they remove)."""
        action = self.random.choice(("append", "set", "absent"))
        if action == "append":
            added = self.records()
            return {"records": added, "append": True}, added, []
        if action == "absent":
            removed = named[: self.random.randint(1, 3)]
            return {"records": removed, "state": "absent"}, [], removed
        new = [{**named[0], "ttl": named[0]["ttl"] + 1}, *self.records(2)]
        return {"records": new}, new, named[:1]

    def _foreign(self, removable: list[Record]) -> Fault:
        """A change of records that no task names; what is removed is taken out of ``removable``."""
        added = self.records() if self.random.random() < 0.8 or not removable else []
        removes = removable and (not added or self.random.random() < 0.4)
        return {"add": added, "remove": [removable.pop()] if removes else []}


def run(size: Size) -> list[Row]:
    """One row."""
    begin = time.monotonic()
    dice = Dice()
    seen = [moment for moment in MOMENTS if moment != BLIND]
    races = [dice.race(dice.random.choice(seen)) for _number in range(TRIES[size])]
    blind = [dice.race(BLIND) for _number in range(BLIND_TRIES[size])]
    with simulator_with({"status_delay": 0.0}, SEED) as simulator:
        cases = [_raced(simulator, race) for race in races]
        overwritten = sum(bool(_raced(simulator, race).problems) for race in blind)
    what = f"another writer at {len(seen)} moments of a change of a zone, both modules"
    unseen = "inside the one request between the last read and the write, which no client can see"
    return [row_of("lost updates", what, cases, begin, f"{unseen}: {overwritten} of {len(blind)} overwritten")]


def _raced(simulator: Simulator, race: Race) -> Tried:
    simulator.reset()
    simulator.seed({"dns": [{"domain": DOMAIN, "records": race.zone}]})
    theirs = _zone(simulator)
    simulator.fault(race.faults)
    wanted = {"domain": DOMAIN, **race.options}
    operation = resources_operation() if race.is_bulk else dns_operation()
    result = run_on(simulator, operation, {"resources": {"dns": [wanted]}} if race.is_bulk else wanted, retry_time=8)
    # Changes that the task did not live to see.
    waiting = [str(_told(fault)) for fault in simulator.faults()]
    for fault in race.faults:
        if fault["kind"] == "mutate_dns" and str(_told(fault)) not in waiting:
            theirs = theirs + _records(fault["add"]) - _records(fault["remove"])
    both = theirs - _records(race.removed) + _records(race.added)
    name = f"{race.moment}, {'panel_resources' if race.is_bulk else 'panel_dns'}"
    problem = _problem(result, _zone(simulator), theirs, both)
    return Tried(name, not result.get("failed"), [(LOST, problem)] if problem else [])


def _problem(result: Mapping[str, Any], found: Records, theirs: Records, both: Records) -> str:
    """What is wrong with the zone that was found; theirs: as the other writer alone leaves it, both: as both do."""
    if not result.get("failed"):
        if found != both:
            return f"ended well, and lost {_lines(both - found)}, or kept {_lines(found - both)}"
        return "" if result["changed"] else "did its work, and says that nothing changed"
    if found not in (theirs, both):
        return f"failed, and lost {_lines(theirs - found)}, or kept {_lines(found - both)}: {result['msg']}"
    if found == both and "Nothing was written" in result["msg"]:
        return f"wrote, and says that it did not: {result['msg']}"
    return str(result["msg"]) if result["error"]["type"] == "Defect" else ""


def _told(fault: Mapping[str, Any]) -> list[Any]:
    return [sorted(_records(fault.get(name, ()))) for name in ("add", "remove")]


def _zone(simulator: Simulator) -> Records:
    (zone,) = simulator.state()["zones"].values()
    return _records(zone["other"])


def _records(records: Iterable[Mapping[str, Any]]) -> Records:
    return Counter((record["host"], record["type"], record["ttl"], record["value"]) for record in records)


def _lines(records: Records) -> str:
    return ", ".join(" ".join(map(str, record)) for record in records) or "nothing"

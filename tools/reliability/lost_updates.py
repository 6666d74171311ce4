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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.operations import simulator_with
from tests.support.playbook import Recording
from tests.support.simulator import Simulator
from tools.reliability.executing import execute, prepare
from tools.reliability.figures import Row, Size

TRIES = {Size.SLICE: 32, Size.FULL: 200}
BLIND_TRIES = {Size.SLICE: 4, Size.FULL: 20}
RANDOM_SEED = 20260731
DOMAIN = "acme.example"
SEED = {"clients": [{"username": "acme"}], "domains": [{"domain": DOMAIN, "client": "acme"}]}
MODULES = ("panel_dns", "panel_resources")
# More often in a row than a task starts over.
MOST_CHANGES = 6

Record = dict[str, Any]
Identity = tuple[str, str, int, str]


@dataclass(frozen=True)
class Foreign:
    """One change of the other writer, and where it comes in: ``fault`` without what it changes."""

    fault: Mapping[str, Any]
    added: Sequence[Record] = ()
    removed: Sequence[Record] = ()

    def as_fault(self) -> dict[str, Any]:
        """For the simulator."""
        return {
            "kind": "mutate_dns",
            "path": "^/dns/",
            **self.fault,
            "add": list(self.added),
            "remove": list(self.removed),
        }


@dataclass(frozen=True)
class Race:
    """One task and what the other writer does meanwhile. ours_added, ours_removed: what the task asks for."""

    moment: str
    module: str
    zone: Sequence[Record]
    options: Mapping[str, Any]
    ours_added: Sequence[Record]
    ours_removed: Sequence[Record]
    foreign: Sequence[Foreign]
    faults: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class Verdict:
    """How a race ended."""

    race: Race
    outcome: str
    problem: str = ""
    overwritten: bool = False


@dataclass
class _Dice:
    """Random tasks and changes; no two records are alike."""

    random: random.Random
    used: int = 0
    zone: list[Record] = field(default_factory=list)

    def record(self) -> Record:
        self.used += 1
        number, kind = self.used, self.random.choice(("A", "AAAA", "TXT", "CNAME", "MX"))
        value = {
            "A": f"192.0.2.{number % 250 + 1}",
            "AAAA": f"2001:db8::{number:x}",
            "TXT": f"text {number}",
            "CNAME": "www",
            "MX": f"10 mail{number}.elsewhere.example.",
        }[kind]
        return {"host": f"host-{number}", "type": kind, "ttl": self.random.choice((60, 300, 3600)), "value": value}

    def records(self, most: int) -> list[Record]:
        return [self.record() for _number in range(self.random.randint(1, most))]

    def foreign(self, fault: Mapping[str, Any], removable: list[Record]) -> Foreign:
        """A change of records that no task names; what is removed is taken out of ``removable``."""
        added = self.records(3) if self.random.random() < 0.8 or not removable else []
        removed = [
            removable.pop() for _number in range(1 if not added or self.random.random() < 0.4 else 0) if removable
        ]
        return Foreign(fault, added, removed)


def _race(dice: _Dice, blind: bool = False) -> Race:
    zone = [dice.record() for _number in range(dice.random.randint(14, 24))]
    named, others = zone[:4], zone[4:]
    options, added, removed = _task(dice, named)
    moment = "between the last read and the write" if blind else dice.random.choice(list(_MOMENTS))
    faults, foreign = _BLIND(dice, others) if blind else _MOMENTS[moment](dice, others)
    module = dice.random.choice(MODULES)
    wanted = {"domain": DOMAIN, **options}
    if module == "panel_resources":
        wanted = {"resources": {"dns": [wanted]}}
    return Race(moment, module, zone, wanted, added, removed, foreign, faults)


def _task(dice: _Dice, named: Sequence[Record]) -> tuple[dict[str, Any], list[Record], list[Record]]:
    """(options, what they add, what they remove)."""
    action = dice.random.choice(("append", "set", "absent"))
    if action == "append":
        added = dice.records(3)
        return {"records": added, "append": True}, added, []
    if action == "absent":
        removed = list(named[: dice.random.randint(1, 3)])
        return {"records": removed, "state": "absent"}, [], removed
    old = named[0]
    new = {**old, "ttl": old["ttl"] + 1}
    added = dice.records(2)
    return {"records": [new, *added]}, [new, *added], [old]


# The moments. Each gives other faults, and the changes of the other writer.

Moment = tuple[list[Mapping[str, Any]], list[Foreign]]


def _between_reads(dice: _Dice, others: list[Record]) -> Moment:
    times = dice.random.randint(1, MOST_CHANGES)
    return [], [
        dice.foreign({"method": "GET", "skip": number, "when": "before"}, others) for number in range(1, times + 1)
    ]


def _after_the_first_read(dice: _Dice, others: list[Record]) -> Moment:
    return [], [dice.foreign({"method": "GET", "when": "after"}, others)]


def _before_a_repeat(dice: _Dice, others: list[Record]) -> Moment:
    reload = {"kind": "status", "status": 503, "method": "PUT", "when": "before"}
    return [reload], [dice.foreign({"method": "GET", "skip": 2, "when": "before"}, others)]


def _on_a_lost_write(dice: _Dice, others: list[Record]) -> Moment:
    lost = {"kind": "reset", "method": "PUT", "when": "after"}
    return [lost], [dice.foreign({"method": "GET", "skip": 2, "when": "before"}, others)]


def _after_the_write(dice: _Dice, others: list[Record]) -> Moment:
    return [], [dice.foreign({"method": "PUT", "when": "after"}, others)]


def _BLIND(dice: _Dice, _others: list[Record]) -> Moment:  # noqa: N802
    return [], [Foreign({"method": "PUT", "when": "before"}, dice.records(2))]


_MOMENTS = {
    "between reads": _between_reads,
    "after the first read": _after_the_first_read,
    "before a write is repeated": _before_a_repeat,
    "on top of a write whose answer was lost": _on_a_lost_write,
    "after the write": _after_the_write,
}


def run(size: Size) -> list[Row]:
    """One row."""
    begin = time.monotonic()
    dice = _Dice(random.Random(RANDOM_SEED))
    races = [_race(dice) for _number in range(TRIES[size])]
    races += [_race(dice, blind=True) for _number in range(BLIND_TRIES[size])]
    with simulator_with({"status_delay": 0.0}, SEED) as simulator:
        verdicts = [_run_race(simulator, race) for race in races]
    seen, blind = verdicts[: TRIES[size]], verdicts[TRIES[size] :]
    broken = [verdict for verdict in seen if verdict.problem]
    overwritten = sum(1 for verdict in blind if verdict.overwritten)
    row = Row(
        experiment="lost updates",
        what=f"another writer at {len(_MOMENTS)} moments of a change of a zone, both modules",
        tried=len(seen),
        survived=sum(1 for verdict in seen if not verdict.problem and verdict.outcome == "ok"),
        failed_loudly=sum(1 for verdict in seen if not verdict.problem and verdict.outcome != "ok"),
        lost=len(broken),
        seconds=time.monotonic() - begin,
        remark=f"inside the one request between the last read and the write, which no client can see: {overwritten} of {len(blind)} overwritten",
        wrong=[f"{verdict.race.moment}, {verdict.race.module}: {verdict.problem}" for verdict in broken],
    )
    return [row]


def _run_race(simulator: Simulator, race: Race) -> Verdict:
    faults = [*map(dict, race.faults), *(foreign.as_fault() for foreign in race.foreign)]
    prepare(simulator, [{"dns": [{"domain": DOMAIN, "records": list(race.zone)}]}], faults)
    begun = _identities(_zone_of(simulator.state()))
    recording = execute(simulator, race.moment, race.module, {**race.options, "retry_time": 8})
    # Changes that the task did not live to see.
    waiting = {
        _text(fault["add"]) + _text(fault["remove"]) for fault in simulator.faults() if fault["kind"] == "mutate_dns"
    }
    struck = [one for one in race.foreign if _text(one.added) + _text(one.removed) not in waiting]
    return _judged(race, begun, struck, recording)


def _text(records: Iterable[Mapping[str, Any]]) -> str:
    return str(sorted((record["host"], record["type"], record["value"]) for record in records))


def _judged(race: Race, begun: Counter[Identity], struck: Sequence[Foreign], recording: Recording) -> Verdict:
    theirs = begun.copy()
    for foreign in struck:
        theirs += _identities(foreign.added)
        theirs -= _identities(foreign.removed)
    both = theirs - _identities(race.ours_removed) + _identities(race.ours_added)
    found = _identities(_zone_of(recording.observed[0]))
    overwritten = bool(theirs - _identities(race.ours_removed) - found)
    problem = ""
    if recording.outcome == "ok":
        if found != both:
            problem = f"ended well, and lost {_lines(both - found)}, or kept {_lines(found - both)}"
        elif not recording.changed:
            problem = "did its work, and says that nothing changed"
    elif found not in (theirs, both):
        problem = f"failed, and lost {_lines(theirs - found)}, or kept {_lines(found - both)}: {recording.msg}"
    elif found == both and "Nothing was written" in recording.msg:
        problem = f"wrote, and says that it did not: {recording.msg}"
    elif recording.result["error"]["type"] == "Defect":
        problem = recording.msg
    return Verdict(race, recording.outcome, problem, overwritten)


def _zone_of(state: Mapping[str, Any]) -> list[Record]:
    (zone,) = state["zones"].values()
    records: list[Record] = zone["other"]
    return records


def _identities(records: Iterable[Mapping[str, Any]]) -> Counter[Identity]:
    return Counter((record["host"], record["type"], record["ttl"], record["value"]) for record in records)


def _lines(records: Counter[Identity]) -> str:
    return ", ".join(" ".join(map(str, record)) for record in records) or "nothing"

"""What can go wrong with a request, as faults of the simulator, and whether a task has to come through it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

WRITES = ["POST", "PUT", "DELETE"]
BEFORE, AFTER = "before", "after"
PATIENT, IMPATIENT = 12, 1
"""Seconds of retry_time: enough for one fault, and too few for one that lasts."""
SLOW_TIMEOUT = 1
SLOW_SECONDS = 1.6
"""An answer that comes, or has its effect, when nobody waits for it any more."""
AWAY_SECONDS = 0.7
FOR_EVER = 0


@dataclass(frozen=True)
class Strike:
    """What is done to the requests of one task.

    faults: as the simulator takes them; what strikes the reads before the first write, or comes after them, counts these by ``skip`` and
    is filled in by ``aimed``. survives: the task has to end as if nothing had happened. has_effect: the write that is struck takes effect.
    is_lasting: it strikes every repeat too.
    """

    name: str
    faults: tuple[Mapping[str, Any], ...]
    survives: bool = False
    has_effect: bool = False
    timeout: int = 30
    is_lasting: bool = False

    @property
    def retry_time(self) -> int:
        """For the task."""
        return IMPATIENT if self.is_lasting else PATIENT

    def aimed(self, reads: int) -> list[dict[str, Any]]:
        """The faults for a task that reads so often before its first write."""
        return [_aimed(dict(fault), reads) for fault in self.faults]

    def lasting(self) -> Strike:
        """The same for ever."""
        faults = tuple({**fault, "times": FOR_EVER} for fault in self.faults)
        return replace(self, name=f"{self.name}, for ever", faults=faults, survives=False, is_lasting=True)


def _aimed(fault: dict[str, Any], reads: int) -> dict[str, Any]:
    after = fault.pop("after_reads", None)
    return fault if after is None else {**fault, "skip": reads + after}


@dataclass(frozen=True)
class _Kind:
    """One kind of fault. survives: whether a task comes through it; at_reads: whether a read is repeated after it.

    whens: before or after the effect of a write; a panel that says that it did what it did not do is none of its faults.
    """

    name: str
    members: Mapping[str, Any]
    survives: bool
    at_reads: bool
    timeout: int = 30
    whens: tuple[str, ...] = (BEFORE, AFTER)


def _status(status: int, body: str = "html", **headers: str) -> dict[str, Any]:
    return {"kind": "status", "status": status, "body": body, "headers": headers}


# A truncated or HTML answer, and an error in the panel's own words, may fail a write whose outcome cannot be told (contract of the modules);
# a slow one may fail where sending it again could make two objects.
_KINDS = (
    _Kind("refused connection", {"kind": "refuse", "seconds": AWAY_SECONDS}, True, True),
    _Kind("reset", {"kind": "reset"}, True, True),
    _Kind("429 with Retry-After", _status(429, "json", **{"Retry-After": "1"}), True, True, whens=(BEFORE,)),
    _Kind("500 with HTML", _status(500), True, True),
    _Kind("503 with HTML", _status(503), True, True),
    _Kind("504 with HTML", _status(504), False, True),
    _Kind("500 with JSON", _status(500, "json"), False, True),
    _Kind("answer slower than the timeout", {"kind": "slow", "seconds": SLOW_SECONDS}, False, True, SLOW_TIMEOUT),
    _Kind("truncated JSON", {"kind": "truncate"}, False, True),
    _Kind("wrong content type", {"kind": "wrong_type"}, True, True, whens=(AFTER,)),
    _Kind("HTML with 200", {"kind": "html_200"}, False, False),
    _Kind("JSON without its members", {"kind": "body", "body": {}}, False, False, whens=(AFTER,)),
    _Kind("redirect to another host", {"kind": "redirect"}, False, False),
)
_AT_READS_ONLY = (
    _Kind("404 with HTML", _status(404), False, False),
    _Kind("400 with JSON", _status(400, "json"), False, False),
    _Kind("null", {"kind": "body", "body": None}, False, False),
    _Kind("204 without a body", {"kind": "body", "body": None, "status": 204}, False, False),
)


def _members_of(name: str) -> Mapping[str, Any]:
    return next(kind.members for kind in (*_KINDS, *_AT_READS_ONLY) if kind.name == name)


def strikes_at_writes() -> Iterator[Strike]:
    """Everything that may happen to a write, once."""
    for kind in _KINDS:
        for when in kind.whens:
            fault = {**kind.members, "method": WRITES, "when": when}
            # What is slow has its effect in any case, before the pause or after it.
            has_effect = when == AFTER or kind.members["kind"] == "slow"
            survives = kind.survives or (kind.members["kind"] == "slow" and when == AFTER)
            yield Strike(f"{kind.name} {when} the effect", (fault,), survives, has_effect, kind.timeout)
    away = {
        "kind": "refuse",
        "answered": True,
        "seconds": AWAY_SECONDS,
        "method": "GET",
        "when": AFTER,
        "after_reads": -1,
    }
    yield Strike("connection refused before it is sent", (away,), survives=True)


def lasting_strikes() -> Iterator[Strike]:
    """The same for ever, and what comes on top of a write that was struck once."""
    for strike in strikes_at_writes():
        if strike.faults[0]["kind"] == "refuse":
            faults = tuple({**fault, "seconds": IMPATIENT + 1.5} for fault in strike.faults)
            yield replace(strike, name=f"{strike.name}, for ever", faults=faults, survives=False, is_lasting=True)
        else:
            yield strike.lasting()


def strikes_at_looks() -> Iterator[Strike]:
    """A lost write, and then no way to tell what became of it."""
    for lost, when in (("reset", BEFORE), ("reset", AFTER), ("JSON without its members", AFTER)):
        for kind in ("503 with HTML", "HTML with 200", "404 with HTML", "null"):
            write = {**_members_of(lost), "method": WRITES, "when": when}
            blind = {**_members_of(kind), "method": "GET", "times": FOR_EVER, "after_reads": 0}
            name = f"{lost} {when} the effect, then {kind} to every look"
            yield Strike(name, (write, blind), has_effect=when == AFTER, is_lasting=True)


def strikes_at_regeneration() -> Iterator[Strike]:
    """A lost creation, and then a password that is lost again."""
    lost = {"kind": "reset", "method": "POST", "when": AFTER}
    again = {"kind": "reset", "method": "PUT", "when": AFTER}
    yield Strike("reset after the effect, and again with the new password", (lost, again), False, True)
    failing = {**_members_of("503 with HTML"), "method": "PUT", "when": AFTER, "times": FOR_EVER}
    yield Strike(
        "reset after the effect, then 503 to the new password", (lost, failing), has_effect=True, is_lasting=True
    )


def strikes_at_read(number: int) -> Iterator[Strike]:
    """Everything that may happen to one read, counted from 0, once, and for ever where it is repeated."""
    for kind in (*_KINDS, *_AT_READS_ONLY):
        fault = {**kind.members, "method": "GET", "skip": number}
        once = Strike(f"read {number + 1}: {kind.name}", (fault,), survives=kind.at_reads, timeout=kind.timeout)
        yield once
        if not kind.at_reads:
            continue
        if kind.members["kind"] == "refuse":
            fault["seconds"] = IMPATIENT + 1.5
            yield replace(once, name=f"{once.name}, for ever", faults=(fault,), survives=False, is_lasting=True)
        else:
            yield once.lasting()

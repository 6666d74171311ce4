# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is measured: rows, each one way of doing one job, in experiments whose rows are measured side by side."""

from __future__ import annotations

from dataclasses import dataclass, field

from tools.bench.mailboxes import Start
from tools.bench.ways import Way


@dataclass(frozen=True)
class Row:
    """One way of doing one job."""

    name: str
    """Unique in its experiment; goals use it."""
    way: Way
    count: int = 0
    """Mailboxes, on each panel."""
    start: Start = Start.UNCHANGED
    panels: int = 1
    forks: int = 5
    concurrency: int = 4
    passwords: bool = False
    owners: bool = False
    """Whether items carry id_user."""
    return_unchanged: bool = False
    pipelining: bool = False
    """Whether Ansible is told to hand modules to Python through its input, which is off by default."""
    rounds: int | None = None
    """How many rounds are kept, where it is fewer than usual because one takes long."""
    is_in_first_round: bool = True
    """Whether it takes part in the round that is thrown away, which is also the one that watches the memory."""

    @property
    def variables(self) -> str:
        """A name for the variables that it needs."""
        return f"{self.count}{'-passwords' * self.passwords}{'-owners' * self.owners}"

    def expected(self) -> dict[str, int]:
        """Return the requests by method that it must send to all of its panels together."""
        return {name: count * self.panels for name, count in self.way.requests(self.count, self.start).items()}


@dataclass(frozen=True)
class Experiment:
    """Rows that are measured in turns: A B C A B C."""

    name: str
    title: str
    rows: tuple[Row, ...]
    rounds: int
    """How many are kept; one more comes before them."""
    latency: float = 0.0
    """Milliseconds that the panel takes for each answer."""
    watches_memory: bool = False
    """Whether every round watches the memory, and times are of no interest."""


@dataclass(frozen=True)
class Sample:
    """What one run took. Seconds and bytes."""

    wall: float
    cpu: float
    connections: int
    memory: int | None = None
    result: int | None = None

    def value(self, metric: str) -> float | None:
        """Return the value of a metric, which is the name of a member."""
        number = getattr(self, metric)
        return None if number is None else float(number)


@dataclass
class Measured:
    """All runs of a row. Round 0 is the one that is thrown away."""

    row: Row
    samples: dict[int, Sample] = field(default_factory=dict)
    first: Sample | None = None
    requests: dict[str, int] = field(default_factory=dict)
    mistake: str = ""
    """Why the row is invalid."""

    def values(self, metric: str) -> dict[int, float]:
        """Return the values of a metric by round, none if the row is invalid."""
        if self.mistake:
            return {}
        found = {number: sample.value(metric) for number, sample in self.samples.items()}
        return {number: value for number, value in found.items() if value is not None}

    def memory(self) -> int | None:
        """Return the peak in bytes, of the first round that watched it."""
        for sample in (self.first, *self.samples.values()):
            if sample is not None and sample.memory is not None:
                return sample.memory
        return None

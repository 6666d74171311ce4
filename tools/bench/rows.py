"""What is measured and what it is compared with: the whole benchmark as two tables."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """One command.

    play: a file of plays/, or a playbook of the collection; without one it is the script.
    """

    play: str
    count: int
    """Mailboxes, or for a report its panels."""
    new: bool = False
    """Whether the panel lacks all of them; otherwise nothing is to be done."""
    in_process: bool = True
    concurrency: int = 4
    latency: int = 0
    """Milliseconds that the panel takes for an answer."""

    def count_requests(self) -> dict[str, int] | None:
        """Return what the command sends, by method: not one request more; None: not counted."""
        if self.play == "empty":
            return {}
        if self.play in ("report", "report script"):
            return None

        requests = {"GET": self._count_reads()}
        if self.new:
            requests["POST"] = self.count

        return requests

    def _count_reads(self) -> int:
        if self.play in ("loop", "uri"):
            return self.count
        if not self.new:
            return 1

        # A new mailbox belongs to the owner of its domain; a plan of changes also names the client.
        return 3 if self.play == "bulk" else 2


RUNS = {
    "empty": Run("empty", 100),
    "loop": Run("loop", 100),
    "uri loop": Run("uri", 20),
    "module": Run("loop", 1, in_process=False),
    "uri": Run("uri", 1),
    "empty 1,000": Run("empty", 1000),
    "bulk 1,000": Run("bulk", 1000),
    "script 1,000": Run("script", 1000),
    "empty 5,000": Run("empty", 5000),
    "bulk 5,000": Run("bulk", 5000),
    "script 5,000": Run("script", 5000),
    "one at once": Run("bulk", 200, new=True, concurrency=1, latency=100),
    "8 at once": Run("bulk", 200, new=True, concurrency=8, latency=100),
    **{
        f"{play} {count}": Run(play, count)
        for count in (1, 10, 100)
        for play in ("report", "report script")
    },
}


@dataclass(frozen=True)
class Comparison:
    """A line of the page: `(over - less) / (under - less_under)`, at most `goal`.

    All four are names of runs; the figures are those of the metric of a sample.
    """

    what: str
    metric: str
    over: str
    under: str = ""
    less: str = ""
    less_under: str = ""
    goal: float | None = None
    per_item: bool = False
    """Whether both sides are divided by their numbers of items."""
    unit: str = ""

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs that it needs."""
        names = (self.over, self.under, self.less, self.less_under)
        return tuple(name for name in names if name)


TIME = "wall"
INSTRUCTIONS = "instructions"
MODULE = "module"
LINES = "lines"
MEMORY = "memory"
COMPARISONS = (
    Comparison("1,000 unchanged mailboxes ÷ script", INSTRUCTIONS, "bulk 1,000", "script 1,000", "empty 1,000", goal=2.6),
    Comparison("1,000 unchanged mailboxes ÷ script", TIME, "bulk 1,000", "script 1,000", "empty 1,000", goal=1.5),
    Comparison("5,000 unchanged mailboxes ÷ script", TIME, "bulk 5,000", "script 5,000", "empty 5,000", goal=2.5),
    Comparison("200 new mailboxes at 100 ms: 8 at once ÷ one by one", TIME, "8 at once", "one at once", goal=0.2),
    Comparison("An item of a loop of `panel_email` ÷ of `uri`", TIME, "loop", "uri loop", "empty", "empty", 0.022, per_item=True),
    Comparison("The process of a module ÷ of `uri`", MODULE, "module", "uri", goal=1.2),
    Comparison("The controller's part of a module ÷ of `uri`", INSTRUCTIONS, "module", "uri", "empty", "empty", 2.0),
    Comparison("Lines of the collection that `panel_resources` loads", LINES, "bulk 1,000"),
    Comparison("Memory of an unchanged mailbox", MEMORY, "bulk 5,000", less="empty 5,000", goal=4608, per_item=True, unit=" bytes"),
    *(
        Comparison(f"Report of {count} panel{'s' * (count > 1)} ÷ script", TIME, f"report {count}", f"report script {count}", "empty", goal=goal)
        for count, goal in ((1, 1.1), (10, None), (100, 1.0))
    ),
)  # fmt: skip
QUICK = (
    *(row for row in COMPARISONS if not row.over.startswith("report")),
    *(row for row in COMPARISONS if row.over == "report 1"),
)


def compute_value(comparison: Comparison, figures: dict[str, float]) -> float | None:
    """Return what the comparison comes to, from a metric's figures by run.

    Returns: None if a figure is missing or there is nothing to divide by.
    """
    if any(name not in figures for name in comparison.runs):
        return None

    def compute_term(name: str, less: str) -> float:
        """Return the figure of a run without that of another one; 1 without a run."""
        if not name:
            return 1.0

        difference = figures[name] - figures.get(less, 0.0)
        if comparison.per_item:
            return difference / RUNS[name].count

        return difference

    over = compute_term(comparison.over, comparison.less)
    under = compute_term(comparison.under, comparison.less_under)
    if under <= 0:
        return None

    return over / under

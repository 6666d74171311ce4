"""Operations that a kill, a full disk, lost answers or other runs disturb: in the end all has to be as an undisturbed run leaves it.

Each case lays an operation out, runs and disturbs it, and runs it again until it ends well; a run that fails has to say what to do. Then panels
and files have to be as known, no run has printed a secret, and one more run has nothing to write.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.playbook import IN_PROCESS, MODULE
from tools.reliability.operations import LIST, PlayOperation, of_group
from tools.reliability.place import LONGEST_RUN, Ended, Known, Picture, Place, a_place

LOST, DOUBLED, LEAKED, WRONG = "lost", "doubled", "leaked", "wrong"
Problem = tuple[str, str]
"""One of these, and what was wrong: an object or a write that vanished or is there twice, a secret that was shown, another broken promise."""
HEADINGS = (
    "Tried",
    "Survived",
    "Failed and said so",
    "Lost",
    "Doubled",
    "Leaked",
    "Wrong in any way",
    "Seconds",
)
LANES, MOST_REPEATS = 3, 3
FEW, MANY = 8, 40
WRITING = {"method": ["POST", "PUT", "DELETE"]}
# As module, one of so many cases: what happens is the same, and it takes three times as long.
MODULE_ONE_OF = 8
FIRST_FILES, FILES_ONE_OF = (
    8,
    4,
)  # of the writes of one file: each of the first ones, then one of so many
# Files about what was done can only be written when it is done, and are written again by the next run.
AFTERWARDS = "hand-over"
# What a run says that left something, and what one says that met another one or lost an answer.
LEFT = "The next run removes them."
AGAIN = r"[Rr]un (it |the task )?again|[Ll]ook on|Plan again|Make and approve a new plan|there is nothing left to do"


class Tried(NamedTuple):
    """One case. ended_well: whether the task itself did, in spite of what was done to it."""

    name: str
    ended_well: bool
    problems: Sequence[Problem] = ()


class Row(NamedTuple):
    """What an experiment came to. numbers: by heading. wrong: a line for each case that broke a promise."""

    experiment: str
    what: str
    numbers: dict[str, int]
    wrong: list[str]


def row_of(experiment: str, what: str, cases: Sequence[Tried], seconds: float) -> Row:
    """The row of an experiment."""
    broken = [case for case in cases if case.problems]
    well = [case.ended_well for case in cases if not case.problems]
    kinds = [
        sum(kind in dict(case.problems) for case in broken) for kind in (LOST, DOUBLED, LEAKED)
    ]
    numbers = [len(cases), well.count(True), well.count(False), *kinds, len(broken), round(seconds)]
    wrong = [f"{case.name}: {'; '.join(text for _kind, text in case.problems)}" for case in broken]
    return Row(experiment, what, dict(zip(HEADINGS, numbers, strict=True)), wrong)


class Case(NamedTuple):
    """at: where the operation is disturbed, as a number or a size. number: of the case, which chooses among what is not tried at every point."""

    operation: PlayOperation
    point: str
    at: Any
    number: int
    hosts: int = 0

    @property
    def way(self) -> str:
        return MODULE if self.number % MODULE_ONE_OF == MODULE_ONE_OF - 1 else IN_PROCESS

    @property
    def forks(self) -> tuple[str, ...]:
        return ("--forks", str(self.hosts)) if self.hosts else ()


class Outcome(NamedTuple):
    """What the disturbed runs came to. says: what each that failed has to say, as an expression; empty: none may fail."""

    runs: list[Ended]
    says: str = ""
    problems: Sequence[Problem] = ()


def _killed(place: Place, case: Case) -> Outcome:
    """Whatever the run has started is killed when something stands still, as when a machine loses its power; every fourth time also the next run.

    That is the panel after a write, where what has arrived by then is done later or, every other time, never; or the process before a file.
    """
    problems: list[Problem] = []
    for number in (case.at, 1 + case.number % 3)[: 1 + (case.number % 4 == 1)]:
        is_write = case.point.startswith("write")
        if is_write:
            place.fault(
                {"kind": "stall", **WRITING, "skip": number - 1, "drops": case.number % 2 == 0}
            )
        hook = place.hooked() if is_write else place.hooked(PROOF_STALL_AT=str(number))
        process = place.start(case.operation, case.way, 0, (), hook, "output 0")
        deadline = time.monotonic() + LONGEST_RUN
        try:
            while (
                not (is_there := place.is_stalled())
                and process.poll() is None
                and time.monotonic() < deadline
            ):
                time.sleep(0.02)
        finally:
            place.end(process)
            place.clear_faults()
        place.a_day_passes()
        if not is_there and number == case.at:
            problems.append((WRONG, "the run ended before that"))
    return Outcome([], problems=problems)


def _without_an_answer(place: Place, case: Case) -> Outcome:
    place.fault(
        {"kind": "reset", **WRITING, "skip": case.at - 1, "when": case.point.partition(" ")[0]}
    )
    return Outcome(place.run(case.operation, case.way), AGAIN)


def _without_room(place: Place, case: Case) -> Outcome:
    """The process that opens the file may write so many bytes, as RLIMIT_FSIZE gives it."""
    file, room = case.at
    hook = place.hooked(PROOF_FULL=file.name, PROOF_BYTES=str(room))
    [ended] = place.run(case.operation, case.way, hook=hook)
    problems: list[Problem] = [] if ended.code else [(WRONG, "ended well without the file")]
    # The state of certificates is written before the orders, and is largest at the end.
    if (
        ended.writes
        and AFTERWARDS not in file.name
        and not (room and file.name == "certificates.yml")
    ):
        problems.append((WRONG, f"wrote to the panel {ended.writes} times first"))
    # An archive is written as a whole directory, whose name has the port of its panel.
    return Outcome(
        [ended], "archives/" if file.parts[0] == "archives" else re.escape(file.name), problems
    )


def _on_hosts(place: Place, case: Case) -> Outcome:
    runs = place.run(case.operation, case.way, case.hosts, case.forks)
    return Outcome(runs, AGAIN if case.operation.may_fail else "")


def _twice(place: Place, case: Case) -> Outcome:
    return Outcome(place.run(case.operation, case.way, times=2), AGAIN)


def _aloud(place: Place, case: Case) -> Outcome:
    """Nothing is disturbed, and everything that Ansible can print is printed."""
    runs = place.run(case.operation, case.way, 0, ("-vvvv", "--diff"))
    return Outcome(
        runs,
        problems=[(LEAKED, f"leaves {one}") for one in place.leaks(place.left(case.operation))],
    )


def _files(_operation: PlayOperation, known: Known) -> dict[str, int]:
    numbers = range(1, known.touched + 1)
    return {
        f"file {at}": at
        for at in numbers
        if at <= FIRST_FILES or at % FILES_ONE_OF == 0 or at == numbers[-1]
    }


def _rooms(_operation: PlayOperation, known: Known) -> dict[str, tuple[Path, int]]:
    empty = {f"{file}, no room": (file, 0) for file in known.sizes}
    return empty | {
        f"{file}, one byte short": (file, size - 1) for file, size in known.sizes.items()
    }


def _answers(_operation: PlayOperation, known: Known) -> dict[str, int]:
    return {f"{('before', 'after')[at % 2]} write {at}": at for at in range(1, known.writes + 1)}


class Experiment(NamedTuple):
    """group: of operations. points: by name, at which an operation is disturbed. latency: of the panel, in milliseconds."""

    group: str
    what: str
    points: Callable[[PlayOperation, Known], Mapping[str, Any]]
    disturb: Callable[[Place, Case], Outcome]
    latency: float = 0.0


EXPERIMENTS = {
    "kills, writes": Experiment(
        "alone",
        "killed after each write, and run again",
        lambda _operation, known: {f"write {at}": at for at in range(1, known.writes + 1)},
        _killed,
    ),
    "kills, files": Experiment("alone", "killed before each file, and run again", _files, _killed),
    "lost answers": Experiment(
        "alone", "each write without an answer", _answers, _without_an_answer
    ),
    "full disk": Experiment(
        "alone", "no room for each file, or one byte too little", _rooms, _without_room
    ),
    "hosts at once": Experiment(
        "shared",
        f"{FEW} and {MANY} hosts of one play",
        lambda _operation, _known: {f"{number} hosts": number for number in (FEW, MANY)},
        _on_hosts,
        50.0,
    ),
    "two runs": Experiment(
        "alone",
        "every role and playbook twice at once",
        lambda operation, _known: (
            {"2 runs": 2} if operation.name.startswith(("role ", "playbook ")) else {}
        ),
        _twice,
        50.0,
    ),
    "printed": Experiment(
        "alone",
        "every operation with -vvvv, and what it leaves",
        lambda _operation, _known: {"-vvvv": 4},
        _aloud,
    ),
}


def run(name: str, is_slice: bool) -> Row:
    """One experiment with all operations of its group, or what operations.yml names for `make push`."""
    begin = time.monotonic()
    experiment = EXPERIMENTS[name]
    chosen = LIST["slice"].get(name, {})
    operations = [one for one in of_group(experiment.group) if not is_slice or one.name in chosen]
    needs_authority = any(one.authority for one in operations)
    known: dict[tuple[str, int], Known] = {}
    own = threading.local()

    with ExitStack() as stack, ThreadPoolExecutor(LANES) as pool:

        def known_of(operation: PlayOperation, hosts: int = 0) -> Known:
            if not hasattr(own, "place"):
                own.place = stack.enter_context(a_place(needs_authority))
            if (operation.name, hosts) not in known:
                known[operation.name, hosts] = own.place.known(operation, hosts)
            return known[operation.name, hosts]

        def tried(case: Case) -> Tried:
            wanted = known_of(case.operation, case.hosts).picture
            own.place.lay_out(case.operation, latency=experiment.latency)
            outcome = experiment.disturb(own.place, case)
            own.place.clear_faults()
            problems = [*outcome.problems, *_judged(own.place, case, outcome, wanted)]
            name = f"{case.operation.name}, {case.point}, {case.way}"
            return Tried(name, not any(one.code for one in outcome.runs), problems)

        cases: list[Case] = []
        is_shared = experiment.group == "shared"
        every = [Known()] * len(operations) if is_shared else list(pool.map(known_of, operations))
        for operation, one in zip(operations, every, strict=True):
            for point, at in experiment.points(operation, one).items():
                if not is_slice or point in chosen[operation.name]:
                    cases.append(Case(operation, point, at, len(cases), at if is_shared else 0))
        found = list(pool.map(tried, cases))
    return row_of(name, experiment.what, found, time.monotonic() - begin)


def _judged(place: Place, case: Case, outcome: Outcome, wanted: Picture) -> Iterator[Problem]:
    """What is wrong with the runs, with what is there after as many more as it takes, and with one more."""
    for ended in outcome.runs:
        yield from ((LEAKED, f"printed {one}") for one in place.leaks(ended.text))
        if "Traceback" in ended.text:
            yield WRONG, "printed a traceback"
        if ended.code and not (
            outcome.says and re.search(outcome.says, " ".join(ended.text.split()))
        ):
            yield WRONG, f"fails without what to do: {ended.said}"
    is_complete = bool(outcome.runs) and not any(
        ended.code or LEFT in ended.text for ended in outcome.runs
    )
    for _repeat in range(MOST_REPEATS):
        if not is_complete:
            [ended] = place.run(case.operation, case.way, case.hosts, case.forks)
            is_complete = not ended.code
    if not is_complete:
        yield LOST, f"the next {MOST_REPEATS} runs fail: {ended.said}"
        return
    found = place.picture(case.operation)
    for kind, lines in ((LOST, wanted - found), (DOUBLED, found - wanted)):
        yield from ((kind, f"{kind}: {line[:300]}") for line in list(lines)[:1])
    asked = place.asked()
    [again] = place.run(case.operation, case.way, case.hosts, case.forks)
    if again.code or again.writes or place.asked() != asked:
        yield (
            WRONG,
            f"one more run writes {again.writes} times, or fails: {again.said if again.code else ''}",
        )

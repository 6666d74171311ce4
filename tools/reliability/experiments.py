"""Operations that a kill, a full disk, lost answers or other runs disturb.

In the end all has to be as an undisturbed run leaves it. Each case lays an operation out, runs and
disturbs it, and runs it again until it ends well; a run that fails has to say what to do. Then
panels and files have to be as expected, no run has printed a secret, and a further run has nothing
to write.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.playbook import IN_PROCESS, MODULE
from tools.reliability.operations import LIST, PlayOperation, select_group
from tools.reliability.place import LONGEST_RUN, Ended, Known, Picture, Place, make_place

LOST = "lost"
DOUBLED = "doubled"
LEAKED = "leaked"
WRONG = "wrong"
Problem = tuple[str, str]
"""One of these, and what was wrong: an object or a write that vanished or came twice, a secret that
was printed, another broken promise."""
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
LANES = 3
MOST_REPEATS = 3
FEW = 8
MANY = 40
WRITING = {"method": ["POST", "PUT", "DELETE"]}
# As module, one of so many cases: what happens is the same, and it takes three times as long.
MODULE_ONE_OF = 8
# Of the writes of one file: each of the first ones, then one of so many.
FIRST_FILES = 8
FILES_ONE_OF = 4
# Files about what was done can only be written when it is done, and are written again by the next run.
AFTERWARDS = "hand-over"
# What a run says that left something, and what one says that met another one or lost an answer.
LEFT = "The next run removes them."
AGAIN = (
    r"[Rr]un (it |the task )?again|[Ll]ook on|Plan again|Make and approve a new plan"
    r"|there is nothing left to do"
)


class Tried(NamedTuple):
    """One case.

    ended_well: whether the task itself did, in spite of what was done to it.
    """

    name: str
    ended_well: bool
    problems: Sequence[Problem] = ()


class Row(NamedTuple):
    """What an experiment came to.

    numbers: by heading. wrong: a line for each case that broke a promise.
    """

    experiment: str
    description: str
    numbers: dict[str, int]
    wrong: list[str]


def make_row(experiment: str, description: str, cases: Sequence[Tried], seconds: float) -> Row:
    """Return the row of an experiment."""
    broken = [case for case in cases if case.problems]
    endings = [case.ended_well for case in cases if not case.problems]
    counts = [
        len(cases),
        endings.count(True),
        endings.count(False),
        _count(broken, LOST),
        _count(broken, DOUBLED),
        _count(broken, LEAKED),
        len(broken),
        round(seconds),
    ]
    numbers = dict(zip(HEADINGS, counts, strict=True))
    lines = [f"{case.name}: {_join(case.problems)}" for case in broken]
    return Row(experiment, description, numbers, lines)


def _count(cases: Iterable[Tried], kind: str) -> int:
    """Return how many cases have a problem of a kind."""
    return sum(kind in dict(case.problems) for case in cases)


def _join(problems: Iterable[Problem]) -> str:
    return "; ".join(text for _kind, text in problems)


class Case(NamedTuple):
    """A point at which an operation is disturbed.

    at: that point as a number or a size. number: of the case, which chooses among what is not tried
    at every point.
    """

    operation: PlayOperation
    point: str
    at: Any
    number: int
    hosts: int = 0

    @property
    def way(self) -> str:
        """How the modules run: mostly in process, sometimes in processes of their own."""
        is_module = self.number % MODULE_ONE_OF == MODULE_ONE_OF - 1
        return MODULE if is_module else IN_PROCESS

    @property
    def forks(self) -> tuple[str, ...]:
        """The options of Ansible that let all hosts run at once."""
        if not self.hosts:
            return ()
        return ("--forks", str(self.hosts))


class Outcome(NamedTuple):
    """What the disturbed runs came to.

    says: what each run that failed has to say, as an expression; empty: none may fail.
    """

    runs: list[Ended]
    says: str = ""
    problems: Sequence[Problem] = ()


def _run_killed(workshop: Place, case: Case) -> Outcome:
    """Kill whatever the run has started when something stands still, as a power cut does.

    That is the panel after a write, where what has arrived by then is done later or, every other
    time, never; or the process before a file. Every fourth time the next run is killed too.
    """
    numbers = [case.at]
    if case.number % 4 == 1:
        numbers.append(1 + case.number % 3)

    problems: list[Problem] = []
    for number in numbers:
        is_stalled = _run_until_stalled(workshop, case, number)
        workshop.let_a_day_pass()
        if not is_stalled and number == case.at:
            problems.append((WRONG, "the run ended before that"))

    return Outcome([], problems=problems)


def _run_until_stalled(workshop: Place, case: Case, number: int) -> bool:
    """Run an operation up to a write or a file, and end it there; return whether it got there."""
    if case.point.startswith("write"):
        drops = case.number % 2 == 0
        workshop.queue_fault({"kind": "stall", **WRITING, "skip": number - 1, "drops": drops})
        hook = workshop.make_hooked_environment()
    else:
        hook = workshop.make_hooked_environment(PROOF_STALL_AT=str(number))

    process = workshop.start(case.operation, case.way, 0, (), hook, "output 0")
    deadline = time.monotonic() + LONGEST_RUN

    try:
        is_stalled = workshop.is_stalled()
        while not is_stalled and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
            is_stalled = workshop.is_stalled()
    finally:
        workshop.end(process)
        workshop.clear_faults()

    return is_stalled


def _run_without_an_answer(workshop: Place, case: Case) -> Outcome:
    when, _space, _write = case.point.partition(" ")
    fault = {"kind": "reset", **WRITING, "skip": case.at - 1, "when": when}
    workshop.queue_fault(fault)
    runs = workshop.run(case.operation, case.way)
    return Outcome(runs, AGAIN)


def _run_without_room(workshop: Place, case: Case) -> Outcome:
    """Let the process that opens the file write only so many bytes, by RLIMIT_FSIZE."""
    file, room = case.at
    hook = workshop.make_hooked_environment(PROOF_FULL=file.name, PROOF_BYTES=str(room))
    [ended] = workshop.run(case.operation, case.way, hook=hook)
    problems: list[Problem] = []
    if not ended.code:
        problems.append((WRONG, "ended well without the file"))

    # The state of certificates is written before the orders, and is largest at the end.
    is_grown_state = room and file.name == "certificates.yml"
    if ended.writes and AFTERWARDS not in file.name and not is_grown_state:
        problems.append((WRONG, f"wrote to the panel {ended.writes} times first"))

    # An archive is written as a whole directory, whose name has the port of its panel.
    expected = "archives/" if file.parts[0] == "archives" else re.escape(file.name)
    return Outcome([ended], expected, problems)


def _run_on_hosts(workshop: Place, case: Case) -> Outcome:
    runs = workshop.run(case.operation, case.way, case.hosts, case.forks)
    expected = AGAIN if case.operation.may_fail else ""
    return Outcome(runs, expected)


def _run_twice(workshop: Place, case: Case) -> Outcome:
    return Outcome(workshop.run(case.operation, case.way, times=2), AGAIN)


def _run_aloud(workshop: Place, case: Case) -> Outcome:
    """Disturb nothing, and print everything that Ansible can print."""
    runs = workshop.run(case.operation, case.way, 0, ("-vvvv", "--diff"))
    texts = workshop.read_plain_files(case.operation)
    leaks = workshop.find_leaks(texts)
    problems = [(LEAKED, f"leaves {leak}") for leak in leaks]
    return Outcome(runs, problems=problems)


def _choose_points_at_files(_operation: PlayOperation, undisturbed: Known) -> dict[str, int]:
    """Return the numbers of files before which a run is killed: the first, the last, some."""
    last = undisturbed.touched
    points = {}

    for at in range(1, last + 1):
        if at <= FIRST_FILES or at % FILES_ONE_OF == 0 or at == last:
            points[f"file {at}"] = at

    return points


def _choose_points_of_rooms(
    _operation: PlayOperation, undisturbed: Known
) -> dict[str, tuple[Path, int]]:
    """Return the files for which there is no room, or a byte too little."""
    points = {}
    for file in undisturbed.sizes:
        points[f"{file}, no room"] = (file, 0)
    for file, size in undisturbed.sizes.items():
        points[f"{file}, one byte short"] = (file, size - 1)

    return points


def _choose_points_at_answers(_operation: PlayOperation, undisturbed: Known) -> dict[str, int]:
    """Return the writes whose answers are lost, in turns before and after their effect."""
    points = {}
    for at in range(1, undisturbed.writes + 1):
        when = "after" if at % 2 else "before"
        points[f"{when} write {at}"] = at

    return points


def _choose_points_at_writes(_operation: PlayOperation, undisturbed: Known) -> dict[str, int]:
    """Return the writes after which a run is killed."""
    return {f"write {at}": at for at in range(1, undisturbed.writes + 1)}


def _choose_point_of_hosts(_operation: PlayOperation, _undisturbed: Known) -> dict[str, int]:
    return {f"{number} hosts": number for number in (FEW, MANY)}


def _choose_point_of_two_runs(operation: PlayOperation, _undisturbed: Known) -> dict[str, int]:
    """Return the one point of a role or playbook; modules alone are not run twice."""
    if operation.name.startswith(("role ", "playbook ")):
        return {"2 runs": 2}
    return {}


def _choose_point_of_verbosity(_operation: PlayOperation, _undisturbed: Known) -> dict[str, int]:
    return {"-vvvv": 4}


class Experiment(NamedTuple):
    """What is done to operations.

    group: of operations. points: by name, at which an operation is disturbed. latency: of the panel,
    in milliseconds.
    """

    group: str
    description: str
    points: Callable[[PlayOperation, Known], Mapping[str, Any]]
    disturb: Callable[[Place, Case], Outcome]
    latency: float = 0.0


EXPERIMENTS = {
    "kills, writes": Experiment(
        "alone", "killed after each write, and run again", _choose_points_at_writes, _run_killed
    ),
    "kills, files": Experiment(
        "alone", "killed before each file, and run again", _choose_points_at_files, _run_killed
    ),
    "lost answers": Experiment(
        "alone", "each write without an answer", _choose_points_at_answers, _run_without_an_answer
    ),
    "full disk": Experiment(
        "alone",
        "no room for each file, or one byte too little",
        _choose_points_of_rooms,
        _run_without_room,
    ),
    "hosts at once": Experiment(
        "shared", f"{FEW} and {MANY} hosts of one play", _choose_point_of_hosts, _run_on_hosts, 50.0
    ),
    "two runs": Experiment(
        "alone",
        "every role and playbook twice at once",
        _choose_point_of_two_runs,
        _run_twice,
        50.0,
    ),
    "printed": Experiment(
        "alone",
        "every operation with -vvvv, and what it leaves",
        _choose_point_of_verbosity,
        _run_aloud,
    ),
}


class _Trials:
    """The cases of an experiment, each tried in the folder and with the panels of its thread."""

    def __init__(self, experiment: Experiment, needs_authority: bool, stack: ExitStack) -> None:
        self._experiment = experiment
        self._needs_authority = needs_authority
        self._stack = stack
        self._undisturbed: dict[tuple[str, int], Known] = {}
        self._of_thread = threading.local()

    def run_undisturbed(self, operation: PlayOperation, hosts: int = 0) -> Known:
        """Return what an operation does when nothing disturbs it."""
        key = (operation.name, hosts)
        workshop = self._make_workshop()
        if key not in self._undisturbed:
            self._undisturbed[key] = workshop.run_without_fault(operation, hosts)

        return self._undisturbed[key]

    def try_case(self, case: Case) -> Tried:
        """Disturb an operation, and judge what came of it."""
        expected = self.run_undisturbed(case.operation, case.hosts).picture
        workshop = self._make_workshop()
        workshop.lay_out(case.operation, latency=self._experiment.latency)
        outcome = self._experiment.disturb(workshop, case)
        workshop.clear_faults()
        problems = [*outcome.problems, *_judge(workshop, case, outcome, expected)]
        name = f"{case.operation.name}, {case.point}, {case.way}"
        ended_well = not any(ended.code for ended in outcome.runs)
        return Tried(name, ended_well, problems)

    def _make_workshop(self) -> Place:
        if not hasattr(self._of_thread, "workshop"):
            self._of_thread.workshop = self._stack.enter_context(make_place(self._needs_authority))

        workshop: Place = self._of_thread.workshop
        return workshop


def run(name: str, is_slice: bool) -> Row:
    """Run an experiment with all operations of its group.

    is_slice: run only what operations.yml names for `make push`.
    """
    begin = time.monotonic()
    experiment = EXPERIMENTS[name]
    chosen: Mapping[str, Any] | None = LIST["slice"].get(name, {}) if is_slice else None
    operations = select_group(experiment.group)
    if chosen is not None:
        operations = tuple(operation for operation in operations if operation.name in chosen)

    needs_authority = any(operation.authority for operation in operations)

    with ExitStack() as stack, ThreadPoolExecutor(LANES) as pool:
        trials = _Trials(experiment, needs_authority, stack)
        if experiment.group == "shared":
            all_undisturbed = [Known()] * len(operations)
        else:
            all_undisturbed = list(pool.map(trials.run_undisturbed, operations))

        undisturbed = list(zip(operations, all_undisturbed, strict=True))
        cases = _list_cases(experiment, undisturbed, chosen)
        results = list(pool.map(trials.try_case, cases))

    return make_row(name, experiment.description, results, time.monotonic() - begin)


def _list_cases(
    experiment: Experiment,
    undisturbed: Sequence[tuple[PlayOperation, Known]],
    chosen: Mapping[str, Any] | None,
) -> list[Case]:
    """Return the cases of an experiment.

    undisturbed: each operation, and what it does when nothing disturbs it.
    chosen: the points of each operation to try; None: all.
    """
    cases: list[Case] = []
    for operation, effect in undisturbed:
        for point, at in experiment.points(operation, effect).items():
            if chosen is None or point in chosen[operation.name]:
                hosts = at if experiment.group == "shared" else 0
                cases.append(Case(operation, point, at, len(cases), hosts))

    return cases


def _judge(workshop: Place, case: Case, outcome: Outcome, expected: Picture) -> Iterator[Problem]:
    """Judge the runs, what is there after as many more as it takes, and a further one."""
    for ended in outcome.runs:
        yield from _judge_run(workshop, ended, outcome.says)

    failure = _complete(workshop, case, outcome)
    if failure is not None:
        yield LOST, f"the next {MOST_REPEATS} runs fail: {failure.said}"
        return

    actual = workshop.take_picture(case.operation)
    for kind, lines in ((LOST, expected - actual), (DOUBLED, actual - expected)):
        for line in list(lines)[:1]:
            yield kind, f"{kind}: {line[:300]}"

    asked = workshop.count_authority_requests()
    [further] = workshop.run(case.operation, case.way, case.hosts, case.forks)
    if further.code or further.writes or workshop.count_authority_requests() != asked:
        message = further.said if further.code else ""
        yield WRONG, f"one more run writes {further.writes} times, or fails: {message}"


def _judge_run(workshop: Place, ended: Ended, expected: str) -> Iterator[Problem]:
    """Judge what a disturbed run has printed.

    expected: what a run that fails has to say; empty: it may not fail.
    """
    for leak in workshop.find_leaks(ended.text):
        yield LEAKED, f"printed {leak}"

    if "Traceback" in ended.text:
        yield WRONG, "printed a traceback"

    if ended.code:
        has_advice = expected and re.search(expected, " ".join(ended.text.split()))
        if not has_advice:
            yield WRONG, f"fails without what to do: {ended.said}"


def _complete(workshop: Place, case: Case, outcome: Outcome) -> Ended | None:
    """Run an operation until it ends well; return the last run if none does."""
    disturbed = [ended for ended in outcome.runs if ended.code or LEFT in ended.text]
    if outcome.runs and not disturbed:
        return None

    for _repeat in range(MOST_REPEATS):
        [ended] = workshop.run(case.operation, case.way, case.hosts, case.forks)
        if not ended.code:
            return None

    return ended

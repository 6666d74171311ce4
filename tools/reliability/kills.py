# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible-playbook killed at random moments while `panel_resources` applies 300 objects, and run again until it is complete.

The panel then has to be what an undisturbed run makes of it, with nothing in it twice, and one more run has nothing to do. Half of the objects
are there before and are to be changed, others are to be deleted. In process, the process group is killed, and the next run starts at once; as
module, everything that ansible-playbook has started is killed with it, as when a machine loses its power.
"""

from __future__ import annotations

import contextlib
import json
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.support.bulk import Resources, apply, count, customers, panel_of
from tests.support.half_done import TOO_MANY, completing, there_and_different
from tests.support.killing import end_workers, is_running, kill_group, kill_with_children, start_playbook, writes
from tests.support.playbook import GROUP, IN_PROCESS, MODULE, defaults, write_inventory
from tests.support.simulator import Simulator
from tools.reliability.figures import Row, Size

ROUNDS = {Size.SLICE: {IN_PROCESS: 1}, Size.FULL: {IN_PROCESS: 10, MODULE: 3}}
MOST_KILLS = 12
"""In one round; the last run of a round is left alone."""
RANDOM_SEED = 20260802
WRITE_LATENCY = 12.0
LONGEST_RUN = 120

WANTED = customers(30)
BEFORE = there_and_different(15)
OPTIONS = completing(WANTED)


def run(size: Size) -> list[Row]:
    """One row for each way of execution."""
    with Simulator.start(settings={"status_delay": 0.0}, max_seconds=3600) as simulator:
        _lay_out(simulator, 0)
        result = apply(simulator, **OPTIONS)
        if result.get("failed"):
            raise RuntimeError(result["msg"])
        undisturbed = panel_of(simulator)
        return [_killed(simulator, undisturbed, way, rounds) for way, rounds in ROUNDS[size].items()]


def _lay_out(simulator: Simulator, write_latency: float) -> None:
    simulator.reset()
    simulator.seed(BEFORE)
    simulator.seed(TOO_MANY)
    simulator.settings({"write_latency": write_latency})


def _killed(simulator: Simulator, undisturbed: Resources, way: str, rounds: int) -> Row:
    begin = time.monotonic()
    dice = random.Random(f"{RANDOM_SEED} {way}")
    kills = in_the_middle = lost = doubled = 0
    wrong: list[str] = []
    with _folder() as folder:
        words = _playbook(simulator, folder)
        longest = _seconds_of(simulator, words, folder, way)
        for number in range(1, rounds + 1):
            _lay_out(simulator, WRITE_LATENCY)
            killed, while_writing = _until_complete(simulator, words, folder, way, dice, longest)
            kills, in_the_middle = kills + killed, in_the_middle + while_writing
            found = panel_of(simulator)
            again = apply(simulator, **OPTIONS)
            if found != undisturbed or again["changed"]:
                lost += _fewer(found, undisturbed)
                doubled += _fewer(undisturbed, found)
                wrong.append(
                    f"round {number}: {_differences(undisturbed, found)}; the next run: {again.get('msg', again['changed'])}"
                )
    return Row(
        experiment=f"kills, {way}",
        what=f"a run over {count(WANTED)} objects killed and run again until it is complete",
        tried=rounds,
        survived=rounds - len(wrong),
        lost=lost,
        doubled=doubled,
        seconds=time.monotonic() - begin,
        remark=f"{kills} kills, {in_the_middle} of them between the first write and the last",
        wrong=wrong,
    )


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="kills-") as name:
        try:
            yield Path(name)
        finally:
            end_workers(Path(name))


def _playbook(simulator: Simulator, folder: Path) -> list[str]:
    """The words on the command line for a play that does it."""
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "module_defaults": {GROUP: {**defaults(simulator), "retry_time": 30}},
        "tasks": [{"name": "Apply", "hosting.panel.panel_resources": OPTIONS}],
    }
    file = folder / "playbook.yml"
    file.write_text(json.dumps([play]), encoding="utf-8")
    return ["-i", str(write_inventory(folder)), str(file)]


def _seconds_of(simulator: Simulator, words: list[str], folder: Path, way: str) -> float:
    """How long a whole run takes."""
    _lay_out(simulator, WRITE_LATENCY)
    begin = time.monotonic()
    process = start_playbook(words, folder, way)
    try:
        if process.wait(LONGEST_RUN):
            raise RuntimeError(f"ansible-playbook ended with {process.returncode}")
    finally:
        _end(process)
    return time.monotonic() - begin


def _until_complete(
    simulator: Simulator, words: list[str], folder: Path, way: str, dice: random.Random, longest: float
) -> tuple[int, int]:
    """(kills, kills while it wrote) until a run came to its end."""
    kills = in_the_middle = 0
    while True:
        before = writes(simulator)
        process = start_playbook(words, folder, way)
        try:
            # Its first half is Ansible's start and the lists; most kills shall meet the writes.
            moment = (
                dice.uniform(dice.choice((0.0, 0.5, 0.5)) * longest, longest) if kills < MOST_KILLS else LONGEST_RUN
            )
            process.wait(moment)
        except subprocess.TimeoutExpired:
            in_the_middle += writes(simulator) > before
            kills += 1
            (kill_group if way == IN_PROCESS else kill_with_children)(process)
            continue
        finally:
            _end(process)
        if process.returncode == 0:
            return kills, in_the_middle
        raise RuntimeError(f"ansible-playbook ended with {process.returncode}")


def _end(process: subprocess.Popen[bytes]) -> None:
    if is_running(process):
        kill_with_children(process)


def _fewer(one: Resources, other: Resources) -> int:
    """How many objects the first lacks, over all kinds."""
    return sum(max(0, len(items) - len(one.get(kind, []))) for kind, items in other.items())


def _differences(wanted: Resources, found: Resources) -> str:
    kinds = [kind for kind in wanted if wanted[kind] != found.get(kind)]
    return (
        ", ".join(f"{len(found.get(kind, []))} {kind} instead of {len(wanted[kind])}" for kind in kinds)
        or "as it should be"
    )

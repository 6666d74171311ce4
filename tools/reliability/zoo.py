# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every panel that the table of what is open describes: one for each value of each point, and such that each two values meet on one.

On each of them, in memory: the behaviours of the generated grid, and tasks that meet what they do not, alone and by `panel_resources`, in check
mode, for real and again; each operation that writes with an answer that is lost; and a panel of many objects, exported, applied to itself and to an
empty panel, and exported again. And a role, a playbook or a play of modules, run twice by ansible-playbook, another one on each panel. Every task
converges, and leaves objects and zones as it leaves them on a usual panel; or it fails in the words that the table has for a value of the panel,
before it has written anything. Nothing is made twice, and nothing goes that no task named.

What is run: each value alone with every behaviour and every operation that writes. Each two values together with a behaviour for each verb and
type of value, and every operation that writes. In plays each panel has one operation, by turns in which each value on which everything works meets
every operation; the others, on which most plays end in the table's words, meet at least five. What is not: three values at once, but for those that
meet by chance; two values on both of which something cannot work; every behaviour with each two values; and every play on each panel. Where a panel
keeps dates, paths or texts in its own way, the end of a play is judged by the number of its objects alone.

All of it takes about twenty minutes on four cores, computed from a sample: eight seconds of processor time for a value alone, four for a panel of
many values, and ten for a play. The slice of `make test` has every value once.
"""

from __future__ import annotations

import functools
import itertools
import multiprocessing
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from tests.support import pem
from tests.support.grid import behaviours, details, selection
from tests.support.mixed_panel import mixed_panel, with_keys
from tests.support.playbook import Recording
from tests.support.zoo import (
    KEPT_OTHERWISE,
    STAYS,
    Zoo,
    alone,
    as_everywhere,
    in_the_words,
    is_told,
    once,
    pairs,
    profiles,
    refusals,
    tasks_of,
)
from tools.reliability.figures import DOUBLED, LOST, WRONG, Problem, Row, Size, Tried, row_of
from tools.reliability.kills import in_places
from tools.reliability.late_commits import Case, operations_that_write, tried
from tools.reliability.memory import RESET, TIMED_OUT, Loss, MemoryPlace
from tools.reliability.places import Picture, Place, differences, places
from tools.reliability.play_operations import PlayOperation, play_operations

LANES = {Size.SLICE: 2, Size.FULL: 4}
# What the slice plays, where everything works.
PLAYED = ("role site", "role sites", "role suspend", "role move, copy", "role offboard, delete", "playbook apply")
# Points with another value of which what is there after a play is not the same as on a usual panel.
KEPT_IN_ANOTHER_WAY = {*KEPT_OTHERWISE, *STAYS, "kept_texts", "txt_read", "disabled_zones"}
LOSSES = (Loss(RESET, 0.0), Loss(RESET, None), Loss(TIMED_OUT, 8.0), Loss(TIMED_OUT, 0.0, 2))
LONG_AFTER = 60.0
SPARED = "not deleted, since no item could keep it"


def run(size: Size) -> list[Row]:
    """One row for each panel."""
    begin = time.monotonic()
    names = list(once()) if size is Size.SLICE else [*alone(), *pairs()]
    operations_that_write()
    with ProcessPoolExecutor(LANES[size], multiprocessing.get_context("fork")) as pool:
        in_memory = list(pool.map(_in_memory, names, itertools.count(), itertools.repeat(size)))
    with places(LANES[size]) as lanes:
        turns = list(zip(names, operations_of(names, _operations(size)), strict=True))
        played = list(in_places(lanes, turns, lambda place, one: list(_played(place, *one, size))))
    seconds = (time.monotonic() - begin) / len(names)
    rows = (
        row_of("zoo", _about(name), "", [*one, *other], seconds)
        for name, one, other in zip(names, in_memory, played, strict=True)
    )
    return [replace(row, panel=name) for name, row in zip(names, rows, strict=True)]


def _about(name: str) -> str:
    profile, words = profiles()[name], refusals(profiles()[name])
    points = f"{len(profile)} points, " if len(profile) > 1 else ""
    return points + (f"refused: {', '.join(words)}" if words else "everything works")


# In memory


@functools.cache
def _zoo() -> Zoo:
    return Zoo()


def _in_memory(name: str, number: int, size: Size) -> list[Tried]:
    found = [*_tasks(name, number, size), _round_trip(name)]
    words = refusals(profiles()[name])
    if name in alone() and words and all(one.ended_well for one in found):
        found.append(Tried(name, [], False, [(WRONG, f"nothing says {words[0]}, as the table has it")]))
    return [*found, *_losses(name, number, size)]


def _tasks(name: str, number: int, size: Size) -> Iterator[Tried]:
    """In the slice, and where more values meet, a behaviour for each verb and type of value only."""
    every = [*behaviours(), *details()] if size is Size.FULL and name in alone() else selection(behaviours())
    tasks = tasks_of(every, number if size is Size.SLICE else None)
    for task, ran, problems in _zoo().visited(profiles()[name], tasks):
        is_refused = is_told(ran, refusals(profiles()[name]))
        yield Tried(f"{name}: {task.name}", [f"module {task.module}"], not is_refused, problems)


def _losses(name: str, number: int, size: Size) -> Iterator[Tried]:
    """Each operation with one loss, and with another one on the next panel; in the slice a third of them."""
    words, step = refusals(profiles()[name]), 3 if size is Size.SLICE else 1
    for place, operation in list(enumerate(operations_that_write(), number))[number % step :: step]:
        try:
            found = tried(Case(operation, place % 2 == 0, LOSSES[place // 2 % len(LOSSES)], 60, name))
        except ValueError as error:
            # Without a loss too.
            found = Tried(f"{name}: {operation.name}", [], False, [(WRONG, str(error))])
        # What cannot work cannot be made up for either.
        problems = [(kind, text) for kind, text in found.problems if kind != WRONG or not in_the_words(text, words)]
        yield replace(found, problems=problems)


def _round_trip(name: str) -> Tried:
    """Many objects exported, applied to the same panel and to an empty one, and exported again."""
    profile = profiles()[name]
    place = MemoryPlace(mixed_panel(pem.texts(), clients=3), {"status_delay": 0.0, **profile})
    runs: list[Recording] = []
    there = [_seen_as_usual(place, profile)]

    def do(module: str, **options: Any) -> Recording:
        place.pass_time(LONG_AFTER)
        runs.append(place.run(name, module, options))
        return runs[-1]

    exported = do("panel_resources_info").result.get("resources", {})
    same = do("panel_resources", resources=exported)
    there.append(_seen_as_usual(place, profile))
    place.panel.reset_objects()
    rebuilt = do("panel_resources", resources=with_keys(exported, pem.texts()))
    there.append(_seen_as_usual(place, profile))
    again = do("panel_resources", resources=exported)
    is_told = in_the_words(str([run.result for run in runs]), refusals(profile))
    problems: list[Problem] = []
    failed = [run for run in runs if run.outcome != "ok"]
    if failed and not is_told:
        problems.append((WRONG, f"the round trip fails: {failed[0].msg}"))
    if not failed:
        if same.writes or again.writes or not rebuilt.changed:
            problems.append((WRONG, f"writes again: {[*same.writes, *again.writes][:2]}"))
        there.append(_seen_as_usual(place, profile))
        after = do("panel_resources_info").result.get("resources", {})
        problems += [(LOST, f"the export has other {kind}") for kind in exported if exported[kind] != after.get(kind)]
    for found in there[1:] if not is_told else ():
        problems += [
            (LOST, f"{kind} were {was} and are {found[kind]}") for kind, was in there[0].items() if was != found[kind]
        ]
    return Tried(f"{name}: round trip", [], not failed and not is_told, problems)


def _seen_as_usual(place: MemoryPlace, profile: Mapping[str, Any]) -> dict[str, list[Any]]:
    """What is on a panel, as a usual one would show it, by kind; with texts of zones as if none were quoted."""
    usual = MemoryPlace({}, {})
    usual.put(place.state())
    found = usual.run("read", "panel_resources_info", {}).result["resources"]
    for zone in found["dns"]:
        for record in zone.get("records", ()):
            record["value"] = record["value"].replace('" "', "").strip('"')
    return {kind: [as_everywhere(kind, one, profile) for one in found[kind]] for kind in KINDS}


# In plays


def _operations(size: Size) -> list[PlayOperation]:
    return [one for one in play_operations() if size is Size.FULL or one.name in PLAYED]


def operations_of(names: Iterable[str], operations: Sequence[PlayOperation]) -> Iterator[PlayOperation]:
    """For each of these panels the operation that most of its values have not met, and of several the one with the fewest panels."""
    met: set[tuple[str, str, str]] = set()
    had: Counter[str] = Counter()
    for name in names:
        values = [(point, str(value)) for point, value in profiles()[name].items()]

        def news(one: PlayOperation, values: list[tuple[str, str]] = values) -> tuple[int, int]:
            return sum((*value, one.name) not in met for value in values), -had[one.name]

        chosen = max(operations, key=news)
        had[chosen.name] += 1
        met.update((*value, chosen.name) for value in values)
        yield chosen


def _played(place: Place, name: str, operation: PlayOperation, size: Size) -> Iterator[Tried]:
    """One operation, twice."""
    profile = profiles()[name]
    words = refusals(profile)
    if size is Size.SLICE and words:
        return
    usual, picture = _usual_end(place, operation)
    place.lay_out(operation, profile)
    before = _counts(place)
    first = place.run(operation)
    # Until lists show it.
    time.sleep(profile.get("list_lag", 0))
    runs = [first, place.run(operation)]
    after = _counts(place)
    failed = [one for one in runs if one.code]
    is_told = in_the_words(" ".join(runs[0].text.split() + runs[1].text.split()), words)
    problems: list[Problem] = []
    if failed and not is_told:
        problems.append((WRONG, f"fails: {failed[0].said}"))
    if not failed and runs[1].writes and not is_told:
        problems.append((WRONG, f"the second run writes {runs[1].writes} times"))
    if not failed and not is_told and not profile.keys() & KEPT_IN_ANOTHER_WAY:
        problems += differences(picture, _panels(place, operation))
    for what in {*before, *usual}:
        # What a purge says it has spared is there beside what is new.
        most = before[what] + usual[what] if SPARED in first.text else max(before[what], usual[what])
        if after[what] > most:
            problems.append((DOUBLED, f"{after[what]} {what} instead of {usual[what]}"))
        if after[what] < min(before[what], usual[what]):
            problems.append((LOST, f"{after[what]} {what} instead of {usual[what]}"))
    yield Tried(f"{name}: {operation.name}", operation.covers, not failed, problems)


_known: dict[str, tuple[Counter[str], Picture]] = {}


def _usual_end(place: Place, operation: PlayOperation) -> tuple[Mapping[str, int], Picture]:
    """How an operation leaves usual panels."""
    if operation.name not in _known:
        place.lay_out(operation, {})
        place.run(operation)
        _known[operation.name] = (_counts(place), _panels(place, operation))
    return _known[operation.name]


def _panels(place: Place, operation: PlayOperation) -> Picture:
    return Picture(place.picture(operation).panels, {}, {})


def _counts(place: Place) -> Counter[str]:
    """How many there are of each kind, by panel and kind."""
    return Counter(
        {
            f"{kind} on panel {number}": len(found)
            for number, panel in enumerate(place.panels, 1)
            for kind, found in panel.state()["objects"].items()
        }
    )

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The zoo: a panel for each value of each point that the interface leaves open, and what a task may do on it.

It comes to its end, everything is as it leaves a usual panel, and a second run finds nothing to do; or it fails in the words that the table has for
the value, before it has written anything. On no panel it makes anything twice, or takes away what it was not asked to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product, zip_longest
from pathlib import Path
from typing import Any

import yaml
from covertable.criteria import simple
from covertable.main import make

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from panel_simulator.open_points import POINTS
from tests.support.grid import Behaviour
from tests.support.place import Place
from tests.support.playbook import Recording
from tests.support.samples import samples
from tools.reliability.fault_judging import canonical
from tools.reliability.figures import DOUBLED, LOST, WRONG, Problem

Profile = Mapping[str, Any]
TASKS = Path(__file__).with_suffix(".yml")
# Where a point has another value: members that a panel keeps in its own way, by kind, and the kind that stays when what it belongs to goes.
KEPT_OTHERWISE: Mapping[str, Mapping[str, Sequence[str]]] = {
    "dates": {"clients": ["suspend_on", "delete_on"], "domains": ["delete_on"]},
    "protection_paths": {"directory_protections": ["path"]},
}
STAYS = {"domain_deletion": "emails"}
_BULK = "panel_resources"
_NONE = object()


# Profiles


def alone() -> dict[str, Profile]:
    """A profile for each value of each point, by its name."""
    return {_name(name, value): {name: value} for name, point in POINTS.items() for value in point.tried}


def refusals(profile: Profile) -> list[str]:
    """Words of what tasks say that cannot work there; none where everything works."""
    return [words for name, value in profile.items() if (words := POINTS[name].refusal(value))]


def once() -> dict[str, Profile]:
    """Every value once: those on which everything works in as few profiles as there can be, and each other one alone."""
    return {**_together(), **_refusing()}


def pairs() -> dict[str, Profile]:
    """Every value together with each of every other point, but for two of those on which something cannot work."""
    # By numbers, since values need not be hashable.
    numbers = {name: list(range(len(values) + 1)) for name, values in _working().items()}
    rows = make(numbers, criterion=simple)
    working = [{name: _working()[name][row[name] - 1] for name in POINTS if row[name]} for row in rows]
    mixed = product(_refusing().items(), _together().items())
    return {
        **{f"pairs {number}": profile for number, profile in enumerate(working, 1)},
        **{f"{name}, {number}": {**others, **profile} for (name, profile), (number, others) in mixed},
    }


def _working() -> dict[str, list[Any]]:
    return {name: [value for value in one.tried if not one.refusal(value)] for name, one in POINTS.items()}


def _together() -> dict[str, Profile]:
    rows = enumerate(zip_longest(*_working().values(), fillvalue=_NONE), 1)
    return {
        f"together {number}": {name: value for name, value in zip(POINTS, row, strict=True) if value is not _NONE}
        for number, row in rows
    }


def _refusing() -> dict[str, Profile]:
    return {name: profile for name, profile in alone().items() if refusals(profile)}


@cache
def profiles() -> Mapping[str, Profile]:
    """All of them."""
    return {**alone(), **once(), **pairs()}


def _name(point: str, value: Any) -> str:
    return f"{point}: {value if isinstance(value, str) else json.dumps(value)}"


# Tasks


@dataclass(frozen=True)
class Task:
    """One task. existing: what is on the panel beside the world of the samples.

    repeats: it writes in each run. unfinished: it may fail when it has written.
    """

    name: str
    module: str
    options: Mapping[str, Any]
    existing: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    repeats: bool = False
    unfinished: bool = False

    def in_bulk(self, kind: str) -> Task:
        """The same as a task of panel_resources."""
        options = {"resources": {kind: [self.options]}, "max_deletes": 50}
        return Task(f"{self.name}, bulk", _BULK, options, self.existing, self.settings, self.repeats, self.unfinished)


def tasks_of(behaviours: Iterable[Behaviour], turn: int | None = None) -> Iterator[Task]:
    """Behaviours of the grid, and what the grid does not have, alone and in bulk. turn: in one of these ways, in turns from this one on."""
    for number, (task, kind) in enumerate([*_of_grid(behaviours), *_of_file()]):
        ways = [task, task.in_bulk(kind)] if kind else [task]
        yield from ways if turn is None else [ways[(number + turn) % len(ways)]]


def _of_grid(behaviours: Iterable[Behaviour]) -> Iterator[tuple[Task, str]]:
    for one in behaviours:
        # What it sends fits a panel only that does not show with what.
        if not one.title.endswith("not readable"):
            kind, existing = one.kind.plural, [] if one.existing is None else [one.existing]
            yield Task(one.name, one.kind.module, one.options, {kind: existing}, one.settings, one.repeats), kind


def _of_file() -> Iterator[tuple[Task, str]]:
    for name, row in yaml.safe_load(TASKS.read_text(encoding="utf-8")).items():
        kind = row.pop("kind", "")
        module = row.pop("module", "") or KINDS[kind].module
        # panel_resources does not wait for one object.
        yield Task(name, module, **row), "" if "wait" in row["options"] else kind


# What a task did


@dataclass(frozen=True)
class Run:
    """A task in check mode, for real and again. before, after: everything on the panel, by kind and id, with its zones."""

    check: Recording
    real: Recording
    again: Recording
    before: Mapping[tuple[str, int], Any]
    after: Mapping[tuple[str, int], Any]


class Cage(Place):
    """A panel of the zoo in this process."""

    def __init__(self, profile: Profile) -> None:
        super().__init__()
        self.profile = profile
        self._begin()
        self._reset({})
        self.seed(self.resolve(samples()["world"]))
        self._world = self.state()

    def _reset(self, settings: Mapping[str, Any]) -> None:
        self.panel.settings.reset()
        self.panel.settings.merge({"status_delay": 0.0, **self.profile, **settings})

    def tried(self, task: Task) -> Run:
        """What a task does here."""
        self._reset(task.settings)
        self.put(self._world, self.resolve(task.existing))
        before = _objects(self.state())
        check, real = (self._run(task, check_mode) for check_mode in (True, False))
        # Until lists show everything, and statuses have settled.
        self.pass_time(60)
        return Run(check, real, self._run(task, False), before, _objects(real.observed[1]))

    def _run(self, task: Task, check_mode: bool) -> Recording:
        return self.run(task.name, task.module, self.resolve(task.options), check_mode=check_mode)


def _objects(state: Mapping[str, Any]) -> dict[tuple[str, int], Any]:
    steady = canonical(state)
    objects = {(kind, one["id"]): one for kind, found in steady["objects"].items() for one in found}
    # What a panel keeps of a zone that is disabled is its own business.
    zones = {number: {**zone, "other": []} if zone["is_disabled"] else zone for number, zone in steady["zones"].items()}
    return {**objects, **{("zones", int(number)): zone for number, zone in zones.items()}}


class Zoo:
    """All of its panels, one after the other, beside one that does what everything takes for granted."""

    def __init__(self) -> None:
        self._usual, self._known = Cage({}), dict[str, Run]()

    def visited(self, profile: Profile, tasks: Iterable[Task]) -> Iterator[tuple[Task, Run, list[Problem]]]:
        """What each task does on a panel, and the broken promises."""
        cage = Cage(profile)
        for task in tasks:
            if task.name not in self._known:
                self._known[task.name] = self._usual.tried(task)
            run = cage.tried(task)
            yield task, run, list(problems(task, run, self._known[task.name], profile))


def problems(task: Task, run: Run, usual: Run, profile: Profile) -> Iterator[Problem]:
    """The promises that a task broke on a panel. usual: what it does on a usual panel."""
    says = refusals(profile)
    there = run.before.keys() & usual.after.keys()
    if lost := there - run.after.keys():
        yield LOST, f"{sorted(lost)} are gone"
    # A zone is part of a domain, and not made by itself.
    if more := {one for one in run.after.keys() - run.before.keys() - usual.after.keys() if one[0] != "zones"}:
        yield DOUBLED, f"{sorted(more)} are too many"
    for one in sorted(there & run.after.keys() if usual.real.outcome == "ok" else ()):
        if usual.before.get(one) == usual.after[one] and run.before[one] != run.after[one]:
            yield LOST, f"{one} is not what the task names, and was {run.before[one]} and is {run.after[one]}"
    if run.check.writes:
        yield WRONG, f"check mode writes: {run.check.writes}"
    if is_told(run, says):
        if run.real.outcome == "failed" and run.after != run.before and not task.unfinished:
            yield WRONG, f"has written something when it fails: {run.real.calls} {run.real.msg}"
    elif run.real.outcome == "failed":
        if usual.real.outcome == "ok" or run.after != run.before:
            yield WRONG, f"fails: {run.real.msg}"
    else:
        yield from _converged(task, run)
        yield from _otherwise(run, usual, profile)


def _otherwise(run: Run, usual: Run, profile: Profile) -> Iterator[Problem]:
    """What a task that ended well has left in another way than on a usual panel."""
    stays = {STAYS.get(point) for point in profile}
    for one in sorted(run.after.keys() | usual.after.keys() if usual.real.outcome == "ok" else ()):
        if one[0] in stays and one not in usual.after:
            continue
        found, wanted = (as_everywhere(one[0], after.get(one), profile) for after in (run.after, usual.after))
        if found != wanted:
            yield LOST, f"{one} is {found} instead of {wanted}"


def as_everywhere(kind: str, item: Mapping[str, Any] | None, profile: Profile) -> Mapping[str, Any] | None:
    """An object without what this panel keeps in its own way."""
    names = {name for point in profile for name in KEPT_OTHERWISE.get(point, {}).get(kind, ())}
    return item and {name: value for name, value in item.items() if name not in names}


def is_told(run: Run, says: Sequence[str]) -> bool:
    """Whether it fails, or warns, in the words of the table."""
    told = [one.result if one.outcome == "failed" else one.result.get("warnings") for one in (run.real, run.again)]
    return in_the_words(str(told), says)


def in_the_words(text: str, says: Iterable[str]) -> bool:
    """Whether there is one of these patterns in it."""
    return any(re.search(words, text) for words in says)


def _converged(task: Task, run: Run) -> Iterator[Problem]:
    check, real, again = run.check, run.real, run.again
    if (check.outcome, check.changed, check.result.get("diff")) != ("ok", real.changed, real.result.get("diff")):
        yield WRONG, f"check mode foretold another thing: {check.outcome} {check.changed} {check.msg}"
    if not task.repeats and (again.outcome != "ok" or again.changed or again.writes):
        yield WRONG, f"the second run is not unchanged: {again.outcome} {again.calls} {again.msg}"

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The experiments: which rows are measured side by side. `quick` leaves out what no goal needs, and has fewer rounds."""

from __future__ import annotations

from dataclasses import replace

from tools.bench import ways
from tools.bench.mailboxes import Start
from tools.bench.rows import Experiment, Row

ROUNDS, QUICK_ROUNDS = 5, 2


def experiments(*, quick: bool = False) -> list[Experiment]:
    """Return all experiments in the order in which they are measured."""
    rounds = QUICK_ROUNDS if quick else ROUNDS
    made = [
        loop(rounds, slow_items=10 if quick else 20),
        tasks(rounds, items=5 if quick else 10),
        bulk(1000, rounds, quick=quick),
        bulk(5000, rounds, quick=quick),
        linearity(rounds),
        latency(100, rounds=1 if quick else 2, quick=quick),
        fleet(rounds, quick=quick),
        passwords(min(rounds, 3), quick=quick),
        result_size(),
        memory(rounds),
    ]
    if not quick:
        made[2:2] = [bulk(10, 3), bulk(100, 3)]
        made.insert(6, bulk(10000, 2))
        made.insert(8, latency(20, rounds=2))
    return made


def loop(rounds: int, items: int = 1000, slow_items: int = 20) -> Experiment:
    """One item at a time. What starts a module for each gets fewer items; goals compare the time of an item."""
    rows = [
        Row("empty", ways.EMPTY, items),
        Row("debug", ways.DEBUG_LOOP, items),
        Row("in process", ways.LOOP, items, owners=True),
        Row("in process, defaults", ways.LOOP_DEFAULTS, items, owners=True),
        Row("in process, new", ways.LOOP_DEFAULTS, items, Start.NEW, owners=True),
        Row("module", ways.LOOP_MODULE, slow_items, owners=True),
        Row("uri", ways.URI_LOOP, slow_items, owners=True),
    ]
    return Experiment("loop", "One object at a time, in a loop", tuple(rows), rounds)


def tasks(rounds: int, items: int = 10) -> Experiment:
    """Tasks that are written out, as for a single customer."""
    rows = [
        Row("empty", ways.EMPTY, items),
        Row("in process", ways.TASK, items, owners=True),
        Row("module", ways.TASK_MODULE, items, owners=True),
        Row("uri", ways.URI_READ, items, owners=True),
        Row("module, change", ways.TASK_MODULE, items, Start.ALL_CHANGED, owners=True),
        Row("uri, change", ways.URI_CHANGE, items, Start.ALL_CHANGED, owners=True),
        Row("module, new", ways.TASK_MODULE_CREATE, items, Start.NEW, owners=True),
        Row("uri, new", ways.URI_CREATE, items, Start.NEW, owners=True),
        Row("uri, pipelining", ways.URI_READ, items, owners=True, pipelining=True),
    ]
    return Experiment("tasks", "One object, one task", tuple(rows), rounds)


def bulk(count: int, rounds: int, *, quick: bool = False) -> Experiment:
    """All objects in one task."""
    rows = [
        Row("empty", ways.EMPTY, count),
        Row("in process", ways.BULK, count),
        Row("module", ways.BULK_MODULE, count),
        Row("script", ways.SCRIPT, count),
        Row("nothing", ways.NOTHING, count, pipelining=True),
        Row("uri template", ways.URI_TEMPLATE, count),
    ]
    if count <= 1000:
        rows.append(Row("uri filters", ways.URI_FILTERS, count, is_in_first_round=count < 1000))
    elif count <= 5000 and not quick:
        rows.append(Row("uri filters", ways.URI_FILTERS, count, rounds=1, is_in_first_round=False))
    # From these, what requests for each mailbox would take is computed.
    rows += [Row("empty, 10", ways.EMPTY, 10), Row("uri each, 10", ways.URI_LOOP, 10, owners=True)]
    if not quick:
        each = Row("uri each, 10, new", ways.URI_LOOP, 10, Start.NEW, owners=True)
        rows += [*_with_writes(count), replace(each, rounds=1, is_in_first_round=False)]
    return Experiment(f"bulk-{count}", f"{count} objects in one task", tuple(rows), rounds)


def _with_writes(count: int) -> list[Row]:
    rounds = 1 if count > 5000 else 2 if count > 1000 else None
    rows = []
    for start, name in ((Start.CHANGED, "5 %"), (Start.NEW, "new")):
        rows += [
            Row(f"in process, {name}", ways.BULK, count, start),
            Row(f"module, {name}", ways.BULK_MODULE, count, start),
            Row(f"script, {name}", ways.SCRIPT, count, start),
        ]
    if count <= 100:
        rows.append(Row("uri template, 5 %", ways.URI_TEMPLATE, count, Start.CHANGED))
    slow = rounds is not None
    return [replace(row, rounds=rounds, is_in_first_round=not slow or row.start is not Start.NEW) for row in rows]


def linearity(rounds: int, few: int = 5000, many: int = 20000) -> Experiment:
    """Whether the time of an object stays the same with many."""
    rows = []
    for name, count in (("few", few), ("many", many)):
        rows += [
            Row(f"empty, {name}", ways.EMPTY, count),
            Row(f"in process, {name}", ways.BULK, count),
            Row(f"script, {name}", ways.SCRIPT, count),
        ]
    return Experiment("linearity", f"{few} and {many} objects in one task", tuple(rows), min(rounds, 3))


def latency(milliseconds: int, rounds: int, count: int = 200, *, quick: bool = False) -> Experiment:
    """Writes over a network, one at a time and several at once."""
    rows = [Row("empty", ways.EMPTY, count)]
    for concurrency in (1, 8) if quick else (1, 4, 8):
        rows.append(Row(f"in process, new, {concurrency}", ways.BULK, count, Start.NEW, concurrency=concurrency))
        if not quick:
            rows.append(Row(f"script, new, {concurrency}", ways.SCRIPT, count, Start.NEW, concurrency=concurrency))
    if not quick:
        rows += [
            Row("in process", ways.BULK, count),
            Row("module", ways.BULK_MODULE, count),
            Row("script", ways.SCRIPT, count),
        ]
    # What waits for the network needs no round to warm up.
    rows = [replace(row, is_in_first_round=row.start is Start.UNCHANGED) for row in rows]
    title = f"{count} objects, {milliseconds} ms for each answer of the panel"
    return Experiment(f"latency-{milliseconds}", title, tuple(rows), rounds, latency=milliseconds)


def fleet(rounds: int, count: int = 500, panels: int = 20, *, quick: bool = False) -> Experiment:
    """Many panels as hosts of one inventory, each with its own objects."""
    rows = [
        Row("empty", ways.EMPTY, count, panels=panels),
        Row("one, in process", ways.BULK, count),
        Row("5 forks, in process", ways.BULK, count, panels=panels),
    ]
    if not quick:
        rows += [
            Row("20 forks, in process", ways.BULK, count, panels=panels, forks=20),
            Row("one, module", ways.BULK_MODULE, count),
            Row("5 forks, module", ways.BULK_MODULE, count, panels=panels),
            Row("20 forks, module", ways.BULK_MODULE, count, panels=panels, forks=20),
        ]
    return Experiment("fleet", f"{panels} panels as hosts, {count} objects on each", tuple(rows), rounds)


def passwords(rounds: int, count: int = 5000, *, quick: bool = False) -> Experiment:
    """Every object with a password, in every kind of result."""
    rows = []
    for way_name, way in (("in process", ways.BULK), ("module", ways.BULK_MODULE)):
        for secret_name, has_passwords in (("without", False), ("with", True)):
            row = Row(f"{way_name}, {secret_name}", way, count, passwords=has_passwords)
            all_shown = replace(row, name=f"{row.name}, all shown", return_unchanged=True)
            new = replace(row, name=f"{row.name}, new", start=Start.NEW, rounds=1 if quick else 2)
            rows += [row, all_shown, replace(new, is_in_first_round=False)]
    return Experiment(
        "passwords", f"{count} objects in one task, with and without a password each", tuple(rows), rounds
    )


def result_size(count: int = 5000) -> Experiment:
    """What a task registers when there is nothing to do."""
    rows = [Row("in process", ways.RESULT, count), Row("module", ways.RESULT_MODULE, count)]
    rows = [replace(row, is_in_first_round=False) for row in rows]
    return Experiment("result", f"The registered result of {count} unchanged objects", tuple(rows), 1)


def memory(rounds: int, count: int = 5000) -> Experiment:
    """Peak memory; watching it disturbs the times, so this is an experiment of its own."""
    rows = [
        Row("empty", ways.EMPTY, count),
        Row("in process", ways.BULK, count),
        Row("module", ways.BULK_MODULE, count),
        Row("script", ways.SCRIPT, count),
    ]
    return Experiment("memory", f"Peak memory with {count} objects", tuple(rows), rounds, watches_memory=True)

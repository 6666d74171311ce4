# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The goals: data only. Every value is computed from rows of one experiment that were measured in the same round."""

from __future__ import annotations

from dataclasses import dataclass

WALL, MEMORY, CONNECTIONS, RESULT = "wall", "memory", "connections", "result"


@dataclass(frozen=True)
class Side:
    """One side of a ratio: ``(row - net_of) x times + plus``, where all but `times` are names of rows of the experiment."""

    row: str
    net_of: str = ""
    per_item: bool = False
    """Whether `times` is one by the number of the row's mailboxes."""
    times: float = 1.0
    plus: str = ""


@dataclass(frozen=True)
class Goal:
    """``over / under``, or ``over`` alone, is to be `most` at most or `least` at least; with neither it is shown for information."""

    what: str
    experiment: str
    over: Side
    under: Side | None = None
    most: float | None = None
    least: float | None = None
    metric: str = WALL


def _net(row: str, empty: str = "empty") -> Side:
    return Side(row, net_of=empty)


def _item(row: str, empty: str = "empty") -> Side:
    return Side(row, net_of=empty, per_item=True)


def _get_each(count: int) -> Side:
    return Side("uri each, 10", net_of="empty, 10", times=count / 10, plus="empty")


ONE_BY_ONE = (
    Goal(
        "An item of a loop with `uri`, by one with `panel_email` in process",
        "loop",
        _item("uri"),
        _item("in process"),
        least=30,
    ),
    Goal(
        "An item of a loop in process, the panel in the environment (three templates), by one with `debug` (one)",
        "loop",
        _item("in process"),
        _item("debug"),
        most=1.8,
    ),
    Goal(
        "The same with the panel in `module_defaults`, and `id_user` (six templates)",
        "loop",
        _item("in process, defaults"),
        _item("debug"),
    ),
    Goal("Connections of a loop in process", "loop", Side("in process"), most=1, metric=CONNECTIONS),
    Goal("One task as a module, by one `uri` task", "tasks", _net("module"), _net("uri"), most=1.0),
    Goal(
        "One task as a module, by one `uri` task with pipelining on", "tasks", _net("module"), _net("uri, pipelining")
    ),
    Goal("A creation as a module, by the two `uri` tasks", "tasks", _net("module, new"), _net("uri, new"), most=0.6),
    Goal(
        "A change as a module, by the two `uri` tasks", "tasks", _net("module, change"), _net("uri, change"), most=0.6
    ),
)
BULK = (
    Goal("1,000 unchanged in process, net, by the script", "bulk-1000", _net("in process"), Side("script"), most=1.5),
    Goal("1,000 unchanged as module, net, by the script", "bulk-1000", _net("module"), Side("script"), most=3.5),
    Goal("A module that only imports `requests`, net, by the script", "bulk-1000", _net("nothing"), Side("script")),
    Goal("5,000 unchanged in process, net, by the script", "bulk-5000", _net("in process"), Side("script"), most=2.5),
    Goal(
        "20,000 unchanged in process, net, time of an object, by that of 5,000",
        "linearity",
        _item("in process, many", "empty, many"),
        _item("in process, few", "empty, few"),
        most=1.3,
    ),
    Goal("`uri` list and filters, by 1,000 in process", "bulk-1000", Side("uri filters"), Side("in process"), least=4),
    Goal("`uri` list and filters, by 5,000 in process", "bulk-5000", Side("uri filters"), Side("in process"), least=30),
    Goal("`uri` list and a tuned template, by 1,000 in process", "bulk-1000", Side("uri template"), Side("in process")),
    Goal("`uri` list and a tuned template, by 5,000 in process", "bulk-5000", Side("uri template"), Side("in process")),
    Goal("`uri` GET each (from 10), by 1,000 in process", "bulk-1000", _get_each(1000), Side("in process"), least=300),
    Goal("`uri` GET each (from 10), by 5,000 in process", "bulk-5000", _get_each(5000), Side("in process"), least=1000),
    Goal(
        "200 new at 100 ms, net: concurrency 8, by concurrency 1",
        "latency-100",
        _net("in process, new, 8"),
        _net("in process, new, 1"),
        most=0.2,
    ),
    Goal("Connections of it", "latency-100", Side("in process, new, 8"), most=8, metric=CONNECTIONS),
    Goal(
        "20 panels, 500 unchanged each, 5 forks, by one panel",
        "fleet",
        Side("5 forks, in process"),
        Side("one, in process"),
        most=4,
    ),
    Goal(
        "Peak memory of 5,000 in process, by the empty play",
        "memory",
        Side("in process"),
        Side("empty"),
        most=2,
        metric=MEMORY,
    ),
    Goal("Registered result of 5,000 unchanged in process", "result", Side("in process"), most=2000, metric=RESULT),
    Goal("Registered result of 5,000 unchanged as module", "result", Side("module"), most=2000, metric=RESULT),
)
PASSWORDS = tuple(
    Goal(
        f"5,000 with a password each, by 5,000 without: {way}{mode}",
        "passwords",
        Side(f"{way}, with{mode}"),
        Side(f"{way}, without{mode}"),
        most=1.2,
    )
    for way in ("in process", "module")
    for mode in ("", ", all shown", ", new")
)
GOALS = (*ONE_BY_ONE, *BULK, *PASSWORDS)

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare what was measured with the goals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from tools.bench.goals import WALL, Goal, Side
from tools.bench.rows import Measured

Rows = Mapping[str, Measured]


@dataclass(frozen=True)
class Verdict:
    """A goal's values, one for each round in which all of its rows were measured; `cpu` has the same with processor times."""

    goal: Goal
    values: list[float]
    cpu: list[float]

    @property
    def is_met(self) -> bool | None:
        """Whether the median meets the goal; None where nothing was measured or nothing is demanded."""
        if not self.values or (self.goal.most is None and self.goal.least is None):
            return None
        value = median(self.values)
        if self.goal.most is not None:
            return value <= self.goal.most
        return self.goal.least is not None and value >= self.goal.least


def judge(goal: Goal, rows: Rows) -> Verdict:
    """Return the values of a goal from the rows of its experiment."""
    cpu = paired(goal, rows, "cpu") if goal.metric == WALL else []
    return Verdict(goal, paired(goal, rows, goal.metric), cpu)


def paired(goal: Goal, rows: Rows, metric: str) -> list[float]:
    """Return the goal's value in each round that has all of its rows."""
    over = side_by_round(goal.over, rows, metric)
    if goal.under is None:
        return list(over.values())
    under = side_by_round(goal.under, rows, metric)
    # A side that is not more than what is taken off it cannot be divided by.
    return [value / under[number] for number, value in over.items() if under.get(number, 0) > 0]


def side_by_round(side: Side, rows: Rows, metric: str) -> dict[int, float]:
    """Return a side's value by round."""
    names = [side.row, *filter(None, (side.net_of, side.plus))]
    if not all(name in rows for name in names):
        return {}
    values = {name: rows[name].values(metric) for name in names}
    times = 1 / rows[side.row].row.count if side.per_item else side.times
    rounds = sorted(set.intersection(*(set(found) for found in values.values())))
    return {
        number: (values[side.row][number] - values.get(side.net_of, {}).get(number, 0.0)) * times
        + values.get(side.plus, {}).get(number, 0.0)
        for number in rounds
    }

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A panel that reloads after every tenth write gets every object once, and hardly a request more than without reloads."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.bulk import Resources, apply, changed_everywhere, count, customers, panel_of
from tests.support.simulator import Simulator

RELOADING = {"reload_every_writes": 10, "reload_milliseconds": 300}
CONCURRENCIES = (1, 8)
WANTED = customers(20)
CHANGED = {**changed_everywhere(WANTED), "plans": WANTED["plans"]}
# Of every kind; of a creation also of admins, whose names no client may have, between the creations of what the panel would make twice, and
# after them of that and of what a server may have given another name.
LISTS = {"creations": len(WANTED) + 1 + 2 + 4, "changes": len(WANTED)}
STEPS = {"creations": WANTED, "changes": CHANGED}


@dataclass(frozen=True)
class Step:
    """One run, how many requests it made, and the panel afterwards."""

    result: dict[str, Any]
    requests: int
    panel: Resources


Steps = dict[tuple[str, int], Step]


def run_step(name: str, concurrency: int, settings: dict[str, Any]) -> Step:
    """One of the runs, on a panel of its own."""
    with Simulator.start(settings={"status_delay": 0, **settings}) as simulator:
        if name == "changes":
            simulator.seed(WANTED)
        result = apply(simulator, STEPS[name], concurrency=concurrency)
        return Step(result, len(simulator.log()), panel_of(simulator))


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, Step]:
    return {name: run_step(name, 4, {}) for name in STEPS}


@pytest.fixture(scope="module")
def runs() -> Steps:
    """With reloads; side by side, since they mostly wait."""
    wanted = list(itertools.product(STEPS, CONCURRENCIES))
    with ThreadPoolExecutor(len(wanted)) as pool:
        return dict(zip(wanted, pool.map(lambda step: run_step(*step, RELOADING), wanted), strict=True))


@pytest.mark.parametrize("concurrency", CONCURRENCIES)
@pytest.mark.parametrize("name", STEPS)
def test_reloads_make_nothing_fail_and_nothing_twice(
    runs: Steps, undisturbed: dict[str, Step], name: str, concurrency: int
) -> None:
    step, expected = runs[name, concurrency], undisturbed[name]
    assert not step.result.get("failed"), step.result["msg"]
    assert {entry["result"] for entry in step.result["results"]} == {"changed"}
    assert len(step.result["results"]) == (count(WANTED) if name == "creations" else count(WANTED) - 1)
    assert step.panel == expected.panel


@pytest.mark.parametrize("concurrency", CONCURRENCIES)
@pytest.mark.parametrize("name", STEPS)
def test_reloads_cost_at_most_a_tenth_more_requests(
    runs: Steps, undisturbed: dict[str, Step], name: str, concurrency: int
) -> None:
    least = undisturbed[name].requests
    assert least == LISTS[name] + len(undisturbed[name].result["results"]) > 200
    assert runs[name, concurrency].requests <= least * 1.1

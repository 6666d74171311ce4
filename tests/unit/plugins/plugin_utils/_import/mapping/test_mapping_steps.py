"""The steps of an import name all that they need of each other; nothing else is in their order."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapped_source import (
    MappedSource,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapping import mapper
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapping.mapper import map_source
from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapping.steps import (
    CONTENT,
    STEPS,
    Step,
    run_steps,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.operator_mapping import (
    read_mapping,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    Source,
)
from tests.support.generated_sources import draw_source


@st.composite
def draw_orders(draw: Any) -> tuple[Step, ...]:
    """Draw the steps in any order in which each comes after those that it needs."""
    remaining = list(STEPS)
    ordered: list[Step] = []
    while remaining:
        done = {step.name for step in ordered}
        ready = [step for step in remaining if done.issuperset(step.needs)]
        step = draw(st.sampled_from(ready))
        remaining.remove(step)
        ordered.append(step)
    return tuple(ordered)


def map_in_order(source: Source, steps: tuple[Step, ...]) -> MappedSource:
    """Return a source as a folder, made by steps in an order."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mapper, "STEPS", steps)
        return map_source(source, read_mapping(None))


def count_entries(mapped: MappedSource) -> dict[str, Counter[Any]]:
    """Return the entries of each list, whose order is that of the steps."""
    lists = {
        "carried": mapped.carried,
        "renamed": mapped.renamed,
        "left_out": mapped.left_out,
        "questions": mapped.questions,
    }
    return {
        name: Counter(tuple(sorted(entry.items(), key=repr)) for entry in entries)
        for name, entries in lists.items()
    }


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(source=draw_source(), steps=draw_orders())
def test_steps_that_need_nothing_of_each_other_may_change_places(
    source: Source, steps: tuple[Step, ...]
) -> None:
    usual = map_source(source, read_mapping(None))

    reordered = map_in_order(source, steps)

    assert repr(reordered.resources) == repr(usual.resources)
    assert reordered.content == usual.content
    assert reordered.exceeded_limits == usual.exceeded_limits
    assert count_entries(reordered) == count_entries(usual)


def test_a_step_gets_the_results_that_it_needs_and_no_others() -> None:
    got: dict[str, tuple[Any, ...]] = {}

    def note(name: str) -> Any:
        def run(_case: Any, *needed: Any) -> str:
            got[name] = needed
            return f"result of {name}"

        return run

    steps = [Step("a", note("a")), Step("b", note("b"), ("a",)), Step("c", note("c"), ("b", "a"))]
    case: Any = None

    assert run_steps(case, steps)["c"] == "result of c"
    assert got == {"a": (), "b": ("result of a",), "c": ("result of b", "result of a")}


def test_a_step_before_one_that_it_needs_is_a_fault() -> None:
    case: Any = None

    with pytest.raises(KeyError, match="names"):
        run_steps(case, [step for step in STEPS if step.name == "domains"])


def test_each_name_of_a_step_is_used_once() -> None:
    names = [step.name for step in STEPS]

    assert len(set(names)) == len(names)
    assert {*CONTENT} <= {*names}

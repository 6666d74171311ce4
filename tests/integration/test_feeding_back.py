# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an info module reads, its twin takes as options and finds nothing to do."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind, argument_spec
from tests.support import pem
from tests.support.grid import full_body
from tests.support.playbook import IN_PROCESS, PRELOADED, Run, play, task
from tests.support.samples import key_of, kinds, resolved, samples
from tests.support.simulator import Simulator

KINDS = list(kinds().values())


@pytest.fixture(scope="module")
def run(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Reads an object of every kind with every member set, then hands what was read to the twin."""
    ids: dict[str, int] = {}

    def by_id(value: Any) -> Any:
        return resolved(value, ids.__getitem__, pem.texts())

    simulator.reset()
    simulator.seed(by_id(samples()["world"]))
    for kind, name in (("plans", "name"), ("clients", "username"), ("certificates", "name"), ("domains", "domain")):
        for item in simulator.objects("hosting_plans" if kind == "plans" else kind):
            ids[f"{kind}/{item[name]}"] = item["id"]
    for kind in KINDS:
        simulator.seed({kind.plural: [by_id(full_body(kind))]})
    folder = tmp_path_factory.mktemp("feeding back")
    names = {kind.singular: by_id({name: sample.option for name, sample in key_of(kind).items()}) for kind in KINDS}
    reading = [task(kind.plural, f"{kind.module}_info", names[kind.singular]) for kind in KINDS]
    read = play(reading, simulator, folder / "reading", IN_PROCESS, variables=PRELOADED)
    writing = [
        task(kind.singular, kind.module, options_from(kind, read[kind.plural].result[kind.plural][0])) for kind in KINDS
    ]
    return play(writing, simulator, folder / "writing", IN_PROCESS, variables=PRELOADED)


def options_from(kind: Kind, item: dict[str, Any]) -> dict[str, Any]:
    """All members of an object that are options, as they are; the id names it."""
    key = {name for name in key_of(kind) if len(kind.key) == 1}
    return {name: value for name, value in item.items() if name in argument_spec(kind) and name not in key}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.singular)
def test_what_is_read_can_be_given_and_is_right_already(run: Run, kind: Kind) -> None:
    recording = run[kind.singular]
    assert recording.outcome == "ok", recording.msg
    assert recording.writes == []
    assert not recording.changed
    assert "warnings" not in recording.result, recording.result["warnings"]

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets that are ordinary words, or names of the very objects: results have to be the same as with any other secret."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind
from tests.support.bulk import panel_client
from tests.support.grid import key_options
from tests.support.samples import kinds
from tests.support.simulator import Simulator
from tests.support.tasks import run_task
from tools.reliability.canary_tasks import SETTINGS, creation, world
from tools.reliability.figures import Row, Size
from tools.reliability.matrix import SECRETS

WORDS = ("admin", "true", "acme", "1", "ok", "present", "de", "changed", "example")
LONG = "Correct-horse-battery-7"


def run(size: Size) -> list[Row]:
    """The rows of the table."""
    started = time.monotonic()
    with_password = [kind for kind in kinds().values() if kind.password is not None]
    words = WORDS if size is Size.FULL else WORDS[:3]
    tried, wrong = Counter[str](), []
    with Simulator.start(settings=SETTINGS) as simulator:
        for kind in with_password:
            expected = list(_results(simulator, kind, LONG))
            for word in (*words, *map(str, key_options(kind).values())):
                found = list(_results(simulator, kind, word))
                tried.update({f"module {kind.module}": len(found) - 1, "module panel_resources": 1})
                wrong += [
                    f"{kind.singular} with the password {word}: {one} instead of {other}"
                    for one, other in zip(found, expected, strict=True)
                    if one != other
                ]
    return [
        Row(
            experiment="short secrets",
            what="passwords that are ordinary words or the object's own name",
            tried=tried.total(),
            survived=tried.total() - len(wrong),
            seconds=time.monotonic() - started,
            remark="results equal those with a long password",
            wrong=wrong,
            promise=SECRETS,
            covered=tried,
        )
    ]


def _results(simulator: Simulator, kind: Kind, password: str) -> Iterator[dict[str, Any]]:
    """What a person sees of a creation, a change and many objects at once."""
    options = {**creation(kind), "password": password}
    client = panel_client(simulator)
    try:
        for operation, given in (
            (resource_operation(kind), options),
            (resource_operation(kind), {**options, "update_password": "always"}),
            (resources_operation(), {"resources": {kind.plural: [options]}}),
        ):
            if operation.summarized or given is options:
                simulator.reset()
                simulator.settings(SETTINGS)
                simulator.seed(world())
            yield _without_times(run_task(operation, client, given))
    finally:
        client.close()


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_times(member) for name, member in value.items() if name != "created_at"}
    return [_without_times(entry) for entry in value] if isinstance(value, list) else value

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Five thousand objects, most with a password, are nothing that takes long or fills a screen, also when one of them is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.bulk import Resources, customers
from tests.support.playbook import WAYS, Run, play, task
from tests.support.simulator import Simulator

OBJECTS = 5000
LARGEST_RESULT = 2000  # bytes
LONGEST = 30.0  # seconds; it takes less than two


def with_passwords_of_their_own() -> Resources:
    wanted = customers(500)
    for kind, items in wanted.items():
        for number, item in enumerate(items):
            if "password" in item:
                item["password"] = f'Pässword "{number}" of {kind}/\'&%'
    return wanted


WANTED = with_passwords_of_their_own()
REFUSED = {**WANTED["emails"][1234], "max_size": "7G"}


def tasks() -> Iterator[dict[str, Any]]:
    whole = "{{ lookup('ansible.builtin.file', 'panel.json') | from_json }}"
    one_refused = f"{{{{ {whole[3:-3]} | combine({{'emails': [refused]}}, list_merge='append') }}}}"
    fault = {
        "kind": "body",
        "status": 400,
        "method": "POST",
        "when": "before",
        "body": {"code": "400 Bad Request", "message": f"The password {REFUSED['password']} is too weak."},
    }
    yield task("unchanged", "panel_resources", {"resources": whole})
    yield task("unchanged, check", "panel_resources", {"resources": whole}, check_mode=True)
    yield task(
        "one refused",
        "panel_resources",
        {"resources": one_refused},
        [["POST", "/faults", fault]],
        vars={"refused": {**REFUSED, "email": "new@customer-001.example"}},
    )


@pytest.fixture(scope="module")
def runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    simulator.seed(WANTED)
    found = {}
    for way in WAYS:
        folder = tmp_path_factory.mktemp("size")
        (folder / "panel.json").write_text(json.dumps(WANTED), encoding="utf-8")
        found[way] = play(tasks(), simulator, folder, way)
    return found


@pytest.mark.parametrize("name", ["unchanged", "unchanged, check"])
def test_the_result_of_thousands_that_are_right_is_small(runs: dict[str, Run], way: str, name: str) -> None:
    recording = runs[way][name]
    assert recording.outcome == "ok", recording.msg
    assert not recording.changed
    assert recording.result["plan"]["summary"]["unchanged"] > OBJECTS
    assert len(json.dumps(recording.result)) < LARGEST_RESULT
    assert recording.seconds < LONGEST


def test_thousands_of_passwords_do_not_slow_down_a_failure(runs: dict[str, Run], way: str) -> None:
    recording = runs[way]["one refused"]
    assert recording.outcome == "failed"
    assert "1 of 1 changes failed" in recording.msg
    assert "is too weak" in recording.msg
    assert REFUSED["password"] not in str(recording.result)
    assert recording.seconds < LONGEST


def test_the_screen_shows_little_of_them(runs: dict[str, Run], way: str) -> None:
    assert len(runs[way].text) < 5 * LARGEST_RESULT
    assert "Pässword" not in runs[way].text

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Five thousand objects, most with a password, are nothing that takes long or fills a screen, also when one of them is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.bulk import Resources, customers
from tests.support.playbook import WAYS, Run, play, task
from tests.support.simulator import Simulator
from tests.support.worker import work

OBJECTS = 5000
LARGEST_RESULT = 2000  # bytes
LONGEST = 30.0  # seconds; it takes less than two


def with_passwords_of_their_own() -> Resources:
    wanted = customers(500)
    for kind, items in wanted.items():
        for number, item in enumerate(items):
            if "password" in item:
                item["password"] = f'Gehäuse "{number}" of {kind}/\'&%'
    return wanted


WANTED = with_passwords_of_their_own()
REFUSED = {**WANTED["emails"][1234], "max_size": "7G"}


def tasks() -> Iterator[dict[str, Any]]:
    one_refused = {**WANTED, "emails": [*WANTED["emails"], {**REFUSED, "email": "new@customer-001.example"}]}
    fault = {
        "kind": "body",
        "status": 400,
        "method": "POST",
        "when": "before",
        "body": {"code": "400 Bad Request", "message": f"The password {REFUSED['password']} is too weak."},
    }
    yield task("unchanged", "panel_resources", {"resources": WANTED})
    yield task("unchanged, check", "panel_resources", {"resources": WANTED}, check_mode=True)
    yield task("one refused", "panel_resources", {"resources": one_refused}, [["POST", "/faults", fault]])


@pytest.fixture(scope="module")
def runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    simulator.seed(WANTED)
    return {way: work(tasks(), simulator, tmp_path_factory.mktemp("size"), way) for way in WAYS}


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


def test_the_screen_shows_little_of_them(runs: dict[str, Run], simulator: Simulator, tmp_path: Path) -> None:
    (tmp_path / "panel.json").write_text(json.dumps(WANTED), encoding="utf-8")
    *_quiet, refused = tasks()
    whole = "{{ lookup('ansible.builtin.file', 'panel.json') | from_json }}"
    refused["hosting.panel.panel_resources"] = {
        "resources": f"{{{{ {whole[3:-3]} | combine({{'emails': [refused]}}, list_merge='append') }}}}"
    }
    refused["vars"]["refused"] = {**REFUSED, "email": "new@customer-001.example"}
    run = play([refused], simulator, tmp_path)
    assert run["one refused"].outcome == "failed"
    assert len(run.text) < 5 * LARGEST_RESULT
    assert "Gehäuse" not in run.text

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every member of every kind refuses a value that does not fit, before the first request, with a sentence that names it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.grid import key_options
from tests.support.playbook import IN_PROCESS, PRELOADED, Run, play, task
from tests.support.samples import Member, kinds, members_of, put
from tests.support.simulator import Simulator

WRONG = [(member, value) for kind in kinds().values() for member in members_of(kind) for value in member.wrong]


def name_of(member: Member, value: Any) -> str:
    """The name of the task, and of the test."""
    return f"{member.kind.singular}: {member.path}: {value!r}"


@pytest.fixture(scope="module")
def run(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """All of them; that both ways say the same is tested type by type, in test_bad_input.py."""
    tasks = [
        task(name_of(member, value), member.kind.module, put(key_options(member.kind), member.path, value))
        for member, value in WRONG
    ]
    return play(tasks, simulator, tmp_path_factory.mktemp("wrong"), IN_PROCESS, variables=PRELOADED)


@pytest.mark.parametrize(("member", "value"), WRONG, ids=[name_of(member, value) for member, value in WRONG])
def test_a_wrong_value_is_refused_before_the_first_request(run: Run, member: Member, value: Any) -> None:
    recording = run[name_of(member, value)]
    assert recording.outcome == "failed"
    assert recording.requests == []
    name = member.path.rpartition(".")[2]
    # Our own sentence, or Ansible's for the types that it knows.
    assert recording.msg.startswith((f"{member.path}: ", f"argument '{name}' is of type ", f"value of {name} must be"))
    assert "\n" not in recording.msg

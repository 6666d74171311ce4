# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one form of what the job of a role ends with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._inputs.ids import WithoutId
from ansible_collections.hosting.panel.plugins.plugin_utils._run import module_runs
from ansible_collections.hosting.panel.plugins.plugin_utils._run.job import Job, JobAction
from ansible_collections.hosting.panel.plugins.plugin_utils._run.job_failed import JobFailed, explained, mistaken


class NoRoom(Exception):
    """An error of a room."""


def result_of(steps: Callable[[Job], Mapping[str, Any]], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What a task returns whose action has these steps, beside a module that warns and fails."""
    answer = {"failed": True, "msg": "denied", "warnings": ["slow", "slow"], "error": {"type": "Denied"}, "clients": []}
    monkeypatch.setattr(module_runs, "inner_module", lambda *_: SimpleNamespace(run=lambda task_vars: answer))
    action = type(
        "Action",
        (JobAction,),
        {
            "specification": {"name": {"type": "str"}},
            "failures": {NoRoom: "file: {} Nothing was written."},
            "steps": lambda _self, job: steps(job),
        },
    )
    made = action(
        task=SimpleNamespace(args={"name": "n"}, action="panel_job", async_val=0, check_mode=False, environment=None),
        connection=SimpleNamespace(_shell=SimpleNamespace(tmpdir="/nowhere")),
        play_context=SimpleNamespace(),
        loader=SimpleNamespace(),
        templar=SimpleNamespace(),
        shared_loader_obj=None,
    )
    done: dict[str, Any] = made.run()
    return done


def raising(error: Exception) -> Callable[[Job], Mapping[str, Any]]:
    def steps(job: Job) -> Mapping[str, Any]:
        job.shown["id"] = job.arguments["name"]
        job.warn(["one", "two", "one"])
        raise error

    return steps


@pytest.mark.parametrize(
    ("error", "members"),
    [
        (JobFailed("no.", changed=True, rows=[1]), {"msg": "no.", "changed": True, "rows": [1]}),
        (mistaken(["a: is wrong."]), {"msg": "a: is wrong. Nothing was written.", "mistakes": ["a: is wrong."]}),
        (NoRoom("is full."), {"msg": "file: is full. Nothing was written."}),
        (WithoutId("emails a"), {"msg": str(WithoutId("emails a"))}),
    ],
)
def test_what_a_job_knows_is_a_failure_with_what_it_had_to_show(
    error: Exception, members: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {"id": "n", "changed": False, "failed": True, "warnings": ["one", "two"]}
    assert result_of(raising(error), monkeypatch) == {**known, **members}


def test_a_module_that_fails_ends_the_job_with_its_message_and_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert result_of(lambda job: job.panel.read("panel_client_info", "clients", {}), monkeypatch) == {
        "changed": False,
        "failed": True,
        "msg": "denied",
        "error": {"type": "Denied"},
        "warnings": ["slow"],
    }


def test_what_nobody_expects_is_not_passed_off_as_a_known_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LookupError):
        result_of(raising(LookupError()), monkeypatch)


def test_a_file_that_cannot_be_used_is_named_with_the_cause() -> None:
    with (
        pytest.raises(JobFailed, match=r"^page: /a: Is a directory\. Nothing was written\.$"),
        explained("page: /a", "Nothing was written."),
    ):
        raise IsADirectoryError(21, "Is a directory")

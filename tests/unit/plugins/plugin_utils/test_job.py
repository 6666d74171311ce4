# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one form of what the job of a role ends with."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import connection_argument_spec
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs import run_modules
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.job import Job, JobAction
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.job_failed import (
    JobFailed,
    WithoutId,
    explained,
    mistaken,
)
from tools.layout import ROOT


class NoRoom(Exception):
    """An error of a room."""


ROLES = {
    path.stem: action
    for path in sorted((ROOT / "plugins" / "action").glob("panel_*.py"))
    if getattr(
        action := importlib.import_module(f"ansible_collections.hosting.panel.plugins.action.{path.stem}").ActionModule,
        "role",
        "",
    )
}


def result_of(steps: Callable[[Job], Mapping[str, Any]], monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What a task returns whose action has these steps, beside a module that warns and fails."""
    answer = {"failed": True, "msg": "denied", "warnings": ["slow", "slow"], "error": {"type": "Denied"}, "clients": []}
    monkeypatch.setattr(run_modules, "inner_module", lambda *_: SimpleNamespace(run=lambda task_vars: answer))
    action = type(
        "Action",
        (JobAction,),
        {
            "role": "rotate",
            "specification": {"name": {"type": "str"}, "max": {"type": "int"}, "api_key": {"type": "str"}},
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
        # Ansible prints all of a result that failed, so what the message says is in no other member.
        (mistaken(["a: is wrong."]), {"msg": "a: is wrong. Nothing was written."}),
        (NoRoom("is full."), {"msg": "file: is full. Nothing was written."}),
        (JobFailed("max: is 0."), {"msg": "max (rotate_max in the role rotate): is 0."}),
        (JobFailed("api_key: missing."), {"msg": "api_key: missing."}),
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


@pytest.mark.parametrize("action", ROLES.values(), ids=ROLES)
def test_an_option_is_named_as_a_variable_that_the_role_has(action: type[JobAction]) -> None:
    specification = yaml.safe_load((ROOT / "roles" / action.role / "meta" / "argument_specs.yml").read_text("utf-8"))
    known = {"", *(name for entry in specification["argument_specs"].values() for name in entry["options"])}
    own = action.specification.keys() - connection_argument_spec().keys()
    assert {action.variable_of(option) for option in own} <= known
    assert action.variables.keys() <= own


def test_roles_whose_options_are_those_of_an_action_have_their_variables_named() -> None:
    assert {action.role for action in ROLES.values()} == {
        "certificate",
        "report",
    }


def test_a_file_that_cannot_be_used_is_named_with_the_cause() -> None:
    with (
        pytest.raises(JobFailed, match=r"^page: /a: Is a directory\. Nothing was written\.$"),
        explained("page: /a", "Nothing was written."),
    ):
        raise IsADirectoryError(21, "Is a directory")

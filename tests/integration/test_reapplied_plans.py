# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan that changes: clients keep what they got, which a warning tells, until their plan is assigned again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.playbook import IN_PROCESS, Run, task
from tests.support.simulator import Simulator
from tests.support.worker import work

GOLD = {"name": "Gold", "resources": {"domains": 5}}
MORE = {"name": "Gold", "resources": {"domains": 9}}
WARNING = (
    "2 clients have the hosting plan Gold, and keep the limits that came with it before; set reapply_plan: true for a client to assign it "
    "again."
)
# Whether answers about clients show which plan they have, and what lists leave out of them.
PANELS: dict[str, dict[str, Any]] = {
    "shown": {},
    "hidden": {"hidden_members": {"clients": ["id_hosting_plan"]}},
    "short": {"short_lists": {"clients": ["resource_limits", "permissions", "php", "php_fpm"]}},
}


def tasks() -> Iterator[dict[str, Any]]:
    seed = {
        "hosting_plans": [GOLD],
        "clients": [{"username": name, "hosting_plan": "Gold"} for name in ("acme", "globex")]
        + [{"username": "other"}],
    }
    usual = {"hidden_members": {}, "short_lists": {}}
    for name, settings in PANELS.items():
        before = [["POST", "/reset", None], ["POST", "/settings", usual], ["POST", "/seed", seed]]
        before.append(["POST", "/settings", settings])
        yield task(f"{name}: change, check", "panel_plan", MORE, before, check_mode=True)
        yield task(f"{name}: change", "panel_plan", MORE)
        yield task(f"{name}: change again", "panel_plan", MORE)
        acme = {"username": "acme", "hosting_plan": "Gold", "reapply_plan": True}
        yield task(f"{name}: client, check", "panel_client", acme, check_mode=True)
        yield task(f"{name}: client", "panel_client", acme)
        yield task(f"{name}: client again", "panel_client", acme)
        yield task(
            f"{name}: without its plan", "panel_client", {"username": "globex", "reapply_plan": True}, check_mode=True
        )
        items: dict[str, Any] = {"clients": [acme, {**acme, "username": "globex"}]}
        yield task(f"{name}: together", "panel_resources", {"resources": items})
        yield task(f"{name}: together again", "panel_resources", {"resources": items})
        both = {"resources": {"plans": [{"name": "Gold", "resources": {"domains": 12}}], **items}}
        yield task(f"{name}: plan and clients, check", "panel_resources", both, check_mode=True)
        yield task(f"{name}: plan and clients", "panel_resources", both)
        yield task(f"{name}: plan and clients again", "panel_resources", both)
        last = {"resources": {"plans": [{"name": "Gold", "resources": {"domains": 20}}]}}
        yield task(f"{name}: plan in bulk", "panel_resources", last)
        yield task(f"{name}: renamed", "panel_plan", {"name": "Gold", "new_name": "Silver"})


@pytest.fixture(scope="module")
def run(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    yield work(tasks(), simulator, tmp_path_factory.mktemp("plans"), IN_PROCESS)


@pytest.mark.parametrize("panel", PANELS)
def test_a_changed_plan_tells_how_many_clients_keep_the_old_limits(run: Run, panel: str) -> None:
    for name in ("change", "change, check"):
        assert run[f"{panel}: {name}"].result["warnings"] == [WARNING]
    assert run[f"{panel}: change"].calls.count("GET /clients") == 1
    again = run[f"{panel}: change again"]
    assert (again.changed, again.calls, again.result.get("warnings")) == (False, ["GET /hosting-plans/name/Gold"], None)
    (warning,) = run[f"{panel}: plan in bulk"].result["warnings"]
    assert WARNING in warning
    assert "warnings" not in run[f"{panel}: renamed"].result


@pytest.mark.parametrize("panel", PANELS)
def test_the_plan_is_assigned_again_once(run: Run, panel: str) -> None:
    predicted, real, again = (run[f"{panel}: client{step}"] for step in (", check", "", " again"))
    assert (predicted.changed, predicted.writes) == (True, [])
    assert predicted.result["diff"] == real.result["diff"]
    assert [(request["path"], request["body"]) for request in real.writes] == [("/clients/2", {"id_hosting_plan": 2})]
    assert (again.changed, again.writes) == (False, [])


@pytest.mark.parametrize("panel", PANELS)
def test_the_plan_that_a_client_has_need_not_be_named_where_the_panel_shows_it(run: Run, panel: str) -> None:
    recording = run[f"{panel}: without its plan"]
    if panel == "hidden":
        assert recording.msg.startswith(
            "reapply_plan: the panel does not show which hosting plan the client globex has."
        )
    else:
        assert (recording.outcome, recording.changed) == ("ok", True)


@pytest.mark.parametrize("panel", PANELS)
def test_in_bulk_it_is_the_same_and_waits_for_the_plan(run: Run, panel: str) -> None:
    assert [request["path"] for request in run[f"{panel}: together"].writes] == ["/clients/3"]
    assert run[f"{panel}: together again"].changed is False
    predicted, real, again = (run[f"{panel}: plan and clients{step}"] for step in (", check", "", " again"))
    assert predicted.result["plan"] == real.result["plan"]
    assert sorted(request["path"] for request in real.writes) == ["/clients/2", "/clients/3", "/hosting-plans/2"]
    assert real.writes[0]["path"] == "/hosting-plans/2"
    assert "warnings" not in real.result
    assert (again.outcome, again.changed) == ("ok", False)

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels that have other paths than those that are inferred: 404 there is neither "gone" nor "not there yet"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._items.export_panel import export_operation
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from ansible_collections.hosting.panel.plugins.module_utils._object.info import info_operation
from ansible_collections.hosting.panel.plugins.module_utils._task.operation import Operation
from tests.support.bulk import apply, manage, run_on
from tests.support.simulator import Simulator

CLIENTS = [{"username": "acme"}, {"username": "globex"}]
# By kind: what is there, how it is named, and another value of it.
THERE: dict[str, tuple[dict[str, Any], tuple[str, ...], dict[str, Any]]] = {
    "ftp_users": (
        {"username": "acme_ftp", "client": "acme", "description": "old"},
        ("username",),
        {"description": "new"},
    ),
    "directory_protections": (
        {"client": "acme", "path": "/shop", "username": "boss", "auth_name": "old"},
        ("client", "path", "username"),
        {"auth_name": "new"},
    ),
    "scheduled_tasks": (
        {"client": "acme", "description": "nightly", "type": "exec", "command": "/www/x"},
        ("client", "description"),
        {"command": "/www/y"},
    ),
}
BASE = {plural: TABLES[plural].path for plural in THERE}


def run(simulator: Simulator, operation: Operation, options: Mapping[str, Any]) -> dict[str, Any]:
    return run_on(simulator, operation, options, retry_time=3)


def single(simulator: Simulator, plural: str, options: Mapping[str, Any]) -> dict[str, Any]:
    return manage(simulator, plural, options, in_bulk=False, retry_time=3)


def bulk(simulator: Simulator, plural: str, options: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """As the single module does it; a result of its one item."""
    result = apply(simulator, {plural: [dict(options)] if options else []}, retry_time=3, **more)
    (shown,) = [entry for entry in result.get("results", ()) if "error" in entry] or [result]
    return {**shown, "changed": result["changed"], "failed": result.get("failed", False)}


WAYS = {"single": single, "bulk": bulk}


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=THERE)
def plural(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def lay_out(simulator: Simulator, plural: str, *missing: str, **settings: Any) -> int:
    """A panel with one object, without these paths; its id."""
    simulator.reset()
    simulator.seed({"clients": CLIENTS, plural: [THERE[plural][0]]})
    simulator.settings({"missing_paths": list(missing), "status_delay": 0.0, **settings})
    simulator.clear_log()
    identifier: int = simulator.objects(plural)[0]["id"]
    return identifier


def key(plural: str) -> dict[str, Any]:
    members, names, _change = THERE[plural]
    return {name: members[name] for name in names}


def test_what_cannot_be_deleted_for_want_of_a_path_is_not_said_to_be(
    simulator: Simulator, plural: str, way: str
) -> None:
    identifier = lay_out(simulator, plural, f"DELETE {BASE[plural]}/.*")
    for _run in range(2):
        result = WAYS[way](simulator, plural, {**key(plural), "state": "absent"})
        assert (result["failed"], result["changed"]) == (True, False)
        assert f"DELETE {BASE[plural]}/{identifier} answered 404" in result["msg"]
        assert "this panel has no such path" in result["msg"]
    assert len(simulator.objects(plural)) == 1


def test_a_purge_says_what_it_could_not_delete(simulator: Simulator, plural: str) -> None:
    lay_out(simulator, plural, f"DELETE {BASE[plural]}/.*")
    result = bulk(simulator, plural, {}, purge=[plural], max_deletes=5)
    assert (result["failed"], result["changed"]) == (True, False)
    assert "this panel has no such path" in result["msg"]


def test_what_cannot_be_changed_for_want_of_a_path_is_not_made_again(
    simulator: Simulator, plural: str, way: str
) -> None:
    identifier = lay_out(simulator, plural, f"PUT {BASE[plural]}/.*")
    result = WAYS[way](simulator, plural, {**key(plural), **THERE[plural][2]})
    assert (result["failed"], result["changed"]) == (True, False)
    assert f"PUT {BASE[plural]}/{identifier} answered 404" in result["msg"]
    assert "this panel has no such path" in result["msg"]
    assert [entry["method"] for entry in simulator.writes()] == ["PUT"]


def test_what_the_list_shows_too_shortly_is_not_made_again_for_want_of_a_path(
    simulator: Simulator, plural: str, way: str
) -> None:
    last = THERE[plural][1][-1]
    identifier = lay_out(simulator, plural, f".* {BASE[plural]}/.*", short_lists={plural: [last]})
    result = WAYS[way](simulator, plural, {**THERE[plural][0], **THERE[plural][2]})
    assert (result["failed"], result["changed"]) == (True, False)
    assert f"GET {BASE[plural]} shows no {last} of" in result["msg"]
    assert "Nothing was written" in result["msg"]
    assert not simulator.writes()
    export = run(simulator, export_operation(), {"kinds": [plural]})
    assert [(one["id"], one["kind"]) for one in export["left_out"]] == [(identifier, plural)]
    assert export["resources"][plural] == []


def test_an_object_asked_for_by_its_id_is_what_the_list_shows(simulator: Simulator, plural: str) -> None:
    identifier = lay_out(simulator, plural, f".* {BASE[plural]}/.*")
    info = info_operation(TABLES[plural])
    assert [item["id"] for item in run(simulator, info, {"id": identifier})[plural]] == [identifier]
    assert run(simulator, info, {"id": identifier + 1})[plural] == []
    absent = single(simulator, plural, {"id": identifier, "state": "absent"})
    assert (absent["failed"], absent["changed"]) == (True, False)
    assert "this panel has no such path" in absent["msg"]
    assert single(simulator, plural, {"id": identifier + 1, "state": "absent"})["changed"] is False


def test_the_lists_of_clients_stand_in_for_a_list_that_the_panel_does_not_have(
    simulator: Simulator, plural: str, way: str
) -> None:
    identifier = lay_out(simulator, plural, f"GET {BASE[plural]}")
    there, _names, change = THERE[plural]
    assert WAYS[way](simulator, plural, there)["changed"] is False
    assert WAYS[way](simulator, plural, {**there, **change})["changed"] is True
    assert [(entry["method"], entry["path"]) for entry in simulator.writes()] == [
        ("PUT", f"{BASE[plural]}/{identifier}")
    ]
    found = run(simulator, info_operation(TABLES[plural]), {})[plural]
    assert [(item["id"], item["id_user"]) for item in found] == [(identifier, simulator.objects("clients")[0]["id"])]
    assert len(run(simulator, export_operation(), {"kinds": [plural]})["resources"][plural]) == 1
    assert WAYS[way](simulator, plural, {**key(plural), "state": "absent"})["changed"] is True
    assert WAYS[way](simulator, plural, {**key(plural), "state": "absent"})["changed"] is False
    assert not simulator.objects(plural)


def test_a_task_of_the_server_itself_is_not_made_where_nothing_would_show_it(simulator: Simulator, way: str) -> None:
    lay_out(simulator, "scheduled_tasks", "GET /scheduled-tasks")
    wanted = {"client": "", "description": "rotate", "type": "exec", "command": "/usr/bin/true"}
    result = WAYS[way](simulator, "scheduled_tasks", wanted)
    assert result["failed"]
    assert "no other path shows a scheduled task that belongs to no client" in result["msg"]
    assert not simulator.writes()


def test_nothing_is_taken_for_absent_where_neither_list_is_there(simulator: Simulator, plural: str, way: str) -> None:
    lay_out(simulator, plural, f"GET {BASE[plural]}", "GET /clients/.*/resources")
    result = WAYS[way](simulator, plural, {**key(plural), "state": "absent"})
    assert result["failed"]
    assert "/resources answered 404" in result["msg"]
    assert not simulator.writes()


def test_a_deletion_whose_answer_is_lost_is_done_where_the_list_says_so(simulator: Simulator, plural: str) -> None:
    lay_out(simulator, plural)
    simulator.fault({"kind": "reset", "method": "DELETE", "when": "after"})
    result = single(simulator, plural, {**key(plural), "state": "absent"})
    assert (result.get("failed", False), result["changed"]) == (False, True)
    assert not simulator.objects(plural)

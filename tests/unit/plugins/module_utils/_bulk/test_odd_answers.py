# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists that are not quite what the interface promises: nothing is lost by them, and none of them looks like a defect."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from tests.support.memory_panel import MemoryPanel
from tests.support.tasks import run_task

Objects = dict[str, list[dict[str, Any]]]


def run(panel: MemoryPanel, resources: dict[str, Any], **options: Any) -> dict[str, Any]:
    return run_task(resources_operation(), panel, {"resources": resources, "concurrency": 1, **options})


def tasks(owner: Any) -> Objects:
    """A client and a task that shows so whose it is."""
    task = {"id": 3, "id_user": owner, "description": "Backup", "type": "exec", "command": "/bin/true"}
    return {"/clients": [{"id": 1, "username": "acme", "notes": ""}], "/scheduled-tasks": [task]}


@pytest.mark.parametrize("owner", [1, "1"])
def test_an_object_is_protected_by_the_name_of_its_owner_however_the_panel_shows_the_id(owner: Any) -> None:
    panel = MemoryPanel(tasks(owner))
    protect = {"scheduled_tasks": ["acme:*"]}
    result = run(panel, {"scheduled_tasks": []}, purge=["scheduled_tasks"], max_deletes=9, protect=protect)
    assert result["changed"] is False
    assert panel.writes == []


@pytest.mark.parametrize("owner", [[1], {"a": 1}, "x"])
def test_an_object_with_an_owner_that_is_none_goes_by_its_id_alone(owner: Any) -> None:
    result = run(MemoryPanel(tasks(owner)), {"scheduled_tasks": []}, purge=["scheduled_tasks"], max_deletes=9)
    assert result["plan"]["actions"] == []
    assert result["warnings"][0].startswith(
        f"purge: scheduled_tasks: id {owner}:Backup (id 3): not deleted, since no item"
    )
    result = run(MemoryPanel(tasks(owner)), {"scheduled_tasks": [{"id": 3, "state": "absent"}]})
    assert [action["key"] for action in result["plan"]["actions"]] == [f"id {owner}:Backup"]


@pytest.mark.parametrize("parent", [5, "5"])
def test_a_www_subdomain_that_its_domain_asks_for_stays_however_the_panel_shows_the_id(parent: Any) -> None:
    shown = {"id_user": 1, "is_system_domain": False}
    panel = MemoryPanel(
        {
            "/domains": [
                {"id": 5, "domain": "acme.example", "id_parent_domain": 0, **shown},
                {"id": 6, "domain": "www.acme.example", "id_parent_domain": parent, **shown},
            ]
        }
    )
    wanted = {"domains": [{"domain": "acme.example", "create_www_subdomain": True}]}
    assert run(panel, wanted, purge=["domains"], max_deletes=9)["changed"] is False


@pytest.mark.parametrize("name", [[1], {"a": 1}, None, 5])
def test_an_object_whose_name_is_none_is_left_alone(name: Any) -> None:
    panel = MemoryPanel({"/clients": [{"id": 1, "username": name}, {"id": 2, "username": "acme", "notes": ""}]})
    assert run(panel, {"clients": [{"username": "acme", "notes": "x"}]})["changed"] is True
    assert panel.writes == [("PUT", "/clients/2", {"notes": "x"})]


@pytest.mark.parametrize("ids", [(1, 1), ([1], 2), ({"a": 1}, 2)])
def test_ids_that_do_not_tell_objects_from_each_other_end_the_task_before_a_write(ids: tuple[Any, Any]) -> None:
    names = ("acme", "globex")
    panel = MemoryPanel({"/clients": [{"id": one, "username": name} for one, name in zip(ids, names, strict=True)]})
    result = run(panel, {"clients": [{"username": "acme", "notes": "x"}]}, purge=["clients"], max_deletes=9)
    assert result["error"]["type"] == "UnexpectedAnswer"
    assert result["msg"].startswith(("GET /clients shows an id ", "GET /clients shows the id 1 twice"))
    assert panel.writes == []


@pytest.mark.parametrize("shown", [5, True, {"a": 1}, [[1]], None])
def test_aliases_that_are_no_list_are_replaced(shown: Any) -> None:
    account = {"id": 5, "email": "a@acme.example", "id_user": 1, "aliases": shown}
    panel = MemoryPanel({"/emails": [account], "/domains": [{"id": 31, "domain": "acme.example", "id_user": 1}]})
    run(panel, {"emails": [{"email": "a@acme.example", "aliases": ["x@acme.example"]}]})
    assert panel.writes == [("PUT", "/emails/5", {"aliases": ["x@acme.example"]})]


@pytest.mark.parametrize("shown", [{}, {"id": None}])
@pytest.mark.parametrize("state", ["present", "absent"])
def test_what_belongs_to_an_owner_without_an_id_is_neither_created_nor_absent(
    shown: dict[str, Any], state: str
) -> None:
    panel = MemoryPanel({"/clients": [{**shown, "username": "acme"}]})
    item = {"client": "acme", "description": "Backup", "type": "exec", "command": "/bin/true", "state": state}
    result = run(panel, {"scheduled_tasks": [item]})
    assert result["failed"]
    assert "shows acme without its id" in result["msg"]
    assert panel.writes == []


def test_a_directory_is_protected_whether_or_not_the_panel_shows_a_slash_at_its_end() -> None:
    panel = MemoryPanel(
        {
            "/clients": [{"id": 11, "username": "acme"}],
            "/directory-protections": [{"id": 71, "id_user": 11, "path": "/admin/", "username": "anna"}],
        }
    )
    options = {"purge": ["directory_protections"], "max_deletes": 9}
    wanted = {"resources": {"directory_protections": []}, **options}
    protected = {**wanted, "protect": {"directory_protections": ["acme:/admin:anna"]}}
    assert run_task(resources_operation(), panel, protected)["changed"] is False
    assert run_task(resources_operation(), panel, wanted)["plan"]["actions"][0]["key"] == "acme:/admin:anna"


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("owner", [None, True, 1.0, [1], "x", "../clients/2"])
def test_no_mailbox_is_created_for_an_owner_that_is_none(owner: Any, check_mode: bool) -> None:
    panel = MemoryPanel({"/domains": [{"id": 5, "domain": "acme.example", "id_user": owner}]})
    item = {"email": "a@acme.example", "password": "Correct-horse-7"}
    result = run_task(resources_operation(), panel, {"resources": {"emails": [item]}}, check_mode)
    assert "client: the panel shows no id in id_user of the mailbox a@acme.example" in result["msg"]
    assert panel.writes == []


def test_a_purge_deletes_by_the_number_that_a_text_says() -> None:
    panel = MemoryPanel({"/databases": [{"id": "7", "database_name": "acme_shop", "id_user": "1"}]})
    panel.objects["/databases"].append({"id": 8, "database_name": "acme_blog", "id_user": 1})
    panel.objects["/clients"] = [{"id": 1, "username": "acme"}]
    # The panel of this test finds its objects by numbers only.
    run(panel, {"databases": [{"database_name": "acme_blog"}]}, purge=["databases"], max_deletes=9)
    assert panel.writes == [("DELETE", "/databases/7", None)]


@pytest.mark.parametrize("identifier", ["../clients/2", "x", 1.5, True, -1])
def test_a_purge_never_deletes_by_what_is_no_id(identifier: Any) -> None:
    panel = MemoryPanel({"/databases": [{"id": identifier, "database_name": "acme_shop", "id_user": 1}]})
    result = run(panel, {"databases": []}, purge=["databases"], max_deletes=9)
    assert result["error"]["type"] == "UnexpectedAnswer"
    assert panel.writes == []

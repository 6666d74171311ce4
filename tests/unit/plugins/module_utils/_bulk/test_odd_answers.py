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


@pytest.mark.parametrize("ids", [(1, 1), ([1], 2), ({"a": 1}, 2)])
def test_ids_that_do_not_tell_objects_from_each_other_end_the_task_before_a_write(ids: tuple[Any, Any]) -> None:
    names = ("acme", "globex")
    panel = MemoryPanel({"/clients": [{"id": one, "username": name} for one, name in zip(ids, names, strict=True)]})
    result = run(panel, {"clients": [{"username": "acme", "notes": "x"}]}, purge=["clients"], max_deletes=9)
    assert result["error"]["type"] == "UnexpectedAnswer"
    assert result["msg"].startswith(("GET /clients shows an id ", "GET /clients shows the id 1 twice"))
    assert panel.writes == []


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

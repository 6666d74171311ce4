"""Directory protections: objects that the panel may hold twice, and lists that do not show whose they are."""

from __future__ import annotations

from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._kinds.services import DIRECTORY_PROTECTION
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from tests.support.memory_panel import MemoryPanel
from tests.support.tasks import run_task

OPERATION = resource_operation(DIRECTORY_PROTECTION)

STAFF: dict[str, Any] = {
    "id": 3,
    "status": 1,
    "id_user": 21,
    "path": "/shop/admin",
    "username": "keeper",
    "auth_name": "Staff only",
    "exceptions": ["/shop/admin/public", "/shop/admin/help"],
}
KEY: dict[str, Any] = {"client": "acme", "path": "/shop/admin/", "username": "keeper"}
SAME = {**KEY, "auth_name": "Staff only", "exceptions": ["/shop/admin/help", "/shop/admin/public"]}


def panel(*protections: dict[str, Any], short: tuple[str, ...] = ()) -> MemoryPanel:
    clients = [{"id": 21, "username": "acme"}, {"id": 22, "username": "rival"}]
    objects = {"/clients": clients, "/directory-protections": protections}
    return MemoryPanel(objects, short={"/directory-protections": short})


def test_the_whole_web_directory_is_a_slash() -> None:
    one = panel({**STAFF, "path": "/"}, {**STAFF, "id": 4, "path": ""})
    assert "(ids 3, 4)" in run_task(OPERATION, one, {**KEY, "path": "/"})["msg"]
    empty = run_task(OPERATION, one, {**KEY, "path": ""})
    assert empty["error"] == {"type": "OptionError", "option": "path"}
    assert "or / for all of it" in empty["msg"]


def test_a_panel_that_never_shows_the_owner_gets_no_second_object() -> None:
    hidden = {name: value for name, value in STAFF.items() if name != "id_user"}
    one = panel(hidden)
    result = run_task(OPERATION, one, SAME)
    assert (result["error"]["type"], one.writes) == ("UnexpectedAnswer", [])
    assert "shows no id_user of the directory protection with id 3" in result["msg"]

"""Directory protections: objects that the panel may hold twice, and lists that do not show whose they are."""

from __future__ import annotations

from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._kinds.services import DIRECTORY_PROTECTION
from ansible_collections.hosting.panel.plugins.module_utils._object.info import info_operation
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from tests.support.memory_panel import MemoryPanel
from tests.support.tasks import run_task

OPERATION, INFO = resource_operation(DIRECTORY_PROTECTION), info_operation(DIRECTORY_PROTECTION)
LIST = ("GET", "/directory-protections", None)

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


def test_with_an_id_the_parts_of_the_key_are_members() -> None:
    one = panel(STAFF)
    options = {"id": 3, "client": "acme", "path": "/shop/admin/", "username": "boss"}
    result = run_task(OPERATION, one, options)
    assert one.writes == [("PUT", "/directory-protections/3", {"username": "boss"})]
    assert result["diff"]["after"] == {"path": "/shop/admin", "username": "boss"}


def test_a_panel_that_never_shows_the_owner_gets_no_second_object() -> None:
    hidden = {name: value for name, value in STAFF.items() if name != "id_user"}
    one = panel(hidden)
    result = run_task(OPERATION, one, SAME)
    assert (result["error"]["type"], one.writes) == ("UnexpectedAnswer", [])
    assert "shows no id_user of the directory protection with id 3" in result["msg"]


# fmt: off
def test_info_takes_each_part_of_the_key_as_a_filter() -> None:
    one = panel(
        STAFF, {**STAFF, "id": 4, "username": "auditor"}, {**STAFF, "id": 5, "path": "/blog"}, {**STAFF, "id": 6, "id_user": 22}, short=("id_user",)
    )

    def found(**options: Any) -> list[int]:
        return [item["id"] for item in run_task(INFO, one, options)["directory_protections"]]

    assert found() == [3, 4, 5, 6]
    assert found(client="acme") == [3, 4, 5]
    assert found(id_user=22) == [6]
    assert found(path="shop/admin") == [3, 4, 6]
    assert found(client="acme", path="/shop/admin/", username="auditor") == [4]
    assert found(client="acne") == []
    assert found(id=6) == [6]
# fmt: on

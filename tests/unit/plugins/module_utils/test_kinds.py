"""What single kinds have of their own. What all of them have in common is generated: tests/unit/test_behaviours.py, test_every_kind.py."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.client import ADMIN, CLIENT, PLAN
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from ansible_collections.hosting.panel.plugins.module_utils._kinds.services import DATABASE
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from ansible_collections.hosting.panel.plugins.module_utils._schema.difference import Resolved
from tests.support.memory_panel import MemoryPanel
from tests.support.tasks import plan_of, run_task


def test_a_kind_is_said_with_its_article() -> None:
    assert [kind.a_title for kind in KINDS.values() if kind.a_title != f"a {kind.title}"] == [
        "an admin",
        "an FTP user",
    ]


# Admins: the last main admin

MAIN: dict[str, Any] = {
    "id": 12,
    "username": "ops",
    "email": "ops@panel.example",
    "language": "de",
    "is_main_admin": True,
}
OTHER = {**MAIN, "id": 13, "username": "night", "is_main_admin": False}
HIDDEN = {name: value for name, value in MAIN.items() if name != "is_main_admin"}


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("admins", "options", "path"),
    [
        ([MAIN, OTHER], {"username": "ops", "state": "absent"}, "/admins/name/ops"),
        ([MAIN, OTHER], {"id": 12, "is_main_admin": False}, "/admins/12"),
        # Where the panel does not show who is a main admin.
        ([HIDDEN], {"username": "ops", "state": "absent"}, "/admins/name/ops"),
    ],
)
def test_the_last_main_admin_is_never_deleted_and_stays_what_it_is(
    admins: list[dict[str, Any]], options: dict[str, Any], path: str, check_mode: bool
) -> None:
    one = MemoryPanel({"/admins": admins})
    result = run_task(resource_operation(ADMIN), one, options, check_mode)
    assert result["failed"] is True
    assert result["msg"] == (
        "The admin ops is the last one with is_main_admin, and without one nobody can manage the panel. "
        "It is never deleted, and stays what it is. Nothing was written."
    )
    assert one.calls == [("GET", path, None), ("GET", "/admins", None)]


# Clients and hosting plans


@pytest.mark.parametrize(("limit", "body"), [(5, {}), (6, {"id_hosting_plan": 4})])
def test_where_the_panel_shows_no_plan_the_copied_features_are_compared(limit: int, body: dict[str, Any]) -> None:
    shown = {"id": 21, "username": "acme", "resource_limits": {"domains": 5}, "permissions": {"ssh": False}}
    plan = {"id": 4, "name": "Business", "resources": {"domains": limit}, "permissions": {"ssh": False}}
    options = {"username": "acme", "hosting_plan": "Business"}
    assert plan_of(CLIENT, options, shown, {("id_hosting_plan",): Resolved(4, plan)}).body == body


def test_check_mode_warns_of_clients_that_keep_the_limits_of_a_plan() -> None:
    plan = {"id": 8, "name": "Business", "php": {"memory_limit": "256M", "env_variables": ""}}
    having = [{"id": 21, "username": "acme", "id_hosting_plan": "8"}, {"id": 22, "username": "other"}]
    one = MemoryPanel({"/hosting-plans": [plan], "/clients": having})
    result = run_task(resource_operation(PLAN), one, {"id": 8, "php": {"memory_limit": "1G"}}, check_mode=True)
    (warning,) = result["warnings"]
    assert warning.startswith(
        "Clients that have the hosting plan Business keep the limits that came with it before; set reapply_plan: true"
    )
    assert (result["changed"], result["plan"]["php"]) == (True, {"memory_limit": "1G", "env_variables": ""})
    assert one.calls == [("GET", "/hosting-plans/8", None), ("GET", "/clients", None)]


# Databases: what their list leaves out

SHOP: dict[str, Any] = {
    "id": 7,
    "id_user": 21,
    "database_name": "acme_shop",
    "description": "Shop",
    "remote_hosts": ["192.0.2.20"],
}


def databases(short: tuple[str, ...], **members: Any) -> MemoryPanel:
    clients = [{"id": 21, "username": "acme"}, {"id": 22, "username": "rival"}]
    return MemoryPanel({"/clients": clients, "/databases": [{**SHOP, **members}]}, short={"/databases": short})


def test_an_object_is_fetched_only_for_a_compared_member_that_the_list_leaves_out() -> None:
    one = databases(("remote_hosts", "id_user"))
    operation, name = resource_operation(DATABASE), {"database_name": "acme_shop"}
    assert run_task(operation, one, {**name, "description": "Shop"})["changed"] is False
    assert one.reads == ["/databases"]
    one.forget()
    assert run_task(operation, one, {**name, "remote_hosts": []})["changed"] is True
    assert one.reads == ["/databases", "/databases/7"]
    assert "exists with the client acme" in run_task(operation, one, {**name, "id_user": 22})["msg"]


def test_a_hash_that_only_the_whole_object_shows_is_compared() -> None:
    one = databases(("password_hash",), password_hash="*OLD")
    operation, name = resource_operation(DATABASE), {"database_name": "acme_shop"}
    assert run_task(operation, one, {**name, "password_hash": "*OLD"})["changed"] is False
    result = run_task(operation, one, {**name, "password_hash": "*NEW"})
    assert one.writes == [("PUT", "/databases/7", {"password_hash": "*NEW"})]
    assert "*OLD" not in repr(result)


# Scheduled tasks of the server itself

BACKUP: dict[str, Any] = {"id": 4, "id_user": 21, "type": "exec", "command": "/bin/true", "description": "Backup"}

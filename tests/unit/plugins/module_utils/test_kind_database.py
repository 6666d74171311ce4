# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Databases: what is sent for each option, the database user's name, and how one is found without a by-name path."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.database import DATABASE
from ansible_collections.hosting.panel.plugins.module_utils._object.info import info_operation
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from ansible_collections.hosting.panel.plugins.module_utils._rows.options import argument_spec
from tests.support.memory_panel import GENERATED, MemoryPanel
from tests.support.tasks import plan_of, run_task

OPERATION, INFO = resource_operation(DATABASE), info_operation(DATABASE)
MADE = GENERATED.format(1)

SHOP: dict[str, Any] = {
    "id": 7,
    "id_user": 21,
    "database_name": "acme_shop",
    "database_username": "acme_shopper",
    "description": "Shop",
    "size": 4096,
    "remote_hosts": ["192.0.2.20", "2001:db8::20"],
}
SAME: dict[str, Any] = {
    "database_name": "acme_shop",
    "database_username": "acme_shopper",
    "description": "Shop",
    "remote_hosts": ["2001:db8::20", "192.0.2.20"],
}


def panel(*databases: dict[str, Any], short: tuple[str, ...] = ()) -> MemoryPanel:
    clients = [{"id": 21, "username": "acme"}, {"id": 22, "username": "rival"}]
    return MemoryPanel({"/clients": clients, "/databases": databases}, short={"/databases": short})


def test_every_option_reaches_the_wire_on_creation() -> None:
    one = panel()
    options = {**SAME, "client": "acme", "password": "s3cret-s3cret"}
    result = run_task(OPERATION, one, options)
    body = {**SAME, "id_user": 21}
    assert one.calls == [
        ("GET", "/databases", None),
        ("GET", "/clients/name/acme", None),
        ("POST", "/databases", {**body, "password": "s3cret-s3cret"}),
    ]
    assert result["database"] == {"id": 23, **body}
    assert "s3cret" not in repr(result)


def test_the_database_user_is_named_like_the_database_when_nothing_is_said() -> None:
    one = panel()
    predicted = run_task(OPERATION, one, {"database_name": "acme_shop", "id_user": 21}, check_mode=True)
    result = run_task(OPERATION, one, {"database_name": "acme_shop", "id_user": 21})
    sent = {"database_name": "acme_shop", "database_username": "acme_shop", "id_user": 21}
    assert one.writes == [("POST", "/databases", sent)]
    assert result["diff"] == predicted["diff"]
    assert result["diff"]["after"]["database_username"] == "acme_shop"


def test_the_client_is_needed_to_create_a_database_and_not_later() -> None:
    one = panel()
    result = run_task(OPERATION, one, {"database_name": "acme_shop"})
    assert (result["msg"], one.writes) == (
        "client: missing; it is needed to create the database acme_shop, which is not on this panel.",
        [],
    )
    assert plan_of(DATABASE, {"database_name": "acme_shop"}, SHOP).action == "none"


def test_a_second_run_sends_no_write() -> None:
    one = panel(SHOP)
    result = run_task(OPERATION, one, {**SAME, "client": "acme"})
    assert one.calls == [("GET", "/databases", None), ("GET", "/clients/name/acme", None)]
    assert (result["changed"], result["database"]) == (False, SHOP)
    assert result["diff"]["before"] == result["diff"]["after"]


@pytest.mark.parametrize(
    ("option", "written", "sent"),
    [
        ("description", "Store", "Store"),
        ("description", "", ""),
        ("remote_hosts", ["192.0.2.20"], ["192.0.2.20"]),
        ("remote_hosts", [], []),
        ("remote_hosts", "", []),
        ("remote_hosts", ["192.0.2.21", "192.0.2.21"], ["192.0.2.21"]),
    ],
)
def test_only_the_changed_member_is_sent(option: str, written: Any, sent: Any) -> None:
    one = panel(SHOP)
    predicted = run_task(OPERATION, one, {**SAME, option: written}, check_mode=True)
    result = run_task(OPERATION, one, {**SAME, option: written})
    assert one.writes == [("PUT", "/databases/7", {option: sent})]
    assert result["database"] == predicted["database"] == {**SHOP, option: sent}
    assert result["diff"] == predicted["diff"]


@pytest.mark.parametrize(
    ("option", "wanted", "message"),
    [
        (
            "client",
            "rival",
            "client: the database acme_shop exists with the client acme, the task wants the client rival.",
        ),
        (
            "id_user",
            22,
            "id_user: the database acme_shop exists with the client acme, the task wants the client rival.",
        ),
        (
            "database_username",
            "other",
            "database_username: the database acme_shop exists with acme_shopper, the task wants other.",
        ),
    ],
)
def test_what_cannot_be_changed_is_an_error_that_names_both_values(option: str, wanted: Any, message: str) -> None:
    one = panel(SHOP)
    result = run_task(OPERATION, one, {"database_name": "acme_shop", option: wanted, "description": "x"})
    assert one.writes == []
    assert result["msg"].startswith(message)
    assert result["error"] == {"type": "Conflict", "option": option}


def test_an_object_is_fetched_only_for_a_compared_member_that_the_list_leaves_out() -> None:
    one = panel(SHOP, short=("remote_hosts", "id_user"))
    assert run_task(OPERATION, one, {"database_name": "acme_shop", "description": "Shop"})["changed"] is False
    assert one.reads == ["/databases"]
    one.forget()
    assert run_task(OPERATION, one, {"database_name": "acme_shop", "remote_hosts": []})["changed"] is True
    assert one.reads == ["/databases", "/databases/7"]
    one.forget()
    assert (
        "exists with the client acme" in run_task(OPERATION, one, {"database_name": "acme_shop", "id_user": 22})["msg"]
    )


def test_a_hash_that_only_the_whole_object_shows_is_compared() -> None:
    one = panel({**SHOP, "password_hash": "*OLD"}, short=("password_hash",))
    assert run_task(OPERATION, one, {"database_name": "acme_shop", "password_hash": "*OLD"})["changed"] is False
    result = run_task(OPERATION, one, {"database_name": "acme_shop", "password_hash": "*NEW"})
    assert one.writes == [("PUT", "/databases/7", {"password_hash": "*NEW"})]
    assert "*OLD" not in repr(result)


def test_names_that_differ_in_case_are_two_databases() -> None:
    one = panel(SHOP)
    assert run_task(OPERATION, one, {"database_name": "ACME_shop", "id_user": 21}, check_mode=True)["changed"] is True


def test_two_databases_of_one_name_are_an_error_that_names_their_ids() -> None:
    one = panel(SHOP, {**SHOP, "id": 8})
    result = run_task(OPERATION, one, {"database_name": "acme_shop", "description": "x"})
    assert one.writes == []
    assert result["msg"] == (
        "2 databases are named acme_shop (ids 7, 8). Name the one you mean by id. Nothing was written."
    )


def test_a_generated_password_is_returned_once() -> None:
    one = panel()
    first, second = (run_task(OPERATION, one, {"database_name": "acme_shop", "id_user": 21}) for _time in range(2))
    assert (first["generated_password"], "generated_password" in second, second["changed"]) == (MADE, False, False)


def test_a_new_password_is_asked_for_and_returned() -> None:
    one = panel(SHOP)
    result = run_task(OPERATION, one, {"database_name": "acme_shop", "regenerate_password": True})
    assert (one.writes, result["generated_password"]) == ([("PUT", "/databases/7", {"password": None})], MADE)


def test_a_given_password_is_sent_later_only_when_asked_for() -> None:
    one = panel(SHOP)
    options = {"database_name": "acme_shop", "password": "s3cret-s3cret"}
    assert run_task(OPERATION, one, options)["changed"] is False
    assert run_task(OPERATION, one, {**options, "update_password": "always"})["changed"] is True
    assert one.writes == [("PUT", "/databases/7", {"password": "s3cret-s3cret"})]


def test_an_unknown_client_is_an_error_before_any_write_and_a_warning_in_check_mode() -> None:
    one = panel()
    options = {"database_name": "acme_shop", "client": "acne"}
    assert run_task(OPERATION, one, options)["error"] == {"type": "UnknownReference", "option": "client"}
    predicted = run_task(OPERATION, one, options, check_mode=True)
    assert (predicted["changed"], predicted["database"]["id_user"], len(predicted["warnings"])) == (True, None, 1)
    assert one.writes == []


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("database_name", ""),
        ("database_username", ""),
        ("remote_hosts", ["192.0.2.1", ""]),
        ("client", ""),
        ("id_user", 0),
        ("password", ""),
        ("password_hash", ""),
        ("extra", {"remote_hosts": []}),
    ],
)
def test_a_wrong_value_names_the_option_before_any_request(option: str, value: Any) -> None:
    one = panel(SHOP)
    result = run_task(OPERATION, one, {"database_name": "acme_shop", option: value})
    assert (result["error"], one.calls) == ({"type": "OptionError", "option": option}, [])


def test_there_is_nothing_to_wait_for() -> None:
    assert not {"wait", "wait_timeout"} & argument_spec(DATABASE).keys()


def test_an_absent_database_stays_absent() -> None:
    one = panel(SHOP)
    first, second = (run_task(OPERATION, one, {"database_name": "acme_shop", "state": "absent"}) for _time in range(2))
    assert one.writes == [("DELETE", "/databases/7", None)]
    assert (first["changed"], second["changed"]) == (True, False)


def test_info_searches_the_list_by_name_and_asks_for_an_id() -> None:
    one = panel(SHOP, {**SHOP, "id": 8, "database_name": "acme_blog"})
    assert [d["id"] for d in run_task(INFO, one, {"database_name": "acme_blog"})["databases"]] == [8]
    assert [d["id"] for d in run_task(INFO, one, {"sort": "database_name"})["databases"]] == [8, 7]
    assert run_task(INFO, one, {"database_name": "none"})["databases"] == []
    one.forget()
    assert [d["id"] for d in run_task(INFO, one, {"id": 8})["databases"]] == [8]
    assert one.calls == [("GET", "/databases/8", None)]

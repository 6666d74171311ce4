# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""FTP users: what is sent for each option, and directories with and without a slash at the end."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.ftp_user import FTP_USER
from ansible_collections.hosting.panel.plugins.module_utils._object.info import info_operation
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from tests.support.memory_panel import GENERATED, MemoryPanel
from tests.support.tasks import plan_of, run_task

OPERATION, INFO = resource_operation(FTP_USER), info_operation(FTP_USER)
MADE = GENERATED.format(1)

WEB: dict[str, Any] = {
    "id": 9,
    "status": 1,
    "id_user": 21,
    "username": "acme_web",
    "description": "Web designer",
    "home_directory": "/www/shop",
}
SAME: dict[str, Any] = {
    "username": "acme_web",
    "description": "Web designer",
    "home_directory": "/www/shop/",
}


def panel(*users: dict[str, Any]) -> MemoryPanel:
    clients = [{"id": 21, "username": "acme"}, {"id": 22, "username": "rival"}]
    return MemoryPanel({"/clients": clients, "/ftp-users": users})


def test_every_option_reaches_the_wire_on_creation() -> None:
    one = panel()
    result = run_task(OPERATION, one, {**SAME, "client": "acme", "password": "s3cret-s3cret", "extra": {"tls": True}})
    body = {**SAME, "id_user": 21, "tls": True}
    assert one.calls == [
        ("GET", "/ftp-users", None),
        ("GET", "/clients/name/acme", None),
        ("POST", "/ftp-users", {**body, "password": "s3cret-s3cret"}),
    ]
    assert result["ftp_user"] == {"id": 23, **body}
    assert "s3cret" not in repr(result)


def test_the_client_is_needed_to_create_an_ftp_user() -> None:
    one = panel()
    result = run_task(OPERATION, one, {"username": "acme_web"})
    assert (result["msg"], one.writes) == (
        "client: missing; it is needed to create the FTP user acme_web, which is not on this panel.",
        [],
    )


def test_a_second_run_sends_no_write() -> None:
    one = panel(WEB)
    result = run_task(OPERATION, one, {**SAME, "client": "acme"})
    assert (result["changed"], one.writes, result["ftp_user"]) == (False, [], WEB)
    assert result["diff"]["before"] == result["diff"]["after"]


@pytest.mark.parametrize(
    ("option", "written"), [("description", "Designer"), ("description", ""), ("home_directory", "/www/shop/images")]
)
def test_only_the_changed_member_is_sent(option: str, written: Any) -> None:
    one = panel(WEB)
    predicted = run_task(OPERATION, one, {**SAME, option: written}, check_mode=True)
    result = run_task(OPERATION, one, {**SAME, option: written})
    assert one.writes == [("PUT", "/ftp-users/9", {option: written})]
    assert result["ftp_user"] == predicted["ftp_user"] == {**WEB, option: written}
    assert result["diff"] == predicted["diff"]


@pytest.mark.parametrize("spelling", ["/www/shop", "/www/shop/", "www/shop", "/www//shop/"])
def test_slashes_without_meaning_are_no_change(spelling: str) -> None:
    assert plan_of(FTP_USER, {"username": "acme_web", "home_directory": spelling}, WEB).action == "none"


@pytest.mark.parametrize("spelling", ["/www/Shop", "/www", "/shop", "/files/shop"])
def test_another_directory_is_a_change(spelling: str) -> None:
    plan = plan_of(FTP_USER, {"username": "acme_web", "home_directory": spelling}, WEB)
    assert plan.body == {"home_directory": spelling}


def test_another_owner_is_an_error_that_names_both() -> None:
    one = panel(WEB)
    result = run_task(OPERATION, one, {"username": "acme_web", "client": "rival", "description": "x"})
    assert one.writes == []
    assert result["msg"].startswith(
        "client: the FTP user acme_web exists with the client acme, the task wants the client rival. The panel cannot change that"
    )


def test_passwords_are_generated_given_and_renewed() -> None:
    one = panel()
    first = run_task(OPERATION, one, {"username": "acme_web", "id_user": 21})
    assert first["generated_password"] == MADE
    one.forget()
    given = {"username": "acme_web", "password": "s3cret-s3cret"}
    assert run_task(OPERATION, one, given)["changed"] is False
    assert run_task(OPERATION, one, {**given, "update_password": "always"})["changed"] is True
    renewed = run_task(OPERATION, one, {"username": "acme_web", "regenerate_password": True})
    assert renewed["generated_password"] == GENERATED.format(2)
    assert one.writes == [
        ("PUT", "/ftp-users/23", {"password": "s3cret-s3cret"}),
        ("PUT", "/ftp-users/23", {"password": None}),
    ]


def test_a_password_and_a_new_one_exclude_each_other_and_no_new_one_does_not() -> None:
    one = panel(WEB)
    options = {"username": "acme_web", "password": "s3cret-s3cret"}
    assert run_task(OPERATION, one, {**options, "regenerate_password": False})["changed"] is False
    result = run_task(OPERATION, one, {**options, "regenerate_password": True})
    assert result["msg"] == "password: excludes regenerate_password: true; give one of the two."


def test_a_hash_that_the_panel_shows_is_compared() -> None:
    one = panel({**WEB, "password_hash": "$6$old"})
    assert run_task(OPERATION, one, {"username": "acme_web", "password_hash": "$6$old"})["changed"] is False
    assert run_task(OPERATION, one, {"username": "acme_web", "password_hash": "$6$new"})["changed"] is True
    assert one.writes == [("PUT", "/ftp-users/9", {"password_hash": "$6$new"})]


def test_an_unknown_client_is_an_error_before_any_write_and_a_warning_in_check_mode() -> None:
    one = panel()
    options = {"username": "acme_web", "client": "acne"}
    assert run_task(OPERATION, one, options)["error"] == {"type": "UnknownReference", "option": "client"}
    predicted = run_task(OPERATION, one, options, check_mode=True)
    assert (predicted["changed"], len(predicted["warnings"]), one.writes) == (True, 1, [])


@pytest.mark.parametrize(
    ("option", "value"),
    [("username", ""), ("home_directory", ""), ("home_directory", "  "), ("id_user", -1), ("password", "")],
)
def test_a_wrong_value_names_the_option_before_any_request(option: str, value: Any) -> None:
    one = panel(WEB)
    result = run_task(OPERATION, one, {"username": "acme_web", option: value})
    assert (result["error"], one.calls) == ({"type": "OptionError", "option": option}, [])


def test_an_ftp_user_is_named_by_id_too() -> None:
    one = panel(WEB)
    run_task(OPERATION, one, {"id": 9, "description": ""})
    assert one.calls == [("GET", "/ftp-users/9", None), ("PUT", "/ftp-users/9", {"description": ""})]
    one.forget()
    result = run_task(OPERATION, one, {"id": 10, "description": ""})
    assert (result["error"]["type"], one.writes) == ("Conflict", [])


def test_an_absent_ftp_user_stays_absent() -> None:
    one = panel(WEB)
    first, second = (run_task(OPERATION, one, {"username": "acme_web", "state": "absent"}) for _time in range(2))
    assert one.writes == [("DELETE", "/ftp-users/9", None)]
    assert (first["changed"], second["changed"]) == (True, False)


def test_waiting_ends_when_the_panel_has_applied_the_user() -> None:
    one = panel(WEB)
    result = run_task(OPERATION, one, {**SAME, "wait": True})
    assert (result["ftp_user"]["status"], one.reads) == (1, ["/ftp-users", "/ftp-users/9"])


def test_info_reads_all_or_one() -> None:
    one = panel(WEB, {**WEB, "id": 10, "username": "acme_two", "password_hash": "$6$x"})
    result = run_task(INFO, one, {})
    assert ([user["id"] for user in result["ftp_users"]], one.calls) == ([9, 10], [("GET", "/ftp-users", None)])
    assert "$6$" not in repr(result)
    assert [user["id"] for user in run_task(INFO, one, {"username": "acme_two"})["ftp_users"]] == [10]
    assert run_task(INFO, one, {"username": "none"})["ftp_users"] == []

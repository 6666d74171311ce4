# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Directory protections: objects named by client, path and username together, which the panel may hold twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import OutcomeUnknown
from ansible_collections.hosting.panel.plugins.module_utils._kinds.directory_protection import DIRECTORY_PROTECTION
from ansible_collections.hosting.panel.plugins.module_utils._object.info import info_operation
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from tests.support.memory_panel import GENERATED, MemoryPanel
from tests.support.tasks import run_task

OPERATION, INFO = resource_operation(DIRECTORY_PROTECTION), info_operation(DIRECTORY_PROTECTION)
MADE = GENERATED.format(1)
LIST = ("GET", "/directory-protections", None)
CLIENT = ("GET", "/clients/name/acme", None)

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


class LosesAnswers(MemoryPanel):
    """Creates what it is asked to create, and the answer is lost."""

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        super().post(path, body)
        raise OutcomeUnknown("The answer was lost.", method="POST", path=path, attempts=1)


def test_every_option_reaches_the_wire_on_creation() -> None:
    one = panel()
    options = {**SAME, "password": "s3cret-s3cret", "extra": {"is_recursive": True}}
    result = run_task(OPERATION, one, options)
    body = {
        "id_user": 21,
        "path": "/shop/admin/",
        "username": "keeper",
        "auth_name": "Staff only",
        "exceptions": ["/shop/admin/help", "/shop/admin/public"],
        "is_recursive": True,
    }
    # Looked for once more before and after, since the panel would make it twice.
    assert one.calls == [CLIENT, LIST, LIST, ("POST", LIST[1], {**body, "password": "s3cret-s3cret"}), LIST]
    assert result["directory_protection"] == {"id": 23, **body}
    assert "s3cret" not in repr(result)


def test_a_second_run_sends_no_write() -> None:
    one = panel(STAFF)
    result = run_task(OPERATION, one, SAME)
    assert one.calls == [CLIENT, LIST]
    assert (result["changed"], result["directory_protection"]) == (False, STAFF)
    assert result["diff"]["before"] == result["diff"]["after"]


@pytest.mark.parametrize(
    ("option", "written"),
    [
        ("auth_name", "Staff"),
        ("auth_name", ""),
        ("exceptions", ["/shop/admin/help"]),
        ("exceptions", []),
    ],
)
def test_only_the_changed_member_is_sent(option: str, written: Any) -> None:
    one = panel(STAFF)
    predicted = run_task(OPERATION, one, {**SAME, option: written}, check_mode=True)
    result = run_task(OPERATION, one, {**SAME, option: written})
    assert one.writes == [("PUT", "/directory-protections/3", {option: written})]
    assert result["directory_protection"] == predicted["directory_protection"] == {**STAFF, option: written}
    assert result["diff"] == predicted["diff"]


@pytest.mark.parametrize("path", ["/shop/admin", "shop/admin", "/shop/admin/", "//shop/admin"])
def test_slashes_without_meaning_name_the_same_directory(path: str) -> None:
    one = panel({**STAFF, "path": "shop/admin"})
    assert run_task(OPERATION, one, {**SAME, "path": path})["changed"] is False


def test_the_whole_web_directory_is_a_slash() -> None:
    one = panel({**STAFF, "path": "/"}, {**STAFF, "id": 4, "path": ""})
    assert "(ids 3, 4)" in run_task(OPERATION, one, {**KEY, "path": "/"})["msg"]
    empty = run_task(OPERATION, one, {**KEY, "path": ""})
    assert empty["error"] == {"type": "OptionError", "option": "path"}
    assert "or / for all of it" in empty["msg"]


@pytest.mark.parametrize(
    ("part", "value"), [("client", "rival"), ("path", "/shop"), ("path", "/Shop/admin"), ("username", "Keeper")]
)
def test_another_part_of_the_key_is_another_object(part: str, value: str) -> None:
    one = panel(STAFF)
    assert run_task(OPERATION, one, {**KEY, part: value})["changed"] is True
    assert [call[0] for call in one.writes] == ["POST"]


def test_two_of_the_same_key_are_an_error_that_names_their_ids() -> None:
    one = panel(STAFF, {**STAFF, "id": 4}, {**STAFF, "id": 5, "username": "auditor"})
    for state in ("present", "absent"):
        result = run_task(OPERATION, one, {**KEY, "state": state})
        assert result["msg"] == (
            "2 directory protections are named acme:/shop/admin/:keeper (ids 3, 4). "
            "Name the one you mean by id. Nothing was written."
        )
    assert one.writes == []


def test_one_of_two_is_named_by_id() -> None:
    one = panel(STAFF, {**STAFF, "id": 4})
    run_task(OPERATION, one, {"id": 4, "state": "absent"})
    assert one.calls == [
        ("GET", "/directory-protections/4", None),
        ("DELETE", "/directory-protections/4", None),
    ]


def test_with_an_id_the_parts_of_the_key_are_members() -> None:
    one = panel(STAFF)
    options = {"id": 3, "client": "acme", "path": "/shop/admin/", "username": "boss"}
    result = run_task(OPERATION, one, options)
    assert one.writes == [("PUT", "/directory-protections/3", {"username": "boss"})]
    assert result["diff"]["after"] == {"path": "/shop/admin", "username": "boss"}


def test_with_an_id_another_owner_is_an_error_that_names_both() -> None:
    one = panel(STAFF)
    result = run_task(OPERATION, one, {"id": 3, "client": "rival", "auth_name": "x"})
    assert one.writes == []
    assert result["msg"].startswith(
        "client: the directory protection with id 3 exists with the client acme, the task wants the client rival."
    )


def test_an_item_of_the_list_without_its_owner_is_fetched() -> None:
    one = panel(STAFF, {**STAFF, "id": 4, "id_user": 22}, {**STAFF, "id": 5, "path": "/blog"}, short=("id_user",))
    result = run_task(OPERATION, one, SAME)
    assert (result["changed"], result["directory_protection"]["id"]) == (False, 3)
    # Only those whose other parts of the key fit.
    assert one.reads == ["/clients/name/acme", LIST[1], "/directory-protections/3", "/directory-protections/4"]


def test_a_panel_that_never_shows_the_owner_gets_no_second_object() -> None:
    hidden = {name: value for name, value in STAFF.items() if name != "id_user"}
    one = panel(hidden)
    result = run_task(OPERATION, one, SAME)
    assert (result["error"]["type"], one.writes) == ("UnexpectedAnswer", [])
    assert "shows no id_user of the directory protection with id 3" in result["msg"]


def test_a_creation_whose_answer_is_lost_is_not_repeated() -> None:
    one = LosesAnswers({"/clients": [{"id": 21, "username": "acme"}]})
    result = run_task(OPERATION, one, {**SAME, "password": "s3cret-s3cret"})
    assert [call[:2] for call in one.writes] == [
        ("POST", "/directory-protections"),
        ("PUT", "/directory-protections/22"),
    ]
    # Somebody else may have made it with another one.
    assert one.writes[1][2] == {"password": "s3cret-s3cret"}
    assert (result["changed"], result["directory_protection"]["id"]) == (True, 22)


def test_a_password_that_was_lost_with_the_answer_is_made_anew() -> None:
    one = LosesAnswers({"/clients": [{"id": 21, "username": "acme"}]})
    result = run_task(OPERATION, one, SAME)
    assert [call[:2] for call in one.writes] == [
        ("POST", "/directory-protections"),
        ("PUT", "/directory-protections/22"),
    ]
    assert result["generated_password"] == one.passwords["/directory-protections", 22]["password"]


def test_passwords_are_generated_given_and_renewed() -> None:
    one = panel()
    assert run_task(OPERATION, one, KEY)["generated_password"] == MADE
    one.forget()
    given = {**KEY, "password": "s3cret-s3cret"}
    assert run_task(OPERATION, one, given)["changed"] is False
    assert run_task(OPERATION, one, {**given, "update_password": "always"})["changed"] is True
    assert run_task(OPERATION, one, {**KEY, "regenerate_password": True})["generated_password"] == GENERATED.format(2)
    assert [call[2] for call in one.writes] == [{"password": "s3cret-s3cret"}, {"password": None}]


def test_a_hash_that_the_panel_shows_is_compared() -> None:
    one = panel({**STAFF, "password_hash": "$apr1$old"})
    assert run_task(OPERATION, one, {**KEY, "password_hash": "$apr1$old"})["changed"] is False
    result = run_task(OPERATION, one, {**KEY, "password_hash": "$apr1$new"})
    assert one.writes == [("PUT", "/directory-protections/3", {"password_hash": "$apr1$new"})]
    assert "$apr1$" not in repr(result)


def test_an_unknown_client_is_an_error_before_any_write_and_a_warning_in_check_mode() -> None:
    one = panel(STAFF)
    options = {**KEY, "client": "acne"}
    assert run_task(OPERATION, one, options)["error"] == {"type": "UnknownReference", "option": "client"}
    predicted = run_task(OPERATION, one, options, check_mode=True)
    assert (predicted["changed"], len(predicted["warnings"]), one.writes) == (True, 1, [])


def test_nothing_of_an_unknown_client_is_there_to_delete() -> None:
    one = panel(STAFF)
    result = run_task(OPERATION, one, {**KEY, "client": "acne", "state": "absent"})
    assert (result["changed"], one.calls) == (False, [("GET", "/clients/name/acne", None)])


def test_an_absent_directory_protection_stays_absent() -> None:
    one = panel(STAFF)
    first, second = (run_task(OPERATION, one, {**KEY, "state": "absent"}) for _time in range(2))
    assert one.writes == [("DELETE", "/directory-protections/3", None)]
    assert (first["changed"], second["changed"]) == (True, False)


@pytest.mark.parametrize("missing", ["path", "username"])
def test_a_missing_part_of_the_key_is_named_before_any_request(missing: str) -> None:
    one = panel(STAFF)
    result = run_task(OPERATION, one, {name: value for name, value in KEY.items() if name != missing})
    assert result["msg"] == (
        f"{missing}: missing; directory protections are named by client + path + username, or by id."
    )
    assert one.calls == []


@pytest.mark.parametrize(
    ("option", "value"), [("username", ""), ("exceptions", ["/x", ""]), ("id_user", 0), ("client", "")]
)
def test_a_wrong_value_names_the_option_before_any_request(option: str, value: Any) -> None:
    one = panel(STAFF)
    owner = {} if option == "id_user" else {"client": "acme"}
    result = run_task(OPERATION, one, {**owner, "path": "/shop/admin", "username": "keeper", option: value})
    assert (result["error"], one.calls) == ({"type": "OptionError", "option": option}, [])


def test_info_takes_each_part_of_the_key_as_a_filter() -> None:
    one = panel(
        STAFF,
        {**STAFF, "id": 4, "username": "auditor"},
        {**STAFF, "id": 5, "path": "/blog"},
        {**STAFF, "id": 6, "id_user": 22},
        short=("id_user",),
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


@pytest.mark.parametrize("option", ["client", "path", "username"])
def test_info_takes_an_id_alone(option: str) -> None:
    one = panel(STAFF)
    assert "mutually exclusive" in run_task(INFO, one, {"id": 3, option: "x"})["msg"]
    assert one.calls == []

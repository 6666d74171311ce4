# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scheduled tasks: objects named by client and description together, and schedules written as numbers or texts."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.scheduled_task import SCHEDULED_TASK
from ansible_collections.hosting.panel.plugins.module_utils._object.info import info_operation
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from ansible_collections.hosting.panel.plugins.module_utils._rows.difference import Resolved
from ansible_collections.hosting.panel.plugins.module_utils._rows.options import argument_spec
from tests.support.memory_panel import MemoryPanel
from tests.support.tasks import plan_of, run_task

OPERATION, INFO = resource_operation(SCHEDULED_TASK), info_operation(SCHEDULED_TASK)
LIST = ("GET", "/scheduled-tasks", None)
CLIENT = ("GET", "/clients/name/acme", None)

CLEANUP: dict[str, Any] = {
    "id": 4,
    "status": 1,
    "id_user": 21,
    "type": "php",
    "command": "/www/shop/bin/cleanup.php",
    "description": "Clean up",
    "php_interpreter": "8.3",
    "schedule": {"minute": "30", "hour": "3", "day_of_month": "*", "month": "*", "day_of_week": "1-5"},
    "is_enabled": True,
}
KEY: dict[str, Any] = {"client": "acme", "description": "Clean up"}
SAME: dict[str, Any] = {
    **KEY,
    "type": "php",
    "command": "/www/shop/bin/cleanup.php",
    "php_interpreter": "8.3",
    "schedule": {"minute": 30, "hour": "03", "day_of_month": "*", "month": "*", "day_of_week": "1-5"},
    "is_enabled": "yes",
}


def panel(*tasks: dict[str, Any]) -> MemoryPanel:
    clients = [{"id": 21, "username": "acme"}, {"id": 22, "username": "rival"}]
    return MemoryPanel({"/clients": clients, "/scheduled-tasks": tasks})


def plan(options: dict[str, Any], current: Any = ...) -> Any:
    """The plan for a task that is there as CLEANUP, unless another one or None is given."""
    current = CLEANUP if current is ... else current
    return plan_of(SCHEDULED_TASK, {**KEY, **options}, current, {("id_user",): Resolved(21)})


def test_every_option_reaches_the_wire_on_creation() -> None:
    one = panel()
    result = run_task(OPERATION, one, {**SAME, "extra": {"notification": "error"}})
    body = {
        "id_user": 21,
        "description": "Clean up",
        "type": "php",
        "command": "/www/shop/bin/cleanup.php",
        "php_interpreter": "8.3",
        "schedule": {"minute": "30", "hour": "03", "day_of_month": "*", "month": "*", "day_of_week": "1-5"},
        "is_enabled": True,
        "notification": "error",
    }
    # Looked for once more before and after, since the panel would make it twice.
    assert one.calls == [CLIENT, LIST, LIST, ("POST", "/scheduled-tasks", body), LIST]
    assert result["scheduled_task"] == {"id": 23, **body}
    assert "generated_password" not in result


@pytest.mark.parametrize("missing", ["type", "command"])
def test_what_is_needed_to_create_a_task_is_not_needed_later(missing: str) -> None:
    options = {name: value for name, value in SAME.items() if name != missing}
    one = panel()
    result = run_task(OPERATION, one, options)
    assert result["error"] == {"type": "OptionError", "option": missing}
    assert one.writes == []
    assert run_task(OPERATION, panel(CLEANUP), options)["changed"] is False


def test_a_second_run_sends_no_write() -> None:
    one = panel(CLEANUP)
    result = run_task(OPERATION, one, SAME)
    assert one.calls == [CLIENT, LIST]
    assert (result["changed"], result["scheduled_task"]) == (False, CLEANUP)
    assert result["diff"]["before"] == result["diff"]["after"]


@pytest.mark.parametrize(
    ("option", "written", "sent"),
    [
        ("type", "exec", "exec"),
        ("command", "/www/x.php", "/www/x.php"),
        ("php_interpreter", "8.4", "8.4"),
        ("php_interpreter", "", None),
        ("is_enabled", False, False),
    ],
)
def test_only_the_changed_member_is_sent(option: str, written: Any, sent: Any) -> None:
    one = panel(CLEANUP)
    predicted = run_task(OPERATION, one, {**SAME, option: written}, check_mode=True)
    result = run_task(OPERATION, one, {**SAME, option: written})
    assert one.writes == [("PUT", "/scheduled-tasks/4", {option: sent})]
    assert result["scheduled_task"] == predicted["scheduled_task"] == {**CLEANUP, option: sent}
    assert result["diff"] == predicted["diff"]


@pytest.mark.parametrize("current", [None, ""])
def test_no_interpreter_is_the_same_as_an_empty_one(current: Any) -> None:
    assert plan({"php_interpreter": ""}, {**CLEANUP, "php_interpreter": current}).action == "none"


@pytest.mark.parametrize(
    ("member", "written", "sent"),
    [
        ("minute", 0, "0"),
        ("hour", "*/6", "*/6"),
        ("day_of_month", "1,15", "1,15"),
        ("month", "JAN", "JAN"),
        ("day_of_week", 0, "0"),
    ],
)
def test_a_changed_column_is_sent_with_the_others_beside_it(member: str, written: Any, sent: str) -> None:
    one = panel(CLEANUP)
    result = run_task(OPERATION, one, {**KEY, "schedule": {member: written}})
    schedule = {**CLEANUP["schedule"], member: sent}
    assert one.writes == [("PUT", "/scheduled-tasks/4", {"schedule": schedule})]
    assert result["diff"]["after"] == {"schedule": {member: sent}}
    assert run_task(OPERATION, one, {**KEY, "schedule": {member: written}})["changed"] is False


@pytest.mark.parametrize(
    ("shown", "written"),
    [
        ("0", 0),
        (0, "0"),
        (0, 0),
        ("0", "00"),
        ("5", "05"),
        ("*/5", "*/05"),
        ("1,2", "1, 2"),
        ("mon-fri", "MON-FRI"),
        ("100", "100"),
    ],
)
def test_columns_are_the_same_as_numbers_and_texts(shown: Any, written: Any) -> None:
    current = {**CLEANUP, "schedule": {**CLEANUP["schedule"], "minute": shown}}
    assert plan({"schedule": {"minute": written}}, current).action == "none"


@pytest.mark.parametrize(
    ("shown", "written"), [("10", 1), ("1", "10"), ("0", "*"), ("*/10", "*/1"), ("100", "10"), ("1-5", "1,5")]
)
def test_other_columns_are_a_change(shown: str, written: Any) -> None:
    current = {**CLEANUP, "schedule": {**CLEANUP["schedule"], "minute": shown}}
    assert plan({"schedule": {"minute": written}}, current).action == "update"


def test_a_column_of_a_new_task_is_sent_alone() -> None:
    body = plan({"type": "http", "command": "https://acme.example/cron", "schedule": {"hour": 3}}, None).body
    assert body["schedule"] == {"hour": "3"}


@pytest.mark.parametrize(
    ("part", "value"), [("client", "rival"), ("description", "clean up"), ("description", "Clean up twice")]
)
def test_another_part_of_the_key_is_another_task(part: str, value: str) -> None:
    one = panel(CLEANUP)
    assert run_task(OPERATION, one, {**SAME, part: value})["changed"] is True
    assert [call[0] for call in one.writes] == ["POST"]


def test_two_of_the_same_key_are_an_error_that_names_their_ids() -> None:
    one = panel(CLEANUP, {**CLEANUP, "id": 5})
    result = run_task(OPERATION, one, SAME)
    assert one.writes == []
    assert result["msg"] == (
        "2 scheduled tasks are named acme:Clean up (ids 4, 5). Name the one you mean by id. Nothing was written."
    )


def test_with_an_id_the_description_can_be_changed() -> None:
    one = panel(CLEANUP)
    run_task(OPERATION, one, {"id": 4, "client": "acme", "description": "Clean up the shop"})
    assert one.writes == [("PUT", "/scheduled-tasks/4", {"description": "Clean up the shop"})]


def test_with_an_id_another_owner_is_an_error_that_names_both() -> None:
    one = panel(CLEANUP)
    result = run_task(OPERATION, one, {"id": 4, "client": "rival", "is_enabled": False})
    assert one.writes == []
    assert "exists with the client acme, the task wants the client rival" in result["msg"]


@pytest.mark.parametrize("owner", [{"client": ""}, {"id_user": 0}])
def test_a_task_may_belong_to_the_server_itself(owner: dict[str, Any]) -> None:
    one = panel(CLEANUP)
    options = {**SAME, **owner}
    if "id_user" in owner:
        del options["client"]
    assert run_task(OPERATION, one, options)["scheduled_task"]["id_user"] == 0
    assert run_task(OPERATION, one, options)["changed"] is False
    # Twice more before it is made, and once after it: the panel would make it twice, and no other list would show it.
    assert one.reads == ["/scheduled-tasks"] * 5


def test_an_unknown_client_is_an_error_before_any_write_and_a_warning_in_check_mode() -> None:
    one = panel()
    options = {**SAME, "client": "acne"}
    assert run_task(OPERATION, one, options)["error"] == {"type": "UnknownReference", "option": "client"}
    predicted = run_task(OPERATION, one, options, check_mode=True)
    assert (predicted["changed"], len(predicted["warnings"]), one.writes) == (True, 1, [])


def test_an_absent_task_stays_absent() -> None:
    one = panel(CLEANUP)
    first, second = (run_task(OPERATION, one, {**KEY, "state": "absent"}) for _time in range(2))
    assert one.writes == [("DELETE", "/scheduled-tasks/4", None)]
    assert (first["changed"], second["changed"]) == (True, False)


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"command": ""}, "command"),
        ({"description": ""}, "description"),
        ({"schedule": {}}, "schedule"),
        ({"schedule": {"minute": ""}}, "schedule.minute"),
        ({"id_user": -1}, "id_user"),
        ({"extra": {"schedule": {}}}, "extra"),
    ],
)
def test_a_wrong_value_names_the_option_before_any_request(options: dict[str, Any], option: str) -> None:
    one = panel(CLEANUP)
    owner = {} if "id_user" in options else {"client": "acme"}
    result = run_task(OPERATION, one, {**owner, "description": "Clean up", **options})
    assert (result["error"], one.calls) == ({"type": "OptionError", "option": option}, [])


def test_a_task_has_no_password() -> None:
    assert not {"password", "password_hash", "update_password"} & argument_spec(SCHEDULED_TASK).keys()


def test_info_takes_each_part_of_the_key_as_a_filter() -> None:
    one = panel(CLEANUP, {**CLEANUP, "id": 5, "description": "Mail"}, {**CLEANUP, "id": 6, "id_user": 0})

    def found(**options: Any) -> list[int]:
        return [item["id"] for item in run_task(INFO, one, options)["scheduled_tasks"]]

    assert found() == [4, 5, 6]
    assert found(client="acme") == [4, 5]
    assert found(client="") == found(id_user=0) == [6]
    assert found(description="Clean up") == [4, 6]
    assert found(client="acme", description="Mail") == [5]
    assert found(client="acne") == []
    assert found(id=5) == [5]

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosting plans: what is sent for each option, and what counts as the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.module_utils._http.client import PanelClient
from ansible_collections.hosting.panel.plugins.module_utils._kinds.plan import PLAN
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from ansible_collections.hosting.panel.plugins.module_utils._values.sizes import ByteSize
from tests.support.tasks import plan_of, run_task
from tests.support.transcript import NOT_FOUND, answer, call

Dialogue = Callable[..., PanelClient]
OPERATION = resource_operation(PLAN)

# Every member, as the panel shows it.
CURRENT: dict[str, Any] = {
    "id": 8,
    "name": "Business",
    "resources": {
        "disk_space": 1073741824,
        "traffic": -1,
        "domains": 10,
        "subdomains": 50,
        "email_accounts": 20,
        "email_addresses": -1,
        "email_forwardings": -1,
        "databases": 10,
        "ftp_users": -1,
        "scheduled_tasks": 4,
    },
    "permissions": {
        "ftp": True,
        "php": True,
        "perl": False,
        "ssh": False,
        "backup": True,
        "panel_access": True,
        "domain_security": True,
        "certificate_management": True,
        "file_manager": True,
        "dns_editor": True,
        "database_remote_access": False,
        "email_catchall": True,
        "update_contact_data": True,
        "delete_main_domain": False,
        "applications": False,
        "ssh_jail": False,
    },
    "php": {
        "memory_limit": "256M",
        "max_execution_time": 60,
        "post_max_size": "72M",
        "upload_max_filesize": "64M",
        "open_basedir": "##DOCROOT##/www:##DOCROOT##/files:##DOCROOT##/tmp",
        "disable_functions": "exec, system",
        "env_variables": "",
        "extra_directives_immutable": "",
        "extra_directives_mutable": "a = 1\r\nb = 2",
        "sendmail_from": "",
    },
    "php_fpm": {
        "pm": "dynamic",
        "max_children": 9,
        "max_requests": 0,
        "min_spare_servers": 2,
        "max_spare_servers": 4,
        "status": False,
        "status_ip_restriction": None,
    },
}


def changed(group: str, **members: Any) -> dict[str, Any]:
    """The body for a change: the whole group, since a panel may replace it."""
    return {group: {**CURRENT[group], **members}}


def test_every_member_reaches_the_wire_on_creation() -> None:
    options = {name: CURRENT[name] for name in ("name", "resources", "permissions", "php", "php_fpm")}
    body = dict(plan_of(PLAN, options).body)
    expected = {
        **options,
        "php": {**CURRENT["php"]},
        "php_fpm": {name: value for name, value in CURRENT["php_fpm"].items() if value is not None},
    }
    assert body == expected


def test_what_is_read_is_right_when_it_is_written_back() -> None:
    options = {name: value for name, value in CURRENT.items() if name != "id"}
    plan = plan_of(PLAN, options, CURRENT)
    assert (plan.action, plan.body, plan.warnings) == ("none", {}, ())


@pytest.mark.parametrize(
    ("group", "member", "written", "sent"),
    [
        ("resources", "disk_space", "2G", 2147483648),
        ("resources", "disk_space", 5, 5),
        ("resources", "disk_space", -1, -1),
        ("resources", "traffic", "500M", 524288000),
        ("resources", "traffic", "0", 0),
        ("resources", "domains", -1, -1),
        ("resources", "subdomains", 0, 0),
        ("resources", "email_accounts", "21", 21),
        ("resources", "email_addresses", 3, 3),
        ("resources", "email_forwardings", 4, 4),
        ("resources", "databases", 5, 5),
        ("resources", "ftp_users", 6, 6),
        ("resources", "scheduled_tasks", 7, 7),
        *(("permissions", name, not value, not value) for name, value in CURRENT["permissions"].items()),
        ("php", "memory_limit", "512M", "512M"),
        ("php", "max_execution_time", 0, 0),
        ("php", "post_max_size", "80M", "80M"),
        ("php", "upload_max_filesize", "70M", "70M"),
        ("php", "open_basedir", "##DOCROOT##/www", "##DOCROOT##/www"),
        ("php", "disable_functions", "", ""),
        ("php", "env_variables", "A=1", "A=1"),
        ("php", "extra_directives_immutable", "c = 3", "c = 3"),
        ("php", "extra_directives_mutable", "", ""),
        ("php", "sendmail_from", "Post@Bücher.example", "post@xn--bcher-kva.example"),
        ("php_fpm", "max_children", 1, 1),
        ("php_fpm", "max_requests", 500, 500),
        ("php_fpm", "min_spare_servers", "3", 3),
        ("php_fpm", "max_spare_servers", 5, 5),
        ("php_fpm", "status", True, True),
        ("php_fpm", "status_ip_restriction", "192.0.2.7", "192.0.2.7"),
    ],
)
def test_one_changed_member_is_sent_in_its_group(group: str, member: str, written: Any, sent: Any) -> None:
    plan = plan_of(PLAN, {"name": "Business", group: {member: written}}, CURRENT)
    assert plan.body == changed(group, **{member: sent})
    assert plan.before == {group: {member: CURRENT[group][member]}}
    assert plan.after == {group: {member: sent}}


@pytest.mark.parametrize(
    ("group", "member", "written"),
    [
        ("resources", "disk_space", "1G"),
        ("resources", "disk_space", "1024M"),
        ("resources", "disk_space", "1073741824"),
        ("resources", "traffic", "-1"),
        ("php", "extra_directives_mutable", "a = 1\nb = 2\n"),
        ("php", "max_execution_time", "60"),
        ("php_fpm", "status_ip_restriction", ""),
        ("php_fpm", "min_spare_servers", "2"),
    ],
)
def test_other_spellings_of_the_same_value_change_nothing(group: str, member: str, written: Any) -> None:
    assert plan_of(PLAN, {"name": "Business", group: {member: written}}, CURRENT).action == "none"


def test_without_dynamic_processes_the_idle_ones_are_sent_as_null() -> None:
    plan = plan_of(PLAN, {"name": "Business", "php_fpm": {"pm": "ondemand"}}, CURRENT)
    assert plan.body == changed("php_fpm", pm="ondemand", min_spare_servers=None, max_spare_servers=None)


def test_idle_processes_with_another_way_than_dynamic_are_an_error() -> None:
    with pytest.raises(OptionError) as caught:
        plan_of(PLAN, {"name": "Business", "php_fpm": {"pm": "static", "min_spare_servers": 2}})
    assert caught.value.message == (
        "php_fpm.min_spare_servers: counts only with php_fpm.pm: dynamic; omit it, or clear it."
    )


def test_idle_processes_can_be_cleared_with_another_way_than_dynamic() -> None:
    options = {"name": "Business", "php_fpm": {"pm": "static", "min_spare_servers": "", "max_spare_servers": ""}}
    body = plan_of(PLAN, options, CURRENT).body
    assert body == changed("php_fpm", pm="static", min_spare_servers=None, max_spare_servers=None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": ""}, "name: '' is not accepted; it must be a text that is not empty."),
        (
            {"name": "x", "resources": {}},
            "resources: an empty dictionary would change nothing; name the members to change.",
        ),
        (
            {"name": "x", "resources": {"disk_space": "1.5G"}},
            f"resources.disk_space: '1.5G' is not accepted; it must be {ByteSize().form}.",
        ),
        (
            {"name": "x", "resources": {"domains": -2}},
            "resources.domains: -2 is not accepted; it must be a whole number from 0, or -1 for unlimited.",
        ),
        (
            {"name": "x", "php": {"memory_limit": ""}},
            "php.memory_limit: '' is not accepted; it must be a text that is not empty.",
        ),
        (
            {"name": "x", "php_fpm": {"max_spare_servers": 0}},
            "php_fpm.max_spare_servers: 0 is not accepted; it must be a whole number from 1, or an empty text to clear it.",
        ),
    ],
)
def test_a_wrong_value_is_named_with_the_accepted_form(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        plan_of(PLAN, options)
    assert caught.value.message == message


def test_a_plan_is_created_and_its_id_reported(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/hosting-plans/name/Small%20one", answer(404, NOT_FOUND)),
        call("POST", "/hosting-plans", answer(201, {"id": 9}), {"name": "Small one", "resources": {"domains": 1}}),
    )
    result = run_task(OPERATION, client, {"name": "Small one", "resources": {"domains": 1}})
    assert (result["changed"], result["plan"]) == (True, {"id": 9, "name": "Small one", "resources": {"domains": 1}})


def test_a_second_run_sends_no_write(dialogue: Dialogue) -> None:
    client = dialogue(call("GET", "/hosting-plans/name/Business", answer(200, CURRENT)))
    result = run_task(OPERATION, client, {"name": "Business", "resources": {"disk_space": "1G"}})
    assert (result["changed"], result["plan"]) == (False, CURRENT)


def test_a_plan_is_renamed_and_changed_with_one_write(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/hosting-plans/name/Business", answer(200, CURRENT)),
        call("GET", "/hosting-plans/name/Office", answer(404, NOT_FOUND)),
        call("GET", "/clients", answer(200, [])),
        call("PUT", "/hosting-plans/8", answer(200, {"id": 8}), {"name": "Office", **changed("resources", domains=11)}),
    )
    result = run_task(OPERATION, client, {"name": "Business", "new_name": "Office", "resources": {"domains": 11}})
    assert (result["changed"], result["plan"]["name"]) == (True, "Office")
    assert result["diff"] == {
        "before": {"name": "Business", "resources": {"domains": 10}},
        "after": {"name": "Office", "resources": {"domains": 11}},
    }


def test_a_plan_that_is_renamed_already_is_right(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/hosting-plans/name/Trial", answer(404, NOT_FOUND)),
        call("GET", "/hosting-plans/name/Business", answer(200, CURRENT)),
    )
    assert run_task(OPERATION, client, {"name": "Trial", "new_name": "Business"})["changed"] is False


def test_renaming_onto_another_plan_fails_without_a_write(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/hosting-plans/name/Trial", answer(200, {"id": 3, "name": "Trial"})),
        call("GET", "/hosting-plans/name/Business", answer(200, CURRENT)),
    )
    result = run_task(OPERATION, client, {"name": "Trial", "new_name": "Business"})
    assert result["msg"] == (
        "new_name: the hosting plan Trial cannot be renamed, since Business exists too (ids 3 and 8). Nothing was written."
    )


def test_check_mode_predicts_a_change_and_sends_nothing(dialogue: Dialogue) -> None:
    having = [{"id": 21, "username": "acme", "id_hosting_plan": "8"}, {"id": 22, "username": "other"}]
    client = dialogue(
        call("GET", "/hosting-plans/8", answer(200, CURRENT)), call("GET", "/clients", answer(200, having))
    )
    result = run_task(OPERATION, client, {"id": 8, "php": {"memory_limit": "1G"}}, check_mode=True)
    (warning,) = result["warnings"]
    assert warning.startswith(
        "Clients that have the hosting plan Business keep the limits that came with it before; set reapply_plan: true"
    )
    assert (result["changed"], result["plan"]) == (True, {**CURRENT, **changed("php", memory_limit="1G")})


def test_a_plan_is_deleted_once(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/hosting-plans/name/Business", answer(200, CURRENT)),
        call("DELETE", "/hosting-plans/8", answer(204)),
        call("GET", "/hosting-plans/name/Business", answer(404, NOT_FOUND)),
    )
    options = {"name": "Business", "state": "absent"}
    results = [run_task(OPERATION, client, options) for _time in range(2)]
    assert [(result["changed"], result["plan"]) for result in results] == [(True, None), (False, None)]

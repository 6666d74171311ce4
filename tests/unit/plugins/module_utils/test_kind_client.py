# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients: what is sent for each option, what is cleared, flags of creation, hosting plans and passwords."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.module_utils._http.client import PanelClient
from ansible_collections.hosting.panel.plugins.module_utils._kinds.client import CLIENT
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from ansible_collections.hosting.panel.plugins.module_utils._rows.difference import SECRET_CHANGES, Resolved
from tests.support.tasks import plan_of, run_task
from tests.support.transcript import NOT_FOUND, answer, call

Dialogue = Callable[..., PanelClient]
OPERATION = resource_operation(CLIENT)
PLAN = ("id_hosting_plan",)

CONTACT = {
    "first_name": "Eva",
    "last_name": "Beispiel",
    "company": "Acme GmbH",
    "telephone": "+49 30 1",
    "address": "Example Street 1\nback yard",
    "city": "Berlin",
    "zip": "10115",
    "state": "Berlin",
    "country": "DE",
    "client_id": "K-100",
}
CURRENT: dict[str, Any] = {
    "id": 21,
    "status": 1,
    "username": "acme",
    "email": "it@acme.example",
    "language": "de",
    "notes": "a note",
    "id_hosting_plan": 3,
    "is_suspended": False,
    "suspend_on": None,
    "delete_on": "2026-12-31T00:00:00+01:00",
    "contact_data": CONTACT,
    "created_at": "2026-05-01T10:00:00+02:00",
    "resource_limits": {"domains": 5},
    "permissions": {"ssh": False},
    "php": {"memory_limit": "256M"},
    "php_fpm": {"pm": "ondemand"},
}
WRITABLE = {
    name: CURRENT[name]
    for name in ("username", "email", "language", "notes", "is_suspended", "delete_on", "contact_data")
}


def test_every_option_reaches_the_wire_on_creation() -> None:
    options = {
        **WRITABLE,
        "delete_on": "2026-12-31",
        "suspend_on": "2026-11-30",
        "id_hosting_plan": 3,
        "send_login_credentials": True,
        "create_system_domain": True,
        "skeleton": "default",
        "password_hash": "$6$x",
        "password_hash_os": "$6$y",
    }
    assert plan_of(CLIENT, options, None, {PLAN: Resolved(3)}).body == options


def test_what_is_read_is_right_when_it_is_written_back() -> None:
    plan = plan_of(CLIENT, {**WRITABLE, "id_hosting_plan": 3}, CURRENT, {PLAN: Resolved(3)})
    assert (plan.action, plan.body, plan.warnings) == ("none", {}, ())


@pytest.mark.parametrize(
    ("option", "written", "sent"),
    [
        ("email", "Info@Acme.example", "info@acme.example"),
        ("email", "", ""),
        ("language", "en", "en"),
        ("notes", "another", "another"),
        ("notes", "", ""),
        ("is_suspended", True, True),
        ("suspend_on", "2026-11-30", "2026-11-30"),
        ("delete_on", "", None),
        ("delete_on", "2027-01-01T00:00:00+01:00", "2027-01-01T00:00:00+01:00"),
    ],
)
def test_only_the_changed_member_is_sent(option: str, written: Any, sent: Any) -> None:
    assert plan_of(CLIENT, {**WRITABLE, option: written}, CURRENT).body == {option: sent}


@pytest.mark.parametrize("member", CONTACT)
def test_one_member_of_the_contact_data_is_cleared_and_the_others_are_repeated(member: str) -> None:
    plan = plan_of(CLIENT, {"username": "acme", "contact_data": {member: ""}}, CURRENT)
    assert plan.body == {"contact_data": {**CONTACT, member: ""}}
    assert plan.before == {"contact_data": {member: CONTACT[member]}}


def test_an_empty_dictionary_clears_all_contact_data() -> None:
    body = plan_of(CLIENT, {"username": "acme", "contact_data": {}}, CURRENT).body
    assert body == {"contact_data": dict.fromkeys(CONTACT, "")}


def test_a_wrong_date_is_an_error_with_the_accepted_form() -> None:
    with pytest.raises(OptionError) as caught:
        plan_of(CLIENT, {"username": "acme", "suspend_on": "31.12.2026"})
    assert caught.value.message.startswith("suspend_on: '31.12.2026' is not accepted; it must be a date YYYY-MM-DD")


def test_flags_of_creation_say_nothing_about_a_client_that_exists() -> None:
    flags = {"send_login_credentials": True, "create_system_domain": True, "skeleton": "default"}
    plan = plan_of(CLIENT, {"username": "acme", **flags}, CURRENT)
    assert (plan.action, plan.warnings) == ("none", ())


def test_a_flag_of_creation_that_the_panel_shows_otherwise_warns() -> None:
    plan = plan_of(CLIENT, {"username": "acme", "skeleton": "default"}, {**CURRENT, "skeleton": "shop"})
    assert (plan.action, plan.warnings) == (
        "none",
        ("skeleton counts only when a client is created; acme exists with 'shop' and keeps it.",),
    )


def test_another_hosting_plan_is_sent_by_its_id(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/clients/name/acme", answer(200, CURRENT)),
        call("GET", "/hosting-plans/name/Business", answer(200, {"id": 4, "name": "Business"})),
        call("PUT", "/clients/21", answer(200, {"id": 21}), {"id_hosting_plan": 4}),
    )
    result = run_task(OPERATION, client, {"username": "acme", "hosting_plan": "Business"})
    assert result["diff"] == {"before": {"hosting_plan": "id 3"}, "after": {"hosting_plan": "Business"}}


@pytest.mark.parametrize(("limit", "body"), [(5, {}), (6, {"id_hosting_plan": 4})])
def test_where_the_panel_shows_no_plan_the_copied_features_are_compared(limit: int, body: dict[str, Any]) -> None:
    shown = {name: value for name, value in CURRENT.items() if name != "id_hosting_plan"}
    plan = {"id": 4, "name": "Business", "resources": {"domains": limit}, "permissions": {"ssh": False}}
    options = {"username": "acme", "hosting_plan": "Business"}
    assert plan_of(CLIENT, options, shown, {PLAN: Resolved(4, plan)}).body == body


def test_an_unknown_hosting_plan_fails_and_in_check_mode_warns(dialogue: Dialogue) -> None:
    calls = [
        call("GET", "/clients/name/acme", answer(404, NOT_FOUND)),
        call("GET", "/hosting-plans/name/Business", answer(404, NOT_FOUND)),
    ]
    client = dialogue(*calls, *calls, call("GET", "/admins/name/acme", answer(404, NOT_FOUND)))
    options = {"username": "acme", "hosting_plan": "Business"}
    assert run_task(OPERATION, client, options)["msg"] == (
        "hosting_plan: there is no hosting plan Business on this panel. Create it first, or correct the name. Nothing was written."
    )
    predicted = run_task(OPERATION, client, options, check_mode=True)
    assert (predicted["changed"], len(predicted["warnings"])) == (True, 1)


def test_a_new_password_is_asked_for_with_null_and_returned(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/clients/name/acme", answer(200, CURRENT)),
        call("PUT", "/clients/21", answer(200, {"id": 21, "password": "gEnErAtEd"}), {"password": None}),
    )
    result = run_task(OPERATION, client, {"username": "acme", "regenerate_password": True})
    assert (result["generated_password"], result["diff"]["after"]) == ("gEnErAtEd", {"password": SECRET_CHANGES})


def test_a_second_run_sends_no_write(dialogue: Dialogue) -> None:
    client = dialogue(call("GET", "/clients/name/acme", answer(200, CURRENT)))
    result = run_task(OPERATION, client, {**WRITABLE, "password": "s3cret-s3cret"})
    assert (result["changed"], result["client"]) == (False, CURRENT)


def test_a_name_in_upper_case_is_a_mistake_and_not_another_client(dialogue: Dialogue) -> None:
    client = dialogue()
    for check_mode in (True, False):
        result = run_task(OPERATION, client, {"username": "ACME"}, check_mode=check_mode)
        assert (
            result["msg"]
            == "username: 'ACME' is not accepted; it must be the name of a client, not empty and without upper case, blanks around it or "
            "characters that nobody sees."
        )

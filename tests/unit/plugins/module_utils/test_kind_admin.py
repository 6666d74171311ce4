# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Admins: what is sent for each option, passwords, and the last main admin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.module_utils._http.client import PanelClient
from ansible_collections.hosting.panel.plugins.module_utils._kinds.admin import ADMIN
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from tests.support.tasks import plan_of, run_task
from tests.support.transcript import NOT_FOUND, answer, call

Dialogue = Callable[..., PanelClient]
OPERATION = resource_operation(ADMIN)

MAIN: dict[str, Any] = {
    "id": 12,
    "username": "ops",
    "email": "ops@panel.example",
    "language": "de",
    "is_main_admin": True,
}
OTHER = {**MAIN, "id": 13, "username": "night", "is_main_admin": False}
LAST = (
    "The admin ops is the last one with is_main_admin, and without one nobody can manage the panel. "
    "It is never deleted, and stays what it is. Nothing was written."
)


def test_every_option_reaches_the_wire_on_creation() -> None:
    options = {name: value for name, value in MAIN.items() if name != "id"}
    plan = plan_of(ADMIN, {**options, "password": "s3cret-s3cret"})
    assert plan.body == {**options, "password": "s3cret-s3cret"}
    assert "password" not in (plan.object or {})


@pytest.mark.parametrize(
    ("option", "written", "sent"),
    [
        ("email", "Ops@Bücher.example", "ops@xn--bcher-kva.example"),
        ("language", "en", "en"),
        ("is_main_admin", False, False),
    ],
)
def test_only_the_changed_member_is_sent(option: str, written: Any, sent: Any) -> None:
    options = {**{name: value for name, value in MAIN.items() if name != "id"}, option: written}
    assert plan_of(ADMIN, options, MAIN).body == {option: sent}


@pytest.mark.parametrize("option", ["email", "language"])
def test_what_an_admin_must_have_cannot_be_cleared(option: str) -> None:
    with pytest.raises(OptionError) as caught:
        plan_of(ADMIN, {"username": "ops", option: ""})
    assert caught.value.option == option


def test_a_generated_password_is_returned_once(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/admins/name/ops", answer(404, NOT_FOUND)),
        call("GET", "/clients/name/ops", answer(404, NOT_FOUND)),
        call(
            "POST",
            "/admins",
            answer(201, {"id": 12, "password": "gEnErAtEd"}),
            {"username": "ops", "email": "ops@panel.example"},
        ),
        call("GET", "/admins/name/ops", answer(200, MAIN)),
    )
    options = {"username": "ops", "email": "ops@panel.example"}
    first, second = (run_task(OPERATION, client, options) for _time in range(2))
    assert (first["changed"], first["generated_password"]) == (True, "gEnErAtEd")
    assert (second["changed"], "generated_password" in second) == (False, False)


def test_a_given_password_is_sent_later_only_when_asked_for(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/admins/name/ops", answer(200, MAIN)),
        call("GET", "/admins/name/ops", answer(200, MAIN)),
        call("PUT", "/admins/12", answer(200, {"id": 12}), {"password": "s3cret-s3cret"}),
    )
    options = {"username": "ops", "password": "s3cret-s3cret"}
    assert run_task(OPERATION, client, options)["changed"] is False
    result = run_task(OPERATION, client, {**options, "update_password": "always"})
    assert result["changed"] is True
    assert "s3cret" not in str(result)


def test_the_last_main_admin_is_never_deleted(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/admins/name/ops", answer(200, MAIN)),
        call("GET", "/admins", answer(200, [MAIN, OTHER])),
    )
    result = run_task(OPERATION, client, {"username": "ops", "state": "absent"}, check_mode=True)
    assert (result["failed"], result["msg"]) == (True, LAST)


def test_the_last_main_admin_stays_one(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/admins/12", answer(200, MAIN)),
        call("GET", "/admins", answer(200, [MAIN, OTHER])),
    )
    result = run_task(OPERATION, client, {"id": 12, "is_main_admin": False})
    assert (result["failed"], result["msg"]) == (True, LAST)


def test_the_last_admin_stays_where_the_panel_does_not_show_who_is_a_main_admin(dialogue: Dialogue) -> None:
    shown = {name: value for name, value in MAIN.items() if name != "is_main_admin"}
    client = dialogue(
        call("GET", "/admins/name/ops", answer(200, shown)),
        call("GET", "/admins", answer(200, [shown])),
    )
    assert run_task(OPERATION, client, {"username": "ops", "state": "absent"})["msg"] == LAST


def test_one_of_two_main_admins_is_deleted(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/admins/name/ops", answer(200, MAIN)),
        call("GET", "/admins", answer(200, [MAIN, {**OTHER, "is_main_admin": True}])),
        call("DELETE", "/admins/12", answer(204)),
    )
    assert run_task(OPERATION, client, {"username": "ops", "state": "absent"})["changed"] is True


def test_an_admin_that_is_no_main_admin_is_deleted_without_looking_at_the_others(dialogue: Dialogue) -> None:
    client = dialogue(
        call("GET", "/admins/name/night", answer(200, OTHER)),
        call("DELETE", "/admins/13", answer(204)),
    )
    assert run_task(OPERATION, client, {"username": "night", "state": "absent"})["changed"] is True


@pytest.mark.parametrize("username", [" ops", "ops ", "o\u200bps", "ops\n"])
def test_a_name_with_what_nobody_sees_is_refused(username: str) -> None:
    with pytest.raises(OptionError, match=r"username: .* without blanks around it or characters that nobody sees"):
        plan_of(ADMIN, {"username": username})

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels that keep the text by which an object is found otherwise than it was sent: no run leaves a second object, and none is silent."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._http.client import PanelClient
from ansible_collections.hosting.panel.plugins.module_utils._http.connection import read_connection
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from tests.support.simulator import Simulator
from tests.support.tasks import run_task

SEED = {"clients": [{"username": "acme"}]}
# By how a panel keeps it, a text that it changes.
TEXTS = {
    "cut": "backup-of-all-customers-at-night",
    "escaped": "a&b",
    "ascii": "caf\u00e9\U0001f600",
    "lower": "Backup",
}
BLANKS = {"collapsed": "clean  up"}
TASK: dict[str, Any] = {"client": "acme", "type": "exec", "command": "/bin/true"}
CASES: list[tuple[str, str, dict[str, Any]]] = [
    *(("scheduled_tasks", form, {**TASK, "description": text}) for form, text in {**TEXTS, **BLANKS}.items()),
    *(
        ("directory_protections", form, {"client": "acme", "path": f"/{text}", "username": "boss"})
        for form, text in {**TEXTS, **BLANKS}.items()
    ),
    *(
        ("directory_protections", form, {"client": "acme", "path": "/shop", "username": text})
        for form, text in TEXTS.items()
    ),
]
NAMED = [f"{plural}-{form}-{'user' if options.get('path') == '/shop' else 'text'}" for plural, form, options in CASES]
LAYOUT = pytest.mark.parametrize("in_bulk", [False, True], ids=["single", "bulk"])


def run(simulator: Simulator, plural: str, options: dict[str, Any], in_bulk: bool) -> dict[str, Any]:
    parameters = {"api_url": simulator.url, "api_key": simulator.api_key, "validate_certs": True}
    client = PanelClient(read_connection({**parameters, "timeout": 30, "retry_time": 0}))
    try:
        if in_bulk:
            return run_task(resources_operation(), client, {"resources": {plural: [options]}})
        return run_task(resource_operation(TABLES[plural]), client, options)
    finally:
        client.close()


@LAYOUT
@pytest.mark.parametrize(("plural", "form", "options"), CASES, ids=NAMED)
def test_what_would_not_be_found_again_is_not_left_on_the_panel(
    simulator: Simulator, plural: str, form: str, options: dict[str, Any], in_bulk: bool
) -> None:
    simulator.reset()
    simulator.seed(SEED)
    simulator.settings({"kept_texts": form})
    for _time in range(3):
        result = run(simulator, plural, options, in_bulk)
        assert result["failed"]
        assert not result.get("changed")
        assert "otherwise than it was sent" in result["msg"]
        assert "was deleted again" in result["msg"]
        assert simulator.objects(plural) == []


@LAYOUT
@pytest.mark.parametrize(("plural", "form", "options"), CASES, ids=NAMED)
def test_an_object_that_is_there_under_the_text_that_the_panel_keeps_is_named(
    simulator: Simulator, plural: str, form: str, options: dict[str, Any], in_bulk: bool
) -> None:
    simulator.reset()
    simulator.seed(SEED)
    simulator.settings({"kept_texts": form})
    body = {name: value for name, value in options.items() if name != "client"}
    owner = next(client["id"] for client in simulator.objects("clients"))
    path = TABLES[plural].path
    there = simulator.request("POST", path, {**body, "id_user": owner}).json()["id"]
    for _time in range(3):
        result = run(simulator, plural, options, in_bulk)
        assert result["failed"]
        assert f"(id {there})" in result["msg"]
        assert [item["id"] for item in simulator.objects(plural)] == [there]


@LAYOUT
@pytest.mark.parametrize(("plural", "form", "options"), CASES, ids=NAMED)
def test_a_text_that_the_panel_keeps_as_it_is_sent_is_no_problem(
    simulator: Simulator, plural: str, form: str, options: dict[str, Any], in_bulk: bool
) -> None:
    plain = {**options, **{name: "plain" for name in ("description", "path", "username") if name in options}}
    simulator.reset()
    simulator.seed(SEED)
    simulator.settings({"kept_texts": form})
    results = [run(simulator, plural, plain, in_bulk) for _time in range(3)]
    assert [result.get("failed", False) for result in results] == [False] * 3
    assert [result["changed"] for result in results] == [True, False, False]
    assert len(simulator.objects(plural)) == 1


@LAYOUT
@pytest.mark.parametrize(("plural", "form", "options"), CASES, ids=NAMED)
def test_where_it_cannot_be_deleted_again_the_object_is_named(
    simulator: Simulator, plural: str, form: str, options: dict[str, Any], in_bulk: bool
) -> None:
    simulator.reset()
    simulator.seed(SEED)
    path = TABLES[plural].path
    simulator.settings({"kept_texts": form, "missing_paths": [rf"DELETE {path}/\d+"]})
    result = run(simulator, plural, options, in_bulk)
    (made,) = simulator.objects(plural)
    assert (result["failed"], result["changed"]) == (True, True)
    assert f"id {made['id']}" in result["msg"]
    assert "could not be deleted again" in result["msg"]


@LAYOUT
@pytest.mark.parametrize(
    ("plural", "options"),
    [
        ("databases", {"client": "acme", "database_name": "acme_a_very_long_name_of_it"}),
        ("ftp_users", {"client": "acme", "username": "acme_a_very_long_name_of_it"}),
    ],
)
def test_of_what_the_panel_has_once_it_refuses_the_second_one(
    simulator: Simulator, plural: str, options: dict[str, Any], in_bulk: bool
) -> None:
    simulator.reset()
    simulator.seed(SEED)
    simulator.settings({"kept_texts": "cut"})
    results = [run(simulator, plural, options, in_bulk) for _time in range(3)]
    assert [result.get("failed", False) for result in results] == [False, True, True]
    assert len(simulator.objects(plural)) == 1


@LAYOUT
@pytest.mark.parametrize(
    ("plural", "options"),
    [
        ("scheduled_tasks", {**TASK, "description": "cafe\u0301"}),
        ("directory_protections", {"client": "acme", "path": "/cafe\u0301", "username": "cafe\u0301"}),
    ],
)
def test_an_object_that_the_panel_keeps_in_another_form_of_unicode_is_found_again(
    simulator: Simulator, plural: str, options: dict[str, Any], in_bulk: bool
) -> None:
    simulator.reset()
    simulator.seed(SEED)
    simulator.settings({"kept_texts": "nfc"})
    results = [run(simulator, plural, options, in_bulk) for _time in range(3)]
    assert [result["changed"] for result in results] == [True, False, False]
    assert len(simulator.objects(plural)) == 1

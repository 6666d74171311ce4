# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels that keep the text by which an object is found otherwise than it was sent: no run leaves a second object, and none is silent."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from tests.support.bulk import manage
from tests.support.simulator import Simulator

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
EACH = pytest.mark.parametrize(("plural", "form", "options"), CASES, ids=NAMED)
LAYOUT = pytest.mark.parametrize("in_bulk", [False, True], ids=["single", "bulk"])


@pytest.fixture
def panel(simulator: Simulator, form: str) -> Simulator:
    """A panel that keeps texts in this form."""
    simulator.reset()
    simulator.seed(SEED)
    simulator.settings({"kept_texts": form})
    return simulator


@LAYOUT
@EACH
def test_what_would_not_be_found_again_is_not_left_on_the_panel(
    panel: Simulator, plural: str, form: str, options: dict[str, Any], in_bulk: bool
) -> None:
    for _time in range(3):
        result = manage(panel, plural, options, in_bulk)
        assert result["failed"]
        assert not result.get("changed")
        assert "otherwise than it was sent" in result["msg"]
        assert "was deleted again" in result["msg"]
        assert panel.objects(plural) == []


@LAYOUT
@EACH
def test_an_object_that_is_there_under_the_text_that_the_panel_keeps_is_named(
    panel: Simulator, plural: str, form: str, options: dict[str, Any], in_bulk: bool
) -> None:
    body = {name: value for name, value in options.items() if name != "client"}
    owner = next(client["id"] for client in panel.objects("clients"))
    path = TABLES[plural].path
    there = panel.request("POST", path, {**body, "id_user": owner}).json()["id"]
    for _time in range(3):
        result = manage(panel, plural, options, in_bulk)
        assert result["failed"]
        assert f"(id {there})" in result["msg"]
        assert [item["id"] for item in panel.objects(plural)] == [there]


@LAYOUT
@EACH
def test_a_text_that_the_panel_keeps_as_it_is_sent_is_no_problem(
    panel: Simulator, plural: str, form: str, options: dict[str, Any], in_bulk: bool
) -> None:
    plain = {**options, **{name: "plain" for name in ("description", "path", "username") if name in options}}
    results = [manage(panel, plural, plain, in_bulk) for _time in range(3)]
    assert [result.get("failed", False) for result in results] == [False] * 3
    assert [result["changed"] for result in results] == [True, False, False]
    assert len(panel.objects(plural)) == 1


@LAYOUT
@EACH
def test_where_it_cannot_be_deleted_again_the_object_is_named(
    panel: Simulator, plural: str, form: str, options: dict[str, Any], in_bulk: bool
) -> None:
    panel.settings({"missing_paths": [rf"DELETE {TABLES[plural].path}/\d+"]})
    result = manage(panel, plural, options, in_bulk)
    (made,) = panel.objects(plural)
    assert (result["failed"], result["changed"]) == (True, True)
    assert f"id {made['id']}" in result["msg"]
    assert "could not be deleted again" in result["msg"]


@LAYOUT
@pytest.mark.parametrize(
    ("plural", "form", "options"),
    [
        ("scheduled_tasks", "nfc", {**TASK, "description": "cafe\u0301"}),
        ("directory_protections", "nfc", {"client": "acme", "path": "/cafe\u0301", "username": "cafe\u0301"}),
    ],
)
def test_an_object_that_the_panel_keeps_in_another_form_of_unicode_is_found_again(
    panel: Simulator, plural: str, form: str, options: dict[str, Any], in_bulk: bool
) -> None:
    results = [manage(panel, plural, options, in_bulk) for _time in range(3)]
    assert [result["changed"] for result in results] == [True, False, False]
    assert len(panel.objects(plural)) == 1

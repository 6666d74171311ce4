"""The filters of the role rotate."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_rotation_mistakes import (
    panel_rotation_mistakes,
)
from ansible_collections.hosting.panel.plugins.filter.panel_rotation_result import (
    panel_rotation_result,
)

SETTINGS: dict[str, Any] = {
    "rotate_id": "2026-11",
    "rotate_clients": [],
    "rotate_plans": [],
    "rotate_objects": {},
    "rotate_kinds": [],
    "rotate_max": 2,
    "rotate_credentials_file": "rotation.yml",
}
CHOSEN: dict[str, Any] = {"resources": {}, "count": 2, "unmatched": []}
DONE: dict[str, Any] = {
    "plan": {
        "actions": [
            {"kind": "emails", "key": "info@acme.example", "client": "acme", "action": "update"},
            {"kind": "ftp_users", "key": "web", "action": "update"},
        ],
        "summary": {"unchanged": 3},
    },
    "results": [
        {"kind": "emails", "key": "info@acme.example", "result": "changed"},
        {"kind": "ftp_users", "key": "web", "result": "failed", "msg": "refused"},
        {"kind": "clients", "key": "acme", "result": "skipped"},
    ],
    "credentials_file": "/keys/rotation.yml",
}
NOTHING_CHOSEN = "rotate_clients, rotate_plans, rotate_objects: choose at least one object."
NO_KINDS = (
    "rotate_kinds: missing. Set it to the types of objects that get new passwords, for example "
    "[emails, databases]."
)


@pytest.mark.parametrize(
    ("settings", "mistakes"),
    [
        ({}, [NOTHING_CHOSEN]),
        ({"rotate_objects": {"emails": [], "clients": []}}, [NOTHING_CHOSEN]),
        ({"rotate_objects": {"emails": ["info@acme.example"]}}, []),
        ({"rotate_clients": ["acme"]}, [NO_KINDS]),
        ({"rotate_plans": ["Business"]}, [NO_KINDS]),
        ({"rotate_plans": ["Business"], "rotate_kinds": ["emails"]}, []),
    ],
)
def test_a_rotation_has_to_choose_objects_and_those_of_clients_by_their_types(
    settings: dict[str, Any], mistakes: list[str]
) -> None:
    assert panel_rotation_mistakes(CHOSEN, {**SETTINGS, **settings}) == mistakes
    assert panel_rotation_mistakes({}, {**SETTINGS, **settings}) == mistakes  # before a reading


def test_the_limit_is_the_number_of_objects_that_are_still_changed() -> None:
    settings = {**SETTINGS, "rotate_objects": {"emails": ["*"]}}
    assert panel_rotation_mistakes(CHOSEN, settings) == []
    assert panel_rotation_mistakes({**CHOSEN, "count": 3}, settings) == [
        "rotate_max: 3 objects would get new passwords (limit 2)."
    ]


def test_a_name_that_fits_nothing_is_a_mistake_of_the_variable_that_has_it() -> None:
    settings = {**SETTINGS, "rotate_objects": {"emails": ["x"]}}
    unmatched = ["rotate_objects.emails: nothing on this panel fits x"]
    assert panel_rotation_mistakes({**CHOSEN, "unmatched": unmatched}, settings) == [
        "rotate_objects.emails: nothing on this panel fits x"
    ]


def test_the_fact_counts_outcomes_and_names_objects_and_failures() -> None:
    assert panel_rotation_result(DONE, SETTINGS) == {
        "fact": {
            "id": "2026-11",
            "objects": [
                {"kind": "emails", "key": "info@acme.example", "client": "acme"},
                {"kind": "ftp_users", "key": "web"},
            ],
            "rotated": 1,
            "unchanged": 3,
            "left": 1,
            "failures": ["ftp_users web: refused"],
            "credentials_file": "/keys/rotation.yml",
        },
        "line": "rotation 2026-11: 1 new password is in /keys/rotation.yml, 3 were set before",
    }


@pytest.mark.parametrize(
    ("done", "summary"),
    [
        ({"failed": True}, "nothing was written, 0"),
        ({"plan": {"summary": {"unchanged": 6}, "actions": []}}, "nothing to do, 6"),
        ({**DONE, "credentials_file": ""}, "1 new password would be in rotation.yml, 3"),
    ],
)
def test_the_line_says_what_was_or_would_be_written(done: dict[str, Any], summary: str) -> None:
    line = panel_rotation_result(done, SETTINGS, check_mode=True)["line"]
    assert line == f"rotation 2026-11: {summary} were set before"

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a plan and its failures read."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.plan_words import failure_lines, plan_lines


def plan(*actions: dict[str, Any]) -> dict[str, Any]:
    return {
        "summary": {"create": 1, "update": 2, "delete": 3, "unchanged": 4},
        "actions": list(actions),
        "checksum": "x",
    }


def line(**action: Any) -> str:
    return plan_lines(plan({"kind": "emails", "key": "a@b.example", "before": {}, "after": {}, **action}), 9)[1]


def test_the_first_line_has_the_counts() -> None:
    assert plan_lines(plan(), 9) == ["1 to create, 2 to update, 3 to delete, 4 unchanged"]


def test_a_creation_names_the_object() -> None:
    assert line(action="create", after={"max_size": 5}) == "create  emails a@b.example"


def test_a_deletion_names_what_goes_with_the_object() -> None:
    assert line(action="delete") == "delete  emails a@b.example"
    also = {"domains": ["a", "b"], "emails": ["c"]}
    assert line(action="delete", also_deleted=also) == "delete  emails a@b.example, and with it 2 domains, 1 email"


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ({"php_version": "8.1"}, {"php_version": "8.3"}, "php_version 8.1 -> 8.3"),
        (
            {"security": {"is_hsts": False, "x": 1}},
            {"security": {"is_hsts": True, "x": 1}},
            "security.is_hsts false -> true",
        ),
        ({"aliases": ["a", "b"]}, {"aliases": ["b", "c"]}, "aliases -a +c"),
        ({"notes": ""}, {"notes": " two\nlines"}, 'notes "" -> " two\\nlines"'),
        ({"delete_on": None}, {"delete_on": "2031-01-01"}, "delete_on null -> 2031-01-01"),
        ({"notes": "x"}, {"notes": None}, "notes x -> null"),
        ({}, {"password": "(a secret, which changes)"}, "password (a secret, which changes)"),
        ({"a": 1, "b": 2}, {"a": 2, "b": 3}, "a 1 -> 2, b 2 -> 3"),
        ({"max_size": 536870912}, {"max_size": 1073741824}, "max_size 512M -> 1G"),
        ({"max_size": -1}, {"max_size": 10**9}, "max_size unlimited -> 1000000000 (954 MiB)"),
        ({}, {"max_size": 1536}, "max_size 1536 (1.5 KiB)"),
        ({"max_size": True}, {"max_size": "5"}, "max_size true -> 5"),
        ({"notes": "x" * 99}, {"notes": "y"}, f"notes {'x' * 59}… -> y"),
    ],
)
def test_a_change_shows_what_changes_and_nothing_else(before: Any, after: Any, shown: str) -> None:
    assert line(action="update", before=before, after=after) == f"update  emails a@b.example: {shown}"


def test_a_size_within_others_is_known_by_its_kind() -> None:
    sizes = {"before": {}, "after": {"resources": {"disk_space": 10 * 2**30, "domains": 2**30}}}
    shown = "update  plans Business: resources.disk_space 10G, resources.domains 1073741824"
    assert line(action="update", kind="plans", key="Business", **sizes) == shown


def test_a_line_is_no_longer_than_a_person_reads() -> None:
    changes = {f"member{number}": number for number in range(99)}
    assert len(line(action="update", before=dict.fromkeys(changes, -1), after=changes)) == 240


def test_a_long_plan_is_cut_and_says_so() -> None:
    actions = [{"kind": "emails", "key": str(number), "action": "create"} for number in range(7)]
    assert plan_lines(plan(*actions), 5)[-2:] == ["create  emails 4", "and 2 more"]
    assert len(plan_lines(plan(*actions), 7)) == 8


def test_failures_come_before_what_was_skipped_for_them() -> None:
    results = [
        {"kind": "plans", "key": "Basic", "result": "changed"},
        {"kind": "emails", "key": "a@b.example", "result": "skipped", "msg": "b.example failed."},
        {"kind": "domains", "key": "b.example", "result": "failed", "msg": "No."},
    ]
    assert failure_lines(results, 9) == [
        "failed  domains b.example: No.",
        "skipped emails a@b.example: b.example failed.",
    ]
    assert failure_lines(results, 1)[-1] == "and 1 more"

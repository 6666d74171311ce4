# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a plan for the target is the rest of an earlier move, and what is not."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._move.differences import (
    differences,
    objects_of_a_namesake,
    only_on_target,
    present,
    unexpected_changes,
    without_passwords,
)


def action(kind: str, key: str, what: str = "update", before: Any = None, after: Any = None) -> dict[str, Any]:
    return {"kind": kind, "key": key, "action": what, "before": before, "after": after}


def plan(*actions: dict[str, Any]) -> dict[str, Any]:
    return {"actions": list(actions)}


def test_what_is_missing_may_be_made() -> None:
    assert unexpected_changes(plan(action("emails", "info@acme.example", "create")), {}) == []


@pytest.mark.parametrize(
    ("kind", "before", "after", "is_rest"),
    [
        ("scheduled_tasks", {"is_enabled": False}, {"is_enabled": True}, True),
        ("scheduled_tasks", {"command": "a"}, {"command": "b"}, False),
        ("domains", {"security": {"certificate": ""}}, {"security": {"certificate": "2026"}}, True),
        ("domains", {"security": {"certificate": "2025"}}, {"security": {"certificate": "2026"}}, False),
        ("domains", {"security": {"is_hsts": False}}, {"security": {"is_hsts": True}}, False),
        ("domains", {"php_version": "8.2"}, {"php_version": "8.3"}, False),
        ("clients", {"email": "a"}, {"email": "b"}, False),
        ("dns", {"records": []}, {"records": ["x"]}, False),
    ],
)
def test_a_change_of_what_is_there_is_the_rest_of_a_move_or_unexpected(
    kind: str, before: Any, after: Any, is_rest: bool
) -> None:
    lines = unexpected_changes(plan(action(kind, "acme.example", "update", before, after)), {})
    assert (lines == []) is is_rest


def test_a_zone_may_be_filled_while_it_is_the_default_one_or_its_domain_is_new() -> None:
    zone = action("dns", "acme.example", "update", {"records": []}, {"records": ["x"]})
    assert unexpected_changes(plan(zone), {"dns": [{"domain": "acme.example", "state": "default"}]}) == []
    assert unexpected_changes(plan(action("domains", "acme.example", "create"), zone), {}) == []
    assert unexpected_changes(plan(action("domains", "else.example", "create"), zone), {}) != []


def test_differences_name_what_is_missing_and_what_differs() -> None:
    lines = differences(
        plan(
            action("emails", "info@acme.example", "create"),
            action("clients", "acme", "update", {"notes": "a"}, {"notes": "b"}),
        )
    )
    assert lines == ["missing  emails info@acme.example", "differs  clients acme: notes a -> b"]


def test_what_the_client_has_on_the_target_alone_is_named() -> None:
    target = {
        "emails": [
            {"email": "new@acme.example", "client": "acme"},
            {"email": "info@acme.example", "client": "acme"},
            {"email": "x@other.example", "client": "other"},
        ],
        "certificates": [{"name": "brought", "client": "acme"}],
    }
    wanted = {"emails": [{"email": "info@acme.example"}]}
    assert only_on_target(wanted, target, "acme") == ["emails new@acme.example"]


def test_present_is_what_the_plan_does_not_create() -> None:
    resources = {
        "plans": [{"name": "Business"}],
        "domains": [{"domain": "acme.example"}],
        "dns": [{"domain": "acme.example"}],
        "emails": [{"email": "a@acme.example"}, {"email": "b@acme.example"}],
    }
    found = present(
        resources, plan(action("domains", "acme.example", "create"), action("emails", "a@acme.example", "create"))
    )
    assert found == {"emails": ["b@acme.example"]}


def test_a_password_that_an_earlier_run_made_and_that_is_set_again_is_no_change_of_the_object() -> None:
    again = action("emails", "a@acme.example", before={}, after={"password": "(changes)"})
    other = action("emails", "b@acme.example", before={}, after={"password": "(changes)"})
    more = action("clients", "acme", before={"email": "a"}, after={"email": "b", "password": "(changes)"})
    made = [("emails", "a@acme.example"), ("clients", "acme")]
    assert without_passwords(plan(again, other, more), made)["actions"] == [other, more]


def test_a_client_that_differs_and_has_nothing_in_common_is_another_customer() -> None:
    found = plan(action("clients", "acme"))
    moving = {"domains": [{"domain": "acme.example", "client": "acme"}]}
    theirs = {"domains": [{"domain": "far.example", "client": "acme"}, {"domain": "third.example", "client": "other"}]}
    both = {"domains": [*moving["domains"], *theirs["domains"]]}
    assert objects_of_a_namesake(found, moving, theirs, "acme") == ["domains far.example"]
    assert objects_of_a_namesake(plan(), moving, theirs, "acme") == []
    assert objects_of_a_namesake(found, moving, {}, "acme") == []
    assert objects_of_a_namesake(found, moving, both, "acme") == []


def test_what_the_export_leaves_out_is_a_difference_with_its_reason() -> None:
    left_out = [
        {"kind": "scheduled_tasks", "key": "acme:id 8", "id": 8, "reason": "its description is none"},
        {"kind": "emails", "key": "info@acme.example", "id": 4, "option": "forwardings", "reason": "it is odd"},
    ]
    assert differences(plan(), left_out) == [
        "missing  scheduled_tasks acme:id 8 (id 8 on the source): cannot be copied, since its description is none",
        "differs  emails info@acme.example (id 4 on the source): forwardings cannot be copied, since it is odd",
    ]

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is protected however it is spelled, and how many objects a deletion takes."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.actions import DELETE, Action
from ansible_collections.hosting.panel.plugins.module_utils._bulk.guards import check_deletions, is_protected
from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._errors import Conflict
from tests.support.memory_panel import MemoryPanel
from tests.support.tasks import run_task


@pytest.mark.parametrize(
    ("key", "pattern"),
    [
        ("xn--mller-kva.example", "müller.example"),
        ("xn--mller-kva.example", "MÜLLER.example"),
        ("xn--mller-kva.example", "mu\u0308ller.*"),
        ("shop.xn--mller-kva.example", "*.müller.example"),
        ("info@xn--mller-kva.example", "*@müller.example"),
        ("müller.example", "xn--mller-kva.example"),
        ("xn--mller-kva.example", "xn--*"),
        ("xn--mller-kva.example", "XN--MLLER-KVA.example"),
        ("Gold [old]", "Gold [old]"),
        ("Gold [old]", "gold *"),
        ("acme:/intern:guest", "acme:*"),
        (":Backup", ":Backup"),
    ],
)
def test_a_name_or_pattern_protects_in_every_spelling(key: str, pattern: str) -> None:
    assert is_protected({"domains": [pattern]}, "domains", key)


@pytest.mark.parametrize(
    ("key", "pattern"), [("xn--mller-kva.example", "miller.example"), ("xn--\u00fc.example", "y.example"), ("ab", "a")]
)
def test_another_name_does_not(key: str, pattern: str) -> None:
    assert not is_protected({"domains": [pattern]}, "domains", key)
    assert not is_protected({"emails": [key]}, "domains", key)


def domains() -> dict[str, list[dict[str, Any]]]:
    shown = {"id_user": 1, "id_parent_domain": 0, "is_system_domain": False}
    return {
        "/domains": [
            {"id": 1, "domain": "xn--mller-kva.example", **shown},
            {"id": 2, "domain": "acme.example", **shown},
        ]
    }


def test_a_purge_leaves_a_domain_that_is_protected_in_the_letters_of_its_language() -> None:
    panel = MemoryPanel(domains())
    options = {"purge": ["domains"], "max_deletes": 9, "protect": {"domains": ["müller.example"]}}
    assert run_task(resources_operation(), panel, {"resources": {"domains": []}, **options})["changed"] is True
    assert panel.writes == [("DELETE", "/domains/2", None)]


def test_objects_of_the_same_name_are_counted_one_by_one() -> None:
    task = {"id_user": 0, "description": "Backup", "type": "exec", "command": "/bin/true"}
    panel = MemoryPanel({"/scheduled-tasks": [{"id": number, **task} for number in (1, 2, 3)]})
    options = {"resources": {"scheduled_tasks": []}, "purge": ["scheduled_tasks"], "max_deletes": 1}
    result = run_task(resources_operation(), panel, options)
    assert result["msg"].startswith("max_deletes: 3 objects would be deleted (3 scheduled_tasks), and the limit is 1.")
    assert panel.writes == []


def test_objects_of_the_same_name_that_go_with_a_client_are_counted_one_by_one() -> None:
    task = {"id_user": 5, "description": "Backup", "type": "exec", "command": "/bin/true"}
    panel = MemoryPanel(
        {
            "/clients": [{"id": 5, "username": "acme"}],
            "/scheduled-tasks": [{"id": number, **task} for number in (1, 2)],
        }
    )
    options = {"resources": {"clients": [{"username": "acme", "state": "absent"}]}, "max_deletes": 2}
    result = run_task(resources_operation(), panel, options)
    assert result["error"]["deletes"] == 3
    assert result["plan"]["actions"][0]["also_deleted"] == {"scheduled_tasks": ["acme:Backup", "acme:Backup"]}
    assert panel.writes == []


def test_an_object_that_goes_with_two_deletions_is_counted_once() -> None:
    actions = [
        Action(
            kind, key, DELETE, {}, {}, identifier=1, also_deleted={"emails": ["a@b.example"]}, also_ids={"emails": [7]}
        )
        for kind, key in (("clients", "acme"), ("domains", "b.example"))
    ]
    check_deletions(actions, 3)
    with pytest.raises(Conflict, match="3 objects would be deleted"):
        check_deletions(actions, 2)


def test_domains_that_say_that_they_are_in_each_other_are_counted_once() -> None:
    current = domains()
    current["/domains"][0]["id_parent_domain"] = 2
    current["/domains"][1]["id_parent_domain"] = 1
    options = {"resources": {"domains": [{"domain": "acme.example", "state": "absent"}]}, "max_deletes": 1}
    result = run_task(resources_operation(), MemoryPanel(current), options)
    assert result["error"]["deletes"] == 2
    assert result["plan"]["actions"][0]["also_deleted"] == {"domains": ["xn--mller-kva.example"]}


def test_objects_without_ids_that_go_with_a_client_are_counted_and_protected_too() -> None:
    mailboxes = [{"email": f"{name}@acme.example", "id_user": 5} for name in ("info", "boss")]
    panel = MemoryPanel({"/clients": [{"id": 5, "username": "acme"}], "/emails": mailboxes})
    gone = {"resources": {"clients": [{"username": "acme", "state": "absent"}]}}
    assert run_task(resources_operation(), panel, {**gone, "max_deletes": 2})["error"]["deletes"] == 3
    protected = run_task(
        resources_operation(), panel, {**gone, "max_deletes": 3, "protect": {"emails": ["boss@acme.example"]}}
    )
    assert protected["error"]["objects"] == ["emails boss@acme.example (with clients acme)"]
    assert panel.writes == []

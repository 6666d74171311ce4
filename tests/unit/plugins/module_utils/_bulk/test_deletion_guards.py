"""What is protected however it is spelled, and how many objects a deletion takes."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.deletions import check_deletions, is_protected
from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._bulk.planner import DELETE, Action
from ansible_collections.hosting.panel.plugins.module_utils._errors import Conflict
from ansible_collections.hosting.panel.plugins.module_utils._items.wanted_items import read_items
from tests.support.memory import MemoryPanel
from tests.support.tasks import run_task

IDN = "xn--mller-kva.example"


def test_a_name_or_pattern_protects_in_every_spelling_that_an_item_may_have() -> None:
    for kind, key, given in [
        ("domains", IDN, "müller.example"),
        ("domains", IDN, "MÜLLER.example"),
        ("domains", IDN, "mu\u0308ller.*"),
        ("domains", f"shop.{IDN}", "*.müller.example"),
        ("domains", f"shop.{IDN}", " *.MÜLLER.example. "),
        ("domains", IDN, "XN--MLLER-KVA.example."),
        ("domains", "müller.example", IDN),
        ("domains", IDN, "xn--ml*"),
        ("domains", "xn--ls8h.example", "xn--ls8h.example"),
        ("domains", "acme.example.", "acme.example"),
        ("emails", f"info@{IDN}", "*@müller.example"),
        ("emails", f"info@{IDN}", " Info@Müller.example. "),
        ("plans", "Gold [old]", "Gold [old]"),
        ("plans", "Gold [old]", "gold *"),
        ("clients", "acme", "ACME "),
        ("admins", "eve", "Eve"),
        ("certificates", "acme 2026", "acme 2026 "),
        ("databases", "acme_shop", "ACME_shop"),
        ("ftp_users", "acme_web", "acme_w??"),
        ("directory_protections", "acme:/intern:guest", "acme:*"),
        ("scheduled_tasks", ":Backup", ":Backup"),
    ]:
        assert is_protected({kind: [given]}, kind, key)


@pytest.mark.parametrize(
    ("key", "given"),
    [(IDN, "miller.example"), ("xn--\u00fc.example", "y.example"), ("ab", "a"), ("ab", ""), ("a.b", "b")],
)
def test_another_name_does_not(key: str, given: str) -> None:
    assert not is_protected({"domains": [given]}, "domains", key)
    assert not is_protected({"emails": [key]}, "domains", key)


def test_objects_of_the_same_name_are_counted_one_by_one() -> None:
    task = {"id_user": 0, "description": "Backup", "type": "exec", "command": "/bin/true"}
    panel = MemoryPanel({"/scheduled-tasks": [{"id": number, **task} for number in (1, 2, 3)]})
    absent = {"scheduled_tasks": [{"id": number, "state": "absent"} for number in (1, 2, 3)]}
    result = run_task(resources_operation(), panel, {"resources": absent, "max_deletes": 1})
    assert result["msg"].startswith("max_deletes: 3 objects would be deleted (3 scheduled tasks; the limit is 1): ")
    assert panel.writes == []


def deletion(kind: str, key: str, number: int, *along: tuple[str, str, Any], named: bool = True) -> Action:
    """named: whether an item says that the object shall be absent, and not only a purge."""
    item = read_items({kind: [{"email": key, "state": "absent"}]}).items[kind][0] if named else None
    return Action(kind, key, DELETE, {}, identifier=number, item=item, lost=[(kind, key, number), *along])


NAMED = [deletion("emails", f"{name}@a.example", number) for number, name in enumerate("ab")]
PURGED = [deletion("emails", f"{name}@a.example", number, named=False) for number, name in enumerate("cd", 2)]
WITH_MORE = [deletion("emails", "e@a.example", 5, ("ftp_users", "f", 1))]


def test_what_is_above_the_limit_does_not_go_and_what_is_within_it_does() -> None:
    for actions, fitting, exceeding in [
        ([], [None, 0], []),
        (NAMED, [None, 2], [0, 1]),
        (PURGED[:1], [1], [None, 0]),
        (PURGED, [2, 3], [1]),
        ([*NAMED, *PURGED[:1]], [3], [None]),
        ([*NAMED, *PURGED], [4], [None, 3]),
        (WITH_MORE, [2], [None, 1]),
    ]:
        for limit in fitting:
            check_deletions(actions, {}, limit)
        total = sum(len(action.lost) for action in actions)
        for limit in exceeding:
            words = rf"{total} objects? would be deleted .*; the limit is {limit or 0}\)"
            with pytest.raises(Conflict, match=words) as caught:
                check_deletions(actions, {}, limit)
            details = caught.value.details
            assert (details["option"], details["deletes"], details["limit"]) == ("max_deletes", total, limit or 0)


@pytest.mark.parametrize("check_mode", [False, True])
def test_what_is_another_clients_is_neither_deleted_nor_written(check_mode: bool) -> None:
    panel = MemoryPanel(
        {
            "/clients": [{"id": 11, "username": "acme"}, {"id": 12, "username": "beta"}],
            "/domains": [{"id": 31, "domain": "beta.example", "id_user": 12}],
            "/emails": [{"id": 51, "email": "x@beta.example", "id_user": 12}],
        }
    )
    record = {"host": "www", "type": "A", "ttl": 60, "value": "192.0.2.1"}
    resources = {
        "domains": [{"domain": "beta.example", "client": "acme", "state": "absent"}],
        "emails": [{"id": 51, "client": "acme", "state": "absent"}],
        "dns": [{"domain": "beta.example", "client": "acme", "records": [record]}],
    }
    result = run_task(resources_operation(), panel, {"resources": resources, "max_deletes": 9}, check_mode=check_mode)
    assert len(result["error"]["mistakes"]) == 3
    assert all("the client beta, the task " in mistake for mistake in result["error"]["mistakes"])
    assert panel.writes == []

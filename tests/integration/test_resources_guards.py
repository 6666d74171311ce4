# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing is deleted that was not meant to be: purges, limits, protection, and plans that were approved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.support.playbook import IN_PROCESS, MODULE, WAYS, Recording, Run, play, task
from tests.support.simulator import Simulator

SEED: dict[str, Any] = {
    "plans": [{"name": "Business"}, {"name": "Old"}],
    "admins": [{"username": "night.shift", "email": "night@operator.example", "is_main_admin": False}],
    "clients": [
        {"username": "acme", "hosting_plan": "Business", "create_system_domain": True},
        {"username": "globex", "hosting_plan": "Business", "create_system_domain": True},
    ],
    "domains": [
        {"domain": "acme.example", "client": "acme", "create_www_subdomain": True},
        {"domain": "globex.example", "client": "globex", "create_www_subdomain": True},
        {
            "domain": "shop.globex.example",
            "client": "globex",
            "parent_domain": "globex.example",
            "is_email_domain": True,
        },
    ],
    "emails": [
        {"email": name}
        for name in (
            "info@acme.example",
            "sales@acme.example",
            "old@acme.example",
            "info@globex.example",
            "info@shop.globex.example",
        )
    ],
    "databases": [{"database_name": "globex_shop", "client": "globex"}],
    "ftp_users": [{"username": "globex_web", "client": "globex"}],
    "directory_protections": [{"client": "globex", "path": "/admin", "username": "anna"}],
    "scheduled_tasks": [{"client": "globex", "description": "Backup", "type": "exec", "command": "/bin/backup"}],
}
FRESH: list[Any] = [["POST", "/reset", None], ["POST", "/seed", SEED]]
GLOBEX = {"clients": [{"username": "globex", "state": "absent"}]}
# The client, its system domain, two domains and a www subdomain, two mailboxes, and one each of four kinds.
BLAST_RADIUS = 11
MAILBOXES = {"emails": [{"email": "info@acme.example"}]}


@dataclass(frozen=True)
class Case:
    """A task that deletes. ``deleted``: the keys of the objects that it asks the panel to delete; None where it must refuse to.

    words: what is in the message then.
    """

    name: str
    options: dict[str, Any]
    deleted: list[str] | None = None
    words: tuple[str, ...] = ()
    both_ways: bool = False
    keywords: dict[str, Any] = field(default_factory=dict)

    def task(self) -> dict[str, Any]:
        return task(self.name, "panel_resources", self.options, FRESH, [["GET", "/state", None]], **self.keywords)


def purge(resources: dict[str, Any], **options: Any) -> dict[str, Any]:
    return {"resources": resources, "purge": list(resources), **options}


CASES = [
    Case(
        "purge without a limit",
        purge(MAILBOXES),
        None,
        ("max_deletes:", "4 objects", "4 emails", "limit", "is 0", "sales@acme.example", "Nothing was written"),
        both_ways=True,
    ),
    Case(
        "purge above the limit",
        purge(MAILBOXES, max_deletes=3),
        None,
        ("max_deletes:", "4 objects", "the limit is 3", "set max_deletes: 4", "info@shop.globex.example"),
    ),
    Case(
        "purge above the limit in check mode",
        purge(MAILBOXES, max_deletes=3),
        None,
        ("max_deletes:", "4 objects", "the limit is 3"),
        keywords={"check_mode": True},
    ),
    Case(
        "purge within the limit",
        purge(MAILBOXES, max_deletes=4),
        ["info@globex.example", "info@shop.globex.example", "old@acme.example", "sales@acme.example"],
        both_ways=True,
    ),
    Case(
        "purge leaves what is protected",
        purge(MAILBOXES, max_deletes=1, protect={"emails": ["SALES@*", "*@*globex.example"]}),
        ["old@acme.example"],
        both_ways=True,
    ),
    Case(
        "purge of domains leaves system domains and www of what is kept",
        purge({"domains": [{"domain": "acme.example", "create_www_subdomain": True}]}, max_deletes=20),
        ["globex.example", "shop.globex.example", "www.globex.example"],
    ),
    Case("purge of admins leaves the last main admin", purge({"admins": []}, max_deletes=20), ["night.shift"]),
    Case(
        "a client without a limit",
        {"resources": GLOBEX},
        None,
        (
            "max_deletes:",
            f"{BLAST_RADIUS} objects",
            "1 clients",
            "4 domains",
            "2 emails",
            "1 databases",
            "1 ftp_users",
            "1 directory_protections",
            "1 scheduled_tasks",
            f"{BLAST_RADIUS - 1} of them",
            "clients globex",
        ),
        both_ways=True,
    ),
    Case(
        "a client above the limit",
        {"resources": GLOBEX, "max_deletes": BLAST_RADIUS - 1},
        None,
        ("max_deletes:", f"{BLAST_RADIUS} objects", f"the limit is {BLAST_RADIUS - 1}"),
    ),
    Case("a client within the limit", {"resources": GLOBEX, "max_deletes": BLAST_RADIUS}, ["globex"], both_ways=True),
    Case(
        "a client with something protected",
        {"resources": GLOBEX, "max_deletes": 50, "protect": {"databases": ["globex_*"]}},
        None,
        ("protect:", "1 protected object", "databases globex_shop (with clients globex)", "Nothing was written"),
        both_ways=True,
    ),
    Case(
        "a domain with its subdomains and mailboxes",
        {"resources": {"domains": [{"domain": "globex.example", "state": "absent"}]}, "max_deletes": 4},
        None,
        ("5 objects", "3 domains", "2 emails", "the limit is 4"),
    ),
    Case(
        "named objects that take nothing along",
        {
            "resources": {
                "emails": [
                    {"email": "old@acme.example", "state": "absent"},
                    {"email": "no@acme.example", "state": "absent"},
                ],
                "plans": [{"name": "Old", "state": "absent"}],
            }
        },
        ["Old", "old@acme.example"],
        both_ways=True,
    ),
    Case(
        "a named object that is protected",
        {
            "resources": {"emails": [{"email": "old@acme.example", "state": "absent"}]},
            "protect": {"emails": ["old@acme.example"]},
        },
        None,
        ("protect:", "emails old@acme.example"),
    ),
    Case(
        "a limit of nothing",
        {"resources": {"emails": [{"email": "old@acme.example", "state": "absent"}]}, "max_deletes": 0},
        None,
        ("max_deletes:", "1 object would be deleted", "the limit is 0"),
    ),
    Case(
        "something wanted would go along",
        {
            "resources": {**GLOBEX, "emails": [{"email": "info@globex.example", "max_size": "1G"}]},
            "max_deletes": 50,
        },
        None,
        ("clients[0] (globex)", "emails[0] (info@globex.example)", "Nothing was written"),
    ),
    Case(
        "something referred to would go",
        {
            "resources": {
                "plans": [{"name": "Business", "state": "absent"}],
                "clients": [{"username": "acme", "hosting_plan": "Business"}],
            }
        },
        None,
        ("plans[0] (Business)", "clients[0] (acme)", "Nothing was written"),
    ),
    Case(
        "the last main admin",
        {"resources": {"admins": [{"username": "admin", "state": "absent"}]}},
        None,
        ("admins[0] (admin)", "last one with is_main_admin"),
    ),
    Case(
        "a kind that is not given",
        {"resources": {}, "purge": ["emails"], "max_deletes": 50},
        None,
        ("purge:", "no emails", "empty list"),
    ),
]
BOTH_WAYS = [case for case in CASES if case.both_ways]
NAMES = {"plans": "name", "admins": "username", "clients": "username", "domains": "domain", "emails": "email"}


def approvals() -> Iterator[dict[str, Any]]:
    """Plans that are approved by their checksum, and a panel that has moved on meanwhile or has not."""
    wanted = {
        "resources": {"emails": [{"email": "info@acme.example", "max_size": "2G"}]},
        "purge": ["emails"],
        "max_deletes": 4,
    }
    approved = {**wanted, "expected_checksum": "{{ planned.plan.checksum }}"}
    moved_on = [["POST", "/seed", {"emails": [{"email": "new@acme.example"}]}]]
    yield task("planned", "panel_resources", wanted, FRESH, check_mode=True, register="planned")
    yield task("planned again", "panel_resources", wanted, FRESH, check_mode=True)
    yield task("moved on", "panel_resources", {**approved, "max_deletes": 5}, [*FRESH, *moved_on])
    yield task("moved on, in check mode", "panel_resources", {**approved, "max_deletes": 5}, check_mode=True)
    yield task("approved", "panel_resources", approved, FRESH)
    yield task("approved and done already", "panel_resources", approved)


@pytest.fixture(scope="module")
def runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Starting a module takes its time, so the slow way has the most important ones."""
    cases = {IN_PROCESS: CASES, MODULE: BOTH_WAYS}
    return {
        way: play(
            [*(case.task() for case in cases[way]), *approvals()], simulator, tmp_path_factory.mktemp("guards"), way
        )
        for way in WAYS
    }


WAYS_AND_CASES = [
    pytest.param(way, case, id=f"{case.name}, {way}")
    for way, cases in ((IN_PROCESS, CASES), (MODULE, BOTH_WAYS))
    for case in cases
]


def deleted_keys(recording: Recording) -> list[str]:
    return sorted(entry["key"] for entry in recording.result["results"])


@pytest.mark.parametrize(("way", "case"), WAYS_AND_CASES)
def test_only_what_is_meant_to_go_goes(runs: dict[str, Run], way: str, case: Case) -> None:
    recording = runs[way][case.name]
    if case.deleted is None:
        assert recording.outcome == "failed"
        assert not recording.changed
        assert recording.writes == []
        assert [word for word in case.words if word not in recording.msg] == [], recording.msg
        return
    assert recording.outcome == "ok", recording.msg
    assert deleted_keys(recording) == sorted(case.deleted)
    assert [request["method"] for request in recording.writes] == ["DELETE"] * len(case.deleted)
    assert recording.result["plan"]["summary"]["delete"] == len(case.deleted)
    left = recording.observed[0]["objects"]
    there = {item["data"][name] for kind, name in NAMES.items() for item in left.get(kind, left["hosting_plans"])}
    assert there & set(case.deleted) == set()


@pytest.mark.parametrize("way", WAYS)
def test_a_client_is_deleted_with_one_request_and_everything_is_in_the_plan(runs: dict[str, Run], way: str) -> None:
    recording = runs[way]["a client within the limit"]
    assert len(recording.writes) == 1
    (action,) = recording.result["plan"]["actions"]
    assert sum(len(keys) for keys in action["also_deleted"].values()) == BLAST_RADIUS - 1
    assert {"globex.example", "shop.globex.example", "www.globex.example"} < set(action["also_deleted"]["domains"])
    assert action["also_deleted"]["directory_protections"] == ["globex:/admin:anna"]
    # What goes along is told from lists, one a kind.
    reads = [call for call in recording.calls if call.startswith("GET")]
    assert len(reads) == len(set(reads)) == 8


@pytest.mark.parametrize("way", WAYS)
def test_a_refused_plan_is_in_the_result(runs: dict[str, Run], way: str) -> None:
    recording = runs[way]["purge without a limit"]
    assert recording.result["plan"]["summary"] == {"create": 0, "update": 0, "delete": 4, "unchanged": 1}
    error = recording.result["error"]
    assert (error["option"], error["deletes"], error["limit"]) == ("max_deletes", 4, 0)
    assert {"kind": "emails", "key": "sales@acme.example"} in error["objects"]


@pytest.mark.parametrize("way", WAYS)
def test_an_approved_plan_is_carried_out(runs: dict[str, Run], way: str) -> None:
    run = runs[way]
    approved = run["approved"]
    assert approved.outcome == "ok", approved.msg
    assert approved.result["plan"] == run["planned"].result["plan"] == run["planned again"].result["plan"]
    assert sorted(request["method"] for request in approved.writes) == ["DELETE"] * 4 + ["PUT"]
    assert runs[IN_PROCESS]["planned"].result["plan"] == runs[MODULE]["planned"].result["plan"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["moved on", "moved on, in check mode", "approved and done already"])
def test_a_plan_is_refused_when_the_panel_has_moved_on(runs: dict[str, Run], way: str, name: str) -> None:
    recording = runs[way][name]
    expected = runs[way]["planned"].result["plan"]["checksum"]
    assert recording.outcome == "failed"
    assert not recording.changed
    assert recording.writes == []
    for words in ("expected_checksum:", expected, recording.result["plan"]["checksum"], "Nothing was written"):
        assert words in recording.msg
    assert recording.result["plan"]["checksum"] != expected

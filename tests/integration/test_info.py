# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Info modules: all with one request, one by its key or id, in the order that is asked for, without secrets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.playbook import BothWays, task
from tests.support.simulator import Simulator

SEED = {
    "plans": [{"name": "Business"}, {"name": "Basic"}],
    "admins": [{"username": "second", "email": "second@panel.example"}],
    "clients": [{"username": "acme", "email": "it@acme.example"}, {"username": "globex"}],
    "domains": [
        {"domain": "acme.example", "client": "acme"},
        {"domain": "müller.example", "client": "globex"},
        {"domain": "shop.acme.example", "client": "acme", "parent_domain": "acme.example"},
    ],
    "emails": [{"email": "info@acme.example"}, {"email": "a@acme.example"}],
    "databases": [{"database_name": "acme_shop", "client": "acme"}],
    "ftp_users": [{"username": "acme_web", "client": "acme"}],
    "directory_protections": [
        {"client": "acme", "path": "/a", "username": "one"},
        {"client": "globex", "path": "/a", "username": "one"},
    ],
    "scheduled_tasks": [{"client": "acme", "description": "nightly", "type": "exec", "command": "/x"}],
}
# plural -> (singular, path, natural key, how many there are)
KINDS: dict[str, tuple[str, str, dict[str, Any], int]] = {
    "plans": ("plan", "/hosting-plans", {"name": "Business"}, 3),
    "admins": ("admin", "/admins", {"username": "second"}, 2),
    "clients": ("client", "/clients", {"username": "acme"}, 2),
    "domains": ("domain", "/domains", {"domain": "MÜLLER.example"}, 3),
    "certificates": ("certificate", "/certificates", {"name": "none"}, 0),
    "emails": ("email", "/emails", {"email": "Info@ACME.example"}, 2),
    "databases": ("database", "/databases", {"database_name": "acme_shop"}, 1),
    "ftp_users": ("ftp_user", "/ftp-users", {"username": "acme_web"}, 1),
    "directory_protections": ("directory_protection", "/directory-protections", {"client": "acme"}, 2),
    "scheduled_tasks": ("scheduled_task", "/scheduled-tasks", {"client": "acme", "description": "nightly"}, 1),
}
INFERRED = ("ftp_users", "directory_protections", "scheduled_tasks")
SORTS = {
    "plans": "name",
    "admins": "username",
    "clients": "username",
    "domains": "domain",
    "emails": "email",
    "databases": "database_name",
}


def tasks() -> Iterator[dict[str, Any]]:
    """Every info module without a key, with one, with an id that is not there, and sorted."""
    settings = {"status_delay": 0, "use_password_hashes": True, "show_password_hash": True}
    before: list[Any] = [["POST", "/reset", None], ["POST", "/settings", settings], ["POST", "/seed", SEED]]
    for plural, (singular, _path, key, _count) in KINDS.items():
        module = f"panel_{singular}_info"
        yield task(f"all {plural}", module, {}, before)
        before = []
        yield task(f"one of {plural}", module, key)
        yield task(f"none of {plural}", module, {"id": 4711})
        if plural in SORTS:
            yield task(f"sorted {plural}", module, {"sort": SORTS[plural], "order": "desc"})
    yield task("main domains", "panel_domain_info", {"main_domains": True})
    yield task("without subdomains", "panel_domain_info", {"subdomains": False})
    details = {"username": "acme", "include": ["resources", "stats", "traffic"], "month": "2026-10"}
    yield task("a client's details", "panel_client_info", details)
    yield task("no month of that name", "panel_client_info", {"include": ["traffic"], "month": "October"})


@pytest.fixture(scope="module")
def runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> BothWays:
    return BothWays(tasks(), simulator, tmp_path_factory.mktemp("info"))


@pytest.mark.parametrize("plural", KINDS)
def test_without_a_key_all_come_with_one_request(runs: BothWays, way: str, plural: str) -> None:
    _singular, path, _key, count = KINDS[plural]
    read = runs[way][f"all {plural}"]
    assert read.calls == [f"GET {path}"]
    assert len(read.result[plural]) == count
    assert not read.changed


@pytest.mark.parametrize("plural", KINDS)
def test_with_a_key_comes_that_one(runs: BothWays, way: str, plural: str) -> None:
    found = runs[way][f"one of {plural}"].result[plural]
    assert len(found) == (0 if plural == "certificates" else 1)


@pytest.mark.parametrize("plural", KINDS)
def test_an_id_that_is_not_there_gives_an_empty_list(runs: BothWays, way: str, plural: str) -> None:
    read = runs[way][f"none of {plural}"]
    assert read.result[plural] == []
    path = KINDS[plural][1]
    # Of a path that is inferred the list decides.
    listed = [f"GET {path}"] if plural in INFERRED else []
    assert read.calls == [f"GET {path}/4711", *listed]


@pytest.mark.parametrize("plural", SORTS)
def test_lists_are_sorted_by_the_panel(runs: BothWays, way: str, plural: str) -> None:
    read = runs[way][f"sorted {plural}"]
    assert read.requests[0]["query"] == {"sort": SORTS[plural], "order": "desc"}
    names = [item[SORTS[plural]] for item in read.result[plural]]
    assert names == sorted(names, reverse=True)


def test_domains_are_filtered_by_their_class(runs: BothWays, way: str) -> None:
    wanted = ["acme.example", "xn--mller-kva.example"]
    assert sorted(item["domain"] for item in runs[way]["main domains"].result["domains"]) == wanted
    assert sorted(item["domain"] for item in runs[way]["without subdomains"].result["domains"]) == wanted


def test_a_client_comes_with_its_resources_statistics_and_traffic(runs: BothWays, way: str) -> None:
    read = runs[way]["a client's details"]
    (client,) = read.result["clients"]
    assert {"resources", "stats", "traffic"} <= set(client)
    assert len(read.calls) == 4
    assert read.requests[-1]["query"] == {"month": "2026-10"}
    assert [item["database_name"] for item in client["resources"]["databases"]] == ["acme_shop"]


def test_a_month_that_is_none_is_refused_before_the_first_request(runs: BothWays, way: str) -> None:
    refused = runs[way]["no month of that name"]
    assert refused.outcome == "failed"
    assert "month" in refused.msg
    assert refused.calls == []


def test_no_hash_is_shown(runs: BothWays, way: str) -> None:
    assert "password_hash" not in json.dumps([recording.result for recording in runs[way].recordings])

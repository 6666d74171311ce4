"""Forty hosts create one object at the same moment: one of them makes it, and all of them end well."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import TABLES
from tests.support import pem
from tests.support.bulk import manage
from tests.support.simulator import Simulator

MANY = 40
SEED = {"clients": [{"username": "acme"}], "domains": [{"domain": "acme.example", "client": "acme"}]}
# Everything of which the panel has one.
WANTED: dict[str, dict[str, Any]] = {
    "plans": {"name": "Gold"},
    "admins": {"username": "chief", "email": "chief@panel.example"},
    "clients": {"username": "shop", "email": "it@shop.example"},
    "domains": {"domain": "shop.example", "client": "acme"},
    "certificates": {"name": "new", "client": "acme"},
    "emails": {"email": "info@acme.example"},
    "databases": {"database_name": "acme_shop", "client": "acme"},
    "ftp_users": {"username": "acme_ftp", "client": "acme"},
}
# What the panel would make twice.
DOUBLED: dict[str, dict[str, Any]] = {
    "scheduled_tasks": {"client": "acme", "description": "Clean up", "type": "exec", "command": "/bin/true"},
    "directory_protections": {"client": "acme", "path": "/shop/", "username": "keeper"},
}
SIMULATED = {"plans": "hosting_plans"}


@pytest.fixture(scope="module")
def slow_panel() -> Iterator[Simulator]:
    """A panel whose answers take long enough for everybody to look before anybody has written."""
    with Simulator.start(settings={"latency": 150.0}) as simulator:
        yield simulator


def all_at_once(simulator: Simulator, plural: str, ways: Sequence[bool]) -> list[dict[str, Any]]:
    """The results of the tasks of all hosts. ways: by turns, whether it is done in bulk."""
    options = dict({**WANTED, **DOUBLED}[plural])
    if plural == "certificates":
        options["components"] = {name: pem.texts()[f"one.{name}"] for name in ("certificate", "private_key")}
    start = threading.Barrier(MANY)

    def one(number: int) -> dict[str, Any]:
        start.wait(30)
        return manage(simulator, plural, options, ways[number % len(ways)], retry_time=10)

    with ThreadPoolExecutor(MANY) as pool:
        return list(pool.map(one, range(MANY)))


def passwords_in(result: dict[str, Any]) -> list[str]:
    """The passwords that the panel generated, of a single module or of panel_resources."""
    alone = [result["generated_password"]] if "generated_password" in result else []
    return alone + [one["password"] for one in result.get("generated_passwords", ())]


@pytest.mark.parametrize("in_bulk", [False, True], ids=["single", "bulk"])
@pytest.mark.parametrize("plural", WANTED)
def test_an_object_that_many_hosts_create_is_made_once(slow_panel: Simulator, plural: str, in_bulk: bool) -> None:
    slow_panel.reset()
    slow_panel.seed(SEED)
    slow_panel.settings({"status_delay": 0.0})
    before = {item["id"] for item in slow_panel.objects(SIMULATED.get(plural, plural))}
    results = all_at_once(slow_panel, plural, [in_bulk])
    assert not [result["msg"] for result in results if result.get("failed")]
    assert sum(result["changed"] for result in results) == 1
    made = [item for item in slow_panel.objects(SIMULATED.get(plural, plural)) if item["id"] not in before]
    assert len(made) == 1
    passwords = [password for result in results for password in passwords_in(result)]
    assert passwords == ([made[0]["hidden"]["password"]] if TABLES[plural].password is not None else [])
    refused = [entry for entry in slow_panel.writes() if entry["status"] == 400]
    assert len(refused) == len(slow_panel.writes()) - 1
    assert refused, "nobody was refused, so this test has shown nothing"


@pytest.mark.parametrize("ways", [[False], [True], [False, True]], ids=["single", "bulk", "single and bulk"])
@pytest.mark.parametrize("plural", DOUBLED)
def test_tasks_of_one_machine_make_once_what_the_panel_would_make_twice(
    slow_panel: Simulator, plural: str, ways: list[bool]
) -> None:
    slow_panel.reset()
    slow_panel.seed(SEED)
    slow_panel.settings({"latency": 20.0})
    results = all_at_once(slow_panel, plural, ways)
    slow_panel.settings({"latency": 150.0})
    assert not [result["msg"] for result in results if result.get("failed")]
    assert sum(result["changed"] for result in results) == len(slow_panel.writes()) == 1
    assert len(slow_panel.objects(plural)) == 1

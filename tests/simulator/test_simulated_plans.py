"""Hosting plans and the limits that clients get from them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.simulator import Simulator


def test_there_is_a_default_plan_with_every_member(simulator: Simulator) -> None:
    plan = simulator.request("GET", "/hosting-plans").json()[0]
    assert (plan["id"], plan["name"]) == (1, "Default")
    assert list(plan) == ["id", "name", "resources", "permissions", "php", "php_fpm"]
    assert set(plan["resources"].values()) == {-1}
    assert (len(plan["resources"]), len(plan["permissions"]), len(plan["php"]), len(plan["php_fpm"])) == (10, 16, 10, 7)


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (-1, -1),
        (1, 1),
        ("1", 1),
        ("1K", 2**10),
        ("2M", 2**21),
        ("1G", 2**30),
        ("1T", 2**40),
        ("1P", 2**50),
        ("3g", 3 * 2**30),
        ("-1", -1),
    ],
)
def test_byte_sizes_take_suffixes(simulator: Simulator, given: int | str, stored: int) -> None:
    simulator.request("PUT", "/hosting-plans/1", {"resources": {"disk_space": given}})
    assert simulator.request("GET", "/hosting-plans/1").json()["resources"]["disk_space"] == stored


def test_spare_servers_are_null_unless_the_pool_is_dynamic(simulator: Simulator) -> None:
    simulator.request(
        "PUT", "/hosting-plans/1", {"php_fpm": {"pm": "dynamic", "min_spare_servers": 2, "max_spare_servers": 4}}
    )
    pool = simulator.request("GET", "/hosting-plans/1").json()["php_fpm"]
    assert (pool["min_spare_servers"], pool["max_spare_servers"]) == (2, 4)
    simulator.request("PUT", "/hosting-plans/1", {"php_fpm": {"pm": "static"}})
    pool = simulator.request("GET", "/hosting-plans/1").json()["php_fpm"]
    assert (pool["min_spare_servers"], pool["max_spare_servers"]) == (None, None)


def test_the_default_plan_cannot_be_deleted(simulator: Simulator) -> None:
    assert simulator.request("DELETE", "/hosting-plans/1").status_code == 400


@pytest.mark.parametrize(
    ("limit", "path", "first", "second"),
    [
        ("domains", "/domains", {"domain": "one.example"}, {"domain": "two.example"}),
        (
            "subdomains",
            "/domains",
            {"domain": "a.acme.example", "id_parent_domain": 1},
            {"domain": "b.acme.example", "id_parent_domain": 1},
        ),
        ("email_accounts", "/emails", {"email": "a@acme.example"}, {"email": "b@acme.example"}),
        ("email_addresses", "/emails", {"email": "a@acme.example"}, {"email": "b@acme.example"}),
        ("databases", "/databases", {"database_name": "a"}, {"database_name": "b"}),
        ("ftp_users", "/ftp-users", {"username": "a"}, {"username": "b"}),
        ("scheduled_tasks", "/scheduled-tasks", {"type": "exec", "command": "a"}, {"type": "exec", "command": "b"}),
    ],
)
def test_limits_of_clients_hold_unless_the_api_option_lifts_them(
    simulator: Simulator, limit: str, path: str, first: dict[str, Any], second: dict[str, Any]
) -> None:
    # The seed's own domain counts for the limit of domains.
    simulator.seed(
        {
            "plans": [{"name": "Small", "resources": {limit: 2 if limit == "domains" else 1}}],
            "clients": [{"username": "acme", "hosting_plan": "Small"}],
            "domains": [{"domain": "acme.example", "client": "acme"}],
        }
    )
    assert simulator.request("POST", path, {"id_user": 2, **first}).status_code == 201
    refused = simulator.request("POST", path, {"id_user": 2, **second})
    assert refused.status_code == 400
    assert refused.json()["message"].startswith(f"The limit of the client acme for {limit} is reached: ")
    simulator.settings({"ignore_account_limits": True})
    assert simulator.request("POST", path, {"id_user": 2, **second}).status_code == 201


def test_aliases_and_forwardings_of_a_put_count_for_the_limits(simulator: Simulator) -> None:
    simulator.seed(
        {
            "plans": [{"name": "Small", "resources": {"email_addresses": 2, "email_forwardings": 1}}],
            "clients": [{"username": "acme", "hosting_plan": "Small"}],
            "domains": [{"domain": "acme.example", "client": "acme"}],
            "emails": [{"email": "a@acme.example"}],
        }
    )
    assert (
        simulator.request(
            "PUT", "/emails/1", {"aliases": ["b@acme.example"], "forwardings": ["x@y.example"]}
        ).status_code
        == 200
    )
    assert (
        "email_addresses"
        in simulator.request("PUT", "/emails/1", {"aliases": ["b@acme.example", "c@acme.example"]}).json()["message"]
    )
    assert (
        "email_forwardings"
        in simulator.request("PUT", "/emails/1", {"forwardings": ["x@y.example", "z@y.example"]}).json()["message"]
    )
    assert simulator.request("PUT", "/emails/1", {"aliases": ["d@acme.example"], "description": "x"}).status_code == 200

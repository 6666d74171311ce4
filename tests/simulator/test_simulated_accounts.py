"""Admins, clients, hosting plans and their limits, and the status of every kind."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.support.simulator import Simulator

PLAN_MEMBERS = ("permissions", "php", "php_fpm")


def message(simulator: Simulator, method: str, path: str, body: Any) -> str:
    """The message of a 400."""
    answer = simulator.request(method, path, body)
    assert (answer.status_code, answer.json()["code"]) == (400, "400 Bad Request")
    return str(answer.json()["message"])


@pytest.mark.parametrize("password", [{}, {"password": None}, {"password": ""}])
def test_a_password_that_is_not_given_is_generated_and_returned_once(
    simulator: Simulator, password: dict[str, Any]
) -> None:
    created = simulator.request("POST", "/clients", {"username": "acme", **password}).json()
    assert len(created["password"]) >= 12
    assert simulator.objects("clients")[0]["hidden"]["password"] == created["password"]
    assert "password" not in simulator.request("GET", "/clients/name/acme").json()


def test_admins_and_clients_share_ids_and_usernames(simulator: Simulator) -> None:
    assert simulator.request("POST", "/clients", {"username": "one"}).json()["id"] == 2
    assert simulator.request("POST", "/admins", {"username": "two", "email": "a@b.example"}).json()["id"] == 3
    assert "already in use" in message(simulator, "POST", "/admins", {"username": "one", "email": "a@b.example"})
    assert "already in use" in message(simulator, "POST", "/clients", {"username": "admin"})
    assert simulator.request("GET", "/clients/name/two").status_code == 404
    assert simulator.request("GET", "/clients/3").status_code == 404
    assert simulator.request("GET", "/admins/2").status_code == 404


def test_a_plan_is_copied_and_its_later_changes_do_not_reach_the_client(simulator: Simulator) -> None:
    simulator.request(
        "POST", "/hosting-plans", {"name": "Small", "resources": {"domains": 1}, "php": {"memory_limit": "64M"}}
    )
    simulator.request("POST", "/clients", {"username": "acme", "id_hosting_plan": 2})
    simulator.request("PUT", "/hosting-plans/2", {"resources": {"domains": 5}, "permissions": {"ssh": True}})
    client = simulator.request("GET", "/clients/name/acme").json()
    assert (client["resource_limits"]["domains"], client["php"]["memory_limit"], client["permissions"]["ssh"]) == (
        1,
        "64M",
        False,
    )
    simulator.request("PUT", "/clients/name/acme", {"id_hosting_plan": 2})
    client, plan = (
        simulator.request("GET", "/clients/name/acme").json(),
        simulator.request("GET", "/hosting-plans/2").json(),
    )
    assert client["resource_limits"] == plan["resources"]
    assert [client[name] for name in PLAN_MEMBERS] == [plan[name] for name in PLAN_MEMBERS]


def test_deleting_a_client_deletes_everything_of_its_own(simulator: Simulator) -> None:
    for username in ("acme", "other"):
        user = simulator.request("POST", "/clients", {"username": username, "create_system_domain": True}).json()["id"]
        simulator.request(
            "POST", "/domains", {"id_user": user, "domain": f"{username}.example", "create_www_subdomain": True}
        )
        simulator.request("POST", "/emails", {"id_user": user, "email": f"info@{username}.example"})
        simulator.request("POST", "/databases", {"id_user": user, "database_name": f"{username}_db"})
        simulator.request("POST", "/ftp-users", {"id_user": user, "username": f"{username}-ftp"})
        simulator.request("POST", "/directory-protections", {"id_user": user, "path": "/secret", "username": "u"})
        simulator.request("POST", "/scheduled-tasks", {"id_user": user, "type": "exec", "command": "/bin/true"})
        zone = simulator.request("GET", f"/dns/name/{username}.example").json()["records"]
        simulator.request("PUT", f"/dns/name/{username}.example", {"records": zone})
    answer = simulator.request("DELETE", "/clients/name/acme")
    assert (answer.status_code, answer.content) == (204, b"")
    objects = simulator.state()["objects"]
    owners = {item["data"]["id_user"] for items in objects.values() for item in items if "id_user" in item["data"]}
    assert owners == {3}
    left = {kind: len(items) for kind, items in objects.items() if items and kind not in ("admins", "hosting_plans")}
    assert left == {
        "clients": 1,
        "domains": 3,
        "emails": 1,
        "databases": 1,
        "ftp_users": 1,
        "directory_protections": 1,
        "scheduled_tasks": 1,
    }
    assert len(simulator.state()["zones"]) == 1
    assert simulator.request("POST", "/clients", {"username": "acme"}).json()["id"] == 4


def test_the_last_main_admin_stays(simulator: Simulator) -> None:
    assert "last main admin" in message(simulator, "DELETE", "/admins/1", None)
    assert "last main admin" in message(simulator, "PUT", "/admins/1", {"is_main_admin": False})
    simulator.request("POST", "/admins", {"username": "ops", "email": "ops@panel.example", "is_main_admin": True})
    assert simulator.request("DELETE", "/admins/1").status_code == 204


def test_password_hashes_work_when_the_api_option_is_on(simulator: Simulator) -> None:
    simulator.settings({"password_hashes": "written"})
    body = {"username": "acme", "password_hash": "$6$salt$hash"}
    assert message(simulator, "POST", "/clients", body).startswith("password_hash_os: this member is required")
    created = simulator.request("POST", "/clients", {**body, "password_hash_os": "$6$salt$os"})
    assert created.json() == {"id": 2}
    assert "password_hash" not in simulator.request("GET", "/clients/2").json()
    simulator.settings({"password_hashes": "written_and_shown"})
    assert simulator.request("GET", "/clients/2").json()["password_hash"] == "$6$salt$hash"
    admin = {"username": "ops", "email": "ops@panel.example", "password_hash": "$6$salt$hash"}
    assert simulator.request("POST", "/admins", admin).json() == {"id": 3}
    assert "excludes password" in message(simulator, "PUT", "/admins/3", {"password_hash": "x", "password": "y"})


def test_the_password_policy_applies_when_the_api_option_is_on(simulator: Simulator) -> None:
    assert simulator.request("POST", "/clients", {"username": "a", "password": "x"}).status_code == 201
    simulator.settings({"apply_password_policy": True})
    words = message(simulator, "POST", "/clients", {"username": "b", "password": "short"})
    assert words == "password: the password policy asks for at least 8 characters, an upper-case letter, a digit."
    assert simulator.request("POST", "/clients", {"username": "b", "password": "Long3nough"}).status_code == 201
    assert simulator.request("POST", "/clients", {"username": "c"}).status_code == 201


def test_stats_count_objects_against_their_limits(simulator: Simulator) -> None:
    simulator.seed(
        {
            "plans": [{"name": "Small", "resources": {"disk_space": "1G", "domains": 3, "email_accounts": 5}}],
            "clients": [{"username": "acme", "hosting_plan": "Small", "create_system_domain": True}],
            "domains": [{"domain": "acme.example", "client": "acme", "create_www_subdomain": True}],
            "emails": [
                {"email": "a@acme.example", "aliases": ["b@acme.example"], "forwardings": ["x@y.example"], "size": 2048}
            ],
        }
    )
    stats = simulator.request("GET", "/clients/name/acme/stats").json()
    assert list(stats) == [
        "disk_space", "files", "traffic", "domains", "subdomains", "email_accounts", "email_addresses", "email_forwardings", "databases",
        "ftp_users", "scheduled_tasks",
    ]  # fmt: skip
    assert stats["disk_space"] == {"value": 2048, "max": 2**30}
    assert [
        stats[name]["value"]
        for name in ("domains", "subdomains", "email_accounts", "email_addresses", "email_forwardings")
    ] == [1, 1, 1, 2, 1]
    assert (stats["domains"]["max"], stats["subdomains"]["max"]) == (3, -1)


def test_traffic_is_reported_for_a_month(simulator: Simulator, acme: int) -> None:
    traffic = simulator.request("GET", f"/clients/{acme}/traffic?month=2026-01").json()
    assert {name: set(both) for name, both in traffic.items()} == {
        name: {"in", "out"} for name in ("http", "ftp", "smtp", "pop3", "imap")
    }
    assert simulator.request("GET", "/clients/name/acme/traffic?month=2026-01").json() == traffic
    assert simulator.request("GET", f"/clients/{acme}/traffic").status_code == 200
    for month in ("2026-13", "2026-1", "01-2026", ""):
        assert simulator.request("GET", f"/clients/{acme}/traffic?month={month}").status_code == 400
    assert simulator.request("GET", "/clients/9/traffic").status_code == 404


def test_resources_list_the_objects_of_one_client(simulator: Simulator, acme: int) -> None:
    simulator.seed({"clients": [{"username": "other"}], "domains": [{"domain": "other.example", "client": "other"}]})
    simulator.request("POST", "/emails", {"id_user": acme, "email": "info@acme.example"})
    resources = simulator.request("GET", f"/clients/{acme}/resources").json()
    assert resources.keys() >= {
        "domains",
        "certificates",
        "emails",
        "databases",
        "ftp_users",
        "scheduled_tasks",
        "directory_protections",
    }
    assert resources.keys() & {"hosting_plans", "admins", "clients"} == set()
    assert [domain["domain"] for domain in resources["domains"]] == ["acme.example"]
    assert [email["email"] for email in resources["emails"]] == ["info@acme.example"]
    assert list(simulator.request("GET", "/clients/name/acme/resources?emails=true&domains=1").json()) == [
        "domains",
        "emails",
    ]
    assert "emails" not in simulator.request("GET", "/clients/name/acme/resources?emails=false").json()
    assert simulator.request("GET", "/clients/name/acme/resources?emails=maybe").status_code == 400


def test_a_login_url_opens_a_page_for_clients_only(simulator: Simulator, acme: int) -> None:
    url = simulator.request("GET", f"/login/{acme}?page=domains").json()["url"]
    assert url.startswith(f"{simulator.url}/login?token=")
    assert url.endswith("&page=domains")
    assert simulator.request("GET", "/login/name/acme").json()["url"] != url
    assert simulator.request("GET", "/login/1").status_code == 404
    assert simulator.request("GET", "/login/name/admin").status_code == 404


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


KINDS = {
    "/clients": {"username": "new"},
    "/domains": {"domain": "new.example"},
    "/emails": {"email": "new@acme.example"},
    "/ftp-users": {"username": "new"},
    "/directory-protections": {"path": "/x", "username": "u"},
    "/scheduled-tasks": {"type": "exec", "command": "x"},
}


def settled(simulator: Simulator, path: str) -> int:
    """The status once it is no longer 3 or 4."""
    deadline = time.monotonic() + 10
    while True:
        status = int(simulator.request("GET", path).json()["status"])
        if status not in (3, 4) or time.monotonic() > deadline:
            return status
        time.sleep(0.01)


@pytest.mark.parametrize("path", KINDS)
def test_a_new_object_is_3_and_a_changed_one_4(simulator: Simulator, acme: int, path: str) -> None:
    simulator.settings({"status_delay": 60})
    number = simulator.request("POST", path, {"id_user": acme, **KINDS[path]}).json()["id"]

    def statuses() -> list[int]:
        listed = {item["id"]: item["status"] for item in simulator.request("GET", path).json()}[number]
        return [listed, simulator.request("GET", f"{path}/{number}").json()["status"]]

    assert statuses() == [3, 3]
    simulator.request("PUT", f"{path}/{number}", {})
    assert statuses() == [4, 4]


def test_a_kind_can_be_made_to_fail(simulator: Simulator, acme: int) -> None:
    simulator.settings({"status_delay": 0.05, "failing_kinds": ["domains"]})
    simulator.request("POST", "/domains", {"id_user": acme, "domain": "new.example"})
    assert settled(simulator, "/domains/2") == 2
    simulator.settings({"failing_kinds": []})
    simulator.request("PUT", "/domains/2", {})
    assert settled(simulator, "/domains/2") == 1

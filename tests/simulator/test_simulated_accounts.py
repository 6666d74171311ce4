"""Admins, clients, their passwords and what is reported about clients."""

from __future__ import annotations

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


def test_a_plan_in_use_may_be_deleted_and_the_client_keeps_its_features(simulator: Simulator) -> None:
    simulator.seed(
        {
            "plans": [{"name": "Gone", "resources": {"domains": 3}}],
            "clients": [{"username": "acme", "hosting_plan": "Gone"}],
        }
    )
    assert simulator.request("DELETE", "/hosting-plans/name/Gone").status_code == 204
    client = simulator.request("GET", "/clients/name/acme").json()
    assert (client["id_hosting_plan"], client["resource_limits"]["domains"]) == (None, 3)
    assert simulator.request("PUT", "/clients/name/acme", {"notes": "still there"}).status_code == 200


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

"""Which requests an export takes."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from ansible_collections.hosting.panel.plugins.modules.panel_resources_info import OPERATION
from tests.support.memory_panel import MemoryPanel
from tests.support.tasks import run_task

CONTACT = ("first_name", "last_name", "company", "telephone", "address", "city", "zip", "state", "country", "client_id")
ZONE = {
    "id": 31,
    "is_custom_dns": True,
    "is_dns_disabled": False,
    "records": {"soa": {}, "other": [{"host": "www", "ttl": 60, "type": "A", "value": "192.0.2.1"}]},
}


def domain(number: int, name: str, user: int, **members: Any) -> dict[str, Any]:
    return {
        "id": number,
        "domain": name,
        "id_user": user,
        "id_parent_domain": 0,
        "php_version": "",
        "is_disabled": False,
        "delete_on": None,
        "dkim_selector": "default",
        "is_email_domain": True,
        "is_email_sending_only": False,
        "target": {"target": "/", "forwarding_type": 301},
        "security": {
            "id_certificate": 0,
            "lets_encrypt": False,
            "is_prefer_https": False,
            "is_hsts": False,
            "hsts_max_age": 0,
            "hsts_include": False,
            "hsts_preload": False,
        },
        "apache": {"http_directives": "", "https_directives": ""},
        "is_subdomain": False,
        "is_system_domain": False,
        "is_custom_dns": False,
        "is_dns_disabled": False,
        **members,
    }


def email(number: int, user: int) -> dict[str, Any]:
    return {
        "id": number,
        "email": f"info{number}@acme.example",
        "id_user": user,
        "description": "",
        "max_size": 2048,
        "catch_all": False,
        "store_forwarded_emails": False,
        "aliases": [],
        "forwardings": [],
    }


def panel(**options: Any) -> MemoryPanel:
    return MemoryPanel(
        {
            "/clients": [{"id": 11, "username": "acme"}, {"id": 12, "username": "beta"}],
            "/domains": [
                domain(31, "acme.example", 11, is_custom_dns=True),
                domain(32, "beta.example", 12, is_custom_dns=True),
                domain(33, "plain.example", 12),
                domain(34, "sub.acme.example", 11, id_parent_domain=31, is_subdomain=True, is_custom_dns=True),
                domain(35, "acme.server.example", 11, is_system_domain=True, is_custom_dns=True),
            ],
            "/dns": [ZONE, {**ZONE, "id": 32}],
            "/emails": [email(41, 11), email(42, 12), email(43, 12)],
        },
        **options,
    )


def export(one: MemoryPanel, **options: Any) -> dict[str, Any]:
    result = run_task(OPERATION, one, options)
    assert not result.get("failed"), result["msg"]
    assert one.writes == []
    assert result["changed"] is False
    return result


@pytest.mark.parametrize(
    ("kinds", "reads"),
    [
        ([], []),
        (["plans"], ["/hosting-plans"]),
        (["emails"], ["/clients", "/emails"]),
        (["ftp_users", "databases"], ["/clients", "/databases", "/ftp-users"]),
        (["certificates"], ["/clients", "/certificates"]),
        (["domains"], ["/clients", "/certificates", "/domains"]),
        (["dns"], ["/domains", "/dns/31", "/dns/32"]),
    ],
)
def test_only_the_kinds_that_are_needed_are_read(kinds: list[str], reads: list[str]) -> None:
    one = panel()
    result = export(one, kinds=kinds)
    assert one.reads == reads
    assert list(result["resources"]) == sorted(kinds, key=list(KINDS).index)


def test_an_object_that_vanished_meanwhile_is_left_out() -> None:
    one = panel(short={"/emails": ["description"]})

    def vanish(_method: str, path: str, _sent: Any) -> None:
        if path == "/emails/41":
            one.objects["/emails"] = [account for account in one.objects["/emails"] if account["id"] != 43]

    one._before = vanish
    result = export(one, kinds=["emails"])
    assert [item["email"] for item in result["resources"]["emails"]] == ["info41@acme.example", "info42@acme.example"]


def test_what_is_left_out_is_a_warning() -> None:
    one = panel()
    one.objects["/emails"][0]["id_user"] = 99
    result = export(one, kinds=["emails"])
    assert len(result["warnings"]) == 1
    assert result["warnings"][0].startswith("emails: info41@acme.example: left out")

"""Domains: the owner of a subdomain, the choice of a certificate, and classes of domains."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.domain import DOMAIN
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from ansible_collections.hosting.panel.plugins.module_utils._schema.difference import Resolved
from ansible_collections.hosting.panel.plugins.modules.panel_domain_info import OPERATION as INFO
from tests.support.tasks import plan_of, run_task
from tests.support.transcript import NOT_FOUND, Dialogue, answer, call

OPERATION = resource_operation(DOMAIN)
CLIENT, CERTIFICATE = ("id_user",), ("security", "id_certificate")

SECURITY: dict[str, Any] = {
    "id_certificate": 0,
    "lets_encrypt": False,
    "is_prefer_https": False,
    "is_hsts": False,
    "hsts_max_age": 10368000,
    "hsts_include": False,
    "hsts_preload": False,
}
CURRENT: dict[str, Any] = {
    "id": 31,
    "id_user": 21,
    "id_parent_domain": 0,
    "status": 1,
    "domain": "acme.example",
    "target": {"target": "/acme.example/", "is_forwarding": False, "forwarding_type": 301},
    "security": SECURITY,
}


def with_security(**members: Any) -> dict[str, Any]:
    return {**CURRENT, "security": {**SECURITY, **members}}


@pytest.mark.parametrize("current", [CURRENT, None])
def test_a_member_that_the_panel_only_shows_is_accepted_and_not_sent(current: dict[str, Any] | None) -> None:
    options = {"domain": "acme.example", "id_user": 21, "target": {"is_forwarding": True}}
    assert "target" not in plan_of(DOMAIN, options, current, {CLIENT: Resolved(21)}).body
    changed = {**options, "target": {"is_forwarding": True, "forwarding_type": 302}}
    assert "is_forwarding" not in plan_of(DOMAIN, changed, current, {CLIENT: Resolved(21)}).body["target"]


@pytest.mark.parametrize("parent", [{"parent_domain": "acme.example"}, {"id_parent_domain": 31}])
def test_a_subdomain_takes_the_owner_of_its_parent_domain(dialogue: Dialogue, parent: dict[str, Any]) -> None:
    where = "/domains/31" if "id_parent_domain" in parent else "/domains/name/acme.example"
    client = dialogue(
        call("GET", "/domains/name/shop.acme.example", answer(404, NOT_FOUND)),
        call("GET", where, answer(200, CURRENT)),
        call(
            "POST",
            "/domains",
            answer(201, {"id": 32}),
            {"domain": "shop.acme.example", "id_parent_domain": 31, "id_user": 21},
        ),
    )
    assert run_task(OPERATION, client, {"domain": "shop.acme.example", **parent})["changed"] is True


# Let's Encrypt or a certificate


def test_switching_to_a_certificate_switches_lets_encrypt_off() -> None:
    options = {"domain": "acme.example", "security": {"certificate": "acme 2026"}}
    plan = plan_of(DOMAIN, options, with_security(lets_encrypt=True), {CERTIFICATE: Resolved(5)})
    assert plan.body == {"security": {**SECURITY, "id_certificate": 5, "lets_encrypt": False}}
    assert plan.after == {"security": {"certificate": "acme 2026", "lets_encrypt": False}}


# Reading

MAIN = {"id": 1, "domain": "a.example", "is_subdomain": False, "is_system_domain": False}
SUB = {"id": 2, "domain": "b.a.example", "is_subdomain": True, "is_system_domain": False}
SYSTEM = {"id": 3, "domain": "a.server.example", "is_subdomain": True, "is_system_domain": True}


# fmt: off
@pytest.mark.parametrize(
    ("options", "query", "ids"),
    [
        ({}, None, [1, 2, 3]),
        ({"main_domains": True}, {"main_domains": "true"}, [1]),
        ({"subdomains": True}, {"subdomains": "true"}, [2]),
        ({"system_domains": True}, {"system_domains": "true"}, [3]),
        ({"main_domains": True, "subdomains": True, "system_domains": False}, {"main_domains": "true", "subdomains": "true"}, [1, 2]),
        ({"system_domains": False}, None, [1, 2]),
        ({"main_domains": False, "subdomains": False}, None, [3]),
        ({"main_domains": False, "subdomains": False, "system_domains": False}, None, []),
        ({"sort": "domain", "order": "desc"}, {"sort": "domain", "order": "desc"}, [1, 2, 3]),
    ],
)
def test_classes_of_domains_are_asked_for_and_filtered_again(
    dialogue: Dialogue, options: dict[str, Any], query: dict[str, str] | None, ids: list[int]
) -> None:
    client = dialogue(call("GET", "/domains", answer(200, [MAIN, SUB, SYSTEM]), query=query))
    assert [domain["id"] for domain in run_task(INFO, client, options)["domains"]] == ids
# fmt: on

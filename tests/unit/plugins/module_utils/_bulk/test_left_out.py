"""A rebuild from an export, which has no private keys: certificates without one are left out and named, everything else is made."""

from __future__ import annotations

from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from tests.support.memory_panel import MemoryPanel
from tests.support.tasks import run_task

PEM = "-----BEGIN CERTIFICATE-----\nTUlJQg==\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN PRIVATE KEY-----\nTUlJQg==\n-----END PRIVATE KEY-----\n"
EXPORTED: dict[str, list[dict[str, Any]]] = {
    "clients": [{"username": "acme", "password": "Correct-horse-7"}],
    "certificates": [{"name": "acme 2026", "client": "acme", "components": {"certificate": PEM}}],
    "domains": [
        {"domain": "acme.example", "client": "acme", "security": {"certificate": "acme 2026", "is_prefer_https": True}}
    ],
}
LEFT_OUT = {
    "kind": "certificates",
    "key": "acme 2026",
    "id": None,
    "result": "skipped",
    "msg": "components.private_key: not given, and needed to create it.",
}


def test_a_certificate_without_its_key_is_left_out_and_everything_else_is_made() -> None:
    panel = MemoryPanel()
    result = run_task(resources_operation(), panel, {"resources": EXPORTED})
    assert "failed" not in result, result
    assert [(method, path) for method, path, _body in panel.writes] == [("POST", "/clients"), ("POST", "/domains")]
    domain = panel.writes[1][2]
    assert domain["security"] == {"is_prefer_https": True}
    assert LEFT_OUT in result["results"]
    assert result["warnings"] == [
        (
            "certificates[0] (acme 2026): it is not on this panel and cannot be created without components.private_key, so it is left "
            "out. Add that, and run again."
        ),
        "domains[0] (acme.example): security.certificate is not set, since that object is left out.",
    ]


def test_with_its_key_the_certificate_is_made_and_the_domain_gets_it() -> None:
    panel = MemoryPanel()
    run_task(resources_operation(), panel, {"resources": EXPORTED})
    panel.forget()
    certificate = {**EXPORTED["certificates"][0], "components": {"certificate": PEM, "private_key": KEY}}
    run_task(resources_operation(), panel, {"resources": {**EXPORTED, "certificates": [certificate]}})
    assert [(method, path) for method, path, _body in panel.writes] == [
        ("POST", "/certificates"),
        ("PUT", "/domains/2"),
    ]


def test_a_certificate_that_is_there_needs_no_key() -> None:
    panel = MemoryPanel(
        {"/certificates": [{"id": 5, "name": "acme 2026", "id_user": 0, "components": {"certificate": PEM}}]}
    )
    item = {"name": "acme 2026", "components": {"certificate": PEM}}
    result = run_task(resources_operation(), panel, {"resources": {"certificates": [item]}})
    assert (result["changed"], result["results"]) == (False, [])


def test_another_missing_option_is_still_a_mistake() -> None:
    panel = MemoryPanel()
    item = {"name": "acme 2026", "components": {"ca_certificate": PEM}}
    result = run_task(resources_operation(), panel, {"resources": {"certificates": [item]}})
    assert result["failed"]
    assert "components.certificate: missing" in result["msg"]


def test_a_certificate_of_which_nothing_is_said_is_left_out_and_named() -> None:
    panel = MemoryPanel()
    incomplete = {"name": "acme 2026", "client": "acme"}
    result = run_task(resources_operation(), panel, {"resources": {**EXPORTED, "certificates": [incomplete]}})
    assert [(method, path) for method, path, _body in panel.writes] == [("POST", "/clients"), ("POST", "/domains")]
    assert result["warnings"][0].startswith(
        "certificates[0] (acme 2026): it is not on this panel and cannot be created without components, so it is left out."
    )
    assert {**LEFT_OUT, "msg": "components: not given, and needed to create it."} in result["results"]

"""Mailboxes: their domain, addresses in any spelling, and answers that leave something out."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.email import EMAIL
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from tests.support.memory_panel import MemoryPanel
from tests.support.tasks import run_task

OPERATION = resource_operation(EMAIL)

ACCOUNT: dict[str, Any] = {
    "id": 5,
    "status": 1,
    "id_user": 21,
    "email": "info@acme.example",
    "email_utf8": "info@acme.example",
    "description": "Front desk",
    "size": 4096,
    "max_size": 1073741824,
    "catch_all": False,
    "store_forwarded_emails": False,
    "aliases": ["office@acme.example", "hello@xn--bcher-kva.example"],
    "aliases_utf8": ["office@acme.example", "hello@bücher.example"],
    "forwardings": ["team@partner.example"],
    "forwardings_utf8": ["team@partner.example"],
}


def panel(*accounts: dict[str, Any]) -> MemoryPanel:
    return MemoryPanel(
        {
            "/clients": [{"id": 21, "username": "acme"}, {"id": 22, "username": "rival"}],
            "/domains": [{"id": 31, "domain": "acme.example", "id_user": 21}],
            "/emails": accounts,
        }
    )


def test_the_owner_of_a_domain_in_utf8_is_found_by_its_punycode() -> None:
    one = panel()
    one.objects["/domains"].append({"id": 40, "domain": "xn--bcher-kva.example", "id_user": 22})
    run_task(OPERATION, one, {"email": "info@BÜCHER.example"})
    assert one.writes == [("POST", "/emails", {"email": "info@xn--bcher-kva.example", "id_user": 22})]


@pytest.mark.parametrize("way", [{"email": "info@acme.example"}, {"id": 5}])
@pytest.mark.parametrize(
    "shown", [{"aliases": None}, {"aliases": 5}, {"aliases": None, "forwardings": None, "catch_all": None}]
)
def test_a_change_needs_nothing_of_members_that_the_panel_shows_oddly(
    way: dict[str, Any], shown: dict[str, Any]
) -> None:
    there = panel({**ACCOUNT, **shown})
    result = run_task(OPERATION, there, {**way, "max_size": "2G"})
    assert result.get("changed"), result.get("msg")
    assert there.calls[-1] == ("PUT", "/emails/5", {"max_size": 2147483648})


def test_a_change_by_id_needs_no_address_in_the_answer() -> None:
    there = panel({name: value for name, value in ACCOUNT.items() if name != "email"})
    result = run_task(OPERATION, there, {"id": 5, "aliases": ["office@acme.example"]})
    assert result.get("changed"), result.get("msg")

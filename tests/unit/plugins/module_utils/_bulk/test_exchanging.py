"""Objects that are named in two ways, or that take over what another one gives away, in one task."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._errors import Refused
from tests.support.memory import MemoryPanel
from tests.support.tasks import run_task

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nTUlJQg==\n-----END CERTIFICATE-----\n"


def run(panel: MemoryPanel, resources: dict[str, Any], concurrency: int = 4, **options: Any) -> dict[str, Any]:
    options = {"resources": resources, "concurrency": concurrency, **options}
    return run_task(resources_operation(), panel, options)


def refusing(path_to_refuse: str) -> Callable[[str, str, Any], None]:
    """Refuses the writes to this path."""

    def before(method: str, path: str, _body: Any) -> None:
        if method != "GET" and path == path_to_refuse:
            raise Refused("no.", method=method, path=path, attempts=1, status=400, message="no")

    return before


def results(result: dict[str, Any]) -> list[str]:
    return [f"{entry['kind']} {entry['key']} {entry['result']}" for entry in result["results"]]


def test_a_zone_cannot_be_named_by_id_and_by_domain() -> None:
    domain = {"id": 31, "domain": "acme.example", "id_user": 1, "id_parent_domain": 0, "is_system_domain": False}
    panel = MemoryPanel({"/domains": [domain]})
    items = [
        {"id": 31, "records": [{"host": "x", "type": "A", "ttl": 60, "value": "192.0.2.1"}]},
        {"domain": "ACME.example.", "records": [{"host": "y", "type": "A", "ttl": 60, "value": "192.0.2.2"}]},
    ]
    result = run(panel, {"dns": items})
    assert result["msg"] == (
        "dns[1] (acme.example) names the same zone as dns[0] (the domain with id 31). Nothing was written."
    )
    assert panel.writes == []


def test_a_name_that_another_object_gives_up_can_be_taken_in_the_same_task() -> None:
    panel = MemoryPanel(
        {
            "/hosting-plans": [{"id": 1, "name": "Gold"}],
            "/clients": [{"id": 7, "username": "acme", "id_hosting_plan": 1}],
        }
    )
    resources = {
        "plans": [{"id": 1, "new_name": "Gold 2025"}, {"name": "Gold"}],
        "clients": [{"username": "acme", "hosting_plan": "Gold"}],
    }
    result = run(panel, resources, concurrency=16)
    assert not result.get("failed"), result["msg"]
    assert panel.writes == [
        ("PUT", "/hosting-plans/1", {"name": "Gold 2025"}),
        ("POST", "/hosting-plans", {"name": "Gold"}),
        ("PUT", "/clients/7", {"id_hosting_plan": 2}),
    ]
    assert run(panel, resources)["changed"] is False


def test_a_chain_of_new_names_is_written_in_the_order_of_the_items() -> None:
    panel = MemoryPanel({"/hosting-plans": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]})
    chain = [{"name": "b", "new_name": "c"}, {"name": "a", "new_name": "b"}]
    assert run(panel, {"plans": chain}, concurrency=16)["changed"] is True
    assert panel.writes == [("PUT", "/hosting-plans/2", {"name": "c"}), ("PUT", "/hosting-plans/1", {"name": "b"})]
    panel.forget()
    again = run(panel, {"plans": chain})
    assert "new_name: the hosting plan b cannot be renamed, since c exists too (ids 1 and 2)." in again["msg"]
    assert "Nothing was written." in again["msg"]
    assert panel.writes == []


def test_a_main_admin_gives_way_to_a_new_one() -> None:
    panel = MemoryPanel({"/admins": [{"id": 1, "username": "old", "is_main_admin": True}]})
    new = {"username": "new", "email": "new@panel.example", "is_main_admin": True, "password": "Correct-horse-7"}
    result = run(panel, {"admins": [new, {"username": "old", "is_main_admin": False}]}, concurrency=16)
    assert results(result) == ["admins new changed", "admins old changed"]
    assert [(method, path) for method, path, _body in panel.writes] == [("POST", "/admins"), ("PUT", "/admins/1")]


def served() -> dict[str, list[dict[str, Any]]]:
    """A domain with a certificate, and another one that it could have."""
    security = {"id_certificate": 21, "lets_encrypt": False}
    domain = {"id_user": 1, "id_parent_domain": 0, "is_system_domain": False, "security": security}
    certificate = {"id_user": 1, "components": {"certificate": CERTIFICATE}}
    return {
        "/certificates": [{"id": 21, "name": "old", **certificate}, {"id": 22, "name": "new", **certificate}],
        "/domains": [{"id": 31, "domain": "acme.example", **domain}],
    }


REPLACED = {
    "certificates": [{"name": "old", "state": "absent"}],
    "domains": [{"domain": "acme.example", "security": {"certificate": "new"}}],
}


def test_a_certificate_goes_when_its_domain_has_another_one() -> None:
    panel = MemoryPanel(served())
    assert results(run(panel, REPLACED)) == ["domains acme.example changed", "certificates old changed"]


def test_a_certificate_stays_where_its_domain_could_not_be_given_another_one() -> None:
    panel = MemoryPanel(served(), before=refusing("/domains/31"))
    result = run(panel, REPLACED)
    assert results(result) == ["domains acme.example failed", "certificates old skipped"]
    assert result["results"][1]["msg"] == "It needs domains acme.example, which failed."
    assert ("DELETE", "/certificates/21", None) not in panel.writes

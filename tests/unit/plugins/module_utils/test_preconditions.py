"""What a creation needs of other objects: how much it reads for that, and what it counts on in check mode and in bulk."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.managing import resources_operation
from ansible_collections.hosting.panel.plugins.module_utils._errors import Refused
from ansible_collections.hosting.panel.plugins.module_utils._kinds.client import CLIENT
from ansible_collections.hosting.panel.plugins.module_utils._kinds.domain import DOMAIN
from ansible_collections.hosting.panel.plugins.module_utils._kinds.email import EMAIL
from ansible_collections.hosting.panel.plugins.module_utils._object.managing import resource_operation
from tests.support.memory import MemoryPanel
from tests.support.tasks import run_task

BULK, EMAILS, DOMAINS, CLIENTS = (
    resources_operation(),
    resource_operation(EMAIL),
    resource_operation(DOMAIN),
    resource_operation(CLIENT),
)
SECRET = {"password": "s3cret-s3cret"}


def panel() -> MemoryPanel:
    return MemoryPanel(
        {
            "/admins": [{"id": 1, "username": "night", "is_main_admin": True}],
            "/clients": [{"id": 21, "username": "acme"}, {"id": 22, "username": "rival"}],
            "/certificates": [
                {"id": 41, "name": "rivals", "id_user": 22},
                {"id": 42, "name": "everybodys", "id_user": 0},
            ],
            "/domains": [
                {"id": 31, "domain": "acme.example", "id_user": 21},
                {"id": 32, "domain": "acme.test", "id_user": 21},
                {"id": 33, "domain": "rival.example", "id_user": 22, "security": {"id_certificate": 41}},
                {"id": 34, "domain": "odd.example", "id_user": 21, "security": {"id_certificate": 41}},
            ],
        }
    )


@pytest.mark.parametrize("check_mode", [True, False])
def test_the_certificate_of_the_server_is_everybodys_and_one_that_is_in_use_stays(check_mode: bool) -> None:
    one = panel()
    given = {"domain": "acme.example", "security": {"certificate": "everybodys"}}
    assert run_task(DOMAINS, one, given, check_mode)["changed"] is True
    kept = run_task(DOMAINS, one, {"domain": "odd.example", "security": {"certificate": "rivals"}}, check_mode)
    assert (kept.get("failed"), kept["changed"]) == (None, False)


def together(one: MemoryPanel, check_mode: bool = False, **resources: Any) -> dict[str, Any]:
    return run_task(BULK, one, {"resources": resources}, check_mode)


@pytest.mark.parametrize("check_mode", [True, False])
def test_in_bulk_owners_that_are_still_to_be_created_are_told_apart(check_mode: bool) -> None:
    clients = [{"username": "first", **SECRET}, {"username": "second", **SECRET}]
    domains = [{"domain": "new.example", "client": "first"}]
    right = {"email": "a@new.example", "client": "first", **SECRET}
    wrong = {"email": "b@new.example", "client": "second", **SECRET}
    old = {"email": "c@acme.example", "client": "first", **SECRET}
    assert together(panel(), check_mode, clients=clients, domains=domains, emails=[right])["changed"] is True
    result = together(panel(), check_mode, clients=clients, domains=domains, emails=[right, wrong, old])
    first, second = result["error"]["mistakes"]
    assert first.startswith(
        "emails[1] (b@new.example) email: the domain new.example belongs to the client first, and the mailbox b@new.example to the "
        "client second;"
    )
    assert second.startswith("emails[2] (c@acme.example) email: the domain acme.example belongs to the client acme")


@pytest.mark.parametrize("check_mode", [True, False])
def test_in_bulk_an_alias_counts_on_the_domain_of_the_same_task(check_mode: bool) -> None:
    one = panel()
    one.add("/emails", {"id": 51, "email": "a@acme.example", "id_user": 21})
    domains = [{"domain": "new.example", "client": "acme"}]
    result = together(
        one, check_mode, domains=domains, emails=[{"email": "a@acme.example", "aliases": ["x@new.example"]}]
    )
    assert result["changed"] is True, result["msg"]
    assert [path for _method, path, _body in one.writes] == ([] if check_mode else ["/domains", "/emails/51"])


@pytest.mark.parametrize("in_bulk", [False, True])
def test_a_client_whose_objects_the_panel_does_not_tell_is_not_deleted(in_bulk: bool) -> None:
    def absent(method: str, path: str, _body: Any) -> None:
        if path.endswith("/resources"):
            raise Refused(f"{method} {path} was refused (404).", status=404)

    one = MemoryPanel({"/clients": [{"id": 21, "username": "acme"}]}, before=absent)
    gone = {"username": "acme", "state": "absent"}
    done = run_task(BULK if in_bulk else CLIENTS, one, {"resources": {"clients": [gone]}} if in_bulk else gone)
    assert (done.get("failed"), one.writes) == (True, [])
    assert "/clients/21/resources" in done["msg"]

"""Objects that are named in two ways, take over what another one gives away in one task, or count
on what belongs to others."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import Refused
from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import CLIENT, DOMAIN
from ansible_collections.hosting.panel.plugins.module_utils._object.object_task import (
    build_resource_operation,
)
from tests.support.memory import MemoryPanel
from tests.support.tasks import run_items as run
from tests.support.tasks import run_task

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMAIFAA==\n-----END CERTIFICATE-----\n"


def list_results(result: dict[str, Any]) -> list[str]:
    """Return each result of a task as kind, key and outcome."""
    return [f"{entry['kind']} {entry['key']} {entry['result']}" for entry in result["results"]]


def test_a_zone_cannot_be_named_by_id_and_by_domain() -> None:
    domain = {
        "id": 31,
        "domain": "acme.example",
        "id_user": 1,
        "id_parent_domain": 0,
        "is_system_domain": False,
    }
    panel = MemoryPanel({"/domains": [domain]})
    items = [
        {"id": 31, "records": [{"host": "x", "type": "A", "ttl": 60, "value": "192.0.2.1"}]},
        {
            "domain": "ACME.example.",
            "records": [{"host": "y", "type": "A", "ttl": 60, "value": "192.0.2.2"}],
        },
    ]

    result = run(panel, {"dns": items})

    assert result["msg"] == (
        "dns[1] (acme.example) names the same object as dns[0] (the domain with id 31). Nothing was written."
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
    assert panel.writes == [
        ("PUT", "/hosting-plans/2", {"name": "c"}),
        ("PUT", "/hosting-plans/1", {"name": "b"}),
    ]

    panel.forget()
    second_run = run(panel, {"plans": chain})

    assert (
        "new_name: the hosting plan b cannot be renamed, since c exists too (ids 1 and 2)."
        in second_run["msg"]
    )
    assert "Nothing was written." in second_run["msg"]
    assert panel.writes == []


def test_a_main_admin_gives_way_to_a_new_one() -> None:
    panel = MemoryPanel({"/admins": [{"id": 1, "username": "old", "is_main_admin": True}]})
    new = {
        "username": "new",
        "email": "new@panel.example",
        "is_main_admin": True,
        "password": "Correct-horse-7",
    }

    result = run(
        panel, {"admins": [new, {"username": "old", "is_main_admin": False}]}, concurrency=16
    )

    assert list_results(result) == ["admins new changed", "admins old changed"]
    assert [(method, path) for method, path, _body in panel.writes] == [
        ("POST", "/admins"),
        ("PUT", "/admins/1"),
    ]


def make_site_objects() -> dict[str, list[dict[str, Any]]]:
    """A domain with a certificate, and another one that it could have."""
    security = {"id_certificate": 21, "lets_encrypt": False}
    domain = {"id_user": 1, "id_parent_domain": 0, "is_system_domain": False, "security": security}
    certificate = {"id_user": 1, "components": {"certificate": CERTIFICATE}}

    return {
        "/certificates": [
            {"id": 21, "name": "old", **certificate},
            {"id": 22, "name": "new", **certificate},
        ],
        "/domains": [{"id": 31, "domain": "acme.example", **domain}],
    }


REPLACED = {
    "certificates": [{"name": "old", "state": "absent"}],
    "domains": [{"domain": "acme.example", "security": {"certificate": "new"}}],
}


def test_a_certificate_goes_when_its_domain_has_another_one() -> None:
    panel = MemoryPanel(make_site_objects())
    assert list_results(run(panel, REPLACED)) == [
        "domains acme.example changed",
        "certificates old changed",
    ]


def test_a_certificate_stays_where_its_domain_could_not_be_given_another_one() -> None:
    def interfere(method: str, path: str, _body: Any) -> None:
        if (method, path) == ("PUT", "/domains/31"):
            raise Refused("no.", method=method, path=path, attempts=1, status=400, message="no")

    panel = MemoryPanel(make_site_objects(), before=interfere)

    result = run(panel, REPLACED)

    assert list_results(result) == ["domains acme.example failed", "certificates old skipped"]
    assert (
        result["results"][1]["msg"]
        == "certificate old: it needs the domain acme.example, which failed."
    )
    assert ("DELETE", "/certificates/21", None) not in panel.writes


# What belongs to others


def make_panel_of_two_clients() -> MemoryPanel:
    """Return a panel on which two clients have a certificate and domains."""
    return MemoryPanel(
        {
            "/clients": [{"id": 21, "username": "acme"}, {"id": 22, "username": "rival"}],
            "/certificates": [
                {"id": 41, "name": "rivals", "id_user": 22},
                {"id": 42, "name": "everybodys"},
            ],
            "/domains": [
                {"id": 31, "domain": "acme.example", "id_user": 21},
                {
                    "id": 34,
                    "domain": "odd.example",
                    "id_user": 21,
                    "security": {"id_certificate": 41},
                },
            ],
            "/emails": [{"id": 51, "email": "a@acme.example", "id_user": 21}],
        }
    )


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("domain", "certificate", "is_change"),
    [
        ("acme.example", "everybodys", True),
        ("odd.example", "rivals", False),
    ],
)
def test_the_certificate_of_the_server_is_everybodys_and_one_that_is_in_use_stays(
    check_mode: bool, domain: str, certificate: str, is_change: bool
) -> None:
    panel = make_panel_of_two_clients()
    options = {"domain": domain, "security": {"certificate": certificate}}

    result = run_task(build_resource_operation(DOMAIN), panel, options, check_mode)

    assert result.get("failed") is None
    assert result["changed"] == is_change


@pytest.mark.parametrize("check_mode", [True, False])
def test_owners_that_are_still_to_be_created_are_told_apart(check_mode: bool) -> None:
    secret = {"password": "s3cret-s3cret"}
    requested = {
        "clients": [{"username": "first", **secret}, {"username": "second", **secret}],
        "domains": [{"domain": "new.example", "client": "first"}],
    }
    right = {"email": "a@new.example", "client": "first", **secret}
    wrong = {"email": "b@new.example", "client": "second", **secret}
    old = {"email": "c@acme.example", "client": "first", **secret}

    assert (
        run(make_panel_of_two_clients(), {**requested, "emails": [right]}, check_mode=check_mode)[
            "changed"
        ]
        is True
    )

    result = run(
        make_panel_of_two_clients(),
        {**requested, "emails": [right, wrong, old]},
        check_mode=check_mode,
    )
    first, second = result["error"]["mistakes"]

    assert first.startswith(
        "emails[1] (b@new.example) email: the domain new.example belongs to the client first, and the mailbox b@new.example to the "
        "client second;"
    )
    assert second.startswith(
        "emails[2] (c@acme.example) email: the domain acme.example belongs to the client acme"
    )


@pytest.mark.parametrize("check_mode", [True, False])
def test_an_alias_counts_on_the_domain_of_the_same_task(check_mode: bool) -> None:
    panel = make_panel_of_two_clients()
    emails = [{"email": "a@acme.example", "aliases": ["x@new.example"]}]
    requested = {"domains": [{"domain": "new.example", "client": "acme"}], "emails": emails}

    result = run(panel, requested, check_mode=check_mode)

    assert result["changed"] is True, result["msg"]
    assert [path for _method, path, _body in panel.writes] == (
        [] if check_mode else ["/domains", "/emails/51"]
    )


@pytest.mark.parametrize("in_bulk", [False, True])
def test_a_client_whose_objects_the_panel_does_not_tell_is_not_deleted(in_bulk: bool) -> None:
    def refuse_resources(method: str, path: str, _body: Any) -> None:
        if path.endswith("/resources"):
            raise Refused(f"{method} {path} was refused (404).", status=404)

    panel = MemoryPanel({"/clients": [{"id": 21, "username": "acme"}]}, before=refuse_resources)
    deletion = {"username": "acme", "state": "absent"}
    result = (
        run(panel, {"clients": [deletion]})
        if in_bulk
        else run_task(build_resource_operation(CLIENT), panel, deletion)
    )

    assert result.get("failed") is True
    assert panel.writes == []
    assert "/clients/21/resources" in result["msg"]

"""What single kinds have of their own.

What all of them have in common is generated: tests/unit/test_behaviours.py, test_every_kind.py.
"""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import (
    CERTIFICATE,
    DATABASE,
    DIRECTORY_PROTECTION,
    EMAIL,
    PLAN,
)
from ansible_collections.hosting.panel.plugins.module_utils._object.object_task import (
    build_resource_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._secrets.redaction import remove_secrets
from ansible_collections.hosting.panel.plugins.modules.panel_domain_info import (
    OPERATION as DOMAIN_INFO,
)
from tests.support.memory import MemoryPanel
from tests.support.tasks import make_object_plan, run_task
from tests.support.transcript import Dialogue, call, make_answer

CERTIFICATES = build_resource_operation(CERTIFICATE)
PROTECTIONS = build_resource_operation(DIRECTORY_PROTECTION)


def test_a_field_that_counts_as_unchanged_with_a_sibling_is_compared_after_it() -> None:
    for kind in KINDS.values():
        paths = [path for path, _field in kind.walk_fields()]
        for path, field in kind.walk_fields():
            if field.unchanged_with is not None:
                sibling = (*path[:-1], field.unchanged_with)
                assert sibling in paths[: paths.index(path)], (kind.plural, path)


# Clients and hosting plans


def test_check_mode_warns_of_clients_that_keep_the_limits_of_a_plan() -> None:
    plan = {"id": 8, "name": "Business", "php": {"memory_limit": "256M", "env_variables": ""}}
    having = [
        {"id": 21, "username": "acme", "id_hosting_plan": "8"},
        {"id": 22, "username": "other"},
    ]
    panel = MemoryPanel({"/hosting-plans": [plan], "/clients": having})

    result = run_task(
        build_resource_operation(PLAN),
        panel,
        {"id": 8, "php": {"memory_limit": "1G"}},
        check_mode=True,
    )
    (warning,) = result["warnings"]

    assert warning.startswith(
        "Clients that have the hosting plan Business keep the limits that came with it before; set reapply_plan: true"
    )
    assert result["changed"] is True
    assert result["plan"]["php"] == {"memory_limit": "1G", "env_variables": ""}
    assert panel.calls == [("GET", "/hosting-plans/8", None), ("GET", "/clients", None)]


# Databases: what their list leaves out

SHOP: dict[str, Any] = {
    "id": 7,
    "id_user": 21,
    "database_name": "acme_shop",
    "description": "Shop",
    "remote_hosts": ["192.0.2.20"],
}


def make_panel_of_database(short: tuple[str, ...], **fields: Any) -> MemoryPanel:
    """Return a panel with one database, whose list leaves fields out."""
    clients = [{"id": 21, "username": "acme"}, {"id": 22, "username": "rival"}]
    return MemoryPanel(
        {"/clients": clients, "/databases": [{**SHOP, **fields}]},
        short={"/databases": short},
        password_hashes="written_and_shown",
    )


def test_an_object_is_fetched_only_for_a_compared_member_that_the_list_leaves_out() -> None:
    panel = make_panel_of_database(("remote_hosts", "id_user"))
    operation = build_resource_operation(DATABASE)
    name = {"database_name": "acme_shop"}

    assert run_task(operation, panel, {**name, "description": "Shop"})["changed"] is False
    assert panel.reads == ["/databases"]

    panel.forget()
    assert run_task(operation, panel, {**name, "remote_hosts": []})["changed"] is True
    assert panel.reads == ["/databases", "/databases/7"]
    assert (
        "exists with the client acme" in run_task(operation, panel, {**name, "id_user": 22})["msg"]
    )


def test_a_hash_that_only_the_whole_object_shows_is_compared() -> None:
    panel = make_panel_of_database(("password_hash",), password_hash="*OLD")
    operation = build_resource_operation(DATABASE)
    name = {"database_name": "acme_shop"}

    assert run_task(operation, panel, {**name, "password_hash": "*OLD"})["changed"] is False

    result = run_task(operation, panel, {**name, "password_hash": "*NEW"})
    assert panel.writes == [("PUT", "/databases/7", {"password_hash": "*NEW"})]
    assert "*OLD" not in repr(result)


# Domains: classes that are asked for and filtered again

MAIN_DOMAIN = {"id": 1, "domain": "a.example", "is_subdomain": False, "is_system_domain": False}
SUB = {"id": 2, "domain": "b.a.example", "is_subdomain": True, "is_system_domain": False}
SYSTEM = {"id": 3, "domain": "a.server.example", "is_subdomain": True, "is_system_domain": True}


@pytest.mark.parametrize(
    ("options", "query", "ids"),
    [
        pytest.param({}, None, [1, 2, 3], id="all"),
        pytest.param({"main_domains": True}, {"main_domains": "true"}, [1], id="main domains"),
        pytest.param({"subdomains": True}, {"subdomains": "true"}, [2], id="subdomains"),
        pytest.param(
            {"system_domains": True}, {"system_domains": "true"}, [3], id="system domains"
        ),
        pytest.param(
            {"main_domains": True, "subdomains": True, "system_domains": False},
            {"main_domains": "true", "subdomains": "true"},
            [1, 2],
            id="main domains and subdomains",
        ),
        pytest.param({"system_domains": False}, None, [1, 2], id="no system domains"),
        pytest.param(
            {"main_domains": False, "subdomains": False},
            None,
            [3],
            id="system domains by exclusion",
        ),
        pytest.param(
            {"main_domains": False, "subdomains": False, "system_domains": False},
            None,
            [],
            id="none",
        ),
        pytest.param(
            {"sort": "domain", "order": "desc"},
            {"sort": "domain", "order": "desc"},
            [1, 2, 3],
            id="sorted",
        ),
    ],
)
def test_classes_of_domains_are_asked_for_and_filtered_again(
    dialogue: Dialogue, options: dict[str, Any], query: dict[str, Any] | None, ids: list[Any]
) -> None:
    session = dialogue(
        call("GET", "/domains", make_answer(200, [MAIN_DOMAIN, SUB, SYSTEM]), query=query)
    )
    assert [domain["id"] for domain in run_task(DOMAIN_INFO, session, options)["domains"]] == ids


# Certificates: the private key that the panel does not show and nobody prints


def make_pem(content: str, label: str = "CERTIFICATE", width: int = 64) -> str:
    """PEM of a sequence with this content, in lines of ``width`` characters."""
    length = len(content.encode())
    size = bytes([length] if length < 0x80 else [0x81, length])
    encoded = base64.b64encode(b"\x30" + size + content.encode()).decode()
    lines = [encoded[start : start + width] for start in range(0, len(encoded), width)]

    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""])


OLD, NEW = make_pem("the old certificate " * 5), make_pem("the new certificate " * 5)
CA = make_pem("the intermediate authority " * 5)
PRIVATE_KEY = make_pem("the secret private key " * 6, "PRIVATE KEY")
SHOWN: dict[str, Any] = {
    "id": 4,
    "id_user": 21,
    "name": "acme 2026",
    "components": {"csr": "", "certificate": OLD, "ca_certificate": CA},
    "secured_domains": ["acme.example"],
    "valid_till": "2027-01-01T00:00:00+01:00",
    "issuer": "Example CA",
}


def make_components(**parts: str) -> dict[str, Any]:
    """Return the options of a certificate that has some components."""
    return {"name": "acme 2026", "components": parts}


def test_a_key_that_the_panel_shows_is_compared() -> None:
    current = {
        **SHOWN,
        "components": {"certificate": OLD, "ca_certificate": "", "private_key": PRIVATE_KEY},
    }

    assert (
        make_object_plan(
            CERTIFICATE, make_components(private_key=PRIVATE_KEY.replace("\n", "\r\n")), current
        ).action
        == "none"
    )

    other_key = make_pem("another secret private key " * 6, "PRIVATE KEY")
    plan = make_object_plan(CERTIFICATE, make_components(private_key=other_key), current)

    assert plan.body == {
        "components": {"private_key": other_key, "certificate": OLD, "ca_certificate": ""}
    }
    assert "private_key" not in remove_secrets(plan.outcome)["components"]


@pytest.mark.parametrize("echo", ["bad key {key}", "{padding} bad key {key}"])
def test_a_key_that_the_panel_repeats_is_printed_nowhere(dialogue: Dialogue, echo: str) -> None:
    requested = make_components(private_key=PRIVATE_KEY, certificate=OLD)
    # So long that the message is cut in the middle of the key's first line.
    message = echo.format(key=PRIVATE_KEY, padding="x" * 440)
    session = dialogue(
        call("GET", "/certificates", make_answer(200, [])),
        call(
            "POST",
            "/certificates",
            make_answer(400, {"code": "400 Bad Request", "message": message}),
            requested,
        ),
        call("GET", "/certificates", make_answer(200, [])),
    )

    result = run_task(CERTIFICATES, session, requested)

    assert "bad key" in result["msg"]
    assert not [line for line in PRIVATE_KEY.splitlines()[1:-1] if line[:8] in str(result)]


@pytest.mark.parametrize("width", [19, 48, 76, 1000])
def test_a_key_that_was_given_in_other_lines_is_printed_nowhere_either(
    dialogue: Dialogue, width: int
) -> None:
    body = "".join(PRIVATE_KEY.splitlines()[1:-1])
    lines = [body[start : start + width] for start in range(0, len(body), width)]
    written = "\n".join(["-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----"])
    message = " / ".join(PRIVATE_KEY.splitlines()[1:-1])
    sent = make_components(private_key=PRIVATE_KEY, certificate=OLD)
    session = dialogue(
        call("GET", "/certificates", make_answer(200, [])),
        call(
            "POST",
            "/certificates",
            make_answer(400, {"code": "400 Bad Request", "message": message}),
            sent,
        ),
        call("GET", "/certificates", make_answer(200, [])),
    )

    result = run_task(CERTIFICATES, session, make_components(private_key=written, certificate=OLD))

    assert result["failed"]
    assert not [line for line in PRIVATE_KEY.splitlines()[1:-1] if line[:8] in str(result)]


# Directory protections: what the panel may hold twice, and lists that do not show whose it is

STAFF: dict[str, Any] = {
    "id": 3,
    "status": 1,
    "id_user": 21,
    "path": "/shop/admin",
    "username": "keeper",
    "auth_name": "Staff only",
    "exceptions": ["/shop/admin/public", "/shop/admin/help"],
}
KEY: dict[str, Any] = {"client": "acme", "path": "/shop/admin/", "username": "keeper"}
SAME = {**KEY, "auth_name": "Staff only", "exceptions": ["/shop/admin/help", "/shop/admin/public"]}


def make_panel_of_protections(*listed: dict[str, Any]) -> MemoryPanel:
    """Return a panel that lists some directory protections."""
    clients = [{"id": 21, "username": "acme"}, {"id": 22, "username": "rival"}]
    objects = {"/clients": clients, "/directory-protections": listed}
    return MemoryPanel(objects)


def test_the_whole_web_directory_is_a_slash() -> None:
    panel = make_panel_of_protections({**STAFF, "path": "/"}, {**STAFF, "id": 4, "path": ""})
    assert "(ids 3, 4)" in run_task(PROTECTIONS, panel, {**KEY, "path": "/"})["msg"]

    empty = run_task(PROTECTIONS, panel, {**KEY, "path": ""})
    assert empty["error"] == {"type": "OptionError", "option": "path"}
    assert "or / for all of it" in empty["msg"]


@pytest.mark.parametrize(
    "exceptions",
    ["10.0.0.1, 10.0.0.2", ["10.0.0.1", " 10.0.0.2 "]],
    ids=["text with commas", "list"],
)
def test_blanks_around_an_exception_have_no_meaning(exceptions: Any) -> None:
    """Send none, since Ansible splits a text at its commas alone, and compare without them."""
    requested = {"client": "acme", "path": "/intern", "username": "eva", "exceptions": exceptions}
    current = {"id": 7, "id_user": 21, "path": "/intern", "username": "eva"}

    changed = make_object_plan(DIRECTORY_PROTECTION, requested, {**current, "exceptions": []}, 21)

    assert changed.body == {"exceptions": ["10.0.0.1", "10.0.0.2"]}

    same = make_object_plan(
        DIRECTORY_PROTECTION, requested, {**current, "exceptions": ["10.0.0.1", " 10.0.0.2"]}, 21
    )

    assert same.action == "none"


def test_a_panel_that_never_shows_the_owner_gets_no_second_object() -> None:
    hidden = {name: value for name, value in STAFF.items() if name != "id_user"}
    panel = make_panel_of_protections(hidden)

    result = run_task(PROTECTIONS, panel, SAME)

    assert result["error"]["type"] == "UnexpectedAnswer"
    assert panel.writes == []
    assert "shows no id_user of the directory protection with id 3" in result["msg"]


@pytest.mark.parametrize(
    ("mailbox", "domain"),
    [
        pytest.param({"email": "info@Acme.example"}, "acme.example", id="its address"),
        pytest.param({"email": None}, None, id="no value"),
        pytest.param({}, None, id="not shown"),
    ],
)
def test_a_mailbox_is_in_the_domain_of_its_address_or_in_none(
    mailbox: dict[str, Any], domain: str | None
) -> None:
    assert EMAIL.read_domain(mailbox) == domain

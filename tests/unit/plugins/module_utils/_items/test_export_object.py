"""From objects as a panel shows them to the items that stand for them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import UnexpectedAnswer
from ansible_collections.hosting.panel.plugins.module_utils._items.export_task import (
    export_operation,
)
from ansible_collections.hosting.panel.plugins.module_utils._items.exporter import Exporter
from ansible_collections.hosting.panel.plugins.module_utils._items.omissions import (
    Omission,
    describe_omissions,
)
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS, TABLES
from ansible_collections.hosting.panel.plugins.module_utils._schema.kind import Kind
from ansible_collections.hosting.panel.plugins.module_utils._sources.checked_answers import (
    require_distinct_ids,
)
from ansible_collections.hosting.panel.plugins.module_utils._sources.kind_objects import KindObjects
from tests.support.memory import MemoryPanel
from tests.support.tasks import run_task

PEM = "-----BEGIN CERTIFICATE-----\nMAIFAA==\n-----END CERTIFICATE-----\n"
KEY = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"
KNOWN_SECRET = "prefix01.zm9vymfyymf6cxv4"
CONTACT = (
    "first_name",
    "last_name",
    "company",
    "telephone",
    "address",
    "city",
    "zip",
    "state",
    "country",
    "client_id",
)
FEATURES = {
    "resource_limits": {"domains": 5},
    "permissions": {"ftp": True},
    "php": {"memory_limit": "256M"},
    "php_fpm": {"pm": "ondemand"},
}


def make_panel() -> dict[str, list[dict[str, Any]]]:
    """A small panel as its lists show it."""
    return {
        **{plural: [] for plural in TABLES},
        "plans": [
            {
                "id": 1,
                "name": "Basic",
                "resources": {"domains": 5, "disk_space": "1G"},
                "permissions": {"ftp": 1},
                "php": {"memory_limit": "256M", "future": "x"},
                "php_fpm": {
                    "pm": "ondemand",
                    "min_spare_servers": 3,
                    "status_ip_restriction": None,
                },
            }
        ],
        "admins": [
            {
                "id": 1,
                "username": "admin",
                "email": "a@ops.example",
                "language": "en",
                "is_main_admin": True,
            }
        ],
        "clients": [
            {
                "id": 11,
                "username": "zeta",
                "email": "",
                "language": "de",
                "notes": None,
                "id_hosting_plan": 1,
                "is_suspended": 0,
                "suspend_on": None,
                "delete_on": "2031-01-02T00:00:00+0100",
                "password_hash": "$6$hash",
                "contact_data": dict.fromkeys(CONTACT, ""),
                "status": 1,
                "created_at": "2026-01-01T00:00:00+01:00",
                **FEATURES,
            },
            {
                "id": 12,
                "username": "acme",
                "contact_data": {**dict.fromkeys(CONTACT, ""), "company": "Acme"},
            },
        ],
        "certificates": [
            {
                "id": 21,
                "name": "server",
                "id_user": 0,
                "components": {"certificate": PEM, "ca_certificate": "", "csr": "x"},
            },
            {
                "id": 22,
                "name": "acme",
                "id_user": 12,
                "components": {"certificate": PEM, "private_key": KEY},
            },
        ],
        "domains": [
            {
                "id": 31,
                "domain": "acme.example",
                "id_user": 12,
                "id_parent_domain": 0,
                "is_subdomain": False,
                "delete_on": None,
                "is_dns_disabled": False,
                "is_custom_dns": False,
                "target": {
                    "target": "https://beta.example/",
                    "is_forwarding": True,
                    "forwarding_type": "302",
                },
                "security": {"id_certificate": 21, "lets_encrypt": False},
            },
            {
                "id": 33,
                "domain": "shop.acme.example",
                "id_user": 12,
                "id_parent_domain": 31,
                "is_subdomain": True,
            },
            {
                "id": 34,
                "domain": "a.shop.acme.example",
                "id_user": 12,
                "id_parent_domain": 33,
                "is_subdomain": True,
            },
            {
                "id": 32,
                "domain": "beta.example",
                "id_user": 12,
                "id_parent_domain": 0,
                "is_subdomain": False,
            },
            {
                "id": 35,
                "domain": "acme.server.example",
                "id_user": 12,
                "id_parent_domain": 0,
                "is_system_domain": True,
            },
        ],
        "emails": [
            {
                "id": 41,
                "email": "info@acme.example",
                "id_user": 12,
                "max_size": 2048,
                "aliases": ["z@acme.example", "A@acme.example"],
            },
            {
                "id": 42,
                "email": "root@acme.server.example",
                "id_user": 12,
                "max_size": 2048,
                "aliases": [],
            },
        ],
        "databases": [
            {
                "id": 51,
                "database_name": "shop",
                "database_username": "u",
                "id_user": 12,
                "size": 5,
                "remote_hosts": None,
            }
        ],
        "ftp_users": [{"id": 61, "username": "web", "id_user": 12, "home_directory": "/www"}],
        "directory_protections": [
            {"id": 71, "id_user": 12, "path": "/b", "username": "u"},
            {"id": 72, "id_user": 11, "path": "/a", "username": "u"},
        ],
        "scheduled_tasks": [
            {
                "id": 81,
                "id_user": 0,
                "description": "Backup",
                "type": "exec",
                "command": "/backup",
                "php_interpreter": None,
                "schedule": {"minute": 0, "hour": "*"},
            }
        ],
    }


class Export(NamedTuple):
    """What an export returns: the items, the warnings, and what it has left out."""

    resources: dict[str, list[dict[str, Any]]]
    left_out: list[Omission]
    warnings: list[str]


def export_objects(
    objects: Mapping[str, Any],
    zones: Mapping[int, Any] | None = None,
    kinds: Collection[str] = tuple(KINDS),
) -> Export:
    """zones: by the id of their domain."""
    exporter = Exporter(
        lambda plural: objects.get(plural, ()),
        kinds,
        lambda text: KNOWN_SECRET in text,
        zone_of=lambda domain: (zones or {}).get(domain["id"]),
    )
    resources, left_out = exporter.export_items()
    return Export(resources, left_out, list(describe_omissions(left_out)))


def export(**changes: Any) -> Export:
    """Export a panel that has other objects of some kinds."""
    return export_objects({**make_panel(), **changes})


def list_names(kind: str, field: str, result: Export | None = None) -> list[Any]:
    """Return a field of each exported item of a kind."""
    return [item[field] for item in (result or export()).resources[kind]]


def export_object(kind: str, **fields: Any) -> tuple[dict[str, Any], list[str]]:
    """The item of the panel's first object of a kind with these members, and the warnings."""
    objects = make_panel()
    objects[kind] = [{**objects[kind][0], **fields}]
    result = export_objects(objects, kinds=[kind])
    return result.resources[kind][0], result.warnings


def test_an_object_whose_owner_is_gone_is_left_out_with_a_warning() -> None:
    result = export(
        ftp_users=[{"id": number, "username": f"u{number}", "id_user": 99} for number in range(22)]
    )

    assert result.resources["ftp_users"] == []

    named = ", ".join(f"u{number}" for number in range(20))
    assert result.warnings == [
        f"ftp_users: {named}, and 2 more: left out, since the client that it belongs to is not on the panel, cannot be named, or is left out too.",
    ]


@pytest.mark.parametrize("kind", ["domains", "dns", "emails", "databases", "ftp_users"])
def test_what_a_client_has_whose_name_no_module_takes_is_left_out_with_it(kind: str) -> None:
    objects = make_panel()
    objects["clients"][1]["username"] = "ACME"

    assert export_objects(make_panel()).resources[kind]
    assert export_objects(objects).resources[kind] == []


def test_a_client_whose_name_no_module_takes_is_left_out_with_the_reason() -> None:
    objects = make_panel()
    objects["clients"][1]["username"] = "ACME"

    result = export_objects(objects)

    assert list_names("clients", "username", result) == ["zeta"]
    assert result.warnings[0] == (
        "clients: ACME: left out, since its username 'ACME' is none that the module accepts; "
        "it must be the name of a client, not empty and without upper case, blanks around it or "
        "invisible characters."
    )


@pytest.mark.parametrize(
    "value",
    [
        KEY,
        [KEY],
        "$6$PRIVATEsalt$PRIVATEhash",
        "{SSHA}PRIVATEPRIVATE+x=",
        "see https://root:PRIVATE@db.example/x",
    ],
)
def test_a_secret_by_its_form_is_never_exported_whatever_member_it_is_in(value: Any) -> None:
    item, warnings = export_object("emails", description=value, aliases=value)
    assert "PRIVATE" not in repr((item, warnings))
    assert "description" not in item
    assert any("it holds a secret (" in warning for warning in warnings)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"command": "curl https://u:PRIVATE@acme.example"}, id="necessary field"),
        pytest.param({"description": "https://u:PRIVATE@acme.example"}, id="name"),
    ],
)
def test_an_object_whose_name_or_necessary_member_holds_a_secret_is_left_out_without_showing_it(
    changes: dict[str, Any],
) -> None:
    task = make_panel()["scheduled_tasks"][0]
    result = export_objects(
        {**make_panel(), "scheduled_tasks": [{**task, **changes}]}, kinds=["scheduled_tasks"]
    )

    assert result.resources["scheduled_tasks"] == []
    assert len(result.warnings) == 1
    assert "PRIVATE" not in result.warnings[0]
    assert result.warnings[0].startswith("scheduled_tasks: ")


HAS_KNOWN_SECRET = "left out, since it holds a secret of this task, such as the API key."


@pytest.mark.parametrize(
    "value", [f"key {KNOWN_SECRET} of the panel", [KNOWN_SECRET], {KNOWN_SECRET: 1}]
)
def test_a_text_in_which_a_known_secret_stands_is_left_out_by_name(value: Any) -> None:
    item, warnings = export_object("emails", description=value)

    assert "description" not in item
    assert f"emails: info@acme.example: description is {HAS_KNOWN_SECRET}" in warnings


@pytest.mark.parametrize("field", ["description", "command"])
def test_an_object_that_is_nothing_without_a_text_with_a_known_secret_is_left_out(
    field: str,
) -> None:
    task = {**make_panel()["scheduled_tasks"][0], field: f"curl -H 'X-API-Key: {KNOWN_SECRET}'"}

    result = export_objects({**make_panel(), "scheduled_tasks": [task]}, kinds=["scheduled_tasks"])

    assert result.resources["scheduled_tasks"] == []
    assert [omission.option for omission in result.left_out] == [None]
    assert result.left_out[0].reason in HAS_KNOWN_SECRET


def test_a_record_with_a_known_secret_is_left_out_by_name_and_protected_where_it_is() -> None:
    result = export_zone(("@", "TXT", f'"verify={KNOWN_SECRET}"'), ("www", "A", "192.0.2.1"))
    item = result.resources["dns"][-1]

    assert [record["type"] for record in item["records"]] == ["A"]
    assert "@ TXT" in item["protect"]
    assert result.warnings == [f"dns: beta.example: records @ TXT is {HAS_KNOWN_SECRET}"]


def test_a_zone_with_a_known_secret_in_the_name_of_a_record_is_left_out() -> None:
    result = export_zone((KNOWN_SECRET, "TXT", f'"{KNOWN_SECRET}"'))

    assert [item["domain"] for item in result.resources["dns"]] == ["acme.example"]
    assert result.warnings == [f"dns: beta.example: {HAS_KNOWN_SECRET}"]


def export_zone(*records: tuple[str, str, str]) -> Export:
    """The export of a zone with these records."""
    records_of_zone = [
        {"host": host, "type": kind, "ttl": 60, "value": value} for host, kind, value in records
    ]
    zone = {
        "is_custom_dns": True,
        "is_dns_disabled": False,
        "records": {"soa": {}, "other": records_of_zone},
    }

    return export_objects(make_panel(), {32: zone}, kinds=["dns"])


def test_a_record_set_that_no_item_takes_is_left_out_by_name_and_protected_where_it_is() -> None:
    result = export_zone(
        ("www", "A", "192.0.2.256"),
        ("www", "A", "192.0.2.1"),
        ("*", "A", "192.0.2.x"),
        ("x", "MX", "10 192.0.2.1"),
    )
    item = result.resources["dns"][-1]

    assert [(record["host"], record["type"], record["value"]) for record in item["records"]] == [
        ("x", "MX", "10 192.0.2.1")
    ]
    assert item["protect"] == ["_acme-challenge* TXT", "[*] A", "www A"]

    form = "is not accepted; it must be an IPv4 address such as 192.0.2.10, the value of a record of type A"
    assert result.warnings == [
        f"dns: beta.example: records * A is left out, since '192.0.2.x' {form}.",
        f"dns: beta.example: records www A is left out, since '192.0.2.256' {form}; left out with it: '192.0.2.1'.",
    ]


def test_a_record_set_that_is_left_out_for_a_secret_is_named_without_the_secret() -> None:
    result = export_zone(
        ("@", "TXT", KEY), ("@", "TXT", f"{KNOWN_SECRET} x"), ("@", "TXT", "v=spf1")
    )

    (warning,) = result.warnings
    assert warning.endswith("; left out with it: 'v=spf1'.")
    assert "PRIVATE KEY" not in warning
    assert KNOWN_SECRET not in warning


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("emails", "max_size", 0),
        ("clients", "email", "root"),
        ("scheduled_tasks", "type", "weird"),
    ],
)
def test_a_value_that_no_option_takes_is_named(kind: str, field: str, value: Any) -> None:
    objects = {**make_panel(), kind: [{**make_panel()[kind][0], field: value}]}

    warnings = export_objects(objects, kinds=[kind]).warnings

    named = f"its {field} {value!r} is none that the module accepts"
    assert [named in warning for warning in warnings].count(True) == 1


def test_a_record_outside_of_its_zone_is_left_out_alone() -> None:
    result = export_zone(("a.other.example.", "A", "192.0.2.2"), ("www", "A", "192.0.2.1"))
    item = result.resources["dns"][-1]

    assert [record["host"] for record in item["records"]] == ["www"]
    assert item["protect"] == ["_acme-challenge* TXT"]
    assert result.warnings == [
        "dns: beta.example: records a.other.example. A is left out, since its host does not lie in the zone."
    ]


@pytest.mark.parametrize(
    ("host", "kind", "pattern"),
    [
        ("a b", "A", "a?b A"),
        ("x [1]", "A", "x?[[]1] A"),
        ("x y", "ODD", "x?y *"),
        ("x", "A B", "x *"),
    ],
)
def test_an_odd_set_of_a_zone_is_protected_by_a_pattern_and_its_neighbours_are_exported(
    host: str, kind: str, pattern: str
) -> None:
    result = export_zone((host, kind, "192.0.2.1"), ("www", "A", "192.0.2.1"))
    item = result.resources["dns"][-1]

    assert item["protect"] == ["_acme-challenge* TXT", pattern]
    assert [record["host"] for record in item["records"]] == ["www"]


# What depends on what is left out


def list_twice(kind: str, number: int = 0) -> Any:
    """The objects of a kind, one of them a second time under another id, so that no item can say
    which one it means."""
    objects = make_panel()[kind]
    return {kind: [*objects, {**objects[number], "id": 99}]}


DEEP = ["shop.acme.example", "a.shop.acme.example"]
DEPENDING = {
    "clients": {  # acme, who has everything but a plan, and a task and a certificate of the server
        "certificates": [("acme", None)],
        "domains": [(name, None) for name in ("acme.example", *DEEP, "beta.example")],
        "dns": [("acme.example", None)],
        "emails": [("info@acme.example", None), ("root@acme.server.example", None)],
        "databases": [("shop", None)],
        "ftp_users": [("web", None)],
        "directory_protections": [("id 12:/b:u", None)],
    },
    "plans": {"clients": [("zeta", "hosting_plan")]},
    "certificates": {"domains": [("acme.example", "security.certificate")]},
    "domains": {
        "domains": [(name, None) for name in DEEP],
        "dns": [("acme.example", None), ("acme.example", None)],
        "emails": [("info@acme.example", None)],
    },
}


@pytest.mark.parametrize("kind", list(DEPENDING))
def test_what_depends_on_what_is_left_out_is_left_out_and_told(kind: str) -> None:
    doubled = list_twice(kind, 1 if kind == "clients" else 0)
    result = export(**doubled)
    warned: dict[str, list[tuple[str, Any]]] = {}

    for omission in result.left_out:
        if "several have this name" not in omission.reason:
            assert "left out" in omission.reason
            warned.setdefault(omission.kind, []).append((omission.key, omission.option))

    assert warned == DEPENDING[kind]

    usual = export().resources
    missing = {
        plural: len(usual[plural]) - len(items) for plural, items in result.resources.items()
    }
    whole = {
        plural: len({key for key, option in warned.get(plural, ()) if option is None})
        for plural in KINDS
    }

    assert missing == {**whole, kind: whole[kind] + 1}


def test_aliases_in_a_domain_that_is_left_out_are_left_out() -> None:
    email = {
        **make_panel()["emails"][0],
        "aliases": ["a@acme.example", "b@beta.example", "c@acme.server.example"],
    }
    result = export(emails=[email], **list_twice("domains", 3))

    assert "aliases" not in result.resources["emails"][0]
    assert [
        (omission.kind, omission.option) for omission in result.left_out if omission.option
    ] == [("emails", "aliases")]


# Lists from which nobody can tell whose an object is.

CLIENTS = [{"id": 11, "username": "zeta"}, {"id": 12, "username": "acme"}]


@pytest.mark.parametrize(
    ("clients", "problem"),
    [
        pytest.param([*CLIENTS, CLIENTS[0]], "GET /clients shows an id twice", id="a client twice"),
        pytest.param(
            [{"id": 11, "username": "a"}, {"id": 11, "username": "b"}],
            "shows an id twice",
            id="an id of two",
        ),
        pytest.param([*CLIENTS, {"username": "x"}], "shows client x without an id", id="no id"),
        pytest.param(
            [*CLIENTS, {"id": None, "username": "x"}],
            "shows client x without an id",
            id="a null id",
        ),
        pytest.param(
            [*CLIENTS, {"id": 13, "username": ""}],
            "the client with id 13 without its username",
            id="no name",
        ),
        pytest.param(
            [*CLIENTS, {"id": 13, "username": None}],
            "client with id 13 without its username",
            id="null",
        ),
    ],
)
@pytest.mark.parametrize(
    "options", [{}, {"clients": ["acme"]}, {"kinds": ["emails"]}], ids=["all", "one", "emails"]
)
def test_an_export_refuses_a_list_of_clients_that_leaves_open_whose_an_object_is(
    clients: list[dict[str, Any]],
    problem: str,
    options: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fetch_all(objects: KindObjects, _query: Any = None) -> list[dict[str, Any]]:
        return [dict(client) for client in clients] if objects.kind.plural == "clients" else []

    monkeypatch.setattr(KindObjects, "fetch_all", fetch_all)
    monkeypatch.setattr(KindObjects, "complete", lambda _objects, _sought, items: list(items))

    result = run_task(export_operation(), MemoryPanel({}), options)

    assert result["error"]["type"] == "UnexpectedAnswer"
    assert problem in result["msg"]


@pytest.mark.parametrize("kind", TABLES.values(), ids=list(TABLES))
def test_an_id_that_a_list_shows_twice_is_an_error_for_every_kind(kind: Kind) -> None:
    with pytest.raises(UnexpectedAnswer, match=f"GET {kind.path} shows an id twice"):
        require_distinct_ids([{"id": 1}, {"id": 2}, {"id": 1}], kind)
    require_distinct_ids([{"id": 1}, {"id": 2}, {"id": None}, {}, {}], kind)

"""What panel_resources_info returns changes nothing on the same panel, and makes the same panel
again on an empty one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import (
    DNS,
    KINDS,
    TABLES,
)
from tests.support import pem
from tests.support.in_memory import InMemory
from tests.support.mixed_panel import make_mixed_objects, with_keys

pytestmark = pytest.mark.long

NOTHING = {"create": 0, "update": 0, "delete": 0}
SECRETS = {"password_hashes": "written_and_shown", "shows_private_keys": True}
EXTRA = {kind: {"colour": "blue"} for kind in ("clients", "domains", "emails", "scheduled_tasks")}
SHORT = {
    "clients": ["contact_data", "notes", "resource_limits"],
    "domains": ["security", "is_custom_dns"],
    "emails": ["aliases", "forwardings"],
    "scheduled_tasks": ["schedule"],
}
# What the panel may show otherwise, and an export has to make the same of.
PANELS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "with secrets": SECRETS,
    "without the ids of plans": {"hidden_members": {"clients": ["id_hosting_plan"]}},
    "with more fields than we know": {"extra_members": EXTRA},
    "with short lists": {"short_lists": SHORT},
}


def make_mixed_panel(**settings: Any) -> InMemory:
    """A panel of mixed objects."""
    return InMemory(make_mixed_objects(pem.make_texts(), clients=4), **settings)


def run(panel: InMemory, module: str, **options: Any) -> dict[str, Any]:
    """Run a module, which succeeds."""
    result = panel.run(module, **options)
    assert not result.get("failed"), result["msg"]
    return result


def export(panel: InMemory, **options: Any) -> dict[str, Any]:
    """Export a panel."""
    return run(panel, "panel_resources_info", **options)


def apply(panel: InMemory, resources: Mapping[str, Any], **options: Any) -> dict[str, int]:
    """How many objects panel_resources changed."""
    # A task that keeps no generated password warns of it.
    result = run(
        panel, "panel_resources", resources=resources, task={"register": "applied"}, **options
    )
    assert "warnings" not in result
    return {name: result["plan"]["summary"][name] for name in NOTHING}


@pytest.fixture(scope="module")
def exported() -> dict[str, Any]:
    """Export the panel that has something of every kind."""
    resources: dict[str, Any] = export(make_mixed_panel())["resources"]
    assert list(resources) == list(KINDS)
    assert {"records", "state", "is_dns_disabled", "protect"} <= {
        name for zone in resources[DNS] for name in zone
    }

    return resources


@pytest.mark.parametrize("settings", PANELS.values(), ids=PANELS)
def test_an_export_is_the_same_whatever_the_panel_shows_and_changes_nothing(
    exported: dict[str, Any], settings: dict[str, Any]
) -> None:
    panel = make_mixed_panel(**settings)
    result = export(panel)
    hidden = {
        str(value)
        for kind in TABLES
        for entry in panel.panel.store.list_all(kind)
        for value in entry.hidden.values()
    }

    assert result["resources"] == exported
    assert "warnings" not in result
    assert "PRIVATE KEY" not in str(result)
    assert [secret for secret in hidden - {"", "None"} if secret in json.dumps(result)] == []
    assert (
        apply(panel, exported)
        == apply(panel, exported, purge=list(TABLES), max_deletes=0)
        == NOTHING
    )
    assert panel.writes == []


def test_no_single_module_finds_anything_to_do_about_an_export(exported: dict[str, Any]) -> None:
    panel = make_mixed_panel()

    for plural, items in exported.items():
        for item in items:
            result = run(panel, KINDS[plural].module, **item)
            assert not result["changed"], (plural, item)
            assert "warnings" not in result, (plural, item)

    assert panel.writes == []


@pytest.mark.parametrize(
    "settings", [{}, {"nested_update": "replace", "unknown_members": "refuse"}], ids=str
)
def test_on_an_empty_panel_an_export_makes_everything_again_but_the_secrets(
    exported: dict[str, Any], settings: dict[str, Any]
) -> None:
    empty = InMemory(**settings)
    assert apply(empty, with_keys(exported, pem.make_texts()))["create"] > 50
    assert export(empty)["resources"] == exported

    empty.log.clear()
    assert apply(empty, exported) == NOTHING
    assert empty.writes == []


def test_an_export_takes_one_list_a_kind_and_one_request_a_custom_zone(
    exported: dict[str, Any],
) -> None:
    panel = make_mixed_panel()
    export(panel)

    custom = sum("records" in zone for zone in exported[DNS])

    assert (
        len([request for request in panel.log if request["path"].startswith("/dns/")]) == custom > 0
    )
    assert len(panel.log) == len(TABLES) + custom
    assert panel.writes == []


def test_a_client_is_exported_alone(exported: dict[str, Any]) -> None:
    resources = export(make_mixed_panel(), clients=["client-003"])["resources"]

    assert len(resources["clients"]) == 1
    assert len(resources["domains"]) == 4
    assert len(resources["emails"]) == 3
    assert len(resources["plans"]) == 0
    assert [
        kind
        for kind, items in resources.items()
        if any(item not in exported[kind] for item in items)
    ] == []


def test_some_kinds_are_exported_alone_also_in_check_mode() -> None:
    result = export(make_mixed_panel(), kinds=["dns", "plans"], check_mode=True)

    assert list(result["resources"]) == ["plans", "dns"]


@pytest.mark.parametrize(
    ("options", "wrong_name"),
    [
        pytest.param({"clients": ["client-003", "nobody"]}, "nobody", id="a client"),
        pytest.param({"kinds": ["mailboxes"]}, "mailboxes", id="a kind"),
    ],
)
def test_an_export_of_what_is_not_there_is_an_error_that_names_it(
    options: dict[str, Any], wrong_name: str
) -> None:
    result = make_mixed_panel().run("panel_resources_info", **options)

    assert result["failed"]
    assert wrong_name in result["msg"]


# Certificates that a panel may show, by what is wrong with them: their components.
REQUEST = "-----BEGIN CERTIFICATE REQUEST-----\nTUlJQg==\n-----END CERTIFICATE REQUEST-----\n"
INCOMPLETE: dict[str, Any] = {
    "only a request": {"csr": REQUEST, "certificate": "", "ca_certificate": ""},
    "only a chain": {"certificate": None, "ca_certificate": "authority.certificate"},
    "unreadable": {"certificate": "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n"},
    "a key in its place": {"certificate": "one.private_key"},
    "nothing at all": {},
    "no components": None,
}


def make_panel_of_incomplete_objects() -> InMemory:
    """Return a panel that shows half of some certificates, and of a task no command."""
    panel = make_mixed_panel(shows_private_keys=True)
    pair = {
        component: pem.make_texts()[f"one.{component}"]
        for component in ("private_key", "certificate")
    }
    odd = {
        f"{number}.odd.example": name
        for number, name in enumerate([*INCOMPLETE, "without its key"])
    }
    seed: dict[str, Any] = {
        "certificates": [
            {"name": name, "client": "client-000", "components": pair} for name in odd.values()
        ],
        "domains": [
            {"domain": domain, "client": "client-000", "security": {"certificate": name}}
            for domain, name in odd.items()
        ],
        "scheduled_tasks": [
            {"client": "client-000", "description": "Odd", "type": "exec", "command": "/bin/true"}
        ],
    }
    panel.put(panel.get_state(), seed)

    for entry in panel.panel.store.list_all("certificates"):
        if entry.data["name"] in INCOMPLETE:
            components = INCOMPLETE[entry.data["name"]]
            entry.data["components"] = components and {
                name: pem.make_texts().get(text, text) for name, text in components.items()
            }

    for entry in panel.panel.store.list_all("scheduled_tasks"):
        if entry.data["description"] == "Odd":
            entry.data["command"] = None

    return panel


def test_what_the_panel_shows_incompletely_does_not_stand_in_the_way_of_a_rebuild() -> None:
    panel = make_panel_of_incomplete_objects()

    result = export(panel)
    before = result["resources"]
    warnings = " ".join(result["warnings"])

    assert [name for name in INCOMPLETE if name not in warnings] == []
    assert "client-000:Odd" in warnings
    assert apply(panel, before, purge=["certificates", "domains"], max_deletes=0) == NOTHING, (
        "on the same panel"
    )

    empty = InMemory()
    first = run(empty, "panel_resources", resources=before)
    skipped = {
        (item["kind"], item["key"]) for item in first["results"] if item["result"] != "changed"
    }

    assert skipped == {("certificates", item["name"]) for item in before["certificates"]}, (
        "none has its key"
    )

    after = export(empty)["resources"]
    assert {
        kind: len(items) for kind, items in after.items() if len(items) != len(before[kind])
    } == {"certificates": 0}

    domains = {item["domain"]: item for item in after["domains"]}
    for item in before["domains"]:
        assert domains[item["domain"]] == {
            **item,
            "security": {**item["security"], "certificate": ""},
        }

    assert run(empty, "panel_resources", resources=before)["changed"] is False

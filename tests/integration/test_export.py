# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A running panel becomes code in one step, and the code makes the same panel again."""

from __future__ import annotations

import copy
import importlib
import json
from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._http.panel_client import PanelClient
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import DNS, KINDS, TABLES
from ansible_collections.hosting.panel.plugins.module_utils._task.operation import Operation
from tests.support import pem
from tests.support.bulk import panel_client
from tests.support.mixed_panel import CLIENTS, mixed_panel, with_keys
from tests.support.playbook import WAYS, BothWays, task
from tests.support.simulator import Simulator
from tests.support.tasks import run_task
from tests.support.worker import work

MODULES = "ansible_collections.hosting.panel.plugins.modules.panel_"
SECRETS = {"password_hashes": "written_and_shown", "shows_private_keys": True}
# What the panel may show otherwise, and an export has to make the same of.
PANELS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "with secrets": SECRETS,
    "without the ids of plans": {"hidden_members": {"clients": ["id_hosting_plan"]}},
    "with more members than we know": {
        "extra_members": {kind: {"colour": "blue"} for kind in ("clients", "domains", "emails", "scheduled_tasks")}
    },
    "with short lists": {
        "short_lists": {
            "clients": ["contact_data", "notes", "resource_limits"],
            "domains": ["security", "is_custom_dns"],
            "emails": ["aliases", "forwardings"],
            "scheduled_tasks": ["schedule"],
        }
    },
}


def operation(singular: str) -> Operation:
    found: Operation = importlib.import_module(MODULES + singular).OPERATION
    return found


def export(client: PanelClient, **options: Any) -> dict[str, Any]:
    result = run_task(operation("resources_info"), client, options)
    assert not result.get("failed"), result["msg"]
    return result


def apply_singly(client: PanelClient, resources: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Gives every item to its single module; the names of those that changed."""
    changed = []
    for plural, items in resources.items():
        one = operation("dns" if plural == DNS else TABLES[plural].singular)
        for item in items:
            result = run_task(one, client, item)
            assert not result.get("failed"), (plural, item, result["msg"])
            assert "warnings" not in result, (plural, item, result["warnings"])
            if result["changed"]:
                changed.append(f"{plural} {list(item.values())[:2]}")
    return changed


@pytest.fixture
def mixed(simulator: Simulator) -> Simulator:
    """A panel of several hundred mixed objects."""
    simulator.reset()
    simulator.seed(mixed_panel(pem.texts()))
    simulator.clear_log()
    return simulator


def apply(client: PanelClient, resources: dict[str, list[dict[str, Any]]], **options: Any) -> dict[str, int]:
    """Gives all items to panel_resources; how many objects it changed."""
    result = run_task(operation("resources"), client, {"resources": resources, **options})
    assert not result.get("failed"), result["msg"]
    assert "warnings" not in result
    summary: dict[str, int] = result["plan"]["summary"]
    return {name: summary[name] for name in ("create", "update", "delete")}


NOTHING = {"create": 0, "update": 0, "delete": 0}


@pytest.mark.parametrize("settings", PANELS.values(), ids=PANELS)
def test_an_export_changes_nothing_on_the_same_panel(mixed: Simulator, settings: dict[str, Any]) -> None:
    mixed.settings(settings)
    client = panel_client(mixed)
    result = export(client)
    assert "warnings" not in result
    resources = result["resources"]
    assert apply(client, resources) == NOTHING
    everything = list(TABLES)
    assert apply(client, resources, purge=everything, max_deletes=0) == NOTHING
    assert mixed.writes() == []


def test_no_single_module_finds_anything_to_do_about_an_export(mixed: Simulator) -> None:
    client = panel_client(mixed)
    assert apply_singly(client, export(client)["resources"]) == []
    assert mixed.writes() == []


@pytest.mark.parametrize(
    "settings", [{}, {"nested_update": "replace", "unknown_members": "refuse"}], ids=["lenient", "strict"]
)
def test_on_an_empty_panel_an_export_makes_everything_again_but_the_secrets(
    mixed: Simulator, settings: dict[str, Any]
) -> None:
    client = panel_client(mixed)
    before = export(client)["resources"]
    mixed.reset()
    mixed.settings({"status_delay": 0, **settings})
    assert apply(client, with_keys(before, pem.texts()))["create"] > 300
    assert export(client)["resources"] == before
    mixed.clear_log()
    assert apply(client, before) == NOTHING
    assert mixed.writes() == []


# Certificates that a panel may show, by what is wrong with them: their components.
INCOMPLETE: dict[str, Any] = {
    "only a request": {
        "csr": "-----BEGIN CERTIFICATE REQUEST-----\nTUlJQg==\n-----END CERTIFICATE REQUEST-----\n",
        "certificate": "",
        "ca_certificate": "",
    },
    "only a chain": {"certificate": None, "ca_certificate": "authority.certificate"},
    "unreadable": {"certificate": "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n"},
    "a key in its place": {"certificate": "one.private_key"},
    "nothing at all": {},
    "no components": None,
}


def spoil(simulator: Simulator) -> None:
    """Adds certificates that are shown incompletely, each with a domain that has it, and a task without its command."""
    simulator.seed(
        {
            "certificates": [
                {"name": name, "client": "client-000", "components": pair("one")}
                for name in [*INCOMPLETE, "without its key"]
            ],
            "domains": [
                {"domain": f"{number}.odd.example", "client": "client-000", "security": {"certificate": name}}
                for number, name in enumerate([*INCOMPLETE, "without its key"])
            ],
            "scheduled_tasks": [{"client": "client-000", "description": "Odd", "type": "exec", "command": "/bin/true"}],
        }
    )
    state = simulator.state()
    for item in state["objects"]["certificates"]:
        if item["data"]["name"] in INCOMPLETE:
            shown = INCOMPLETE[item["data"]["name"]]
            item["data"]["components"] = shown and {name: pem.texts().get(text, text) for name, text in shown.items()}
    for item in state["objects"]["scheduled_tasks"]:
        if item["data"]["description"] == "Odd":
            item["data"]["command"] = None
    simulator.set_state(state)


def pair(name: str) -> dict[str, str]:
    return {part: pem.texts()[f"{name}.{part}"] for part in ("private_key", "certificate")}


def test_what_the_panel_shows_incompletely_does_not_stand_in_the_way_of_a_rebuild(mixed: Simulator) -> None:
    mixed.settings({"status_delay": 0, "shows_private_keys": True})
    spoil(mixed)
    client = panel_client(mixed)
    exported = export(client)
    before = exported["resources"]
    said = " ".join(exported["warnings"])
    assert [name for name in INCOMPLETE if name not in said] == []
    assert "client-000:Odd: left out, since the panel shows no command of it" in said
    assert apply(client, before, purge=["certificates", "domains"], max_deletes=0) == NOTHING, "on the same panel"

    mixed.reset()
    mixed.settings({"status_delay": 0})
    first = run_task(operation("resources"), client, {"resources": before})
    assert not first.get("failed"), first["msg"]
    skipped = {(entry["kind"], entry["key"]) for entry in first["results"] if entry["result"] != "changed"}
    assert skipped == {("certificates", item["name"]) for item in before["certificates"]}, "none has its key"
    assert "cannot be created without components" in first["warnings"][0]
    after = export(client)["resources"]
    assert {kind: len(items) for kind, items in after.items() if len(items) != len(before[kind])} == {"certificates": 0}
    domains = {item["domain"]: item for item in after["domains"]}
    for item in before["domains"]:
        security = {**item["security"], "certificate": ""}
        assert domains[item["domain"]] == {**item, "security": security}
    mixed.clear_log()
    again = run_task(operation("resources"), client, {"resources": before})
    assert (again["changed"], mixed.writes()) == (False, [])


# Per kind, members of objects that no item can stand for.
UNNAMED: dict[str, list[dict[str, Any]]] = {
    "scheduled_tasks": [
        {"description": ""},
        {"description": ""},
        {"description": "twice"},
        {"description": "twice"},
        {"description": "a\0b"},
        {"description": "command", "command": ""},
        {"description": "orphan", "id_user": 9999},
    ],
    "directory_protections": [{"path": " "}],
    "emails": [{"email": '"a b"@client-000.example'}, {"email": "orphan@far.example", "id_user": 9999}],
    "ftp_users": [{"username": "a\0b"}],
}


def add_unnamed(simulator: Simulator) -> int:
    """Adds such objects, each like the first of its kind, and spoils a member of the first mailbox; the number of objects."""
    state = simulator.state()
    number = max(item["id"] for items in state["objects"].values() for item in items)
    for kind, found in UNNAMED.items():
        items = state["objects"][kind]
        for members in found:
            number += 1
            items.append({**copy.deepcopy(items[0]), "id": number, "data": {**items[0]["data"], **members}})
        simulator.set_state(state)
    state["objects"]["emails"][0]["data"]["description"] = "a\0b"
    simulator.set_state(state)
    return sum(map(len, UNNAMED.values()))


def test_what_no_item_can_name_stays_when_an_export_is_applied_with_a_purge_and_nothing_fails(mixed: Simulator) -> None:
    mixed.settings({"status_delay": 0})
    count = add_unnamed(mixed)
    client = panel_client(mixed)
    exported = export(client)
    assert len([entry for entry in exported["left_out"] if "option" not in entry]) == count
    assert [entry["option"] for entry in exported["left_out"] if "option" in entry] == ["description"]
    everything = {"purge": list(TABLES), "max_deletes": 0}
    result = run_task(operation("resources"), client, {"resources": exported["resources"], **everything})
    assert not result.get("failed"), result["msg"]
    assert (result["plan"]["actions"], mixed.writes()) == ([], [])
    spared = [warning for warning in result["warnings"] if warning.startswith("purge: ")]
    assert [
        entry["id"] for entry in exported["left_out"] if not any(f"(id {entry['id']})" in one for one in spared)
    ] == [entry["id"] for entry in exported["left_out"] if "option" in entry]

    absent = {
        kind: [
            {"id": entry["id"], "state": "absent"}
            for entry in exported["left_out"]
            if entry["kind"] == kind and "option" not in entry
        ]
        for kind in UNNAMED
    }
    gone = run_task(operation("resources"), client, {"resources": absent})
    assert gone["plan"]["summary"]["delete"] == count, gone.get("msg")

    mixed.reset()
    mixed.settings({"status_delay": 0})
    rebuilt = run_task(operation("resources"), client, {"resources": with_keys(exported["resources"], pem.texts())})
    assert not rebuilt.get("failed"), rebuilt["msg"]


def test_a_mailbox_in_the_domain_that_comes_with_a_client_is_made_again(mixed: Simulator) -> None:
    mixed.settings({"status_delay": 0})
    state = mixed.state()
    system = next(
        item["data"] for item in state["objects"]["domains"] if item["data"]["domain"].endswith(".panel.example")
    )
    system["is_email_domain"] = True
    mixed.set_state(state)
    address = f"x@{system['domain']}"
    mixed.seed({"emails": [{"email": address}]})
    client = panel_client(mixed)
    before = with_keys(export(client)["resources"], pem.texts())
    mixed.reset()
    planned = run_task(operation("resources"), client, {"resources": before}, check_mode=True)
    assert [action["key"] for action in planned["plan"]["actions"] if action["key"] == address] == [address]
    rebuilt = run_task(operation("resources"), client, {"resources": before})
    left = [entry["key"] for entry in rebuilt["results"] if entry["result"] != "changed"]
    assert left == [address], "this panel lets a new system domain have no mailboxes, and everything else is made"


def test_other_settings_of_the_panel_make_the_same_export(mixed: Simulator) -> None:
    client = panel_client(mixed)
    exports = []
    for settings in PANELS.values():
        mixed.settings({"short_lists": {}, **settings})
        exports.append(export(client)["resources"])
    assert all(one == exports[0] for one in exports)


def test_an_export_takes_one_list_a_kind_and_one_request_a_custom_zone(mixed: Simulator) -> None:
    result = export(panel_client(mixed))
    calls = [(entry["method"], entry["path"]) for entry in mixed.log()]
    custom = sum(1 for zone in result["resources"]["dns"] if "records" in zone)
    assert {method for method, _path in calls} == {"GET"}
    assert len([path for _method, path in calls if path.startswith("/dns/")]) == custom > 0
    assert len(calls) == len(TABLES) + custom
    assert len({entry["connection"] for entry in mixed.log()}) == 1


def test_no_secret_is_in_an_export(mixed: Simulator) -> None:
    mixed.settings(SECRETS)
    hidden = [
        str(value)
        for kind in mixed.state()["objects"]
        for item in mixed.objects(kind)
        for value in item["hidden"].values()
        if value
    ]
    assert len(hidden) > 100
    text = json.dumps(export(panel_client(mixed)))
    assert [secret for secret in hidden if secret in text] == []
    assert "PRIVATE KEY" not in text


def test_a_client_is_exported_with_all_that_it_has_and_nothing_else(mixed: Simulator) -> None:
    everything = export(panel_client(mixed))["resources"]
    one = export(panel_client(mixed), clients=["client-003"])["resources"]
    assert {kind: len(items) for kind, items in one.items()} == {
        "plans": 0,
        "admins": 0,
        "clients": 1,
        "certificates": 1,
        "domains": 4,
        "dns": 2,
        "emails": 3,
        "databases": 2,
        "ftp_users": 1,
        "directory_protections": 2,
        "scheduled_tasks": 1,
    }
    for kind, items in one.items():
        assert all(item in everything[kind] for item in items)


WRONG = {
    "an unknown client": {"clients": ["client-003", "nobody"]},
    "an unknown kind": {"kinds": ["mailboxes"]},
}


def tasks() -> Iterator[dict[str, Any]]:
    before: list[Any] = [["POST", "/reset", None], ["POST", "/settings", {"status_delay": 0, **SECRETS}]]
    before.append(["POST", "/seed", mixed_panel(pem.texts(), clients=3)])
    yield task("everything", "panel_resources_info", before=before)
    yield task("some kinds", "panel_resources_info", {"kinds": ["dns", "plans"]})
    yield task("in check mode", "panel_resources_info", {"kinds": ["plans"]}, check_mode=True)
    for name, options in WRONG.items():
        yield task(name, "panel_resources_info", options)


@pytest.fixture(scope="module")
def runs(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> BothWays:
    return BothWays(tasks(), simulator, tmp_path_factory.mktemp("export"), work)


def test_the_module_reads_everything_in_its_order(runs: BothWays, way: str) -> None:
    everything = runs[way]["everything"]
    assert everything.outcome == "ok", everything.msg
    assert not everything.changed
    assert list(everything.result["resources"]) == list(KINDS)
    assert len(everything.result["resources"]["clients"]) == 3
    assert list(everything.result["resources"]["domains"][0])[:3] == ["domain", "parent_domain", "client"]
    assert "PRIVATE KEY" not in str(everything.result)


def test_the_module_reads_only_the_kinds_that_are_asked_for(runs: BothWays, way: str) -> None:
    assert list(runs[way]["some kinds"].result["resources"]) == ["plans", "dns"]
    assert runs[way]["in check mode"].calls == ["GET /hosting-plans"]


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_there_is_an_error(runs: BothWays, way: str, name: str) -> None:
    recording = runs[way][name]
    assert recording.outcome == "failed"
    assert ("nobody" if "client" in name else "mailboxes") in recording.msg
    assert "Traceback" not in recording.msg


def test_both_ways_of_execution_read_the_same(runs: BothWays) -> None:
    first, second = (runs[way] for way in WAYS)
    for name in ("everything", "some kinds", *WRONG):
        assert first[name].result.get("resources") == second[name].result.get("resources")
        assert first[name].msg == second[name].msg


def test_the_mixed_panel_is_as_large_as_the_tests_say(mixed: Simulator) -> None:
    resources = export(panel_client(mixed))["resources"]
    assert sum(len(items) for items in resources.values()) > 400
    assert len(resources["clients"]) == CLIENTS
    states = {name for zone in resources["dns"] for name in zone} - {"domain"}
    assert {"records", "state", "is_dns_disabled", "protect"} <= states

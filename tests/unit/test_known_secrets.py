# SPDX-License-Identifier: GPL-3.0-or-later
"""Customers' own texts in which a secret of the task stands: what results mask is never written.

Inventories and reports mask it too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_lower_ttls import panel_lower_ttls
from ansible_collections.hosting.panel.plugins.inventory.panel import InventoryModule
from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import (
    ENVIRONMENT,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._run.panel_connections import (
    make_named_panels,
)
from tests.support import in_memory, pem
from tests.support.in_memory import InMemory
from tests.support.memory import Session
from tests.support.tasks import CONNECTION

KEY = CONNECTION["api_key"]
COMMAND = f"curl -H 'X-API-Key: {KEY}' https://panel.example/api/v2/ping"
NOTES = f"key {KEY} of the panel"
SEED = {
    "clients": [{"username": "ops", "email": "a@a.example", "notes": NOTES}],
    "domains": [{"domain": "a.example", "client": "ops"}],
    "dns": [
        {
            "domain": "a.example",
            "records": [
                {"host": "t", "type": "TXT", "ttl": 3600, "value": f'"verify={KEY}"'},
                {"host": "@", "type": "A", "ttl": 3600, "value": "192.0.2.1"},
            ],
        }
    ],
    "scheduled_tasks": [
        {
            "description": "ping",
            "client": "ops",
            "type": "exec",
            "command": COMMAND,
            "schedule": {"minute": "0"},
        }
    ],
}
REASON = "it holds a secret of this task, such as the API key"
LEFT_OUT = [
    ("clients", "ops", "notes"),
    ("dns", "a.example", "records t TXT"),
    ("scheduled_tasks", "ops:ping", None),
]


@pytest.fixture
def panel() -> InMemory:
    return InMemory(SEED)


def test_what_holds_a_secret_of_the_task_is_left_out_by_name(panel: InMemory) -> None:
    result = panel.run("panel_resources_info")

    omissions = result["left_out"]
    assert [
        (omission["kind"], omission["key"], omission.get("option")) for omission in omissions
    ] == LEFT_OUT
    assert {omission["reason"] for omission in omissions} == {REASON}
    assert "****" not in str(result["resources"])
    assert [warning.partition(": ")[0] for warning in result["warnings"]] == [
        kind for kind, _key, _option in LEFT_OUT
    ]
    assert all(REASON in warning for warning in result["warnings"])


def test_an_export_that_is_applied_with_a_purge_keeps_what_holds_a_secret_of_the_task(
    panel: InMemory, tmp_path: Path
) -> None:
    exported = panel.run("panel_export", dir=str(tmp_path))
    applied = panel.run(
        "panel_resources",
        resources_dir=str(tmp_path),
        purge=["clients", "scheduled_tasks"],
        max_deletes=99,
    )

    assert (exported["changed"], applied["changed"], panel.writes) == (True, False, [])


def test_an_archive_says_what_its_file_to_rebuild_lacks_for_a_secret_of_the_task(
    panel: InMemory, tmp_path: Path
) -> None:
    result = panel.run("panel_archive", username="ops", dir=str(tmp_path / "archives"))

    lacks = result["left_out"]["rebuild.yml"]
    assert f"clients ops notes ({REASON})" in lacks
    assert f"scheduled_tasks ops:ping ({REASON})" in lacks


REFUSED = "holds ******** instead of a secret, as results show it"


def test_what_an_info_module_masks_is_not_written_back_by_a_module_of_one_object(
    panel: InMemory,
) -> None:
    client = panel.run("panel_client_info", username="ops")["clients"][0]

    result = panel.run("panel_client", username="ops", notes=client["notes"])

    assert (result.get("failed"), panel.writes) == (True, [])
    assert result["msg"].startswith(f"notes: {REFUSED}")
    assert result["msg"].endswith("Nothing was written.")


def test_what_an_info_module_masks_is_not_written_back_among_many_objects(
    panel: InMemory,
) -> None:
    task = panel.run("panel_scheduled_task_info")["scheduled_tasks"][0]
    items = [{"client": "ops", "description": "ping", "command": task["command"]}]

    result = panel.run("panel_resources", resources={"scheduled_tasks": items}, check_mode=True)

    assert (result.get("failed"), panel.writes) == (True, [])
    assert result["msg"].startswith(f"scheduled_tasks[0] (ops:ping) command: {REFUSED}")


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("module", ["panel_dns", "panel_resources"])
def test_what_the_info_module_of_zones_masks_is_not_written_back(
    panel: InMemory, module: str, check_mode: bool
) -> None:
    zones = panel_lower_ttls(panel.run("panel_dns_info", domain="a.example")["dns"], 300)
    options = zones[0] if module == "panel_dns" else {"resources": {"dns": zones}}

    result = panel.run(module, check_mode=check_mode, **options)

    assert (result.get("failed"), panel.writes) == (True, [])
    assert REFUSED in result["msg"]


def test_a_text_with_asterisks_that_the_panel_does_not_have_with_a_secret_is_written(
    panel: InMemory,
) -> None:
    result = panel.run("panel_client", username="ops", notes="the key ******** of the panel")

    assert result["changed"]
    assert panel.writes == ["PUT /clients/2"]


# By plural kind an object whose natural key has the secret, as it would be created without that.
WITH_SECRET_IN_KEY = {
    "scheduled_tasks": {
        "client": "ops",
        "description": f"ping {KEY}",
        "type": "exec",
        "command": "true",
        "schedule": {"minute": "0"},
    },
    "directory_protections": {"client": "ops", "path": f"/x/{KEY}/", "username": "u"},
    "certificates": {"client": "ops", "name": f"for {KEY}"},
    "plans": {"name": f"plan {KEY}"},
}
MODULES = {
    "scheduled_tasks": "panel_scheduled_task",
    "directory_protections": "panel_directory_protection",
    "certificates": "panel_certificate",
    "plans": "panel_plan",
    "dns": "panel_dns",
}
SEED_NAMES = {"plans": "hosting_plans"}


def make_panel(kind: str) -> InMemory:
    """Return a panel on which the natural key of an object has the secret."""
    item = WITH_SECRET_IN_KEY[kind]
    if kind == "certificates":
        texts = pem.make_texts()
        pair = {name: texts[f"one.{name}"] for name in ("private_key", "certificate")}
        item = {**item, "components": pair}
    return InMemory({**SEED, SEED_NAMES.get(kind, kind): [item]})


def get_masked_item(kind: str) -> dict[str, Any]:
    """Return such an object as results show it."""
    texts = {}
    for name, value in WITH_SECRET_IN_KEY[kind].items():
        texts[name] = value.replace(KEY, "********") if isinstance(value, str) else value
    return texts


def run_item(
    panel: InMemory, kind: str, item: dict[str, Any], is_bulk: bool, check_mode: bool = False
) -> dict[str, Any]:
    """Run the module of a kind with the options of an object, or panel_resources with the item."""
    if is_bulk:
        resources = {kind: [item]}
        return panel.run(
            "panel_resources", check_mode=check_mode, resources=resources, max_deletes=9
        )
    return panel.run(MODULES[kind], check_mode=check_mode, **item)


@pytest.mark.parametrize("state", ["present", "absent"])
@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("is_bulk", [False, True])
@pytest.mark.parametrize("kind", WITH_SECRET_IN_KEY)
def test_an_object_that_is_named_as_results_show_it_is_refused_and_made_no_second_time(
    kind: str, is_bulk: bool, check_mode: bool, state: str
) -> None:
    panel = make_panel(kind)
    item = {**get_masked_item(kind), "state": state}

    result = run_item(panel, kind, item, is_bulk, check_mode)

    assert (result.get("failed"), panel.writes) == (True, [])
    assert REFUSED in result["msg"]


@pytest.mark.parametrize("kind", WITH_SECRET_IN_KEY)
def test_a_purge_beside_an_object_that_is_named_as_results_show_it_deletes_nothing(
    kind: str,
) -> None:
    panel = make_panel(kind)

    result = panel.run(
        "panel_resources", resources={kind: [get_masked_item(kind)]}, purge=[kind], max_deletes=9
    )

    assert (result.get("failed"), panel.writes) == (True, [])


def test_a_rename_of_an_object_that_is_named_as_results_show_it_makes_no_second_one() -> None:
    panel = make_panel("plans")

    result = panel.run("panel_plan", name="plan ********", new_name="large")

    assert (result.get("failed"), panel.writes) == (True, [])


@pytest.mark.parametrize("is_bulk", [False, True])
@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"description": "ping ********!"}, id="another text"),
        pytest.param({"client": "zeta"}, id="another client"),
    ],
)
def test_a_name_with_asterisks_that_no_result_shows_is_created(
    changes: dict[str, str], is_bulk: bool
) -> None:
    zeta = {"username": "zeta", "email": "z@a.example"}
    tasks = [WITH_SECRET_IN_KEY["scheduled_tasks"]]
    clients = [*SEED["clients"], zeta]
    panel = InMemory({**SEED, "clients": clients, "scheduled_tasks": tasks})
    item = {**get_masked_item("scheduled_tasks"), **changes}

    assert run_item(panel, "scheduled_tasks", item, is_bulk).get("changed")

    assert panel.writes == ["POST /scheduled-tasks"]


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("is_bulk", [False, True])
def test_what_another_panel_shows_with_a_mask_is_written_with_a_warning(
    panel: InMemory, is_bulk: bool, check_mode: bool
) -> None:
    task = panel.run("panel_scheduled_task_info")["scheduled_tasks"][0]
    item = {name: task[name] for name in ("description", "type", "command", "schedule")}
    item = {"client": "ops", **item}
    second_panel = InMemory({"clients": SEED["clients"]})
    subject = "scheduled_tasks[0] (ops:ping): " if is_bulk else ""

    result = run_item(second_panel, "scheduled_tasks", item, is_bulk, check_mode)
    next_result = run_item(second_panel, "scheduled_tasks", item, is_bulk)

    warning = f"{subject}command is written with ******** in it, which results show in place"
    assert [text.startswith(warning) for text in result["warnings"]] == [True]
    assert bool(next_result.get("warnings")) == check_mode


@pytest.mark.parametrize("is_bulk", [False, True])
def test_a_record_that_another_panel_shows_with_a_mask_is_written_with_a_warning(
    panel: InMemory, is_bulk: bool
) -> None:
    value = '"verify=********"'
    item = {"domain": "a.example", "records": [{"host": "x", "type": "TXT", "value": value}]}
    subject = "dns[0] (a.example): " if is_bulk else ""

    result = run_item(panel, "dns", item, is_bulk)
    next_result = run_item(panel, "dns", item, is_bulk)

    warning = f"{subject}records: x TXT is written with ******** in it"
    assert [text.startswith(warning) for text in result["warnings"]] == [True]
    assert next_result.get("warnings") is None


MASKED = "shows ******** in place of a secret of this task."


@pytest.mark.parametrize(
    ("module", "subject"),
    [
        ("panel_client_info", "clients: ops (id 2): notes"),
        ("panel_scheduled_task_info", "scheduled_tasks: ping (id 1): command"),
        ("panel_dns_info", "dns: a.example (id 1): records.other[0].value"),
    ],
)
def test_an_info_module_names_the_field_in_which_it_shows_a_mask(
    panel: InMemory, module: str, subject: str
) -> None:
    assert panel.run(module)["warnings"] == [f"{subject} {MASKED}"]


def test_an_archive_names_the_fields_in_which_its_files_show_a_mask(tmp_path: Path) -> None:
    other_client = {"username": "zeta", "email": "z@a.example", "notes": NOTES}
    panel = InMemory({**SEED, "clients": [*SEED["clients"], other_client]})

    result = panel.run("panel_archive", username="ops", dir=str(tmp_path / "archives"))

    masked = "It shows ******** in place of a secret of the task"
    left_out = result["left_out"]
    assert left_out["client.json"] == f"{masked}: ops notes."
    assert left_out["scheduled_tasks.json"] == f"{masked}: ping command."
    assert "t TXT" in left_out["rebuild.yml"]
    assert left_out["dns.json"].startswith(f"{masked}: a.example records.other[")
    assert left_out["zones/a.example.zone"] == left_out["dns.json"]
    assert "zeta" not in str(result)


# What other readers than modules show of a panel.

WITH_SECRET_IN_NAMES = {
    **SEED,
    "hosting_plans": [{"name": f"plan {KEY}"}],
    "clients": [{**SEED["clients"][0], "hosting_plan": f"plan {KEY}"}],
}


def test_a_report_masks_a_secret_of_the_task_in_each_of_its_files(tmp_path: Path) -> None:
    panel = InMemory(WITH_SECRET_IN_NAMES)
    files = {
        name: str(tmp_path / name) for name in ("file", "json_file", "metrics_file", "usage_file")
    }

    result = panel.run("panel_report", **files)

    written = "".join([Path(file).read_text(encoding="utf-8") for file in files.values()])
    assert "plan ********" in written
    assert KEY not in written + json.dumps(result)


class Inventory(InventoryModule):
    """The inventory plugin without a file: its cache is a dictionary."""

    def __init__(self) -> None:
        super().__init__()
        self._cache: dict[str, Any] = {}

    def get_option(self, *_arguments: Any) -> Any:
        """Return the same for each option, such as that the cache is used."""
        return True

    def get_cache_key(self, path: str) -> str:
        """Return the path."""
        return path


def test_an_inventory_masks_the_keys_of_its_panels_in_what_it_reads_and_keeps() -> None:
    panel = InMemory(WITH_SECRET_IN_NAMES)
    panels = make_named_panels([{**CONNECTION, "name": "one"}], dict.fromkeys(ENVIRONMENT))
    inventory = Inventory()

    with in_memory._replace_session(Session(panel.panel, panel._clock, None), {}):
        readings = json.dumps(inventory._read_all(panels, "one.panel.yml", cache=True))
    kept = json.dumps(inventory._cache)
    inventory._cache["one.panel.yml"]["readings"]["one"]["clients"][0]["notes"] = NOTES
    read_again = inventory._read_all(panels, "one.panel.yml", cache=True)

    assert "key ******** of the panel" in readings
    assert KEY not in readings + kept + json.dumps(read_again)

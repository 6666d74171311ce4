# SPDX-License-Identifier: GPL-3.0-or-later
"""Customers' own texts in which a secret of the task stands: what results mask is never written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.in_memory import InMemory
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
    assert [(one["kind"], one["key"], one.get("option")) for one in omissions] == LEFT_OUT
    assert {one["reason"] for one in omissions} == {REASON}
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

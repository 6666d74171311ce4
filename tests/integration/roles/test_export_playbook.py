# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook hosting.panel.export, as an operator runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.integration.roles.operators import Operator, RoleRun, assert_refused
from tests.support import pem
from tests.support.mixed_panel import mixed_panel

SECRETS = {"password_hashes": "written_and_shown", "private_keys": "shown"}
EXPORT = "hosting.panel.export"
MakeOperator = Callable[[str], Operator]


@pytest.fixture
def operator(make_operator: MakeOperator) -> Operator:
    """An operator of a panel of a hundred objects, who has no folder yet."""
    made = make_operator("exports")
    made.simulator.settings({"status_delay": 0, **SECRETS})
    made.simulator.seed(mixed_panel(pem.texts(), clients=5))
    return made


def export(operator: Operator, *words: str) -> RoleRun:
    run = operator.run(EXPORT, {"panel_dir": "of the panel"}, *words, vault=False)
    assert run.code == 0, run.text
    assert run.writes == []
    return run


def files(operator: Operator) -> dict[str, str]:
    folder = operator.folder / "of the panel"
    found = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in sorted(found)}


def test_a_running_panel_becomes_a_folder_of_files_in_one_step(operator: Operator) -> None:
    predicted = export(operator, "--check")
    assert files(operator) == {}
    assert "files in of the panel: that would be written 6, removed 0, unchanged 0" in predicted.text
    run = export(operator)
    assert predicted.recap["changed"] == run.recap["changed"] == 1
    written = files(operator)
    assert list(written) == [*(f"clients/client-{number:03}.yml" for number in range(5)), "panel.yml"]
    assert "clients 5, " in run.text
    assert "files in of the panel: written 6, removed 0, unchanged 0" in run.text
    # In UTF-8, whatever else is set.
    assert "domain: client-001.müller.example" in written["clients/client-001.yml"]
    assert "PRIVATE KEY" not in "".join(written.values())
    hidden = [item["hidden"].get("password") for item in operator.simulator.objects("emails")]
    assert [secret for secret in hidden if secret and secret in "".join(written.values())] == []

    again = export(operator)
    assert again.recap["changed"] == 0
    assert files(operator) == written
    assert ": written 0, removed 0, unchanged 6" in again.text


def test_only_the_files_of_clients_that_changed_are_written_and_those_of_gone_ones_removed(operator: Operator) -> None:
    export(operator)
    before = files(operator)
    clients = {item["username"]: item["id"] for item in operator.simulator.objects("clients")}
    operator.simulator.request("PUT", f"/clients/{clients['client-002']}", {"notes": "New\nnotes"})
    operator.simulator.request("DELETE", f"/clients/{clients['client-003']}")
    run = export(operator, "--diff")
    after = files(operator)
    assert set(before) - set(after) == {"clients/client-003.yml"}
    assert [name for name in after if after[name] != before[name]] == ["clients/client-002.yml"]
    assert ": written 1, removed 1, unchanged 4" in run.text
    assert "removed: of the panel/clients/client-003.yml" in run.text
    assert "+    notes: |-" in run.text


def test_the_files_can_be_read_as_variables_without_evaluating_what_a_customer_wrote(operator: Operator) -> None:
    marker = operator.folder / "evaluated"
    clients = {item["username"]: item["id"] for item in operator.simulator.objects("clients")}
    template = "{{ lookup('ansible.builtin.pipe', 'touch " + str(marker) + "') }}"
    operator.simulator.request("PUT", f"/clients/{clients['client-001']}", {"notes": template})
    export(operator)
    shown = {
        "name": "Use the files as variables",
        "hosts": "localhost",
        "gather_facts": False,
        "vars_files": [str(operator.folder / "of the panel" / "clients" / "client-001.yml")],
        "tasks": [
            {"ansible.builtin.copy": {"content": "{{ clients | to_json }}", "dest": str(operator.folder / "seen")}}
        ],
    }
    run = operator.run([shown], {})
    assert run.code == 0, run.text
    assert json.loads((operator.folder / "seen").read_text(encoding="utf-8"))[0]["notes"] == template
    assert not marker.exists()


def test_a_file_that_somebody_else_wrote_is_not_overwritten(operator: Operator) -> None:
    folder = operator.folder / "of the panel" / "clients"
    folder.mkdir(parents=True)
    (folder / "client-001.yml").write_text("---\nclients: []\n", encoding="utf-8")
    run = operator.run(EXPORT, {"panel_dir": "of the panel"}, vault=False)
    assert run.code != 0
    assert "was not written by an export" in run.said
    assert list(files(operator)) == ["clients/client-001.yml"]


def test_without_a_folder_nothing_is_read(operator: Operator) -> None:
    run = operator.run(EXPORT, {}, vault=False)
    assert_refused(run, "panel_dir has to name a folder")


def inventory_of_two(operator: Operator, folder: str) -> Path:
    panel = {"panel_api_url": operator.simulator.url, "panel_api_key": operator.simulator.api_key, "panel_dir": folder}
    path = operator.folder / "panels.yml"
    path.write_text(yaml.safe_dump({"panels": {"hosts": {"one": dict(panel), "two": dict(panel)}}}), encoding="utf-8")
    return path


def test_several_panels_are_exported_into_a_folder_each(operator: Operator) -> None:
    inventory = inventory_of_two(operator, "of {{ inventory_hostname }}")
    run = operator.run(EXPORT, {"panel_hosts": "panels"}, "-i", str(inventory), vault=False)
    assert run.code == 0, run.text
    assert (operator.folder / "of one" / "panel.yml").read_bytes() == (
        operator.folder / "of two" / "panel.yml"
    ).read_bytes()


def test_several_panels_in_one_folder_are_an_error_before_anything_is_read(operator: Operator) -> None:
    inventory = inventory_of_two(operator, "of all")
    run = operator.run(EXPORT, {"panel_hosts": "panels"}, "-i", str(inventory), vault=False)
    assert_refused(run, "another one for each")

"""A task warns once of passwords that the panel generated and that nothing keeps."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.playbook import (
    GROUP,
    IN_PROCESS,
    WAYS,
    make_connection_options,
    make_task,
    run_ansible,
    run_playbook,
    write_inventory,
)
from tests.support.simulator import Simulator

WARNING = "the panel generated a password that this task does not keep."
FORESEEN = "the panel would generate a password that this task does not keep."
LOOP: dict[str, Any] = {"loop": ["info@acme.example", "office@acme.example"]}
MAILBOX = {"email": "{{ item }}"}
MANY = {"resources": {"emails": [{"email": address} for address in LOOP["loop"]]}}
PASSWORD = {"password": "Correct-horse-7"}


def run_tasks(
    simulator: Simulator,
    folder: Path,
    *tasks: dict[str, Any],
    way: str = IN_PROCESS,
    arguments: tuple[str, ...] = (),
) -> str:
    """Return what Ansible prints of tasks on a fresh panel, in one line."""
    simulator.reset()
    simulator.seed({"clients": [{"username": "acme"}]})
    domain = make_task("domain", "panel_domain", {"domain": "acme.example", "client": "acme"})
    playbook = folder / "playbook.yml"
    defaults_of_play = {GROUP: make_connection_options(simulator)}
    play = {"hosts": "localhost", "gather_facts": False, "module_defaults": defaults_of_play}
    # Not JSON, in which Ansible counts no lines.
    playbook.write_text(yaml.safe_dump([{**play, "tasks": [domain, *tasks]}]), encoding="utf-8")
    variables = {"ANSIBLE_STDOUT_CALLBACK": "default"}

    run = run_playbook(playbook, simulator, folder, way, arguments, variables)

    assert run.code == 0, run.text
    return " ".join(run.text.split())


@pytest.mark.parametrize("way", WAYS)
def test_each_task_warns_once_with_its_place(
    simulator: Simulator, tmp_path: Path, way: str
) -> None:
    loop = make_task("loop", "panel_email", MAILBOX, **LOOP)
    single = make_task("single", "panel_email", {"email": "last@acme.example"})
    clients = [{"username": "maple", "email": "it@maple.example"}]
    many = make_task("many", "panel_resources", {"resources": {"clients": clients}})

    text = run_tasks(simulator, tmp_path, loop, single, many, way=way)

    assert text.count("changed: [localhost]") == 5
    assert len(set(re.findall(rf"playbook.yml:(\d+): {WARNING}", text))) == 3
    assert text.count(WARNING) == 3


@pytest.mark.parametrize("way", WAYS)
def test_check_mode_warns_of_what_the_real_run_would_lose(
    simulator: Simulator, tmp_path: Path, way: str
) -> None:
    foreseen = {"check_mode": True}
    single = make_task("single", "panel_email", {"email": "last@acme.example"}, **foreseen)
    many = make_task("many", "panel_resources", MANY, **foreseen)
    databases = tmp_path / "files"
    databases.mkdir()
    (databases / "databases.yml").write_text(
        "databases: [{database_name: acme_shop, client: acme}]\n", encoding="utf-8"
    )
    of_files = make_task("files", "panel_resources", {"resources_dir": str(databases)}, **foreseen)

    text = run_tasks(simulator, tmp_path, single, many, of_files, way=way)

    assert len(set(re.findall(rf"playbook.yml:(\d+): {FORESEEN}", text))) == 3
    assert WARNING not in text


@pytest.mark.parametrize(
    "quiet",
    [
        pytest.param(
            make_task("a", "panel_email", MAILBOX, register="made", **LOOP), id="registered"
        ),
        pytest.param(make_task("a", "panel_email", {**MAILBOX, **PASSWORD}, **LOOP), id="its own"),
        pytest.param(
            make_task("a", "panel_resources", MANY, register="made"), id="many registered"
        ),
        pytest.param(
            make_task("a", "panel_email", MAILBOX, check_mode=True, register="made", **LOOP),
            id="check mode of a registered one",
        ),
        pytest.param(make_task("a", "panel_domain", {"domain": "acme.example"}), id="no password"),
    ],
)
def test_a_task_that_loses_no_password_does_not_warn(
    simulator: Simulator, tmp_path: Path, quiet: dict[str, Any]
) -> None:
    text = run_tasks(simulator, tmp_path, quiet)

    assert WARNING not in text
    assert FORESEEN not in text


def test_a_password_in_a_credentials_file_is_not_lost(simulator: Simulator, tmp_path: Path) -> None:
    (tmp_path / "vault").write_text("correct horse", encoding="utf-8")
    options = {**MAILBOX, "credentials_file": str(tmp_path / "{client}.yml")}
    kept = make_task("kept", "panel_email", options, **LOOP)
    secret = ("--vault-password-file", str(tmp_path / "vault"))

    assert WARNING not in run_tasks(simulator, tmp_path, kept, arguments=secret)
    assert (tmp_path / "acme.yml").exists()


def test_an_ad_hoc_command_prints_the_password_and_does_not_warn(
    simulator: Simulator, tmp_path: Path
) -> None:
    run_tasks(simulator, tmp_path)
    connection = {"PANEL_API_URL": simulator.url, "PANEL_API_KEY": simulator.api_key}
    module = ["-m", "hosting.panel.panel_email", "-a", "email=info@acme.example"]
    inventory = str(write_inventory(tmp_path))

    process = run_ansible(
        "adhoc", ["localhost", "-i", inventory, *module], tmp_path, IN_PROCESS, connection
    )

    assert '"generated_password": "' in process.stdout
    assert "WARNING" not in process.stdout

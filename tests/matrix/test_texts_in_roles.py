"""Texts of others stay texts in the roles and playbooks, which keep them in facts, files and
results, on the oldest and the newest ansible-core."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.matrix.test_texts_of_others import NAMES, Trap, list_failures, make_seed, make_uses
from tests.support.playbook import IN_PROCESS, play, run_ansible
from tests.support.simulator import Simulator

KINDS = ["clients", "emails", "databases", "ftp_users"]


@pytest.fixture(scope="module")
def simulators() -> Iterator[tuple[Simulator, Simulator]]:
    """Yield two panels, of which one is moved to the other."""
    with (
        Simulator.start(settings={"status_delay": 0}) as source,
        Simulator.start(settings={"status_delay": 0}) as target,
    ):
        yield source, target


@pytest.fixture
def trap(tmp_path: Path, simulators: tuple[Simulator, Simulator]) -> Trap:
    """Return a trap whose texts the first panel has."""
    created_trap = Trap(tmp_path / "sprung")
    for simulator in simulators:
        simulator.reset()
    simulators[0].seed(make_seed(created_trap))
    simulators[1].seed({"plans": [{"name": "Target"}]})

    return created_trap


def make_role_tasks(name: str, **variables: Any) -> Iterator[dict[str, Any]]:
    """Run a role, and uses its result again."""
    step = variables.get(f"{name}_step", "")

    yield {
        "name": f"{name} {step}",
        "ansible.builtin.include_role": {"name": f"hosting.panel.{name}"},
        "vars": variables,
    }

    # The first step of a move tells nothing but what it keeps in a file.
    if step != "prepare":
        yield from make_uses(f"{name}{step}", f"{name}_result")


def make_tasks_of_roles(
    folder: Path, simulators: tuple[Simulator, Simulator]
) -> Iterator[dict[str, Any]]:
    """Return the variables and the names of the roles that read the trap."""
    ends = {
        f"move_{end}": {"api_url": simulator.url, "api_key": simulator.api_key}
        for end, simulator in zip(("source", "target"), simulators, strict=True)
    }
    moved = {"move_client": "c3", "move_dir": str(folder / "moves"), "move_hosting_plan": "Target"}
    files = {
        "move_credentials_file": str(folder / "moved.yml"),
        "move_addresses": {"192.0.2.10": "198.51.100.20"},
    }
    for name in ("archives", "moves"):
        (folder / name).mkdir()
    yield from make_role_tasks("suspend", suspend_clients=[*NAMES], suspend_max=99)
    for name in ("c0", "c3"):
        yield from make_role_tasks(
            "offboard", offboard_client=name, offboard_archive_dir=str(folder / "archives")
        )
    rotated = {"rotate_kinds": KINDS, "rotate_clients": [*NAMES], "rotate_id": "one"}
    yield from make_role_tasks(
        "rotate", **rotated, rotate_credentials_file=str(folder / "rotated.yml")
    )
    for step in ("prepare", "copy", "verify"):
        yield from make_role_tasks("move", **moved, **files, **ends, move_step=step)
    report = {"report_file": "report.html", "report_json_file": "report.json"}
    yield from make_role_tasks(
        "report", **{name: str(folder / file) for name, file in report.items()}
    )
    # As the pages show how a credentials file and the JSON of a report are read again.
    kept = f"(lookup('ansible.builtin.unvault', '{folder}/rotated.yml') | from_yaml).generated_passwords | map(attribute='key')"
    yield from make_uses("credentials", kept)
    written = f"lookup('ansible.builtin.file', '{folder}/report.json')"
    yield from make_uses("json", f"{written} | hosting.panel.panel_from_json")


def test_facts_and_files_of_roles_stay_texts(
    simulators: tuple[Simulator, Simulator], trap: Trap, tmp_path: Path
) -> None:
    secret = tmp_path / "vault-password"
    secret.write_text("a secret of a test\n", encoding="utf-8")
    tasks = list(make_tasks_of_roles(tmp_path, simulators))
    arguments = ["--vault-password-file", str(secret)]

    run = play(
        tasks, simulators[0], tmp_path / "play", IN_PROCESS, arguments, simulators[0].environment
    )

    assert trap.sprung == []
    assert list_failures(run) == {}, run.text[-3000:]


def test_playbooks_keep_the_texts_of_a_panel(
    simulators: tuple[Simulator, Simulator], trap: Trap, tmp_path: Path
) -> None:
    variables = {"panel_dir": str(tmp_path / "panel"), "panel_plan_file": str(tmp_path / "plan.md")}
    arguments = ["--extra-vars", json.dumps(variables)]
    environment = simulators[0].environment

    for name in ("export", "plan", "drift", "export"):
        done = run_ansible(
            "playbook",
            ["-i", "localhost,", f"hosting.panel.{name}", *arguments],
            tmp_path,
            IN_PROCESS,
            environment,
        )
        assert done.returncode == 0, done.stdout[-3000:]

    simulators[0].request(
        "PUT", "/clients/name/c3", {"notes": trap.make_text(NAMES["c4"], "other")}
    )
    for name in ("drift", "plan", "apply"):
        arguments = ["--extra-vars", json.dumps({**variables, "panel_confirm": False})]
        done = run_ansible(
            "playbook",
            ["-i", "localhost,", f"hosting.panel.{name}", *arguments],
            tmp_path,
            IN_PROCESS,
            environment,
        )
        assert (done.returncode == 0) == (name != "drift"), done.stdout[-3000:]

    assert trap.sprung == []

    notes = simulators[0].request("GET", "/clients/name/c3").json()["notes"]
    assert notes == trap.make_text(NAMES["c3"], "c3.notes")

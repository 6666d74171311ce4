# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A command in a process that has loaded Ansible before does what it does in a new one, which most tests rely on."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.ansible_command import is_usual
from tests.support.loaded_ansible import HOOK, loaded_for
from tests.support.playbook import IN_PROCESS, ansible, surroundings, write_inventory

SHOWN = [
    "{{ lookup('ansible.builtin.env', 'HOME') }}",
    "{{ lookup('ansible.builtin.config', 'DEFAULT_LOCAL_TMP') | dirname }}",
    "{{ ansible_forks }}",
    "{{ lookup('ansible.builtin.config', 'DEFAULT_FORKS', 'DEFAULT_STDOUT_CALLBACK', 'COLLECTIONS_PATHS') }}",
    "{{ lookup('ansible.builtin.pipe', 'pwd && umask && ulimit -n') }}",
    "{{ {'a.example': 1} | dict2items }}",
    "{{ of_the_group }}",
]
IN_A_NEW_PROCESS = {"PYTHONUTF8": "1"}


def plays(folder: Path) -> list[str]:
    """The words that run a play which shows its surroundings and fails."""
    file = folder / "playbook.yml"
    (folder / "group_vars").mkdir(exist_ok=True)
    (folder / "group_vars" / "all.yml").write_text("of_the_group: a variable of the group\n", encoding="utf-8")
    tasks = [{"ansible.builtin.debug": {"msg": SHOWN}}, {"ansible.builtin.fail": {"msg": "at its end"}}]
    file.write_text(json.dumps([{"hosts": "localhost", "gather_facts": False, "tasks": tasks}]), encoding="utf-8")
    return ["-i", str(write_inventory(folder)), "-vv", str(file)]


def test_a_command_prints_the_same_and_ends_with_the_same_code(tmp_path: Path) -> None:
    # Loaded with other settings than those of the command.
    assert loaded_for(surroundings(tmp_path, IN_PROCESS))
    first, second = (
        ansible("playbook", plays(tmp_path), tmp_path, IN_PROCESS, {"ANSIBLE_FORKS": "7", **variables})
        for variables in ({}, IN_A_NEW_PROCESS)
    )
    assert (first.returncode, second.returncode) == (2, 2), first.stdout
    # The first lines say which program it is.
    played, expected = (run.stdout.partition("PLAYBOOK:")[2] for run in (first, second))
    assert played == expected
    assert [
        word for word in (str(tmp_path), "7", "a variable of the group", "at its end") if word not in played
    ] == [], played
    assert not list((tmp_path / "home" / "local").iterdir())


def test_a_program_stands_for_each_command(tmp_path: Path) -> None:
    variables = surroundings(tmp_path, IN_PROCESS)
    loaded = loaded_for(variables)
    assert loaded
    program = str(loaded.commands / "ansible-playbook")
    # As on the fleet of `make play`, where nobody has installed another collection yet.
    more_places = {"ANSIBLE_COLLECTIONS_PATH": f"{tmp_path}/none:{variables['ANSIBLE_COLLECTIONS_PATH']}:{tmp_path}"}
    assert is_usual({**variables, **more_places}, loaded.environment)
    for more in ({}, more_places, IN_A_NEW_PROCESS):
        environment = {**variables, **more}
        run = subprocess.run(
            [program, *plays(tmp_path)], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert (run.returncode, "at its end" in run.stdout) == (2, True), run.stderr


@pytest.mark.parametrize("name", ["PYTHONPATH", "ANSIBLE_COLLECTIONS_PATH", "ANSIBLE_CALLBACK_PLUGINS"])
def test_what_is_read_before_needs_a_process_of_its_own(tmp_path: Path, name: str) -> None:
    assert loaded_for({**surroundings(tmp_path, IN_PROCESS), name: "elsewhere"}) is None


def test_collections_beside_ours_have_a_process_that_finds_them(tmp_path: Path) -> None:
    plugin = tmp_path / "collections" / "ansible_collections" / "other" / "one" / "plugins" / "filter" / "doubled.py"
    plugin.parent.mkdir(parents=True)
    plugin.write_text(
        "class FilterModule:\n    def filters(self):\n        return {'doubled': lambda text: text * 2}\n",
        encoding="utf-8",
    )
    variables = surroundings(tmp_path, IN_PROCESS)
    usual = variables["ANSIBLE_COLLECTIONS_PATH"]
    variables["ANSIBLE_COLLECTIONS_PATH"] = f"{usual}:{tmp_path / 'collections'}"
    loaded = loaded_for(variables)
    assert not is_usual(
        {**variables, "ANSIBLE_COLLECTIONS_PATH": f"{tmp_path / 'collections'}:{usual}"},
        {**variables, "ANSIBLE_COLLECTIONS_PATH": usual},
    )
    assert loaded is loaded_for(variables) is not loaded_for(surroundings(tmp_path, IN_PROCESS))
    words = ["localhost", "-m", "ansible.builtin.debug", "-a", "msg={{ 'twice' | other.one.doubled }}"]
    assert '"msg": "twicetwice"' in ansible("adhoc", words, tmp_path, IN_PROCESS, variables).stdout


def test_the_hook_of_experiments_watches_as_in_a_new_process(tmp_path: Path) -> None:
    touched = []
    for more in ({}, IN_A_NEW_PROCESS):
        aside = tmp_path / f"aside {len(more)}"
        aside.mkdir()
        hook = {"PYTHONPATH": str(HOOK), "PROOF_FOLDER": str(tmp_path), "PROOF_ASIDE": str(aside), **more}
        assert bool(loaded_for({**surroundings(tmp_path, IN_PROCESS), **hook})) is not bool(more)
        copy = {"ansible.builtin.copy": {"content": "x", "dest": str(tmp_path / "written")}}
        file = tmp_path / "playbook.yml"
        file.write_text(json.dumps([{"hosts": "localhost", "gather_facts": False, "tasks": [copy]}]), encoding="utf-8")
        run = ansible("playbook", ["-i", str(write_inventory(tmp_path)), str(file)], tmp_path, IN_PROCESS, hook)
        assert run.returncode == 0, run.stdout
        lines = (aside / "touched").read_text(encoding="utf-8").splitlines()
        touched.append([line.strip() for line in lines if line.strip().endswith("/written")])
        (tmp_path / "written").unlink()
    assert touched[0] == touched[1] != []


def test_settings_in_a_file_need_a_process_of_their_own(tmp_path: Path) -> None:
    variables = surroundings(tmp_path, IN_PROCESS)
    Path(variables["ANSIBLE_CONFIG"]).write_text("[defaults]\nforks = 3\n", encoding="utf-8")
    assert loaded_for(variables) is None

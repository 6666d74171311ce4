# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A terminal that shows what Ansible prints of an object with a nasty name obeys nothing of that name, in process and as a module."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

from tests.support.playbook import play
from tests.support.simulator import Simulator

# Clears the screen and forges a line; C1 control characters and turned texts, which JSON shows as they are, are in the unit test.
NASTY = "x\n\x1b[2J\x1b[1;1HPLAY RECAP ***\nlocalhost : ok=9 changed=0"
FORGED = "localhost : ok=9"
SEED = {
    "clients": [{"username": "acme"}],
    "scheduled_tasks": [{"client": "acme", "description": NASTY, "type": "exec", "command": "/bin/backup"}],
}
NOTHING: dict[str, Any] = {"resources": {"scheduled_tasks": []}, "purge": ["scheduled_tasks"]}


def test_no_line_of_a_run_is_a_name_of_the_panel(way: str, simulator: Simulator, tmp_path: Path) -> None:
    simulator.reset()
    simulator.seed(SEED)
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "all.yml").write_text("scheduled_tasks: []\n", encoding="utf-8")
    planned = {"resources_dir": str(folder), "purge": ["scheduled_tasks"], "max_deletes": 9}
    tasks: list[dict[str, Any]] = [
        {"name": "Refused", "hosting.panel.panel_resources": NOTHING},
        {
            "name": "Planned",
            "hosting.panel.panel_resources": {**NOTHING, "max_deletes": 9},
            "check_mode": True,
            "diff": True,
        },
        {"name": "Exported", "hosting.panel.panel_resources_info": {}},
        {
            "name": "Folder",
            "hosting.panel.panel_resources": planned,
            "check_mode": True,
            "diff": True,
            "register": "folder",
        },
        {"name": "Lines", "ansible.builtin.debug": {"msg": "{{ folder | hosting.panel.panel_plan_lines }}"}},
        {
            "name": "Message",
            "ansible.builtin.fail": {"msg": "{{ folder | hosting.panel.panel_plan_lines | join(', ') }}"},
        },
    ]
    run = play(tasks, simulator, tmp_path, way, variables={"ANSIBLE_STDOUT_CALLBACK": "default"})
    assert run.text.count("delete  scheduled task acme:x") >= 2
    assert run.text.count(r"\x1b[2J") >= 3
    assert {one for one in run.text if unicodedata.category(one) == "Cc"} == {"\n"}
    assert [line for line in run.text.splitlines() if line.startswith(FORGED)] == []

"""What the controller has loaded, its workers need not load again for every task."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.support.playbook import IN_PROCESS, MODULE, surroundings
from tools.layout import link_collection

PLUGINS = "ansible_collections.hosting.panel.plugins"
# What Ansible does with every task when it reads a playbook, in the process that the workers are copies of.
READING = f"""
import json, sys
from ansible.plugins.loader import action_loader, init_plugin_loader
init_plugin_loader([{str(link_collection())!r}])
assert action_loader.find_plugin_with_context("hosting.panel.panel").resolved
print(json.dumps(sorted(name for name in sys.modules if name == "requests" or name.startswith("{PLUGINS}."))))
"""


def loaded(folder: Path, way: str) -> set[str]:
    """What of the collection and of requests the controller has loaded before the first task."""
    process = subprocess.run(
        [sys.executable, "-c", READING],
        env=surroundings(folder, way),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(json.loads(process.stdout))


def test_reading_a_playbook_loads_the_action_plugin_and_what_it_needs(tmp_path: Path) -> None:
    needed = {
        "requests",
        f"{PLUGINS}.plugin_utils._run.panel_action",
        f"{PLUGINS}.plugin_utils._run.in_process",
        *(f"{PLUGINS}.module_utils.{name}" for name in ("_object.managing", "_object.info")),
    }
    assert needed <= loaded(tmp_path, IN_PROCESS)


def test_a_controller_whose_modules_are_processes_of_their_own_loads_nothing_that_they_run(tmp_path: Path) -> None:
    found = loaded(tmp_path, MODULE)
    assert f"{PLUGINS}.plugin_utils._run.panel_action" in found
    assert found.isdisjoint(
        {"requests", f"{PLUGINS}.plugin_utils._run.in_process", f"{PLUGINS}.module_utils._http.panel_client"}
    )

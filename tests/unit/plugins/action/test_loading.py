"""What a task loads before its module runs: each start of a playbook compiles it again."""

from __future__ import annotations

import os
import subprocess
import sys

PLUGINS = "ansible_collections.hosting.panel.plugins"
# The work itself, which the process of the module does.
WORK = (
    "module_utils._http.panel_session",
    "module_utils._operation.validation",
    "module_utils._task.perform",
    "module_utils._values.names",
    "module_utils._values.value_types",
)


def list_loaded_modules(in_process: str) -> set[str]:
    """Return which modules are loaded once the action plugin is, in a process of its own."""
    code = f"import sys\nimport {PLUGINS}.action.panel\nprint(*sys.modules)"
    environment = {
        **os.environ,
        "PANEL_IN_PROCESS": in_process,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return {name.removeprefix(f"{PLUGINS}.") for name in result.stdout.split()}


def test_an_action_that_starts_a_process_loads_nothing_of_the_work_itself() -> None:
    assert list_loaded_modules("0").isdisjoint(WORK)


def test_an_action_that_works_in_process_has_loaded_the_work_before_the_task() -> None:
    assert list_loaded_modules("1").issuperset(WORK)

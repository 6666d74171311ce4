"""Ansible loads all filters of a collection to find one, in the process of each task that uses one: so loading them loads nothing else."""

from __future__ import annotations

import subprocess
import sys

from tools.layout import LINK, ROOT

PROGRAM = """
import importlib, pathlib, sys
import ansible.errors, ansible.utils.display
for path in pathlib.Path(sys.argv[1]).glob("panel_*.py"):
    importlib.import_module(f"ansible_collections.hosting.panel.plugins.filter.{path.stem}").FilterModule().filters()
print([name for name in sys.modules if "_utils._" in name and "hosting.panel" in name or name.startswith(("cryptography.", "dns."))])
"""


def test_filters_load_what_they_work_with_when_they_are_used() -> None:
    words = [sys.executable, "-c", PROGRAM, str(ROOT / "plugins" / "filter")]
    done = subprocess.run(words, env={"PYTHONPATH": str(LINK)}, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")

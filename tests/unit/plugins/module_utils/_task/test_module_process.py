"""A module leaves the process in which it runs as it was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import ansible
import pytest

from tools.layout import LINK

pytestmark = pytest.mark.long

# What runs the modules of several tasks in one process, and what they want done at their end right
# after each.
LIVING = """
import atexit, gc, json, runpy, sys
from ansible.module_utils import basic
for number in range(2):
    basic._ANSIBLE_ARGS = json.dumps({"ANSIBLE_MODULE_ARGS": {"api_url": "", "api_key": ""}}).encode()
    basic._ANSIBLE_PROFILE = "legacy"
    try:
        runpy.run_module(
            "ansible_collections.hosting.panel.plugins.modules.panel_ping",
            init_globals={"_module_fqn": "ansible_collections.hosting.panel.plugins.modules.panel_ping", "_modlib_path": "x"},
            run_name="__main__",
            alter_sys=True,
        )
    except SystemExit as ended:
        atexit._run_exitfuncs()
        print("ended with", ended.code, gc.isenabled())
"""


def test_the_process_goes_on_after_a_module() -> None:
    process = subprocess.run(
        [sys.executable, "-c", LIVING],
        # `ansible-test` has Ansible in a folder of its own, which a new process does not know.
        env={"PYTHONPATH": os.pathsep.join([str(LINK), str(Path(ansible.__file__).parents[1])])},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert process.returncode == 0, process.stderr

    first, after_first, second, after_second = filter(None, process.stdout.splitlines())
    assert (
        json.loads(first)["error"]
        == json.loads(second)["error"]
        == {"type": "OptionError", "option": "api_url"}
    )
    assert after_first == after_second == "ended with 1 True"

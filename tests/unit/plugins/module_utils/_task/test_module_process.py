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
# A module whose options cannot be displayed, by a mistake of the collection.
WITH_DEFECT = """
import json, sys
from ansible.module_utils import basic
from ansible_collections.hosting.panel.plugins.module_utils._task import perform
from ansible_collections.hosting.panel.plugins.modules import panel_client

def fail(arguments, specification):
    raise ValueError(f"cannot display {arguments}")

perform.display_arguments = fail
options = {"api_url": "https://panel.example", "username": "acme", "password": sys.argv[1]}
basic._ANSIBLE_ARGS = json.dumps({"ANSIBLE_MODULE_ARGS": options}).encode()
basic._ANSIBLE_PROFILE = "legacy"
panel_client.main()
"""


def run_script(script: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own."""
    # `ansible-test` has Ansible in a folder of its own, which a new process does not know.
    path = os.pathsep.join([str(LINK), str(Path(ansible.__file__).parents[1])])
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={"PYTHONPATH": path, **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_process_goes_on_after_a_module() -> None:
    process = run_script(LIVING)

    assert process.returncode == 0, process.stderr

    first, after_first, second, after_second = filter(None, process.stdout.splitlines())
    assert (
        json.loads(first)["error"]
        == json.loads(second)["error"]
        == {"type": "OptionError", "option": "api_url"}
    )
    assert after_first == after_second == "ended with 1 True"


def test_a_defect_before_the_operation_is_a_result_and_no_traceback(tmp_path: Path) -> None:
    file = tmp_path / "panel.log"
    secret = "hunter2-of-the-task"

    process = run_script(WITH_DEFECT, secret, PANEL_LOG=str(file))

    result = json.loads(process.stdout)
    assert (result["failed"], result["error"]) == (True, {"type": "Defect"})
    assert "ValueError in _validate (perform.py:" in result["msg"]
    assert process.stderr == ""
    text = file.read_text(encoding="utf-8")
    assert "defect ValueError at plugins/module_utils/_task/perform.py line " in text
    assert secret not in process.stdout + text

"""A process that runs one module compiles each file once and collects no garbage; a module leaves the process in which it runs as it was."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import zipfile
import zipimport
from pathlib import Path
from typing import Any

import ansible
import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import Archive
from tools.layout import LINK, ROOT

pytestmark = pytest.mark.long

UTILS = "ansible_collections/hosting/panel/plugins/module_utils"
IMPORTED = f"""
import collections, gc, json, sys
compiled = collections.Counter()
def note(event, arguments):
    if event == "compile" and arguments[1] is not None:
        compiled[str(arguments[1])] += 1
sys.addaudithook(note)
sys.path.insert(0, sys.argv[1])
from {UTILS.replace("/", ".")}._kinds import tables
files = {{name: module.__file__ for name, module in sys.modules.items() if name.startswith("ansible_collections")}}
print(json.dumps([compiled, files, gc.isenabled()]))
"""


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """The files that modules share, as Ansible sends them."""
    path = tmp_path / "payload.zip"
    with zipfile.ZipFile(path, "w") as payload:
        for folder in [*Path(UTILS).parents][-2::-1]:
            payload.writestr(f"{folder}/__init__.py", "")
        for folder in sorted(
            {"", *(file.parent.name + "/" for file in (ROOT / "plugins/module_utils").glob("_*/*.py"))}
        ):
            payload.writestr(f"{UTILS}/{folder}__init__.py", "")
        for file in sorted((ROOT / "plugins/module_utils").rglob("*.py")):
            payload.write(file, f"{UTILS}/{file.relative_to(ROOT / 'plugins/module_utils')}")
    return path


def test_what_a_module_imports_is_compiled_once_and_without_a_collector(archive: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, str(archive)], capture_output=True, text=True, check=True, cwd=archive.parent
    )
    compiled: dict[str, int]
    files: dict[str, Any]
    collects: bool
    compiled, files, collects = json.loads(done.stdout)
    often = {Path(name).name for name, times in compiled.items() if name.startswith(str(archive)) and times > 1}
    # Those on the way to the file that says so.
    assert often <= {"__init__.py", "tables.py", "kind.py", "_errors.py"}
    assert files[f"{UTILS.replace('/', '.')}._schema.fields"] == f"{archive}/{UTILS}/_schema/fields.py"
    assert len(files) > 10
    assert not collects


@pytest.mark.parametrize(("folder", "name"), [("", "ansible_collections"), (UTILS, "_errors"), (UTILS, "_schema")])
def test_a_file_has_the_name_that_python_gives_it(archive: Path, folder: str, name: str) -> None:
    place = str(archive / folder)
    assert Archive(place).get_filename(name) == zipimport.zipimporter(place).get_filename(name)


def test_where_a_module_is_no_archive_python_stays_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(ImportError):
        Archive(str(tmp_path))
    assert Archive not in sys.path_hooks
    assert gc.isenabled()


# What runs the modules of several tasks in one process, and what they want done at their end right after each.
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
    assert json.loads(first)["error"] == json.loads(second)["error"] == {"type": "OptionError", "option": "api_url"}
    assert after_first == after_second == "ended with 1 True"

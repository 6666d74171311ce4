"""A process that runs one module compiles each file once, by the name that it has in any archive, and collects no garbage."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import zipfile
import zipimport
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._module_process import Archive
from tools.layout import ROOT

UTILS = "ansible_collections/hosting/panel/plugins/module_utils"
IMPORTED = f"""
import collections, gc, json, sys
compiled = collections.Counter()
def note(event, arguments):
    if event == "compile" and arguments[1] is not None:
        compiled[str(arguments[1])] += 1
sys.addaudithook(note)
sys.path.insert(0, sys.argv[1])
from {UTILS.replace("/", ".")}._kinds import email
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
    assert often <= {"__init__.py", "email.py", "kind.py", "_errors.py", "_module_process.py"}
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

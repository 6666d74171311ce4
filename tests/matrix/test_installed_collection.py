"""What an operator installs stays as it was installed, and changes nothing in how Python and
Ansible work."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.layout import LINK, ROOT

# Ansible itself has Python keep the byte code of the plugins that it loads by their files.
LOADED_BY_ANSIBLE = ("action", "filter", "inventory", "lookup")
STATE = """
import gc, json, sys
import ansible.module_utils.basic, ansible.plugins.action, requests
before = [list(map(repr, sys.meta_path)), list(map(repr, sys.path_hooks)), gc.isenabled(), gc.get_freeze_count()]
import ansible_collections.hosting.panel.plugins.action
from ansible_collections.hosting.panel.plugins.modules import panel_resources
after = [list(map(repr, sys.meta_path)), list(map(repr, sys.path_hooks)), gc.isenabled(), gc.get_freeze_count()]
print(json.dumps([before, after]))
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Return the plugins as an installation has them."""
    collection = tmp_path / "ansible_collections" / "hosting" / "panel"
    shutil.copytree(
        ROOT / "plugins", collection / "plugins", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(ROOT / "meta", collection / "meta")
    return collection


def make_clean_environment(**variables: str) -> dict[str, str]:
    """Return the environment without settings of the tests."""
    settings = ("ANSIBLE_", "PYTHON", "PANEL_")
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(settings)},
        **variables,
    }


def list_digests(folder: Path) -> dict[str, str]:
    """Return the digest of each file, but for what Ansible makes for its own plugins."""
    kept_by_ansible = {folder / "plugins" / kind / "__pycache__" for kind in LOADED_BY_ANSIBLE}
    files = (
        path for path in folder.rglob("*") if path.is_file() and path.parent not in kept_by_ansible
    )
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


@pytest.mark.parametrize("in_process", ["1", "0"], ids=["in process", "as a module"])
def test_a_task_writes_nothing_into_the_collection(installed: Path, in_process: str) -> None:
    before = list_digests(installed)
    variables = make_clean_environment(
        ANSIBLE_COLLECTIONS_PATH=str(installed.parents[2]), PANEL_IN_PROCESS=in_process
    )
    task = [
        "-m",
        "hosting.panel.panel_ping",
        "-a",
        "api_url=http://127.0.0.1:9 api_key=0123456789 retry_time=0",
    ]
    command = [
        sys.executable,
        "-m",
        "ansible",
        "adhoc",
        "localhost",
        "-i",
        "localhost,",
        "-c",
        "local",
        *task,
    ]
    command += ["-e", f"ansible_python_interpreter={sys.executable}"]

    done = subprocess.run(
        command, env=variables, capture_output=True, text=True, timeout=120, check=False
    )

    assert "The panel is not reachable." in done.stdout, done.stdout + done.stderr
    assert list_digests(installed) == before


def test_loading_the_collection_changes_nothing_in_python() -> None:
    done = subprocess.run(
        [sys.executable, "-c", STATE],
        env=make_clean_environment(PYTHONPATH=str(LINK)),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    before, after = json.loads(done.stdout)

    assert after == before

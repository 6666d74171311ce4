"""The modules for content as Ansible runs them: on a host, as root, with their documented results."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.meta.modules import documentation
from tests.support.needed import require_content_tools
from tests.support.real_trees import OWNER, Trees, describe, make_trees, remove, write


@pytest.fixture
def trees() -> Iterator[Trees]:
    """Yield an empty source and an empty target on this host."""
    require_content_tools("rsync", "setpriv", "runuser", "unshare")
    folder = Path(tempfile.mkdtemp(prefix="panel-files-", dir="/var/tmp"))
    folder.chmod(0o755)
    (folder / "lib").mkdir()
    yield make_trees(folder, None)
    remove(folder)


def run(trees: Trees, module: str, check: bool = False, **options: Any) -> dict[str, Any]:
    """Run a module by Ansible, with a state directory of the test."""
    # What a run keeps is below /var/lib.
    script = 'mount --bind "$0" /var/lib && exec "$@"'
    namespace = ["unshare", "--mount", "sh", "-c", script, str(trees.folder / "lib")]
    command = [sys.executable, "-m", "ansible", "adhoc", "host", "--inventory", "host,"]
    command += ["--connection", "local", "--extra-vars"]
    command += [json.dumps({"ansible_python_interpreter": sys.executable})]
    command += ["--module-name", f"hosting.panel.{module}", "--args", json.dumps(options)]
    if check:
        command.append("--check")
    process = subprocess.run(
        [*namespace, *command], capture_output=True, text=True, timeout=120, check=False
    )
    result: dict[str, Any] = json.loads(process.stdout.partition("=> ")[2])

    return result


def test_a_copy_by_a_task_has_the_documented_result(trees: Trees) -> None:
    write(trees.src / "a", "content")
    options = {"src": str(trees.src), "dest": str(trees.dest), "owner": OWNER}

    predicted = run(trees, "panel_files_sync", check=True, **options)
    copied = run(trees, "panel_files_sync", **options)
    second = run(trees, "panel_files_sync", **options)

    assert set(documentation("panel_files_sync")["return"]) | {"changed"} == set(copied)
    assert predicted == copied
    assert (copied["changed"], copied["sent"], copied["bytes"]) == (True, 1, 7)
    assert (second["changed"], second["sent"]) == (False, 0)
    assert describe(trees.dest) == describe(trees.src)


def test_a_refusal_is_the_message_of_a_task_that_failed(trees: Trees) -> None:
    options = {"src": "relative", "dest": str(trees.dest), "owner": OWNER}

    result = run(trees, "panel_files_sync", **options)

    assert result["msg"].startswith("src: relative is not the whole path of a directory")
    assert result["changed"] is False

"""Whoever knows collections starts the tests of this one with the usual commands, in a checkout
that is a collection's folder."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tools.layout import ROOT, copy_to, make_environment

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
# Our own, and what Ansible and ansible-test bring along.
OURS = {"ansible", "ansible_collections", "jinja2", "panel_simulator", "pytest", "tests", "tools"}
# One of those that know Ansible's own modules, what runs on targets, and the controller.
OF_EACH_KIND = [
    "tests/unit/plugins/modules/test_panel_client_info.py",
    "tests/unit/plugins/module_utils/test_problems.py",
    "tests/unit/plugins/plugin_utils/test_validation.py",
]


def test_what_ansible_test_installs_for_the_unit_tests_is_all_that_they_import() -> None:
    trees = [
        ast.parse(path.read_text(encoding="utf-8"))
        for path in (ROOT / "tests" / "unit").rglob("*.py")
    ]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    packages = {name.partition(".")[0] for name in names} - sys.stdlib_module_names - OURS
    requirements = ROOT / "tests" / "unit" / "requirements.txt"
    listed = set(requirements.read_text(encoding="utf-8").splitlines())

    assert [name for name in packages if not listed & list_projects(name)] == []


def list_projects(package: str) -> set[str]:
    """Return the names under which a package is installed, as files of requirements have them."""
    return {name.replace("_", "-") for name in packages_distributions().get(package, [])}


@pytest.mark.release
def test_ansible_test_runs_the_unit_tests(tmp_path: Path) -> None:
    folder = tmp_path / "checkout" / "ansible_collections" / "hosting" / "panel"
    copy_to(folder)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    command = ["ansible-test", "units", "--python", PYTHON, "--num-workers", "2", *OF_EACH_KIND]
    surroundings = make_environment(Path(sys.executable).parent, HOME=str(tmp_path))

    done = subprocess.run(
        command,
        cwd=folder,
        env=surroundings,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert (done.returncode, done.stdout.count(" passed in ")) == (0, len(OF_EACH_KIND)), (
        done.stdout[-4000:]
    )

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whoever knows collections starts the tests of this one with the usual commands, in a checkout that is a collection's folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.collection_copy import copy_to
from tools.layout import ROOT
from tools.surroundings import environment

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
# One of those that know Ansible's own modules, what runs on targets, and the controller.
OF_EACH_KIND = [
    "tests/unit/plugins/modules/",
    "tests/unit/plugins/module_utils/test_complaints.py",
    "tests/unit/plugins/plugin_utils/test_mistakes.py",
]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout") / "ansible_collections" / "hosting" / "panel"
    copy_to(folder)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    return folder


def said(words: list[str], folder: Path, **variables: str) -> str:
    done = subprocess.run(
        words,
        cwd=folder,
        env=environment(Path(sys.executable).parent, **variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


def test_ansible_test_runs_the_unit_tests(checkout: Path, tmp_path: Path) -> None:
    words = ["ansible-test", "units", "--python", PYTHON, "--num-workers", "2", *OF_EACH_KIND]

    assert said(words, checkout, HOME=str(tmp_path)).count(" passed in ") == len(OF_EACH_KIND)


def test_ansible_test_runs_the_integration_tests(checkout: Path, tmp_path: Path) -> None:
    words = ["ansible-test", "integration", "--python", PYTHON]

    assert "Running every_kind integration test script" in said(words, checkout, HOME=str(tmp_path))


@pytest.mark.parametrize("folder", [".", "extensions"])
def test_molecule_finds_what_its_scenarios_share(checkout: Path, tmp_path: Path, folder: str) -> None:
    words = [sys.executable, "-c", "from molecule.shell import LOCAL_CONFIG; print(LOCAL_CONFIG)"]

    found = Path(said(words, checkout / folder, HOME=str(tmp_path)).splitlines()[-1])

    shared = Path("extensions", "molecule", "config.yml")
    assert found.read_bytes() == (ROOT / shared).read_bytes()
    assert found.resolve() == (checkout / shared).resolve()

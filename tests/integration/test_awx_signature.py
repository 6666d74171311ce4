# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The project of extensions/awx signed with ansible-sign, which AWX checks before it runs anything."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tools import environments
from tools.layout import ROOT

PROJECT = ROOT / "extensions" / "awx" / "project"
SECONDS = 120
Sign = Callable[[str], subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def keys() -> Iterator[Path]:
    """A key of an operator, in a folder with a short name, since gpg's agent listens on a socket in it."""
    if not shutil.which("gpg"):
        pytest.skip("gpg is not installed")
    with tempfile.TemporaryDirectory() as name:
        gpg = ["gpg", "--homedir", name, "--batch", "--passphrase", ""]
        made = [*gpg, "--quick-generate-key", "operator@panels.example", "ed25519", "sign"]
        subprocess.run(made, check=True, capture_output=True, timeout=SECONDS)
        yield Path(name)
        subprocess.run(["gpgconf", "--homedir", name, "--kill", "all"], check=True, timeout=SECONDS)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project with the key of a panel."""
    copy = shutil.copytree(PROJECT, tmp_path / "panels")
    (copy / "inventory" / "host_vars").mkdir()
    (copy / "inventory" / "host_vars" / "panel1.yml").write_text("panel_api_key: x\n", encoding="utf-8")
    return copy


@pytest.fixture
def sign(keys: Path, project: Path) -> Sign:
    """Runs ``ansible-sign project`` with that key; the project is signed already."""
    python = environments.pinned("sign", environments.SIGN_LOCK, environments.development())

    def run(command: str) -> subprocess.CompletedProcess[str]:
        words = [python.with_name("ansible-sign"), "project", command, "--gnupg-home", keys, project]
        # Without a terminal ansible-sign would look for the name of one.
        environment = {**os.environ, "GPG_TTY": "none"}
        return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)

    signed = run("gpg-sign")
    assert signed.returncode == 0, signed.stdout + signed.stderr
    return run


def test_a_signed_project_stays_so_when_jobs_push(project: Path, sign: Sign) -> None:
    pushed = [
        "panels/panel1/clients/acme.yml",
        "passwords/panel1.yml",
        "passwords/panel1/acme.yml",
        "report/index.html",
    ]
    for name in [*pushed, "verify/panel1.md", "moves/acme.hand-over.md", "certificates/panel1/certificates.yml"]:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("new\n", encoding="utf-8")
    checked = sign("gpg-verify")
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize(
    "name",
    [
        "plan.yml",
        "new.yml",
        "tasks/push.yml",
        "scripts/push.sh",
        "inventory/panels.yml",
        "inventory/host_vars/panel1.yml",
        "certificates/panel1.yml",
        "ansible.cfg",
        "collections/requirements.yml",
        "action_plugins/debug.py",
        "MANIFEST.in",
    ],
)
def test_nothing_that_runs_can_be_changed_without_the_key(name: str, project: Path, sign: Sign) -> None:
    (project / name).parent.mkdir(exist_ok=True)
    with (project / name).open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    checked = sign("gpg-verify")
    assert checked.returncode != 0
    assert name in checked.stdout + checked.stderr

"""The definition of the image for AWX.

What can be done of its building without a container engine.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support.playbook import make_environment
from tools.layout import ROOT, copy_to

pytestmark = pytest.mark.release

DEFINITION = ROOT / "extensions" / "execution_environment" / "execution-environment.yml"


def run(folder: Path, *arguments: str) -> str:
    """Run a module of this Python in the folder; what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder,
        # No collection is there yet.
        env={
            **make_environment(folder.parent, "in process"),
            "ANSIBLE_COLLECTIONS_PATH": str(folder / "none"),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr

    return done.stdout


def test_the_archive_is_installed_in_the_image_with_what_its_python_needs(tmp_path: Path) -> None:
    folder = tmp_path / "definition"
    build = tmp_path / "definition" / "context" / "_build"
    folder.mkdir()
    copy_to(tmp_path / "source")
    run(
        tmp_path / "source",
        "ansible",
        "galaxy",
        "collection",
        "build",
        "--output-path",
        str(folder),
    )
    (archive,) = folder.glob("hosting-panel-*.tar.gz")
    archive.rename(folder / "hosting-panel.tar.gz")
    shutil.copy(DEFINITION, folder)
    run(folder, "ansible_builder", "create", "--output-filename", "Containerfile")

    lines = (folder / "context" / "Containerfile").read_text(encoding="utf-8").splitlines()

    # The base image can be replaced.
    assert {
        'ARG EE_BASE_IMAGE="docker.io/redhat/ubi9:latest"',
        "FROM $EE_BASE_IMAGE AS base",
    } <= set(lines)
    # The steps of the Containerfile, in the folder that it does them in.
    assert lines[lines.index("COPY _build /build") + 1] == "WORKDIR /build"

    collections = yaml.safe_load((build / "requirements.yml").read_text(encoding="utf-8"))[
        "collections"
    ]
    archives = [entry for entry in collections if entry.get("type") == "file"]
    # The other one comes from Galaxy, which is not to be had everywhere.
    (requirement,) = [entry for entry in collections if entry not in archives]

    assert requirement == {"name": "community.crypto", "version": ">=3.0.0,<4.0.0"}

    (build / "archives.yml").write_text(yaml.safe_dump({"collections": archives}), encoding="utf-8")
    installed = folder / "collections"
    arguments = [
        "--requirements-file",
        "archives.yml",
        "--collections-path",
        str(installed),
        "--offline",
    ]

    run(build, "ansible", "galaxy", "collection", "install", *arguments)

    assert (
        installed / "ansible_collections" / "hosting" / "panel" / "playbooks" / "plan.yml"
    ).is_file()

    requirements = yaml.safe_load(run(build, "ansible_builder", "introspect", str(installed)))
    assert sorted(line.partition(">")[0] for line in requirements["python"]) == [
        "dnspython",
        "requests",
    ]
    assert requirements["system"] == []
    assert "git-core [platform:rpm]" in (build / "bindep.txt").read_text(encoding="utf-8")

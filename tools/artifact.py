# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the collection, check what is in the archive, install it, use it, and let Galaxy's own importer judge it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from tools.collection_copy import copy_to
from tools.layout import BUILD, NAME, NAMESPACE
from tools.not_run import reporting
from tools.surroundings import environment

WORKSHOP = BUILD / "artifact"
SHIPPED = ("changelogs", "docs", "extensions", "LICENSES", "meta", "playbooks", "plugins", "roles", "tests/sanity")
"""Folders of which every tracked file is in the archive."""
LEFT_OUT = ("extensions/molecule",)
"""Folders in these that only a checkout needs."""
SHIPPED_FILES = {"CHANGELOG.rst", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "COPYING", "README.md", "SECURITY.md"}
INDISPENSABLE = {"README.md", "meta/runtime.yml", "roles/simulator/files/panel_simulator/__main__.py"}
WRITTEN_BY_BUILD = {"FILES.json", "MANIFEST.json"}
SIMULATOR = "roles/simulator/files"


def run() -> int:
    """Return 0 when the archive is complete, lean, installable and accepted."""
    shutil.rmtree(WORKSHOP, ignore_errors=True)
    tracked = copy_to(WORKSHOP / "source")
    archive = _build()
    mistakes = wrong_content(archive, tracked) + _wrong_after_installation(archive, tracked)
    for mistake in mistakes:
        print(mistake)
    return 1 if mistakes else _importer(archive)


def _build() -> Path:
    subprocess.run(
        _ansible("galaxy", "collection", "build", "--force", "--output-path", str(WORKSHOP)),
        cwd=WORKSHOP / "source",
        check=True,
    )
    return next(WORKSHOP.glob(f"{NAMESPACE}-{NAME}-*.tar.gz"))


def wrong_content(archive: Path, tracked: list[str]) -> list[str]:
    """Return a line for each file that the archive lacks, or has and should not have."""
    with tarfile.open(archive) as content:
        shipped = {member.name for member in content.getmembers() if not member.isdir()}
    wanted = {
        path for path in tracked if (_is_in(path, SHIPPED) and not _is_in(path, LEFT_OUT)) or path in SHIPPED_FILES
    }
    wanted |= INDISPENSABLE
    missing = [f"missing in the archive: {path}" for path in sorted(wanted - shipped)]
    needless = [f"needless in the archive: {path}" for path in sorted(shipped - wanted - WRITTEN_BY_BUILD)]
    return missing + needless


def _is_in(path: str, folders: tuple[str, ...]) -> bool:
    return path.startswith(tuple(f"{folder}/" for folder in folders))


def _wrong_after_installation(archive: Path, tracked: list[str]) -> list[str]:
    installed = WORKSHOP / "installed"
    variables = environment(Path(sys.executable).parent, ANSIBLE_COLLECTIONS_PATH=str(installed))
    words = _ansible("galaxy", "collection", "install", "--offline", "--collections-path", str(installed), str(archive))
    subprocess.run(words, check=True, env=variables, cwd=WORKSHOP)
    words = _ansible("doc", "--type", "module", "--list", "--json", f"{NAMESPACE}.{NAME}")
    listed = json.loads(subprocess.run(words, check=True, env=variables, cwd=WORKSHOP, stdout=subprocess.PIPE).stdout)
    modules = {
        Path(path).stem for path in tracked if path.startswith("plugins/modules/") and not path.endswith("__init__.py")
    }
    found = {name.rpartition(".")[2] for name in listed}
    mistakes = [f"ansible-doc does not list the installed module {name}" for name in sorted(modules - found)]
    if not _simulator_starts(installed / "ansible_collections" / NAMESPACE / NAME / SIMULATOR):
        mistakes.append("the installed simulator does not start")
    return mistakes


def _simulator_starts(folder: Path) -> bool:
    words = [sys.executable, "-m", "panel_simulator", "--help"]
    return folder.is_dir() and subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL, check=False).returncode == 0


def _importer(archive: Path) -> int:
    variables = environment(
        Path(sys.executable).parent,
        GALAXY_IMPORTER_CHECK_REQUIRED_TAGS="true",
        GALAXY_IMPORTER_REQUIRE_V1_OR_GREATER="true",
        GALAXY_IMPORTER_RUN_ANSIBLE_LINT="false",  # a step of its own, with the project's settings
    )
    words = [sys.executable, "-m", "galaxy_importer.main", str(archive)]
    return subprocess.run(words, cwd=WORKSHOP, env=variables, check=False).returncode


def _ansible(*words: str) -> list[str]:
    return [sys.executable, "-m", "ansible", *words]


if __name__ == "__main__":
    sys.exit(reporting(run))

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection as users have it: built and installed, not the checkout."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tools.collection_copy import copy_to
from tools.surroundings import environment


def install(folder: Path) -> Path:
    """Build the checkout's collection and install it below `folder`; return what ANSIBLE_COLLECTIONS_PATH is to be."""
    shutil.rmtree(folder, ignore_errors=True)
    source, archives, installed = folder / "source", folder / "archive", folder / "installed"
    copy_to(source)
    _galaxy(["build", "--output-path", str(archives)], source, installed)
    words = ["install", "--offline", "--collections-path", str(installed), *map(str, archives.glob("*.tar.gz"))]
    _galaxy(words, folder, installed)
    shutil.rmtree(source)
    return installed


def _galaxy(words: list[str], folder: Path, collections: Path) -> None:
    command = [sys.executable, "-m", "ansible", "galaxy", "collection", *words]
    # What is installed elsewhere would count as installed here.
    variables = environment(Path(sys.executable).parent, ANSIBLE_COLLECTIONS_PATH=str(collections))
    ended = subprocess.run(
        command,
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if ended.returncode:
        raise RuntimeError(f"The collection could not be built and installed:\n{ended.stdout}")

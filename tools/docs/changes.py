"""The page of changes, with those that no release has yet."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tools.collection_copy import tracked_paths
from tools.layout import ROOT
from tools.surroundings import environment

PAGE = "CHANGELOG.rst"
FRAGMENTS = "changelogs/fragments/"


def write_changes(python: Path, copy: Path, page: Path) -> int:
    """Write `page`: the changelog, and what is waiting in fragments as if it were released now. Return the exit code.

    `copy` is a folder for a copy of the collection, since a release removes the fragments that it takes up.
    """
    paths = tracked_paths()
    if not any(path.startswith(FRAGMENTS) for path in paths):
        page.write_bytes((ROOT / PAGE).read_bytes())
        return 0
    for path in paths:
        if path in (PAGE, "galaxy.yml", "README.md") or path.startswith(("changelogs/", "plugins/", "roles/", "meta/")):
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            (copy / path).write_bytes((ROOT / path).read_bytes())
    words = [str(python.parent / "antsibull-changelog"), "release", "--date", "9999-12-31", "--version", "9999.0.0"]
    code = subprocess.run(
        words, cwd=copy, env=environment(python.parent), stdin=subprocess.DEVNULL, check=False
    ).returncode
    if not code:
        text = (copy / PAGE).read_text(encoding="utf-8")
        page.write_text(text.replace("v9999.0.0\n=========", "Not released yet\n================"), encoding="utf-8")
    return code

"""Reads a directory back that a task wrote, for tests that compare all of its files."""

from __future__ import annotations

from pathlib import Path


def read_texts(folder: Path) -> dict[str, str]:
    """Return the text of each file below a directory, by its path in there."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in paths}

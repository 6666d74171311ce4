"""Where everything is: every folder that the tools read or write."""

from __future__ import annotations

import sys
from pathlib import Path

from tools.plain_path import plain_path

NAMESPACE = "hosting"
NAME = "panel"
PLUGINS = "ansible_collections.hosting.panel.plugins"

ROOT = plain_path(Path(__file__).resolve().parent.parent)
BUILD = ROOT / ".build"
LOGS = BUILD / "log"
REPORTS = BUILD / "report"
LINK = BUILD / "link"
DEVELOPMENT = ROOT / ".venv"
LOCKS = ROOT / "requirements"
PAGES_FOR_CONTRIBUTORS = ("architecture.md", "performance.md", "reliability.md")
"""All other pages in docs are guides, which are in the archive, and which Galaxy shows."""


def guides() -> list[Path]:
    """Return the guides, with their index."""
    return sorted(path for path in (ROOT / "docs").glob("*.md") if path.name not in PAGES_FOR_CONTRIBUTORS)


def link_collection(checkout: Path = ROOT) -> Path:
    """Make `.build/link/ansible_collections/hosting/panel` lead to the checkout; return `.build/link`.

    That is the folder for ANSIBLE_COLLECTIONS_PATH and PYTHONPATH. The link is relative, so it stays right when the checkout moves.
    """
    links = checkout / LINK.relative_to(ROOT)
    link = links / "ansible_collections" / NAMESPACE / NAME
    link.parent.mkdir(parents=True, exist_ok=True)
    target = Path(*[".."] * len(link.parent.relative_to(checkout).parts))
    if not link.is_symlink() or link.readlink() != target:
        link.unlink(missing_ok=True)
        link.symlink_to(target, target_is_directory=True)
    return links


def make_importable() -> None:
    """Let this process import the collection and the simulator."""
    sys.path[:0] = [str(link_collection()), str(ROOT / "roles" / "simulator" / "files")]

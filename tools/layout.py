"""Where everything is: every folder that the tools read or write, and copies of the checkout."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NAMESPACE, NAME = "hosting", "panel"
PLUGINS = "ansible_collections.hosting.panel.plugins"
# The home and the cache of the user, also inside a step, whose HOME is another one; and the link to the checkout.
USER_HOME, USER_CACHE, LINK_TO_ROOT = "HOSTING_PANEL_USER_HOME", "HOSTING_PANEL_USER_CACHE", "HOSTING_PANEL_ROOT"
CACHE_IN_HOME = Path("Library/Caches" if sys.platform == "darwin" else ".cache")
PLAIN = re.compile(r"[A-Za-z0-9_/.,+@=-]+")


def user_home() -> Path:
    """Return the home of the user who started the tools."""
    return Path(os.environ.get(USER_HOME) or Path.home())


def user_cache() -> Path:
    """Return the user's cache folder."""
    return Path(os.environ.get(USER_CACHE) or os.environ.get("XDG_CACHE_HOME") or user_home() / CACHE_IN_HOME)


def plain_path(folder: Path) -> Path:
    """Return `folder`, or a link to it where its path has a space, a quote or the like.

    Ansible does not quote the path of the Python that runs an asynchronous module, and PATH cannot hold a colon. The link is in the user's
    cache, or else among the temporary files. It stays, since other runs may use it too.
    """
    if PLAIN.fullmatch(str(folder)):
        return folder
    known = os.environ.get(LINK_TO_ROOT)
    if known and Path(known).resolve() == folder:
        return Path(known)
    name = f"hosting.panel-{os.getuid()}-" + hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    shared = user_cache() / "hosting.panel"
    link = (shared if PLAIN.fullmatch(str(shared)) else Path(tempfile.gettempdir())) / name
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink():
        link.symlink_to(folder, target_is_directory=True)
    if link.readlink() != folder or link.lstat().st_uid != os.getuid():
        raise RuntimeError(f"{link} is in the way: it has to be a link of yours to {folder}. Remove it.")
    os.environ[LINK_TO_ROOT] = str(link)
    return link


ROOT = plain_path(Path(__file__).resolve().parent.parent)
BUILD = ROOT / ".build"
LOGS = BUILD / "log"
REPORTS = BUILD / "report"
LINK = BUILD / "link"
DEVELOPMENT = ROOT / ".venv"
LOCKS = ROOT / "requirements"
# All other pages in docs are guides, which are in the archive, and which Galaxy shows.
PAGES_FOR_CONTRIBUTORS = ("architecture.md", "performance.md", "reliability.md")


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


def tracked_paths() -> list[str]:
    """Return the paths of the files that git knows or would add, relative to the checkout and in order."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    paths = sorted(set(listed.stdout.split("\0")) - {""})
    return [path for path in paths if (ROOT / path).is_symlink() or (ROOT / path).is_file()]


def copy_to(folder: Path) -> list[str]:
    """Fill `folder`, emptied before, as a clean clone would be; return the paths copied, relative to it."""
    paths = tracked_paths()
    shutil.rmtree(folder, ignore_errors=True)
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, folder / path, follow_symlinks=False)
    return paths

"""Another way to a folder whose path has a space, a quote or the like in it.

Ansible does not quote the path of the Python that runs an asynchronous module, and PATH cannot hold a colon.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from pathlib import Path

from tools import user

VARIABLE = "HOSTING_PANEL_ROOT"
PLAIN = re.compile(r"[A-Za-z0-9_/.,+@=-]+")


def plain_path(folder: Path) -> Path:
    """Return `folder`, or a link to it with a plain path.

    The link is in the user's cache, or else among the temporary files. It stays, since other runs may use it too.
    """
    if PLAIN.fullmatch(str(folder)):
        return folder
    known = os.environ.get(VARIABLE)
    if known and Path(known).resolve() == folder:
        return Path(known)
    name = f"hosting.panel-{os.getuid()}-" + hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    shared = user.cache() / "hosting.panel"
    link = (shared if PLAIN.fullmatch(str(shared)) else Path(tempfile.gettempdir())) / name
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink():
        link.symlink_to(folder, target_is_directory=True)
    if link.readlink() != folder or link.lstat().st_uid != os.getuid():
        raise RuntimeError(f"{link} is in the way: it has to be a link of yours to {folder}. Remove it.")
    os.environ[VARIABLE] = str(link)
    return link

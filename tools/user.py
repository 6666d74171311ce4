"""The home and the cache of the user who started the tools, also inside a step, whose HOME is another one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HOME = "HOSTING_PANEL_USER_HOME"
CACHE = "HOSTING_PANEL_USER_CACHE"
CACHE_IN_HOME = Path("Library/Caches" if sys.platform == "darwin" else ".cache")


def home() -> Path:
    """Return the user's home."""
    return Path(os.environ.get(HOME) or Path.home())


def cache() -> Path:
    """Return the user's cache folder."""
    return Path(os.environ.get(CACHE) or os.environ.get("XDG_CACHE_HOME") or home() / CACHE_IN_HOME)

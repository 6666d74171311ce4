"""A stateful simulator of the panel's REST API v2, for trying the collection and for tests."""

from __future__ import annotations

import importlib.util
import sys

API_PATH = "/api/v2"
API_VERSION = "2.15"
CONTROL_PATH = "/_simulator"


def _check_python() -> None:
    """Says what is missing before anything else is imported, which would end in a traceback."""
    needed = "Python 3.11 or newer" if sys.version_info < (3, 11) else "PyYAML"
    if sys.version_info < (3, 11) or importlib.util.find_spec("yaml") is None:
        sys.stderr.write(f"The simulator cannot start with {sys.executable}: it needs {needed}.\n")
        sys.exit(2)


_check_python()

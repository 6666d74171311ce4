"""A stateful simulator of the panel's REST API v2, for trying the collection and for tests."""

from __future__ import annotations

import importlib.util
import sys

API_PATH = "/api/v2"
API_VERSION = "2.15"
OPENAPI_PATH = "/api/openapi.json"
CONTROL_PATH = "/_simulator"

# What is missing is said before anything else is imported, which would end in a traceback.
if sys.version_info < (3, 11) or importlib.util.find_spec("yaml") is None:
    needed = (
        "Python 3.11 or newer; set simulator_python to one"
        if sys.version_info < (3, 11)
        else "PyYAML"
    )
    sys.stderr.write(f"The simulator cannot start with {sys.executable}: it needs {needed}.\n")
    sys.exit(2)

# SPDX-License-Identifier: GPL-3.0-or-later
"""A stateful simulator of the panel's REST API v2, for trying the collection and for tests."""

from __future__ import annotations

import importlib.util
import sys

API_PATH = "/api/v2"
API_VERSION = "2.15"
OPENAPI_PATH = "/api/openapi.json"
CONTROL_PATH = "/_simulator"

# A program that lacks something says so before it imports anything else, which would end in a
# traceback.
missing = ""
is_too_old = sys.version_info < (3, 11)
if is_too_old:
    missing = "Python 3.11 or newer; set simulator_python to one"
elif importlib.util.find_spec("yaml") is None:
    missing = "PyYAML"
if missing:
    sys.stderr.write(f"The simulator cannot start with {sys.executable}: it needs {missing}.\n")
    sys.exit(2)

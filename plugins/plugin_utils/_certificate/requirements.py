# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role certificate needs on the controller."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

from ansible.module_utils.compat.version import LooseVersion
from ansible.release import __version__

from .._run.nested_text import load_json

# community.crypto 3 needs 2.17, which no one tests.
_OLDEST_CORE = "2.18"


def find_missing_requirements() -> Iterator[str]:
    """Yield a sentence for each thing that the role needs and the controller lacks."""
    if LooseVersion(__version__) < LooseVersion(_OLDEST_CORE):
        yield f"This role needs ansible-core {_OLDEST_CORE} or newer, and this is {__version__}."

    version = _find_version_of_crypto()
    if not version.startswith("3."):
        yield (
            "This role needs the collection community.crypto 3, and "
            f"{version or 'none'} is installed: "
            "ansible-galaxy collection install 'community.crypto:>=3.0.0,<4.0.0'."
        )

    if importlib.util.find_spec("dns") is None:
        yield (
            "This role needs the Python library dnspython, which is not installed for "
            f"this Python: {sys.executable} -m pip install dnspython."
        )


def _find_version_of_crypto() -> str:
    """Return the version of the installed community.crypto; empty if there is none."""
    with contextlib.suppress(ImportError, OSError, ValueError, LookupError):
        package = importlib.import_module("ansible_collections.community.crypto")
        (directory, *_further_paths) = package.__path__
        manifest = load_json(Path(directory, "MANIFEST.json").read_text(encoding="utf-8"))
        return str(manifest["collection_info"]["version"])
    return ""

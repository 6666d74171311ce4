"""Loads a program that is no part of a package, such as one that a role sends to a host."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any


def load_program(path: Path) -> Any:
    """Return the module that a file makes."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)

    return module

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The certificate of the panels: HTTPS, since no real panel is without."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.support.simulator import FILES


@dataclass(frozen=True)
class Certificate:
    """Files with a certificate for 127.0.0.1, which is its own CA, and its key."""

    file: Path
    key: Path


def make(folder: Path) -> Certificate:
    """Make one, unless the folder has it."""
    words = [sys.executable, "-m", "panel_simulator.self_signed", "--name", "127.0.0.1", "--directory", str(folder)]
    subprocess.run(
        words,
        env={**os.environ, "PYTHONPATH": str(FILES)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return Certificate(folder / "certificate.pem", folder / "private_key.pem")

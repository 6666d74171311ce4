# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fleet of ``make play`` for a test, on free ports and in a home of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.layout import link_collection

WORDS = "Ctrl-C ends the panels."
SECONDS = 60.0


def fleet_command(directory: Path, *arguments: str) -> subprocess.Popen[str]:
    """The program as ``make play`` starts it, but on free ports, unless the arguments have others."""
    files = link_collection() / "ansible_collections" / "hosting" / "panel" / "roles" / "simulator" / "files"
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "panel_simulator.play",
            "--ports",
            "0",
            "0",
            "0",
            "--directory",
            str(directory),
            *arguments,
        ],
        env={**os.environ, "PYTHONPATH": str(files)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@contextmanager
def played_fleet(directory: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A running fleet with its files in this folder, ended as Ctrl-C does."""
    command = fleet_command(directory, *arguments)
    try:
        deadline = time.monotonic() + SECONDS
        while not (directory / "environment").exists():
            assert command.poll() is None, command.stdout and command.stdout.read()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield command
    finally:
        if command.poll() is None:
            command.send_signal(signal.SIGINT)
        command.communicate(timeout=SECONDS)

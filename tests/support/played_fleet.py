"""The practice fleet for a test, on ports of its own and in a folder of its own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

NAMES = ("web-1", "web-2", "web-3")
SECONDS = 120.0


def play(directory: Path, variables: Mapping[str, str], *, ports: Sequence[int] = (0, 0, 0), state: str) -> str:
    """What the playbook prints; ``variables`` are those of its environment."""
    play_ports = dict(zip(NAMES, ports, strict=True))
    given = json.dumps({"play_directory": str(directory), "play_ports": play_ports, "play_state": state})
    words = ["ansible-playbook", "hosting.panel.play", "--extra-vars", given]
    done = subprocess.run(
        words, env=dict(variables), capture_output=True, text=True, timeout=SECONDS, check=False, cwd=directory.parent
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def played_fleet(directory: Path, variables: Mapping[str, str], ports: Sequence[int] = (0, 0, 0)) -> Iterator[str]:
    """A running fleet with its files in this folder."""
    try:
        yield play(directory, variables, ports=ports, state="started")
    finally:
        play(directory, variables, ports=ports, state="stopped")

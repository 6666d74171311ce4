"""Run the release playbook: `python -m tools.release VERSION [word of ansible-playbook ...]`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tools import environments
from tools.layout import ROOT, link_collection
from tools.surroundings import environment

PLAYBOOK = Path("tools", "release.yml")


def main(version: str = "", *words: str) -> int:
    """Return the exit code of the playbook."""
    if not version:
        print("Which version? For example: make release VERSION=1.1.0", file=sys.stderr)
        return 2
    python = environments.development()
    link_collection()
    given = json.dumps({"release_version": version, "release_checkout": str(ROOT)})
    command = [str(python), "-m", "ansible", "playbook", str(PLAYBOOK), "--extra-vars", given, *words]
    return subprocess.run(command, cwd=ROOT, env=environment(python.parent), check=False).returncode


if __name__ == "__main__":
    sys.exit(environments.reporting(main, *sys.argv[1:]))

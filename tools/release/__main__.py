"""Run the release playbook: `python -m tools.release VERSION [word of ansible-playbook ...]`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tools import environments
from tools.layout import ROOT, link_collection
from tools.surroundings import environment

PLAYBOOK = Path("tools", "release", "release.yml")


def main(arguments: list[str]) -> int:
    """Return the exit code of the playbook."""
    if not arguments or not arguments[0]:
        print("Which version? For example: make release VERSION=1.1.0", file=sys.stderr)
        return 2
    try:
        python = environments.development()
    except environments.EnvironmentFailure as failure:
        print(failure, file=sys.stderr)
        return 1
    link_collection()
    given = json.dumps({"release_version": arguments[0], "release_checkout": str(ROOT)})
    words = [str(python), "-m", "ansible", "playbook", str(PLAYBOOK), "--extra-vars", given, *arguments[1:]]
    return subprocess.run(words, cwd=ROOT, env=environment(python.parent), check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Start the practice fleet, or stop it with `-e play_state=stopped`: its environment, then the playbook `hosting.panel.play`."""

from __future__ import annotations

import json
import subprocess
import sys

from tools import environments, user
from tools.layout import ROOT, link_collection
from tools.surroundings import environment

PLAYBOOK = "hosting.panel.play"


def main(arguments: list[str]) -> int:
    """Return the exit code of the playbook."""
    python = environments.demo()
    link_collection()
    variables = json.dumps({"play_directory": str(user.home() / "panel-play")})
    words = [str(python), "-m", "ansible", "playbook", PLAYBOOK, "--extra-vars", variables, *arguments]
    surroundings = environment(python.parent, ANSIBLE_DISPLAY_SKIPPED_HOSTS="False")
    return subprocess.run(words, cwd=ROOT, env=surroundings, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

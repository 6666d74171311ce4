"""Run the demonstration: its environment, the playbook `hosting.panel.demo`, then stop what is still running."""

from __future__ import annotations

import json
import sys

from tools import environments, foreground
from tools.layout import BUILD, ROOT, link_collection
from tools.processes import MarkedCommand
from tools.surroundings import environment

PLAYBOOK = "hosting.panel.demo"
FOLDER = BUILD / "demo"
REPORT = "report.txt"
NEXT = "Next: `make play` starts a practice fleet for the guides; see docs/getting_started.md"
# What a newcomer looks at: no tasks that were skipped, and texts as texts.
DISPLAY = {"ANSIBLE_DISPLAY_SKIPPED_HOSTS": "False", "ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml"}


def main(arguments: list[str]) -> int:
    """Return the playbook's exit code, or 128 and the signal's number after an interruption."""

    def command() -> MarkedCommand:
        python = environments.demo()
        link_collection()
        variables = json.dumps({"demo_directory": str(FOLDER.resolve()), "demo_prints_report": False})
        words = [str(python), "-m", "ansible", "playbook", PLAYBOOK, "--extra-vars", variables, *arguments]
        return MarkedCommand(words, variables=environment(python.parent, **DISPLAY), folder=ROOT)

    report = FOLDER / REPORT
    report.unlink(missing_ok=True)
    code = foreground.run(command, "Interrupted: stopping everything that the demonstration started.")
    if code == 0 and report.is_file():
        # The last thing on the screen, and not the numbers of the playbook around both runs.
        print(f"{report.read_text(encoding='utf-8')}\n{NEXT}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Run the demonstration, or with `fleet` start the practice fleet: an environment, and a playbook of the collection in it.

`python -m tools.demo fleet STATE=stopped` ends the fleet. The demonstration ends with nothing left running.
"""

from __future__ import annotations

import json
import subprocess
import sys

from tools import environments
from tools.environments import call_and_report
from tools.layout import BUILD, ROOT, find_user_home, link_collection, make_environment
from tools.processes import MarkedCommand, run_in_foreground

PLAYBOOK = "hosting.panel.demo"
FLEET = "hosting.panel.play"
FOLDER = BUILD / "demo"
REPORT = "report.txt"
# By name the variables of `make play`, each with the variable of the playbook that it sets.
_VARIABLES = {"STATE": "play_state", "PORT": "play_first_port"}
_STATES = ("started", "stopped")
_LAST_PORT = 65533
NEXT = "Next: `make play` starts a practice fleet for the guides; see docs/getting_started.md"


def _make_command(
    playbook: str, variables: dict[str, object], arguments: list[str]
) -> MarkedCommand:
    python = environments.prepare_demo_interpreter()
    link_collection()
    command = [str(python), "-m", "ansible", "playbook", playbook]
    command += ["--extra-vars", json.dumps(variables), *arguments]
    # What a newcomer reads: no tasks that were skipped, and texts as texts.
    display = {"ANSIBLE_DISPLAY_SKIPPED_HOSTS": "False", "ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml"}
    return MarkedCommand(command, variables=make_environment(python.parent, **display), folder=ROOT)


def find_mistake(variables: dict[str, str]) -> str:
    """Return what is wrong with the variables of `make play`, by the names of make; empty if they
    are right.
    """
    state = variables.get("STATE", "")
    if state and state not in _STATES:
        return f"STATE: {state} is invalid. Use started or stopped."
    port = variables.get("PORT", "")
    is_number = port.isascii() and port.isdecimal() and len(port) <= len(str(_LAST_PORT))
    if port and not (is_number and 1 <= int(port) <= _LAST_PORT):
        example = "for example make play PORT=18201"
        return f"PORT: {port} is no port. Use a number from 1 to {_LAST_PORT}, {example}."
    return ""


def start_fleet(*arguments: str) -> int:
    """Return the exit code of the playbook; the panels that it starts stay.

    arguments: NAME=VALUE, as `make play` has them; an empty value counts as not given.
    """
    written = dict(argument.split("=", 1) for argument in arguments)
    mistake = find_mistake(written)
    if mistake:
        print(mistake, file=sys.stderr)
        return 2

    variables: dict[str, object] = {"play_directory": str(find_user_home() / "panel-play")}
    for name, value in written.items():
        if value:
            variables[_VARIABLES[name]] = value
    marked = _make_command(FLEET, variables, [])
    process = subprocess.run(marked.command, cwd=marked.folder, env=marked.variables, check=False)
    return process.returncode


def main(arguments: list[str]) -> int:
    """Return the playbook's exit code, or 128 and the signal's number after an interruption."""
    if arguments[:1] == ["fleet"]:
        return call_and_report(start_fleet, *arguments[1:])

    report = FOLDER / REPORT
    report.unlink(missing_ok=True)
    variables: dict[str, object] = {
        "demo_directory": str(FOLDER.resolve()),
        "demo_prints_report": False,
    }
    interrupted = "Interrupted: stopping everything that the demonstration started."
    code = run_in_foreground(lambda: _make_command(PLAYBOOK, variables, arguments), interrupted)
    if code == 0 and report.is_file():
        # The last thing on the screen, and not the numbers of the playbook around both runs.
        print(f"{report.read_text(encoding='utf-8')}\n{NEXT}")

    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

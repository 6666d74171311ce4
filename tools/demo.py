# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the demonstration: its environment, the playbook `hosting.panel.demo`, then stop what is still running."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable

from tools import environments
from tools.layout import BUILD, ROOT, link_collection
from tools.processes import MarkedCommand
from tools.surroundings import environment

PLAYBOOK = "hosting.panel.demo"
SECONDS_TO_END = 10
# What a newcomer looks at: no tasks that were skipped, and texts as texts.
DISPLAY = {"ANSIBLE_DISPLAY_SKIPPED_HOSTS": "False", "ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml"}


class Interrupted(Exception):
    """The user or the system asked for the end; `number` is the signal's."""

    def __init__(self, number: int) -> None:
        """Take the signal's number."""
        super().__init__(number)
        self.number = number


def _answer_signals(answer: Callable[[int, object], None] | signal.Handlers) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, answer)


def _on_signal(number: int, _frame: object) -> None:
    raise Interrupted(number)


def main(arguments: list[str]) -> int:
    """Return the playbook's exit code, or 128 and the signal's number after an interruption."""
    _answer_signals(_on_signal)
    command = None
    try:
        python = environments.demo()
        link_collection()
        folder = json.dumps({"demo_directory": str((BUILD / "demo").resolve())})
        words = [str(python), "-m", "ansible", "playbook", PLAYBOOK, "--extra-vars", folder, *arguments]
        command = MarkedCommand(words, variables=environment(python.parent, **DISPLAY), folder=ROOT)
        return command.start().wait()
    except Interrupted as interruption:
        _answer_signals(signal.SIG_IGN)
        print("\nInterrupted: stopping everything that the demonstration started.", file=sys.stderr, flush=True)
        if command is not None:
            command.interrupt(SECONDS_TO_END)
        return 128 + interruption.number
    except environments.EnvironmentFailure as failure:
        print(failure, file=sys.stderr)
        return 1
    finally:
        _answer_signals(signal.SIG_IGN)
        if command is not None:
            command.stop_everything()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

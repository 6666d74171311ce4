"""Run one command in the foreground of a terminal, and end with it everything that it has started."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable

from tools.environments import EnvironmentFailure
from tools.processes import MarkedCommand

SECONDS_TO_END = 15


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


def run(prepare: Callable[[], MarkedCommand], interrupted: str, *, ends_by_interruption: bool = False) -> int:
    """Run the command that `prepare` makes; return its exit code, or 128 and the signal's number after an interruption.

    interrupted: what is said then. ends_by_interruption: whether that is how it ends, so that its own exit code is right then too.
    """
    _answer_signals(_on_signal)
    command = None
    try:
        command = prepare()
        return command.start().wait()
    except Interrupted as interruption:
        _answer_signals(signal.SIG_IGN)
        if interrupted:
            print(f"\n{interrupted}", file=sys.stderr, flush=True)
        if command is not None:
            command.interrupt(SECONDS_TO_END)
            if ends_by_interruption and command.process is not None and command.process.poll() is not None:
                return command.process.returncode
        return 128 + interruption.number
    except EnvironmentFailure as failure:
        print(failure, file=sys.stderr)
        return 1
    finally:
        _answer_signals(signal.SIG_IGN)
        if command is not None:
            command.stop_everything()

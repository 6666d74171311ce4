# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the benchmark's environment and run it there: `python -m tools.bench [--quick] [--only NAME]`."""

from __future__ import annotations

import signal
import sys

from tools import environments, interpreters
from tools.layout import ROOT
from tools.not_run import NotRun
from tools.processes import MarkedCommand
from tools.supported import CONTROLLER_PYTHON, NEWEST_CORE
from tools.surroundings import environment

SECONDS_TO_END = 10


def main(arguments: list[str]) -> int:
    """Return the exit code of the run."""
    try:
        # The newest release, whatever Python this is.
        interpreter = interpreters.required(CONTROLLER_PYTHON[NEWEST_CORE])
        python = environments.pinned("bench-environment", environments.BENCHMARK_LOCK, interpreter)
    except (environments.EnvironmentFailure, NotRun) as failure:
        print(failure, file=sys.stderr)
        return 1
    words = [str(python), "-m", "tools.bench.run", *arguments]
    command = MarkedCommand(words, variables=environment(python.parent), folder=ROOT)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return command.start().wait()
    except KeyboardInterrupt:
        print("\nInterrupted: stopping everything that the benchmark started.", file=sys.stderr, flush=True)
        command.interrupt(SECONDS_TO_END)
        return 130
    finally:
        command.stop_everything()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

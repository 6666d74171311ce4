"""Make the benchmark's environment and run it there: `python -m tools.bench [--quick] [--only TEXT]`."""

from __future__ import annotations

import sys

from tools import environments, foreground, interpreters
from tools.layout import ROOT
from tools.processes import MarkedCommand
from tools.supported import CONTROLLER_PYTHON, NEWEST_CORE
from tools.surroundings import environment


def _command() -> MarkedCommand:
    # The newest release, whatever Python this is.
    interpreter = interpreters.required(CONTROLLER_PYTHON[NEWEST_CORE])
    python = environments.pinned("bench-environment", environments.DEMO_LOCK, interpreter)
    return MarkedCommand(
        [str(python), "-m", "tools.bench.run", *sys.argv[1:]], variables=environment(python.parent), folder=ROOT
    )


if __name__ == "__main__":
    sys.exit(foreground.run(_command, "Interrupted: stopping everything that the benchmark started."))

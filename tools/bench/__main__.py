"""Make the benchmark's environment and run it there: `python -m tools.bench [--quick] [--only TEXT]`."""

from __future__ import annotations

import sys

from tools import environments
from tools.layout import ROOT, make_environment
from tools.processes import MarkedCommand, run_in_foreground


def _make_command() -> MarkedCommand:
    # The newest release, whatever Python this is.
    base = environments.require_interpreter(
        environments.CONTROLLER_PYTHON[environments.NEWEST_CORE]
    )
    python = environments.prepare_pinned_interpreter(
        "bench-environment", environments.DEMO_LOCK, base
    )
    command = [str(python), "-m", "tools.bench.run", *sys.argv[1:]]
    return MarkedCommand(command, variables=make_environment(python.parent), folder=ROOT)


if __name__ == "__main__":
    sys.exit(
        run_in_foreground(
            _make_command, "Interrupted: stopping everything that the benchmark started."
        )
    )

"""Run one Python module of the development environment: `python -m tools.development ruff format .`."""

from __future__ import annotations

import signal
import subprocess
import sys

from tools import environments
from tools.layout import link_collection, make_environment

if __name__ == "__main__":
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda signalled, _frame: sys.exit(128 + signalled))
    python = environments.prepare_development_interpreter()
    link_collection()
    command = [str(python), "-m", *sys.argv[1:]]
    sys.exit(subprocess.run(command, env=make_environment(python.parent), check=False).returncode)

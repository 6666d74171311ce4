"""Run the experiments in the development environment: `python -m tools.reliability [--quick] [--only NAME ...]`."""

from __future__ import annotations

import signal
import sys

from tools import environments
from tools.layout import LINK, ROOT, link_collection
from tools.processes import MarkedCommand
from tools.surroundings import environment

SECONDS_TO_END = 10


def main(arguments: list[str]) -> int:
    """Return the exit code of the run."""
    try:
        python = environments.development()
    except environments.EnvironmentFailure as failure:
        print(failure, file=sys.stderr)
        return 1
    link_collection()
    words = [str(python), "-m", "tools.reliability.run", *arguments]
    command = MarkedCommand(words, variables=environment(python.parent, PYTHONPATH=_imports()), folder=ROOT)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return command.start().wait()
    except KeyboardInterrupt:
        print("\nInterrupted: stopping everything that the experiments started.", file=sys.stderr, flush=True)
        command.interrupt(SECONDS_TO_END)
        return 130
    finally:
        command.stop_everything()


def _imports() -> str:
    return ":".join(map(str, (ROOT, LINK, ROOT / "roles" / "simulator" / "files")))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

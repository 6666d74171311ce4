"""Run one command and measure it: its time, its memory, the lines of the collection that it loads, and its instructions with valgrind."""

from __future__ import annotations

import os
import re
import shutil
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tools.processes import MarkedCommand

SECONDS_AT_MOST = 1800.0
HOOK = Path(__file__).resolve().parent / "hook"
VALGRIND = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--trace-children=yes"]


class Failed(Exception):
    """The command ended with an error; the message has the end of what it said."""


def timed(words: Sequence[str], variables: Mapping[str, str], folder: Path) -> dict[str, float]:
    """Return `wall` and `cpu` in seconds and `memory`, the resident bytes of the largest of its processes."""
    output = folder / "output.txt"
    command = MarkedCommand(list(words), variables=dict(variables), folder=folder)
    with output.open("wb") as stream:
        try:
            begin = time.perf_counter()
            process = command.start(stream)
            limit = threading.Timer(SECONDS_AT_MOST, process.kill)
            limit.start()
            # Unlike Popen.wait, this tells what the process and all that it waited for have used.
            _pid, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - begin
            limit.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            command.stop_everything()
    if process.returncode:
        end = output.read_text(encoding="utf-8", errors="replace").splitlines()[-12:]
        raise Failed(f"ended with {process.returncode}: " + "\n".join(end))
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss * 1024.0}


def counted(words: Sequence[str], variables: Mapping[str, str], folder: Path) -> dict[str, float]:
    """Return `lines`, and with valgrind on this machine `instructions` (of the busiest process but a module's) and `module` (of the module's)."""
    counts = folder / "counts"
    shutil.rmtree(counts, ignore_errors=True)
    counts.mkdir()
    lines = counts / "lines"
    # Nothing is compiled yet for the first of the two runs, and everything for the second, as for each start but the first.
    variables = {**variables, "PYTHONPYCACHEPREFIX": str(counts / "byte code")}
    timed(words, {**variables, "PYTHONPATH": str(HOOK), "BENCH_LOADED_LINES": str(lines)}, folder)
    found = {"lines": float(sum(map(int, lines.read_text(encoding="utf-8").split()))) if lines.exists() else 0.0}
    if shutil.which(VALGRIND[0]):
        timed([*VALGRIND, f"--cachegrind-out-file={counts}/%p", *words], variables, folder)
        # A forked process counts on from what its parent had counted; so the worker's total is that of the whole way to it.
        for file in counts.glob("[0-9]*"):
            text = file.read_text(encoding="utf-8", errors="replace")
            command, total = (re.search(rf"^{name}: (.*)$", text, re.MULTILINE) for name in ("cmd", "summary"))
            if command and total:
                name = "module" if "AnsiballZ" in command[1] else "instructions"
                found[name] = max(found.get(name, 0.0), float(total[1].split()[0]))
    return found

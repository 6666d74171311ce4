"""Measure an import of 1,000 customers with 10,000 mailboxes from a dump of 200 MB, and one of a tenth of that.

`make bench` starts this: `python -m tools.development tools.import_speed`. It ends with an error where an
import takes longer, or more memory, than the collection promises. An import has one processor.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.support.large_sources import write_large_dump
from tools.layout import make_scratch_folder

PANELS = ("ispconfig", "froxlor")
SECONDS_AT_MOST = 60
MEGABYTES_AT_MOST = 500
SIZES = ((100, 20), (1_000, 200))
"""Customers, and megabytes of the dump: a tenth, and what is promised."""


@dataclass(frozen=True)
class Usage:
    """What an import took.

    Attributes:
        seconds: Of a processor.
        wall_seconds: From its start to its end.
        megabytes: Memory of the largest of its processes.
    """

    seconds: float
    wall_seconds: float
    megabytes: float


def measure_import(panel: str, dump: Path) -> Usage:
    """Import a dump with the command ansible into a directory beside it.

    Raises:
        RuntimeError: The import failed.
    """
    folder = dump.parent
    (folder / "vault-password").write_text("secret", encoding="utf-8")
    options = {
        "source": panel,
        "path": str(dump),
        "dir": str(folder / "panel"),
        "page_file": str(folder / "page.md"),
        "content_file": str(folder / "content.json"),
    }
    module = ["-m", "hosting.panel.panel_import", "-a", json.dumps(options)]
    vault = ["--vault-password-file", str(folder / "vault-password")]
    command = [sys.executable, "-m", "ansible", "adhoc", "localhost", *module, *vault]

    begin = time.perf_counter()
    with (folder / "output.txt").open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
        # Unlike Popen.wait, this has what the process and all that it waited for have used.
        _pid, status, usage = os.wait4(process.pid, 0)
    wall_seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode or not (folder / "page.md").exists():
        raise RuntimeError((folder / "output.txt").read_text(errors="replace")[-2_000:])

    # Linux counts in KB, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    seconds = usage.ru_utime + usage.ru_stime
    return Usage(seconds, wall_seconds, usage.ru_maxrss * unit / 1024**2)


def main() -> int:
    """Measure all imports, print a line for each, and return the exit code."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    exit_code = 0
    for panel in PANELS:
        for customers, megabytes in SIZES:
            with tempfile.TemporaryDirectory(dir=make_scratch_folder()) as name:
                dump = Path(name) / "dump.sql"
                write_large_dump(panel, dump, customers, megabytes)
                usage = measure_import(panel, dump)
            print(
                f"{panel}, {customers:,} customers, {megabytes} MB: {usage.seconds:.1f} s of a "
                f"processor, {usage.wall_seconds:.1f} s in all, {usage.megabytes:.0f} MB of memory",
                flush=True,
            )
            if usage.seconds > SECONDS_AT_MOST or usage.megabytes > MEGABYTES_AT_MOST:
                promised = f"at most {SECONDS_AT_MOST} s and {MEGABYTES_AT_MOST} MB are promised"
                print(promised, file=sys.stderr)
                exit_code = 1
    return exit_code


if __name__ == "__main__":
    sys.exit(main())

"""Measure an import of 1,000 customers with 10,000 mailboxes from a dump of 200 MB, and one of a tenth of that.

`make bench` starts this: `python -m tools.development tools.import_speed`. An import has one processor.

Nearly all of the time, Ansible derives a key for each secret: 10,000 rounds, which is what its format
asks for. So this measures how long a key takes, and ends with an error where all else takes longer, or
more memory, than the collection promises. On a quiet machine, all of it is done in a minute.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from ansible.parsing.vault import VaultLib, VaultSecret

from tests.support.large_sources import write_large_dump
from tools.layout import make_scratch_folder

PANELS = ("ispconfig", "froxlor")
SECONDS_AT_MOST = 20
"""For all but the keys, on a machine that has other work too."""
MEGABYTES_AT_MOST = 500
_CIPHERTEXT = re.compile(r"AES256\n\s+([0-9a-f]+)\n")
_KEYS_MEASURED = 100
SIZES = ((100, 20), (1_000, 200))
"""Customers, and megabytes of the dump: a tenth, and what is promised."""


@dataclass(frozen=True)
class Usage:
    """What an import took.

    Attributes:
        seconds: Of a processor.
        wall_seconds: From its start to its end.
        megabytes: Memory of the largest of its processes.
        keys: How many keys were derived.
    """

    seconds: float
    wall_seconds: float
    megabytes: float
    keys: int


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
    keys = _count_keys(folder / "panel")
    return Usage(seconds, wall_seconds, usage.ru_maxrss * unit / 1024**2, keys)


def _count_keys(directory: Path) -> int:
    """Return how many different values a directory has encrypted."""
    texts = [path.read_text(encoding="utf-8") for path in directory.rglob("*.yml")]
    return len({line for text in texts for line in _CIPHERTEXT.findall(text)})


def measure_key() -> float:
    """Return the seconds of a processor that Ansible takes to encrypt a short text."""
    secret = VaultSecret(b"secret")  # type: ignore[no-untyped-call]
    vault = VaultLib([("default", secret)])  # type: ignore[no-untyped-call]
    begin = time.process_time()
    for _number in range(_KEYS_MEASURED):
        vault.encrypt("text", secret=secret)  # type: ignore[no-untyped-call]
    return (time.process_time() - begin) / _KEYS_MEASURED


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
                seconds_of_key = measure_key()
                usage = measure_import(panel, dump)
                seconds_of_key = (seconds_of_key + measure_key()) / 2
            remaining_seconds = usage.seconds - usage.keys * seconds_of_key
            print(
                f"{panel}, {customers:,} customers, {megabytes} MB: {usage.seconds:.1f} s of a "
                f"processor, {remaining_seconds:.1f} s of it apart from {usage.keys:,} keys of "
                f"{seconds_of_key * 1000:.1f} ms, {usage.wall_seconds:.1f} s in all, "
                f"{usage.megabytes:.0f} MB of memory",
                flush=True,
            )
            if remaining_seconds > SECONDS_AT_MOST or usage.megabytes > MEGABYTES_AT_MOST:
                promised = f"at most {SECONDS_AT_MOST} s and {MEGABYTES_AT_MOST} MB are promised"
                print(promised, file=sys.stderr)
                exit_code = 1
    return exit_code


if __name__ == "__main__":
    sys.exit(main())

"""Run the experiments, print the table, and write it to docs/reliability.md: `make reliability`.

`python -m tools.development tools.reliability [--quick] [--only NAME ...]` runs some of them.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import multiprocessing
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

from tools.layout import ROOT
from tools.reliability.figures import Row, Size, table

# A module beside this one, and its function, which takes a size and returns rows; its documentation string says what it does.
EXPERIMENTS = {
    "kills": "disturbed.kills",
    "certificate_kills": "certificate_kills.run",
    "full_disk": "disturbed.full_disk",
    "writers": "disturbed.writers",
    "lost_updates": "lost_updates.run",
    "canary": "canary.run",
    "transport": "transport.run",
    "load": "load.run",
}
# Of these, each keeps one core busy and none measures time; every other one has the machine for itself.
SIDE_BY_SIDE = ("canary", "transport")
REPORT = ROOT / "docs" / "reliability.md"
KEPT = ROOT / ".build" / "reliability"
MOST_LINES = 40


def main(arguments: Sequence[str]) -> int:
    """Return 0 when no promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tools.reliability", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a slice of each, some of which `make push` runs")
    parser.add_argument(
        "--page", action="store_true", help="also after --only, the page from the last whole run of each"
    )
    parser.add_argument(
        "--only", action="append", choices=list(EXPERIMENTS), metavar="NAME", help=", ".join(EXPERIMENTS)
    )
    options = parser.parse_args(arguments)
    size = Size.SLICE if options.quick else Size.FULL
    names = options.only or list(EXPERIMENTS)
    together = [name for name in names if name in SIDE_BY_SIDE]
    with ProcessPoolExecutor(len(SIDE_BY_SIDE), multiprocessing.get_context("fork")) as pool:
        found = dict(zip(together, pool.map(_run, together, itertools.repeat(size)), strict=True))
    found |= {name: _run(name, size) for name in names if name not in found}
    rows = [row for name in EXPERIMENTS for row in found.get(name, ())]
    print(f"\n{table(rows)}", flush=True)
    if size is Size.FULL and (options.page or not options.only):
        kept = (json.loads((KEPT / f"{name}.json").read_text(encoding="utf-8")) for name in EXPERIMENTS)
        figures = table(Row(**row) for rows in kept for row in rows)
        REPORT.write_text(f"{_HEAD}\n{figures}\n{_NOT_AT_ALL}", encoding="utf-8")
        print(f"{REPORT} was written.")
    return 1 if any(row.wrong for row in rows) else 0


def _run(name: str, size: Size) -> list[Row]:
    """Runs one of them, tells what it found, and keeps the figures of a whole run for the page."""
    module, _dot, function = EXPERIMENTS[name].partition(".")
    print(f"{name} ...", flush=True)
    begin = time.monotonic()
    rows: list[Row] = getattr(importlib.import_module(f"tools.reliability.{module}"), function)(size)
    wrong = [f"  WRONG {row.experiment}: {line}\n" for row in rows for line in row.wrong]
    tried = f"  {name}: {sum(row.tried for row in rows):,} tried in {time.monotonic() - begin:.0f} s"
    print(
        *wrong[:MOST_LINES],
        *[f"  and {len(wrong) - MOST_LINES} more\n"] * (len(wrong) > MOST_LINES),
        tried,
        sep="",
        flush=True,
    )
    if size is Size.FULL:
        KEPT.mkdir(parents=True, exist_ok=True)
        (KEPT / f"{name}.json").write_text(json.dumps([vars(row) for row in rows]), encoding="utf-8")
    return rows


_HEAD = """\
# Proof of reliability

What the collection went through without losing, doubling or printing anything. `make reliability` runs all of it against the panel
simulator and writes this page; slices of some experiments are part of `make push`. What can become of an answer to a write is tried with every
operation on a panel in memory, by `tests/unit/test_lost_answers.py`.

*Survived*: it ended as if nothing had happened. *Failed and said so*: it failed, nothing was lost or doubled, and the message named the request,
what is known about its effect, and what to do next. *Lost*, *doubled*, *leaked*: objects or writes that vanished, or were there twice, and
secrets that were shown. *Wrong in any way*: these, and every other broken promise.
"""
_NOT_AT_ALL = """\
## What was not tried

- A live panel: everything here ran against the simulator, whose answers are partly inferred from public documentation and public clients.
- Two controllers at once: what keeps writers of one zone, one file, one scheduled task or one directory protection apart is a lock of one machine.
- A generated password of a single module whose controller is killed: only its result has the password, and no one reads it.
- A second run that starts while the panel still processes a write of the first, for kinds without unique names.
- A panel that repeats in the answer to one task a password of letters alone that another task has sent before.
- A file system that loses what it has confirmed as written, and one over a network that cannot lock.
- Another user of the controller who changes files while a run writes them.

What each experiment does stands in its file in `tools/reliability`.
"""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

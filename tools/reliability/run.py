# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the experiments one after the other, print the table, and write it to docs/reliability.md."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections.abc import Iterable, Sequence
from types import ModuleType

from tools.layout import ROOT
from tools.reliability.figures import Row, Size, table

# Each is a module beside this one, with `run(size)`, which returns its rows, and a documentation string that docs/reliability.md shows.
EXPERIMENTS = (
    "faults",
    "kills",
    "lost_updates",
    "canary",
    "short_secrets",
    "taint",
    "transport",
    "fuzz",
    "interface",
    "load",
)
REPORT = ROOT / "docs" / "reliability.md"
MOST_LINES = 40


def main(arguments: Sequence[str]) -> int:
    """Return 0 when no promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tools.reliability", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the slices that `make test` runs")
    parser.add_argument("--only", action="append", choices=EXPERIMENTS, metavar="NAME", help=", ".join(EXPERIMENTS))
    options = parser.parse_args(arguments)
    size = Size.SLICE if options.quick else Size.FULL
    modules = {name: importlib.import_module(f"tools.reliability.{name}") for name in options.only or EXPERIMENTS}
    rows: list[Row] = []
    for name, module in modules.items():
        print(f"{name}: {_first_line(module)}", flush=True)
        rows += _rows_of(module, size)
    print(f"\n{table(rows)}", flush=True)
    if size is Size.FULL and not options.only:
        REPORT.write_text(report(rows, modules.values()), encoding="utf-8")
        print(f"{os.path.relpath(REPORT)} was written.")
    return 0 if all(row.is_good for row in rows) else 1


def _rows_of(module: ModuleType, size: Size) -> list[Row]:
    begin = time.monotonic()
    rows: list[Row] = module.run(size)
    for row in rows:
        for line in row.wrong[:MOST_LINES]:
            print(f"  WRONG {row.experiment}: {line}")
        if len(row.wrong) > MOST_LINES:
            print(f"  and {len(row.wrong) - MOST_LINES} more")
    print(f"  {sum(row.tried for row in rows):,} tried in {time.monotonic() - begin:.0f} s", flush=True)
    return rows


def _first_line(module: ModuleType) -> str:
    return (module.__doc__ or "").strip().partition("\n")[0]


def report(rows: Iterable[Row], modules: Iterable[ModuleType]) -> str:
    """The page about the figures: the table, and what each experiment does."""
    told = "\n".join(
        f"## {module.__name__.rpartition('.')[2]}\n\n{(module.__doc__ or '').strip()}\n" for module in modules
    )
    return f"{_HEAD}\n{table(rows)}\n{told}"


_HEAD = """\
<!-- Copyright: (c) 2026, the hosting.panel contributors -->
<!-- SPDX-License-Identifier: GPL-3.0-or-later -->
# Proof of reliability

What the collection went through without losing, doubling or printing anything. `make reliability` runs all of it against the panel
simulator and writes this page; a slice of each experiment is part of `make test`.

*Survived*: it ended as if nothing had happened. *Failed and said so*: it failed, nothing was lost or doubled, and the message named the request,
what is known about its effect, and what to do next. *Lost*, *doubled*, *leaked*: objects or writes that vanished, or were there twice, and
secrets that were shown. *Wrong in any way*: these, and every other broken promise.
"""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

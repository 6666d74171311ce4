# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure, judge, and write the page with its picture. `tools.bench` starts this in an environment of its own."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tools.bench import fleet, fleet_page
from tools.bench.collection import install
from tools.bench.experiments import experiments
from tools.bench.goals import GOALS
from tools.bench.judging import Verdict, judge
from tools.bench.load import ForeignLoad
from tools.bench.report import Outcome, goals_table, page
from tools.bench.rounds import measure
from tools.bench.rows import Experiment
from tools.bench.workshop import Workshop
from tools.layout import BUILD, ROOT

FOLDER = BUILD / "bench"
PAGE_FOLDER = ROOT / "docs" / "performance"
PICTURE = "scale.svg"
FLEET_PAGE = "fleet.md"


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the command line; exits with a message when it is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench", description="Measure the collection beside other ways of doing the same work."
    )
    parser.add_argument("--quick", action="store_true", help="only what goals need, in fewer rounds")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="only this experiment; may be repeated"
    )
    parser.add_argument("--list", action="store_true", help="name the experiments and end")
    parser.add_argument(
        "--output", type=Path, help="folder of the page (a whole run: docs/performance, otherwise .build/bench)"
    )
    return parser.parse_args(arguments)


def chosen(all_of_them: Iterable[Experiment], names: Sequence[str]) -> list[Experiment]:
    """Return the experiments named, all if none is; raises ValueError for a name that is none."""
    found = list(all_of_them)
    unknown = set(names) - {one.name for one in found} - {fleet.NAME}
    if unknown:
        known = ", ".join([*(one.name for one in found), fleet.NAME])
        raise ValueError(f"There is no experiment {', '.join(sorted(unknown))}; there are {known}.")
    return [one for one in found if not names or one.name in names]


def carry_out(wanted: Iterable[Experiment], folder: Path, collections: Path) -> tuple[list[Outcome], list[Verdict]]:
    """Measure experiments; return what they took and the verdicts on their goals."""
    outcomes = []
    for experiment in wanted:
        load = ForeignLoad()
        measured = measure(experiment, Workshop(folder / experiment.name, collections))
        outcomes.append(Outcome(experiment, measured, load.processors()))
    rows = {outcome.experiment.name: {one.row.name: one for one in outcome.rows} for outcome in outcomes}
    return outcomes, [judge(goal, rows[goal.experiment]) for goal in GOALS if goal.experiment in rows]


def write(folder: Path, outcomes: list[Outcome], verdicts: list[Verdict]) -> None:
    """Write the page, and the picture where there is something to draw and something to draw with."""
    folder.mkdir(parents=True, exist_ok=True)
    picture = ""
    if any(outcome.experiment.name.startswith("bulk-") for outcome in outcomes):
        try:
            from tools.bench.plot import draw

            draw(outcomes, folder / PICTURE)
            picture = PICTURE
        except ModuleNotFoundError as missing:
            print(f"No picture was drawn: {missing.name} is not installed.")
    (folder / "README.md").write_text(page(outcomes, verdicts, picture), encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Return 0 when every row is valid, whatever the times are."""
    options = parse_arguments(arguments)
    try:
        wanted = chosen(experiments(quick=options.quick), options.only)
    except ValueError as mistake:
        print(mistake, file=sys.stderr)
        return 2
    if options.list:
        named = [(one.name, one.title) for one in wanted] + [(fleet.NAME, fleet.TITLE)]
        print("\n".join(f"{name:<12} {title}" for name, title in named))
        return 0
    begin = time.monotonic()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    collections = install(FOLDER / "collection")
    is_whole = not options.quick and not options.only
    output = options.output or (PAGE_FOLDER if is_whole else FOLDER)
    outcomes, verdicts = carry_out(wanted, FOLDER, collections)
    if wanted:
        write(output, outcomes, verdicts)
    invalid = []
    if fleet.NAME in options.only or not options.only:
        size = (fleet.QUICK_SIZES, fleet.QUICK_CLIENTS) if options.quick else (fleet.SIZES, fleet.CLIENTS)
        measured = fleet.measure(FOLDER / fleet.NAME, collections, *size)
        output.mkdir(parents=True, exist_ok=True)
        (output / FLEET_PAGE).write_text(fleet_page.page(measured), encoding="utf-8")
        (FOLDER / "fleet.json").write_text(json.dumps(asdict(measured), indent=1), encoding="utf-8")
        invalid += [f"{fleet.NAME}: {run.operation}" for run in measured.runs if run.mistake]
    (FOLDER / "rows.json").write_text(json.dumps([_plain(one) for one in outcomes], indent=1), encoding="utf-8")
    print(f"\n{goals_table(verdicts)}\n{output / 'README.md'}, {(time.monotonic() - begin) / 60:.1f} minutes")
    invalid += [
        f"{outcome.experiment.name}: {one.row.name}" for outcome in outcomes for one in outcome.rows if one.mistake
    ]
    if invalid:
        print(f"Invalid rows: {'; '.join(invalid)}", file=sys.stderr)
    return 1 if invalid else 0


def _plain(outcome: Outcome) -> dict[str, Any]:
    return {
        "experiment": outcome.experiment.name,
        "foreign_processors": outcome.foreign,
        "rows": [
            {
                "name": one.row.name,
                "way": one.row.way.title,
                "count": one.row.count,
                "start": one.row.start.name,
                "requests": one.requests,
                "mistake": one.mistake,
                "first": asdict(one.first) if one.first else None,
                "samples": {number: asdict(sample) for number, sample in one.samples.items()},
            }
            for one in outcome.rows
        ],
    }


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

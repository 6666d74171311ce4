"""Run the experiments, print the table, and write it into docs/reliability.md: `make reliability`.

`python -m tools.development tools.reliability [--quick] [--only NAME ...] [--page]` runs some of them.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence

from tools.layout import ROOT, make_importable

make_importable()

from tools.reliability import canary, experiments  # noqa: E402
from tools.reliability.experiments import HEADINGS, Row  # noqa: E402

RUNS: dict[str, Callable[[str, bool], Row]] = {
    **dict.fromkeys(experiments.EXPERIMENTS, experiments.run),
    "canary": canary.run,
}
PAGE = ROOT / "docs" / "reliability.md"
KEPT = ROOT / ".build" / "reliability"


def main(arguments: Sequence[str]) -> int:
    """Return 0 when no promise was broken."""
    options = _parse(arguments)
    rows = []

    for name in options.only or RUNS:
        print(f"{name} ...", flush=True)
        row = RUNS[name](name, options.quick)
        rows.append(row)
        lines = [f"  WRONG {line}" for line in row.wrong]
        print(*lines, f"  {row.numbers}", sep="\n", flush=True)
        if not options.quick:
            KEPT.mkdir(parents=True, exist_ok=True)
            (KEPT / f"{name}.json").write_text(json.dumps(row._asdict()), encoding="utf-8")

    print(f"\n{make_table(rows)}", flush=True)
    if not options.quick and (options.page or not options.only):
        _write_page()

    return 1 if any(row.wrong for row in rows) else 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.reliability", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a slice of each, some of which `make push` runs"
    )
    parser.add_argument(
        "--page", action="store_true", help="also after --only, the page from the last whole runs"
    )
    parser.add_argument(
        "--only", action="append", choices=list(RUNS), metavar="NAME", help=", ".join(RUNS)
    )
    return parser.parse_args(arguments)


def _write_page() -> None:
    """Write the table of the last whole runs into the page."""
    rows = []
    for name in RUNS:
        fields = json.loads((KEPT / f"{name}.json").read_text(encoding="utf-8"))
        rows.append(Row(**fields))

    page = PAGE.read_text(encoding="utf-8")
    text = re.sub(r"(?m)(^\|.*\n)+", lambda _match: make_table(rows), page, count=1)
    PAGE.write_text(text, encoding="utf-8")
    print(f"{PAGE} was written.")


def make_table(rows: Iterable[Row]) -> str:
    """Return the rows as a table of Markdown."""
    titles = ["Experiment", "What was tried", *HEADINGS]
    alignments = ["---:" for _heading in HEADINGS]
    lines = [titles, ["---", "---", *alignments]]
    for row in rows:
        numbers = [f"{number:,}" for number in row.numbers.values()]
        lines.append([row.experiment, row.description, *numbers])

    text = ""
    for line in lines:
        cells = " | ".join(line)
        text += f"| {cells} |\n"
    return text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

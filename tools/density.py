"""Refuse code that gets denser: figures of each package, and what tools/density.yml allows.

`python -m tools.density` compares them. `--lower` writes the figures that have fallen; no option
raises one. A line is one on which an expression or a statement begins: to count lines of 88 columns
gives other figures. Rules that ruff has are counted by ruff, the rest is counted here.
"""

from __future__ import annotations

import ast
import json
import math
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tools.layout import ROOT

LIMITS = ROOT / "tools" / "density.yml"
PACKAGES = {
    "core": ("plugins/module_utils",),
    "controller": (
        "plugins/action",
        "plugins/filter",
        "plugins/inventory",
        "plugins/lookup",
        "plugins/plugin_utils",
    ),
    "simulator": ("roles/simulator/files",),
    "tools": ("tools",),
    "tests": ("tests",),
}
RULES = {
    "PLR0911": "functions with too many returns",
    "PLR0912": "functions with too many branches",
    "PLR0913": "functions with too many arguments",
    "PLR0914": "functions with too many variables",
    "PLR0915": "functions with too many statements",
    "D101": "public classes without a docstring",
    "D102": "public methods without a docstring",
    "D103": "public functions without a docstring",
    "E501": "lines over 100 columns",
}
LONG_LINES = "lines over 100 columns, of a thousand"
NODES = "expressions a line"
TERNARIES = "ternaries a thousand lines"
PAIRS = "assignments of several names a thousand lines"
NESTED = "nested comprehensions a thousand lines"
VAGUE = "percent of names that name nothing"
VAGUE_NAMES = frozenset(
    {
        "again", "anyway", "became", "both", "found", "given", "going", "gone", "had", "here", "known", "led", "left", "lost", "made",
        "one", "ones", "other", "others", "own", "part", "place", "rest", "said", "shown", "side", "sides", "some", "taken", "there",
        "told", "what", "whose", "why", "word", "words",
    }
)  # fmt: skip
"""Participles, pronouns and adverbs: they say that there is something, and not what it is."""
# One more test or table moves a figure that is per line by a hair, without being denser.
_SLACK = dict.fromkeys((NODES, TERNARIES, PAIRS, NESTED, VAGUE, LONG_LINES), 1.01)
HEADER = "# Written by `python -m tools.density --lower`. A figure may fall, and may not rise.\n"
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

Figures = dict[str, float]


def count(source: str) -> Counter[str]:
    """Count the lines of a file on which something begins, and what may be dense on them."""
    nodes = list(ast.walk(ast.parse(source)))
    counts: Counter[str] = Counter()
    counts["lines"] = len({node.lineno for node in nodes if isinstance(node, (ast.expr, ast.stmt))})

    for node in nodes:
        counts[NODES] += isinstance(node, ast.expr)
        counts[TERNARIES] += isinstance(node, ast.IfExp)
        counts[PAIRS] += _assigns_several(node)
        counts[NESTED] += _is_nested(node)
        name = _find_stored_name(node)
        counts["names"] += bool(name)
        counts[VAGUE] += name.strip("_") in VAGUE_NAMES

    return counts


def _assigns_several(node: ast.AST) -> bool:
    """Return whether a statement gives several names a value each."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Tuple):
        return False

    return any(isinstance(target, ast.Tuple) for target in node.targets)


def _is_nested(node: ast.AST) -> bool:
    """Return whether a node is a comprehension with another one inside."""
    if not isinstance(node, _COMPREHENSIONS):
        return False

    inner_nodes = (inner for child in ast.iter_child_nodes(node) for inner in ast.walk(child))
    return any(isinstance(inner, _COMPREHENSIONS) for inner in inner_nodes)


def _find_stored_name(node: ast.AST) -> str:
    """Return the name of a variable that gets a value, or of a parameter; else an empty text."""
    if isinstance(node, ast.arg):
        return node.arg
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id

    return ""


def measure_figures(sources: Iterable[str]) -> Figures:
    """Return what is counted here, of a package."""
    counts: Counter[str] = Counter()
    for source in sources:
        counts.update(count(source))

    lines = counts["lines"] or 1
    return {
        NODES: counts[NODES] / lines,
        TERNARIES: 1000 * counts[TERNARIES] / lines,
        PAIRS: 1000 * counts[PAIRS] / lines,
        NESTED: 1000 * counts[NESTED] / lines,
        VAGUE: 100 * counts[VAGUE] / (counts["names"] or 1),
    }


class RuffFailed(Exception):
    """Says why ruff has counted nothing; it may be missing."""


def count_by_ruff(folders: Sequence[Path]) -> Figures:
    """Return how often the code in folders breaks each of the rules that ruff has."""
    command = [sys.executable, "-m", "ruff", "check", "--preview", "--exit-zero"]
    command += ["--select", ",".join(RULES), "--config", "lint.pycodestyle.max-line-length=100"]
    command += [
        "--output-format",
        "json",
        *map(str, folders),
    ]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        raise RuffFailed(f"ruff counts a part of the figures, and failed: {process.stderr.strip()}")
    violations = json.loads(process.stdout)
    counts = Counter(violation["code"] for violation in violations if not _is_of_test(violation))
    return {description: float(counts[code]) for code, description in RULES.items()}


def _is_of_test(violation: Mapping[str, Any]) -> bool:
    """Return whether a missing docstring is that of a test, whose name is a sentence."""
    if not violation["code"].startswith("D"):
        return False

    lines = Path(violation["filename"]).read_text(encoding="utf-8").splitlines()
    line: str = lines[violation["location"]["row"] - 1]
    return line.lstrip().startswith("def test_")


def measure() -> dict[str, Figures]:
    """Return the figures of all packages."""
    measured = {}
    for package, names in PACKAGES.items():
        folders = [ROOT / name for name in names]
        files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
        sources = [file.read_text(encoding="utf-8") for file in files]
        by_rule = count_by_ruff(folders)
        # Code that is unpacked has more lines, and some of them are long too.
        long_lines = by_rule.pop(RULES["E501"])
        all_lines = sum(source.count("\n") for source in sources)
        by_rule[LONG_LINES] = 1000 * long_lines / (all_lines or 1)
        measured[package] = {**measure_figures(sources), **by_rule}

    return measured


def find_complaints(
    measured: Mapping[str, Figures], limits: Mapping[str, Mapping[str, float]]
) -> Iterator[str]:
    """Yield a line for each figure that is higher than its limit, or has none."""
    for package, figures in measured.items():
        for name, figure in figures.items():
            limit = limits.get(package, {}).get(name)
            if limit is None:
                yield f"{package}: {name}: tools/density.yml has no limit"
            elif figure > limit * _SLACK.get(name, 1):
                yield f"{package}: {name}: {_round(figure):g}, and tools/density.yml allows {limit:g}"


def lower_limits(
    measured: Mapping[str, Figures], limits: Mapping[str, Mapping[str, float]]
) -> dict[str, Figures]:
    """Return limits that no figure exceeds but those that exceed the old ones."""
    new_limits = {}
    for package, figures in measured.items():
        old_limits = limits.get(package, {})
        new_limits[package] = {
            name: min(_round(figure), old_limits.get(name, math.inf))
            for name, figure in figures.items()
        }

    return new_limits


def _round(figure: float) -> float:
    """Return a figure with two decimals, rounded up, so that it does not exceed itself."""
    return math.ceil(figure * 100 - 1e-9) / 100


def main(arguments: Sequence[str]) -> int:
    """Return 0 when no figure exceeds its limit."""
    limits = {}
    if LIMITS.exists():
        limits = yaml.safe_load(LIMITS.read_text(encoding="utf-8"))

    try:
        measured = measure()
    except RuffFailed as error:
        print(error)
        return 1
    if "--lower" in arguments:
        limits = lower_limits(measured, limits)
        text = yaml.safe_dump(limits, sort_keys=False)
        LIMITS.write_text(f"{HEADER}---\n{text}", encoding="utf-8")

    lines = list(find_complaints(measured, limits))
    for line in lines:
        print(line)

    if lines:
        print("Give the steps names, or write docstrings; CONTRIBUTING.md has the rules.")
        return 1

    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Refuse a function whose name does not begin with a verb: `python -m tools.verbs`.

The verbs are those of tools/verbs.yml, with the names that code of others demands. Tests, fixtures,
properties, sessions of nox and the methods of Python's own protocols are named by other rules.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from tools.density import PACKAGES
from tools.layout import ROOT

VERBS = ROOT / "tools" / "verbs.yml"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NAMED_BY_OTHER_RULES = ("test_", "pytest_", "__")
_VALUES = ("property", "fixture", "setter", "session")


def list_functions(source: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield each function of a file that has to begin with a verb."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, _FUNCTIONS):
            continue
        if node.name.startswith(_NAMED_BY_OTHER_RULES) or _is_used_as_value(node):
            continue

        yield node


def _is_used_as_value(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether its users see a value or a command and no function."""
    decorators = [ast.unparse(decorator) for decorator in function.decorator_list]
    return any(value in decorator for decorator in decorators for value in _VALUES)


def find_misnamed(source: str, rules: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """Yield line and name of each function that begins with no verb.

    Args:
        source: The text of a file.
        rules: What tools/verbs.yml holds: lists of first words, and of names that others demand.
    """
    first_words = {*rules["verbs"], *rules["conversions"], *rules["public"]}
    for function in list_functions(source):
        is_named_by_others = function.name in rules["demanded"]
        if _find_first_word(function) not in first_words and not is_named_by_others:
            yield function.lineno, function.name


def find_mistyped(source: str, rules: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """Yield line and name of each function that returns something else than its verb says."""
    for function in list_functions(source):
        expected = rules["returns"].get(_find_first_word(function))
        if not expected or function.returns is None:
            continue

        returned = ast.unparse(function.returns)
        if not returned.startswith(tuple(map(str, expected))):
            yield function.lineno, function.name


def _find_first_word(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return function.name.lstrip("_").partition("_")[0].lower()


def list_files() -> Iterable[Path]:
    """Return the Python files of all packages."""
    folders = [ROOT / name for names in PACKAGES.values() for name in names]
    folders += [ROOT / "roles" / "content" / "files", ROOT / "extensions", ROOT / "docs"]
    return [ROOT / "noxfile.py", *(file for folder in folders for file in folder.rglob("*.py"))]


def main() -> int:
    """Return 0 when the functions of all files begin with verbs."""
    rules = yaml.safe_load(VERBS.read_text(encoding="utf-8"))
    complaints = []
    for file in sorted(list_files()):
        name = file.relative_to(ROOT)
        source = file.read_text(encoding="utf-8")
        complaints += [
            f"{name}:{line}: {function} begins with no verb of tools/verbs.yml"
            for line, function in find_misnamed(source, rules)
        ]
        if name.parts[0] == "tests":
            continue
        complaints += [
            f"{name}:{line}: {function} returns something else than its verb says"
            for line, function in find_mistyped(source, rules)
        ]

    for complaint in complaints:
        print(complaint)

    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

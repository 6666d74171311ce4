"""The list of faults keeps up with the code.

Each can be put in, and the tests that have to notice it are there.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools import mutants
from tools.layout import ROOT

MUTANTS = mutants.list_mutants()
FEWEST = 60


def test_there_are_enough_of_them_each_with_a_name_of_its_own() -> None:
    assert len(MUTANTS) >= FEWEST

    names = Counter(mutant["id"] for mutant in MUTANTS)
    assert [name for name, count in names.items() if count > 1] == []


def list_names(tree: ast.AST) -> set[str]:
    """Return the names that code defines or uses."""
    names = set()
    for node in ast.walk(tree):
        for field in ("id", "attr", "name", "asname", "arg"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                names.add(name)
    return names


@functools.cache
def read_names(file: Path) -> set[str]:
    """Return the names that a file defines or uses; none where there is no such file."""
    return list_names(ast.parse(file.read_text(encoding="utf-8"))) if file.is_file() else set()


def list_imported_names(tree: ast.AST, file: Path) -> Iterator[str]:
    """Yield the names of the files and modules that a file imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            paths = [folder, *(folder / alias.name for alias in node.names)]
            for path in paths:
                yield from read_names(path.with_suffix(".py"))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield from dir(importlib.import_module(alias.name))


def list_unknown_names(changed: str, file: Path) -> list[str]:
    """Return the names of a fault that neither its file has nor what that file imports.

    Such a fault fails in each test that reaches it, so it does not show that a test is there.
    """
    tree = ast.parse(changed)
    parameters = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    imported_names = list_imported_names(tree, file)
    known_names = {*read_names(file), *imported_names, *parameters, *dir(builtins), *dir(str)}
    return sorted(list_names(tree) - known_names)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant["id"])
def test_a_fault_can_be_put_in_and_names_its_tests(mutant: dict[str, str]) -> None:
    text = (ROOT / mutant["file"]).read_text(encoding="utf-8")
    changed = mutants.mutate(text, mutant)

    assert changed != text
    assert len(changed.splitlines()) == len(text.splitlines())

    compile(changed, mutant["file"], "exec")
    assert list_unknown_names(changed, ROOT / mutant["file"]) == []
    assert [
        test for test in mutant["tests"] if not (ROOT / test.partition("::")[0]).is_file()
    ] == []
    assert mutant["why"]


def test_a_fault_with_a_name_that_nothing_has_is_refused() -> None:
    file = ROOT / "plugins" / "module_utils" / "_dns" / "zone_writing.py"
    text = file.read_text(encoding="utf-8")

    dead = text.replace("str(desired.domain).lower(", "desired.label(")
    alive = text.replace("str(desired.domain).lower(", "desired.format_label(")

    assert dead != text
    assert list_unknown_names(dead, file) == ["label"]
    assert list_unknown_names(alive, file) == []


def test_a_fault_that_survives_or_cannot_be_put_in_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "code.py").write_text("limit = 1\n", encoding="utf-8")
    fault = {
        "id": "limit",
        "file": "code.py",
        "old": "limit = 1",
        "new": "limit = 2",
        "tests": [],
        "why": "too many",
    }
    seen: list[str] = []

    def pop_code(_tests: object, copy: Path) -> int:
        seen.append((copy / "code.py").read_text(encoding="utf-8"))
        return codes.pop(0)

    monkeypatch.setattr(mutants, "run_pytest", pop_code)
    codes = [mutants.PASSED, mutants.FAILED, 2, mutants.NOT_ENDED]
    trials = [mutants.try_mutant(fault, tmp_path, number) for number in (1, 2, 3, 4)]

    assert trials == [
        (False, "limit survives: too many"),
        (True, "noticed"),
        (False, "limit ends pytest with 2: too many"),
        (True, "noticed: its tests had not ended after 900 s"),
    ]
    assert mutants.try_mutant({**fault, "old": "limit = 3"}, tmp_path, 5) == (
        False,
        "limit: code.py has this 0 times: limit = 3",
    )
    assert (seen, (tmp_path / "code.py").read_text(encoding="utf-8")) == (
        ["limit = 2\n"] * 4,
        "limit = 1\n",
    )

"""A name in the docstring of a function, class or file is that of something that exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.layout import ROOT

FOLDERS = ("plugins", "roles", "extensions", "tools", "tests")
# A name between backticks, of one word with an underscore or of several with dots.
NAMED = re.compile(r"(?<!`)``?([A-Za-z]\w*(?:\.\w+)*)(?:\(\))?``?(?!`)")
OF_OTHERS = ("ansible.", "requests.", "urllib3.")
FILES = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*.py"))]
WITH_DOCSTRINGS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def list_docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    """Yield the docstrings of a file, its classes and its functions."""
    for node in ast.walk(tree):
        if not isinstance(node, WITH_DOCSTRINGS) or not node.body:
            continue
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            yield first.value


def list_names(tree: ast.AST) -> Iterator[str]:
    """Yield each name that the code of a file has, and each word of its texts."""
    docstrings = {id(docstring) for docstring in list_docstrings(tree)}
    for node in ast.walk(tree):
        for field in ("id", "attr", "arg", "name", "asname", "module"):
            yield from re.findall(r"\w+", str(getattr(node, field, None) or ""))
        if isinstance(node, ast.Constant) and id(node) not in docstrings:
            yield from re.findall(r"\w+", str(node.value))


def find_unknown(docstring: str, names: set[str]) -> list[str]:
    """Return what a docstring names in backticks, with an underscore, and nothing has."""
    return [
        name
        for name in NAMED.findall(docstring)
        if not name.startswith(OF_OTHERS)
        for component in name.split(".")
        if "_" in component.strip("_") and component not in names
    ]


@pytest.fixture(scope="module", name="names")
def names_of_the_repository() -> set[str]:
    """Return the names of all files, of their code, and of the variables of roles."""
    names = {file.stem for file in FILES}
    for file in FILES:
        names.update(list_names(ast.parse(file.read_text(encoding="utf-8"))))
    for pattern in ("*.yml", "*.j2"):
        for folder in (*FOLDERS, "playbooks", "meta"):
            for file in (ROOT / folder).rglob(pattern):
                names.update(re.findall(r"\w+", file.read_text(encoding="utf-8")))

    return names


@pytest.mark.parametrize("package", FOLDERS)
def test_what_a_docstring_names_exists(package: str, names: set[str]) -> None:
    unknown = {
        f"{file.relative_to(ROOT)}:{docstring.lineno}": missing
        for file in FILES
        if Path(package) in file.relative_to(ROOT).parents
        for docstring in list_docstrings(ast.parse(file.read_text(encoding="utf-8")))
        if (missing := find_unknown(str(docstring.value), names))
    }

    assert unknown == {}


def test_a_name_that_nothing_has_is_found() -> None:
    docstring = "Return it as ``find_it`` does, not as `Panel.list_none()` or ``panel``."

    assert find_unknown(docstring, {"find_it", "Panel"}) == ["Panel.list_none"]

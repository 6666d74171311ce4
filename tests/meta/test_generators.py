# SPDX-License-Identifier: GPL-3.0-or-later
"""A generator changes none of its arguments: a caller that does not read it to its end, or not at
once, would find them half changed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tools.layout import ROOT

FOLDERS = ("plugins", "roles", "tools")
CHANGES = frozenset(
    {"add", "append", "clear", "discard", "extend", "insert", "pop", "remove", "setdefault"}
    | {"update"}
)


def list_generators(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """Yield the generators of a file; what is made with a context manager is read to its end."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        decorators = " ".join(ast.unparse(decorator) for decorator in function.decorator_list)
        yields = any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(function))
        if yields and "contextmanager" not in decorators:
            yield function


def find_root(node: ast.AST) -> str:
    """Return the name from which a place in a value is reached."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def list_changed(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the names from which a function changes a value in its place."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in CHANGES:
                yield find_root(node.func.value)
        elif isinstance(node, ast.AugAssign):
            yield find_root(node.target)
        elif isinstance(node, ast.Assign):
            targets = [target for target in node.targets if not isinstance(target, ast.Name)]
            yield from map(find_root, targets)


def list_changing_generators(code: str) -> list[str]:
    """Return the generators of a file that change an argument."""
    changing = []
    for function in list_generators(ast.parse(code)):
        arguments = {argument.arg for argument in function.args.args} - {"self"}
        if arguments.intersection(list_changed(function)):
            changing.append(function.name)
    return changing


def test_no_generator_changes_an_argument() -> None:
    changing = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            names = list_changing_generators(path.read_text(encoding="utf-8"))
            changing += [f"{path.relative_to(ROOT)}: {name}" for name in names]

    assert changing == []


def test_each_way_to_change_an_argument_is_known() -> None:
    code = """
def add(names): names.append(1); yield
def extend(names): names += [1]; yield
def put(by_name): by_name["a"] = 1; yield
def mend(reading): reading.names.add(1); yield
def make(names): names = []; yield
def note(self): self.names.append(1); yield
def fill(names): names.append(1)
"""
    assert list_changing_generators(code) == ["add", "extend", "put", "mend"]

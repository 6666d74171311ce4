"""The lists in docstrings have the parameters and attributes of the code, no more and no fewer."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tools.layout import ROOT

FOLDERS = ("plugins", "roles", "extensions", "tools", "tests")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
ARGUMENTS = re.compile(r"^Args:\n((?: .*\n|\n)+)", re.MULTILINE)
# An entry explains one name or several; the lines that go on are indented further.
ARGUMENT = re.compile(r"^    ([*\w]+(?:, [*\w]+)*):", re.MULTILINE)
ATTRIBUTE = re.compile(r"^ *([a-z_]\w*(?:, [a-z_]\w*)*): ", re.MULTILINE)


def list_named(pattern: re.Pattern[str], docstring: str) -> list[str]:
    """Return the names that the entries of a list explain."""
    entries = pattern.findall(docstring)
    return [name.strip("* ") for entry in entries for name in entry.split(",")]


def list_parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Return the names of all parameters of a function but the object of its method."""
    parameters = function.args
    variable = [parameter for parameter in (parameters.vararg, parameters.kwarg) if parameter]
    named = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs, *variable]
    return [parameter.arg for parameter in named if parameter.arg not in ("self", "cls")]


def list_attributes(class_: ast.ClassDef) -> set[str]:
    """Return the names that a class has, or sets and reads."""
    attributes = {getattr(statement, "name", "") for statement in class_.body}
    for node in ast.walk(class_):
        if isinstance(node, ast.Attribute):
            attributes.add(node.attr)
        if isinstance(node, ast.Name):
            attributes.add(node.id)
    return attributes


def find_differences(code: str) -> Iterator[str]:
    """Yield each function or class whose docstring explains other names than it has."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ClassDef):
            named = list_named(ATTRIBUTE, ast.get_docstring(node) or "")
            unknown = sorted(set(named) - list_attributes(node))
            if unknown:
                yield f"{node.name} has no {', '.join(unknown)}"
        elif isinstance(node, FUNCTIONS):
            section = ARGUMENTS.search(f"{ast.get_docstring(node) or ''}\n")
            if section is None:
                continue
            differing = sorted({*list_named(ARGUMENT, section[1])} ^ {*list_parameters(node)})
            if differing:
                yield f"{node.name} differs in {', '.join(differing)}"


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_docstring_explains_all_parameters_or_none_and_only_attributes_that_exist(
    folder: str,
) -> None:
    differences = {
        str(file.relative_to(ROOT)): differing
        for file in sorted((ROOT / folder).rglob("*.py"))
        if (differing := list(find_differences(file.read_text(encoding="utf-8"))))
    }

    assert differences == {}


CLASS = '''
class Progress:
    """What was read.

    Attributes:
        row_count: Of all tables.
        databases: By name.
    """

    row_count: int = 0
'''

FUNCTION = '''
def compare(session, directory, *further):
    """Compare.

    Args:
        {session}: Sends requests.
        directory, *further: Have files.

    Returns:
        differences: none.
    """
'''

FIRST_ENTRY = "        {session}: Sends requests.\n"


@pytest.mark.parametrize(
    ("code", "differences"),
    [
        (CLASS, ["Progress has no databases"]),
        (FUNCTION.format(session="session"), []),
        (FUNCTION.format(session="client"), ["compare differs in client, session"]),
        (FUNCTION.replace(FIRST_ENTRY, ""), ["compare differs in session"]),
    ],
)
def test_a_list_that_has_other_names_than_the_code_is_found(
    code: str, differences: list[str]
) -> None:
    assert list(find_differences(code)) == differences

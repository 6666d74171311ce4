# SPDX-License-Identifier: GPL-3.0-or-later
"""Every template of the roles, the playbooks and the extensions can be parsed by Jinja."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.yaml.loader import AnsibleLoader
from jinja2 import Environment, TemplateSyntaxError

from tools.layout import ROOT

FOLDERS = ("roles", "playbooks", "extensions")
# Keys of tasks and plays whose text is an expression without braces around it.
CONDITIONS = frozenset({"when", "changed_when", "failed_when", "until", "that", "break_when"})
# Marks of a template. Braces alone are no mark: they are dictionaries in an expression.
MARKS = ("{{", "{%", "{#")
# Their braces are for other programs: Prometheus writes its own templates, and ansible-rulebook
# evaluates its conditions.
OTHER_LANGUAGES = ("extensions/monitoring/", "extensions/eda/", "extensions/ci/")
# Jinja reads a backslash of a regular expression in a text as Python once did.
pytestmark = pytest.mark.filterwarnings("ignore:invalid escape sequence:DeprecationWarning")
ENVIRONMENT = Environment(extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])


def find_fault(text: str, is_expression: bool = False) -> str:
    """Return why Jinja cannot parse a template, or an expression; empty if it can."""
    template = f"{{{{ {text} }}}}" if is_expression else text
    try:
        ENVIRONMENT.parse(template)
    except TemplateSyntaxError as error:
        return f"{error.message}: {text[:100]}"
    return ""


def list_faults(content: Any, key: Any = None) -> Iterator[str]:
    """Yield the faults of all templates in the content of a file of YAML.

    Args:
        content: The content, or a part of it.
        key: The key of the part.
    """
    if isinstance(content, dict):
        for name, value in content.items():
            yield from list_faults(name)
            yield from list_faults(value, name)
    elif isinstance(content, list):
        for value in content:
            yield from list_faults(value, key)
    elif isinstance(content, str):
        is_template = any(mark in content for mark in MARKS)
        if (is_template or key in CONDITIONS) and (
            fault := find_fault(content, is_expression=not is_template)
        ):
            yield fault


def read_faults(path: Path) -> list[str]:
    """Return the faults of the templates in a file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".j2":
        return [fault] if (fault := find_fault(text)) else []
    documents: list[Any] = []
    loader = AnsibleLoader(text)
    while loader.check_data():
        documents.append(loader.get_data())
    return [fault for document in documents for fault in list_faults(document)]


def list_files() -> list[str]:
    """Return the files that may have templates, relative to the repository."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))]
    names = [
        path.relative_to(ROOT).as_posix()
        for path in [*paths, *sorted((ROOT / "plugins").rglob("*.j2"))]
        if path.suffix in (".yml", ".j2")
    ]
    return [name for name in names if not name.startswith(OTHER_LANGUAGES)]


@pytest.mark.parametrize("name", list_files())
def test_every_template_can_be_parsed(name: str) -> None:
    assert read_faults(ROOT / name) == []


@pytest.mark.parametrize(
    "text",
    [
        "msg: '{{ a'",
        "msg: '{{ a | }}'",
        "- {block: [{msg: '{% if a %}'}]}",
        "'{{ a b }}': 1",
        "when: a ==",
        "assert: {that: [a, b c]}",
    ],
)
def test_a_broken_template_is_found(text: str) -> None:
    assert len(list(list_faults(yaml.safe_load(text)))) == 1


@pytest.mark.parametrize(
    "text",
    ["when: true", "msg: 'a ==, {a: b}'", "msg: '{{ a | unknown is strange }}'", "that: a is b"],
)
def test_what_is_no_broken_template_passes(text: str) -> None:
    assert list(list_faults(yaml.safe_load(text))) == []

"""YAML and JSON of files on the controller that are nested too deeply.

Refused before a parser ends Ansible.
"""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._values.nesting import DEEPEST
from ansible_collections.hosting.panel.plugins.plugin_utils._run.nested_text import (
    TooDeep,
    check_depth,
    load_json,
)


def nest_lists(depth: int) -> str:
    """Lists in lists, the first of them in the third line."""
    return f"# a comment\n\n{'[' * depth}{']' * depth}\n"


@pytest.mark.parametrize("depth", [DEEPEST + 1, 5000, 200_000])
def test_yaml_that_is_nested_too_deeply_is_refused_with_its_line(depth: int) -> None:
    """Check more levels than the stack of a parser in C holds."""
    with pytest.raises(TooDeep) as refused:
        check_depth(nest_lists(depth))
    assert str(refused.value) == "the content is nested too deeply."
    assert refused.value.line == 3


def test_yaml_in_blocks_is_refused_at_the_first_line_that_is_too_deep() -> None:
    """Check dictionaries in dictionaries, each in a line of its own."""
    text = "".join(f"{' ' * number}a:\n" for number in range(DEEPEST + 9))
    with pytest.raises(TooDeep) as refused:
        check_depth(text)

    assert refused.value.line == DEEPEST + 1


def test_yaml_may_be_as_deep_as_the_answers_of_a_panel_and_as_long_as_it_likes() -> None:
    """Check many lists, of which none lies deeper than it may."""
    check_depth("- [[]]\n" * 3000)
    check_depth(nest_lists(DEEPEST))


@pytest.mark.parametrize("depth", [DEEPEST + 1, 5000, 200_000])
def test_json_that_is_nested_too_deeply_is_no_json(depth: int) -> None:
    """Read more levels than Python follows."""
    with pytest.raises(ValueError, match="nested too deeply"):
        load_json("[" * depth + "]" * depth)


@pytest.mark.parametrize("text", [nest_lists(DEEPEST)[13:], "7", '{"a": [{}]}'])
def test_other_json_is_read(text: str) -> None:
    """Read lists, dictionaries and a number."""
    assert load_json(text) is not None

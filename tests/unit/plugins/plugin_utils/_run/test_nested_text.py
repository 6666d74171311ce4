"""YAML and JSON of files on the controller that are nested too deeply, or stand for too much.

Refused before a parser ends Ansible, or they take all memory.
"""

from __future__ import annotations

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._values.nesting import DEEPEST
from ansible_collections.hosting.panel.plugins.plugin_utils._run.nested_text import (
    TooDeep,
    TooLarge,
    check_depth,
    load_json,
    load_yaml,
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


def repeat_by_aliases(names: int, entries: int = 10) -> str:
    """Return lists of which each has the one before several times, so the last is huge."""
    lines = [f"list0: &list0 [{', '.join('x' * entries)}]"]
    for number in range(1, names):
        aliases = ", ".join([f"*list{number - 1}"] * entries)
        lines.append(f"list{number}: &list{number} [{aliases}]")
    return "\n".join(lines)


def test_yaml_is_read_as_what_it_says() -> None:
    text = "a: &x [1, true, null, text]\nb: *x\nc: {<<: {d: 2.5}, e: 2026-12-02}\n"

    assert load_yaml(text) == yaml.safe_load(text)
    assert load_yaml(text.encode()) == yaml.safe_load(text)


@pytest.mark.parametrize("text", ["", "# a comment\n", "---\n"])
def test_yaml_without_a_value_is_none(text: str) -> None:
    assert load_yaml(text) is None


@pytest.mark.parametrize("names", [6, 20, 60])
def test_yaml_whose_aliases_stand_for_more_than_any_memory_is_refused_with_its_line(
    names: int,
) -> None:
    with pytest.raises(TooLarge) as refused:
        load_yaml(repeat_by_aliases(names))

    assert str(refused.value) == (
        "aliases make this far larger than the file. Write the values out."
    )
    assert 3 < refused.value.line < 7


@pytest.mark.parametrize(
    "text", [nest_lists(DEEPEST + 1), "&a [*a]", repeat_by_aliases(DEEPEST + 1, entries=1)]
)
def test_yaml_that_is_too_deep_by_lists_or_by_aliases_is_refused(text: str) -> None:
    with pytest.raises(TooDeep):
        load_yaml(text)


@pytest.mark.parametrize(
    "text",
    ["!!int ''", "!!int x", "!!timestamp x", "!!bool x", "!!float ''", f"[{'7' * 5000}]"],
)
def test_yaml_with_a_value_that_is_none_of_its_type_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"a value is none of its type\."):
        load_yaml(text)


@pytest.mark.parametrize("text", ["a: [", "!python/name:os.system x", "- a\n- b: c: d", "\0"])
def test_what_is_no_yaml_is_refused(text: str) -> None:
    with pytest.raises(yaml.YAMLError):
        load_yaml(text)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads YAML and JSON from files on the controller, and refuses what is nested too deeply.

A parser in C ends the whole process where a text is nested a hundred thousand times, and Python
ends a task with an error of its own. A few lines of YAML may also stand for more values than any
memory holds. So every such file is read by these functions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import yaml

from ...module_utils._values.nesting import DEEPEST, is_deeper

SAFE_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""In C, where PyYAML has it: a file may hold thousands of objects."""
TOO_DEEP = "the content is nested too deeply."
TOO_LARGE = "aliases make this far larger than the file. Write the values out."
_MOST_NODES_PER_CHARACTER = 20


class TooDeep(ValueError):
    """Says that lists and dictionaries of a text lie in one another too many times.

    Attributes:
        line: The first line that is too deep; 0 if that is not known.
    """

    def __init__(self, line: int = 0) -> None:
        super().__init__(TOO_DEEP)
        self.line = line


class Repeated(ValueError):
    """Says that a dictionary of a text has a name twice, of which a parser forgets one."""

    def __init__(self, name: Any) -> None:
        super().__init__(f"{name} is there twice.")


class TooLarge(ValueError):
    """Says that aliases make a text stand for far more values than it has characters.

    Attributes:
        line: The first line that does.
    """

    def __init__(self, line: int) -> None:
        super().__init__(TOO_LARGE)
        self.line = line


def check_depth(text: str | bytes) -> None:
    """Refuse YAML that is nested too deeply, before anything is made of it.

    An alias counts as one value here, whatever it stands for.

    Raises:
        TooDeep: It is.
        yaml.YAMLError: It is no YAML.
    """
    depth = 0
    event: Any
    for event in yaml.parse(text, SAFE_LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            raise TooDeep(event.start_mark.line + 1)


def check_aliases(root: yaml.Node, characters: int) -> None:
    """Refuse YAML whose aliases make it larger than any memory, or deeper than Python reads.

    Each alias counts as what it stands for.

    Args:
        root: The node of the whole text, whose own depth was checked.
        characters: How many the text has.

    Raises:
        TooLarge: It is too large.
        TooDeep: It is too deep, or a part of it is a part of itself.
    """
    _measure_node(root, _MOST_NODES_PER_CHARACTER * characters, {})


def _measure_node(
    node: yaml.Node, most: int, measured: dict[int, tuple[int, int]]
) -> tuple[int, int]:
    """Return how many nodes a node is, and how deep they lie in one another.

    Args:
        node: The node.
        most: How many nodes it may be.
        measured: Size and depth of nodes that were measured already, by id.
    """
    if id(node) in measured:
        return measured[id(node)]

    # As long as it is not measured, only a part of it can ask for it.
    measured[id(node)] = (1, DEEPEST)
    size = 1
    depth = 0
    for inner_node in list_parts(node):
        inner_size, inner_depth = _measure_node(inner_node, most, measured)
        size += inner_size
        depth = max(depth, inner_depth)
    if not isinstance(node, yaml.ScalarNode):
        depth += 1

    line = node.start_mark.line + 1
    if size > most:
        raise TooLarge(line)
    if depth > DEEPEST:
        raise TooDeep(line)
    measured[id(node)] = (size, depth)
    return size, depth


def list_parts(node: yaml.Node) -> list[yaml.Node]:
    """Return the entries of a list, or the names and values of a dictionary."""
    if isinstance(node, yaml.ScalarNode):
        return []
    if not isinstance(node, yaml.MappingNode):
        return list(node.value)
    parts = []
    for name, value in node.value:
        parts += [name, value]
    return parts


def _check_names(node: yaml.Node) -> None:
    """Refuse YAML in which a dictionary has a name twice.

    Raises:
        Repeated: It has.
    """
    nodes = [node]
    seen: set[int] = set()
    while nodes:
        node = nodes.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        nodes += list_parts(node)
        if isinstance(node, yaml.MappingNode):
            names = [name.value for name, _value in node.value]
            _refuse_repeated([name for name in names if isinstance(name, str)])


def _refuse_repeated(names: Iterable[str]) -> None:
    """Raise Repeated where a name is there twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise Repeated(name)
        seen.add(name)


def _make_unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a dictionary of JSON. Raises Repeated where a name is there twice."""
    _refuse_repeated(name for name, _value in pairs)
    return dict(pairs)


def load_yaml(text: str | bytes, are_names_unique: bool = False) -> Any:
    """Return what a text of YAML stands for; None for an empty one.

    Args:
        text: The text.
        are_names_unique: Whether to refuse a name that a dictionary has twice.

    Raises:
        yaml.YAMLError: It is no YAML.
        ValueError: A value is none of its type; TooDeep, TooLarge and Repeated are such errors too.
    """
    check_depth(text)
    loader = SAFE_LOADER(text)
    root = loader.get_single_node()
    if root is None:
        return None

    check_aliases(root, len(text))
    if are_names_unique:
        _check_names(root)
    try:
        return loader.construct_document(root)
    except (ArithmeticError, AttributeError, LookupError, ValueError) as error:
        # PyYAML checks no text behind a tag such as !!int or !!timestamp.
        raise ValueError("a value is none of its type.") from error


def load_json(text: str | bytes, are_names_unique: bool = False) -> Any:
    """Return what a text of JSON stands for.

    Args:
        text: The text.
        are_names_unique: Whether to refuse a name that a dictionary has twice.

    Raises:
        ValueError: It is no JSON; TooDeep and Repeated are such errors too.
    """
    make_dictionary: Any = None
    if are_names_unique:
        make_dictionary = _make_unique
    try:
        value = json.loads(text, object_pairs_hook=make_dictionary)
    except RecursionError:
        raise TooDeep from None
    if isinstance(value, (dict, list)) and is_deeper(value, DEEPEST):
        raise TooDeep
    return value

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML and JSON that people write, read as what JSON can hold: nothing of it is made up, and nothing silently lost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from panel_simulator.errors import Invalid
from panel_simulator.forms import DEEPEST, not_json, told

_YAML = "tag:yaml.org,2002:"
_SCALARS = frozenset(_YAML + name for name in ("str", "int", "float", "bool", "null"))


@dataclass(frozen=True)
class Document:
    """lines: by each of its outermost names the line that it stands in."""

    value: Any
    lines: Mapping[str, int]


def read_yaml(content: bytes) -> Document:
    """One document, null where there is none; raises Invalid with a line and what is wrong there."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Invalid(f"line {line}: there is a byte that is not UTF-8.") from error
    try:
        return _read(yaml.SafeLoader(text))
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise Invalid(f"line {line}: there is a character that YAML does not have.") from error
    except yaml.MarkedYAMLError as error:
        # A missing colon is only noticed on a later line.
        is_noticed_late = error.context == "while scanning a simple key"
        mark = error.context_mark if is_noticed_late else error.problem_mark
        line = mark.line + 1 if mark is not None else 1
        raise Invalid(f"line {line}: it is not YAML: {error.problem}.") from error
    except RecursionError as error:
        raise Invalid(f"it has more than {DEEPEST} lists and mappings in each other.") from error


def _read(loader: yaml.SafeLoader) -> Document:
    node = loader.get_node() if loader.check_node() else None
    if node is None:
        return Document(None, {})
    if loader.check_node():
        raise _wrong(loader.get_node(), "a second document begins, and there may be one only")
    value = _Plain(loader).value_of(node, 1)
    names = [name for name, _value in node.value] if isinstance(node, yaml.MappingNode) else []
    return Document(value, {name.value: name.start_mark.line + 1 for name in names})


class _Plain:
    """Makes values of nodes."""

    def __init__(self, loader: yaml.SafeLoader) -> None:
        self._loader = loader
        self._seen: set[int] = set()

    def value_of(self, node: yaml.Node, depth: int) -> Any:
        if depth > DEEPEST:
            raise _wrong(node, f"there are more than {DEEPEST} lists and mappings in each other")
        if id(node) in self._seen:
            raise _wrong(node, "what stands here is used again by an alias; write it out in both places")
        self._seen.add(id(node))
        if node.tag == f"{_YAML}map" and isinstance(node, yaml.MappingNode):
            return self._mapping(node, depth)
        if node.tag == f"{_YAML}seq" and isinstance(node, yaml.SequenceNode):
            return [self.value_of(item, depth + 1) for item in node.value]
        if node.tag in _SCALARS and isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        what = node.tag.removeprefix(_YAML)
        shown = f"{node.value} is" if isinstance(node, yaml.ScalarNode) else "there is"
        raise _wrong(node, f"{shown} a {what} for YAML, which no JSON can hold; put a text in quotes")

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        try:
            value = self._loader.construct_object(node)
        except (ValueError, KeyError) as error:
            raise _wrong(node, f"{told(node.value)} is not what YAML takes it for; put a text in quotes") from error
        if problem := not_json(value):
            raise _wrong(node, f"{told(node.value)} {problem}, which no answer in JSON can hold")
        return value

    def _mapping(self, node: yaml.MappingNode, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in node.value:
            if key.tag != f"{_YAML}str" or not isinstance(key, yaml.ScalarNode):
                what = key.value if isinstance(key, yaml.ScalarNode) else "a list or mapping"
                raise _wrong(key, f"{what} is a name, and no text; put it in quotes")
            name = self._scalar(key)
            if name in found:
                raise _wrong(key, f"{told(name)} is given twice")
            found[name] = self.value_of(value, depth + 1)
        return found


def _wrong(at: Any, words: str) -> Invalid:
    return Invalid(f"line {at.start_mark.line + 1}: {words}.")


def read_json(text: str) -> Any:
    """A value; raises Invalid."""
    try:
        return json.loads(text, object_pairs_hook=_members, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise Invalid(f"line {error.lineno}, column {error.colno}: it is not JSON: {error.msg}.") from error
    except (ValueError, RecursionError) as error:
        raise Invalid("it has a number or a depth that nothing can hold.") from error


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _value in pairs]
    for name in names:
        if names.count(name) > 1:
            raise Invalid(f"{told(name)} is given twice.")
    return dict(pairs)


def _no_number(name: str) -> Any:
    raise Invalid(f"{name} is no number that JSON has.")

# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the tags and the names of a YAML file before any value is made of it.

YAML looks at the tag alone when it makes a value. So a tag before what it is not for ends in an
error of Python, or in a text that shows objects of Python. Here it is a mistake with its line, and
the value gets a tag that fits it, so that all other mistakes are found too.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import yaml

from .._run.nested_text import list_parts

TAG = "tag:yaml.org,2002:"
UNSAFE = "!unsafe"
VAULT_TAGS = frozenset({"!vault", "!vault-encrypted"})
# Of what is a number, a switch or nothing.
PLAIN_TAGS = frozenset(f"{TAG}{kind}" for kind in ("int", "float", "bool", "null"))
TEXT = f"{TAG}str"
DATE = f"{TAG}timestamp"
_MERGE = f"{TAG}merge"
# Of signs that mean something as names alone.
_SIGNS = frozenset({f"{TAG}value", _MERGE})
# YAML gives them to a text that is not in quotes, by what it looks like.
_BY_LOOKS = PLAIN_TAGS | _SIGNS | {DATE}
_KINDS: dict[type, str] = {
    yaml.ScalarNode: "a text",
    yaml.SequenceNode: "a list",
    yaml.MappingNode: "a dictionary",
}
_OWN_TAGS: dict[type, str] = {
    yaml.SequenceNode: f"{TAG}seq",
    yaml.MappingNode: f"{TAG}map",
}
_OF_TEXTS = _BY_LOOKS | VAULT_TAGS | {TEXT, UNSAFE}
_UNKNOWN = "this tag is not known in these files; put a string that starts with ! in quotes."
_ENCRYPTED_NAME = "a name cannot be encrypted. Encrypt its value alone."
_NO_NAME = (
    "a list or a dictionary cannot be a name. {{ }} without quotes makes one; "
    "templates are not evaluated in these files."
)
_NO_MERGE = "<< needs a dictionary or a list of dictionaries."

Mistakes = list[tuple[yaml.Node, str]]
"""What is wrong with nodes."""


def correct_nodes(root: yaml.Node, resolver: Any) -> Mistakes:
    """Give all nodes tags that fit, and return what was wrong with them and with names.

    A name becomes the text that the file has.

    Args:
        root: The node of the whole file, none of which is a part of itself.
        resolver: Tells the tag of a text by what it looks like.
    """
    mistakes: Mistakes = []
    _correct_node(root, resolver, set(), mistakes)
    return mistakes


def _correct_node(node: yaml.Node, resolver: Any, seen: set[int], mistakes: Mistakes) -> None:
    """Correct a node and its parts.

    Args:
        node: Gets a tag that fits it.
        resolver: Tells the tag of a text by what it looks like.
        seen: Which nodes were corrected already, by id.
        mistakes: Gets what was wrong.
    """
    if id(node) in seen:
        return
    seen.add(id(node))
    if problem := _find_problem_of_tag(node, resolver):
        mistakes.append((node, problem))
        node.tag = _OWN_TAGS.get(type(node), UNSAFE)
    if isinstance(node, yaml.MappingNode):
        _correct_names(node, resolver, mistakes)
        parts = [value for _name, value in node.value]
    else:
        parts = list_parts(node)
    for inner_node in parts:
        _correct_node(inner_node, resolver, seen, mistakes)
        if inner_node.tag in _SIGNS:
            inner_node.tag = TEXT


def _correct_names(node: yaml.MappingNode, resolver: Any, mistakes: Mistakes) -> None:
    """Make texts of the names of a dictionary, and leave out what is no name."""
    pairs = []
    seen: set[str] = set()
    for name, value in node.value:
        if not isinstance(name, yaml.ScalarNode):
            mistakes.append((name, _NO_NAME))
            continue
        corrected = _correct_name(name, seen, resolver, mistakes)
        if corrected.tag == _MERGE and name.value not in seen and not _is_mergeable(value):
            mistakes.append((name, _NO_MERGE))
            continue
        seen.add(name.value)
        pairs.append((corrected, value))
    node.value = pairs


def _correct_name(
    name: yaml.ScalarNode, seen: Set[str], resolver: Any, mistakes: Mistakes
) -> yaml.ScalarNode:
    """Return the node of a name as that of a text. A value may be an alias of the other one.

    Args:
        name: Stays as it is.
        seen: The names before it in its dictionary.
        resolver: Tells the tag of a text by what it looks like.
        mistakes: Gets what is wrong with the name.
    """
    tag = name.tag if name.tag in (_MERGE, UNSAFE) else TEXT
    problem = _find_problem_of_name(name, resolver)
    if problem:
        mistakes.append((name, problem))
        tag = UNSAFE
    elif name.value in seen:
        mistakes.append((name, f"{name.value} is there twice."))
    return yaml.ScalarNode(tag, name.value, name.start_mark, name.end_mark)


def _is_mergeable(node: yaml.Node) -> bool:
    """Return whether a node is a dictionary or a list of them."""
    nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
    return all(isinstance(inner_node, yaml.MappingNode) for inner_node in nodes)


def _find_problem_of_name(name: yaml.ScalarNode, resolver: Any) -> str:
    if name.tag in VAULT_TAGS:
        return _ENCRYPTED_NAME
    return _find_problem_of_tag(name, resolver)


def _find_problem_of_tag(node: yaml.Node, resolver: Any) -> str:
    """Return what is wrong with the tag of a node; empty if nothing is."""
    if node.tag == _OWN_TAGS.get(type(node)):
        return ""
    expected = _describe_what_it_is_for(node.tag)
    if not expected:
        return _UNKNOWN

    tag = node.tag.replace(TAG, "!!")
    kind = _KINDS[type(node)]
    if kind != expected:
        return f"{tag} is for {expected}, and {kind} stands here."
    is_by_looks = node.tag in _BY_LOOKS
    if is_by_looks and node.tag != resolver.resolve(type(node), node.value, (True, False)):
        return f"{tag} does not fit this value. Correct the value, or take out the tag."
    return ""


def _describe_what_it_is_for(tag: str) -> str:
    """Return the kind of node that a tag is for; empty if it is not known."""
    if tag in _OF_TEXTS:
        return _KINDS[yaml.ScalarNode]
    for node_type, own_tag in _OWN_TAGS.items():
        if tag == own_tag:
            return _KINDS[node_type]
    return ""

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with an inventory file, in words without its text: Ansible's own would show the API key. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from ...module_utils._secrets.redaction import Redactor, is_secret_name

_TAGS = ("tag:yaml.org,2002:", "!vault", "!unsafe")


def words_for(error: Exception, path: str) -> str:
    """The words for an error of Ansible about an inventory file."""
    try:
        root = yaml.compose(Path(path).read_text(encoding="utf-8"), yaml.SafeLoader)
    except yaml.MarkedYAMLError as mistake:
        line = "" if mistake.problem_mark is None else f"line {mistake.problem_mark.line + 1}: "
        return f"{line}is no YAML; look at the quotes, brackets and colons there, and in the line before."
    except (OSError, ValueError, yaml.YAMLError):
        return "the file is not in UTF-8, or cannot be read."
    if root is None:
        return str(error)
    for node in _nodes(root):
        if not node.tag.startswith(_TAGS):
            return f"line {node.start_mark.line + 1}: there is no such tag; put a text that begins with ! in quotes."
    secrets = []
    for name, value in _members(root):
        if name == "panels" and not isinstance(value, yaml.SequenceNode):
            return f"line {value.start_mark.line + 1}: panels must be a list of dictionaries."
        if is_secret_name(name) and not isinstance(value, yaml.ScalarNode):
            return f"line {value.start_mark.line + 1}: {name} must be a text."
        if is_secret_name(name):
            secrets.append(value.value)
    return Redactor(secrets).text(_with_help(error))


def _with_help(error: Exception) -> str:
    """What Ansible says; since 2.19 it keeps what to do about it apart."""
    helps = (getattr(one, "_help_text", None) for one in (error, error.__cause__))
    return " ".join([str(error), *filter(None, helps)])


def _nodes(root: yaml.Node) -> Iterator[yaml.Node]:
    """Every node once, in their order; an alias may stand for a node that it is in."""
    waiting, seen = [root], {id(root)}
    while waiting:
        node = waiting.pop()
        yield node
        inner: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            inner = [one for pair in node.value for one in pair]
        elif isinstance(node, yaml.SequenceNode):
            inner = node.value
        for one in reversed([one for one in inner if id(one) not in seen]):
            seen.add(id(one))
            waiting.append(one)


def _members(root: yaml.Node) -> Iterator[tuple[str, yaml.Node]]:
    """Every member of every dictionary, with its name."""
    for node in _nodes(root):
        if isinstance(node, yaml.MappingNode):
            for name, value in node.value:
                yield str(name.value), value

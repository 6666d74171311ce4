# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads YAML and JSON from files on the controller, and refuses what is nested too deeply.

A parser in C ends the whole process where a text is nested a hundred thousand times, and Python
ends a task with an error of its own. So every such file is read by these functions.
"""

from __future__ import annotations

import json
from typing import Any

import yaml

from ...module_utils._values.nesting import DEEPEST, is_deeper

SAFE_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""In C, where PyYAML has it: a file may hold thousands of objects."""
TOO_DEEP = "the content is nested too deeply."


class TooDeep(ValueError):
    """Says that lists and dictionaries of a text lie in one another too many times.

    Attributes:
        line: The first line that is too deep; 0 if that is not known.
    """

    def __init__(self, line: int = 0) -> None:
        super().__init__(TOO_DEEP)
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


def load_json(text: str | bytes) -> Any:
    """Return what a text of JSON stands for. Raises ValueError, which TooDeep is one of."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise TooDeep from None
    if isinstance(value, (dict, list)) and is_deeper(value, DEEPEST):
        raise TooDeep
    return value

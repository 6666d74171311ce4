# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes texts of the numbers of a file, as they were written, where an option takes texts alone. Private to the collection.

A file that the collection reads itself still has what its author wrote, so that 0123, 12:30 and 8.10 stay what they are. A word that YAML
takes for a switch stays a mistake, since it may have been meant as one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils._items.wanted_items import problem_of_text_at
from .yaml_file import Place, YamlFile

Mistake = tuple[Place, str]
"""The path of an option in its item, and a sentence about it."""


def texts_as_written(
    file: YamlFile, kind: str, item: Mapping[str, Any], where: Place
) -> tuple[dict[str, Any], list[Mistake]]:
    """Reads an item once more, with texts where options take texts.

    Args:
        file: The file that has the item.
        kind: The plural of its kind.
        item: Its options, as YAML has read them.
        where: Its place in the file.

    Returns:
        A copy of the item, and what is wrong with it.
    """
    mistakes: list[Mistake] = []

    def text_of(value: Any, path: Place) -> Any:
        if isinstance(value, dict):
            return {name: text_of(inner, (*path, name)) for name, inner in value.items()}
        if isinstance(value, list):
            return [text_of(inner, (*path, number)) for number, inner in enumerate(value)]
        if not isinstance(value, (int, float)):
            return value
        written = file.written((*where, *path)) or str(value)
        problem = problem_of_text_at(kind, path, value, written)
        if problem and isinstance(value, bool):
            mistakes.append((path, problem))
        return written if problem else value

    return {name: text_of(value, (name,)) for name, value in item.items()}, mistakes

# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes texts of the numbers of a file, as they were written, where an option takes texts alone.

A file that the collection reads itself still has what its author wrote, so that 0123, 12:30 and
8.10 stay what they are. A word that YAML takes for a switch stays a mistake, since it may have been
meant as one. A text that no request can hold is a mistake here, where its file and line are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils._items.desired_items import describe_text_problem_at
from ...module_utils._values.unsendable import describe_unsendable
from .yaml_file import Place, YamlFile

Mistake = tuple[Place, str]
"""The path of an option in its item, and a sentence about it."""


def read_texts_as_written(
    file: YamlFile, plural: str, item: Mapping[str, Any], where: Place
) -> tuple[dict[str, Any], list[Mistake]]:
    """Read an item once more, with texts where options take texts.

    Args:
        file: The file that has the item.
        plural: The plural of its kind.
        item: Its options, as YAML has read them.
        where: Its place in the file.

    Returns:
        A copy of the item, and what is wrong with it.
    """
    reader = _TextReader(file, plural, where)
    return reader.read_fields(item, ()), reader.mistakes


class _TextReader:
    """Reads the values of an item as they were written.

    Attributes:
        mistakes: What is wrong with them.
    """

    def __init__(self, file: YamlFile, plural: str, where: Place) -> None:
        self.mistakes: list[Mistake] = []
        self._file = file
        self._plural = plural
        self._where = where

    def read_fields(self, fields: Mapping[str, Any], path: Place) -> dict[str, Any]:
        """Return the fields of a dictionary, read. path: of the dictionary in its item."""
        texts = {}
        for name, value in fields.items():
            self._refuse_unsendable(name, (*path, name))
            texts[name] = self.read(value, (*path, name))
        return texts

    def read(self, value: Any, path: Place) -> Any:
        """Return a value with texts where options take texts. path: of the value in its item."""
        if isinstance(value, dict):
            return self.read_fields(value, path)
        if isinstance(value, list):
            return [self.read(entry, (*path, index)) for index, entry in enumerate(value)]
        if isinstance(value, str):
            self._refuse_unsendable(value, path)
        if not isinstance(value, (int, float)):
            return value

        written = self._file.find_text((*self._where, *path)) or str(value)
        problem = describe_text_problem_at(self._plural, path, value, written)
        if problem and isinstance(value, bool):
            self.mistakes.append((path, problem))
        return written if problem else value

    def _refuse_unsendable(self, text: str, path: Place) -> None:
        """Note why no request can hold a text, where that is so. path: of the text in its item."""
        problem = describe_unsendable(text)
        if problem:
            self.mistakes.append((path, f"{problem}."))

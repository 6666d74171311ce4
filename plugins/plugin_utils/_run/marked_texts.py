# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks the texts of a JSON file that Ansible could take for a template.

JSON has no tags, so the mark is the one that Ansible itself writes into JSON: a dictionary with the
text under one name. A playbook that loads such a file as variables gets the text as it was, on
every release of ansible-core. Everything else that reads the file takes the marks away, and reads a
file without marks too.
"""

from __future__ import annotations

import re
from typing import Any

from .nested_text import load_json

_MARK = "__ansible_unsafe"
# What the templating of some release of ansible-core takes for more than a text. A template has a
# brace, and so has what becomes one once a text was taken for a list or a dictionary of Python, or
# a backslash in its place. A header names other signs, and may have blanks before it that are
# taken away. A playbook may join texts, so one that only begins a header is marked, and so is one
# that lacks nothing but the hash, which the playbook itself may write before it.
_MORE_THAN_TEXT = re.compile(
    r"[{\\]|\A\s*\[|jinja2|#\s*(?:j(?:i(?:n(?:ja?)?)?)?\s*)?\Z", re.IGNORECASE
)


def is_more_than_text(text: str) -> bool:
    """Return whether the templating of some release could take a text for more than a text."""
    return bool(_MORE_THAN_TEXT.search(text))


def mark_texts(value: Any) -> Any:
    """Return a value with marks at the texts that could be templates, at any depth."""
    if isinstance(value, dict):
        return {name: mark_texts(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [mark_texts(entry) for entry in value]
    if isinstance(value, str) and is_more_than_text(value):
        return {_MARK: value}
    return value


def unmark_texts(value: Any) -> Any:
    """Return a value that ``mark_texts`` returned as it was."""
    if isinstance(value, dict):
        if value.keys() == {_MARK}:
            return value[_MARK]
        return {name: unmark_texts(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [unmark_texts(entry) for entry in value]
    return value


def load_marked_json(text: str | bytes) -> Any:
    """Return what a text of JSON stands for, without marks, which it may lack.

    Raises:
        ValueError: It is no JSON, or nested too deeply.
    """
    return unmark_texts(load_json(text))

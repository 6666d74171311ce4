# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks the texts of an archive's JSON files that Ansible could take for a template.

JSON has no tags, so the mark is the one that Ansible itself writes into JSON: a dictionary with the
text under one name. A playbook that loads such a file as variables gets the text as it was, on
every release of ansible-core.
"""

from __future__ import annotations

from typing import Any

from .._folder.export_text import is_more_than_text

_MARK = "__ansible_unsafe"


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

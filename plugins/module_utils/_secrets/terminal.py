# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps names that customers chose from driving the terminal of a reader. Pure. Private to the collection.

Ansible prints messages and warnings as they are, and everything else of a result as JSON or YAML, which escape what is in it.
"""

from __future__ import annotations

import re
from typing import Any

from .redaction import mapped

# Fields of results that are words for people, and not data; playbooks put them into messages too.
_WORDS = frozenset({
    "msg", "warnings", "deprecations", "lines", "failures", "mistakes", "generates", "differences", "left_out", "unread",
})  # fmt: skip
# Control characters except the tabulator, marks that turn the direction of a text, and what ends a line or a paragraph.
_OBEYED = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def on_one_line(text: str) -> str:
    r"""The text with what a terminal would obey in signs that show: ``\x1b``, ``\n``. No message has a second line."""
    # Of a type of ours, Ansible's queue of results could not be read again, and the run would never end: hence str.
    return str(
        _OBEYED.sub(lambda one: one[0].encode("unicode_escape").decode(), text) if _OBEYED.search(text) else text
    )


def _on_lines(text: str) -> str:
    return "\n".join(map(on_one_line, text.split("\n")))


def with_harmless_words(result: dict[str, Any]) -> dict[str, Any]:
    """The result of a task; what Ansible prints as it is has gone through ``on_one_line``, diffs of text line by line."""
    harmless = {name: _with_harmless_names(mapped(result[name], on_one_line)) for name in _WORDS & result.keys()}
    diff = result.get("diff")
    if isinstance(diff, dict):
        harmless["diff"] = _harmless_sides(diff)
    elif isinstance(diff, list):
        harmless["diff"] = [_harmless_sides(one) if isinstance(one, dict) else one for one in diff]
    return {**result, **harmless}


def _harmless_sides(diff: dict[str, Any]) -> dict[str, Any]:
    return {name: _on_lines(side) if isinstance(side, str) else side for name, side in diff.items()}


def _with_harmless_names(value: Any) -> Any:
    if isinstance(value, dict):
        return {on_one_line(str(name)): member for name, member in value.items()}
    return [_with_harmless_names(entry) for entry in value] if isinstance(value, list) else value

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps names that customers chose from driving the terminal of whoever reads a message. Pure. Private to the collection.

Ansible prints messages and warnings as they are, and everything else of a result as JSON or YAML, which escape what is in it.
"""

from __future__ import annotations

import re
from typing import Any

# Members of results that are words for people, and not data; playbooks put them into messages too.
_WORDS = (
    "msg", "warnings", "deprecations", "lines", "failures", "mistakes", "generates", "differences", "left_out", "unread",
)  # fmt: skip
# Control characters but the tabulator, marks that turn the direction of a text, and what ends a line or a paragraph.
_OBEYED = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def on_one_line(text: str) -> str:
    r"""The text with what a terminal would obey in signs that show: ``\x1b``, ``\n``. No message of ours has a second line."""
    return _OBEYED.sub(_sign, text) if _OBEYED.search(text) else text


def on_lines(text: str) -> str:
    """The same for a text that has lines of its own."""
    return "\n".join(map(on_one_line, text.split("\n")))


def with_harmless_words(result: dict[str, Any]) -> dict[str, Any]:
    """The result of a task, of which everything that Ansible prints as it is has gone through ``on_one_line``, and diffs of text ``on_lines``.

    These are plain texts then.
    """
    harmless = {name: _harmless(result[name]) for name in _WORDS if name in result}
    diff = result.get("diff")
    if isinstance(diff, dict):
        harmless["diff"] = _harmless_sides(diff)
    elif isinstance(diff, list):
        harmless["diff"] = [_harmless_sides(one) if isinstance(one, dict) else one for one in diff]
    return {**result, **harmless}


def _harmless_sides(diff: dict[str, Any]) -> dict[str, Any]:
    return {name: on_lines(side) if isinstance(side, str) else side for name, side in diff.items()}


def _harmless(value: Any) -> Any:
    if isinstance(value, str):
        # Of a type of ours, Ansible's queue of results could not be read again, and the run would never end.
        return str(on_one_line(value))
    if isinstance(value, dict):
        return {
            str(on_one_line(name)) if isinstance(name, str) else name: _harmless(member)
            for name, member in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_harmless(entry) for entry in value]
    return value


def _sign(character: re.Match[str]) -> str:
    return character[0].encode("unicode_escape").decode()

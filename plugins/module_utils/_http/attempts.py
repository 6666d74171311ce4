# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What one attempt at a request means: an answer, or a fault. Private to the collection."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from .repeats import Fault


class Answer(NamedTuple):
    """A successful answer. ``data`` is the decoded JSON, or None for an empty body."""

    status: int
    data: Any


class Attempt(NamedTuple):
    """How one attempt ended: with an answer, or with a fault and the words for it.

    is_under_way: nobody said that the request ended, so the panel may still be at it.
    """

    answer: Answer | None = None
    fault: Fault | None = None
    problem: str = ""
    status: int | None = None
    code: str | None = None
    panel_message: str | None = None
    wait: float | None = None
    is_under_way: bool = False


def attempt_with_answer(
    response: Any, accepted: frozenset[int] = frozenset(), plain_text: bool = False
) -> Attempt | None:
    """The attempt that brought the answer; None where something is wrong with it, and attempt_with_failure says what.

    accepted: statuses that are answers too. plain_text: whether a text is one.
    """
    if not is_accepted(response, accepted):
        return None
    is_json, data = decoded(response)
    if plain_text and not is_json and "html" not in response.headers.get("Content-Type", "").lower():
        is_json, data = True, response.text
    return Attempt(answer=Answer(response.status_code, data)) if is_json else None


def is_accepted(response: Any, accepted: frozenset[int]) -> bool:
    """Whether an answer with this status is one; to a read that is 200 alone, since others, 206 above all, bring less than the whole."""
    status: int = response.status_code
    is_success = status == 200 if response.request.method == "GET" else 200 <= status < 300
    return is_success or (status in accepted and not 300 <= status < 400)


def decoded(response: Any) -> tuple[bool, Any]:
    """Whether the body is JSON, whatever its type says, and the decoded body."""
    if not response.content:
        return True, None
    try:
        data = json.loads(response.content)
    except (ValueError, RecursionError):
        return False, None
    # Web servers and PHP write pages of one number or word; only what is marked as JSON may be that.
    is_json = isinstance(data, (dict, list)) or "json" in response.headers.get("Content-Type", "").lower()
    return is_json, data if is_json else None

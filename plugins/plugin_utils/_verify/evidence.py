# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was asked of a panel, and what it answered. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One answer, whatever its status. data: the decoded JSON. words: the first of a body that is no JSON.

    is_escaped: whether its JSON escapes slashes and letters beyond ASCII; None where it has neither.
    """

    status: int
    data: Any = None
    is_json: bool = True
    content_type: str = "application/json"
    words: str = ""
    problem: str = ""
    is_escaped: bool | None = None

    @property
    def is_done(self) -> bool:
        """Whether the panel did, or showed, what was asked for."""
        return 200 <= self.status < 300

    @property
    def is_refused(self) -> bool:
        """Whether the panel itself said no."""
        return 400 <= self.status < 600 and (self.is_json or self.status < 500)

    @property
    def object(self) -> Mapping[str, Any]:
        """The object that was shown; empty where none was."""
        return self.data if self.is_done and isinstance(self.data, Mapping) else {}

    @property
    def items(self) -> list[Mapping[str, Any]]:
        """The objects of a list; none where it is none."""
        is_list = self.is_done and isinstance(self.data, list)
        return [item for item in self.data if isinstance(item, Mapping)] if is_list else []


NONE = Reply(status=0, is_json=False, content_type="")


@dataclass
class Evidence:
    """Everything that the observations look at.

    replies: by the name of what was asked. shown: objects of the panel by plural kind, as single ones and as items of lists, in that order.
    own: by plural kind the single object of the throw-away client and its item in the list. statuses: what the status of each object was when
    it was first read. paths: by the path of single objects and method the status, where an object was there. names: by character, whether an
    object was found by a name with it. other_names: by kind and member under which names panels are known to have it; spelling: under which a
    body had to have it. facts: what was measured.
    """

    other_names: Mapping[str, Mapping[str, list[str]]] = field(default_factory=dict)
    replies: dict[str, Reply] = field(default_factory=dict)
    shown: dict[str, list[tuple[Mapping[str, Any], Mapping[str, Any]]]] = field(default_factory=dict)
    own: dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = field(default_factory=dict)
    statuses: list[Any] = field(default_factory=list)
    paths: dict[str, dict[str, int]] = field(default_factory=dict)
    names: dict[str, bool] = field(default_factory=dict)
    spelling: dict[str, dict[str, str]] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    def reply(self, name: str) -> Reply:
        """The answer; ``NONE`` where it was not asked for, or none came."""
        return self.replies.get(name, NONE)


def number(value: Any) -> int | None:
    """A whole number, also where a panel writes it as a text."""
    if isinstance(value, bool):
        return None
    try:
        return int(value)
    except (TypeError, ValueError):
        return None

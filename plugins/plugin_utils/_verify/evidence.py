# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was asked of a panel, and what it answered. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...module_utils._http.answers import Exchange

NONE = Exchange(0, is_json=False, content_type="")


@dataclass
class Evidence:
    """Everything that the observations look at.

    replies: by the name of what was asked. shown: objects of the panel by plural kind, as single ones and as items of lists, in that order.
    own: by plural kind the single object of the throw-away client and its item in the list. statuses: what the status of each object was when
    it was first read; have_settled: whether it came to 1, None where it was not shown. list_lag: seconds until a list shows what was made.
    notes_are_shown: whether the mark can be read. broken_steps: how many were not taken to their end. paths: by the path of single objects and
    method the status, where an object was there. names: by character, whether an object was found by a name with it. other_names: by kind and
    member under which names panels are known to have it; spelling: under which a body had to have it. facts: what else was measured.
    """

    other_names: Mapping[str, Mapping[str, list[str]]] = field(default_factory=dict)
    replies: dict[str, Exchange] = field(default_factory=dict)
    shown: dict[str, list[tuple[Mapping[str, Any], Mapping[str, Any]]]] = field(default_factory=dict)
    own: dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = field(default_factory=dict)
    statuses: list[Any] = field(default_factory=list)
    paths: dict[str, dict[str, int]] = field(default_factory=dict)
    names: dict[str, bool] = field(default_factory=dict)
    spelling: dict[str, dict[str, str]] = field(default_factory=dict)
    have_settled: list[bool | None] = field(default_factory=list)
    list_lag: int | None = None
    notes_are_shown: bool | None = None
    broken_steps: int = 0
    facts: dict[str, Any] = field(default_factory=dict)

    def reply(self, name: str) -> Exchange:
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


def is_pong(ping: Exchange) -> bool:
    """Whether a panel has answered to a ping, and let the key in."""
    if isinstance(ping.data, Mapping):
        return ping.status == 200 and ("response" in ping.data or "pong" in ping.data)
    return ping.status == 200 and (ping.data == "pong" or words_of(ping).strip("\"'") == "pong")


def words_of(reply: Exchange) -> str:
    """The first of a body that is no JSON; empty where it is."""
    return "" if reply.is_json else reply.content[:20].decode("utf-8", "replace").strip()

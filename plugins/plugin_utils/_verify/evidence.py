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
Shown = Mapping[str, Any]


@dataclass
class Evidence:
    """Everything that the observations look at.

    other_names: by kind and member under which names panels are known to have it. defaults: by point what is taken for granted.
    ping to resources: what was read. lists: by kind the throw-away client's own items of a list. client_deletions: the answers to the deletion of
    the client with everything in it.
    shown: objects of the panel by plural kind, as single ones and as items of lists, in that order.
    own: by plural kind the single object of the throw-away client and its item in the list. statuses: what the status of each object was when
    it was first read; have_settled: whether it came to 1, None where it was not shown. list_lag: seconds until a list shows what was made.
    notes_are_shown: whether the mark can be read. broken_steps: how many were not taken to their end. paths: by the path of single objects and
    method, whether the panel has it. names: by character, whether an object was found by a name with it. spelling: under which names a body had to
    have members. escapes: whether JSON texts were escaped. database_name and protection_path: as they were sent. tried: by point what a trial has
    said, or why nothing can be said, whatever the rest says.
    """

    other_names: Mapping[str, Mapping[str, list[str]]] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)
    ping: Exchange = NONE
    server: Exchange = NONE
    one_block: Exchange = NONE
    plans: Exchange = NONE
    clients: Exchange = NONE
    unknown_id: Exchange = NONE
    unknown_path: Exchange = NONE
    wrong_key: Exchange = NONE
    resources: Exchange = NONE
    lists: dict[str, Exchange] = field(default_factory=dict)
    client_deletions: list[Exchange] = field(default_factory=list)
    shown: dict[str, list[tuple[Shown, Shown]]] = field(default_factory=dict)
    own: dict[str, tuple[Shown, Shown]] = field(default_factory=dict)
    statuses: list[Any] = field(default_factory=list)
    have_settled: list[bool | None] = field(default_factory=list)
    list_lag: int | None = None
    notes_are_shown: bool | None = None
    broken_steps: int = 0
    paths: dict[str, dict[str, bool]] = field(default_factory=dict)
    names: dict[str, bool] = field(default_factory=dict)
    spelling: dict[str, dict[str, str]] = field(default_factory=dict)
    escapes: set[bool] = field(default_factory=set)
    database_name: str = ""
    protection_path: str = ""
    tried: dict[str, Any] = field(default_factory=dict)

    def single(self, kind: str) -> Shown:
        """The object of the throw-away client as it was last shown; empty where it was not."""
        return self.own.get(kind, ({}, {}))[0]

    def has_no_path(self, reply: Exchange) -> bool:
        """Whether the answer may be to a path, or a method of it, that the panel does not have."""
        return reply.status in (404, 405) or (reply.status == 403 == self.unknown_path.status)

    def is_objection(self, reply: Exchange) -> bool:
        """Whether the panel itself refuses what was asked for."""
        return reply.is_objection and not self.has_no_path(reply)

    def accepted(self, reply: Exchange, yes: str, no: str) -> str | None:
        """One of two values by what the panel answered; None where it says neither."""
        return yes if reply.is_done else no if self.is_objection(reply) else None

    def note_path(self, path: str, method: str, reply: Exchange) -> None:
        """A path that has answered once is there."""
        methods = self.paths.setdefault(path, {})
        methods[method] = methods.get(method, False) or not self.has_no_path(reply)

    def note_text(self, reply: Exchange) -> None:
        """Whether the JSON text escapes what it need not, where it has slashes or letters beyond ASCII."""
        text = reply.content
        if reply.is_done and (b"\\/" in text or b"\\u" in text):
            self.escapes.add(True)
        elif reply.is_done and (b"/" in text or not text.isascii()):
            self.escapes.add(False)


@dataclass(frozen=True)
class Untold:
    """In the place of a value: why nothing can be said."""

    reason: str


DIFFERS = Untold("Asked a second time, the panel answered otherwise.")


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


def is_on(value: Any) -> bool:
    """Whether a switch is on, however a panel writes it."""
    return value is True or number(value) == 1 or str(value).lower() == "true"


def words_of(reply: Exchange) -> str:
    """The first of a body that is no JSON; empty where it is."""
    return "" if reply.is_json else reply.content[:20].decode("utf-8", "replace").strip()

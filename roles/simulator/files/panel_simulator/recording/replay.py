# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A panel that answers as another one did when its conversation was recorded."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from panel_simulator.answering import WRITES, Reply
from panel_simulator.application import Application
from panel_simulator.calls import Call
from panel_simulator.representation import to_json
from panel_simulator.responses import http_response, json_response

NOT_RECORDED = 599
_FILLING = b"x"
_UNKNOWN_TYPE = "application/octet-stream"


@dataclass
class Conversation:
    """Entries in their order, and how far they have been played.

    A write is answered once, in its order among equal ones. A read is answered with what was read between the writes that have been
    played and the next one, one answer after the other and then the last again; if it was not read there, with what was read last before.
    """

    entries: Sequence[dict[str, Any]]
    played: set[int] = field(default_factory=set)
    reached: int = -1
    reads: dict[tuple[str, str], int] = field(default_factory=dict)
    places: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    writes: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        for place, entry in enumerate(self.entries):
            request = entry["request"]
            self.places.setdefault((request["method"], request["target"]), []).append(place)
            if request["method"] in WRITES:
                self.writes.append(place)

    def answer(self, method: str, target: str, body: Any) -> dict[str, Any] | None:
        """The recorded answer, None if there is none (any more)."""
        key = (method, target)
        place = self._next_write(key, body) if method in WRITES else self._next_read(key)
        if place is None:
            return None
        answer: dict[str, Any] = self.entries[place]["answer"]
        return answer

    def _next_write(self, key: tuple[str, str], body: Any) -> int | None:
        """Of several, rather the one that had the same body: tasks may come in another order."""
        left = [place for place in self.places.get(key, ()) if place not in self.played]
        if not left:
            return None
        place = next((place for place in left if self.entries[place]["request"].get("json") == body), left[0])
        self.played.add(place)
        self.reached = max(self.reached, place)
        return place

    def _next_read(self, key: tuple[str, str]) -> int | None:
        places = self.places.get(key, ())
        end = next((place for place in self.writes if place > self.reached), len(self.entries))
        now = [place for place in places if self.reached < place < end]
        if not now:
            before = [place for place in places if place < self.reached]
            return before[-1] if before else None
        last = self.reads.get(key, -1)
        self.reads[key] = next((place for place in now if place > last), now[-1])
        return self.reads[key]


class Replay(Application):
    """The simulator with the answers of a conversation: log, faults and delays work as usual; keys are not checked."""

    entries: Sequence[dict[str, Any]] = ()

    def play(self, entries: Sequence[dict[str, Any]]) -> None:
        """Answers from these, from the first one on."""
        self.entries = entries
        self.conversation = Conversation(entries)

    def reset(self) -> None:
        """As after the start, so that the conversation begins again."""
        super().reset()
        self.conversation = Conversation(self.entries)

    def carry_out(self, call: Call) -> web.Response:
        """The recorded answer."""
        found = self.conversation.answer(call.method, call.target, _decoded(call))
        if found is not None and found["status"] is not None:
            return _response(found)
        words = "has no answer" if found is None else "was cut off"
        message = f"The recording {words} to {call.method} {call.target} after the {len(self.conversation.played)} writes that were asked for."
        return json_response(NOT_RECORDED, {"code": f"{NOT_RECORDED} Not Recorded", "message": message})


def _decoded(call: Call) -> Any:
    try:
        return call.decoded_body()
    except Exception:
        return None


def _response(answer: dict[str, Any]) -> web.Response:
    if "json" in answer:
        body = to_json(answer["json"]).encode("utf-8", "replace")
    else:
        page = f"<!DOCTYPE html>\n<title>{html.escape(answer['title'])}</title>\n" if "title" in answer else ""
        body = page.encode("utf-8", "replace").ljust(answer.get("length", 0), _FILLING)
    media_type = _UNKNOWN_TYPE if answer.get("type") == "other" else answer.get("type")
    return http_response(Reply(answer["status"], body, media_type, answer.get("headers", {})))

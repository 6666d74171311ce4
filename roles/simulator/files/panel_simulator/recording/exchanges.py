# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One request and its answer as an entry of a recorded conversation, without anything of a customer."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from panel_simulator.recording import vocabulary
from panel_simulator.recording.conversation import DEEPEST, LONGEST_BODY, STATUSES, depth_of
from panel_simulator.recording.forms import sentence
from panel_simulator.recording.members import without_data
from panel_simulator.recording.pseudonyms import Pseudonyms
from panel_simulator.recording.targets import target_without_data

_TITLE = re.compile(r"<title[^>]*>(.{0,400}?)</title>", re.IGNORECASE | re.DOTALL)


@dataclass
class Exchange:
    """What went over the wire. status: None where no whole answer came; seconds: since the recording began, until the answer was there."""

    method: str
    target: str
    key: str
    request_headers: Mapping[str, str] = field(default_factory=dict)
    request_body: bytes = b""
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    seconds: float = 0.0


class Recorded:
    """Makes the entries of one conversation."""

    def __init__(self) -> None:
        self._pseudonyms = Pseudonyms()
        self._keys: dict[str, int] = {}

    def entry(self, number: int, exchange: Exchange) -> dict[str, Any]:
        """The entry of an exchange; README.md says what it has."""
        to = self._pseudonyms
        method = exchange.method if exchange.method in vocabulary.METHODS else "OTHER"
        request = {
            "method": method,
            "target": target_without_data(exchange.target, to),
            "key": self._keys.setdefault(exchange.key, len(self._keys) + 1) if exchange.key else None,
            "accept": _accepted(exchange.request_headers.get("Accept", "")),
            **_content(exchange.request_body, exchange.request_headers.get("Content-Type", ""), to),
        }
        is_answer = exchange.status in STATUSES
        answer: dict[str, Any] = {"status": exchange.status if is_answer else None}
        if is_answer:
            answer["headers"] = vocabulary.kept_headers(exchange.headers)
            answer.update(_content(exchange.body, exchange.headers.get("Content-Type", ""), to))
        return {"number": number, "seconds": round(exchange.seconds, 3), "request": request, "answer": answer}


def _accepted(accept: str) -> list[str]:
    types = [vocabulary.nearest_type(part) for part in accept.split(",")[:8]]
    return [media for media in types if media]


def _content(body: bytes, content_type: str, to: Pseudonyms) -> dict[str, Any]:
    """A body: "json" where it is JSON whatever its type says, else no more than its length and the known words of its title."""
    shown: dict[str, Any] = {"type": vocabulary.nearest_type(content_type)}
    if not body:
        return shown
    try:
        value = json.loads(body, parse_constant=_refuse)
        if depth_of(value) > DEEPEST:
            raise ValueError("too deep")
    except (ValueError, RecursionError):
        title = _TITLE.search(body.decode("utf-8", "replace"))
        found = {"title": sentence(html.unescape(title[1]), to)} if title else {}
        return {**shown, "length": min(len(body), LONGEST_BODY), **found}
    return {**shown, "json": without_data(value, to)}


def _refuse(name: str) -> Any:
    raise ValueError(name)

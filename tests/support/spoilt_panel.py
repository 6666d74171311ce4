# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A panel in memory that answers with nonsense: members missing, added, of another type, null for everything, and worse.

It stands in for requests.Session, so all that reads answers is under test. What a request does to the objects is right; only the answer
is spoilt, each time in the same way, so that a check mode and the run after it see the same panel.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import requests

from ansible_collections.hosting.panel.plugins.module_utils._http.panel_client import PanelClient
from tests.support.memory_panel import MemoryPanel
from tests.support.simulated_time import SimulatedTime
from tests.support.transcript import connection

Spoil = Callable[[str, str, Any], Any]
JSON = "application/json"

# What stands in the place of a member.
WRONG: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 7, 1.5, 10**30, "", " ", "1", "x", "true", "0000-00-00", "\ud800", "\x00", "{{ 7 * 7 }}", "ä" * 300,
    [], {}, [None], [[]], [{}], {"id": None}, {"x": [None]}, ["x", 1, None], float("nan"),
)  # fmt: skip
# What stands in the place of a whole answer.
WRONG_ANSWERS: tuple[Any, ...] = (
    None,
    True,
    7,
    "text",
    [],
    {},
    [None],
    [[]],
    {"id": None},
    {"error": "x"},
    [{"id": 1}, None, 7],
)
BROKEN_BYTES = (
    b"{", b"null", b"[", b"\xff\xfe{}", b"\xef\xbb\xbf{}", b"[" * 20000, b'{"a":' * 20000, b"NaN", b"1e999", b"", b'{"id": 1, "id": 2}',
    b"<html><body>Bad gateway</body></html>", b'"\\ud800"', b"1" * 5000,
)  # fmt: skip


class SpoiltPanel:
    """In the place of a session: what a MemoryPanel answers, after ``spoil`` with method, path and the answer; that may return bytes."""

    def __init__(self, panel: MemoryPanel, spoil: Spoil) -> None:
        self.panel, self._spoil = panel, spoil
        self.spoilt = 0

    def request(self, method: str, url: str, **arguments: Any) -> requests.Response:
        path = url.removeprefix(connection().base_url)
        body = json.loads(arguments["data"]) if "data" in arguments else None
        try:
            status, data = self.panel.answered(method, path, arguments.get("params"), body)
        except (AttributeError, LookupError, TypeError):
            # A call that the panel in memory has no idea of.
            status, data = 400, {"code": "400 Bad Request", "message": "There is no such call."}
        made = self._spoil(method, path, copy.deepcopy(data)) if status < 400 else data
        self.spoilt += made != data
        content = made if isinstance(made, bytes) else b"" if status == 204 else json.dumps(made).encode()
        response = requests.Response()
        response.status_code = status
        response.headers["Content-Type"] = "text/html" if content.startswith(b"<") else JSON
        response._content = content
        response.url = url
        response.request = requests.Request(method, url).prepare()
        return response

    def mount(self, *_arguments: Any) -> None:
        """There are no connections to keep."""

    def close(self) -> None:
        """There is nothing to close."""


def client_of(session: SpoiltPanel) -> PanelClient:
    """A real client whose pauses take no time."""
    return PanelClient(connection(retry_time=5), SimulatedTime().patience(5), session)


def honest(_method: str, _path: str, data: Any) -> Any:
    """Spoils nothing."""
    return data


def spoiling(seed: int, share: float) -> Spoil:
    """Spoils so many of the answers; an answer to the same request about the same state always in the same way."""

    def spoil(method: str, path: str, data: Any) -> Any:
        dice = random.Random(f"{seed} {method} {path} {json.dumps(data, sort_keys=True)}")
        if dice.random() >= share:
            return data
        kind = dice.random()
        if kind < 0.08:
            return dice.choice(BROKEN_BYTES)
        if kind < 0.2:
            return copy.deepcopy(dice.choice(WRONG_ANSWERS))
        if kind < 0.3:
            return _all_null(data)
        for _number in range(dice.choice((1, 1, 2, 5))):
            data = _spoilt_somewhere(data, dice)
        return data

    return spoil


def _all_null(data: Any) -> Any:
    if isinstance(data, Mapping):
        return dict.fromkeys(data)
    return [_all_null(entry) for entry in data] if isinstance(data, list) else None


def _wrong(dice: random.Random) -> Any:
    return copy.deepcopy(dice.choice(WRONG))


def _spoilt_somewhere(data: Any, dice: random.Random) -> Any:
    """One member or entry less, more, or another one; anywhere inside."""
    places = list(_places(data))
    if not places:
        return data
    container, place = dice.choice(places)
    what = dice.random()
    if what < 0.3:
        del container[place]
    elif what < 0.4 and isinstance(container, dict):
        container[dice.choice(("zz_new", "id", "status", ""))] = _wrong(dice)
    elif what < 0.5 and isinstance(container, list):
        container.append(copy.deepcopy(container[place]))
    else:
        container[place] = _wrong(dice)
    return data


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, name or index) inside of a value."""
    entries: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for place, entry in list(entries):
        yield value, place
        yield from _places(entry)

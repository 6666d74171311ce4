"""A panel in memory of which one answer has an odd value, beside a panel that is sound.

What it answers else is made once.

with odd_panel("/clients", lambda data: ...): ... # whoever asks https://odd.example gets it, and
whoever asks https://sound.example does not
"""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

from ansible_collections.hosting.panel.plugins.module_utils._http import panel_session
from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import (
    Connection,
    read_connection,
)
from panel_simulator.answering import Reply
from tests.support import pem
from tests.support.in_memory import InMemory
from tests.support.memory import Session
from tests.support.mixed_panel import make_mixed_objects
from tests.support.tasks import CONNECTION, forget

ODD_PANEL = "https://odd.example"
SOUND_PANEL = "https://sound.example"
OPTIONS = {
    name: {**CONNECTION, "api_url": url, "retry_time": 0}
    for name, url in (("odd", ODD_PANEL), ("sound", SOUND_PANEL))
}
Change = Callable[[Any], Any]


def get_connection(name: str) -> Connection:
    """Return the connection to the odd or the sound panel."""
    return read_connection(OPTIONS[name])


@functools.cache
def _make_sound_panel() -> InMemory:
    seed = make_mixed_objects(pem.make_texts(), clients=1)
    for kind in ("clients", "domains", "emails"):
        seed[kind][0]["status"] = 2

    return InMemory(seed)


class _Answers(Session):
    """Answers as a panel in memory does, but for one path.

    Each answer is made once, since nothing changes.
    """

    replies: dict[tuple[str, str], Reply] = {}

    def __init__(self, path: str | None = None, change: Change | None = None) -> None:
        memory = _make_sound_panel()
        super().__init__(memory.panel, memory._clock, None)
        self._path = path
        self._change = change

    def reply_to(self, call: Any, entry: dict[str, Any], timeout: float) -> Reply:
        """Answer as the panel in memory does, with the change at the one path."""
        request = (call.path, json.dumps(call.query, sort_keys=True))
        if request not in self.replies:
            self.replies[request] = super().reply_to(call, entry, timeout)

        reply = self.replies[request]
        is_asked = self._path is None or call.path.removeprefix("/api/v2") == self._path
        if self._change is None or not is_asked:
            return reply

        changed = self._change(json.loads(reply.body or "null"))
        body = changed if isinstance(changed, bytes) else json.dumps(changed).encode()

        return Reply(200, body, "application/json")


@contextlib.contextmanager
def change_odd_panel(path: str | None, change: Change) -> Iterator[None]:
    """Let the odd panel change what it answers, until the end of the block.

    path: the path whose answer is changed; None for every answer. change: returns the new answer,
    or bytes that are sent as they are.
    """
    odd = _Answers(path, change)
    sound = _Answers()

    def make_http_session(connection: Connection) -> Session:
        return odd if connection.base_url.startswith(ODD_PANEL) else sound

    forget()
    with mock.patch.object(panel_session, "make_http_session", make_http_session):
        yield

    forget()


def get_path_of_client() -> str:
    """Return the path of the one client of both panels."""
    [client] = _make_sound_panel().list_objects("clients")
    return f"/clients/{client['id']}"


def make_change_of_first(path: tuple[str | int, ...], value: Any) -> Change:
    """Return a change that puts a value into the first object of a list."""
    from tests.support.odd_values import with_value_at

    def change(objects: Any) -> Any:
        """Return the list with the changed object; an empty list stays empty."""
        if not objects:
            return objects
        return [with_value_at(objects[0], path, value), *objects[1:]]

    return change

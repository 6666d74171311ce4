# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks a panel, and tells its answers as they came. Private to the collection.

Nothing is repeated that would hide what a panel answers. Only while its web server reloads, and after a connection broke off, a request is sent
again, and that is counted; a creation never is, since only a look at the panel can say whether the first one took effect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...module_utils._errors import OutcomeUnknown, RequestError
from ...module_utils._http.panel_client import PanelClient
from ...module_utils._http.repeats import Patience
from .evidence import Reply

# A panel that answers in ways of its own shall not be asked without end.
MOST_REQUESTS = 220
_RELOADING = frozenset([500, 502, 503, 504])


class TooManyRequests(Exception):
    """The panel has been asked as often as it may be."""


class Conversation:
    """One panel. asked: how many requests were sent. broken: how many got no answer. reloads: how many met a reload."""

    def __init__(self, client: PanelClient, patience: Patience, heard: Callable[[], None] = lambda: None) -> None:
        self._client, self._patience, self._heard = client, patience, heard
        self.asked = self.broken = self.reloads = 0
        self.most = MOST_REQUESTS

    def ask(self, method: str, path: str, query: Mapping[str, Any] | None = None, body: Any = None) -> Reply:
        """The answer. Raises OutcomeUnknown for a creation without one, RequestError where none came, and TooManyRequests."""
        attempts = 0
        while True:
            attempts += 1
            if self.asked >= self.most:
                raise TooManyRequests
            self.asked += 1
            try:
                reply = self._reply(method, path, query, body)
            except OutcomeUnknown:
                self.broken += 1
                if method == "POST" or not self._patience.wait(attempts):
                    raise
                continue
            except RequestError:
                self.broken += 1
                if not self._patience.wait(attempts):
                    raise
                continue
            if reply.status not in _RELOADING or reply.is_json:
                self._patience.calm()
                return reply
            self.reloads += 1
            if method == "POST":
                raise OutcomeUnknown(
                    f"POST {path} met a reload of the panel's web server.", method="POST", path=path, attempts=1
                )
            if not self._patience.wait(attempts):
                return reply

    def _reply(self, method: str, path: str, query: Mapping[str, Any] | None, body: Any) -> Reply:
        answer = self._client.exchange(method, path, query, body)
        self._heard()
        words = "" if answer.is_json else answer.content[:20].decode("utf-8", "replace").strip()
        is_escaped = _is_escaped(answer.content) if answer.is_json else None
        return Reply(answer.status, answer.data, answer.is_json, answer.content_type, words, answer.problem, is_escaped)


def _is_escaped(text: bytes) -> bool | None:
    """Whether JSON text escapes what it need not."""
    if b"\\/" in text or b"\\u" in text:
        return True
    return False if b"/" in text or not text.isascii() else None

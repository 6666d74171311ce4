"""A panel that loses the answer to the first creation, or another write, and carries it out later, seen through the real client.

    time = SimulatedTime()
    panel = LatePanel(MemoryPanel({"/clients": []}), time, lost=reset, late=4.0)
    client = panel.client(retry_time=2)
    …
    panel.settle()

Unlike MemoryPanel it refuses a second object of most kinds, as a panel does. It stands in for requests.Session.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import requests

from ansible_collections.hosting.panel.plugins.module_utils._http.panel_client import PanelClient
from tests.support.memory_panel import NAMES, MemoryPanel
from tests.support.simulated_time import SimulatedTime
from tests.support.transcript import Reply, _response, answer, connection

UNIQUE = {**NAMES, "/databases": "database_name", "/ftp-users": "username"}
"""What tells two objects apart that a panel does not have both; other kinds it has twice."""


class LatePanel:
    """method: of the writes, of which the first is lost.

    lost: what the first one meets, an exception or an answer. late: after how many seconds it takes effect; None: never.

    duplicate_status: of the refusal of a second object. reserves: whether a name is taken as soon as its creation was sent, and not only
    when the object can be seen.
    """

    def __init__(
        self,
        memory: MemoryPanel,
        time: SimulatedTime,
        lost: Callable[[], Reply | Exception],
        late: float | None,
        duplicate_status: int = 400,
        reserves: bool = False,
        method: str = "POST",
    ) -> None:
        self.memory, self.time = memory, time
        self._lost, self._late = lost, late
        self._duplicate_status, self._reserves, self._method = duplicate_status, reserves, method
        self._pending: tuple[float, str, Any] | None = None
        self._is_struck = False

    def client(self, retry_time: float) -> PanelClient:
        """A client on the panel's clock."""
        return PanelClient(connection(retry_time=retry_time), self.time.patience(retry_time), self)

    def settle(self) -> None:
        """A few minutes later: whatever was still to come has come."""
        self.time.now += 300
        self._commit()

    def request(self, method: str, url: str, **arguments: Any) -> requests.Response:
        """As requests.Session does."""
        self._commit()
        path = url.removeprefix(connection().base_url)
        body = json.loads(arguments["data"]) if "data" in arguments else None
        if method == self._method and not self._is_struck:
            self._is_struck = True
            if self._late is not None:
                self._pending = (self.time.now + self._late, path, body)
            reply = self._lost()
        else:
            reply = self._answer(method, path, body)
        if isinstance(reply, Exception):
            raise reply
        return _response(reply, method, url, arguments.get("params"))

    def close(self) -> None:
        """Nothing to close."""

    def mount(self, _prefix: str, _adapter: Any) -> None:
        """Nothing to keep."""

    def _commit(self) -> None:
        if self._pending is not None and self._pending[0] <= self.time.now:
            (_when, path, body), self._pending = self._pending, None
            self._answer(self._method, path, body)

    def _answer(self, method: str, path: str, body: Any) -> Reply:
        if method == "POST" and self._is_taken(path, body):
            return answer(self._duplicate_status, {"code": "refused", "message": "The name is taken."})
        status, data = self.memory.answered(method, path, None, body)
        return answer(status) if data is None else answer(status, data)

    def _is_taken(self, path: str, body: Mapping[str, Any]) -> bool:
        member = UNIQUE.get(path)
        taken = [item.get(member) for item in self.memory.objects.get(path, [])]
        if self._reserves and self._pending is not None:
            taken.append(self._pending[2].get(member))
        return member is not None and body.get(member) in taken

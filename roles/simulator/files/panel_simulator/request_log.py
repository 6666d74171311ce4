"""What was asked and what was answered, for tests to read. The API key is in no entry."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

HIDDEN = "***"


@dataclass
class LoggedRequest:
    """One request below /api/v2. ``status`` is None when no answer was sent; ``fault`` is what was done to it instead, if anything."""

    number: int
    time: float
    connection: int
    method: str
    path: str
    query: dict[str, str]
    target: str = ""
    raw: bytes = b""
    status: int | None = None
    fault: str | None = None


@dataclass
class RequestLog:
    """Requests in the order of their arrival; numbers start at 1 and are never used twice."""

    last: int = 0
    entries: list[LoggedRequest] = field(default_factory=list)

    def add(
        self, connection: int, method: str, path: str, query: dict[str, str], target: str, raw: bytes
    ) -> LoggedRequest:
        """Notes that a request arrived; the caller fills in the rest. ``target`` is path and query as they were sent."""
        self.last += 1
        entry = LoggedRequest(self.last, time.time(), connection, method, path, query, target, raw)
        self.entries.append(entry)
        return entry

    def clear(self) -> None:
        """Forgets the entries, not the numbers."""
        self.entries = []

    def shown(self, since: int, api_key: str) -> dict[str, Any]:
        """``{"next": M, "requests": [...]}`` with the entries after number ``since``; ``next`` is the ``since`` for the next time."""
        requests = [_shown(entry) for entry in self.entries if entry.number > since]
        text = json.dumps(requests)
        if api_key and api_key in text:
            requests = json.loads(text.replace(json.dumps(api_key)[1:-1], HIDDEN))
        return {"next": self.last, "requests": requests}


def _shown(entry: LoggedRequest) -> dict[str, Any]:
    body: Any = None
    if entry.raw:
        try:
            body = json.loads(entry.raw)
        except ValueError:
            body = entry.raw.decode("utf-8", "replace")
    return {
        "number": entry.number,
        "time": entry.time,
        "connection": entry.connection,
        "method": entry.method,
        "path": entry.path,
        "query": entry.query,
        "target": entry.target,
        "body": body,
        "status": entry.status,
        "fault": entry.fault,
    }

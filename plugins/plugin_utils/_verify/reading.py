# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read of a panel: a handful of requests, and none of them with a wrong key unless that is asked for. Private to the collection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...module_utils._http.answers import Exchange
from .conversation import PING, Conversation
from .evidence import Evidence, number
from .recognition import check_access, check_ping, check_reads

# No panel has so many objects.
UNKNOWN_ID = 2147483646
UNKNOWN_PATH = "/hosting-panel-verify"


def read(panel: Conversation, seen: Evidence, with_wrong_key: Callable[[], Exchange] | None = None) -> None:
    """Fills the evidence. Raises NotThisPanel, and RequestError where no answer comes. with_wrong_key: asks once with a key that nobody has."""

    def ask(name: str, path: str) -> Exchange:
        reply = seen.replies[name] = panel.ask("GET", path)
        check_access(path, reply)
        return reply

    seen.replies["ping"] = panel.ask("GET", PING)
    check_ping(seen.replies["ping"])
    ask("server", "/server")
    seen.replies["one block"] = panel.ask("GET", "/server", {"meta": "true"})
    plans, clients = ask("plans", "/hosting-plans"), ask("clients", "/clients")
    check_reads(seen)
    seen.replies["unknown id"] = panel.ask("GET", f"/clients/{UNKNOWN_ID}")
    seen.replies["unknown path"] = panel.ask("GET", UNKNOWN_PATH)
    _compare(seen, "hosting_plans", plans.items, lambda identifier: ask("plan", f"/hosting-plans/{identifier}"))
    client = _compare(seen, "clients", clients.items, lambda identifier: ask("client", f"/clients/{identifier}"))
    if client is not None:
        ask("resources", f"/clients/{client}/resources")
    if with_wrong_key is not None:
        seen.replies["wrong key"] = with_wrong_key()


def _compare(seen: Evidence, kind: str, items: list[Mapping[str, Any]], ask: Callable[[int], Exchange]) -> int | None:
    """Reads the first of a list as a single object, too; its id."""
    identifier = number(items[0]["id"]) if items else None
    if identifier is not None:
        shown = ask(identifier).object
        if shown:
            seen.shown.setdefault(kind, []).append((shown, items[0]))
    return identifier

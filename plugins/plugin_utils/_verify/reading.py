# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read of a panel: a handful of requests, and none of them with a wrong key unless that is asked for. Private to the collection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...module_utils._http.answers import Exchange
from .conversation import PING, Conversation
from .evidence import DIFFERS, Evidence, number
from .observations import contradictions
from .recognition import check_access, check_ping, check_reads

# No panel has so many objects.
UNKNOWN_ID = 2147483646
UNKNOWN_PATH = "/hosting-panel-verify"


def read(panel: Conversation, seen: Evidence, with_wrong_key: Callable[[], Exchange] | None = None) -> None:
    """Fills the evidence. Raises NotThisPanel, and RequestError where no answer comes. with_wrong_key: asks once with a key that nobody has.

    What is otherwise than it is taken for granted is read a second time.
    """
    _read(panel, seen)
    first = contradictions(seen)
    if first:
        again = Evidence(seen.other_names, seen.defaults)
        _read(panel, again)
        second = contradictions(again)
        seen.tried.update({point: DIFFERS for point, value in first.items() if second.get(point) != value})
    if with_wrong_key is not None:
        seen.wrong_key = with_wrong_key()


def _read(panel: Conversation, seen: Evidence) -> None:
    def ask(path: str, query: Mapping[str, Any] | None = None, is_there: bool = True) -> Exchange:
        reply = panel.ask("GET", path, query)
        if is_there:
            check_access(path, reply)
        seen.note_text(reply)
        return reply

    seen.ping = panel.ask("GET", PING)
    check_ping(seen.ping)
    seen.server = ask("/server")
    seen.one_block = ask("/server", {"meta": "true"}, is_there=False)
    seen.plans, seen.clients = ask("/hosting-plans"), ask("/clients")
    check_reads(seen)
    seen.unknown_id = ask(f"/clients/{UNKNOWN_ID}", is_there=False)
    panel.page_of_unknown_id = seen.unknown_id.status if seen.unknown_id.is_page else 0
    seen.unknown_path = ask(UNKNOWN_PATH, is_there=False)
    panel.forbids_unknown_paths = seen.unknown_path.status == 403
    _compare(seen, "hosting_plans", seen.plans, ask)
    client = _compare(seen, "clients", seen.clients, ask)
    if client is not None:
        seen.resources = ask(f"{client}/resources")


def _compare(seen: Evidence, kind: str, listed: Exchange, ask: Callable[[str], Exchange]) -> str | None:
    """Reads the first of a list as a single object, too; its path."""
    identifier = number(listed.items[0]["id"]) if listed.items else None
    if identifier is None:
        return None
    path = f"/{kind.replace('_', '-')}/{identifier}"
    shown = ask(path).object
    if shown:
        seen.shown.setdefault(kind, []).append((shown, listed.items[0]))
    return path

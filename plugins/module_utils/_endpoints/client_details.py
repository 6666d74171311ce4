# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel tells about a client on paths of their own (facts.md sections 4.2 to 4.4). Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .._errors import OptionError, Refused
from .._http.panel_client import PanelClient, path_of
from .._kinds.client import CLIENT
from .._kinds.registry import DETAILS
from .._object.objects import checked_object
from .._task.operation import Task

INCLUDES = ("resources", "stats", "traffic")
OPTIONS: dict[str, dict[str, Any]] = {
    "include": {"type": "list", "elements": "str", "choices": list(INCLUDES)},
    "month": {"type": "str"},
}
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])", re.ASCII)


def check_options(params: Mapping[str, Any]) -> None:
    """Raises OptionError for a month that is none, or that would count for nothing."""
    month = params.get("month")
    if month is None:
        return
    if not _MONTH.fullmatch(month):
        raise OptionError("month", f"{month!r} is not accepted; it must be a month YYYY-MM, 2026-11 for example.")
    if "traffic" not in (params.get("include") or ()):
        raise OptionError("month", "chooses the month of the traffic; add traffic to include, or omit month.")


def add_details(clients: list[dict[str, Any]], params: Mapping[str, Any], task: Task) -> list[dict[str, Any]]:
    """The clients with a member for each include; one more request for each client and include."""
    includes = [name for name in INCLUDES if name in (params.get("include") or ())]
    query = {"traffic": {"month": params["month"]}} if params.get("month") else {}
    detailed = []
    for client in clients:
        details = _details(task.client, client, includes, query)
        if details is not None:
            detailed.append({**client, **details})
    return detailed


def _details(
    panel: PanelClient, client: Mapping[str, Any], includes: Iterable[str], query: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any] | None:
    """The included members; None where the client was deleted after it had been listed."""
    path = CLIENT.path + path_of(client.get("id"))
    try:
        return {
            name: checked_object(panel.get(f"{path}/{name}", query.get(name)), f"{path}/{name}", DETAILS[name])
            for name in includes
        }
    except Refused as refusal:
        if refusal.details["status"] == 404 and panel.get_or_none(path) is None:
            return None
        raise

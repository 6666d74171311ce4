# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel tells about a client on separate paths: login URLs, and details (facts.md, 4.2 to 4.4). Private to the collection."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import Any

from .._errors import OptionError, Refused, UnexpectedAnswer, UnknownReference
from .._http.answers import unexpected_answer
from .._http.panel_client import PanelClient, path_of
from .._kinds.client import CLIENT
from .._kinds.registry import DETAILS
from .._object.objects import NOT_FOUND, Panel, checked_object, is_plain
from .._task.operation import Operation, Outcome, Task

# Interface, "Limits": login URL validity.
VALIDITY = datetime.timedelta(minutes=60)


def login_url(client: PanelClient, user: str | int, page: str | None = None) -> str:
    """A login URL for the client with this username or id; raises UnknownReference if there is none."""
    name, identifier = (user, None) if isinstance(user, str) else (None, user)

    def found() -> dict[str, Any]:
        item = Panel(lambda: client).look_up(CLIENT.path, name, identifier)
        if item is None:
            who = name or f"with id {identifier}"
            raise UnknownReference(f"There is no client {who} on this panel; login URLs exist for clients only.")
        return item

    # By a name that comes otherwise than it was sent, it would be a URL for another client.
    steps = (user,) if name is None else ("name", name) if is_plain(name) else (found()["id"],)
    path = path_of("login", *steps)
    try:
        # The name of the query parameter is not shown by the interface; this one is inferred.
        data = client.get(path, {"page": page} if page else None)
    except (Refused, UnexpectedAnswer) as error:
        # A page with 404 says nothing of clients.
        if error.details.get("status") == NOT_FOUND:
            found()
        raise
    url = data.get("url") if isinstance(data, dict) else None
    if not isinstance(url, str) or not url.startswith(("https://", "http://")):
        raise unexpected_answer(path, "did not answer with a login URL.")
    return url


def _read(params: Mapping[str, Any], task: Task) -> Outcome:
    for option in ("username", "page"):
        if params[option] == "":
            raise OptionError(option, "may not be empty.")
    before = datetime.datetime.now(datetime.timezone.utc)
    url = login_url(task.client, params["id"] if params["id"] is not None else params["username"], params["page"])
    expires_at = (before + VALIDITY).isoformat(timespec="seconds")
    return Outcome(changed=False, result={"login_url": url, "expires_at": expires_at})


LOGIN = Operation(
    options={"username": {"type": "str"}, "id": {"type": "int"}, "page": {"type": "str"}},
    constraints={"mutually_exclusive": [["username", "id"]], "required_one_of": [["username", "id"]]},
    run=_read,
)


OPTIONS: dict[str, dict[str, Any]] = {
    "include": {"type": "list", "elements": "str", "choices": list(DETAILS)},
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
    """The clients with a member for each include; one more request for each client and include. Without those deleted since the list."""
    query = {"traffic": {"month": params["month"]}} if params.get("month") else {}
    detailed = []
    for client in clients:
        path, details = CLIENT.path + path_of(client.get("id")), dict(client)
        try:
            for name in (one for one in DETAILS if one in (params.get("include") or ())):
                found = task.client.get(f"{path}/{name}", query.get(name))
                details[name] = checked_object(found, f"{path}/{name}", DETAILS[name])
        except Refused as refusal:
            if refusal.details["status"] == NOT_FOUND and task.client.get_or_none(path) is None:
                continue
            raise
        detailed.append(details)
    return detailed

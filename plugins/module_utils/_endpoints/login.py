# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Login URLs for clients. Private to the collection."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from .._errors import OptionError, Refused, UnexpectedAnswer, UnknownReference
from .._http.panel_client import PanelClient, path_of
from .._kinds.client import CLIENT
from .._object.objects import NOT_FOUND, Panel, is_plain
from .._task.operation import Operation, Outcome, Task

# Interface, "Limits": login URL validity.
VALIDITY = datetime.timedelta(minutes=60)
# The name of the query parameter is not shown by the interface; this one is inferred.
PAGE_PARAMETER = "page"


def login_url(client: PanelClient, user: str | int, page: str | None = None) -> str:
    """A login URL for the client with this username or id; raises UnknownReference if there is none."""
    target: str | int = user
    if isinstance(user, str) and not is_plain(user):
        # By a name that comes otherwise than it was sent, it would be a URL for another client.
        found = _found(client, user)
        if found is None:
            raise _unknown(user)
        target = found["id"]
    path = path_of("login", target) if isinstance(target, int) else path_of("login", "name", target)
    try:
        data = client.get(path, {PAGE_PARAMETER: page} if page else None)
    except (Refused, UnexpectedAnswer) as error:
        # A page with 404 says nothing of clients.
        if error.details.get("status") != NOT_FOUND or (isinstance(error, UnexpectedAnswer) and _found(client, user)):
            raise
        raise _unknown(user) from None
    url = data.get("url") if isinstance(data, dict) else None
    if not isinstance(url, str) or not url.startswith(("https://", "http://")):
        raise UnexpectedAnswer(f"GET {path} did not answer with a login URL.", method="GET", path=path, attempts=1)
    return url


def _found(client: PanelClient, user: str | int) -> dict[str, Any] | None:
    panel = Panel(lambda: client)
    return panel.look_up(CLIENT.path, user) if isinstance(user, str) else panel.look_up(CLIENT.path, None, user)


def _unknown(user: str | int) -> UnknownReference:
    who = user if isinstance(user, str) else f"with id {user}"
    return UnknownReference(f"There is no client {who} on this panel; login URLs exist for clients only.")


def _read(params: Mapping[str, Any], task: Task) -> Outcome:
    for option in ("username", "page"):
        if params[option] == "":
            raise OptionError(option, "may not be empty.")
    before = datetime.datetime.now(datetime.timezone.utc)
    url = login_url(task.client, params["id"] if params["id"] is not None else params["username"], params["page"])
    return Outcome(
        changed=False,
        result={"login_url": url, "expires_at": (before + VALIDITY).isoformat(timespec="seconds")},
    )


LOGIN = Operation(
    options={"username": {"type": "str"}, "id": {"type": "int"}, "page": {"type": "str"}},
    constraints={"mutually_exclusive": [["username", "id"]], "required_one_of": [["username", "id"]]},
    run=_read,
)

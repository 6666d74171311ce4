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
from .._task.operation import Operation, Outcome, Task

# Interface, "Limits": login URL validity.
VALIDITY = datetime.timedelta(minutes=60)
# The name of the query parameter is not shown by the interface; this one is inferred.
PAGE_PARAMETER = "page"


def login_url(client: PanelClient, user: str | int, page: str | None = None) -> str:
    """A login URL for the client with this username or id; raises UnknownReference if there is none."""
    path = path_of("login", user) if isinstance(user, int) else path_of("login", "name", user)
    try:
        data = client.get(path, {PAGE_PARAMETER: page} if page else None)
    except Refused as refusal:
        if refusal.details["status"] != 404:
            raise
        raise UnknownReference(
            f"There is no client {user if isinstance(user, str) else f'with id {user}'} on this panel; login URLs exist for clients only."
        ) from None
    url = data.get("url") if isinstance(data, dict) else None
    if not isinstance(url, str) or not url.startswith(("https://", "http://")):
        raise UnexpectedAnswer(f"GET {path} did not answer with a login URL.", method="GET", path=path, attempts=1)
    return url


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

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the panel can be reached, the key is accepted and the API is switched on. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import RequestError, UnexpectedAnswer
from .._http.panel_client import PanelClient
from .._task.operation import Operation, Outcome, Task
from .._values.value_types import Boolean

PATH = "/ping"
_CAUSES: dict[Any, tuple[str, str]] = {
    401: ("key", "The API key is not accepted."),
    403: ("access", "API disabled or address not allowed."),
}
_NO_PANEL = "What answers is not the API of a panel."


def is_pong(data: Any) -> bool:
    """Whether the answer says pong: as a text (interface), as ``{"response": "pong"}`` (facts.md section 2), or as a switch ``pong``."""
    if isinstance(data, dict):
        if Boolean().comparable(data.get("pong")) is True:
            return True
        data = data.get("response")
    return isinstance(data, str) and data.strip().lower() == "pong"


def check_pong(client: PanelClient) -> None:
    """Raises the error that says why what answers is no panel that lets the key in."""
    try:
        answer = client.call("GET", PATH, plain_text=True)
    except RequestError as error:
        status = error.details.get("status")
        cause, words = _CAUSES.get(status, ("unreachable", _NO_PANEL if status else "The panel is not reachable."))
        raise type(error)(f"{words} {error.what}", error.advice, **{**error.details, "cause": cause}) from error
    if not is_pong(answer.data):
        details = {"method": "GET", "path": PATH, "attempts": 1, "cause": "unreachable"}
        raise UnexpectedAnswer(f"{_NO_PANEL} GET {PATH} got another answer than pong.", "Check api_url.", **details)


def _ping(_params: Mapping[str, Any], task: Task) -> Outcome:
    check_pong(task.client)
    return Outcome(changed=False, result={"ping": "pong"})


PING = Operation(options={}, run=_ping)

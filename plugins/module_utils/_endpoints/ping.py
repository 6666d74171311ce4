# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the panel can be reached, the key is accepted and the API is switched on. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import Denied, PanelError, RequestError, UnexpectedAnswer
from .._http.answers import SWITCHED_OFF
from .._http.panel_client import PanelClient
from .._task.operation import Operation, Outcome, Task
from .._values.value_types import Boolean

PATH = "/ping"
_CAUSES = {401: ("key", "The API key is not accepted."), 403: ("access", "API disabled or address not allowed.")}
# By status, what a page or something else than a pong comes from, the likeliest first.
_OTHERS = {
    200: f"something else than the panel's pong: another product, a proxy, or a panel whose {SWITCHED_OFF}",
    404: f"no /api/v2/ping: another product, a panel with an API of another version, or one whose {SWITCHED_OFF}",
    407: "a proxy that wants a login of its own before it lets anybody to the panel",
}
_NO_ACCESS = "Nobody gets in with this key."
_A_PAGE = f"a web page, such as that of a login: another product, a proxy, or a panel whose {SWITCHED_OFF}"
_NOT_NOW = "a proxy without its panel, or a panel that fails or is asked too often; try again later"
_ANY = "another product, an API of another version, or http where the panel speaks https"


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
    except Denied as error:
        raise denied_ping(error) from error
    except RequestError as error:
        status = error.details.get("status")
        words = f"What answers is {no_panel(status, status == 200)}." if status else "The panel is not reachable."
        raise _with_cause(error, "unreachable", words) from error
    if not is_pong(answer.data):
        raise UnexpectedAnswer(
            f"GET {PATH} did not answer with pong but with {no_panel(200, is_page=False)}. Is api_url the address of the panel?",
            method="GET",
            path=PATH,
            attempts=1,
            cause="unreachable",
        )


def _ping(_params: Mapping[str, Any], task: Task) -> Outcome:
    check_pong(task.client)
    return Outcome(changed=False, result={"ping": "pong"})


def denied_ping(error: Denied) -> PanelError:
    """The error of the module for a key that the panel refuses."""
    cause, words = _CAUSES[error.details["status"]]
    is_told = not error.details["attempts"] or not error.details.keys().isdisjoint(("code", "panel_message"))
    return _with_cause(error, cause, words if is_told else _NO_ACCESS)


def no_panel(status: int, is_page: bool) -> str:
    """What may answer so to a ping, the likeliest first. is_page: whether it is a web page."""
    if status == 429 or status >= 500:
        return _NOT_NOW
    if 200 <= status < 300:
        return _A_PAGE if is_page else _OTHERS[200]
    if 300 <= status < 400:
        return "not the API"
    return _OTHERS.get(status, _ANY)


def _with_cause(error: RequestError, cause: str, words: str) -> PanelError:
    return type(error)(f"{words} {error.message}", **{**error.details, "cause": cause})


PING = Operation(options={}, run=_ping)

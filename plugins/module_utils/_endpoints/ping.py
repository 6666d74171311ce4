# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the panel can be reached, the key is accepted and the API is switched on. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import Denied, PanelError, RequestError, UnexpectedAnswer
from .._task.operation import Operation, Outcome, Task
from .._values.value_types import Boolean

PATH = "/ping"
_CAUSES = {401: ("key", "The API key is not accepted."), 403: ("access", "API disabled or address not allowed.")}


def is_pong(data: Any) -> bool:
    """Whether the answer says pong: as a text (interface), as ``{"response": "pong"}`` (facts.md section 2), or as a switch ``pong``."""
    if isinstance(data, dict):
        if Boolean().comparable(data.get("pong")) is True:
            return True
        data = data.get("response")
    return isinstance(data, str) and data.strip().lower() == "pong"


def _ping(_params: Mapping[str, Any], task: Task) -> Outcome:
    try:
        answer = task.client.call("GET", PATH, plain_text=True)
    except Denied as error:
        raise denied_ping(error) from error
    except RequestError as error:
        raise _with_cause(error, "unreachable", "The panel is not reachable.") from error
    if not is_pong(answer.data):
        raise UnexpectedAnswer(
            f"GET {PATH} did not answer with pong; is api_url the address of the panel?",
            method="GET",
            path=PATH,
            attempts=1,
            cause="unreachable",
        )
    return Outcome(changed=False, result={"ping": "pong"})


def denied_ping(error: Denied) -> PanelError:
    """The error of the module for a key that the panel refuses."""
    return _with_cause(error, *_CAUSES[error.details["status"]])


def _with_cause(error: RequestError, cause: str, words: str) -> PanelError:
    return type(error)(f"{words} {error.message}", **{**error.details, "cause": cause})


PING = Operation(options={}, run=_ping)

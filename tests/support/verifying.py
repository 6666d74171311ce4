"""Tasks of panel_verify against the simulator's panel in this process, on a clock that only goes on
when somebody waits.

panel = Verified({"clients": [{"username": "acme"}]}, dates="utc") assert
panel.verify(writes=True)["profile"] == {"dates": "utc"}
"""

from __future__ import annotations

import contextlib
import copy
import json
import re
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest import mock

from ansible_collections.hosting.panel.plugins.module_utils._http import panel_session
from ansible_collections.hosting.panel.plugins.plugin_utils._verify import (
    api_description,
    tried_panel,
    verify,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._verify.open_points import read_points
from panel_simulator.answering import Reply, answer_call
from panel_simulator.calls import Call
from panel_simulator.settings import POINTS as TABLE
from tests.support.in_memory import InMemory
from tests.support.memory import Session
from tests.support.transcript import make_reset_fault

POINTS = read_points()
NAME = "hpverifyabcdef"
MISSING = object()
# Gives the reply to a request, or raises; the second one has its effect, and gives the panel's own
# reply.
Strike = Callable[[Call, Callable[[], Reply]], Reply]
# By point, every value that a verify can find and that is not the default.
VALUES = [(name, value) for name in POINTS for value in TABLE[name].tried]


def as_verified(profile: Mapping[str, Any]) -> dict[str, Any]:
    """Return a profile as a verify writes it.

    Without defaults, and with empty values for fields that only the panel knows.
    """
    settings = copy.deepcopy(
        {name: value for name, value in profile.items() if value != TABLE[name].default}
    )
    for extra in settings.get("extra_members", {}).values():
        extra.update({name: type(value)() for name, value in extra.items()})
    return settings


@dataclass
class Struck:
    """One write that goes wrong, counted from 1; 0: each.

    status: of the answer, 0 where it is lost. interrupts: Ctrl-C comes then.
    """

    at: int
    status: int = 0
    has_effect: bool = False
    method: str = ""
    interrupts: bool = False
    number: int = 0

    def meets(self, method: str) -> bool:
        """Count a request that may be struck, and return whether this one is."""
        if method == "GET" or self.method not in ("", method):
            return False
        self.number += 1
        return self.at in (0, self.number)


class Verified(InMemory):
    """serves: what the panel serves as the description of its API, None for the simulator's own."""

    serves: Any = None

    def __init__(self, seed: Mapping[str, Any] | None = None, **settings: Any) -> None:
        super().__init__(seed, **{"status_delay": 0.5, **settings})

    def verify(
        self,
        struck: Struck | None = None,
        late_deletions: float = 0,
        answers: Mapping[str, Any] | None = None,
        strike: Strike | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Return the result of one task.

        late_deletions: seconds until one has its effect. answers: instead of the panel's, by a
        pattern of the path. strike: what becomes of each request.
        """
        whole = Session.reply_to

        def reply_to(session: Session, call: Call, entry: dict[str, Any], timeout: float) -> Reply:
            if struck is not None and struck.meets(call.method):
                if struck.has_effect:
                    answer_call(self.panel, call)
                if struck.interrupts:
                    signal.raise_signal(signal.SIGINT)
                if not struck.status:
                    raise make_reset_fault()
                return Reply(struck.status, b'{"code": "1", "message": "No."}', "application/json")

            if strike is not None:
                return strike(call, lambda: whole(session, call, entry, timeout))
            replacement = next(
                (
                    value
                    for pattern, value in (answers or {}).items()
                    if re.fullmatch(pattern, call.path)
                ),
                MISSING,
            )
            if replacement is not MISSING and call.method == "GET":
                return Reply(200, json.dumps(replacement).encode(), "application/json")

            if late_deletions and call.method == "DELETE":
                session._late.append(
                    (self._clock.now + late_deletions, lambda: answer_call(self.panel, call))
                )
                return Reply(204)

            return whole(session, call, entry, timeout)

        with contextlib.ExitStack() as stack:
            stack.enter_context(
                mock.patch.object(panel_session, "RetryBudget", self._clock.retry_budget)
            )
            stack.enter_context(
                mock.patch.object(tried_panel, "RetryBudget", self._clock.retry_budget)
            )
            session = partial(panel_session.PanelSession, http_session=_Serving(self))
            stack.enter_context(mock.patch.object(api_description, "PanelSession", session))
            # To read its file takes as long as a verify of a panel in memory.
            stack.enter_context(
                mock.patch.object(verify, "read_points", lambda: copy.deepcopy(POINTS))
            )
            stack.enter_context(mock.patch.object(Session, "reply_to", reply_to))

            return self.run("panel_verify", **options)

    @property
    def names(self) -> set[str]:
        """Return what there is of a test client."""
        objects = self.get_state()["objects"]
        every = (entry["data"] for kind in objects.values() for entry in kind)
        return {
            text
            for data in every
            for text in data.values()
            if isinstance(text, str) and "hpverify" in text and " " not in text
        }


class _Serving(Session):
    def __init__(self, panel: Verified) -> None:
        super().__init__(panel.panel, panel._clock, None)
        self._serves = panel.serves

    def request(self, method: str, url: str, **arguments: Any) -> Any:
        """Send a request, and replace its answer where that is due."""
        answer = super().request(method, url, **arguments)
        if self._serves is not None:
            answer._content = (
                self._serves
                if isinstance(self._serves, bytes)
                else json.dumps(self._serves).encode()
            )

        return answer

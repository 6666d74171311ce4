"""A ping says what failed.

The way to the panel, the key, or the access; and a reboot is over when the panel went down and
answers again.
"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils import _errors as errors
from ansible_collections.hosting.panel.plugins.module_utils._endpoints import (
    PING,
    check_pong,
    reboot,
)
from ansible_collections.hosting.panel.plugins.module_utils._errors import (
    OutcomeUnknown,
    Reached,
    ServerFailed,
    Unreachable,
)
from ansible_collections.hosting.panel.plugins.module_utils._http.answers import Answer
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import CallRules
from ansible_collections.hosting.panel.plugins.module_utils._problems import Written
from tests.support.tasks import run_task
from tests.support.transcript import (
    Dialogue,
    SimulatedTime,
    call,
    make_answer,
    make_connection,
    make_page,
    make_untrusted_certificate_fault,
)

INVALID = {"code": "403 Forbidden", "message": "API key is missing or invalid."}


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(make_answer(200, {"response": "pong"}), id="response"),
        pytest.param(make_page(200, "pong", "text/plain"), id="text"),
        pytest.param(make_answer(200, {"pong": 1}), id="field"),
    ],
)
def test_a_pong_is_read_in_every_form(dialogue: Dialogue, reply: Any) -> None:
    assert run_task(PING, dialogue(call("GET", "/ping", reply)), {})["ping"] == "pong"


@pytest.mark.parametrize(
    ("reply", "cause", "message"),
    [
        pytest.param(
            make_answer(401, INVALID),
            "key",
            'The API key is not accepted. GET /ping was refused (401): "API key is missing or invalid." Check api_key',
            id="refused key",
        ),
        pytest.param(
            make_page(401),
            "key",
            "or a web server or proxy before the panel refuses this (mod_security, for example): see its log.",
            id="page before the panel",
        ),
        pytest.param(
            make_answer(403, INVALID),
            "access",
            "API disabled or address not allowed. GET /ping was refused (403): ",
            id="forbidden",
        ),
        pytest.param(
            make_page(404),
            "unreachable",
            "What answers is not the API of a panel. GET /ping failed (404): text/html",
            id="missing page",
        ),
        pytest.param(
            make_page(200),
            "unreachable",
            "What answers is not the API of a panel. GET /ping got an unexpected answer (200): it is not JSON",
            id="page",
        ),
        pytest.param(
            make_answer(200, {"status": "ok"}),
            "unreachable",
            "GET /ping got another answer than pong. Check api_url.",
            id="other answer",
        ),
        pytest.param(
            make_untrusted_certificate_fault(),
            "unreachable",
            "The panel is not reachable. GET /ping failed: the certificate of ",
            id="untrusted certificate",
        ),
    ],
)
def test_a_ping_that_fails_says_which_of_the_three_it_was(
    dialogue: Dialogue, reply: Any, cause: str, message: str
) -> None:
    result = run_task(PING, dialogue(call("GET", "/ping", reply)), {})
    assert result["error"]["cause"] == cause
    assert message in result["msg"]


# A reboot


DETAILS: dict[str, Any] = {"method": "GET", "path": "/ping", "attempts": 1}
PONG = Answer(200, {"response": "pong"})
REFUSED = Unreachable("refused", **DETAILS)
RESET = OutcomeUnknown("reset", **DETAILS)
RELOAD = ServerFailed("reload", **DETAILS, status=503)
DENIED = errors.Denied("denied", **DETAILS, status=403)


class Panel:
    """Answers pings in this order, the last one again and again; ``seconds`` is what each takes."""

    def __init__(self, pings: list[Any], time: SimulatedTime, seconds: float) -> None:
        self.pings = pings
        self.time = time
        self.seconds = seconds
        self.retry_budget = None
        self.connection = make_connection()

    def post(self, path: str, body: Any) -> None:
        """Accept the request to restart."""
        assert path == "/server/reboot"
        assert body == {"confirm": True}

    def call(self, method: str, path: str, rules: CallRules) -> Answer:
        """Answer a ping after some seconds."""
        assert method == "GET"
        assert path == "/ping"
        assert rules == CallRules(plain_text=True)
        self.time.now += self.seconds
        ping = self.pings.pop(0) if len(self.pings) > 1 else self.pings[0]
        if isinstance(ping, Exception):
            raise ping
        assert isinstance(ping, Answer)

        return ping


def measure_restart(*pings: Any, seconds: float = 0.0) -> int:
    """Return how long a restart takes whose pings are answered so."""
    time = SimulatedTime()
    panel: Any = Panel([*pings], time, seconds)
    return reboot(panel, True, 20, time.sleep, time.get_time)


def test_it_waits_until_the_server_went_down_and_came_back() -> None:
    assert measure_restart(*[PONG] * 8, *[REFUSED] * 6, RELOAD, PONG) == 8


@pytest.mark.parametrize("fault", [REFUSED, RESET])
def test_one_lost_ping_is_not_taken_for_a_server_that_is_down(fault: Exception) -> None:
    assert measure_restart(fault, *[PONG] * 8, *[REFUSED] * 6, PONG) == 8


def test_a_ping_that_runs_into_the_timeout_is_enough() -> None:
    assert measure_restart(REFUSED, PONG, seconds=5) == 10


@pytest.mark.parametrize(
    "pings", [[PONG], [RELOAD], [REFUSED], [PONG, DENIED], [*[REFUSED] * 4, DENIED]]
)
def test_a_wait_that_fails_reports_the_reboot_that_the_panel_accepted(pings: list[Any]) -> None:
    with pytest.raises(errors.PanelError) as caught:
        measure_restart(*pings)

    assert caught.value.reached == Reached(is_changed=True)
    assert "accepted the reboot" in str(caught.value) or "went down" in str(caught.value)


class FailingSession:
    """A session whose requests all fail with one error."""

    def __init__(self, error: errors.RequestError) -> None:
        self.error = error

    def call(self, *_arguments: Any, **_named: Any) -> Answer:
        """Fail as the panel did."""
        raise self.error


def test_a_ping_that_fails_keeps_what_its_error_knows() -> None:
    lost = OutcomeUnknown(
        "GET /ping got no answer.",
        advice="Try again later.",
        written=Written.MAYBE_WRITTEN,
        subject="panel",
        method="GET",
        path="/ping",
        attempts=2,
    )
    lost.wait = 7.0
    session: Any = FailingSession(lost)

    with pytest.raises(OutcomeUnknown) as caught:
        check_pong(session)

    assert caught.value.wait == 7.0
    assert caught.value.details["cause"] == "unreachable"
    assert caught.value.problem.subject == "panel"
    assert caught.value.problem.cause == "The panel is not reachable."
    assert caught.value.problem.detail == "GET /ping got no answer."
    assert str(caught.value) == (
        "panel: The panel is not reachable. GET /ping got no answer. "
        "It may have been written. Try again later."
    )

"""A run of several threads stops once, for one reason."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._bulk.stop_rule import StopRule
from ansible_collections.hosting.panel.plugins.module_utils._errors import (
    Denied,
    PanelError,
    Refused,
    ServerFailed,
    TimeIsUp,
    Unreachable,
)

REQUEST = {"method": "PUT", "path": "/clients/1", "attempts": 1}
KEY_REFUSED = Denied("no.", **REQUEST, status=401)
FORBIDDEN = Denied("no.", **REQUEST, status=403)
UNREACHABLE = Unreachable("no connection.", **REQUEST)
FAILED = ServerFailed("failed.", **REQUEST)
REFUSED = Refused("no.", **REQUEST, status=400)
TIME_IS_UP = TimeIsUp("over.", **REQUEST)
LIMIT = 10.0  # seconds that a test waits for its threads
KEY_REASON = "the panel does not accept the key for this any more, so nothing more was sent."
GONE_REASON = "the panel had stopped to answer, so nothing more was sent."
DENIED_REASON = "access was refused twice, so nothing more was sent."
TIME_REASON = "the time of the task was over, so nothing more was sent."


@pytest.mark.parametrize(
    ("errors", "reason"),
    [
        pytest.param([], "", id="nothing has come to an end"),
        pytest.param([None, REFUSED, REFUSED, REFUSED], "", id="refusals stop nothing"),
        pytest.param([KEY_REFUSED], KEY_REASON, id="a refused key stops at once"),
        pytest.param([TIME_IS_UP], TIME_REASON, id="time that is up stops at once"),
        pytest.param([FORBIDDEN, FORBIDDEN], DENIED_REASON, id="access refused twice"),
        pytest.param([UNREACHABLE, FAILED], GONE_REASON, id="two without an answer in a row"),
        pytest.param([UNREACHABLE, None, FAILED], "", id="a success between them"),
        pytest.param([UNREACHABLE, REFUSED, FAILED], "", id="a refusal between them"),
        pytest.param([FAILED, FAILED, KEY_REFUSED], GONE_REASON, id="a refused key after it"),
        pytest.param([FAILED, FAILED, TIME_IS_UP, None], GONE_REASON, id="what ends after it"),
    ],
)
def test_when_a_run_stops_and_why(errors: list[PanelError | None], reason: str) -> None:
    rule = StopRule()
    for error in errors:
        rule.count(error)
    assert rule.reason == reason


def test_a_run_whose_ansible_has_ended_keeps_the_first_reason() -> None:
    rule = StopRule()
    rule.stop("Ansible has ended.")
    rule.count(KEY_REFUSED)
    rule.stop("something else.")
    assert rule.reason == "Ansible has ended."


class SlowDetails(dict[str, Any]):
    """Details that are read only when the test lets it go on."""

    def __init__(self, **details: Any) -> None:
        super().__init__(details)
        self.is_read = threading.Event()
        self.goes_on = threading.Event()

    def get(self, key: str, default: Any = None) -> Any:
        self.is_read.set()
        assert self.goes_on.wait(LIMIT)
        return super().get(key, default)


def test_what_ends_in_another_thread_waits_until_an_error_is_counted() -> None:
    rule = StopRule()
    slow = Denied("no.", **REQUEST, status=403)
    details = slow.details = SlowDetails(**REQUEST, status=403)
    order: list[str] = []

    def count(name: str, error: PanelError | None) -> None:
        rule.count(error)
        order.append(name)

    rule.count(UNREACHABLE)
    first = threading.Thread(target=count, args=("denied", slow), daemon=True)
    first.start()
    assert details.is_read.wait(LIMIT)
    second = threading.Thread(target=count, args=("success", None), daemon=True)
    second.start()
    second.join(0.2)
    details.goes_on.set()
    first.join(LIMIT)
    second.join(LIMIT)

    # Without a lock the success would set the count back under the error that is being judged.
    assert (order, rule.reason) == (["denied", "success"], DENIED_REASON)

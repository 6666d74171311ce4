"""When a request is repeated, how long a task may go on repeating, how many run at once, and that
all wait while the panel reloads."""

from __future__ import annotations

import threading
import time as real_time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._errors import Denied, ServerFailed
from ansible_collections.hosting.panel.plugins.module_utils._http.pacing import (
    RequestLimiter,
    RetryBudget,
)
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import (
    CallRules,
    PanelSession,
    _PreparedCall,
)
from ansible_collections.hosting.panel.plugins.module_utils._http.repeats import (
    MAX_POLLS,
    RULES,
    Fault,
    Step,
    choose_next_step,
)
from tests.support.transcript import (
    NOT_FOUND,
    Reply,
    SimulatedTime,
    make_answer,
    make_connection,
    make_page,
    make_response,
)

NO_END = float("inf")


@pytest.mark.parametrize(("spread", "seconds"), [(0.0, 22.0), (1.0, 33.0)])
def test_a_write_cannot_take_effect_any_more_after_at_least_twenty_seconds(
    time: SimulatedTime, spread: float, seconds: float
) -> None:
    assert list(time.retry_budget(60, spread).count_polls(MAX_POLLS))[-1] == MAX_POLLS
    assert sum(time.sleeps) == pytest.approx(seconds)


def test_what_was_in_doubt_and_ended_well_gives_all_the_time_back(time: SimulatedTime) -> None:
    retry_budget = time.retry_budget(30)
    for _doubt in range(5):
        assert list(retry_budget.count_polls(MAX_POLLS))[-1] == MAX_POLLS
        retry_budget.reset_after_answer()
        retry_budget.reset()

    assert retry_budget.count_remaining_seconds() == 30


def test_a_day_of_repeats_is_waited_through(time: SimulatedTime) -> None:
    retry_budget = time.retry_budget(86400)
    assert list(retry_budget.count_polls(5000))[-1] == 5000
    assert time.sleeps[-1] == 5.0


def test_the_time_of_failing_attempts_is_counted(time: SimulatedTime) -> None:
    retry_budget = time.retry_budget(10)
    assert retry_budget.wait(1)

    time.now += 9.6
    assert not retry_budget.wait(1)


@given(
    retry_time=st.floats(0, 120),
    spread=st.floats(0, 1),
    attempts=st.lists(
        st.tuples(st.floats(0, 40), st.one_of(st.none(), st.floats(0, 30))), max_size=40
    ),
)
def test_no_sleep_is_longer_than_what_is_left(
    retry_time: float, spread: float, attempts: list[tuple[float, float | None]]
) -> None:
    time = SimulatedTime()
    retry_budget = time.retry_budget(retry_time, spread)
    start = time.now

    for repeat, (seconds, at_least) in enumerate(attempts, start=1):
        remaining_time = retry_time - (time.now - start)
        slept = len(time.sleeps)
        if not retry_budget.wait(repeat, at_least):
            assert len(time.sleeps) == slept
            break
        assert time.sleeps[-1] <= remaining_time + 1e-6
        time.now += seconds


@pytest.mark.parametrize(
    ("fault", "get", "put", "delete", "post"),
    [
        (Fault.NOT_SENT, NO_END, NO_END, NO_END, NO_END),
        (Fault.NO_SUCH_HOST, 2, 2, 2, 2),
        (Fault.BUSY, NO_END, NO_END, NO_END, NO_END),
        (Fault.NOT_SERVED, NO_END, NO_END, NO_END, 1),
        (Fault.LOST_ANSWER, NO_END, NO_END, NO_END, 1),
        (Fault.FAILED, 2, 1, 1, 1),
        (None, 1, 1, 1, 1),
    ],
)
def test_how_often_a_request_is_sent(
    fault: Fault | None, get: float, put: float, delete: float, post: float
) -> None:
    methods = ("GET", "PUT", "DELETE", "POST")
    assert [RULES[fault].attempts.get_for(method) for method in methods] == [
        get,
        put,
        delete,
        post,
    ]


@pytest.mark.parametrize(
    ("rules", "step"),
    [
        (CallRules(), Step.REPEAT_WHEN_THROUGH),
        (CallRules(repeats_at_once=True), Step.REPEAT),
        (CallRules(is_read=True), Step.REPEAT),
    ],
    ids=["any other", "said to undo nothing", "a read"],
)
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_a_change_is_sent_again_at_once_only_if_the_caller_says_so(
    method: str, rules: CallRules, step: Step
) -> None:
    prepared = _PreparedCall(method, "/emails/7", None, None, {}, rules)
    at_once = prepared.may_repeat_at_once

    assert choose_next_step(prepared.rules_method, Fault.LOST_ANSWER, 1, at_once) is step
    assert choose_next_step(prepared.rules_method, Fault.BUSY, 1, at_once) is Step.REPEAT
    assert choose_next_step(prepared.rules_method, None, 1, at_once) is Step.END


@pytest.mark.parametrize(("method", "step"), [("GET", Step.REPEAT), ("POST", Step.END)])
def test_a_read_is_sent_again_at_once_and_a_creation_never(method: str, step: Step) -> None:
    prepared = _PreparedCall(method, "/dns/acme.example", None, None, {}, CallRules())

    at_once = prepared.may_repeat_at_once

    assert choose_next_step(method, Fault.LOST_ANSWER, 1, at_once) is step


# How many requests run at once


LIMIT = 10


class Serving:
    """A session that answers several threads; ``replies`` are used up first, in their order."""

    def __init__(self, replies: Iterable[Reply] = ()) -> None:
        self._replies = list(replies)
        self._lock = threading.Lock()
        self.running = self.most = 0
        self.log: list[tuple[int, int]] = []

    def mount(self, _prefix: str, _adapter: Any) -> None:
        """For several connections."""

    def request(self, method: str, url: str, **_arguments: Any) -> Any:
        """Answer a request after a moment, and count those under way."""
        with self._lock:
            self.running += 1
            self.most = max(self.most, self.running)
            reply = self._replies.pop(0) if self._replies else make_answer(200, {})

        real_time.sleep(0.01)

        with self._lock:
            self.running -= 1
            self.log.append((threading.get_ident(), reply.status))

        return make_response(reply, method, url, None)


def make_session(http_session: Serving, most: int = 4, retry_time: float = 5.0) -> PanelSession:
    """Return a session whose waits are short."""
    session = PanelSession(make_connection(), RetryBudget(retry_time), http_session)
    session.retry_budget.sleep = lambda _seconds: real_time.sleep(0.05)
    session.allow_at_once(most)
    return session


def finish_all(tasks: Iterable[Callable[[], Any]]) -> list[Any]:
    """What each of the tasks gave or raised, when all of them ran at once."""

    def finish_task(task: Callable[[], Any]) -> Any:
        try:
            return task()
        except Exception as error:
            return error

    tasks = list(tasks)

    with ThreadPoolExecutor(len(tasks)) as pool:
        futures = [pool.submit(finish_task, task) for task in tasks]
        return [future.result(LIMIT) for future in futures]


@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("write", [False, True])
def test_as_many_requests_run_at_once_as_are_allowed(most: int, write: bool) -> None:
    http_session = Serving()
    session = make_session(http_session, most)

    finish_all(
        [
            (lambda: session.put("/x", {})) if write else (lambda: session.get("/x"))
            for _number in range(12)
        ]
    )

    assert http_session.most == most


def test_after_a_reload_one_thread_tries_again_and_the_others_wait_until_it_is_answered() -> None:
    http_session = Serving([make_page(503)] * 3)
    session = make_session(http_session, most=1)

    assert finish_all([lambda: session.get("/x")] * 4) == [{}] * 4
    assert [status for _thread, status in http_session.log] == [503] * 3 + [200] * 4
    assert len({thread for thread, status in http_session.log if status == 503}) == 1


def test_a_pause_ends_with_the_outermost_block_of_its_thread() -> None:
    limiter = RequestLimiter(2)
    order: list[str] = []

    def send_other_request() -> None:
        with limiter.take_slot():
            order.append("other request")

    other_thread = threading.Thread(target=send_other_request, daemon=True)

    with limiter.limit_pause():
        with limiter.limit_pause():
            limiter.begin_pause()
        other_thread.start()
        other_thread.join(0.2)
        order.append("end of the outer block")
    other_thread.join(LIMIT)

    assert order == ["end of the outer block", "other request"]


@pytest.mark.parametrize(
    ("last", "error"),
    [(make_page(503), ServerFailed), (make_answer(401, NOT_FOUND), Denied)],
    ids=["gave up", "was denied"],
)
def test_no_thread_waits_for_one_that_tries_no_longer(last: Reply, error: type[Exception]) -> None:
    http_session = Serving([make_page(503), last])
    session = make_session(http_session, most=1, retry_time=0.5 if error is Denied else 0.0)

    outcomes = finish_all([lambda: session.get("/x")] * 4)

    assert any(isinstance(outcome, error) for outcome in outcomes)

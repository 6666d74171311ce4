"""How many requests run at once, and that all wait while the panel reloads."""

from __future__ import annotations

import threading
import time as real_time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import Denied, ServerFailed
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_client import PanelClient
from ansible_collections.hosting.panel.plugins.module_utils._http.repeats import Patience
from tests.support.transcript import NOT_FOUND, Reply, _response, answer, connection, page

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
        with self._lock:
            self.running += 1
            self.most = max(self.most, self.running)
            reply = self._replies.pop(0) if self._replies else answer(200, {})
        real_time.sleep(0.01)
        with self._lock:
            self.running -= 1
            self.log.append((threading.get_ident(), reply.status))
        return _response(reply, method, url, None)


def client_of(session: Serving, most: int = 4, retry_time: float = 5.0) -> PanelClient:
    client = PanelClient(connection(), Patience(retry_time, sleep=lambda _seconds: real_time.sleep(0.05)), session)
    client.allow_at_once(most)
    return client


def finished(tasks: Iterable[Callable[[], Any]]) -> list[Any]:
    """What each of the tasks gave or raised, when all of them ran at once."""

    def outcome(task: Callable[[], Any]) -> Any:
        try:
            return task()
        except Exception as error:
            return error

    tasks = list(tasks)
    with ThreadPoolExecutor(len(tasks)) as pool:
        futures = [pool.submit(outcome, task) for task in tasks]
        return [future.result(LIMIT) for future in futures]


@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize("write", [False, True])
def test_as_many_requests_run_at_once_as_are_allowed(most: int, write: bool) -> None:
    session = Serving()
    client = client_of(session, most)
    finished([(lambda: client.put("/x", {})) if write else (lambda: client.get("/x")) for _number in range(12)])
    assert session.most == most


def test_after_a_reload_one_thread_tries_again_and_the_others_wait_until_it_is_answered() -> None:
    session = Serving([page(503)] * 3)
    client = client_of(session, most=1)
    assert finished([lambda: client.get("/x")] * 4) == [{}] * 4
    assert [status for _thread, status in session.log] == [503] * 3 + [200] * 4
    assert len({thread for thread, status in session.log if status == 503}) == 1


@pytest.mark.parametrize(
    ("last", "error"), [(page(503), ServerFailed), (answer(401, NOT_FOUND), Denied)], ids=["gave up", "was denied"]
)
def test_no_thread_waits_for_one_that_tries_no_longer(last: Reply, error: type[Exception]) -> None:
    session = Serving([page(503), last])
    client = client_of(session, most=1, retry_time=0.5 if error is Denied else 0.0)
    outcomes = finished([lambda: client.get("/x")] * 4)
    assert any(isinstance(one, error) for one in outcomes)


def test_no_thread_waits_for_one_that_ended_with_a_defect() -> None:
    session = Serving([page(503)])
    client = client_of(session, most=1)
    sent = iter([None])

    def broken(_is_last: bool) -> Any:
        next(sent, None)
        raise KeyError("a defect")

    def fail() -> None:
        client.put("/x", {}, before_repeat=broken)

    outcomes = finished([fail, *[lambda: client.get("/x")] * 3])
    assert {type(one) for one in outcomes} <= {dict, KeyError, type(None)}

# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many requests are under way at once, who waits for a reload, and that nobody ever waits for ever."""

from __future__ import annotations

import contextlib
import json
import threading
import time as real_time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import requests

from ansible_collections.hosting.panel.plugins.module_utils._errors import Denied, ServerFailed
from ansible_collections.hosting.panel.plugins.module_utils._http.concurrency import Concurrency
from ansible_collections.hosting.panel.plugins.module_utils._http.panel_client import PanelClient
from ansible_collections.hosting.panel.plugins.module_utils._http.repeats import Patience
from tests.support.transcript import connection

LIMIT = 10.0  # seconds after which a thread counts as hanging
MOMENT = 0.05  # seconds in which a thread that may pass has passed


class Traveller:
    """A thread that makes one request and stays under way until it is let go."""

    def __init__(self, concurrency: Concurrency, is_write: bool = False) -> None:
        self._traffic, self._is_write = concurrency, is_write
        self._passed, self._go = threading.Event(), threading.Event()
        self._orders: list[Callable[[], None]] = []
        self._thread = threading.Thread(target=self._travel, daemon=True)
        self._thread.start()

    def _travel(self) -> None:
        with self._traffic.passage(self._is_write):
            self._passed.set()
            self._go.wait(LIMIT)
            for order in self._orders:
                order()

    @property
    def has_passed(self) -> bool:
        return self._passed.is_set()

    def release(self) -> None:
        """Lets it end without waiting for that."""
        self._go.set()

    def passes(self) -> bool:
        """Whether it is under way within the time of a test."""
        return self._passed.wait(LIMIT)

    def waits(self) -> bool:
        return not self._passed.wait(MOMENT)

    def arrive(self, *orders: Callable[[], None]) -> None:
        """Ends its request; ``orders`` are what its thread does at the end of it."""
        self._orders += orders
        self._go.set()
        self._thread.join(LIMIT)
        assert not self._thread.is_alive()


def in_thread(work: Callable[[], Any]) -> None:
    """Does something in a thread of its own."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(LIMIT)
    assert not thread.is_alive()


def are_at_once(expected: int, concurrency: Concurrency, is_write: bool = True) -> bool:
    """Whether exactly so many requests may be under way at once now; as many pass, and no more in the time after that."""
    travellers = [Traveller(concurrency, is_write) for _number in range(concurrency.most + 2)]
    end = real_time.monotonic() + LIMIT

    def passed() -> int:
        return sum(1 for traveller in travellers if traveller.has_passed)

    while passed() < expected and real_time.monotonic() < end:
        real_time.sleep(0.002)
    real_time.sleep(MOMENT)
    found = passed()
    for traveller in travellers:
        traveller.release()
    for traveller in travellers:
        traveller.arrive()
    return found == expected


def write(concurrency: Concurrency, times: int) -> None:
    """So many writes that are answered."""
    for _number in range(times):
        with concurrency.passage(is_write=True):
            concurrency.answered(is_write=True)


def reload(concurrency: Concurrency) -> None:
    """A request that meets a reload, and is answered when it is sent again."""
    with concurrency.passage(is_write=False):
        concurrency.met_reload()
    with concurrency.passage(is_write=False):
        concurrency.answered(is_write=False)


# How many at once


@pytest.mark.parametrize("most", [1, 3])
def test_reads_are_as_many_as_allowed_at_once(most: int) -> None:
    assert are_at_once(most, Concurrency(most), is_write=False)


def test_one_at_once_is_the_default() -> None:
    assert Concurrency().most == 1


def test_one_that_arrives_makes_room_also_when_it_failed() -> None:
    concurrency = Concurrency(1)
    with contextlib.suppress(ValueError), concurrency.passage(is_write=False):
        waiting = Traveller(concurrency)
        assert waiting.waits()
        raise ValueError
    assert waiting.passes()
    waiting.arrive()


def test_writes_begin_alone_and_become_two_and_then_as_many_as_allowed() -> None:
    concurrency = Concurrency(4)
    for written, expected in ((0, 1), (1, 1), (1, 2), (9, 2), (1, 4), (20, 4)):
        write(concurrency, written)
        assert are_at_once(expected, concurrency)


def test_writes_never_become_more_than_allowed() -> None:
    concurrency = Concurrency(1)
    write(concurrency, 30)
    assert are_at_once(1, concurrency)


def test_a_read_that_is_under_way_counts_for_writes() -> None:
    concurrency = Concurrency(4)
    reading = Traveller(concurrency)
    assert reading.passes()
    writing = Traveller(concurrency, is_write=True)
    assert writing.waits()
    reading.arrive()
    assert writing.passes()
    writing.arrive()


def test_after_a_reload_writes_are_few_again_and_for_longer() -> None:
    concurrency = Concurrency(4)
    write(concurrency, 12)
    assert are_at_once(4, concurrency)
    reload(concurrency)
    assert are_at_once(1, concurrency)
    assert are_at_once(4, concurrency, is_write=False)
    write(concurrency, 19)
    assert are_at_once(1, concurrency)
    write(concurrency, 1)
    assert are_at_once(2, concurrency)
    write(concurrency, 19)
    assert are_at_once(2, concurrency)
    write(concurrency, 1)
    assert are_at_once(4, concurrency)


def test_reads_that_are_answered_are_no_writes() -> None:
    concurrency = Concurrency(4)
    for _number in range(20):
        concurrency.answered(is_write=False)
    assert are_at_once(1, concurrency)


# A reload


def test_the_one_that_meets_a_reload_makes_all_others_wait_until_it_is_answered() -> None:
    concurrency = Concurrency(4)
    with concurrency.passage(is_write=False):
        concurrency.met_reload()
    others = [Traveller(concurrency, is_write) for is_write in (False, True)]
    assert all(other.waits() for other in others)
    with concurrency.passage(is_write=False):
        concurrency.met_reload()
    assert all(other.waits() for other in others)
    with concurrency.passage(is_write=False):
        concurrency.answered(is_write=False)
    for other in others:
        assert other.passes()
        other.arrive()


def test_what_was_under_way_when_the_reload_began_does_not_end_the_waiting() -> None:
    concurrency = Concurrency(4)
    before = [Traveller(concurrency) for _number in range(3)]
    assert all(one.passes() for one in before)
    with concurrency.passage(is_write=False):
        concurrency.met_reload()
    before[0].arrive(lambda: concurrency.answered(is_write=False))
    before[1].arrive(concurrency.met_reload)
    before[2].arrive(concurrency.gave_up)
    waiting = Traveller(concurrency)
    assert waiting.waits()
    with concurrency.passage(is_write=False):
        concurrency.answered(is_write=False)
    assert waiting.passes()
    waiting.arrive()


def test_the_one_that_tries_again_passes_however_many_are_under_way() -> None:
    concurrency = Concurrency(2)
    other = Traveller(concurrency)
    assert other.passes()
    with concurrency.passage(is_write=False):
        concurrency.met_reload()
    last = Traveller(concurrency, is_write=False)
    assert last.waits()
    with concurrency.passage(is_write=True):
        concurrency.answered(is_write=True)
    assert last.passes()
    last.arrive()
    other.arrive()


def test_the_one_that_gave_up_lets_the_others_pass() -> None:
    concurrency = Concurrency(2)
    with concurrency.passage(is_write=True):
        concurrency.met_reload()
    waiting = Traveller(concurrency)
    assert waiting.waits()
    in_thread(concurrency.gave_up)  # by somebody whom nobody waits for
    assert waiting.waits()
    concurrency.gave_up()
    assert waiting.passes()
    waiting.arrive()


# Reloads that can be told beforehand

PAUSE = 0.3


def is_waited_out(concurrency: Concurrency, is_write: bool = True) -> bool:
    """Whether a request has to wait for the most of the pause."""
    began = real_time.monotonic()
    traveller = Traveller(concurrency, is_write)
    assert traveller.passes()
    waited = real_time.monotonic() - began
    traveller.arrive()
    return waited > PAUSE / 2


@pytest.mark.parametrize("is_write", [True, False])
def test_a_reload_after_every_few_writes_is_waited_out_from_the_third_time_on(is_write: bool) -> None:
    concurrency = Concurrency(4, pause=PAUSE)
    for _window in range(2):
        write(concurrency, 5)
        assert not is_waited_out(concurrency)
        reload(concurrency)
    write(concurrency, 4)
    assert not is_waited_out(concurrency)
    write(concurrency, 1)
    assert is_waited_out(concurrency, is_write)
    write(concurrency, 5)
    assert is_waited_out(concurrency, is_write)


def test_everybody_who_waits_for_an_expected_reload_passes_after_it() -> None:
    concurrency = Concurrency(3, pause=10 * PAUSE)
    for _window in range(2):
        write(concurrency, 2)
        reload(concurrency)
    write(concurrency, 2)
    waiting = [Traveller(concurrency) for _number in range(3)]
    assert all(one.waits() for one in waiting)
    for one in waiting:
        assert one.passes()
        one.arrive()


def test_reloads_that_come_irregularly_are_not_expected() -> None:
    concurrency = Concurrency(4, pause=PAUSE)
    for writes in (5, 4, 5):
        write(concurrency, writes)
        reload(concurrency)
    for _write in range(8):
        write(concurrency, 1)
        assert not is_waited_out(concurrency)


def test_a_reload_that_comes_earlier_than_expected_is_a_new_pattern() -> None:
    concurrency = Concurrency(4, pause=PAUSE)
    for writes in (5, 5, 3):
        write(concurrency, writes)
        reload(concurrency)
    write(concurrency, 5)
    assert not is_waited_out(concurrency)


def test_two_reloads_without_a_write_between_them_are_no_pattern() -> None:
    concurrency = Concurrency(4, pause=PAUSE)
    reload(concurrency)
    reload(concurrency)
    reload(concurrency)
    write(concurrency, 3)
    assert not is_waited_out(concurrency)


# The client


class Session:
    """Stands in for requests.Session for several threads: calls a function with method and path, which says what is answered."""

    def __init__(self, answer: Callable[[str, str], int]) -> None:
        self._answer = answer
        self._lock = threading.Lock()
        self.sent: list[tuple[str, str]] = []

    def request(self, method: str, url: str, **_arguments: Any) -> requests.Response:
        path = url.removeprefix("https://panel.example/api/v2")
        with self._lock:
            self.sent.append((method, path))
        response = requests.Response()
        response.status_code = self._answer(method, path)
        response.headers["Content-Type"] = "text/html" if response.status_code == 503 else "application/json"
        response._content = b"reload" if response.status_code == 503 else b'{"id": 1, "code": "x", "message": "y"}'
        response.request = requests.Request(method, url).prepare()
        return response

    def close(self) -> None:
        """Nothing to close."""

    def mount(self, _scheme: str, _adapter: Any) -> None:
        """Has no connections."""


def client_of(session: Session, most: int, sleep: Callable[[float], None] = lambda _seconds: None) -> PanelClient:
    client = PanelClient(connection(), Patience(60, sleep=sleep, spread=lambda: 0.5), session)
    client.allow_at_once(most)
    return client


def finished(calls: list[Callable[[], Any]]) -> list[Any]:
    """What comes of calls in a thread each: the answer, or the exception."""
    outcomes: list[Any] = [None] * len(calls)

    def work(index: int) -> None:
        try:
            outcomes[index] = calls[index]()
        except Exception as error:
            outcomes[index] = error

    threads = [threading.Thread(target=work, args=(index,), daemon=True) for index in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    assert not any(thread.is_alive() for thread in threads), "a thread hangs"
    return outcomes


def test_requests_of_several_threads_are_answered_each_with_its_own() -> None:
    client = client_of(Session(lambda _method, _path: 200), 4)
    outcomes = finished([lambda n=n: client.get(f"/clients/{n}") for n in range(12)])
    assert all(outcome["id"] == 1 for outcome in outcomes)


@pytest.mark.parametrize("status", [401, 403])
def test_after_the_first_denial_no_thread_sends_anything_more(status: int) -> None:
    together = threading.Barrier(2)

    def deny(_method: str, _path: str) -> int:
        together.wait(LIMIT)
        return status

    session = Session(deny)
    client = client_of(session, 2)
    outcomes = finished([lambda: client.get("/clients") for _number in range(10)])
    assert [type(outcome) for outcome in outcomes] == [Denied] * 10
    assert len(session.sent) == 2


def test_one_thread_tries_again_after_a_reload_and_the_others_send_nothing_until_it_is_answered() -> None:
    sleeping, awake = threading.Event(), threading.Event()
    reloads = iter([503, 503])

    def sleep(_seconds: float) -> None:
        sleeping.set()
        assert awake.wait(LIMIT)

    session = Session(lambda _method, _path: next(reloads, 200))
    client = client_of(session, 4, sleep)
    first = threading.Thread(target=lambda: client.put("/clients/1", {}), daemon=True)
    first.start()
    assert sleeping.wait(LIMIT)
    others = [threading.Thread(target=lambda: client.get("/clients/2"), daemon=True) for _number in range(3)]
    for thread in others:
        thread.start()
    real_time.sleep(MOMENT)
    assert session.sent == [("PUT", "/clients/1")]
    awake.set()
    for thread in (first, *others):
        thread.join(LIMIT)
        assert not thread.is_alive()
    assert session.sent == [("PUT", "/clients/1")] * 3 + [("GET", "/clients/2")] * 3


def test_the_others_go_on_while_one_waits_until_the_panel_is_through_with_its_request() -> None:
    outcomes: list[Any] = []

    def sleep(_seconds: float) -> None:
        outcomes.extend(finished([lambda: client.get("/clients/2")]))

    replies = iter([503])
    session = Session(lambda method, _path: next(replies, 200) if method == "PUT" else 200)
    client = client_of(session, 2, sleep)
    client.put("/clients/1", {"password": None}, may_overtake=False)
    assert [outcome["id"] for outcome in outcomes] == [1]
    assert session.sent == [("PUT", "/clients/1"), ("GET", "/clients/2"), ("PUT", "/clients/1")]


def test_when_the_one_that_tries_fails_for_good_the_next_one_tries() -> None:
    session = Session(lambda _method, path: 503 if path == "/clients/1" else 200)
    patience = Patience(0.0)
    client = PanelClient(connection(), patience, session)
    client.allow_at_once(2)
    with pytest.raises(ServerFailed):
        client.get("/clients/1")
    (outcome,) = finished([lambda: client.get("/clients/2")])
    assert outcome["id"] == 1


def test_nobody_waits_for_one_that_the_panel_denied_while_it_waited_for_a_reload() -> None:
    sleeping, awake = threading.Event(), threading.Event()

    def sleep(_seconds: float) -> None:
        sleeping.set()
        assert awake.wait(LIMIT)

    def answer(_method: str, path: str) -> int:
        if path == "/reload":
            return 503
        assert sleeping.wait(LIMIT)
        return 401

    session = Session(answer)
    client = client_of(session, 2, sleep)

    def late() -> Any:
        assert sleeping.wait(LIMIT)
        return client.get("/late")

    def denied() -> Any:
        try:
            return client.get("/denied")
        finally:
            real_time.sleep(MOMENT)
            awake.set()

    outcomes = finished([denied, lambda: real_time.sleep(MOMENT) or client.get("/reload"), late])
    assert [type(outcome) for outcome in outcomes] == [Denied] * 3
    assert sorted(session.sent) == [("GET", "/denied"), ("GET", "/reload")]


def test_nobody_waits_for_one_that_ended_with_a_defect() -> None:
    answers = iter([503])

    def answer(_method: str, path: str) -> int:
        if path != "/defect":
            return 200
        try:
            return next(answers)
        except StopIteration:
            raise ZeroDivisionError from None

    client = client_of(Session(answer), 2)
    with pytest.raises(ZeroDivisionError):
        client.get("/defect")
    (outcome,) = finished([lambda: client.get("/clients")])
    assert outcome["id"] == 1


class _Counting(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Slow)
        self.lock = threading.Lock()
        self.connections = self.under_way = self.most = 0

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections += 1
        super().process_request(request, client_address)


class _Slow(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = LIMIT
    disable_nagle_algorithm = True
    server: _Counting

    def do_GET(self) -> None:
        with self.server.lock:
            self.server.under_way += 1
            self.server.most = max(self.server.most, self.server.under_way)
        real_time.sleep(0.01)
        with self.server.lock:
            self.server.under_way -= 1
        content = json.dumps({"path": self.path}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002  the name of http.server
        """Says nothing."""


@pytest.fixture
def counting() -> Iterator[_Counting]:
    server = _Counting()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(LIMIT)


@pytest.mark.parametrize("most", [1, 3])
def test_there_are_no_more_connections_than_requests_at_once_and_they_are_kept(counting: _Counting, most: int) -> None:
    base_url = f"http://127.0.0.1:{counting.server_port}/api/v2"
    client = PanelClient(connection(base_url=base_url, is_loopback=True))
    client.allow_at_once(most)
    outcomes = finished([lambda n=n: [client.get(f"/clients/{n}") for _time in range(3)] for n in range(8)])
    assert outcomes == [[{"path": f"/api/v2/clients/{n}"}] * 3 for n in range(8)]
    assert counting.most == most
    assert counting.connections == most
    client.close()

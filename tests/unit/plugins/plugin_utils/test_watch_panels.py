# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels watched: readings on a panel in memory, and events handed over to queues of all kinds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import Denied, Refused, ServerFailed
from ansible_collections.hosting.panel.plugins.plugin_utils._events import watch_panels
from ansible_collections.hosting.panel.plugins.plugin_utils._events.event_state import EventState
from ansible_collections.hosting.panel.plugins.plugin_utils._events.watch_panels import Delivery, SourceEnded
from tests.support.event_source import SteppedSource
from tests.support.memory_panel import MemoryPanel

ONE = {"api_url": "https://web-1.example", "api_key": "k1234567.secret-key-of-a-test"}
KINDS = ("certificates", "domains", "emails", "ftp-users", "directory-protections", "scheduled-tasks")
EVENTS = [{"panel": {"key": key}, "meta": {"uuid": key}} for key in ("a", "b")]


@pytest.fixture
def panel(monkeypatch: pytest.MonkeyPatch) -> MemoryPanel:
    clients = [{"id": number, "username": name, "status": 1} for number, name in ((1, "acme"), (2, "beta"))]
    made = MemoryPanel({"/clients": clients, **{f"/{kind}": [] for kind in KINDS}})
    monkeypatch.setattr(watch_panels, "PanelClient", lambda _connection: made)
    return made


def failing(panel: MemoryPanel, path: str, error: Exception) -> None:
    def before(_method: str, asked: str, _body: Any) -> None:
        if asked.endswith(path):
            raise error

    panel._before = before


def test_readings_go_on_and_tell_what_is_new(panel: MemoryPanel) -> None:
    with SteppedSource(**ONE, interval=60) as source:
        panel.objects["/clients"].append({"id": 3, "username": "gamma", "status": 2})
        assert source.read() == [("client_created", "clients", "gamma"), ("object_failed", "clients", "gamma")]
        assert source.read() == []
    assert panel.writes == []


@pytest.mark.parametrize(
    ("path", "error", "expected"),
    [
        ("/clients", ServerFailed("GET /clients answered 500."), [("panel_unreachable", "panels", "web-1.example")]),
        ("/emails", Refused("GET /emails answered 403.", status=400), [("panel_unreachable", "panels", "web-1.example")]),
        ("/emails", Refused("GET /emails answered 404.", status=404), []),
        ("/clients", KeyError("a defect"), [("panel_unreachable", "panels", "web-1.example")]),
        ("/stats", ServerFailed("GET /clients/1/stats answered 500."), []),
        ("/stats", Refused("GET /clients/1/stats answered 404.", status=404), []),
    ],
)  # fmt: skip
def test_what_a_fault_means(panel: MemoryPanel, path: str, error: Exception, expected: list[Any]) -> None:
    with SteppedSource(**ONE) as source:
        failing(panel, path, error)
        assert source.read() == expected
        assert source.read() == []


def test_a_refused_key_ends_the_watch_of_its_panel(panel: MemoryPanel) -> None:
    failing(panel, "/stats", Denied("GET /clients/1/stats answered 401: no k1234567.secret-key-of-a-test here."))
    with SteppedSource(**ONE) as source:
        pass
    assert isinstance(source.error, SourceEnded)
    assert str(source.error).endswith("No panel is left to watch.")
    assert "secret-key" not in str(source.error)


def test_mistakes_end_it_before_anything_is_sent(panel: MemoryPanel, tmp_path: Path) -> None:
    for given, words in (
        ({**ONE, "interval": 1}, "interval: 1 is not accepted"),
        ({**ONE, "state_file": str(tmp_path)}, "that is no regular file"),
    ):
        with SteppedSource(**given) as source:
            pass
        assert isinstance(source.error, SourceEnded)
        assert words in str(source.error)
        assert str(source.error).endswith("Nothing was sent.")
    assert panel.calls == []


class Filtered:
    """The queue of ansible-rulebook with its filters around it."""

    def __init__(self, queue: asyncio.Queue[Any]) -> None:
        self.queue = queue

    async def put(self, event: dict[str, Any]) -> None:
        event["meta"]["received_at"] = "now"
        await self.queue.put(event)


def left(path: Path) -> list[str]:
    """The events that a restart would hand over."""
    return [event["panel"]["key"] for event in json.loads(path.read_text(encoding="utf-8"))["pending"]]


def stopped_after(
    path: Path, taking: int, make: Callable[[], Any], feedback: bool = False
) -> tuple[list[str], list[str]]:
    """What was taken, and what is left, where so many events are taken before the source is stopped."""

    async def story() -> list[str]:
        state, queue = EventState(path), make()
        state.learn("web-1", {}, EVENTS)
        answers: Any = asyncio.Queue(1) if feedback else None
        handing_over = asyncio.ensure_future(Delivery(queue, answers).everything(state))
        inner = getattr(queue, "queue", queue)
        taken = []
        for _event in range(taking):
            event = await inner.get()
            taken.append(event["panel"]["key"])
            if feedback:
                await answers.put(event)
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.05)
        handing_over.cancel()
        await asyncio.gather(handing_over, return_exceptions=True)
        return taken

    return asyncio.run(story()), left(path)


@pytest.mark.parametrize(
    ("taking", "feedback", "expected"),
    [
        (0, False, ["a", "b"]),
        (1, False, ["b"]),
        (2, False, []),
        (0, True, ["a", "b"]),
        (1, True, ["b"]),
        (2, True, []),
    ],
)
def test_what_ansible_rulebook_has_not_taken_comes_after_a_restart(
    tmp_path: Path, taking: int, feedback: bool, expected: list[str]
) -> None:
    path = tmp_path / "state.json"
    taken, after = stopped_after(path, taking, lambda: Filtered(asyncio.Queue(1)), feedback)
    assert (taken, after) == (["a", "b"][:taking], expected)


def test_whoever_collects_events_without_taking_them_gets_all(tmp_path: Path) -> None:
    async def story() -> list[str]:
        state: EventState = EventState(tmp_path / "state.json")
        state.learn("web-1", {}, EVENTS)
        queue: asyncio.Queue[Any] = asyncio.Queue()
        await Delivery(queue, None).everything(state)
        return [queue.get_nowait()["panel"]["key"] for _event in EVENTS]

    assert asyncio.run(story()) == ["a", "b"]
    assert left(tmp_path / "state.json") == []


def test_a_late_answer_to_an_event_is_none_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "state.json"

    async def story() -> None:
        state, answers = EventState(path), asyncio.Queue[Any](1)
        state.learn("web-1", {}, EVENTS[1:])
        handing_over = asyncio.ensure_future(Delivery(asyncio.Queue(1), answers).everything(state))
        await answers.put(EVENTS[0])
        await asyncio.sleep(0.05)
        handing_over.cancel()
        await asyncio.gather(handing_over, return_exceptions=True)

    asyncio.run(story())
    assert left(path) == ["b"]


def test_an_engine_that_fails_on_an_event_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(watch_panels, "_SECONDS_UNTIL_WORKED_IN", 0.01)

    async def story() -> list[str]:
        state: EventState = EventState(None)
        state.learn("web-1", {}, EVENTS)
        queue: asyncio.Queue[Any] = asyncio.Queue()
        await Delivery(queue, asyncio.Queue(1)).everything(state)
        return [queue.get_nowait()["panel"]["key"] for _event in EVENTS]

    assert asyncio.run(story()) == ["a", "b"]
    assert caplog.messages == ["ansible-rulebook did not confirm an event; the next one follows."] * 2

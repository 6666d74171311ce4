"""Panels watched: options, readings of a panel in memory, and events that are kept until someone
has taken them."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import errno
import fcntl
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.panel.plugins.module_utils._errors import PanelError
from ansible_collections.hosting.panel.plugins.module_utils._kinds.tables import CLIENT
from ansible_collections.hosting.panel.plugins.module_utils._sources.checked_answers import (
    read_objects,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._events import event_state, watch_panels
from ansible_collections.hosting.panel.plugins.plugin_utils._events.event_state import State
from ansible_collections.hosting.panel.plugins.plugin_utils._events.watch_panels import (
    ARGUMENT_SPEC,
    SourceEnded,
    read_options,
    watch,
)
from panel_simulator.answering import Reply
from tests.support import in_memory
from tests.support.in_memory import InMemory
from tests.support.memory import Session
from tests.support.program_file import load_program
from tests.support.tasks import CONNECTION
from tools.layout import ROOT

KEY = "k1234567.secret-key-of-a-test"
ONE = {"api_url": "https://web-1.example", "api_key": KEY}
OTHER = {**ONE, "api_url": "https://web-2.example"}
SAME_AS_ONE = {**ONE, "api_url": "WEB-1.example:443/api/v2/"}
# What YAML makes of 0123, no and 2026-12-01 in the place of a text.
MISREAD = {"number": 83, "switch": False, "date": datetime.date(2026, 12, 1)}
SOURCE = ROOT / "extensions" / "eda" / "plugins" / "event_source" / "panel.py"
LISTS = [
    "clients",
    "certificates",
    "domains",
    "emails",
    "ftp-users",
    "directory-protections",
    "scheduled-tasks",
]
EVENTS = [{"panel": {"key": key}, "meta": {"uuid": key}} for key in ("a", "b")]
AWAY, BACK = (("panel_" + change, "panels", "panel.example") for change in ("unreachable", "back"))


class Watched(Session):
    """The panel in memory.

    faults: by the end of a path the status that it answers with, or what is raised there.
    """

    def __init__(self, memory: InMemory) -> None:
        super().__init__(memory.panel, memory._clock, None)
        self.memory = memory
        self.faults: dict[str, Any] = {}

    def reply_to(self, call: Any, entry: dict[str, Any], timeout: float) -> Reply:
        """Answer a request, or fail it where a fault is set for its path."""
        fault = next((self.faults[end] for end in self.faults if call.path.endswith(end)), None)
        if isinstance(fault, Exception):
            raise fault
        refusal = b'{"code": "1", "message": "No."}'

        return (
            Reply(fault, refusal, "application/json")
            if fault
            else super().reply_to(call, entry, timeout)
        )

    def write(self, method: str, path: str, **body: Any) -> Any:
        """Change the panel, as somebody else does."""
        url = CONNECTION["api_url"] + "/api/v2" + path
        return self.request(method, url, data=json.dumps(body).encode(), timeout=1)

    def list_paths(self) -> list[str]:
        """Return the paths of all requests that read."""
        return [
            request["path"].removeprefix("/api/v2")
            for request in self.log
            if request["method"] == "GET"
        ]


@pytest.fixture
def panel() -> Iterator[Watched]:
    """Make a panel with three clients, which the event source watches."""
    clients = [{"username": name} for name in ("acme", "beta", "gamma")]
    session = Watched(InMemory({"clients": clients}))
    with in_memory._replace_session(session, {}):
        yield session


def do_nothing() -> None:
    """Change nothing between two readings."""


class Queue:
    """That of ansible-rulebook.

    told: of each reading the type, kind and key of its events. moment: what happens before and
    after each is taken.
    """

    def __init__(self, moment: Callable[[], None] = do_nothing) -> None:
        self.told: list[list[tuple[str, str, str]]] = [[]]
        self._moment = moment

    async def put(self, event: dict[str, Any]) -> None:
        """Take an event, as ansible-rulebook does."""
        self._moment()
        # As its filters do.
        event["meta"]["received_at"] = "now"
        self.told[-1].append(tuple(event["panel"][name] for name in ("type", "kind", "key")))  # type: ignore[arg-type]
        self._moment()


class Enough(Exception):
    """All readings that a test wants are done."""


def run_source(queue: Queue, options: Mapping[str, Any], *steps: Callable[[], Any]) -> None:
    """The event source for one reading, and one more after each step. Raises SourceEnded."""
    waiting = iter(steps)

    async def pause(_seconds: float) -> None:
        step = next(waiting, None)
        if step is None:
            raise Enough
        queue.told.append([])
        step()

    with contextlib.suppress(Enough):
        asyncio.run(watch(queue, options, pause))


def list_events(*steps: Any, **options: Any) -> list[list[tuple[str, str, str]]]:
    """Return the events of each reading, with a step before each."""
    queue = Queue()
    run_source(queue, {**CONNECTION, "retry_time": 0, **options}, *steps)
    return queue.told


def test_events_and_the_state_file_mask_the_keys_of_all_panels(
    panel: Watched, tmp_path: Path
) -> None:
    texts: list[str] = []

    class Recorder(Queue):
        async def put(self, event: dict[str, Any]) -> None:
            texts.append(json.dumps(event))

    state_file = tmp_path / "state.json"
    notes = f"keys {CONNECTION['api_key']} and {KEY}"
    options = {"panels": [{**CONNECTION, "name": "two"}, ONE], "state_file": str(state_file)}

    run_source(
        Recorder(),
        {"retry_time": 0, **options},
        lambda: panel.write("POST", "/clients", username="delta", notes=notes),
        do_nothing,
        do_nothing,
    )

    output = "".join([*texts, state_file.read_text(encoding="utf-8")])
    assert "keys ******** and ********" in output
    assert CONNECTION["api_key"] not in output
    assert KEY not in output


def test_what_happens_between_two_readings_is_told_once(panel: Watched) -> None:
    def change() -> None:
        panel.write("POST", "/clients", username="delta")
        panel.write("PUT", "/clients/2", is_suspended=True)
        panel.write("DELETE", "/clients/3")

    new, suspended = ("client_created", "clients", "delta"), ("client_suspended", "clients", "acme")
    # One list that does not have it may be wrong.
    deleted = ("client_deleted", "clients", "beta")

    assert list_events(change, do_nothing, do_nothing) == [[], [suspended, new], [deleted], []]


def test_a_reading_asks_for_one_list_of_each_kind_and_for_the_use_of_each_client_once_an_hour(
    panel: Watched,
) -> None:
    list_events(*[do_nothing] * 5, interval=1200)
    paths = panel.list_paths()

    assert [path for path in paths if "stats" not in path] == [f"/{kind}" for kind in LISTS] * 6
    # Six readings are two hours.
    assert sorted(path for path in paths if "stats" in path) == [
        f"/clients/{n}/stats" for n in (2, 3, 4) for _time in "12"
    ]


@pytest.mark.parametrize(
    ("path", "fault", "events", "warning"),
    [
        ("/clients", 500, [AWAY, BACK], ""),
        ("/clients", 403, [AWAY, BACK], ""),
        ("/clients", KeyError("a defect"), [AWAY, BACK], ""),
        *(
            ("/emails", status, [], "the list of emails cannot be read")
            for status in (403, 404, 500)
        ),
        *(
            ("/stats", status, [], "the use of clients cannot be read")
            for status in (403, 404, 500)
        ),
    ],
)
def test_what_the_panel_does_not_show_is_one_event_or_said_once_and_asked_for_again(
    panel: Watched,
    caplog: pytest.LogCaptureFixture,
    path: str,
    fault: Any,
    events: list[Any],
    warning: str,
) -> None:
    panel.faults = {path: fault}
    readings = list_events(do_nothing, panel.faults.clear)

    assert readings == [events[:1], [], events[1:]]
    if warning:
        [message] = caplog.messages
        assert warning in message
    else:
        assert caplog.messages == []
    assert CONNECTION["api_key"] not in caplog.text
    assert sum(requested.endswith(path) for requested in panel.list_paths()) >= 3
    # What comes after it is read all the same.
    assert panel.list_paths().count("/scheduled-tasks") == (3 if warning else 1)


def test_a_panel_that_is_away_is_one_event_also_over_a_restart(
    panel: Watched, tmp_path: Path
) -> None:
    state = {"state_file": str(tmp_path / "state.json")}
    panel.faults = {"/clients": 503}

    assert list_events(do_nothing, **state) == [[AWAY], []]

    def come_back() -> None:
        panel.faults.clear()
        panel.write("POST", "/clients", username="delta")

    # It had never been read, so nothing is new.
    assert list_events(come_back, do_nothing, **state) == [[], [BACK], []]


def test_a_refused_key_is_sent_once_and_leaves_the_other_panels_watched(panel: Watched) -> None:
    wrong = {**CONNECTION, "name": "one", "api_key": "k1234567.a-wrong-key"}
    with pytest.raises(
        SourceEnded, match=r"^one: .* was refused \(401\).* No panel is left to watch\.$"
    ) as ended:
        list_events(panels=[wrong])

    assert "a-wrong-key" not in str(ended.value)
    assert panel.list_paths() == ["/clients"]

    panel.faults = {"/stats": 401}
    with pytest.raises(SourceEnded, match=r"/stats was refused \(401\)"):
        list_events()

    panel.faults.clear()
    panel.log.clear()

    events = list_events(
        lambda: panel.write("POST", "/clients", username="delta"),
        panels=[wrong, {**CONNECTION, "name": "two", "api_url": "https://two.example"}],
    )

    assert sorted(events[0] + events[1]) == [
        ("client_created", "clients", "delta"),
        ("panel_unreachable", "panels", "one"),
    ]
    assert panel.list_paths().count("/clients") == 3


@pytest.mark.parametrize("path", ["/clients", "/emails", "/clients/2/stats"])
def test_a_source_that_is_stopped_blames_neither_the_panel_nor_a_keyword(
    panel: Watched, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    [named] = read_options({**CONNECTION, "retry_time": 0})["panels"]
    reader = watch_panels._Reader(named, read_options({**CONNECTION, "retry_time": 0}))
    reply_to = Watched.reply_to

    def stop_and_reply(self: Watched, call: Any, entry: dict[str, Any], timeout: float) -> Reply:
        if call.path.endswith(path):
            reader._is_over.set()
        return reply_to(self, call, entry, timeout)

    monkeypatch.setattr(Watched, "reply_to", stop_and_reply)

    reading = reader.read(None)

    # What was under way still comes, and nothing more is sent.
    assert panel.list_paths()[-1].endswith(path)
    assert "keyword" not in reading.failure + caplog.text
    assert caplog.messages == []

    second_reading = reader.read(None)
    assert second_reading.failure.startswith(
        "GET /clients was not sent: the event source was stopped."
    )


# Options.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({}, "api_url: missing", id="no address"),
        pytest.param(
            {**ONE, "interval": 9},
            "interval: 9 is not accepted; use whole numbers from 10 to 86400.",
            id="short interval",
        ),
        pytest.param(
            {**ONE, "certificate_days": [7, -1]},
            "certificate_days: -1 is not accepted",
            id="negative days",
        ),
        pytest.param({**ONE, "events": ["object_faild"]}, "object_faild", id="unknown event"),
        pytest.param(
            {**ONE, "intervall": 10},
            "intervall: there is no such option; did you mean interval?",
            id="unknown option",
        ),
        pytest.param(
            {"panels": [{**ONE, "validate_cert": True}]},
            "panels[0].validate_cert: there is no such field; did you mean validate_certs?",
            id="unknown field of a panel",
        ),
        pytest.param(
            {"panels": [{**ONE, "name": "a"}, {**OTHER, "name": "a"}]},
            "panels[1].name: a is the name of another panel",
            id="two panels of one name",
        ),
        pytest.param(
            {"panels": [{**ONE, "name": "a"}, {**SAME_AS_ONE, "name": "b"}]},
            "panels[1].api_url: b and a have the same address; name each panel once.",
            id="two names of one panel",
        ),
        pytest.param(
            {"panels": [ONE, SAME_AS_ONE]},
            "panels[1].name: web-1.example is there twice; name each panel once.",
            id="a panel twice",
        ),
        pytest.param(
            {"panels": [{**ONE, "name": "a"}, {"name": "b"}]},
            "panels[1].api_url: missing. Each of several panels",
            id="panel without an address",
        ),
        pytest.param(
            {**ONE, "api_url": "http://web-1.example"},
            "plain http would show the API key",
            id="plain http",
        ),
        pytest.param(
            {**ONE, "state_file": "a\0b"},
            "state_file: a\0b: a path cannot have a NUL character or half of a character.",
            id="path with a NUL character",
        ),
        pytest.param(
            {**ONE, "state_file": "/proc/none/state.json"},
            "state_file: /proc/none/state.json: the directory /proc/none does not exist",
            id="missing directory",
        ),
    ],
)
def test_mistakes_are_named_and_end_it_before_anything_is_sent(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(SourceEnded, match=r"Nothing was sent\.$") as ended:
        run_source(Queue(), options)

    assert message in str(ended.value)
    assert KEY not in str(ended.value)


@pytest.mark.parametrize("value", MISREAD.values(), ids=MISREAD)
@pytest.mark.parametrize("option", ["api_url", "api_key", "ca_path", "state_file"])
def test_what_yaml_misread_in_the_place_of_a_text_is_refused(option: str, value: Any) -> None:
    with pytest.raises(SourceEnded, match=rf"^{option}: .* in quotes\. .*Nothing was sent\.$"):
        run_source(Queue(), {**ONE, option: value})


@pytest.mark.parametrize("value", MISREAD.values(), ids=MISREAD)
@pytest.mark.parametrize("option", ["api_url", "api_key", "ca_path", "name"])
def test_what_yaml_misread_in_one_of_several_panels_is_refused(option: str, value: Any) -> None:
    panels = [ONE, {**OTHER, option: value}]

    with pytest.raises(SourceEnded, match=rf"^panels\[1\]\.{option}: .* in quotes\."):
        run_source(Queue(), {"panels": panels})


def test_the_documentation_of_the_source_has_every_option_with_its_default() -> None:
    module = load_program(SOURCE)
    options = yaml.safe_load(module.DOCUMENTATION)["options"]

    assert options.keys() == ARGUMENT_SPEC.keys()

    for name, described in options.items():
        assert described["type"] == ARGUMENT_SPEC[name]["type"], name
        if name not in ("timeout", "retry_time", "validate_certs", "events"):
            assert described.get("default") == ARGUMENT_SPEC[name].get("default"), name

    assert options["events"]["choices"] == ARGUMENT_SPEC["events"]["choices"]

    (rulebook,) = yaml.safe_load(module.EXAMPLES)
    read_options({**ONE, **rulebook["sources"][0]["hosting.panel.panel"], "state_file": None})


# What is kept until someone has taken it.


def test_what_is_known_and_pending_is_there_after_a_restart_in_a_private_file(
    tmp_path: Path,
) -> None:
    path = tmp_path / "state.json"
    State.read(path, None).learn("web-1", {"clients": {}}, EVENTS)

    restored = State.read(path, None)

    assert restored.panels == {"web-1": {"clients": {}}}
    assert restored.pending == EVENTS
    assert path.stat().st_mode & 0o777 == 0o600

    before = path.stat().st_mtime_ns
    restored.learn("web-1", {"clients": {}}, [])

    assert path.stat().st_mtime_ns == before


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.long
def test_a_kill_at_any_moment_loses_nothing_and_repeats_at_most_what_was_taken_in_that_moment(
    panel: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    countdown = 0

    def count_down() -> None:
        nonlocal countdown
        countdown -= 1
        if not countdown:
            raise Killed

    def replace_and_count(*arguments: Any) -> None:
        count_down()
        replace_file(*arguments)
        count_down()

    replace_file = event_state.replace_file
    start = panel.memory.get_state()
    repeated: list[int] = []
    monkeypatch.setattr(event_state, "replace_file", replace_and_count)

    for point in range(1, 40):
        panel.memory.put(start)
        queue = Queue(count_down)
        is_killed = False
        options = {**CONNECTION, "retry_time": 0, "state_file": str(tmp_path / f"{point}.json")}
        options["events"] = ["client_created", "client_suspended", "client_deleted"]
        run_source(queue, options, do_nothing)
        panel.write("POST", "/clients", username="delta")
        panel.write("PUT", "/clients/2", is_suspended=True)
        panel.write("DELETE", "/clients/3")
        countdown = point
        try:
            run_source(queue, options, do_nothing)
        except Killed:
            is_killed = True
        # After the kill, and once more for good measure.
        for _run in "12":
            run_source(queue, options, do_nothing)
        counts = Counter(event for events in queue.told for event in events)
        assert {(event_type, key) for event_type, _kind, key in counts} == {
            ("client_created", "delta"),
            ("client_suspended", "acme"),
            ("client_deleted", "beta"),
        }
        repeated += [point] * (max(counts.values()) - 1)
        if not is_killed:
            break

    # Ten moments around five times that the file is replaced, and six around three events that are
    # taken.
    assert point == 17
    # Only where the event was taken, and nothing could be written about that any more.
    assert repeated == [4, 5, 8, 9, 14, 15]


def test_two_event_sources_do_not_share_a_file(panel: Watched, tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    link = tmp_path / "link.json"
    link.symlink_to(path)
    lock = path.with_name(f".{path.name}.lock").open("a", encoding="utf-8")

    fcntl.flock(lock, fcntl.LOCK_EX)
    with lock, pytest.raises(SourceEnded, match="needs its own"):
        list_events(state_file=str(link))

    assert panel.list_paths() == []


def test_a_file_system_that_cannot_lock_is_not_taken_for_another_source(
    panel: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_file: object, _operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)

    with pytest.raises(SourceEnded) as raised:
        list_events(state_file=str(tmp_path / "state.json"))

    lock = tmp_path / ".state.json.lock"
    assert str(raised.value) == f"state_file: {lock}: No locks available. Nothing was sent."
    assert panel.list_paths() == []


@pytest.mark.parametrize("number", [1, 10**17, 10**18, 2**64 - 1])
def test_a_file_with_the_longest_ids_that_answers_may_have_is_read_again(
    tmp_path: Path, panel: Watched, number: int
) -> None:
    path = tmp_path / "state.json"
    clients = [{"id": number, "username": "acme"}]
    memory = {"clients": {str(client["id"]): client["username"] for client in clients}}
    assert read_objects(clients, CLIENT.path, CLIENT) == clients

    State(None, path=path).learn("web-1", memory, [])

    assert State.read(path, None).panels == {"web-1": memory}


@pytest.mark.parametrize(
    "text", ["", "[]", '{"format": "hosting.panel.events", "version": 2}', '{"format": "hosting']
)
def test_a_damaged_file_is_an_error_and_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "state.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(PanelError, match="damaged, or written by something else"):
        State.read(path, None)

    assert path.read_text(encoding="utf-8") == text


HEAD = {"format": "hosting.panel.events", "version": 1, "panels": {}, "pending": []}
DAMAGED_PARTS: dict[str, dict[str, Any]] = {
    "panels as a list": {"panels": []},
    "no panels": {"panels": None},
    "a text for a panel": {"panels": {"p": "x"}},
    "null for a panel": {"panels": {"p": None}},
    "a list of what is known": {"panels": {"p": {"known": []}}},
    "a list of clients": {"panels": {"p": {"clients": ["acme"]}}},
    "a client without an id": {"panels": {"p": {"clients": {"acme": "acme"}}}},
    "a client with an id that no answer may have": {
        "panels": {"p": {"clients": {str(2**64): "acme"}}}
    },
    "a client with an id that begins with a zero": {"panels": {"p": {"clients": {"01": "acme"}}}},
    "a client with an id of other digits": {"panels": {"p": {"clients": {"\u0661": "acme"}}}},
    "a client with an id that is no number of Python": {
        "panels": {"p": {"clients": {"1" * 5000: "acme"}}}
    },
    "a client without a name": {"panels": {"p": {"clients": {"1": None}}}},
    "a text for the last client asked": {"panels": {"p": {"asked": "1"}}},
    "a number for a time": {"panels": {"p": {"away_since": 1}}},
    "pending as a dictionary": {"pending": {}},
    "an event as a text": {"pending": ["x"]},
    "an event without a number": {"pending": [{"panel": {}, "meta": {}}]},
    "an event without a panel": {"pending": [{"meta": {"uuid": "x"}}]},
}


@pytest.mark.parametrize("damage", DAMAGED_PARTS.values(), ids=DAMAGED_PARTS)
def test_a_file_that_is_damaged_in_a_part_ends_the_source_with_a_sentence(
    tmp_path: Path, damage: dict[str, Any]
) -> None:
    path = tmp_path / "state.json"
    path.write_text(json.dumps({**HEAD, **damage}), encoding="utf-8")

    with pytest.raises(SourceEnded, match="damaged, or written by something else"):
        asyncio.run(watch(asyncio.Queue(), {**ONE, "state_file": str(path)}))


def test_a_file_that_nests_too_deep_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text("[" * 90_000, encoding="utf-8")

    with pytest.raises(PanelError, match="damaged, or written by something else"):
        State.read(path, None)


class Filtered:
    """The queue of ansible-rulebook with its filters around it."""

    def __init__(self, size: int = 1) -> None:
        self.queue: asyncio.Queue[Any] = asyncio.Queue(size)

    async def put(self, event: dict[str, Any]) -> None:
        """Take an event, and mark it as received."""
        event["meta"]["received_at"] = "now"
        await self.queue.put(event)


def hand_over(
    path: Path, taking: int, has_feedback: bool, earlier: Any = None, size: int = 1
) -> list[str]:
    """What is left for a restart, where so many events are taken before the source is stopped.

    earlier: an answer that is late.
    """

    async def tell_story() -> None:
        queue = Filtered(size)
        answers = asyncio.Queue[Any](1) if has_feedback else None
        state = State.read(path, queue, answers)
        state.learn("web-1", {}, EVENTS)
        handing_over = asyncio.ensure_future(state.hand_over())
        if answers is not None and earlier:
            await answers.put(earlier)

        for _event in range(taking):
            event = await queue.queue.get()
            if answers is not None:
                await answers.put(event)
            await asyncio.sleep(0.05)

        # Of a queue without a bound all is taken in the end.
        for _moment in range(5 if size else 500):
            await asyncio.sleep(0.01 if state.pending else 0)
        handing_over.cancel()
        await asyncio.gather(handing_over, return_exceptions=True)

    asyncio.run(tell_story())

    return [
        event["panel"]["key"] for event in json.loads(path.read_text(encoding="utf-8"))["pending"]
    ]


@pytest.mark.parametrize("has_feedback", [False, True])
@pytest.mark.parametrize(("taking", "expected"), [(0, ["a", "b"]), (1, ["b"]), (2, [])], ids=str)
def test_what_ansible_rulebook_has_not_taken_comes_after_a_restart(
    tmp_path: Path, taking: int, expected: list[str], has_feedback: bool
) -> None:
    assert hand_over(tmp_path / "state.json", taking, has_feedback) == expected


def test_an_engine_that_fails_on_an_event_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(event_state, "_SECONDS_UNTIL_WORKED_IN", 0.001)
    assert hand_over(tmp_path / "state.json", 0, True, size=0) == []
    assert (
        caplog.messages == ["ansible-rulebook did not confirm an event; the next one follows."] * 2
    )

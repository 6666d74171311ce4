"""The simulator's panel in this process, behind a session that loses or spoils answers, on a clock
that only goes on when somebody waits.

So an hour of waiting costs nothing, and a write can have its effect at any second after its answer
was lost.
"""

from __future__ import annotations

import copy
import importlib
import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

import requests

from ansible_collections.hosting.panel.plugins.module_utils._http.panel_session import PanelSession
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS as MANAGED
from panel_simulator import openapi
from panel_simulator.answering import Reply, answer_call
from panel_simulator.calls import Call
from panel_simulator.fields import MISSING, Members
from panel_simulator.kinds import KINDS, InstalledPanel
from panel_simulator.state import dump, load, plant
from panel_simulator.store import Entry, Store
from panel_simulator.zones import make_default_soa, set_custom
from tests.support import transcript
from tests.support.playbook import Recording
from tests.support.tasks import run_task
from tests.support.transcript import (
    SimulatedTime,
    make_connection,
    make_cut_off_fault,
    make_read_timeout_fault,
    make_reset_fault,
)

_MODULES = "ansible_collections.hosting.panel.plugins.modules."
_BASE = make_connection().base_url
_HOST = re.compile(r"^https://[^/]+/api/v2")
OPENAPI = "https://panel.example/api/openapi.json"
LATENCY = 0.02
TIMEOUT = 5
RESET = "reset"
TIMED_OUT = "timeout"
CUT_OFF = "cut off"
# What a panel in trouble answers, whatever it still does.
ANSWERS = {
    f"{status} with {form}": Reply(status, body.encode(), "application/json")
    for status in (500, 503)
    for form, body in (
        ("JSON", json.dumps({"code": str(status), "message": "The panel is in trouble."})),
        ("HTML", "<html><title>Trouble</title></html>"),
    )
}
TOO_MANY = Reply(
    429, b'{"code": "429", "message": "Slow down."}', "application/json", {"Retry-After": "2"}
)


@dataclass(frozen=True)
class Loss:
    """The answers to writes that are lost.

    how: the connection ends at once or within the answer, nothing comes until the time is over, or
    one of ANSWERS or "429" comes.
    after: the seconds until the first of them has its effect; None if it never has.
    writes: how many are lost.
    writes_before: how many are answered before that.
    """

    how: str
    after: float | None
    writes: int = 1
    writes_before: int = 0


class MemoryPlace:
    """One panel, in the state that it is given, and the tasks that run against it."""

    def __init__(self, seed: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        self._clock = SimulatedTime()
        self._states: dict[int, dict[str, Any]] = {}
        self.panel = InstalledPanel(make_connection().api_key, self._clock.get_time)
        self.panel.settings.merge(dict(settings))
        self._seed = dict(seed)
        plant(self.panel, self._seed)

    def reset(self) -> None:
        """Set everything to what it was at the beginning."""
        self.panel.reset_objects()
        plant(self.panel, self._seed)

    def seed(self, objects: Mapping[str, Any]) -> None:
        """Put these objects on it."""
        plant(self.panel, objects)

    def list_objects(self, kind: str) -> list[dict[str, Any]]:
        """Return the fields of each object of a kind, by the simulator's name of it, and its id."""
        return [{"id": entry.id, **entry.data} for entry in self.panel.store.list_all(kind)]

    def get_state(self) -> dict[str, Any]:
        """Return a copy of everything that the panel knows.

        The same one until something changes.
        """
        changes = self.panel.store.changes
        if changes not in self._states:
            # By JSON it takes a tenth of the time.
            self._states = {changes: json.loads(json.dumps(dump(self.panel)))}

        return self._states[changes]

    def pass_time(self, seconds: float) -> None:
        """Let nothing happen for so long."""
        self._clock.now += seconds

    def put(self, state: Mapping[str, Any], seed: Mapping[str, Any] | None = None) -> None:
        """Set the panel to that state, with these objects beside."""
        load(self.panel, json.loads(json.dumps(state)))
        if seed:
            plant(self.panel, copy.deepcopy(dict(seed)))

    def perform_task(
        self,
        kind: str,
        options: Mapping[str, Any],
        in_bulk: bool = False,
        check_mode: bool = False,
        loss: Loss | None = None,
    ) -> Recording:
        """Return a task for one object of a kind (plural), alone or within panel_resources."""
        module = MANAGED[kind].module
        if in_bulk:
            module = "panel_resources"
            options = {"resources": {kind: [options]}, "max_deletes": 9}

        return self.run(kind, module, options, loss, check_mode=check_mode)

    def run(
        self,
        name: str,
        module: str,
        options: Mapping[str, Any],
        loss: Loss | None = None,
        retry_time: int = 60,
        check_mode: bool = False,
    ) -> Recording:
        """Run one task.

        Its ``observed`` has the state right at its end, and the one after everything that came
        late.
        """
        clock = self._clock
        http_session = Session(self.panel, clock, loss)
        retry_budget = clock.retry_budget(retry_time)
        session = PanelSession(
            make_connection(retry_time=retry_time, timeout=TIMEOUT),
            retry_budget=retry_budget,
            http_session=http_session,
        )
        operation = importlib.import_module(_MODULES + module).OPERATION
        begin = clock.now
        result = run_task(
            operation,
            session,
            {**options, "retry_time": retry_time, "timeout": TIMEOUT},
            check_mode,
        )
        seconds = clock.now - begin
        at_the_end = self.get_state()
        http_session.end()
        outcome = "failed" if result.get("failed") else "ok"

        return Recording(
            name, outcome, result, http_session.log, [at_the_end, self.get_state()], seconds
        )


class Session:
    """Stands in for requests.Session."""

    def __init__(self, panel: InstalledPanel, clock: SimulatedTime, loss: Loss | None) -> None:
        self._panel = panel
        self.clock = clock
        self._loss = loss
        self.key = panel.api_key
        self._left = loss.writes if loss else 0
        self._to_answer = loss.writes_before if loss else 0
        self._late: list[tuple[float, Callable[[], Any]]] = []
        self._lock = threading.Lock()
        self.log: list[dict[str, Any]] = []

    def mount(self, _prefix: str, _adapter: Any) -> None:
        """Take an adapter for kept-alive connections; nothing is done with it."""

    def request(self, method: str, url: str, **arguments: Any) -> requests.Response:
        """Send one request, and return what comes back."""
        with self._lock:
            return self._request(method, url, **arguments)

    def close(self) -> None:
        """Close nothing."""

    def end(self) -> None:
        """Let everything that comes late come now."""
        self.clock.now = max([self.clock.now, *(moment for moment, _effect in self._late)])
        self._carry_out_late()

    def _request(self, method: str, url: str, **arguments: Any) -> requests.Response:
        self.clock.now += LATENCY
        self._carry_out_late()
        # It answers under every name.
        path, _mark, query_text = _HOST.sub("", url).partition("?")
        query = {
            **dict(parse_qsl(query_text)),
            **{name: str(value) for name, value in (arguments.get("params") or {}).items()},
        }
        raw = arguments.get("data") or b""
        entry: dict[str, Any] = {
            "method": method,
            "path": path,
            "time": self.clock.now,
            "body": json.loads(raw) if raw else None,
            "status": None,
            "fault": None,
        }
        self.log.append(entry)
        call = Call(method, path, query, raw, base_url=_BASE, key=self.key)
        reply = self.reply_to(call, entry, arguments["timeout"])
        entry["status"] = reply.status
        content_type = {} if reply.media_type is None else {"Content-Type": reply.media_type}

        return transcript.make_response(
            transcript.Reply(reply.status, reply.body, {**reply.headers, **content_type}),
            method,
            url,
            query,
        )

    def reply_to(self, call: Call, entry: dict[str, Any], timeout: float) -> Reply:
        """Return what comes back; raises what requests raises where nothing does.

        entry: of the log.
        """
        if call.path == OPENAPI:
            return Reply(
                200,
                json.dumps(openapi.make_document("https://panel.example")).encode(),
                "application/json",
            )

        is_write = call.method != "GET"
        is_struck = is_write and self._left > 0 and self._to_answer <= 0
        if is_write:
            self._to_answer -= 1

        return self._lose(call, entry, timeout) if is_struck else answer_call(self._panel, call)

    def _lose(self, call: Call, entry: dict[str, Any], timeout: float) -> Reply:
        loss = self._loss
        assert loss is not None
        is_first = self._left == loss.writes
        self._left -= 1
        entry["fault"] = loss.how

        if not is_first:
            answer_call(self._panel, call)
        elif loss.after is not None:
            self._late.append((self.clock.now + loss.after, lambda: answer_call(self._panel, call)))

        self.clock.now += timeout if loss.how == TIMED_OUT else LATENCY
        self._carry_out_late()
        if loss.how in ANSWERS:
            return ANSWERS[loss.how]
        if loss.how == "429":
            return TOO_MANY
        raise {
            TIMED_OUT: make_read_timeout_fault,
            CUT_OFF: make_cut_off_fault,
            RESET: make_reset_fault,
        }[loss.how]()

    def _carry_out_late(self) -> None:
        due = [effect for moment, effect in self._late if moment <= self.clock.now]
        self._late = [(moment, effect) for moment, effect in self._late if moment > self.clock.now]
        for effect in due:
            effect()


class MemoryPanel(PanelSession):
    """A session with a simulator's panel that records every call, on objects with ids of the test's
    choice:

    panel = MemoryPanel({"/clients": [{"id": 1, "username": "acme"}]}) run_task(OPERATION, panel,
    {"username": "acme", "notes": "x"}) assert panel.writes == [("PUT", "/clients/1", {"notes":
    "x"})]

    What they do not say is as the panel has it for a new one, and nothing of it is checked.

    calls: (method, path, body or query) of every call in their order. short: members that the lists
    of a path leave out. before: called with method, path and body ahead of every call; what it
    raises is the outcome of that call. settings: of the simulator.
    """

    def __init__(
        self,
        objects: Mapping[str, Iterable[Mapping[str, Any]]] | None = None,
        short: Mapping[str, Iterable[str]] | None = None,
        before: Callable[[str, str, Any], None] | None = None,
        **settings: Any,
    ) -> None:
        time = SimulatedTime()
        panel_connection = make_connection()
        self.panel = InstalledPanel(panel_connection.api_key, time.get_time)
        self.panel.settings.merge({"status_delay": 0.0, **settings})
        # Of members that only this test knows too.
        self.panel.settings.values["short_lists"] = {
            _get_kind(path): [*names] for path, names in (short or {}).items()
        }
        self.panel.store = Store()
        super().__init__(panel_connection, time.retry_budget(60), Session(self.panel, time, None))
        self.calls: list[tuple[str, str, Any]] = []
        self.before = before

        for path, items in {
            "/hosting-plans": [{"id": 1, "name": "Default"}],
            **(objects or {}),
        }.items():
            self.add(path, *items)

    def add(self, path: str, *items: Mapping[str, Any]) -> None:
        """Put these objects on the panel; a zone has the id of its domain and its own records."""
        if path == "/dns":
            for item in items:
                domain = self.panel.store.objects["domains"][item["id"]]
                set_custom(
                    self.panel, domain, make_default_soa(self.panel, domain), [*item["records"]]
                )
            return

        kind = KINDS[_get_kind(path)]
        store = self.panel.store

        for item in items:
            data = {
                field.name: copy.copy(
                    field.value.copy_defaults()
                    if isinstance(field.value, Members)
                    else field.default
                )
                for field in kind.fields
                if isinstance(field.value, Members) or field.default is not MISSING
            }
            data.update(
                copy.deepcopy({name: value for name, value in item.items() if name != "id"})
            )
            if kind.name == "domains":
                data["is_subdomain"] = bool(data["id_parent_domain"])
            store.insert(
                Entry(kind.name, item["id"], data, {"dkim_secret": "", **data}),
                kind.list_claims(data),
            )
            store.reserve(kind.sequence or kind.name, item["id"])

    def list_objects(self, path: str) -> list[dict[str, Any]]:
        """Return the fields of each object, and its id."""
        return [
            {"id": entry.id, **entry.data} for entry in self.panel.store.list_all(_get_kind(path))
        ]

    def clear(self, path: str) -> None:
        """Take all objects of this path away."""
        for entry in [*self.panel.store.list_all(_get_kind(path))]:
            self.panel.store.remove(entry)

    @property
    def writes(self) -> list[tuple[str, str, Any]]:
        """Return the calls that are not reads."""
        return [call for call in self.calls if call[0] != "GET"]

    @property
    def reads(self) -> list[str]:
        """Return the paths that were read, in their order."""
        return [path for method, path, _query in self.calls if method == "GET"]

    def forget(self) -> None:
        """Start a new record of calls; the objects stay."""
        self.calls.clear()

    def call(
        self, method: str, path: str, query: Any = None, body: Any = None, *more: Any, **how: Any
    ) -> Any:
        """Send a request to the panel in memory, and note it."""
        self.calls.append((method, path, copy.deepcopy(query if body is None else body)))
        if self.before is not None:
            self.before(method, path, body)
        return super().call(method, path, query, body, *more, **how)


def _get_kind(path: str) -> str:
    return path[1:].replace("-", "_")

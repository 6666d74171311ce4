# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads panels again and again, and hands over what has happened. Private to the collection.

An event is on the disk with the knowledge that it came from before anyone gets it, and is crossed out when it was taken. So none is lost
by a kill; one that was taken in the moment of the kill comes again, with the same number in ``meta.uuid``.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import datetime
import fcntl
import json
import logging
import re
import threading
import time
import uuid
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ...module_utils._errors import Defect, Denied, OptionError, PanelError, RequestError, UnexpectedAnswer
from ...module_utils._http.panel_client import PanelClient, Patience, path_of
from ...module_utils._kinds.registry import DETAILS, ERROR, KINDS, OKAY
from ...module_utils._kinds.tables import CLIENT
from ...module_utils._operation.validation import checked
from ...module_utils._schema.kind import OWNER, Kind
from ...module_utils._secrets.redaction import Secrets, on_one_line, without_secrets
from ...module_utils._sources.checked_answers import checked_fields, checked_list, require_ids
from .._report.panel_reading import PanelReading, short_text, whole_number
from .._report.report_rows import FINE, NEAR, certificate_rows, client_rows, percent_of
from .._run.controller_files import check_place, explained, read_regular, replace_file
from .._run.panel_connections import CONNECTION, NamedPanel, named_panels

TYPES = (
    *("client_created", "client_deleted", "client_suspended", "client_released"),
    *("object_failed", "object_recovered", "certificate_expiring", "limit_reached"),
    *("panel_unreachable", "panel_back"),
)
# A limit that was reached is reached again when the use had fallen so far below it.
_PERCENT_BELOW = 5
# What Ansible would take for the beginning of a template, wherever an event becomes a variable. A text may also end with one that the next
# text of a playbook completes, or be one where ansible-core 2.16 and 2.18 take it for a list or a dictionary of Python, in which quotes and
# escapes go.
_TEMPLATE = re.compile(r"""\{(?=[{%#"'\\]|\Z)""")
_ESCAPE = re.compile(r"\\(?=[xuUN0-7]|\Z)")
# A text that begins so says itself which other characters its templates begin with. A playbook may take away what is before it.
_HEADER = "#jinja2:"
Event = Mapping[str, Any]
Memory = dict[str, Any]
Pause = Callable[[float], Awaitable[Any]]
ARGUMENT_SPEC: dict[str, Any] = {
    "panels": {"type": "list", "elements": "dict", "options": {"name": {"type": "str"}, **CONNECTION}},
    "interval": {"type": "int", "default": 300},
    "events": {"type": "list", "elements": "str", "choices": list(TYPES), "default": list(TYPES)},
    "certificate_days": {"type": "list", "elements": "int", "default": [30, 14, 7, 1]},
    "limit_percent": {"type": "int", "default": 90},
    "state_file": {"type": "path"},
    # Of ansible-rulebook itself, which hands it on.
    "feedback": {"type": "bool"},
    **CONNECTION,
}
_RANGES = {"interval": (10, 86400), "limit_percent": (1, 100), "certificate_days": (0, 3650)}
_LOG = logging.getLogger("hosting.panel.panel")
# The engine says nothing of an event that it fails on.
_SECONDS_UNTIL_WORKED_IN = 600
_HEAD = {"format": "hosting.panel.events", "version": 1}


class SourceEnded(Exception):
    """The event source cannot go on; the text is one for an operator."""


async def watch(queue: Any, args: Mapping[str, Any], pause: Pause = asyncio.sleep) -> None:
    """Puts events into the queue until it is cancelled. Raises SourceEnded. args: as in a rulebook."""
    given = dict(args)
    feedback = given.pop("eda_feedback_queue", None)
    try:
        options = read_options(given)
        path = options["state_file"]
        with _alone(path.resolve()) if path else contextlib.nullcontext():
            state = State(path, queue, feedback)
            # What was pending when the last run ended.
            await state.hand_over()
            readers = [_Reader(panel, options) for panel in options["panels"]]
            tasks = [asyncio.ensure_future(reader.watch(state, pause)) for reader in readers]
            try:
                refusals = await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
    except PanelError as error:
        raise SourceEnded(f"{error}{' Nothing was sent.' * isinstance(error, OptionError)}") from None
    raise SourceEnded(" ".join([*refusals, "No panel is left to watch."]))


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """With a lock beside the file, for as long as the source runs; the file may have several names."""
    with explained(f"state_file: {path}", PanelError, "Nothing was sent."):
        lock = path.with_name(f".{path.name}.lock").open("a", encoding="utf-8")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PanelError(f"{path}: another event source uses this state_file; each source needs its own.") from None
        yield


def read_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The checked options, with the ``panels``; raises OptionError."""
    options = checked(given, ArgumentSpecValidator(ARGUMENT_SPEC))
    for name, (least, most) in _RANGES.items():
        for value in options[name] if isinstance(options[name], list) else [options[name]]:
            if not least <= value <= most:
                raise OptionError(name, f"{value} is not accepted; use whole numbers from {least} to {most}.")
    if options["state_file"] is not None:
        options["state_file"] = Path(options["state_file"])
        with explained(f"state_file: {options['state_file']}", PanelError, "Nothing was sent."):
            check_place(options["state_file"])
    options["certificate_days"].sort(reverse=True)
    return {**options, "panels": named_panels(options["panels"], options)}


def _check_state(panels: Any, pending: Any) -> None:
    """Raise ValueError for what no state file has: `happened` and `State` rely on these shapes."""
    if not isinstance(panels, dict) or not isinstance(pending, list):
        raise ValueError
    if not all(map(_is_memory, panels.values())) or not all(map(_is_event, pending)):
        raise ValueError


def _is_memory(value: Any) -> bool:
    """Tell whether a value is what `happened` remembers of a panel."""
    if not isinstance(value, dict):
        return False
    known, names, asked = value.get("known", {}), value.get("clients", {}), value.get("asked", 0)
    has_shape = isinstance(known, dict) and isinstance(names, dict) and type(asked) is int
    if not has_shape or not isinstance(value.get("away_since", ""), str):
        return False
    return all(its_id.isdecimal() and isinstance(name, str) for its_id, name in names.items())


def _is_event(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("panel"), dict):
        return False
    meta = value.get("meta")
    return isinstance(meta, dict) and isinstance(meta.get("uuid"), str)


class State:
    """What is known, in a private file that is replaced as a whole; raises PanelError. path: None keeps it in memory only.

    panels: what is known, by name. pending: the events that no one has taken yet, the oldest first. feedback: where ansible-rulebook puts
    back what it has worked in, if the rulebook asks for that.
    """

    def __init__(self, path: Path | None, queue: Any, feedback: Any = None) -> None:
        self._path, self._queue, self._feedback = path, queue, feedback
        self.panels: dict[str, Memory] = {}
        self.pending: list[Event] = []
        self._one_by_one = asyncio.Lock()
        if path is None or not path.exists():
            return
        with explained(str(path), PanelError):
            try:
                found = json.loads(read_regular(path))
                if {name: found[name] for name in _HEAD} != _HEAD:
                    raise ValueError
                _check_state(found["panels"], found["pending"])
                self.panels, self.pending = found["panels"], found["pending"]
            except (ValueError, KeyError, TypeError, RecursionError):
                what = "damaged, or written by something else. Remove it to start again, or name another file"
                raise PanelError(f"{path}: {what}.") from None

    def learn(self, panel: str, memory: Memory, events: Sequence[Event]) -> None:
        """What is known from now on, with the events that it came from: both or none of them reach the disk."""
        if events or memory != self.panels.get(panel):
            self.panels[panel] = memory
            self.pending += events
            self._write()

    def _taken(self) -> None:
        del self.pending[0]
        self._write()

    def _write(self) -> None:
        if self._path is not None:
            content = json.dumps({**_HEAD, "panels": self.panels, "pending": self.pending})
            with explained(str(self._path), PanelError, "The file is as it was."):
                replace_file(self._path, content.encode(), 0o600)

    async def hand_over(self) -> None:
        """Hands over what is pending; what no one has taken comes again after a restart."""
        async with self._one_by_one:
            while self.pending:
                await self._queue.put(copy.deepcopy(self.pending[0]))
                try:
                    while self._feedback is None and self._is_waiting():
                        await asyncio.sleep(0.01)
                    if self._feedback is not None:
                        await asyncio.wait_for(self._worked_in(), _SECONDS_UNTIL_WORKED_IN)
                except asyncio.TimeoutError:
                    _LOG.warning("ansible-rulebook did not confirm an event; the next one follows.")
                except asyncio.CancelledError:
                    if self._feedback is None and not self._is_waiting():
                        self._taken()
                    raise
                self._taken()

    async def _worked_in(self) -> None:
        # The answer to an earlier event may be late.
        while (await self._feedback.get())["meta"]["uuid"] != self.pending[0]["meta"]["uuid"]:
            pass

    def _is_waiting(self) -> bool:
        """Whether the event is still in the queue of ansible-rulebook, which has a bound; filters are around it."""
        inner = getattr(self._queue, "queue", self._queue)
        return bool(getattr(inner, "maxsize", 0)) and not inner.empty()


class _Reader:
    def __init__(self, panel: NamedPanel, options: Mapping[str, Any]) -> None:
        self._name, self._connection = panel.name, panel.connection
        self._options = options
        self._secrets = Secrets([panel.connection.api_key])
        self._is_over, self._is_denied = threading.Event(), False
        self._told: set[str] = set()
        self._client = PanelClient(panel.connection)
        self._client.is_over, self._client.why_over = self._is_over.is_set, "the event source was stopped"

    async def watch(self, state: State, pause: Pause) -> str:
        """Goes on until the panel refuses the key; why it did."""
        try:
            while True:
                began, known = time.monotonic(), state.panels.get(self._name)
                reading = await asyncio.to_thread(self.read, known)
                events, memory = self._told_by(known, reading)
                state.learn(self._name, memory, events)
                await state.hand_over()
                if self._is_denied:
                    return f"{self._name}: {reading.failure}"
                await pause(max(0.0, self._options["interval"] - (time.monotonic() - began)))
        finally:
            # Nothing more is sent.
            self._is_over.set()

    def _told_by(self, known: Memory | None, reading: PanelReading) -> tuple[list[Event], Memory]:
        """What has happened; a defect of the collection counts as a panel that cannot be read, so that the others are watched on."""
        now = datetime.datetime.now().astimezone()
        try:
            return happened(known, reading, self._options, now)
        except Exception as error:
            return happened(known, PanelReading(self._name, "", failure=str(Defect(error))), self._options, now)

    def read(self, memory: Memory | None) -> PanelReading:
        """The panel as it is now: a list of each kind that is needed, and the use of those clients whose turn it is. It raises nothing."""
        self._client.patience = Patience(self._connection.retry_time)
        objects: dict[str, list[dict[str, Any]]] = {}
        stats: dict[Any, Any] = {}
        try:
            for kind in kinds_for(self._options["events"]):
                with self._reported(f"the list of {kind}", is_needed=kind == "clients"):
                    objects[kind] = self._listed(KINDS[kind])
            is_wanted = "limit_reached" in self._options["events"]
            with self._reported("the use of clients"):
                for its_id in (
                    clients_to_ask(memory, objects["clients"], self._options["interval"]) if is_wanted else ()
                ):
                    path, stats[its_id] = f"{CLIENT.path}{path_of(its_id)}/stats", None
                    stats[its_id] = checked_fields(self._client.get(path), path, DETAILS["stats"])
            return PanelReading(self._name, "", objects=objects, stats=stats)
        except PanelError as error:
            failure = str(error)
            self._is_denied = isinstance(error, Denied) and error.details.get("status") == 401
        except Exception as error:
            failure = str(Defect(error))
        return PanelReading(self._name, "", failure=short_text(self._secrets.masked(failure)))

    def _listed(self, kind: Kind) -> list[dict[str, Any]]:
        """The objects of a kind without secrets; without an id nothing tells later what became of one."""
        listed = checked_list(self._client.get(kind.path), kind.path, kind)
        require_ids(listed, kind)
        return [without_secrets(item) for item in listed]

    @contextlib.contextmanager
    def _reported(self, what: str, is_needed: bool = False) -> Iterator[None]:
        """Says once that it cannot be read; a refusal may be about this path or this moment, but one of the key is about all."""
        try:
            yield
        except RequestError as error:
            ends_the_reading = is_needed or error.details.get("status") == 401
            # Of a panel that is away an event tells enough; what a panel answers otherwise than others is for its operator.
            if not ends_the_reading or isinstance(error, UnexpectedAnswer):
                self._warn_once(what, error)
            if ends_the_reading:
                raise

    def _warn_once(self, what: str, error: RequestError) -> None:
        # What is not read since the source was stopped is not the panel's fault.
        if what in self._told or self._is_over.is_set():
            return
        self._told.add(what)
        words = f"{self._name}: {what} cannot be read, so events that need it are missing. {error}"
        _LOG.warning(on_one_line(self._secrets.masked(words)))


# What has happened on a panel since it was read last. What is remembered of it is plain data, as the state file has it: ids as texts, and of
# an object only what tells whether it changed.


def kinds_for(types: Collection[str]) -> list[str]:
    """The kinds whose lists are needed, each of which costs one request; clients come first."""
    needed: set[str] = set()
    if {"object_failed", "object_recovered"} & set(types):
        needed |= {kind for kind, table in KINDS.items() if table.has_status}
    if "certificate_expiring" in types:
        needed |= {"certificates", "domains"}
    if "limit_reached" in types:
        needed.add("emails")
    return ["clients", *(kind for kind in KINDS if kind in needed - {"clients"})]


def happened(
    memory: Memory | None, reading: PanelReading, options: Mapping[str, Any], now: datetime.datetime
) -> tuple[list[Event], Memory]:
    """The events, and what is to be remembered. memory: None before the first reading, which tells states and no changes."""
    found = _Happened(memory or {}, reading, options, now)
    if reading.failure:
        if "away_since" not in found.memory:
            found.memory["away_since"] = now.isoformat(timespec="seconds")
            found.say("panel_unreachable", "panels", reading.name, {"reason": reading.failure})
        return found.events, found.memory
    if "away_since" in found.memory:
        found.say("panel_back", "panels", reading.name, {"away_since": found.memory.pop("away_since")})
    found.clients()
    found.failures()
    found.certificates()
    found.limits()
    found.memory["asked"] = next(reversed(reading.stats), found.memory.get("asked", 0))
    return found.events, found.memory


class _Happened:
    def __init__(self, memory: Memory, reading: PanelReading, options: Mapping[str, Any], now: datetime.datetime):
        self._reading, self._options, self._now = reading, options, now
        self.memory: Memory = copy.deepcopy(memory)
        self._known: dict[str, Any] = self.memory.setdefault("known", {})
        self.events: list[Event] = []

    def say(self, type_: str, kind: str, key: str, found: Mapping[str, Any]) -> None:
        if type_ in self._options["events"]:
            at = self._now.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            said = {"type": type_, "panel": self._reading.name, "kind": kind, "key": key, "at": at, "object": found}
            # The same event has the same number, also if it is handed over again after a crash.
            number_ = "\0".join((type_, self._reading.name, kind, str(found.get("id")), key, at))
            meta = {"uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, number_))}
            self.events.append({"panel": _as_text(said), "meta": meta})

    def say_of(self, type_: str, kind: str, item: Mapping[str, Any], **more: Any) -> None:
        """The object as the panel's list has it, by its key, with the name of its client."""
        owner = self._reading.usernames.get(item.get(OWNER), "")
        key = ":".join(owner if row.name == OWNER else short_text(item.get(row.name)) for row in KINDS[kind].key)
        # The text of a certificate is long, and decides nothing.
        shown = {name: value for name, value in item.items() if name != "components"}
        self.say(type_, kind, key, {**shown, **({} if kind == "clients" else {"client": owner}), **more})

    def _is_news(self, kind: str, item: Mapping[str, Any], what: str, value: Any) -> bool:
        """Whether that was not so before. value: None if it is no more.

        What a list lacks stays in the memory, since a list may be wrong once and no id is used again.
        """
        name = f"{kind} {item['id']} {what}"
        before = self._known.pop(name, None)
        if value is not None:
            self._known[name] = value
        return bool(value != before)

    def clients(self) -> None:
        is_first, known = "clients" not in self.memory, self.memory.setdefault("clients", {})
        now = {str(client["id"]): client for client in self._reading.of("clients")}
        names = {short_text(client.get("username")) for client in now.values()}
        for its_id, name in list(known.items()):
            gone = {"id": int(its_id), "username": name}
            was_missing = not self._is_news("clients", gone, "missing", its_id not in now or None)
            # A list may be wrong once; if another one has its name, it is gone for sure.
            if its_id not in now and (was_missing or name in names):
                del known[its_id]
                self.say("client_deleted", "clients", name, gone)
        for its_id, client in now.items():
            if not is_first and its_id not in known:
                self.say_of("client_created", "clients", client)
            known[its_id] = short_text(client.get("username"))
            is_suspended = client.get("is_suspended") is True
            if self._is_news("clients", client, "suspended", is_suspended or None) and not is_first:
                self.say_of("client_suspended" if is_suspended else "client_released", "clients", client)

    def failures(self) -> None:
        for kind in (kind for kind, table in KINDS.items() if table.has_status):
            for item in self._reading.of(kind):
                # With another status the panel is at it.
                if item.get("status") == ERROR and self._is_news(kind, item, "failed", True):
                    self.say_of("object_failed", kind, item)
                elif item.get("status") == OKAY and self._is_news(kind, item, "failed", None):
                    self.say_of("object_recovered", kind, item)

    def certificates(self) -> None:
        # In the order of the list.
        for item, row in zip(self._reading.of("certificates"), certificate_rows(self._reading, self._now, 0, 0)):
            due = [
                days for days in self._options["certificate_days"] if row["days"] is not None and row["days"] <= days
            ]
            if due and row["used_by"] and self._is_news("certificates", item, "ends", [row["valid_till"], due[-1]]):
                more = {name: row[name] for name in ("days", "used_by")}
                self.say_of("certificate_expiring", "certificates", item, **more)

    def limits(self) -> None:
        near = self._options["limit_percent"]
        found: list[tuple[str, Mapping[str, Any], dict[str, Any]]] = []
        for item in self._reading.of("emails"):
            size, most = whole_number(item.get("size")), whole_number(item.get("max_size"))
            used = None if size is None else percent_of(size, most)
            level = FINE if used is None or used < near else NEAR
            found.append(
                ("emails", item, {"name": "max_size", "value": size, "max": most, "percent": used, "level": level})
            )
        # Only some of the clients were asked this time.
        for item, row in zip(self._reading.of("clients"), client_rows(self._reading, near)):
            found += [("clients", item, limit) for limit in row["resources"]]
        for kind, item, limit in found:
            if limit.pop("level") != FINE:
                if self._is_news(kind, item, limit["name"], True):
                    self.say_of("limit_reached", kind, item, limit=limit)
            elif not near - _PERCENT_BELOW <= (limit["percent"] or 0) < near:
                self._is_news(kind, item, limit["name"], None)


def clients_to_ask(memory: Memory | None, listed: Sequence[Mapping[str, Any]], seconds: float) -> list[Any]:
    """The ids of those whose use is asked for now, in turn, so that each is asked once an hour. The last one is remembered as ``asked``."""
    known = sorted(client["id"] for client in listed)
    last = (memory or {}).get("asked", 0)
    later = [its_id for its_id in known if its_id > last]
    return (later + known)[: min(len(known), -(-len(known) * int(seconds) // 3600))]


def _as_text(value: Any) -> Any:
    """The value with nothing in it that Ansible would take for a template: a customer chose some of these texts."""
    if isinstance(value, str):
        return _without_templates(value)
    if isinstance(value, Mapping):
        return {_as_text(name): _as_text(inner) for name, inner in value.items()}
    return [_as_text(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _without_templates(words: str) -> str:
    """Break the beginning of each template, and the header of a text that is one."""
    text = words.lstrip()
    if text.startswith(_HEADER) or (text and _HEADER.startswith(text.rstrip())):
        blanks = words[: len(words) - len(text)]
        words = f"{blanks}# {text[1:]}"
    return _ESCAPE.sub(r"\\ ", _TEMPLATE.sub("{ ", words))

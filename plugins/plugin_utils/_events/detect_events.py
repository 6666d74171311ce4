# SPDX-License-Identifier: GPL-3.0-or-later
"""What has happened on a panel since it was read last. Pure.

What is remembered of a panel is plain data, as the state file has it: ids as texts, and of an
object only what tells whether it changed.
"""

from __future__ import annotations

import copy
import datetime
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ...module_utils._kinds.registry import ERROR, KINDS, OKAY
from ...module_utils._schema.fields import OWNER
from .._report.panel_reading import PanelReading, read_short_line, read_whole_number
from .._report.report_rows import (
    FINE,
    NEAR,
    compute_percent,
    pair_certificates_with_rows,
    pair_clients_with_rows,
)
from .plain_texts import without_templates

TYPES = (
    "client_created",
    "client_deleted",
    "client_suspended",
    "client_released",
    "object_failed",
    "object_recovered",
    "certificate_expiring",
    "limit_reached",
    "panel_unreachable",
    "panel_back",
)
# A limit that was reached is reached again when the use had fallen so far below it.
_PERCENT_BELOW = 5
_SECONDS_OF_AN_HOUR = 3600
Event = Mapping[str, Any]
Memory = dict[str, Any]
Item = Mapping[str, Any]


def list_needed_kinds(types: Collection[str]) -> list[str]:
    """Return the kinds whose lists are needed for events of these types, clients first; each list
    costs one request."""
    needed: set[str] = set()
    if {"object_failed", "object_recovered"} & set(types):
        needed |= {kind for kind, table in KINDS.items() if table.traits.has_status}
    if "certificate_expiring" in types:
        needed |= {"certificates", "domains"}
    if "limit_reached" in types:
        needed.add("emails")
    return ["clients", *(kind for kind in KINDS if kind in needed - {"clients"})]


def choose_clients_to_ask(
    memory: Memory | None, clients: Sequence[Item], seconds: float
) -> list[Any]:
    """Return the ids of the clients whose use is asked for now, in turn, so that each is asked once
    an hour.

    Args:
        memory: What is remembered of the panel; the last client of a turn is remembered as
            ``asked``.
        clients: All clients of the panel.
        seconds: Between two readings.
    """
    identifiers = sorted(client["id"] for client in clients)
    last = (memory or {}).get("asked", 0)
    later = [identifier for identifier in identifiers if identifier > last]
    # Rounded up.
    share = -(-len(identifiers) * int(seconds) // _SECONDS_OF_AN_HOUR)
    return (later + identifiers)[: min(len(identifiers), share)]


def detect_events(
    memory: Memory | None, reading: PanelReading, options: Mapping[str, Any], now: datetime.datetime
) -> tuple[list[Event], Memory]:
    """Compare a reading with what is remembered of the panel.

    Args:
        memory: None before the first reading, of which states are events and no changes.
        reading: The panel as it is now.
        options: Those of the event source.
        now: The time of the events.

    Returns:
        The events, and what is to be remembered.
    """
    detector = _Detector(memory or {}, reading, options, now)
    remembered = detector.memory
    if reading.failure:
        if "away_since" not in remembered:
            remembered["away_since"] = now.isoformat(timespec="seconds")
            detector.add_event(
                "panel_unreachable", "panels", reading.name, {"reason": reading.failure}
            )
        return detector.events, remembered

    if "away_since" in remembered:
        away_since = remembered.pop("away_since")
        detector.add_event("panel_back", "panels", reading.name, {"away_since": away_since})
    detector.detect_clients()
    detector.detect_failures()
    detector.detect_certificates()
    detector.detect_limits()
    remembered["asked"] = next(reversed(reading.stats), remembered.get("asked", 0))
    return detector.events, remembered


class _Detector:
    """Collects the events of one reading, and what is to be remembered."""

    def __init__(
        self,
        memory: Memory,
        reading: PanelReading,
        options: Mapping[str, Any],
        now: datetime.datetime,
    ) -> None:
        self._reading = reading
        self._options = options
        self._now = now
        self.memory: Memory = copy.deepcopy(memory)
        self._states: dict[str, Any] = self.memory.setdefault("known", {})
        self.events: list[Event] = []

    def add_event(self, type_: str, kind: str, key: str, fields: Mapping[str, Any]) -> None:
        """Add an event, if the rulebook asks for its type."""
        if type_ not in self._options["events"]:
            return
        panel = self._reading.name
        time = self._now.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        event = {
            "type": type_,
            "panel": panel,
            "kind": kind,
            "key": key,
            "at": time,
            "object": fields,
        }
        # The same event has the same number, also if it is handed over again after a crash.
        identity = "\0".join((type_, panel, kind, str(fields.get("id")), key, time))
        number = uuid.uuid5(uuid.NAMESPACE_URL, identity)
        self.events.append({"panel": without_templates(event), "meta": {"uuid": str(number)}})

    def _add_event_of(self, type_: str, kind: str, item: Item, **further: Any) -> None:
        """Add an event about an object as the panel's list has it, by its key, with the name of its
        client."""
        owner = self._reading.usernames.get(item.get(OWNER), "")
        parts = [
            owner if field.name == OWNER else read_short_line(item.get(field.name))
            for field in KINDS[kind].key
        ]
        # The text of a certificate is long, and decides nothing.
        fields = {name: value for name, value in item.items() if name != "components"}
        if kind != "clients":
            fields["client"] = owner
        self.add_event(type_, kind, ":".join(parts), {**fields, **further})

    def _remember(self, kind: str, item: Item, aspect: str, state: Any) -> bool:
        """Remember the state of an object, and return whether it has changed.

        What a list lacks stays in the memory, since a list may be wrong once and no id is used
        again.

        Args:
            kind: That of the object.
            item: The object.
            aspect: What the state is about.
            state: What is remembered.
        """
        name = _name_state(kind, item, aspect)
        state_before = self._states.pop(name, None)
        self._states[name] = state
        return bool(state != state_before)

    def _forget(self, kind: str, item: Item, aspect: str) -> bool:
        """Forget the state of an object, and return whether one was remembered."""
        state_before = self._states.pop(_name_state(kind, item, aspect), None)
        return state_before is not None

    def _remember_if(self, is_met: bool, kind: str, item: Item, aspect: str) -> bool:
        """Remember that an object meets a condition, or forget it; return whether that changed."""
        if is_met:
            return self._remember(kind, item, aspect, True)
        return self._forget(kind, item, aspect)

    def detect_clients(self) -> None:
        """Detect clients that came, went, were suspended or released."""
        is_first_reading = "clients" not in self.memory
        usernames = self.memory.setdefault("clients", {})
        clients = {str(client["id"]): client for client in self._reading.list_objects("clients")}
        self._detect_deleted_clients(usernames, clients)
        for identifier, client in clients.items():
            if not is_first_reading and identifier not in usernames:
                self._add_event_of("client_created", "clients", client)
            usernames[identifier] = read_short_line(client.get("username"))
            is_suspended = client.get("is_suspended") is True
            has_changed = self._remember_if(is_suspended, "clients", client, "suspended")
            if has_changed and not is_first_reading:
                type_ = "client_suspended" if is_suspended else "client_released"
                self._add_event_of(type_, "clients", client)

    def _detect_deleted_clients(
        self, usernames: dict[str, str], clients: Mapping[str, Item]
    ) -> None:
        """Detect clients that are gone.

        Args:
            usernames: Those that were remembered, by id; gone ones are removed.
            clients: Those that the panel lists, by id.
        """
        listed_names = {read_short_line(client.get("username")) for client in clients.values()}
        for identifier, username in list(usernames.items()):
            client = {"id": int(identifier), "username": username}
            is_missing = identifier not in clients
            has_changed = self._remember_if(is_missing, "clients", client, "missing")
            was_missing = is_missing and not has_changed
            # A list may be wrong once; if another one has its name, it is gone for sure.
            is_replaced = username != "" and username in listed_names
            if was_missing or (is_missing and is_replaced):
                del usernames[identifier]
                self.add_event("client_deleted", "clients", username, client)

    def detect_failures(self) -> None:
        """Detect objects that the panel could not apply, and those that it now has applied."""
        for kind, table in KINDS.items():
            if not table.traits.has_status:
                continue
            for item in self._reading.list_objects(kind):
                has_failed = item.get("status") == ERROR
                if not has_failed and item.get("status") != OKAY:
                    continue  # The panel is at it.
                has_changed = self._remember_if(has_failed, kind, item, "failed")
                if not has_changed:
                    continue
                type_ = "object_failed" if has_failed else "object_recovered"
                self._add_event_of(type_, kind, item)

    def detect_certificates(self) -> None:
        """Detect certificates in use that expire within one of the numbers of days."""
        for item, row in pair_certificates_with_rows(self._reading, self._now, 0, 0):
            if row["days"] is None or not row["used_by"]:
                continue
            due = [days for days in self._options["certificate_days"] if row["days"] <= days]
            if not due:
                continue
            has_changed = self._remember("certificates", item, "ends", [row["valid_till"], due[-1]])
            if has_changed:
                self._add_event_of(
                    "certificate_expiring",
                    "certificates",
                    item,
                    days=row["days"],
                    used_by=row["used_by"],
                )

    def detect_limits(self) -> None:
        """Detect mailboxes and clients that reach a limit."""
        near = self._options["limit_percent"]
        for kind, item, resource in self._list_resources():
            limit = {name: value for name, value in resource.items() if name != "level"}
            if resource["level"] != FINE:
                has_changed = self._remember(kind, item, limit["name"], True)
                if has_changed:
                    self._add_event_of("limit_reached", kind, item, limit=limit)
            elif not near - _PERCENT_BELOW <= (limit["percent"] or 0) < near:
                self._forget(kind, item, limit["name"])

    def _list_resources(self) -> Iterator[tuple[str, Item, Mapping[str, Any]]]:
        """Yield kind and object with each resource that has a limit, as rows of a report have
        it."""
        near = self._options["limit_percent"]
        for email in self._reading.list_objects("emails"):
            size = read_whole_number(email.get("size"))
            limit = read_whole_number(email.get("max_size"))
            percent = compute_percent(size, limit)
            level = FINE if percent is None or percent < near else NEAR
            yield (
                "emails",
                email,
                {
                    "name": "max_size",
                    "value": size,
                    "max": limit,
                    "percent": percent,
                    "level": level,
                },
            )
        # Only some of the clients were asked this time.
        for client, row in pair_clients_with_rows(self._reading, near):
            for resource in row["resources"]:
                yield "clients", client, resource


def _name_state(kind: str, item: Item, aspect: str) -> str:
    """Return the name under which the state of an object is remembered."""
    return f"{kind} {item['id']} {aspect}"

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What has happened on a panel since it was read last. Pure: what is remembered and a reading in. Private to the collection.

What is remembered of a panel is plain data, as the state file has it: ids as texts, and of an object only what tells whether it changed.
"""

from __future__ import annotations

import copy
import datetime
import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...module_utils._kinds.registry import ERROR, KINDS, OKAY
from ...module_utils._schema.kind import OWNER
from .._report.findings import FINE, NEAR, certificates, clients, share
from .._report.reading import PanelReading, number, text

TYPES = (
    *("client_created", "client_deleted", "client_suspended", "client_released"),
    *("object_failed", "object_recovered", "certificate_expiring", "limit_reached"),
    *("panel_unreachable", "panel_back"),
)
# A limit that was reached is reached again when the use had fallen so far below it.
_PERCENT_BELOW = 5
# What Ansible would take for the beginning of a template, wherever an event becomes a variable.
_TEMPLATE = re.compile(r"\{(?=[{%#])")
Event = Mapping[str, Any]
Memory = dict[str, Any]


class Watched(NamedTuple):
    """What is watched for. certificate_days: the first ones first, such as 30, 14, 7."""

    types: frozenset[str]
    certificate_days: Sequence[int]
    limit_percent: int

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds whose lists are needed, each of which costs one request; clients come first."""
        needed: set[str] = set()
        if self.types & {"object_failed", "object_recovered"}:
            needed |= {kind for kind, table in KINDS.items() if table.has_status}
        if "certificate_expiring" in self.types:
            needed |= {"certificates", "domains"}
        if "limit_reached" in self.types:
            needed.add("emails")
        return ("clients", *(kind for kind in KINDS if kind in needed - {"clients"}))


def happened(
    memory: Memory | None, reading: PanelReading, watched: Watched, now: datetime.datetime
) -> tuple[list[Event], Memory]:
    """The events, and what is to be remembered. memory: None before the first reading, which tells states and no changes."""
    found = _Happened(memory or {}, reading, watched, now)
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
    def __init__(self, memory: Memory, reading: PanelReading, watched: Watched, now: datetime.datetime) -> None:
        self._reading, self._watched, self._now = reading, watched, now
        self.memory: Memory = copy.deepcopy(memory)
        self._known: dict[str, Any] = self.memory.setdefault("known", {})
        self.events: list[Event] = []

    def say(self, type_: str, kind: str, key: str, found: Mapping[str, Any]) -> None:
        if type_ in self._watched.types:
            at = self._now.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            said = {"type": type_, "panel": self._reading.name, "kind": kind, "key": key, "at": at, "object": found}
            # The same event has the same number, also if it is handed over again after a crash.
            number_ = "\0".join((type_, self._reading.name, kind, str(found.get("id")), key, at))
            meta = {"uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, number_))}
            self.events.append({"panel": _as_text(said), "meta": meta})

    def say_of(self, type_: str, kind: str, item: Mapping[str, Any], **more: Any) -> None:
        """The object as the panel's list has it, by its key, with the name of its client."""
        owner = self._reading.username(item.get(OWNER))
        key = ":".join(owner if row.name == OWNER else text(item.get(row.name)) for row in KINDS[kind].key)
        # The text of a certificate is long, and decides nothing.
        shown = {name: value for name, value in item.items() if name != "components"}
        self.say(type_, kind, key, {**shown, **({} if kind == "clients" else {"client": owner}), **more})

    def clients(self) -> None:
        is_first, known = "clients" not in self.memory, self.memory.get("clients", {})
        shown = {str(client["id"]): client for client in self._reading.of("clients")}
        now = {
            its_id: {"username": text(client.get("username")), "is_suspended": client.get("is_suspended") is True}
            for its_id, client in shown.items()
        }
        names, lacking = {client["username"] for client in now.values()}, {}
        for its_id, client in known.items():
            # A list may be wrong once; if another one has its name, it is gone for sure.
            if its_id not in now and (its_id in self.memory.get("missing", ()) or client["username"] in names):
                self.say("client_deleted", "clients", client["username"], {"id": int(its_id), **client})
            elif its_id not in now:
                lacking[its_id] = client
        self.memory["clients"], self.memory["missing"] = {**lacking, **now}, sorted(lacking)
        for its_id, client in now.items() if not is_first else ():
            if its_id not in known:
                self.say_of("client_created", "clients", shown[its_id])
            # Also of one that was suspended before it was ever read.
            if client["is_suspended"] != known.get(its_id, {"is_suspended": False})["is_suspended"]:
                type_ = "client_suspended" if client["is_suspended"] else "client_released"
                self.say_of(type_, "clients", shown[its_id])

    def _is_news(self, kind: str, item: Mapping[str, Any], what: str, value: Any) -> bool:
        """Whether that was not so before. value: None if it is no more.

        What a list lacks stays in the memory, since a list may be wrong once and no id is used again.
        """
        name = f"{kind} {item['id']} {what}"
        before = self._known.pop(name, None)
        if value is not None:
            self._known[name] = value
        return bool(value != before)

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
        for item, row in zip(self._reading.of("certificates"), certificates(self._reading, self._now, 0, 0)):
            due = [days for days in self._watched.certificate_days if row["days"] is not None and row["days"] <= days]
            if due and row["used_by"] and self._is_news("certificates", item, "ends", [row["valid_till"], due[-1]]):
                more = {name: row[name] for name in ("days", "used_by")}
                self.say_of("certificate_expiring", "certificates", item, **more)

    def limits(self) -> None:
        near = self._watched.limit_percent
        for item in self._reading.of("emails"):
            size, most = number(item.get("size")), number(item.get("max_size"))
            used = None if size is None else share(size, most)
            level = FINE if used is None or used < near else NEAR
            limit = {"name": "max_size", "value": size, "max": most, "percent": used, "level": level}
            self._limit("emails", item, limit)
        for item, row in zip(self._reading.of("clients"), clients(self._reading, near)):
            # Only some of them were asked this time.
            for limit in row["resources"]:
                self._limit("clients", item, limit)

    def _limit(self, kind: str, item: Mapping[str, Any], found: Mapping[str, Any]) -> None:
        limit, near = dict(found), self._watched.limit_percent
        if limit.pop("level") != FINE:
            if self._is_news(kind, item, limit["name"], True):
                self.say_of("limit_reached", kind, item, limit=limit)
        elif not near - _PERCENT_BELOW <= (limit["percent"] or 0) < near:
            self._is_news(kind, item, limit["name"], None)


def clients_to_ask(memory: Memory | None, listed: Sequence[Mapping[str, Any]], seconds: float) -> list[Any]:
    """The ids of those whose use is asked for now, in turn, so that each is asked once an hour. The last one is remembered as ``asked``."""
    known = sorted(client["id"] for client in listed)
    count = min(len(known), -(-len(known) * int(seconds) // 3600))
    last = (memory or {}).get("asked", 0)
    later = [its_id for its_id in known if its_id > last]
    return (later + known)[:count] if count < len(known) else known


def _as_text(value: Any) -> Any:
    """The value with nothing in it that Ansible would take for a template: a customer chose some of these texts."""
    if isinstance(value, str):
        return _TEMPLATE.sub("{ ", value)
    if isinstance(value, Mapping):
        return {_as_text(name): _as_text(inner) for name, inner in value.items()}
    return [_as_text(inner) for inner in value] if isinstance(value, (list, tuple)) else value

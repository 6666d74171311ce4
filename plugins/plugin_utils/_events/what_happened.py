# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What has happened on a panel since it was read last. Pure: what is remembered and a reading in. Private to the collection.

What is remembered of a panel is plain data, as the state file has it: ids as texts, and of an object no more than tells whether
it is another one now.
"""

from __future__ import annotations

import copy
import datetime
import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...module_utils._kinds.registry import KINDS
from ...module_utils._schema.kind import OWNER, Kind
from .._report.findings import ERROR, certificates
from .._report.reading import PanelReading, identifier, number, text
from .._report.usage import FINE, NEAR, clients, share

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
OKAY = 1  # the status of the interface
# A limit that was reached is reached anew when the use had fallen so far below it.
_PERCENT_BELOW = 5
# What Ansible would take for the beginning of a template, wherever an event becomes a variable.
_TEMPLATE = re.compile(r"\{(?=[{%#])")
Event = Mapping[str, Any]
Memory = dict[str, Any]


class Wanted(NamedTuple):
    """What is watched for. certificate_days: the first ones first, such as 30, 14, 7."""

    types: frozenset[str]
    certificate_days: Sequence[int]
    limit_percent: int

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds whose lists are needed, each of which costs one request; clients come first."""
        needed = {"clients"}
        if self.types & {"object_failed", "object_recovered"}:
            needed |= {kind for kind, table in KINDS.items() if table.has_status}
        if "certificate_expiring" in self.types:
            needed |= {"certificates", "domains"}
        if self.watches_limits:
            needed.add("emails")
        return ("clients", *(kind for kind in KINDS if kind in needed - {"clients"}))

    @property
    def watches_limits(self) -> bool:
        return "limit_reached" in self.types


def happened(
    memory: Memory | None, reading: PanelReading, wanted: Wanted, now: datetime.datetime
) -> tuple[list[Event], Memory]:
    """The events, and what is to be remembered. memory: None before the first reading, which tells of states, and not of changes."""
    found = _Happened(memory or {}, reading, wanted, now)
    return found.events, found.memory


class _Happened:
    """One comparison."""

    def __init__(self, memory: Memory, reading: PanelReading, wanted: Wanted, now: datetime.datetime) -> None:
        self._reading, self._wanted, self._now = reading, wanted, now
        self.memory: Memory = copy.deepcopy(memory)
        self.events: list[Event] = []
        if reading.failure:
            self._gone()
            return
        self._back()
        self._missing = self._missing_once()
        self._clients()
        self._failures()
        self._certificates()
        if wanted.watches_limits:
            self._limits("emails", self._use_of_mailboxes())
            self._limits("clients", self._use_of_clients())

    def _say(self, type_: str, kind: str, key: str, found: Mapping[str, Any]) -> None:
        if type_ not in self._wanted.types:
            return
        at = self._now.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        said = {"type": type_, "panel": self._reading.name, "kind": kind, "key": key, "at": at, "object": found}
        # The same event has the same number, also when it is handed over once more after a crash.
        name = "\0".join((type_, self._reading.name, kind, str(found.get("id")), key, at))
        self.events.append({"panel": _as_text(said), "meta": {"uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, name))}})

    def _gone(self) -> None:
        if not self.memory.get("away_since"):
            self.memory["away_since"] = self._now.isoformat(timespec="seconds")
            self._say("panel_unreachable", "panels", self._reading.name, {"reason": self._reading.failure})

    def _back(self) -> None:
        since = self.memory.pop("away_since", None)
        if since:
            self._say("panel_back", "panels", self._reading.name, {"away_since": since})

    def _missing_once(self) -> dict[str, list[str]]:
        """By kind the ids that this list lacks and the one before had: a list may be wrong once."""
        before, found = self.memory.get("missing", {}), {}
        for kind in self._reading.objects:
            families = [self.memory.get(kind, {}) if kind in ("clients", "certificates") else {}]
            families += [self.memory.get(name, {}).get(kind, {}) for name in ("failed", "limits")]
            lacking = {its_id for one in families for its_id in one} - {_id(item) for item in self._reading.of(kind)}
            found[kind] = sorted(lacking - set(before.get(kind, ())))
        self.memory["missing"] = {**before, **found}
        return found

    def _still(self, kind: str, known: Mapping[str, Any]) -> dict[str, Any]:
        """What is known of those objects that may come back."""
        return {its_id: known[its_id] for its_id in self._missing[kind] if its_id in known}

    def _clients(self) -> None:
        known = self.memory.get("clients")
        shown = {_id(client): client for client in self._reading.of("clients")}
        now = {
            its_id: {"username": text(client.get("username")), "is_suspended": client.get("is_suspended") is True}
            for its_id, client in shown.items()
        }
        names = {client["username"] for client in now.values()}
        # Where another one has its name, it is gone for sure.
        still = {
            its_id: one for its_id, one in self._still("clients", known or {}).items() if one["username"] not in names
        }
        self.memory["clients"] = {**still, **now}
        if known is None:
            return
        for its_id, client in known.items():
            if its_id not in self.memory["clients"]:
                self._say("client_deleted", "clients", client["username"], {"id": _as_shown(its_id), **client})
        for its_id, client in now.items():
            before = known.get(its_id)
            if before is None:
                self._say("client_created", "clients", str(client["username"]), shown[its_id])
            # Also of one that was suspended before it was ever read.
            if client["is_suspended"] != (before is not None and before["is_suspended"]):
                type_ = "client_suspended" if client["is_suspended"] else "client_released"
                self._say(type_, "clients", str(client["username"]), shown[its_id])

    def _failures(self) -> None:
        remembered = self.memory.setdefault("failed", {})
        for kind, table in KINDS.items():
            if not table.has_status or kind not in self._reading.objects:
                continue
            known = remembered.get(kind, {})
            now = self._still(kind, known)
            for item in self._reading.of(kind):
                its_id = _id(item)
                if item.get("status") == ERROR:
                    now[its_id] = self._key(table, item)
                    if its_id not in known:
                        self._say("object_failed", kind, now[its_id], self._shown(kind, item))
                elif its_id in known and item.get("status") == OKAY:
                    self._say("object_recovered", kind, self._key(table, item), self._shown(kind, item))
                elif its_id in known:
                    now[its_id] = known[its_id]  # the panel is at it
            remembered[kind] = now

    def _certificates(self) -> None:
        if "certificates" not in self._reading.objects:
            return
        known = self.memory.get("certificates", {})
        now = self._still("certificates", known)
        # In the order of the list.
        judged = certificates(self._reading, self._now, 0, 0)
        for item, row in zip(self._reading.of("certificates"), judged):
            due = [days for days in self._wanted.certificate_days if row["days"] is not None and row["days"] <= days]
            its_id = _id(item)
            before = known.get(its_id)
            if not due:
                continue
            if not row["used_by"]:
                now.update({its_id: before} if before else {})  # a domain may use it again
                continue
            now[its_id] = {"valid_till": row["valid_till"], "days": due[-1]}
            if before is None or before["valid_till"] != row["valid_till"] or due[-1] < before["days"]:
                more = {name: row[name] for name in ("days", "used_by")}
                self._say(
                    "certificate_expiring", "certificates", row["name"], {**self._shown("certificates", item), **more}
                )
        self.memory["certificates"] = now

    def _use_of_mailboxes(self) -> dict[str, dict[str, Any]]:
        found = {}
        for item in self._reading.of("emails"):
            size, most = number(item.get("size")), number(item.get("max_size"))
            used = None if size is None else share(size, most)
            if used is not None:
                level = NEAR if used >= self._wanted.limit_percent else FINE
                limit = {"name": "max_size", "value": size, "max": most, "percent": used, "level": level}
                found[_id(item)] = {"max_size": limit}
        return found

    def _use_of_clients(self) -> dict[str, dict[str, Any]]:
        """Of those that were asked this time; only some are."""
        rows = zip(self._reading.of("clients"), clients(self._reading, self._wanted.limit_percent))
        return {
            _id(item): {one["name"]: one for one in row["resources"] if one["percent"] is not None}
            for item, row in rows
            if row["is_read"]
        }

    def _limits(self, kind: str, used: Mapping[str, Mapping[str, Any]]) -> None:
        if kind not in self._reading.objects:
            return
        remembered, full = self.memory.setdefault("limits", {}), dict[str, list[str]]()
        known, listed = remembered.get(kind, {}), {_id(item): item for item in self._reading.of(kind)}
        for its_id, limits in used.items():
            for name, one in limits.items():
                was_reached = name in known.get(its_id, ())
                least = self._wanted.limit_percent - _PERCENT_BELOW
                if one["level"] != FINE or (was_reached and least <= one["percent"] < self._wanted.limit_percent):
                    full.setdefault(its_id, []).append(name)
                    if not was_reached:
                        limit = {part: one[part] for part in ("name", "value", "max", "percent")}
                        found = {**self._shown(kind, listed[its_id]), "limit": limit}
                        self._say("limit_reached", kind, self._key(KINDS[kind], listed[its_id]), found)
        rest = {its_id: names for its_id, names in known.items() if its_id in listed and its_id not in used}
        remembered[kind] = {**self._still(kind, known), **rest, **full}

    def _shown(self, kind: str, item: Mapping[str, Any]) -> dict[str, Any]:
        """The object as the panel's list has it, with the name of its client."""
        owner = self._reading.username(item.get(OWNER)) if kind != "clients" else ""
        # The text of a certificate says nothing more to whoever decides, and is long.
        shown = {name: member for name, member in item.items() if name != "components"}
        return {**shown, **({"client": owner} if owner else {})}

    def _key(self, kind: Kind, item: Mapping[str, Any]) -> str:
        """The natural key, its parts joined with a colon."""
        parts = [
            self._reading.username(item.get(row.name)) if row.name == OWNER else text(item.get(row.name))
            for row in kind.key
        ]
        return ":".join(parts) if any(parts) else f"id {text(item.get('id'), '?')}"


def clients_to_ask(memory: Memory | None, listed: Sequence[Mapping[str, Any]], seconds: float) -> list[Any]:
    """The ids of those whose use is asked for now, in turn, so that each is asked once an hour. Remembered by ``asked``."""
    known = sorted({its_id for client in listed if isinstance(its_id := identifier(client.get("id")), int)})
    if not known:
        return []
    count = min(len(known), -(-len(known) * int(seconds) // 3600))
    last = (memory or {}).get("asked", 0)
    later = [its_id for its_id in known if its_id > last]
    return (later + known)[:count] if count < len(known) else known


def asked(memory: Memory, last: Any) -> None:
    """Remembers whose turn it was."""
    memory["asked"] = last


def _as_shown(its_id: str) -> int | str:
    """An id as the panel has it."""
    return int(its_id) if its_id.isdigit() else its_id


def _id(item: Mapping[str, Any]) -> str:
    return str(identifier(item.get("id")))


def _as_text(value: Any) -> Any:
    """The value with nothing in it that Ansible would take for a template: a customer chose some of these texts."""
    if isinstance(value, str):
        return _TEMPLATE.sub("{ ", value)
    if isinstance(value, Mapping):
        return {_as_text(name): _as_text(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_text(member) for member in value]
    return value

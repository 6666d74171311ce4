# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that a panel tells about one client: read whole, compared with a deletion, and with an older archive. Private to the collection."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...module_utils._kinds.domain import class_of
from ...module_utils._kinds.registry import DNS, KINDS, OWNED
from ...module_utils._object.managing import shows_everything
from ...module_utils._schema.kind import OWNER
from ...module_utils._values.json_values import read_id
from .._folder.export_text import text_of
from .._run.job import Job, JobFailed

_MONTHS = 12
# Suspending the client, and the panel after a write, change these without changing what the client has.
_PASSING = frozenset({"status", "is_suspended"})


@dataclass(frozen=True)
class ClientData:
    """By plural kind the whole objects in ``owned``, zones as ``panel_dns_info`` returns them, traffic by month YYYY-MM."""

    client: Mapping[str, Any]
    resources: Mapping[str, Any]
    stats: Mapping[str, Any]
    traffic: Mapping[str, Any]
    owned: Mapping[str, list[dict[str, Any]]]
    zones: list[dict[str, Any]]
    rebuild: str

    @property
    def counts(self) -> dict[str, int]:
        return {kind: len(items) for kind, items in self.owned.items() if items}

    @property
    def documents(self) -> dict[str, Any]:
        """What becomes a JSON file each."""
        parts = {name: getattr(self, name) for name in ("client", "resources", "stats", "traffic")}
        return {**parts, DNS: self.zones, **self.owned}

    @property
    def fingerprint(self) -> str:
        content = json.dumps(_lasting(self.documents), sort_keys=True, ensure_ascii=False, default=str)
        return hashlib.sha256(content.encode()).hexdigest()

    def lost_of(self, document: Callable[[str], Any]) -> list[str]:
        """What an older archive has and the client has no more: objects by id, records by value. document: its JSON files by name."""
        now = set(_named({**self.owned, DNS: self.zones}.get))
        return [name for name in _named(document) if name not in now]

    def with_months_of(self, earlier: Any) -> dict[str, Any]:
        """The traffic, with the months of an older archive of which the panel tells nothing, or nothing but zeros."""
        older = earlier if isinstance(earlier, Mapping) else {}
        return {**self.traffic, **{month: one for month, one in older.items() if not _amounts(self.traffic.get(month))}}


def read_client(panel: Job, username: str) -> ClientData | None:
    """None where the panel has no such client. Raises JobFailed, also where something of the client went while it was read."""
    *earlier, newest = _months()
    found = panel.objects("clients", username=username, include=["resources", "stats", "traffic"], month=newest)
    if not found:
        return None
    client = dict(found[0])
    number = _id_of(client, f"client {username}")
    resources, stats, traffic = client.pop("resources"), client.pop("stats"), {newest: client.pop("traffic")}
    for month in earlier:
        traffic[month] = _one(panel, "clients", number, include=["traffic"], month=month)["traffic"]
    owned = {kind: _owned(panel, kind, number, resources.get(kind) or ()) for kind in OWNED}
    main = [domain["id"] for domain in owned["domains"] if class_of(domain) == "main_domains"]
    zones = [zone for domain in main for zone in panel.read("panel_dns_info", DNS, {"id": domain})]
    rebuild = panel.read("panel_resources_info", "resources", {"clients": [username]})
    return ClientData(client, resources, stats, traffic, owned, zones, text_of(rebuild))


def changes_since(expected: Mapping[str, Any] | None, data: ClientData | None) -> list[str]:
    """What came and went, in words. expected: the client's deletion in a plan, empty where there was no client, None for anything."""
    if expected is None:
        return []
    before = {("clients", expected.get("id")): expected.get("key")} if expected else {}
    names = expected.get("also_deleted") or {}
    for kind, ids in (expected.get("also_deleted_ids") or {}).items():
        before.update({(kind, number): key for number, key in zip(ids, names[kind])})
    items: dict[str, list[Any]] = {"clients": [data.client], **data.owned} if data is not None else {}
    now = {(kind, one["id"]): KINDS[kind].key_of(one) for kind, found in items.items() for one in found}
    return [
        f"{KINDS[kind].title} {key} (id {number}) was {what}"
        for what, had, has in (("removed", before, now), ("added", now, before))
        for (kind, number), key in had.items()
        if (kind, number) not in has
    ]


def _id_of(found: Mapping[str, Any], name: str) -> int:
    identifier = read_id(found.get("id"))
    if identifier is None:
        raise JobFailed(f"{name}: the panel shows it without an id. Nothing was written. Leave it out here.")
    return identifier


def _months() -> list[str]:
    today = datetime.datetime.now(datetime.timezone.utc)
    last = today.year * 12 + today.month - 1
    return [f"{month // 12:04}-{month % 12 + 1:02}" for month in range(last - _MONTHS + 1, last + 1)]


def _owned(panel: Job, kind: str, owner: int, named: Iterable[Any]) -> list[dict[str, Any]]:
    """The client's objects of a kind. named: as the client's resources have them, since a list may leave out whose an object is."""
    table, listed = KINDS[kind], panel.objects(kind)
    found = {_id_of(one, f"{kind} {table.key_of(one)}"): dict(one) for one in listed if one.get(OWNER) == owner}
    everything = {one.get("id"): one for one in listed}
    for item in named:
        if isinstance(item, Mapping):
            number = _id_of(item, f"{kind} {table.key_of(item)}")
            found[number] = {**item, **everything.get(number, {})}
    for number, item in found.items():
        if not shows_everything(table, item.keys()):
            item.update(_one(panel, kind, number))
    return [found[number] for number in sorted(found)]


def _one(panel: Job, kind: str, number: int, **options: Any) -> dict[str, Any]:
    found = panel.objects(kind, id=number, **options)
    if not found:
        raise JobFailed(f"{KINDS[kind].title} with id {number}: it was removed while the client was read. Run again.")
    return found[0]


def _named(document: Callable[[str], Any]) -> Iterator[str]:
    for kind in OWNED:
        yield from (f"{kind} {item.get('id')}" for item in document(kind) or ())
    for zone in document(DNS) or ():
        for record in (zone.get("records") or {}).get("other") or ():
            yield " ".join(
                str(one) for one in (zone.get("domain"), *(record.get(name) for name in ("host", "type", "value")))
            )


def _amounts(traffic: Any) -> bool:
    values = traffic.values() if isinstance(traffic, Mapping) else traffic if isinstance(traffic, list) else None
    return bool(traffic) if values is None else any(map(_amounts, values))


def _lasting(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _lasting(one) for name, one in value.items() if name not in _PASSING}
    return [_lasting(one) for one in value] if isinstance(value, (list, tuple)) else value

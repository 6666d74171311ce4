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
from ...module_utils._object.deciding import shows_everything
from ...module_utils._schema.kind import OWNER
from .._folder.export import text_of
from .._run.job import Job, JobFailed

_MONTHS = 12
# Suspending the client, and the panel after a write, change these without changing what the client has.
_PASSING = frozenset({"status", "is_suspended"})


class ArchiveError(JobFailed):
    """No archive was written."""


class ClientChanged(ArchiveError):
    """The client is not what the task expects."""


@dataclass(frozen=True)
class ClientData:
    """documents: what becomes a JSON file each, whole objects by plural kind, zones as ``panel_dns_info`` returns them, traffic by month YYYY-MM."""

    documents: dict[str, Any]
    rebuild: str

    @property
    def owned(self) -> dict[str, list[dict[str, Any]]]:
        return {kind: self.documents[kind] for kind in OWNED if self.documents[kind]}

    @property
    def fingerprint(self) -> str:
        content = json.dumps(_lasting(self.documents), sort_keys=True, ensure_ascii=False, default=str)
        return hashlib.sha256(content.encode()).hexdigest()

    def lost_of(self, document: Callable[[str], Any]) -> list[str]:
        """What an older archive has and the client has no more: objects by id, records by value. document: its JSON files by name."""
        now = set(_named(self.documents.get))
        return [name for name in _named(document) if name not in now]


def read_client(panel: Job, username: str) -> ClientData | None:
    """None where the panel has no such client. Raises ArchiveError, also where something of the client went while it was read."""
    *earlier, newest = _months()
    found = panel.objects("clients", username=username, include=["resources", "stats", "traffic"], month=newest)
    if not found:
        return None
    client = dict(found[0])
    number, resources, stats = client["id"], client.pop("resources"), client.pop("stats")
    traffic = {newest: client.pop("traffic")}
    for month in earlier:
        traffic[month] = _one(panel, "clients", number, include=["traffic"], month=month)["traffic"]
    owned = {kind: _owned(panel, kind, number, resources.get(kind) or ()) for kind in OWNED}
    main = [domain["id"] for domain in owned["domains"] if class_of(domain) == "main_domains"]
    zones = [zone for domain in main for zone in panel.read("panel_dns_info", DNS, {"id": domain})]
    rebuild = panel.read("panel_resources_info", "resources", {"clients": [username]})
    parts = {"client": client, "resources": resources, "stats": stats, "traffic": traffic}
    return ClientData({**parts, DNS: zones, **owned}, text_of(rebuild))


def changes_since(expected: Mapping[str, Any] | None, data: ClientData | None) -> list[str]:
    """What came and went, in words. expected: the client's deletion in a plan, empty where there was no client, None for anything."""
    if expected is None:
        return []
    before = {("clients", expected.get("id")): expected.get("key")} if expected else {}
    names = expected.get("also_deleted") or {}
    for kind, ids in (expected.get("also_deleted_ids") or {}).items():
        before.update({(kind, number): key for number, key in zip(ids, names[kind])})
    items: dict[str, list[Any]] = {"clients": [data.documents["client"]], **data.owned} if data else {}
    now = {(kind, one["id"]): KINDS[kind].key_of(one) for kind, found in items.items() for one in found}
    return [
        f"{KINDS[kind].title} {key} (id {number}) was {what}"
        for what, had, has in (("removed", before, now), ("added", now, before))
        for (kind, number), key in had.items()
        if (kind, number) not in has
    ]


def _months() -> list[str]:
    today = datetime.datetime.now(datetime.timezone.utc)
    last = today.year * 12 + today.month - 1
    return [f"{month // 12:04}-{month % 12 + 1:02}" for month in range(last - _MONTHS + 1, last + 1)]


def _owned(panel: Job, kind: str, owner: int, named: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The client's objects of a kind. named: as the client's resources have them, since a list may leave out whose an object is."""
    listed = {one["id"]: one for one in panel.objects(kind)}
    found = {one["id"]: {**one, **listed.get(one["id"], {})} for one in named}
    found.update((number, dict(one)) for number, one in listed.items() if one.get(OWNER) == owner)
    for number, item in found.items():
        if not shows_everything(KINDS[kind], item.keys()):
            item.update(_one(panel, kind, number))
    return [found[number] for number in sorted(found)]


def _one(panel: Job, kind: str, number: int, **options: Any) -> dict[str, Any]:
    found = panel.objects(kind, id=number, **options)
    if not found:
        raise ArchiveError(
            f"{KINDS[kind].title} with id {number}: it was removed while the client was read. Run again."
        )
    return found[0]


def _named(document: Callable[[str], Any]) -> Iterator[str]:
    for kind in OWNED:
        yield from (f"{kind} {item.get('id')}" for item in document(kind) or ())
    for zone in document(DNS) or ():
        for record in (zone.get("records") or {}).get("other") or ():
            yield " ".join(
                str(one.get(name))
                for one, name in ((zone, "domain"), (record, "host"), (record, "type"), (record, "value"))
            )


def _lasting(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _lasting(one) for name, one in value.items() if name not in _PASSING}
    return [_lasting(one) for one in value] if isinstance(value, (list, tuple)) else value

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and writes the zones that items name, with the code of panel_dns. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from .._dns.managing import check_owner, manage_zone, no_zone_of_its_own, read_zone
from .._dns.planning import ZonePlan, plan_zone
from .._dns.reading import find_domain
from .._dns.wanted_zone import WantedZone, located
from .._errors import UnknownReference
from .._http.panel_client import PanelClient
from .._items.wanted_items import Item
from .._kinds.registry import DNS, TABLES
from .._task.operation import Task
from .snapshot import Snapshot, SnapshotPanel


class ReadZone(NamedTuple):
    """A zone before the run, and what is wanted of it, located. zone: None where its domain is still to be created."""

    zone: Mapping[str, Any] | None
    wanted: WantedZone

    def planned(self) -> ZonePlan:
        """What has to be done with it."""
        return plan_zone(self.zone, self.wanted)

    def write(self, client: PanelClient, is_exact: bool) -> None:
        """Makes it what is wanted; is_exact: only where it changes as it was planned to."""
        zone = self.zone
        if zone is None:
            # Which records a new zone has, no plan could tell.
            is_exact, zone = False, read_zone(client, self.wanted)
            if zone is None:
                raise _missing(client, self.wanted)
        manage_zone(Task(False, lambda: client), self.wanted, zone, is_exact)


def new_domains(items: Mapping[str, list[Item]], snapshot: Snapshot) -> frozenset[str]:
    """The domains that the same task creates, whose zones cannot be read yet."""
    wanted = [item for item in items.get("domains", ()) if not item.is_absent]
    if not wanted or not items.get(DNS):
        return frozenset()
    store = snapshot.store(TABLES["domains"])
    return frozenset(item.key for item in wanted if not store.find({"domain": item.key}))


def read_item(client: PanelClient, item: Item, snapshot: Snapshot, new: frozenset[str]) -> ReadZone:
    """The zone that an item names; raises UnknownReference where there is none."""
    wanted = item.zone
    if wanted is None:
        raise TypeError(item.kind)
    if wanted.id is not None:
        domain = snapshot.store(TABLES["domains"]).by_id.get(wanted.id)
        if domain is None:
            raise UnknownReference(f"id: there is no domain with id {wanted.id} on this panel.", option="id")
        wanted = located(wanted, str(domain["domain"]))
    if wanted.domain in new:
        return ReadZone(None, wanted)
    zone = read_zone(client, wanted)
    if zone is None:
        raise _missing(client, wanted)
    if wanted.client is not None:
        found = snapshot.store(TABLES["domains"]).find({"domain": wanted.domain})
        check_owner(wanted, found[0] if found else {}, SnapshotPanel(lambda: client, snapshot))
    return ReadZone(zone, wanted)


def _missing(client: PanelClient, wanted: WantedZone) -> UnknownReference:
    if find_domain(client, wanted) is not None:
        return no_zone_of_its_own(wanted)
    return UnknownReference(
        f"domain: {wanted.label()} is not a domain of this panel, nor one that this task creates.", option="domain"
    )

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
from .._kinds.domain import DOMAIN
from .._kinds.registry import DNS
from .._object.objects import Panel
from .._schema.kind import OWNER
from .._task.operation import Task


class ReadZone(NamedTuple):
    """A zone before the run, and what is wanted of it, located. zone: None where its domain is still to be created."""

    zone: Mapping[str, Any] | None
    wanted: WantedZone

    def planned(self) -> ZonePlan:
        """What has to be done with it."""
        return plan_zone(self.zone, self.wanted)

    def write(self, client: PanelClient, is_exact: bool) -> bool:
        """Makes it what is wanted; False where it was that by then. is_exact: only where it changes as it was planned to."""
        zone = self.zone
        if zone is None:
            # Which records a new zone has, no plan could tell.
            is_exact, zone = False, read_zone(client, self.wanted)
            if zone is None:
                raise _missing(client, self.wanted)
        change = manage_zone(Task(False, lambda: client), self.wanted, zone, is_exact)
        # Of a zone that was still to be made, check mode says the same.
        return self.zone is None or change.plan.is_change


def new_domains(items: Mapping[str, list[Item]], panel: Panel) -> frozenset[str]:
    """The domains that the same task creates, whose zones cannot be read yet."""
    wanted = [item for item in items.get(DOMAIN.plural, ()) if not item.is_absent]
    if not wanted or not items.get(DNS):
        return frozenset()
    store = panel.store(DOMAIN)
    return frozenset(item.key for item in wanted if not store.having({"domain": item.key}))


def read_item(panel: Panel, item: Item, new: frozenset[str]) -> ReadZone:
    """The zone that an item names; raises UnknownReference where there is none."""
    wanted = item.zone
    if wanted is None:
        raise TypeError(item.kind)
    if wanted.id is not None:
        domain = panel.store(DOMAIN).by_id(wanted.id)
        if domain is None:
            raise UnknownReference(f"id: there is no domain with id {wanted.id} on this panel.", option="id")
        wanted = located(wanted, str(domain["domain"]))
    if wanted.domain in new:
        return ReadZone(None, wanted)
    zone = read_zone(panel.client, wanted)
    if zone is None:
        raise _missing(panel.client, wanted)
    if wanted.client is not None:
        check_owner(wanted, panel.store(DOMAIN).by_key({"domain": wanted.domain}, [OWNER]) or {}, panel)
    return ReadZone(zone, wanted)


def _missing(client: PanelClient, wanted: WantedZone) -> UnknownReference:
    if find_domain(client, wanted) is not None:
        return no_zone_of_its_own(wanted)
    return UnknownReference(
        f"domain: {wanted.label()} is not a domain of this panel, nor one that this task creates.", option="domain"
    )

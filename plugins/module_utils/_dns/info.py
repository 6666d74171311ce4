# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the zones of main domains. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._http.panel_client import PanelClient
from .._kinds.domain import DOMAIN, ZONE, class_of
from .._object.objects import checked_list
from .._secrets.redaction import without_secrets
from .._task.operation import Operation, Outcome, Task
from .reading import find_domain, find_zone, id_of_listed
from .wanted_zone import DNS_CONSTRAINTS, WantedZone, read_wanted_zone
from .zone import PUBLIC


def dns_info_operation() -> Operation:
    """The operation of panel_dns_info."""
    return Operation(
        options={"domain": {"type": "str"}, "id": {"type": "int"}},
        constraints={"mutually_exclusive": DNS_CONSTRAINTS["mutually_exclusive"]},
        run=_run,
    )


def _run(params: Mapping[str, Any], task: Task) -> Outcome:
    key = {name: params[name] for name in ("domain", "id") if params.get(name) is not None}
    zones = [_one(task.client, read_wanted_zone(key))] if key else zones_of(task.client, main_domains(task.client))
    return Outcome(
        changed=False, result={ZONE.plural: [without_secrets(zone, PUBLIC) for zone in zones if zone is not None]}
    )


def _one(client: PanelClient, wanted: WantedZone) -> dict[str, Any] | None:
    zone = find_zone(client, wanted)
    domain = find_domain(client, wanted) if zone is not None else None
    return None if zone is None or domain is None else _entry(domain, zone)


def main_domains(client: PanelClient) -> list[dict[str, Any]]:
    """The domains that have a zone of their own; one request. How the list's filters are written is not documented, so none is used."""
    return [
        domain for domain in checked_list(client.get(DOMAIN.path), DOMAIN.path) if class_of(domain) == "main_domains"
    ]


def zones_of(client: PanelClient, domains: list[dict[str, Any]]) -> list[dict[str, Any] | None]:
    """The zone of each domain, one request each; None for one that was deleted meanwhile."""
    zones: list[dict[str, Any] | None] = []
    for domain in domains:
        zone = find_zone(client, WantedZone(id=id_of_listed(domain)))
        zones.append(None if zone is None else _entry(domain, zone))
    return zones


def _entry(domain: Mapping[str, Any], zone: Mapping[str, Any]) -> dict[str, Any]:
    return {"domain": domain.get("domain"), "id": domain.get("id"), **zone}

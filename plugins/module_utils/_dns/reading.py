# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads zones, and the domains that they belong to; the operation of panel_dns_info. Private to the collection."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .._errors import about
from .._http.answers import answered_with, unexpected_answer
from .._http.panel_client import PanelClient, path_of
from .._kinds.tables import DOMAIN, ZONE, class_of
from .._operation.operation import Operation, Outcome, Task
from .._schema.kind import Kind
from .._secrets.redaction import without_secrets
from .._sources.checked_answers import checked_list, checked_object
from .._values.names import DomainName
from .wanted_zone import WantedZone, read_wanted_zone

# The fields of a record that the world can read, so that records_before can put all of them back.
PUBLIC = frozenset({"value"})


def zone_path(wanted: WantedZone, kind: Kind = ZONE) -> str:
    return kind.path + (path_of(wanted.id) if wanted.id is not None else path_of("name", wanted.domain))


def find_domain(client: PanelClient, wanted: WantedZone, kind: Kind = DOMAIN) -> dict[str, Any] | None:
    path = zone_path(wanted, kind)
    domain = f"{kind.title} {wanted.domain}" if wanted.domain else f"{kind.title} with id {wanted.id}"
    with about(wanted.subject if kind is ZONE else domain):
        found = client.get_or_none(path)
        return None if found is None else checked_object(found, path, kind)


def find_zone(client: PanelClient, wanted: WantedZone) -> dict[str, Any] | None:
    """The zone in the form of docs/panel_api.md#zones, None where the panel has none; a disabled
    one may come without records."""
    zone = find_domain(client, wanted, ZONE)
    if zone is None:
        return None
    records: Any = zone.get("records")
    if not isinstance(records, Mapping):
        records = {} if records is None and zone.get("is_dns_disabled") else {"other": "no list"}
    soa, other = records.get("soa") or {}, records.get("other") or []
    if not isinstance(soa, Mapping) or not isinstance(other, list) or not all(map(_is_record, other)):
        problem = "did not answer with a zone whose records have the form of the interface"
        problem = f"{problem} {answered_with(zone)}"
        raise unexpected_answer(zone_path(wanted), problem, subject=wanted.subject)
    zone["records"] = {**records, "soa": soa, "other": other}
    return zone


def find_zone_of(client: PanelClient, domain: Mapping[str, Any]) -> dict[str, Any] | None:
    """The zone of a domain of the list."""
    return find_zone(client, WantedZone(id=domain.get("id"), domain=domain.get("domain")))


def _is_record(shown: Any) -> bool:
    return isinstance(shown, Mapping) and all(isinstance(shown.get(name), str) for name in ("host", "type", "value"))


def same_zone(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether two reads show the same; the order of the records has no meaning."""

    def shown(zone: Mapping[str, Any]) -> list[Any]:
        records = sorted(json.dumps(record, sort_keys=True) for record in zone["records"]["other"])
        return [*map(zone.get, ("is_custom_dns", "is_dns_disabled", "dkim_record")), zone["records"]["soa"], records]

    return shown(first) == shown(second)


def dns_info_operation() -> Operation:
    return Operation(options={"domain": DomainName().argument(), "id": {"type": "int"}}, run=_run)


def _run(params: Mapping[str, Any], task: Task) -> Outcome:
    domains: list[dict[str, Any] | None]
    if params.get("domain") is not None or params.get("id") is not None:
        wanted = read_wanted_zone(params)
        with about(wanted.subject):
            domains = [find_domain(task.client, wanted)]
    else:
        # No filter is used, since the values of filters are unknown
        # (docs/panel_api.md#domain-filters).
        with about(DOMAIN.titles):
            listed = checked_list(task.client.get(DOMAIN.path), DOMAIN.path, DOMAIN)
        domains = [one for one in listed if class_of(one) == "main_domains"]
    found = [(one, find_zone_of(task.client, one)) for one in domains if one is not None]
    zones = [
        without_secrets({"domain": domain.get("domain"), "id": domain.get("id"), **zone}, PUBLIC)
        for domain, zone in found
        if zone is not None
    ]
    return Outcome(changed=False, result={ZONE.plural: zones})

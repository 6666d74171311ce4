# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks a panel for zones, and for the domains that they belong to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .._errors import name_subject_in_errors
from .._http.failures import describe_answer, make_unexpected_answer
from .._http.panel_session import PanelSession, join_path
from .._kinds.tables import DOMAIN, ZONE
from .._schema.kind import Kind
from .._sources.checked_answers import read_object
from .desired_zone import DesiredZone

# The fields of a record that the world can read, so that records_before can put all of them back.
PUBLIC = frozenset({"value"})
_NEEDED_FIELDS = ("host", "type", "value")


def build_path(kind: Kind, desired: DesiredZone) -> str:
    """Return the path of a zone, or of the domain that it belongs to."""
    if desired.id is not None:
        return kind.path + join_path(desired.id)
    return kind.path + join_path("name", desired.domain)


def find_domain(session: PanelSession, desired: DesiredZone) -> dict[str, Any] | None:
    """Return the domain that a zone belongs to; None where the panel has none."""
    title = DOMAIN.title
    subject = f"{title} {desired.domain}" if desired.domain else f"{title} with id {desired.id}"
    return _find(session, DOMAIN, desired, subject)


def find_zone(session: PanelSession, desired: DesiredZone) -> dict[str, Any] | None:
    """Return a zone in the form of docs/panel_api.md#zones; None where the panel has none.

    A disabled zone may come without records or a SOA record; an enabled one has both, though its
    list of records may be empty.
    """
    zone = _find(session, ZONE, desired, desired.subject)
    if zone is not None:
        zone["records"] = _check_records(zone, desired)
    return zone


def find_zone_of_domain(session: PanelSession, domain: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the zone of a domain that the panel listed; None where it has none."""
    return find_zone(session, DesiredZone(id=domain.get("id"), domain=domain.get("domain")))


def _find(
    session: PanelSession,
    kind: Kind,
    desired: DesiredZone,
    subject: str,
) -> dict[str, Any] | None:
    path = build_path(kind, desired)
    with name_subject_in_errors(subject):
        answer = session.get_or_none(path)
        return None if answer is None else read_object(answer, path, kind)


def _check_records(zone: Mapping[str, Any], desired: DesiredZone) -> dict[str, Any]:
    """Return the records of a zone with all their parts.

    Raises:
        UnexpectedAnswer: They have another form.
    """
    problem = _find_missing_part(zone)
    if not problem:
        records = zone.get("records") or {}
        soa = records.get("soa") or {}
        other = records.get("other") or []
        if all(map(_is_record, other)):
            return {**records, "soa": soa, "other": other}
        problem = "did not answer with a zone whose records have a host, a type and a value"

    problem = f"{problem} {describe_answer(zone)}"
    raise make_unexpected_answer(build_path(ZONE, desired), problem, subject=desired.subject)


def _find_missing_part(zone: Mapping[str, Any]) -> str:
    """Say which part of a zone is missing, without which a write would lose records; empty where
    none is, or where DNS is disabled.
    """
    if zone.get("is_dns_disabled"):
        return ""
    records = zone.get("records") or {}
    if records.get("other") is None:
        missing = "records.other"
    elif not records.get("soa"):
        missing = "records.soa"
    else:
        return ""
    return f"did not answer with a zone that is enabled and has {missing}"


def _is_record(record: Any) -> bool:
    if not isinstance(record, Mapping):
        return False
    return all(isinstance(record.get(name), str) for name in _NEEDED_FIELDS)


def is_same_zone(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Tell whether two reads show the same; the order of the records has no meaning."""
    for name in ("is_custom_dns", "is_dns_disabled", "dkim_record"):
        if first.get(name) != second.get(name):
            return False
    if first["records"]["soa"] != second["records"]["soa"]:
        return False
    return _sort_records(first) == _sort_records(second)


def _sort_records(zone: Mapping[str, Any]) -> list[str]:
    return sorted(json.dumps(record, sort_keys=True) for record in zone["records"]["other"])

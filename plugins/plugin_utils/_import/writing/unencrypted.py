# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves out what must not be written in plain text, where the run has no Vault password."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ....module_utils._kinds.registry import KINDS
from ....module_utils._schema.field_paths import get_value
from ....module_utils._values.nesting import find_values
from ..mapped_source import (
    Item,
    ItemsByKind,
    MappedSource,
    ObjectName,
    ResourcesByClient,
    ResultEntry,
    Secret,
)

_CERTIFICATES = "certificates"
_DOMAINS = "domains"
_ASSIGNED = ("security", "certificate")
_REASONS = {
    _CERTIFICATES: "Its private key would be in plain text, since this run has no Vault password.",
    "scheduled_tasks": "Its command may have a password, and this run has no Vault password.",
}
_REASON = "It has a secret, and this run has no Vault password."


def leave_out_secrets(mapped: MappedSource) -> MappedSource:
    """Return a mapped source without the objects that hold a secret.

    Args:
        mapped: A source whose hashes are not taken over.
    """
    omitted: set[ObjectName] = set()
    resources: ResourcesByClient = {}
    for client, items_by_kind in mapped.resources.items():
        remaining, names = _split_items(client, items_by_kind)
        resources[client] = remaining
        omitted.update(names)
    if not omitted:
        return mapped

    carried = [entry for entry in mapped.carried if _name_object(entry) not in omitted]
    omitted_entries = [entry for entry in mapped.carried if _name_object(entry) in omitted]
    return replace(
        mapped,
        resources=resources,
        carried=carried,
        left_out=[
            *_without_fields_of(mapped.left_out, omitted_entries),
            *map(_leave_out, omitted_entries),
        ],
    )


def _split_items(
    client: str | None, items_by_kind: ItemsByKind
) -> tuple[ItemsByKind, list[ObjectName]]:
    """Return the items of a client that hold no secret, and the names of the others."""
    remaining: ItemsByKind = {}
    names: list[ObjectName] = []
    for kind, items in items_by_kind.items():
        for item in items:
            if any(find_values(item, Secret)):
                names.append(ObjectName(client, kind, KINDS[kind].format_key(item) or ""))
            else:
                remaining.setdefault(kind, []).append(item)

    certificates = {name.key for name in names if name.plural == _CERTIFICATES}
    if certificates and _DOMAINS in remaining:
        domains = [_unassign(item, certificates) for item in remaining[_DOMAINS]]
        remaining[_DOMAINS] = domains
    return remaining, names


def _unassign(domain: Item, certificates: set[str]) -> Item:
    """Return a domain without a certificate that is left out."""
    if get_value(domain, _ASSIGNED) not in certificates:
        return domain
    security = {name: value for name, value in domain["security"].items() if name != _ASSIGNED[1]}
    options = {name: value for name, value in domain.items() if name != _ASSIGNED[0]}
    return {**options, _ASSIGNED[0]: security} if security else options


def _name_object(entry: ResultEntry) -> ObjectName:
    """Return the object of the folder that an entry is about."""
    return ObjectName(entry["client"], entry["kind"], entry["key"])


def _without_fields_of(
    left_out: Sequence[ResultEntry], omitted_entries: Iterable[ResultEntry]
) -> list[ResultEntry]:
    """Return what is left out without the fields of objects that are left out as a whole."""
    rows = {(entry["kind"], entry["source"]) for entry in omitted_entries}
    return [
        entry
        for entry in left_out
        if not entry.get("field") or (entry["kind"], entry["source"]) not in rows
    ]


def _leave_out(entry: ResultEntry) -> ResultEntry:
    """Return an entry of what is carried as one of what is left out."""
    reason = _REASONS.get(entry["kind"], _REASON)
    return {**entry, "why": reason}

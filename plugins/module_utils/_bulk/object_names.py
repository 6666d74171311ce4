# SPDX-License-Identifier: GPL-3.0-or-later
"""Names the objects of a plan as a result does, and the clients whose they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._items.desired_items import Item
from .._kinds.registry import BY_PATH, TABLES
from .._kinds.tables import CLIENT, DOMAIN
from .._schema.kind import Kind
from .._sources.kind_objects import read_owner_id
from .._sources.snapshot_source import SnapshotSource


def name_object_of(source: SnapshotSource, item: Item, actual: Mapping[str, Any] | None) -> str:
    """Return the natural key of the object of an item, which may name it, or its owner, by id."""
    kind = TABLES[item.plural]
    desired = item.desired
    in_key = [reference for reference in desired.references if reference.field in kind.key]
    is_named = desired.id is None and all(reference.name is not None for reference in in_key)
    if is_named or actual is None:
        return item.key
    return name_object(source, kind, actual)


def name_object(source: SnapshotSource, kind: Kind, actual: Mapping[str, Any]) -> str:
    """Return the natural key of an object of the panel, its parts joined with a colon; owners
    by their names.
    """
    parts = []
    for field in kind.key:
        value = actual.get(field.name)
        if field.kind_path:
            name = _name_referenced(source, field.kind_path, value)
        else:
            name = field.type.display(value)
        if not name and value:
            name = f"id {value}"
        parts.append(str(name or ""))
    return ":".join(parts)


def _name_referenced(source: SnapshotSource, path: str, identifier: Any) -> Any:
    """Return the name of the object with this id; None where there is none."""
    if not isinstance(identifier, int):
        return None
    target = source.get_objects_at(path).find_by_id(identifier) or {}
    return target.get(BY_PATH[path].name_field)


def find_client_name(source: SnapshotSource, kind: Kind, actual: Mapping[str, Any]) -> str | None:
    """Return the name of the client whose object it is; None where it is nobody's, or the panel
    does not say whose.
    """
    if kind is CLIENT:
        return actual.get(CLIENT.name_field)
    if kind.owner is None:
        return None
    owner = read_owner_id(actual)
    domain = kind.read_domain(actual) if owner is None else None
    if domain is not None:
        domains = source.get_objects(DOMAIN)
        owner = read_owner_id(
            domains.find_by_key({DOMAIN.name_field: domain}, [(kind.owner.name,)]) or {}
        )
    if owner is None and actual.get("id") is not None:
        owner = read_owner_id(
            source.get_objects(kind).with_fields(dict(actual), [(kind.owner.name,)]) or {}
        )
    if not owner:
        return None
    client = source.get_objects(CLIENT).find_by_id(owner) or {}
    return client.get(CLIENT.name_field)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Which file of a directory each object goes into: that of its client, or the one for the rest."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from ...module_utils._kinds.registry import DNS
from .export_text import Item, Items, make_items_readable
from .files import CLIENTS, REST, make_file_name

ItemsByFile = dict[str, dict[str, list[Item]]]
"""By name of a file, and by kind, the items in it."""


def split_by_file(resources: Items) -> ItemsByFile:
    """Return by file the items in it, in the order of ``resources``."""
    owners = {item["domain"]: item.get("client") for item in resources.get("domains", ())}
    files: ItemsByFile = {}
    for kind, items in resources.items():
        for item in items:
            owner = _find_owner(kind, item, owners)
            name = make_file_name(owner) if owner else REST
            files.setdefault(name, {}).setdefault(kind, []).append(item)
    return files


def _find_owner(plural: str, item: Item, owners: Mapping[str, str | None]) -> str | None:
    """Return the client that an object belongs to; None if it belongs to no client.

    Args:
        plural: The plural of its kind.
        item: The object.
        owners: The clients of the domains.
    """
    if plural == DNS:
        return owners.get(item["domain"])
    if plural == CLIENTS:
        return item.get("username")
    return item.get("client")


def choose_files(
    directory: Path, resources: Items, clients: Collection[str] | None
) -> tuple[set[str], ItemsByFile]:
    """Return the names of the files that a run may change, and the items of those it writes.

    Args:
        directory: The directory.
        resources: All objects.
        clients: Whose files alone are written; None for all files.
    """
    items_by_file = split_by_file(resources)
    if clients is None:
        items_by_file.setdefault(REST, {})
        existing = {f"{CLIENTS}/{path.name}" for path in (directory / CLIENTS).glob("*.yml")}
        return existing.union(items_by_file), items_by_file

    names = {make_file_name(client) for client in clients}
    return names, {name: items for name, items in items_by_file.items() if name in names}


def make_readable(items_by_file: ItemsByFile) -> dict[str, Items]:
    """Return the items of files with values as a person would write them."""
    return {name: make_items_readable(items) for name, items in items_by_file.items()}

# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports a panel: the operation of panel_resources_info, whose result panel_resources takes.

It reads one list for each kind, and with one request each the zones with records of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import Any

from .._dns.panel_zones import find_zone_of_domain
from .._errors import OptionError, UnknownReference
from .._kinds.registry import BY_PATH, DNS, KINDS, TABLES
from .._kinds.tables import CLIENT, DOMAIN, find_hidden_system_domains
from .._operation.operation import Operation, Outcome, Task
from .._schema.field_paths import Path
from .._schema.fields import Mutability
from .._schema.kind import Kind
from .._sources.checked_answers import require_distinct_ids, require_ids, require_names
from .._sources.live_source import LiveSource
from .._values.near_names import ask_for_near_names
from .._values.option_marks import CHOOSES_CLIENTS_MARK, NARROWS
from .exporter import Exporter
from .omissions import describe_omissions

# The kinds whose objects are read with all fields: domains say what zone they have, and whether a
# client has a system domain; the features of a plan tell which one a client has.
_READ_FOR = {DNS: ("domains",), "clients": ("domains", "plans")}


def export_operation() -> Operation:
    """Return the operation of the module."""
    options: dict[str, dict[str, Any]] = {
        "kinds": {
            "type": "list",
            "elements": "str",
            "choices": list(KINDS),
            NARROWS: "read every type",
        },
        "clients": {"type": "list", "elements": "str", **CHOOSES_CLIENTS_MARK},
    }
    return Operation(options=options, run=_run)


def _run(params: Mapping[str, Any], task: Task) -> Outcome:
    usernames = params.get("clients")
    if usernames is not None and not all(name.strip() for name in usernames):
        cause = "a name is empty; give usernames, or omit clients to read everything."
        raise OptionError(cause, option="clients")
    selected = params.get("kinds")
    kinds = [plural for plural in KINDS if selected is None or plural in selected]

    source = LiveSource(lambda: task.session)
    objects = _read_lists(source, kinds, needs_clients=usernames is not None)
    owner_ids = None
    if usernames is not None:
        owner_ids = _get_ids_of_clients(usernames, objects["clients"])

    zone_of = partial(find_zone_of_domain, task.session)
    exporter = Exporter(lambda plural: objects.get(plural, ()), kinds, task.hides, zone_of=zone_of)
    resources, omissions = exporter.export_items(owner_ids)
    for warning in describe_omissions(omissions):
        task.warn(warning)
    result = {
        "resources": resources,
        "left_out": [omission.as_result() for omission in omissions],
        "panel": task.session.connection.panel,
    }
    return Outcome(changed=False, result=result)


def _get_ids_of_clients(
    usernames: Iterable[str], clients: Iterable[Mapping[str, Any]]
) -> frozenset[Any]:
    """Return the ids of clients; raises UnknownReference."""
    ids = {str(client.get("username")): client.get("id") for client in clients}
    unknown = sorted(set(usernames) - ids.keys())
    if unknown:
        unknown_names = ", ".join(unknown)
        cause = f"there is no client {unknown_names} on this panel."
        ending = ask_for_near_names(unknown, ids)
        advice = f"Correct the names, or omit clients to read everything{ending}"
        raise UnknownReference(cause, option="clients", advice=advice)

    return frozenset(ids[name] for name in usernames)


def _read_lists(
    source: LiveSource, kinds: Collection[str], needs_clients: bool
) -> dict[str, list[dict[str, Any]]]:
    """Return the objects of all kinds that an export of these kinds looks at."""
    complete = set(kinds)
    for plural in kinds:
        complete.update(_READ_FOR.get(plural, ()))

    # Of others only their names are looked at.
    named: set[str] = set()
    for plural in kinds:
        named.update([BY_PATH[field.kind_path].plural for field in KINDS[plural].references])
    if needs_clients:
        named.add("clients")

    objects = {}
    for plural, kind in TABLES.items():
        if plural in complete or plural in named:
            objects[plural] = _read_list(source, kind, plural in complete, "clients" in kinds)
    return objects


def _read_list(
    source: LiveSource, kind: Kind, is_complete: bool, has_clients: bool
) -> list[dict[str, Any]]:
    """Return all objects of a kind, with what an export says of them.

    Args:
        source: Reads the panel.
        kind: The kind.
        is_complete: Whether more is needed than their names.
        has_clients: Whether clients are exported, which have system domains.
    """
    objects = source.get_objects(kind)
    items = objects.fetch_all()
    if kind is DOMAIN and has_clients:
        items = [*items, *find_hidden_system_domains(items, objects.fetch_all)]
    items = objects.complete(_list_paths_to_read(kind, is_complete), items)

    # By ids and owners an object comes to the items of its client, and the files of a client that
    # is not understood would go.
    require_ids(items, kind)
    require_distinct_ids(items, kind)
    if kind is CLIENT:
        require_names(items, kind)
    return items


def _list_paths_to_read(kind: Kind, is_complete: bool) -> list[Path]:
    """Return the paths of the fields without which an object is read on its own."""
    paths: list[Path] = [(field.name,) for field in kind.key]
    if not is_complete:
        return paths

    for path, field in kind.walk_fields():
        if not field.secret and field.change is not Mutability.AT_CREATION:
            paths.append(path)
    if kind is DOMAIN:
        paths += [("is_system_domain",), ("is_custom_dns",), ("is_dns_disabled",)]
    return paths

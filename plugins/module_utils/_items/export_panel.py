# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a panel for the export: one list a kind, one request for each zone with records of its own. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._dns.reading import find_zone, id_of_listed
from .._dns.wanted_zone import WantedZone
from .._errors import OptionError, UnknownReference
from .._kinds.domain import DOMAIN, class_of, system_domains_beside
from .._kinds.registry import BY_PATH, DNS, KINDS, TABLES
from .._object.objects import Panel
from .._schema.difference import Path
from .._schema.kind import OWNER, Change, Kind
from .._secrets.redaction import holds_private_key
from .._secrets.terminal import on_one_line
from .._task.operation import Operation, Outcome, Task
from .export_object import SECRET, Exporters, Omission, ShownObjects, by_reason, is_made_along, reason_of_problem
from .export_zone import exported_zone, needs_records

# What an export looks at besides the options of a domain.
_OF_DOMAINS: tuple[Path, ...] = (("is_system_domain",), ("is_custom_dns",), ("is_dns_disabled",))


def export_operation() -> Operation:
    """The operation of panel_resources_info."""
    return Operation(
        options={
            "kinds": {"type": "list", "elements": "str", "choices": list(KINDS)},
            "clients": {"type": "list", "elements": "str"},
        },
        run=_run,
    )


def _run(params: Mapping[str, Any], task: Task) -> Outcome:
    given = params.get("kinds")
    kinds = [plural for plural in KINDS if given is None or plural in given]
    names = params.get("clients")
    whole, named_only = _needed(kinds, is_restricted=names is not None)
    objects = {
        kind.plural: _listed(task, kind, is_whole=kind.plural in whole, has_clients="clients" in kinds)
        for kind in TABLES.values()
        if kind.plural in whole | named_only
    }
    owners = None if names is None else _ids_of(names, objects["clients"])
    zones = {
        id_of_listed(domain): find_zone(task.client, WantedZone(id=id_of_listed(domain)))
        for domain in (objects["domains"] if DNS in kinds else ())
        if class_of(domain) == "main_domains"
        and needs_records(domain)
        and (owners is None or domain.get(OWNER) in owners)
    }
    found = {identifier: zone for identifier, zone in zones.items() if zone is not None}
    export = exported(objects, found, kinds, owners)
    for warning in export.warnings:
        task.warn(warning)
    left_out = [{name: value for name, value in one._asdict().items() if value is not None} for one in export.left_out]
    panel = task.client.connection.panel
    return Outcome(changed=False, result={"resources": export.resources, "left_out": left_out, "panel": panel})


def _needed(kinds: Iterable[str], is_restricted: bool) -> tuple[set[str], set[str]]:
    """The kinds of which everything is looked at, and those that are only referred to by their names."""
    whole = {plural for plural in kinds if plural in TABLES}
    if DNS in kinds or "clients" in whole:
        whole.add("domains")  # which say what zone they have, and whether a client has a system domain
    if "clients" in whole:
        whole.add("plans")  # whose features tell which one a client has, where its id is not shown
    referred = {BY_PATH[row.collection].plural for plural in kinds for row in KINDS[plural].references}
    if is_restricted:
        referred.add("clients")
    return whole, referred - whole


def _ids_of(names: Iterable[str], clients: Iterable[Mapping[str, Any]]) -> frozenset[Any]:
    ids = {str(client.get("username")): client.get("id") for client in clients}
    unknown = sorted({name for name in names if name not in ids})
    if unknown:
        raise UnknownReference(
            f"clients: there is no client {', '.join(unknown)} on this panel. Correct the names, or omit clients to read everything.",
            option="clients",
        )
    return frozenset(ids[name] for name in names)


def _listed(task: Task, kind: Kind, is_whole: bool, has_clients: bool) -> list[dict[str, Any]]:
    """All objects of a kind, with what is said about them."""
    store = Panel(lambda: task.client).store(kind)
    items = store.listed()
    if kind is DOMAIN and has_clients:
        items = [*items, *system_domains_beside(items, store.listed)]
    return store.whole_list(_sought(kind) if is_whole else [(kind.name_member,)], items)


def _sought(kind: Kind) -> list[Path]:
    """The members that an export can say something about."""
    sought: list[Path] = [(row.name,) for row in kind.key]
    sought += [path for path, row in kind.leaves() if not row.secret and row.change is not Change.AT_CREATION]
    return sought + (list(_OF_DOMAINS) if kind.plural == "domains" else [])


class Export(NamedTuple):
    """resources: as panel_resources takes them, with an entry for each kind asked for. left_out: what could not be exported, and why."""

    resources: Mapping[str, list[dict[str, Any]]]
    left_out: tuple[Omission, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """The same in sentences; a thousand equal cases make one."""
        return tuple(
            f"{kind}: {labels}: {f'{option} is ' if option else ''}left out, since {reason}."
            for kind, option, reason, labels in by_reason(self.left_out, lambda one: one.key)
        )


def exported(
    objects: ShownObjects,
    zones: Mapping[Any, Mapping[str, Any]] | None = None,
    kinds: Iterable[str] = tuple(KINDS),
    owners: frozenset[Any] | None = None,
) -> Export:
    """The items of these kinds.

    objects: all that the panel shows, also of the kinds that are only referred to. zones: by the id of the domain, as far as they are
    needed. owners: the ids of the clients to which the export is restricted, None for everything.
    """
    left_out: list[Omission] = []
    wanted = frozenset(kinds)
    exporters = Exporters(objects, wanted)
    resources: dict[str, list[dict[str, Any]]] = {}
    for plural in [plural for plural in KINDS if plural in wanted]:
        if plural == DNS:
            domains = _chosen("domains", objects["domains"], owners)
            resources[plural] = _exported_zones(domains, zones or {}, exporters, left_out)
        else:
            resources[plural] = exporters[plural].items(_chosen(plural, objects[plural], owners), left_out)
    return Export(resources, tuple(left_out))


def _chosen(plural: str, shown: Sequence[Mapping[str, Any]], owners: frozenset[Any] | None) -> list[Mapping[str, Any]]:
    """The objects that are exported: without those of other clients, and without the panel's own domains."""
    shown = [one for one in shown if not is_made_along(plural, one)]
    if owners is None:
        return shown
    member = "id" if plural == "clients" else OWNER
    # What a panel shows there may be anything.
    return [item for item in shown if isinstance(item.get(member), (int, str)) and item[member] in owners]


def _exported_zones(
    domains: Iterable[Mapping[str, Any]],
    zones: Mapping[Any, Mapping[str, Any]],
    exporters: Exporters,
    left_out: list[Omission],
) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for domain in sorted(domains, key=lambda domain: str(domain.get("domain"))):
        if class_of(domain) != "main_domains":
            continue
        item = None
        try:
            item = exported_zone(domain, zones.get(domain.get("id")))
            # What else is in records the world can read anyway.
            is_private = any(holds_private_key(record["value"]) for record in (item or {}).get("records", ()))
            reason = SECRET if is_private else reason_of_problem(item)
            if item is not None and exporters.leave_out("domains", domain.get("id")):
                reason = "its domain is left out"
        except OptionError as error:
            reason = f"panel_dns does not take its records ({error.message})"
        if reason:
            left_out.append(Omission(DNS, on_one_line(str(domain.get("domain"))), domain.get("id"), reason))
        elif item is not None:
            items.append(item)
    return items

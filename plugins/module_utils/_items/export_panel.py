# SPDX-License-Identifier: GPL-3.0-or-later
"""The operation of panel_resources_info: a panel read, one list a kind and one request for each zone with records of its own, and exported.
Private to the collection.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._dns.reading import find_zone_of, id_of_listed
from .._dns.record_values import APEX, PLACEHOLDER, TEXT_TYPES, comparable_ttl, dkim_text, flag, records_of
from .._dns.wanted_zone import PROTECTED, SOA_MEMBERS, read_wanted_zone
from .._errors import OptionError, UnknownReference
from .._kinds.domain import DOMAIN, class_of, system_domains_beside
from .._kinds.registry import BY_PATH, DNS, KINDS, TABLES
from .._object.objects import Panel
from .._schema.fields import Path
from .._schema.kind import OWNER, Change, Kind
from .._secrets.panel_text import on_one_line
from .._secrets.redaction import holds_private_key
from .._task.operation import Operation, Outcome, Task
from .._task.validation import problem_of
from .export import SECRET, Exporter, Omission, Shown, by_reason, is_made_along

# What an export looks at besides the options of a domain.
_OF_DOMAINS: tuple[Path, ...] = (("is_system_domain",), ("is_custom_dns",), ("is_dns_disabled",))


def export_operation() -> Operation:
    options: dict[str, dict[str, Any]] = {
        "kinds": {"type": "list", "elements": "str", "choices": list(KINDS)},
        "clients": {"type": "list", "elements": "str"},
    }
    return Operation(options=options, run=_run)


def _run(params: Mapping[str, Any], task: Task) -> Outcome:
    given, names = params.get("kinds"), params.get("clients")
    kinds = [plural for plural in KINDS if given is None or plural in given]
    # The kinds of which everything is looked at, and those that are only referred to by their names.
    whole = {plural for plural in kinds if plural in TABLES}
    if DNS in kinds or "clients" in whole:
        whole.add("domains")  # which say what zone they have, and whether a client has a system domain
    if "clients" in whole:
        whole.add("plans")  # whose features tell which one a client has, where its id is not shown
    read = whole | {BY_PATH[row.collection].plural for plural in kinds for row in KINDS[plural].references}
    read |= set() if names is None else {"clients"}
    panel = Panel(lambda: task.client)
    objects = {plural: _listed(panel, TABLES[plural], plural in whole, kinds) for plural in TABLES if plural in read}
    owners = None if names is None else _ids_of(names, objects["clients"])
    zones = {}
    for domain in objects["domains"] if DNS in kinds else ():
        is_chosen = owners is None or domain.get(OWNER) in owners
        if is_chosen and class_of(domain) == "main_domains" and _without_records(domain) is None:
            zones[domain.get("id")] = find_zone_of(task.client, id_of_listed(domain))
    found = {identifier: zone for identifier, zone in zones.items() if zone is not None}
    export = exported(objects, found, kinds, owners)
    for warning in export.warnings:
        task.warn(warning)
    left_out = [{name: value for name, value in one._asdict().items() if value is not None} for one in export.left_out]
    result = {"resources": export.resources, "left_out": left_out, "panel": task.client.connection.panel}
    return Outcome(changed=False, result=result)


def _ids_of(names: Iterable[str], clients: Iterable[Shown]) -> frozenset[Any]:
    ids = {str(client.get("username")): client.get("id") for client in clients}
    unknown = sorted(set(names) - ids.keys())
    if unknown:
        problem = f"there is no client {', '.join(unknown)} on this panel. Correct the names, or omit clients to read everything."
        raise UnknownReference(f"clients: {problem}", option="clients")
    return frozenset(ids[name] for name in names)


def _listed(panel: Panel, kind: Kind, is_whole: bool, kinds: Iterable[str]) -> list[dict[str, Any]]:
    """All objects of a kind, with what an export says of them."""
    store = panel.store(kind)
    items = store.listed()
    if kind is DOMAIN and "clients" in kinds:
        items = [*items, *system_domains_beside(items, store.listed)]
    if not is_whole:
        return store.whole_list([(kind.name_member,)], items)
    sought: list[Path] = [(row.name,) for row in kind.key]
    sought += [path for path, row in kind.leaves() if not row.secret and row.change is not Change.AT_CREATION]
    return store.whole_list(sought + list(_OF_DOMAINS if kind is DOMAIN else ()), items)


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
    objects: Mapping[str, Sequence[Shown]],
    zones: Mapping[Any, Shown] | None = None,
    kinds: Iterable[str] = tuple(KINDS),
    owners: frozenset[Any] | None = None,
) -> Export:
    """The items of these kinds.

    objects: all that the panel shows, also of the kinds that are only referred to. zones: by the id of the domain, as far as they are
    needed. owners: the ids of the clients to which the export is restricted, None for everything.
    """
    left_out: list[Omission] = []
    wanted = frozenset(kinds)
    exporter = Exporter(lambda plural: objects.get(plural, ()), wanted)
    resources: dict[str, list[dict[str, Any]]] = {}
    for plural in [plural for plural in KINDS if plural in wanted]:
        if plural == DNS:
            domains = _chosen("domains", objects["domains"], owners)
            resources[plural] = _exported_zones(domains, zones or {}, exporter, left_out)
        else:
            resources[plural] = exporter.items(TABLES[plural], _chosen(plural, objects[plural], owners), left_out)
    return Export(resources, tuple(left_out))


def _chosen(plural: str, shown: Sequence[Shown], owners: frozenset[Any] | None) -> list[Shown]:
    """The objects that are exported: without those of other clients, and without the panel's own domains."""
    member = "id" if plural == "clients" else OWNER
    return [one for one in shown if not is_made_along(plural, one) and (owners is None or one.get(member) in owners)]


def _exported_zones(
    domains: Iterable[Shown], zones: Mapping[Any, Shown], exporter: Exporter, left_out: list[Omission]
) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    main_domains = [domain for domain in domains if class_of(domain) == "main_domains"]
    for domain in sorted(main_domains, key=lambda domain: str(domain.get("domain"))):
        item = None
        try:
            item = exported_zone(domain, zones.get(domain.get("id")))
            problem = problem_of(item)
            reason = f"it {problem}" if problem else ""
            # What else is in records the world can read anyway.
            if any(holds_private_key(record["value"]) for record in (item or {}).get("records", ())):
                reason = SECRET
            if item is not None and exporter.leaves_out("domains", domain.get("id")):
                reason = "its domain is left out"
        except OptionError as error:
            reason = f"panel_dns does not take its records ({error.message})"
        if reason:
            left_out.append(Omission(DNS, on_one_line(str(domain.get("domain"))), domain.get("id"), reason))
        elif item is not None:
            items.append(item)
    return items


def exported_zone(domain: Shown, zone: Shown | None) -> dict[str, Any] | None:
    """The options that make this zone on a panel where it may be another; None where neither argument tells what it is.

    zone: as read, None where it was not. Raises OptionError where panel_dns would refuse its records.
    """
    name = str(domain.get("domain"))
    shown = {switch: zone[switch] for switch in ("is_custom_dns", "is_dns_disabled") if switch in zone} if zone else {}
    options = _without_records({**domain, **shown})
    if options is None:
        if zone is None:
            return None
        options = _with_records(zone, name)
    item = {"domain": name, **options}
    read_wanted_zone(item)
    return item


def _without_records(switches: Shown) -> dict[str, Any] | None:
    """The options of a zone of which these say that it is disabled, or the panel's default one."""
    if flag(switches, "is_dns_disabled"):
        return {"is_dns_disabled": True}
    is_default = flag(switches, "is_dns_disabled") is False and flag(switches, "is_custom_dns") is False
    return {"state": "default"} if is_default else None


def _with_records(zone: Shown, name: str) -> dict[str, Any]:
    """Every record and the SOA record, in place of whatever the zone has: on an empty panel, of the default records."""
    found = sorted(records_of(zone, name), key=lambda one: (one.host != APEX, one.host, one.type, one.value))
    options: dict[str, Any] = {"purge": True, "max_delete_percent": 100}
    if not any(record.set == (APEX, "NS") for record in found):
        # Protected are the name servers of the default records too, which this zone does not have.
        options["protect"] = [pattern for pattern in PROTECTED if pattern != f"{APEX} NS"]
    soa = zone["records"].get("soa") or {}
    shown_soa = {member: comparable_ttl(soa[member]) for member in SOA_MEMBERS if soa.get(member) is not None}
    if shown_soa:
        options["soa"] = shown_soa
    dkim = dkim_text(zone)
    records = options["records"] = []
    for record in found:
        # Another zone has another key for its mails, which the placeholder stands for.
        is_dkim = record.type in TEXT_TYPES and dkim is not None and record.value == dkim
        value = PLACEHOLDER if is_dkim else record.shown["value"]
        ttl = {} if record.ttl is None else {"ttl": record.ttl}
        records.append({"host": record.host, "type": record.type, **ttl, "value": value})
    return options

# SPDX-License-Identifier: GPL-3.0-or-later
"""The operation of panel_resources_info: a panel is read, one list a kind and one request for each zone with records of its own, and becomes
the items that panel_resources takes. Private to the collection.

An item says what its object is, so that it changes nothing on the same panel and makes the same on an empty one. What an option cannot
say is left out with a warning, since an item that is refused would stand in the way of all others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, Callable, NamedTuple, Optional

from .._dns.desired_zone import PROTECTED
from .._dns.panel_zones import find_zone_of_domain
from .._dns.record_names import APEX
from .._dns.record_options import SOA_FIELDS, build_protect_pattern, describe_record_problem, describe_soa_problem
from .._dns.record_values import PLACEHOLDER, TEXT_TYPES, find_dkim_text, list_records
from .._errors import OptionError, UnknownReference
from .._kinds.registry import BY_PATH, DNS, KINDS, TABLES
from .._kinds.tables import CLIENT, DOMAIN, class_of, system_domains_beside
from .._operation.operation import Operation, Outcome, Task
from .._operation.validation import problem_of
from .._problems import abbreviate, format_message
from .._schema.fields import Field, Group, Path, Reference
from .._schema.kind import OWNER, Change, Kind
from .._secrets.redaction import holds_private_key, on_one_line, without_secrets
from .._sources.checked_answers import require_distinct_ids, require_ids, require_names
from .._sources.live_source import LiveSource
from .._values.value_types import MARK_OF_TEXTS, SetOf, ValueType, read_tolerantly, shortened
from .wanted_items import reader_of

Shown = Mapping[str, Any]
Item = dict[str, Any]
LeftOut = dict[Optional[str], str]  # by option, or None for the object, and why
_SECRET = "it holds a secret (a private key, a hash of a password, an address or a string of JSON with a password)"
_MOST_NAMED = 20
# Of which everything is looked at: domains say what zone they have, and whether a client has a system domain; the features of a plan tell
# which one a client has.
_LOOKED_AT = {DNS: ("domains",), "clients": ("domains", "plans")}
# Of domains that the panel makes with a client, so that they have no item and are not missing.
_MADE_ALONG = "system_domains"


class Omission(NamedTuple):
    kind: str
    key: str
    id: Any
    reason: str
    option: str | None = None


def by_reason(omissions: Iterable[Omission], label: str = "{0.key}") -> Iterator[tuple[Omission, str]]:
    """One for each kind, option and reason, with the labels of all objects that it stands for, as far as a person reads them."""
    found: dict[tuple[str, str | None, str], list[Omission]] = {}
    for one in omissions:
        found.setdefault((one.kind, one.option, one.reason), []).append(one)
    for alike in found.values():
        yield alike[0], abbreviate([label.format(one) for one in alike], _MOST_NAMED)


# The operation


def export_operation() -> Operation:
    options: dict[str, dict[str, Any]] = {
        "kinds": {"type": "list", "elements": "str", "choices": list(KINDS)},
        "clients": {"type": "list", "elements": "str", **MARK_OF_TEXTS},
    }
    return Operation(options=options, run=_run)


def _run(params: Mapping[str, Any], task: Task) -> Outcome:
    given, names = params.get("kinds"), params.get("clients")
    if names is not None and not all(name.strip() for name in names):
        raise OptionError("clients", "a name is empty; give usernames, or omit clients to read everything.")
    kinds = [plural for plural in KINDS if given is None or plural in given]
    # Of others only their names are looked at.
    whole = TABLES.keys() & set(kinds).union(*(_LOOKED_AT.get(plural, ()) for plural in kinds))
    read = whole | {BY_PATH[row.collection].plural for plural in kinds for row in KINDS[plural].references}
    read |= {"clients"} if names is not None else set()
    source = LiveSource(lambda: task.client)
    objects = {plural: _listed(source, TABLES[plural], plural in whole, kinds) for plural in TABLES if plural in read}
    owners = None if names is None else _ids_of(names, objects["clients"])
    exporter = Exporter(
        lambda plural: objects.get(plural, ()), kinds, zone_of=partial(find_zone_of_domain, task.client)
    )
    resources, left_out = exporter.items(owners)
    for warning in warnings_of(left_out):
        task.warn(warning)
    told = [{name: value for name, value in one._asdict().items() if value is not None} for one in left_out]
    result = {"resources": resources, "left_out": told, "panel": task.client.connection.panel}
    return Outcome(changed=False, result=result)


def _ids_of(names: Iterable[str], clients: Iterable[Shown]) -> frozenset[Any]:
    ids = {str(client.get("username")): client.get("id") for client in clients}
    unknown = sorted(set(names) - ids.keys())
    if unknown:
        names_unknown = ", ".join(unknown)
        advice = "Correct the names, or omit clients to read everything."
        raise UnknownReference(f"there is no client {names_unknown} on this panel.", option="clients", advice=advice)
    return frozenset(ids[name] for name in names)


def _listed(source: LiveSource, kind: Kind, is_whole: bool, kinds: Iterable[str]) -> list[dict[str, Any]]:
    """All objects of a kind, with what an export says of them."""
    objects_of_kind = source.of(kind)
    items = objects_of_kind.fetch_all()
    if kind is DOMAIN and "clients" in kinds:
        items = [*items, *system_domains_beside(items, objects_of_kind.fetch_all)]
    sought: list[Path] = [(row.name,) for row in kind.key]
    if is_whole:
        sought += [path for path, row in kind.leaves() if not row.secret and row.change is not Change.AT_CREATION]
    if is_whole and kind is DOMAIN:
        sought += [("is_system_domain",), ("is_custom_dns",), ("is_dns_disabled",)]
    items = objects_of_kind.complete(sought, items)
    # By ids and owners an object comes to the items of its client, and the files of a client that is not understood would go.
    require_ids(items, kind)
    require_distinct_ids(items, kind)
    if kind is CLIENT:
        require_names(items, kind)
    return items


def warnings_of(omissions: Iterable[Omission]) -> Iterator[str]:
    for one, labels in by_reason(omissions):
        yield f"{one.kind}: {labels}: {f'{one.option} is ' if one.option else ''}left out, since {one.reason}."


# Objects


class _CannotBeNamed(Exception):
    """An object, or a group of its members, that no item can stand for; the text says why."""


class Exporter:
    """Makes the items of the kinds that are exported, each with what it leaves out.

    objects: all objects of a plural kind. whole: an object with what an item cannot do without, where lists may leave it out. zone_of: reads
    the zone of a domain.
    """

    def __init__(
        self,
        objects: Callable[[str], Sequence[Shown]],
        kinds: Collection[str],
        whole: Callable[[Kind, Shown], Shown] = lambda _kind, shown: shown,
        zone_of: Callable[[Shown], Shown | None] = lambda _domain: None,
    ) -> None:
        self._objects, self._kinds, self._whole, self._zone_of = objects, kinds, whole, zone_of
        self._left_out: dict[tuple[str, str], bool] = {}  # by plural kind and id
        self._by_id = cache(lambda plural: {str(one.get("id")): one for one in objects(plural)})
        self._count = cache(lambda plural: Counter(_key(TABLES[plural], one) for one in objects(plural)))
        self._owners = cache(lambda: {one.get(OWNER) for one in objects("domains") if class_of(one) == _MADE_ALONG})
        self._domains = cache(lambda: {_key(DOMAIN, one)[0]: one for one in objects("domains")})

    def items(self, owners: Collection[Any] | None = None) -> tuple[dict[str, list[Item]], list[Omission]]:
        """The items of all kinds, sorted by name, and what is left out. owners: the ids of the only clients whose objects count."""
        resources: dict[str, list[Item]] = {}
        left_out: list[Omission] = []
        for kind in [kind for plural, kind in KINDS.items() if plural in self._kinds]:
            owner, items = "id" if kind is CLIENT else OWNER, []
            for shown in self._objects(kind.part_of or kind.plural):
                if class_of(shown) != _MADE_ALONG and (owners is None or shown.get(owner) in owners):
                    item, omissions = self.item(kind, shown)
                    items += [] if item is None else [item]
                    left_out += omissions
            resources[kind.plural] = _in_order(kind, items)
        return resources, left_out

    def item(self, kind: Kind, shown: Shown) -> tuple[Item | None, list[Omission]]:
        """The item for an object, or for the zone of a domain; without an item, the object is what is left out, or has no zone."""
        place = kind.plural, str(shown.get("id"))
        self._left_out[place] = False  # for a circle of objects that refer to one another
        left_out: LeftOut = {}
        item: Item | None = None
        try:
            item = self._zone(shown, left_out) if kind.part_of else self._object(kind, shown, left_out)
            problems = [] if item is None else reader_of(kind.plural).read(item)[1]
            if problems:
                raise _CannotBeNamed(f"no item takes it ({format_message(problems[0]).rstrip('.')})")
        except _CannotBeNamed as why:
            item, left_out = None, {None: str(why)}
        self._left_out[place] = item is None
        label = on_one_line(":".join(self._label(row, shown) for row in kind.key)) if left_out else ""
        return item, [Omission(kind.plural, label, shown.get("id"), why, option) for option, why in left_out.items()]

    def _label(self, row: Field, shown: Shown) -> str:
        current, value = shown.get(row.name), self._value_of(row, shown)
        if isinstance(row, Reference):
            return value or (f"id {current}" if current else "")
        return str(value or without_secrets(current) or f"id {shown.get('id')}")

    def _leaves_out(self, kind: Kind, identifier: Any) -> bool:
        """Whether an object of the panel is left out, so that what depends on it would find nothing on an empty panel."""
        shown = self._by_id(kind.plural).get(str(identifier)) if kind.plural in self._kinds else None
        if shown is None or class_of(shown) == _MADE_ALONG:
            return False
        place = kind.plural, str(identifier)
        if place not in self._left_out:
            self.item(kind, self._whole(kind, shown))
        return self._left_out[place]

    # Objects

    def _object(self, kind: Kind, shown: Shown, left_out: LeftOut) -> Item:
        values: Item = {}  # by the names of rows
        # What has to be said on creation for the panel to make exactly what the export lists: system domains are not listed, and made with
        # their client; the www subdomain, where there is one, is listed as a domain of its own.
        if kind is DOMAIN and class_of(shown) == "main_domains":
            values["create_www_subdomain"] = False
        elif kind is CLIENT and shown.get("id") in self._owners():  # of a system domain
            values["create_system_domain"] = True
        for row in (*kind.key, *kind.rows):
            value = self._said(row, shown, values, left_out, is_needed=row.required or row in kind.key)
            if value is not None:
                values[row.name] = value
        for option in kind.addresses:
            named = [self._domains().get(name) for name in kind.domains_in(option, values)]
            if any(self._leaves_out(DOMAIN, one.get("id")) for one in named if one is not None):
                left_out[option] = "a domain that it needs is left out"
                if option in kind.named_by:
                    raise _CannotBeNamed(left_out[option])
                del values[option]
        if self._count(kind.plural)[_key(kind, shown)] > 1:
            raise _CannotBeNamed("several have this name, so an item could not say which one it means")
        return {row.option: values[row.name] for row in (*kind.key, *kind.rows) if row.name in values}

    def _said(
        self, row: Field, shown: Shown, values: Item, left_out: LeftOut, prefix: str = "", is_needed: bool = False
    ) -> Any:
        """What the option says. values: of the rows before. prefix: of the group that it is in. is_needed: whether no item goes without it."""
        if isinstance(row, Group):
            return self._group(row, shown.get(row.name), left_out)
        if row.secret or row.change is Change.AT_CREATION or not row.counts(shown):
            return values.get(row.name)
        value, current = self._value_of(row, shown), shown.get(row.name)
        is_shown = current not in (None, "")
        if isinstance(row, Reference):
            # An object that is made again may take its owner over from another one that its item names.
            is_needed = is_needed and not values.get(row.inherit)
            is_needed = is_needed or (is_shown and (row.change is not Change.FREE or row.name == OWNER))
            is_shown = is_shown and str(current) != "0"
        if value is None and is_needed:
            raise _CannotBeNamed(_why_unnamed(row, shown))
        if value is None and is_shown:
            left_out[prefix + row.option] = _why_unnamed(row, shown, "with this id")
        return value

    def _group(self, group: Group, shown: Any, left_out: LeftOut) -> Item | None:
        holder, prefix = shown if isinstance(shown, Mapping) else {}, f"{group.name}."
        try:
            found = {one.option: self._said(one, holder, {}, left_out, prefix, one.required) for one in group.members}
        except _CannotBeNamed as why:
            left_out[group.name] = str(why)
            return None
        if group.clearable and set(found.values()) == {""}:
            return {}
        return {option: value for option, value in found.items() if value is not None} or None

    def _value_of(self, row: Field, shown: Shown) -> Any:
        """What the option takes to mean what the panel shows; None where nothing does."""
        if not isinstance(row, Reference):
            return option_value(row.type, shown[row.name]) if row.name in shown else None
        kind, identifier = BY_PATH[row.collection], shown.get(row.name)
        if row.empty_is_zero and row.name in shown and identifier in (None, 0, "0"):
            return ""
        if identifier is None and row.copies:
            # Where the panel does not show the id: the only object that the module would take for the right one.
            fitting = [one.get("id") for one in self._objects(kind.plural) if row.alike(shown, one)]
            identifier = fitting[0] if len(fitting) == 1 else None
        found = self._by_id(kind.plural).get(str(identifier))
        # What is left out cannot be named, since no item makes it.
        if found is None or self._leaves_out(kind, identifier):
            return None
        return option_value(row.type, found.get(kind.name_member)) or None

    # Zones

    def _zone(self, domain: Shown, left_out: LeftOut, zone: Shown | None = None) -> Item | None:
        """The options that make the zone of a domain on a panel where it may be another; None where it has none."""
        if class_of(domain) != "main_domains":
            return None
        item: Item = {"domain": str(domain.get("domain"))}
        if domain.get("is_dns_disabled"):
            item["is_dns_disabled"] = True
        elif domain.get("is_dns_disabled") is False and domain.get("is_custom_dns") is False:
            item["state"] = "default"
        elif zone is not None:
            item.update(_with_records(zone, item["domain"], left_out))
        else:
            zone = self._zone_of(domain)
            if zone is None:
                return None
            switches = {name: zone[name] for name in ("is_custom_dns", "is_dns_disabled") if name in zone}
            return self._zone({**domain, **switches}, left_out, zone)
        if self._leaves_out(DOMAIN, domain.get("id")):
            raise _CannotBeNamed("its domain is left out")
        if problem_of(item):
            raise _CannotBeNamed(f"it {problem_of(item)}")
        return item


def option_value(value_type: ValueType, shown: Any) -> Any:
    """What an option takes to mean the shown value: an empty string for null where it clears, None where no value does."""
    if value_type.is_text and isinstance(shown, (int, float)) and not isinstance(shown, bool):
        shown = str(shown)
    try:
        value, _kept = read_tolerantly(value_type, "", "" if shown is None else shown)
    except OptionError:
        return None
    if without_secrets(shown) != shown or problem_of(shown) or not value_type.same(value, shown):
        return None
    if isinstance(value, list):
        return sorted(value, key=str)
    return "" if value is None else value


def _key(kind: Kind, shown: Shown) -> tuple[str, ...]:
    """The natural key in its normal form; what does not show its owner may be the server's own."""
    return tuple(str(row.comparable(shown.get(row.name))) for row in kind.key)


def _why_unnamed(row: Field, shown: Shown, which: str = "that it belongs to") -> str:
    """Why no option means what the panel shows of it."""
    current = shown.get(row.name)
    if isinstance(row, Reference):
        return f"the {row.noun} {which} is not on the panel, cannot be named, or is left out too"
    if current in (None, ""):
        return f"the panel shows no {row.name} of it, without which it is not made again"
    if without_secrets(current) != current:
        return _SECRET
    if isinstance(row.type, SetOf) and isinstance(current, list):
        return _why_entry_unnamed(row.type.item, row.name, current)
    return f"its {row.name} {problem_of(current) or f'is none that the module accepts; it must be {row.type.form}'}"


def _why_entry_unnamed(value_type: ValueType, name: str, entries: Sequence[Any]) -> str:
    """Names the entries of a list that no option takes, for which the list is left out as a whole."""
    wrong = [shortened(entry) for entry in entries if option_value(value_type, entry) is None]
    named = abbreviate(wrong, _MOST_NAMED)
    return f"its {name} has {named}, which the module does not accept; each entry must be {value_type.form}"


def _with_records(zone: Shown, name: str, left_out: LeftOut) -> Item:
    """Every record and the SOA record, in place of whatever the zone has: on an empty panel, of the default records.

    A record set that no item takes is left out by name, and protected where it is.
    """
    found = sorted(list_records(zone, name), key=lambda one: (one.host != APEX, one.host, one.type, one.value))
    options: Item = {"purge": True, "max_delete_percent": 100}
    if all(record.rrset != (APEX, "NS") for record in found):
        # Protected are the name servers of the default records too, which this zone does not have.
        options["protect"] = [pattern for pattern in PROTECTED if pattern != f"{APEX} NS"]
    soa = zone["records"].get("soa") or {}
    shown_soa = {}
    for member in (member for member in SOA_FIELDS if soa.get(member) is not None):
        problem = describe_soa_problem(member, soa[member])
        if problem:
            left_out[f"soa.{member}"] = problem.rstrip(".")
        else:
            shown_soa[member] = soa[member]
    if shown_soa:
        options["soa"] = shown_soa
    dkim = find_dkim_text(zone)
    records = options["records"] = []
    for record in found:
        # Another zone has another key for its mails, which the placeholder stands for.
        is_dkim = record.type in TEXT_TYPES and dkim is not None and record.value == dkim
        ttl = {} if record.ttl is None else {"ttl": record.ttl}
        value = PLACEHOLDER if is_dkim else record.fields["value"]
        records.append({"host": record.host, "type": record.type, **ttl, "value": value})
    _leave_sets_out(options, left_out)
    return options


def _leave_sets_out(options: Item, left_out: LeftOut) -> None:
    """Takes the sets of records that no item takes out of the options, which protect them instead."""
    wrong: dict[tuple[str, str], str] = {}
    for record in options["records"]:
        why = _why_no_record(record)
        if why:
            wrong.setdefault((record["host"], record["type"]), why)
    if not wrong:
        return

    kept = [record for record in options["records"] if (record["host"], record["type"]) not in wrong]
    patterns = [build_protect_pattern(host, kind) for host, kind in wrong]
    options.update(records=kept, protect=[*options.get("protect", PROTECTED), *patterns])
    left_out.update({f"records {host} {kind}": why for (host, kind), why in wrong.items()})


def _why_no_record(record: Item) -> str:
    """Why no item takes a record; empty where one does. What else than a private key is in records the world can read anyway."""
    if holds_private_key(record["value"]):
        return _SECRET
    problem = problem_of(record)
    return f"it {problem}" if problem else describe_record_problem(record).rstrip(".")


def _in_order(kind: Kind, items: Iterable[Item]) -> list[Item]:
    """By name, subdomains after the domain that they are in."""
    parents = {item["domain"]: item["parent_domain"] for item in items if item.get("parent_domain")}

    def place(item: Item) -> list[str]:
        names = [str(item[row.option]) for row in kind.key]
        while names[0] in parents and parents[names[0]] not in names:
            names.insert(0, parents[names[0]])
        return names

    return sorted(items, key=place)

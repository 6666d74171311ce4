# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the objects of a panel to the items that panel_resources takes. Pure: dictionaries in, an Export out. Private to the collection.

An item says what its object is, so that it changes nothing on the same panel and makes the same on an empty one. What an option cannot
say is left out with a warning, since an item that is refused would stand in the way of all others.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Callable, NamedTuple

from .._errors import OptionError
from .._kinds.domain import class_of
from .._kinds.registry import BY_PATH, DNS, KINDS, TABLES
from .._schema.exported import SECRET, CannotBeNamed, ObjectExport, option_value, reason_of_problem
from .._schema.kind import OWNER, Kind, Reference
from .._secrets.redaction import holds_private_key
from .._secrets.terminal import on_one_line
from .._task.mistakes import first_of
from .._values.names import DomainName
from .export_zone import exported_zone
from .wanted_items import ItemReader

Objects = Mapping[str, Sequence[Mapping[str, Any]]]
_KEY_OF_ZONE = DomainName()
_MOST_NAMED = 20


class Omission(NamedTuple):
    """What an export leaves out: an object, or its member ``option``, and why. accepted: of a list, the entries that the option takes."""

    kind: str
    key: str
    id: Any
    reason: str
    option: str | None = None
    accepted: list[Any] | None = None


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
    objects: Objects,
    zones: Mapping[Any, Mapping[str, Any]] | None = None,
    kinds: Iterable[str] = tuple(KINDS),
    owners: frozenset[Any] | None = None,
) -> Export:
    """The items of these kinds.

    objects: by plural kind all objects as the panel shows them, also of the kinds that are only referred to. zones: by the id of the
    domain, as read; not needed for domains that say that theirs is the default one, or disabled. owners: the ids of the clients to which
    the export is restricted, None for everything.
    """
    left_out: list[Omission] = []
    wanted = frozenset(kinds)
    resources: dict[str, list[dict[str, Any]]] = {}
    for plural in KINDS:
        if plural not in wanted:
            continue
        if plural == DNS:
            domains = _chosen("domains", objects["domains"], owners)
            if "domains" in resources:
                # The zone of a domain that is left out would have nothing to be in.
                kept = {item["domain"] for item in resources["domains"]}
                domains = [domain for domain in domains if _KEY_OF_ZONE.comparable(domain.get("domain")) in kept]
            resources[plural] = _exported_zones(domains, zones or {}, left_out)
        else:
            exporter = Exporter(TABLES[plural], objects)
            resources[plural] = exporter.items(_chosen(plural, objects[plural], owners), left_out)
    return Export(resources, tuple(left_out))


def by_reason(
    omissions: Iterable[Omission], label: Callable[[Omission], str]
) -> Iterator[tuple[str, str | None, str, str]]:
    """Kind, option and reason, each once, with the labels of the objects, as far as a person reads them."""
    found: dict[tuple[str, str | None, str], list[str]] = {}
    for one in omissions:
        found.setdefault((one.kind, one.option, one.reason), []).append(label(one))
    for (kind, option, reason), labels in found.items():
        yield kind, option, reason, first_of(labels, _MOST_NAMED)


def _chosen(plural: str, shown: Sequence[Mapping[str, Any]], owners: frozenset[Any] | None) -> list[Mapping[str, Any]]:
    """The objects that are exported: without those of other clients, and without the panel's own domains."""
    if plural == "domains":
        shown = [domain for domain in shown if class_of(domain) != "system_domains"]
    if owners is None:
        return list(shown)
    member = "id" if plural == "clients" else OWNER
    return [item for item in shown if _is_one_of(item.get(member), owners)]


def _is_one_of(identifier: Any, owners: frozenset[Any]) -> bool:
    """Whether an id is in a set; what a panel shows there may be anything."""
    return isinstance(identifier, (int, str)) and identifier in owners


def _exported_zones(
    domains: Iterable[Mapping[str, Any]], zones: Mapping[Any, Mapping[str, Any]], left_out: list[Omission]
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
        except OptionError as error:
            reason = f"panel_dns does not take its records ({error.message})"
        if reason:
            left_out.append(Omission(DNS, on_one_line(str(domain.get("domain"))), domain.get("id"), reason))
        elif item is not None:
            items.append(item)
    return items


class Exporter:
    """Makes the items of one kind. objects: all that may be referred to, those of the kind included."""

    def __init__(self, kind: Kind, objects: Objects) -> None:
        self._kind, self._objects = kind, objects
        self._names: dict[str, dict[str, str]] = {}
        self._flags = _FLAGS_OF_CREATION.get(kind.plural, _no_flags)(objects)
        self._reader = ItemReader(kind.plural)

    def items(self, shown: Iterable[Mapping[str, Any]], left_out: list[Omission]) -> list[dict[str, Any]]:
        """The items of these objects, sorted by name; adds to what is left out."""
        items = []
        for one in shown:
            item, omissions = self.item(one)
            left_out += omissions
            if item is not None:
                items.append(item)
        return _sorted(self._kind, items)

    def item(self, shown: Mapping[str, Any]) -> tuple[dict[str, Any] | None, list[Omission]]:
        """The item of an object with the members that it leaves out; without one, the object is what is left out."""
        plural, identifier = self._kind.plural, shown.get("id")
        export = ObjectExport(self._name_of, self._flags(shown))
        try:
            item = self._item(shown, export)
        except CannotBeNamed as why:
            label = on_one_line(":".join(row.label(shown, self._name_of) for row in self._kind.key))
            return None, [Omission(plural, label, identifier, str(why))]
        label = ":".join(str(item[row.option]) for row in self._kind.key)
        if self._counts[self._key(shown)] > 1:
            reason = "several have this name, so an item could not say which one it means"
            return None, [Omission(plural, label, identifier, reason)]
        _wanted, problems = self._reader.read(item)
        if problems:
            return None, [Omission(plural, label, identifier, f"no item takes it ({problems[0]})")]
        return item, [Omission(plural, label, identifier, *member) for member in export.left_out]

    @functools.cached_property
    def _counts(self) -> Counter[tuple[str, ...]]:
        """How many objects of the panel have each name, also those that no item can stand for otherwise."""
        return Counter(map(self._key, self._objects[self._kind.plural]))

    def _key(self, shown: Mapping[str, Any]) -> tuple[str, ...]:
        """The natural key in its normal form; what does not show its owner may be the server's own."""
        return tuple(str(row.comparable(row.shown({row.name: None, **shown}))) for row in self._kind.key)

    def _item(self, shown: Mapping[str, Any], export: ObjectExport) -> dict[str, Any]:
        for part in self._kind.key:
            export.values[part.name] = part.key_of(shown, self._name_of)
        for row in self._kind.rows:
            value = row.exported(shown, export)
            if value is not None:
                export.values[row.name] = value
        rows = (*self._kind.key, *self._kind.rows)
        return {row.option: export.values[row.name] for row in rows if row.name in export.values}

    def _name_of(self, row: Reference, shown: Mapping[str, Any]) -> str | None:
        identifier = shown.get(row.name)
        if identifier is None and row.alike is not None:
            # Where the panel does not show the id: the only object that the module would take for the right one.
            others = self._objects.get(BY_PATH[row.collection].plural, ())
            fitting = [one.get("id") for one in others if row.alike(shown, one)]
            identifier = fitting[0] if len(fitting) == 1 else None
        return self._names_of(row).get(str(identifier))

    def _names_of(self, row: Reference) -> dict[str, str]:
        """By id the names of all objects that this reference can name."""
        found = self._names.get(row.name)
        if found is None:
            kind = BY_PATH[row.collection]
            named = (
                (one.get("id"), option_value(row.type, one.get(kind.name_member))) for one in self._objects[kind.plural]
            )
            found = self._names[row.name] = {str(identifier): name for identifier, name in named if name}
        return found


def _sorted(kind: Kind, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By name; subdomains after the domain that they are in."""
    parents = {item["domain"]: item["parent_domain"] for item in items if item.get("parent_domain")}

    def place(item: dict[str, Any]) -> list[str]:
        names = [str(item[row.option]) for row in kind.key]
        while names[0] in parents and parents[names[0]] not in names:
            names.insert(0, parents[names[0]])
        return names

    return sorted(items, key=place)


Flags = Callable[[Mapping[str, Any]], "dict[str, Any]"]


def _no_flags(_objects: Objects) -> Flags:
    return lambda _shown: {}


def _flags_of_domains(_objects: Objects) -> Flags:
    """The www subdomain is listed as a domain of its own, where there is one."""
    return lambda domain: {"create_www_subdomain": False} if class_of(domain) == "main_domains" else {}


def _flags_of_clients(objects: Objects) -> Flags:
    """System domains are not listed; the panel makes them with their client."""
    having = {domain.get(OWNER) for domain in objects.get("domains", ()) if class_of(domain) == "system_domains"}
    return lambda client: {"create_system_domain": True} if client.get("id") in having else {}


# What has to be said on creation for the panel to make exactly what the export lists.
_FLAGS_OF_CREATION: dict[str, Callable[[Objects], Flags]] = {"domains": _flags_of_domains, "clients": _flags_of_clients}

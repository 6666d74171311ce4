# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From one object of a panel to the item that panel_resources takes. Pure. Private to the collection.

An item says what its object is, so that it changes nothing on the same panel and makes the same on an empty one. What an option cannot
say is left out with a warning, since an item that is refused would stand in the way of all others.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Callable, NamedTuple

from .._kinds.domain import class_of
from .._kinds.registry import BY_PATH, TABLES
from .._schema.exported import CannotBeNamed, ObjectExport, option_value
from .._schema.kind import OWNER, Kind, Needed, Reference
from .._secrets.terminal import on_one_line
from .._task.mistakes import first_of
from .wanted_items import ItemReader

Objects = Mapping[str, Sequence[Mapping[str, Any]]]
Whole = Callable[[Kind, Mapping[str, Any]], Mapping[str, Any]]
_MOST_NAMED = 20


class Omission(NamedTuple):
    """What an export leaves out: an object, or its member ``option``, and why. accepted: of a list, the entries that the option takes."""

    kind: str
    key: str
    id: Any
    reason: str
    option: str | None = None
    accepted: list[Any] | None = None


def by_reason(
    omissions: Iterable[Omission], label: Callable[[Omission], str]
) -> Iterator[tuple[str, str | None, str, str]]:
    """Kind, option and reason, each once, with the labels of the objects, as far as a person reads them."""
    found: dict[tuple[str, str | None, str], list[str]] = {}
    for one in omissions:
        found.setdefault((one.kind, one.option, one.reason), []).append(label(one))
    for (kind, option, reason), labels in found.items():
        yield kind, option, reason, first_of(labels, _MOST_NAMED)


def is_made_along(plural: str, shown: Mapping[str, Any]) -> bool:
    """Whether the panel makes it with another object, so that it has no item and is not missing."""
    return plural == "domains" and class_of(shown) == "system_domains"


def _as_listed(_kind: Kind, shown: Mapping[str, Any]) -> Mapping[str, Any]:
    return shown


class Exporters(Mapping[str, "Exporter"]):
    """The exporters of the kinds that are exported, which ask one another whether an object is left out.

    objects: all that may be referred to. whole: an object with what an item cannot do without, where lists may leave it out.
    """

    def __init__(self, objects: Objects, kinds: Iterable[str], whole: Whole = _as_listed) -> None:
        self.objects, self.whole, self._kinds = objects, whole, tuple(kind for kind in kinds if kind in TABLES)
        self._made: dict[str, Exporter] = {}

    def __getitem__(self, plural: str) -> Exporter:
        if plural not in self._kinds:
            raise KeyError(plural)
        if plural not in self._made:
            self._made[plural] = Exporter(TABLES[plural], self)
        return self._made[plural]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    def leave_out(self, plural: str, identifier: Any) -> bool:
        """Whether an object of the panel is left out, so that what depends on it would find nothing on an empty panel."""
        return plural in self._kinds and self[plural].leaves_out(identifier)


class Exporter:
    """Makes the items of one kind. exporters: of the other kinds, and itself."""

    def __init__(self, kind: Kind, exporters: Exporters) -> None:
        self._kind, self._exporters, self._objects = kind, exporters, exporters.objects
        self._names: dict[str, dict[str, str]] = {}
        self._ids: dict[str, dict[str, Any]] = {}
        self._flags = _FLAGS_OF_CREATION.get(kind.plural, _no_flags)(self._objects)
        self._reader = ItemReader(kind.plural)
        self._left_out: dict[str, bool] = {}  # by id

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
        place = str(shown.get("id"))
        self._left_out[place] = False  # for a circle of objects that refer to one another
        item, omissions = self._made(shown)
        self._left_out[place] = item is None
        return item, omissions

    def leaves_out(self, identifier: Any) -> bool:
        """Whether there is an object with this id that no item stands for."""
        place = str(identifier)
        shown = self._by_id.get(place)
        if shown is None or is_made_along(self._kind.plural, shown):
            return False
        if place not in self._left_out:
            self.item(self._exporters.whole(self._kind, shown))
        return self._left_out[place]

    @functools.cached_property
    def _by_id(self) -> dict[str, Mapping[str, Any]]:
        return {str(one.get("id")): one for one in self._objects[self._kind.plural]}

    def _made(self, shown: Mapping[str, Any]) -> tuple[dict[str, Any] | None, list[Omission]]:
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
        self._leave_out_what_lacks(export)
        rows = (*self._kind.key, *self._kind.rows)
        return {row.option: export.values[row.name] for row in rows if row.name in export.values}

    def _leave_out_what_lacks(self, export: ObjectExport) -> None:
        """Leaves out what counts on an object that is left out."""
        for need in self._kind.needs:
            names = () if need.may_lack else need.names(export.values)
            missing = {name for name in names if self._is_left_out(need, name)}
            if not missing:
                continue
            reason = f"a {need.noun} that it needs is left out"
            if need.option in self._kind.named_by:
                raise CannotBeNamed(reason)
            value = export.values.pop(need.option)
            entries = value if isinstance(value, list) else []
            kept = [one for one in entries if missing.isdisjoint(need.names({need.option: [one]}))]
            export.leave_out(need.option, reason, kept)

    def _is_left_out(self, need: Needed, name: str) -> bool:
        plural = BY_PATH[need.collection].plural
        if plural not in self._exporters:
            return False
        if need.option not in self._ids:
            self._ids[need.option] = {
                str(need.type.comparable(one.get(need.member))): one.get("id") for one in self._objects[plural]
            }
        return self._exporters.leave_out(plural, self._ids[need.option].get(name))

    def _name_of(self, row: Reference, shown: Mapping[str, Any]) -> str | None:
        identifier = shown.get(row.name)
        if identifier is None and row.alike is not None:
            # Where the panel does not show the id: the only object that the module would take for the right one.
            others = self._objects.get(BY_PATH[row.collection].plural, ())
            fitting = [one.get("id") for one in others if row.alike(shown, one)]
            identifier = fitting[0] if len(fitting) == 1 else None
        # What is left out cannot be named, since no item makes it.
        is_left_out = self._exporters.leave_out(BY_PATH[row.collection].plural, identifier)
        return None if is_left_out else self._names_of(row).get(str(identifier))

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

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
from .._kinds.registry import BY_PATH
from .._schema.exported import CannotBeNamed, ObjectExport, option_value
from .._schema.kind import OWNER, Kind, Reference
from .._secrets.terminal import on_one_line
from .._task.mistakes import first_of
from .wanted_items import ItemReader

Objects = Mapping[str, Sequence[Mapping[str, Any]]]
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

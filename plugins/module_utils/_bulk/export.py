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
from .._kinds.registry import BY_PATH, DNS, KINDS, TABLES
from .._object.domain_classes import class_of
from .._rows.tables import OWNER, Change, Field, Group, Kind, Reference
from .._secrets.forms import holds_private_key
from .._secrets.redaction import holds_secret_by_form, without_secrets
from .._secrets.terminal import on_one_line
from .._task.mistakes import first_of
from .._task.sendable import problem_of
from .._values.collections import SetOf
from .._values.names import DomainName
from .export_zone import exported_zone
from .items import ItemReader

Objects = Mapping[str, Sequence[Mapping[str, Any]]]
_KEY_OF_ZONE = DomainName()
_MOST_NAMED = 20
_SECRET = "it holds a secret (a private key, a hash of a password, an address or a text of JSON with a password)"


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


class _CannotBeNamed(Exception):
    """An object that no item can stand for; the text says why."""


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
            reason = _SECRET if is_private else _reason_of_problem(problem_of(item))
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
        members: list[_Member] = []
        try:
            item = self._item(shown, members)
        except _CannotBeNamed as why:
            return None, [Omission(self._kind.plural, self._label(shown), shown.get("id"), str(why))]
        label = ":".join(str(item[_name_of(row)]) for row in self._kind.key)
        if self._counts[self._key(shown)] > 1:
            reason = "several have this name, so an item could not say which one it means"
            return None, [Omission(self._kind.plural, label, shown.get("id"), reason)]
        _wanted, problems = self._reader.read(item)
        if problems:
            return None, [Omission(self._kind.plural, label, shown.get("id"), f"no item takes it ({problems[0]})")]
        return item, [Omission(self._kind.plural, label, shown.get("id"), *member) for member in members]

    @functools.cached_property
    def _counts(self) -> Counter[tuple[str, ...]]:
        """How many objects of the panel have each name, also those that no item can stand for otherwise."""
        return Counter(map(self._key, self._objects[self._kind.plural]))

    def _key(self, shown: Mapping[str, Any]) -> tuple[str, ...]:
        """The natural key in its normal form."""
        return tuple(
            str(row.type.comparable(shown.get(row.name))) if isinstance(row, Field) else str(shown.get(row.name) or 0)
            for row in self._kind.key
        )

    def _item(self, shown: Mapping[str, Any], left_out: list[_Member]) -> dict[str, Any]:
        item: dict[str, Any] = {}
        for part in self._kind.key:
            value = self._option(part, shown)
            if value is None:
                raise _CannotBeNamed(_reason_of_key(part, shown.get(part.name)))
            item[_name_of(part)] = value
        flags = self._flags(shown)
        for row in self._kind.rows:
            name = _name_of(row)
            if isinstance(row, Group):
                value = self._group(row, shown.get(row.name), left_out)
            elif row.required and self._option(row, shown) is None and not self._is_inherited(row, item):
                raise _CannotBeNamed(_reason_of_required(row, shown.get(row.name)))
            elif isinstance(row, Field) and row.change is Change.AT_CREATION:
                value = flags.get(row.name)
            else:
                value = self._said(row, shown, left_out)
            if value is not None:
                item[name] = value
        return item

    def _group(self, group: Group, shown: Any, left_out: list[_Member]) -> dict[str, Any] | None:
        lacking = _lacking(group, shown)
        if lacking is not None:
            reason = f"the panel shows no {lacking} in it that the module accepts; without it this is not made again on another panel"
            left_out.append(_Member(reason, group.name))
            return None
        if not isinstance(shown, Mapping):
            return None
        members: dict[str, Any] = {}
        for row in group.members:
            if isinstance(row, Field) and (row.secret or _is_without_meaning(row, shown)):
                continue
            value = self._said(row, shown, left_out, f"{group.name}.")
            if value is not None:
                members[_name_of(row)] = value
        _leave_out_alternatives(group, shown, members, left_out)
        if group.clearable and len(members) == len(group.members) and not any(members.values()):
            return {}
        return members or None

    def _said(self, row: Field | Reference, shown: Mapping[str, Any], left_out: list[_Member], path: str = "") -> Any:
        """The option's value; None, with a warning where that loses something, when no value says what the panel shows."""
        value = self._option(row, shown)
        current = shown.get(row.name)
        if value is not None or current in (None, ""):
            return value
        option = path + _name_of(row)
        if isinstance(row, Field):
            reason = _reason_of_text(current) or _reason_of_value(row)
        elif row.change is not Change.FREE:
            raise _CannotBeNamed(_reason_of_key(row, current))
        elif str(current) == "0":
            return None
        else:
            reason = f"the {row.noun} with this id is not on the panel, or cannot be named"
        left_out.append(_Member(reason, option, _accepted(row, current)))
        return None

    def _is_inherited(self, row: Field | Reference, item: Mapping[str, Any]) -> bool:
        """Whether an object that is made again takes the reference over from another one that its item names."""
        source = row.inherit.reference if isinstance(row, Reference) and row.inherit is not None else ""
        rows = (one for one in self._kind.rows if isinstance(one, Reference) and one.name == source)
        return any(item.get(one.option) for one in rows)

    def _option(self, row: Field | Reference, shown: Mapping[str, Any]) -> Any:
        """What an option takes to mean what the panel shows; None where it cannot say that."""
        if isinstance(row, Reference):
            return self._referred(row, shown)
        return None if row.name not in shown else option_value(row, shown[row.name])

    def _referred(self, row: Reference, shown: Mapping[str, Any]) -> str | None:
        identifier = shown.get(row.name)
        if row.empty_is_zero and row.name in shown and identifier in (None, 0, "0"):
            return ""
        if identifier is None and row.alike is not None:
            return self._alike(row, shown)
        return self._names_of(row).get(str(identifier))

    def _alike(self, row: Reference, shown: Mapping[str, Any]) -> str | None:
        """Where the panel does not show the id: the only object that the module would take for the right one."""
        plural = BY_PATH[row.collection].plural
        fitting = [one for one in self._objects.get(plural, ()) if row.alike is not None and row.alike(shown, one)]
        return self._names_of(row).get(str(fitting[0].get("id"))) if len(fitting) == 1 else None

    def _names_of(self, row: Reference) -> dict[str, str]:
        """By id the names of all objects that this reference can name."""
        found = self._names.get(row.name)
        if found is None:
            kind = BY_PATH[row.collection]
            key = Field(kind.name_member, row.type)
            named = ((one.get("id"), option_value(key, one.get(key.name))) for one in self._objects[kind.plural])
            found = self._names[row.name] = {str(identifier): name for identifier, name in named if name}
        return found

    def _label(self, shown: Mapping[str, Any]) -> str:
        """An object in the words of a warning, whatever it shows."""
        parts = []
        for row in self._kind.key:
            current = shown.get(row.name)
            if isinstance(row, Field):
                parts.append(str(without_secrets(current) or f"id {shown.get('id')}"))
            else:
                parts.append(self._names_of(row).get(str(current)) or (f"id {current}" if current else ""))
        return on_one_line(":".join(parts))


class _Member(NamedTuple):
    """A member that is left out of an item."""

    reason: str
    option: str
    accepted: list[Any] | None = None


def _leave_out_alternatives(
    group: Group, shown: Mapping[str, Any], members: dict[str, Any], left_out: list[_Member]
) -> None:
    switched_on = [name for name, off in group.alternatives if str(shown.get(name) or off) != str(off)]
    if len(switched_on) < 2:
        return
    for row in group.members:
        if row.name in switched_on and members.pop(_name_of(row), None) is not None:
            reason = f"the panel shows {' and '.join(switched_on)} at once, which exclude each other"
            left_out.append(_Member(reason, f"{group.name}.{_name_of(row)}"))


def _accepted(row: Field | Reference, shown: Any) -> list[Any] | None:
    """The entries of a list that the option takes, though it does not take all of them."""
    if not isinstance(row.type, SetOf) or not isinstance(shown, list):
        return None
    entries = (option_value(Field(row.name, row.type), [entry]) for entry in shown)
    return sorted({one for entry in entries for one in entry or ()}, key=str)


def option_value(row: Field, shown: Any) -> Any:
    """What the option takes to mean the shown value: an empty text for null where it clears, None where no value does.

    What the module would send for it is what is returned, so it is accepted, and it is the same as what is there.
    """
    if _reason_of_text(shown):
        return None
    try:
        parsed = row.type.parse("" if shown is None else shown)
        if not row.type.same(parsed, shown):
            return None
    except (ValueError, TypeError, ArithmeticError):
        return None
    if isinstance(parsed, list):
        return sorted(parsed, key=str)
    return "" if parsed is None else parsed


def _name_of(row: Any) -> str:
    name: str = row.option if isinstance(row, Reference) else row.name
    return name


def _lacking(group: Group, shown: Any) -> str | None:
    """The member without which the group says nothing, where the panel does not show it; secrets are never shown."""
    if not group.required:
        return None
    needed = [row for row in group.members if isinstance(row, Field) and row.required and not row.secret]
    holder = shown if isinstance(shown, Mapping) else {}
    return next((row.name for row in needed if option_value(row, holder.get(row.name)) is None), None)


def _is_without_meaning(row: Field, shown: Mapping[str, Any]) -> bool:
    """Whether the member counts only with another value of its sibling."""
    return row.only_with is not None and shown.get(row.only_with[0]) != row.only_with[1]


def _sorted(kind: Kind, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By name; subdomains after the domain that they are in."""
    parents = {item["domain"]: item["parent_domain"] for item in items if item.get("parent_domain")}

    def place(item: dict[str, Any]) -> list[str]:
        names = [str(item[_name_of(row)]) for row in kind.key]
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
    having = {domain.get("id_user") for domain in objects.get("domains", ()) if class_of(domain) == "system_domains"}
    return lambda client: {"create_system_domain": True} if client.get("id") in having else {}


# What has to be said on creation for the panel to make exactly what the export lists.
_FLAGS_OF_CREATION: dict[str, Callable[[Objects], Flags]] = {"domains": _flags_of_domains, "clients": _flags_of_clients}


def _reason_of_text(shown: Any) -> str:
    """Why a value is none to hand on, whatever option it is for; empty where it may be."""
    return _SECRET if holds_secret_by_form(shown) else _reason_of_problem(problem_of(shown))


def _reason_of_problem(problem: str) -> str:
    return f"it {problem}" if problem else ""


def _reason_of_key(row: Field | Reference, current: Any) -> str:
    if isinstance(row, Reference):
        return f"the {row.noun} that it belongs to is not on the panel, or cannot be named"
    problem = problem_of(current)
    if problem:
        return f"its {row.name} {problem}"
    return f"its {row.name} is none that the module accepts; it must be {row.type.form}"


def _reason_of_required(row: Field | Reference, current: Any) -> str:
    if current in (None, "") and isinstance(row, Field):
        return f"the panel shows no {row.name} of it, without which it is not made again"
    return _reason_of_key(row, current)


def _reason_of_value(row: Field) -> str:
    return f"the module does not accept what the panel shows; it must be {row.type.form}"

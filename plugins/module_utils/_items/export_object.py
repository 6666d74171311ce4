# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From one object of a panel to the item that panel_resources takes: one walk over the table. Pure. Private to the collection.

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
from .._schema.fields import Field, Group, Member, Reference
from .._schema.kind import OWNER, Change, Kind, Needed
from .._secrets.redaction import holds_secret_by_form, without_secrets
from .._secrets.terminal import on_one_line
from .._task.mistakes import first_of
from .._values.json_values import problem_of
from .._values.value_types import ValueType
from .wanted_items import ItemReader

ShownObjects = Mapping[str, Sequence[Mapping[str, Any]]]
Whole = Callable[[Kind, Mapping[str, Any]], Mapping[str, Any]]
SECRET = "it holds a secret (a private key, a hash of a password, an address or a text of JSON with a password)"
_MOST_NAMED = 20


class Omission(NamedTuple):
    """What an export leaves out: an object, or its member ``option``, and why."""

    kind: str
    key: str
    id: Any
    reason: str
    option: str | None = None


class _CannotBeNamed(Exception):
    """An object that no item can stand for; the text says why."""


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


def reason_of_problem(shown: Any) -> str:
    """Why no request could hold a value; empty where one could."""
    problem = problem_of(shown)
    return f"it {problem}" if problem else ""


def _reason_of_text(shown: Any) -> str:
    return SECRET if holds_secret_by_form(shown) else reason_of_problem(shown)


def option_value(value_type: ValueType, shown: Any) -> Any:
    """What an option takes to mean the shown value: an empty text for null where it clears, None where no value does."""
    if _reason_of_text(shown):
        return None
    try:
        value = value_type.parse("" if shown is None else shown)
        is_same = value_type.same(value, shown)
    except (ValueError, TypeError, ArithmeticError):
        return None
    if not is_same:
        return None
    return sorted(value, key=str) if isinstance(value, list) else "" if value is None else value


class Exporter:
    """Makes the items of one kind. exporters: of the other kinds, and itself."""

    def __init__(self, kind: Kind, exporters: Exporters) -> None:
        self._kind, self._exporters, self._objects = kind, exporters, exporters.objects
        self._names: dict[str, dict[str, str]] = {}
        self._ids: dict[str, dict[str, Any]] = {}
        self._left_out: dict[str, bool] = {}  # by id

    @functools.cached_property
    def _reader(self) -> ItemReader:
        return ItemReader(self._kind.plural)

    def items(self, shown: Iterable[Mapping[str, Any]], left_out: list[Omission]) -> list[dict[str, Any]]:
        """The items of these objects, sorted by name; adds to what is left out."""
        made = [self.item(one) for one in shown]
        left_out += [one for _item, omissions in made for one in omissions]
        return _sorted(self._kind, [item for item, _omissions in made if item is not None])

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

    @functools.cached_property
    def _counts(self) -> Counter[tuple[str, ...]]:
        """How many objects of the panel have each name, also those that no item can stand for otherwise."""
        return Counter(map(self._key, self._objects[self._kind.plural]))

    def _key(self, shown: Mapping[str, Any]) -> tuple[str, ...]:
        """The natural key in its normal form; what does not show its owner may be the server's own."""
        return tuple(str(row.comparable(row.shown({row.name: None, **shown}))) for row in self._kind.key)

    def _made(self, shown: Mapping[str, Any]) -> tuple[dict[str, Any] | None, list[Omission]]:
        def omission(label: str, reason: str, option: str | None = None) -> Omission:
            return Omission(self._kind.plural, label, shown.get("id"), reason, option)

        left_out: list[tuple[str, str]] = []
        try:
            item = self._item(shown, left_out)
        except _CannotBeNamed as why:
            label = on_one_line(":".join(self._label(row, shown) for row in self._kind.key))
            return None, [omission(label, str(why))]
        label = ":".join(str(item[row.option]) for row in self._kind.key)
        if self._counts[self._key(shown)] > 1:
            return None, [omission(label, "several have this name, so an item could not say which one it means")]
        _wanted, problems = self._reader.read(item)
        if problems:
            return None, [omission(label, f"no item takes it ({problems[0]})")]
        return item, [omission(label, reason, option) for option, reason in left_out]

    def _label(self, row: Member, shown: Mapping[str, Any]) -> str:
        current = shown.get(row.name)
        if isinstance(row, Reference):
            return self._name_of(row, shown) or (f"id {current}" if current else "")
        return str(without_secrets(current) or f"id {shown.get('id')}")

    def _item(self, shown: Mapping[str, Any], left_out: list[tuple[str, str]]) -> dict[str, Any]:
        values: dict[str, Any] = {}  # by the names of rows
        for part in self._kind.key:
            value = self._value_of(part, shown)
            if value is None:
                raise _CannotBeNamed(_why_unnamed(part, shown))
            values[part.name] = value
        for row in self._kind.rows:
            value = (
                self._group(row, shown.get(row.name), left_out)
                if isinstance(row, Group)
                else self._member(row, shown, values, left_out)
            )
            if value is not None:
                values[row.name] = value
        self._leave_out_what_lacks(values, left_out)
        rows = (*self._kind.key, *self._kind.rows)
        return {row.option: values[row.name] for row in rows if row.name in values}

    def _value_of(self, row: Member, shown: Mapping[str, Any]) -> Any:
        """What the option takes to mean what the panel shows; None where nothing does."""
        if isinstance(row, Reference):
            is_empty = row.empty_is_zero and row.name in shown and shown[row.name] in (None, 0, "0")
            return "" if is_empty else self._name_of(row, shown)
        return option_value(row.type, shown[row.name]) if row.name in shown else None

    def _member(
        self,
        row: Field | Reference,
        shown: Mapping[str, Any],
        values: Mapping[str, Any],
        left_out: list[tuple[str, str]],
        prefix: str = "",
    ) -> Any:
        """values: of the rows before. prefix: of the group that it is in."""
        if row.secret or not row.counts(shown):
            return None
        if row.change is Change.AT_CREATION:
            return self._flags(shown).get(row.name)
        current, value = shown.get(row.name), self._value_of(row, shown)
        if value is not None:
            return value
        is_shown = current not in (None, "")
        if isinstance(row, Reference):
            # An object that is made again may take it over from another one that its item names.
            belongs = is_shown and (row.change is not Change.FREE or row.name == OWNER)
            if belongs or (row.required and not values.get(row.inherit)):
                raise _CannotBeNamed(_why_unnamed(row, shown))
            if is_shown and str(current) != "0":
                left_out.append((prefix + row.option, _unnamed(row, "with this id")))
        elif row.required:
            hidden = f"the panel shows no {row.name} of it, without which it is not made again"
            raise _CannotBeNamed(_why_unnamed(row, shown) if is_shown else hidden)
        elif is_shown:
            reason = f"the module does not accept what the panel shows; it must be {row.type.form}"
            left_out.append((prefix + row.name, _reason_of_text(current) or reason))
        return None

    def _group(self, group: Group, shown: Any, left_out: list[tuple[str, str]]) -> dict[str, Any] | None:
        holder = shown if isinstance(shown, Mapping) else {}
        needed = [one for one in group.members if group.required and one.required and not one.secret]
        lacking = next((one.name for one in needed if self._value_of(one, holder) is None), None)
        if lacking is not None:
            reason = f"the panel shows no {lacking} in it that the module accepts; without it this is not made again on another panel"
            left_out.append((group.name, reason))
            return None
        found = {one.option: self._member(one, holder, {}, left_out, f"{group.name}.") for one in group.members}
        members = {option: value for option, value in found.items() if value is not None}
        on = [name for name, off in group.alternatives if str(holder.get(name) or off) != str(off)]
        for member in group.members if len(on) > 1 else ():
            if member.name in on and members.pop(member.option, None) is not None:
                reason = f"the panel shows {' and '.join(on)} at once, which exclude each other"
                left_out.append((f"{group.name}.{member.option}", reason))
        if group.clearable and len(members) == len(group.members) and not any(members.values()):
            return {}
        return members or None

    def _flags(self, shown: Mapping[str, Any]) -> dict[str, Any]:
        """What has to be said on creation for the panel to make exactly what the export lists."""
        if self._kind.plural == "domains":
            # The www subdomain is listed as a domain of its own, where there is one.
            return {"create_www_subdomain": False} if class_of(shown) == "main_domains" else {}
        if self._kind.plural == "clients":
            # System domains are not listed; the panel makes them with their client.
            return {"create_system_domain": True} if shown.get("id") in self._having_system_domains else {}
        return {}

    @functools.cached_property
    def _having_system_domains(self) -> set[Any]:
        domains = self._objects.get("domains", ())
        return {domain.get(OWNER) for domain in domains if class_of(domain) == "system_domains"}

    def _leave_out_what_lacks(self, values: dict[str, Any], left_out: list[tuple[str, str]]) -> None:
        """Leaves out what counts on an object that is left out."""
        for need in self._kind.needs:
            names = () if need.may_lack else need.names(values)
            if not any(self._is_left_out(need, name) for name in names):
                continue
            reason = f"a {need.noun} that it needs is left out"
            if need.option in self._kind.named_by:
                raise _CannotBeNamed(reason)
            del values[need.option]
            left_out.append((need.option, reason))

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
        kind, identifier = BY_PATH[row.collection], shown.get(row.name)
        if identifier is None and row.alike is not None:
            # Where the panel does not show the id: the only object that the module would take for the right one.
            fitting = [one.get("id") for one in self._objects.get(kind.plural, ()) if row.alike(shown, one)]
            identifier = fitting[0] if len(fitting) == 1 else None
        # What is left out cannot be named, since no item makes it.
        if self._exporters.leave_out(kind.plural, identifier):
            return None
        if row.name not in self._names:
            values = (
                (one.get("id"), option_value(row.type, one.get(kind.name_member))) for one in self._objects[kind.plural]
            )
            self._names[row.name] = {str(one): name for one, name in values if name}
        return self._names[row.name].get(str(identifier))


class Exporters(dict[str, Exporter]):
    """The exporters of the kinds that are exported, which ask one another whether an object is left out.

    objects: all that may be referred to. whole: an object with what an item cannot do without, where lists may leave it out.
    """

    def __init__(self, objects: ShownObjects, kinds: Iterable[str], whole: Whole = lambda _kind, shown: shown) -> None:
        self.objects, self.whole = objects, whole
        super().__init__({plural: Exporter(TABLES[plural], self) for plural in kinds if plural in TABLES})

    def leave_out(self, plural: str, identifier: Any) -> bool:
        """Whether an object of the panel is left out, so that what depends on it would find nothing on an empty panel."""
        return plural in self and self[plural].leaves_out(identifier)


def _unnamed(row: Reference, which: str) -> str:
    return f"the {row.noun} {which} is not on the panel, cannot be named, or is left out too"


def _why_unnamed(row: Member, shown: Mapping[str, Any]) -> str:
    """Why no option means what the panel shows of it."""
    if isinstance(row, Reference):
        return _unnamed(row, "that it belongs to")
    why = problem_of(shown.get(row.name)) or f"is none that the module accepts; it must be {row.type.form}"
    return f"its {row.name} {why}"


def _sorted(kind: Kind, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By name; subdomains after the domain that they are in."""
    parents = {item["domain"]: item["parent_domain"] for item in items if item.get("parent_domain")}

    def place(item: dict[str, Any]) -> list[str]:
        names = [str(item[row.option]) for row in kind.key]
        while names[0] in parents and parents[names[0]] not in names:
            names.insert(0, parents[names[0]])
        return names

    return sorted(items, key=place)

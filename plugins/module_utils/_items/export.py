# SPDX-License-Identifier: GPL-3.0-or-later
"""From the objects of a panel to the items that panel_resources takes: one walk over the tables. Pure. Private to the collection.

An item says what its object is, so that it changes nothing on the same panel and makes the same on an empty one. What an option cannot
say is left out with a warning, since an item that is refused would stand in the way of all others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Callable, NamedTuple

from .._errors import first_of
from .._kinds.domain import class_of
from .._kinds.registry import BY_PATH, TABLES
from .._schema.fields import Field
from .._schema.kind import OWNER, Change, Kind, Needed
from .._schema.rows import Group, Reference
from .._secrets.panel_text import on_one_line
from .._secrets.redaction import holds_secret_by_form, without_secrets
from .._task.validation import problem_of
from .._values.value_types import ValueType
from .wanted_items import ItemReader

Shown = Mapping[str, Any]
SECRET = "it holds a secret (a private key, a hash of a password, an address or a string of JSON with a password)"
_MOST_NAMED = 20


class Omission(NamedTuple):
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


def is_made_along(plural: str, shown: Shown) -> bool:
    """Whether the panel makes it with another object, so that it has no item and is not missing."""
    return plural == "domains" and class_of(shown) == "system_domains"


def option_value(value_type: ValueType, shown: Any) -> Any:
    """What an option takes to mean the shown value: an empty string for null where it clears, None where no value does."""
    if holds_secret_by_form(shown) or problem_of(shown):
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
    """Makes the items of the kinds that are exported.

    objects: all objects of a plural kind. whole: an object with what an item cannot do without, where lists may leave it out.
    """

    def __init__(
        self,
        objects: Callable[[str], Sequence[Shown]],
        kinds: Iterable[str],
        whole: Callable[[Kind, Shown], Shown] = lambda _kind, shown: shown,
    ) -> None:
        self._objects, self._kinds, self._whole = objects, frozenset(kinds), whole
        self._left_out: dict[tuple[str, str], bool] = {}  # by plural kind and id
        self._reader = cache(ItemReader)
        self._by_id = cache(lambda plural: {str(one.get("id")): one for one in objects(plural)})
        # How many objects have each name, also those that no item can stand for otherwise.
        self._counts = cache(lambda plural: Counter(_key(TABLES[plural], one) for one in objects(plural)))
        self._ids = cache(
            lambda plural, member, of: {str(of.comparable(one.get(member))): one.get("id") for one in objects(plural)}
        )
        self._with_system_domain = cache(
            lambda: {one.get(OWNER) for one in objects("domains") if class_of(one) == "system_domains"}
        )

    def items(self, kind: Kind, shown: Iterable[Shown], left_out: list[Omission]) -> list[dict[str, Any]]:
        """The items of these objects, sorted by name, subdomains after the domain that they are in; adds to what is left out."""
        made = [self.item(kind, one) for one in shown]
        left_out += [one for _item, omissions in made for one in omissions]
        items = [item for item, _omissions in made if item is not None]
        parents = {item["domain"]: item["parent_domain"] for item in items if item.get("parent_domain")}

        def place(item: dict[str, Any]) -> list[str]:
            names = [str(item[row.option]) for row in kind.key]
            while names[0] in parents and parents[names[0]] not in names:
                names.insert(0, parents[names[0]])
            return names

        return sorted(items, key=place)

    def item(self, kind: Kind, shown: Shown) -> tuple[dict[str, Any] | None, list[Omission]]:
        """The item of an object with the fields that it leaves out; without one, the object is what is left out."""
        plural, identifier = kind.plural, shown.get("id")
        self._left_out[plural, str(identifier)] = False  # for a circle of objects that refer to one another
        left_out: list[tuple[str, str]] = []
        try:
            item = self._item(kind, shown, left_out)
            if self._counts(plural)[_key(kind, shown)] > 1:
                raise _CannotBeNamed("several have this name, so an item could not say which one it means")
            _wanted, problems = self._reader(plural).read(item)
            if problems:
                raise _CannotBeNamed(f"no item takes it ({problems[0]})")
        except _CannotBeNamed as why:
            self._left_out[plural, str(identifier)] = True
            label = on_one_line(":".join(self._label(row, shown) for row in kind.key))
            return None, [Omission(plural, label, identifier, str(why))]
        label = ":".join(str(item[row.option]) for row in kind.key)
        return item, [Omission(plural, label, identifier, reason, option) for option, reason in left_out]

    def leaves_out(self, plural: str, identifier: Any) -> bool:
        """Whether an object of the panel is left out, so that what depends on it would find nothing on an empty panel."""
        shown = self._by_id(plural).get(str(identifier)) if plural in self._kinds else None
        if shown is None or is_made_along(plural, shown):
            return False
        if (plural, str(identifier)) not in self._left_out:
            self.item(TABLES[plural], self._whole(TABLES[plural], shown))
        return self._left_out[plural, str(identifier)]

    def _label(self, row: Field, shown: Shown) -> str:
        current = shown.get(row.name)
        if isinstance(row, Reference):
            return self._name_of(row, shown) or (f"id {current}" if current else "")
        return str(without_secrets(current) or f"id {shown.get('id')}")

    def _item(self, kind: Kind, shown: Shown, left_out: list[tuple[str, str]]) -> dict[str, Any]:
        values: dict[str, Any] = {}  # by the names of rows
        for part in kind.key:
            values[part.name] = self._value_of(part, shown)
            if values[part.name] is None:
                raise _CannotBeNamed(_why_unnamed(part, shown))
        # What has to be said on creation for the panel to make exactly what the export lists: system domains are not listed, and made with
        # their client; the www subdomain, where there is one, is listed as a domain of its own.
        flags: dict[str, Any] = {}
        if kind.plural == "domains" and class_of(shown) == "main_domains":
            flags["create_www_subdomain"] = False
        elif kind.plural == "clients" and shown.get("id") in self._with_system_domain():
            flags["create_system_domain"] = True
        for row in kind.rows:
            if isinstance(row, Group):
                value = self._group(row, shown.get(row.name), left_out)
            elif row.change is Change.AT_CREATION:
                value = flags.get(row.name)
            else:
                value = self._member(row, shown, values, left_out)
            if value is not None:
                values[row.name] = value
        for need in kind.needs:
            if any(self._is_left_out(need, name) for name in need.names(values)):
                reason = f"a {need.noun} that it needs is left out"
                if need.option in kind.named_by:
                    raise _CannotBeNamed(reason)
                del values[need.option]
                left_out.append((need.option, reason))
        return {row.option: values[row.name] for row in (*kind.key, *kind.rows) if row.name in values}

    def _value_of(self, row: Field, shown: Shown) -> Any:
        """What the option takes to mean what the panel shows; None where nothing does."""
        if isinstance(row, Reference):
            is_empty = row.empty_is_zero and row.name in shown and shown[row.name] in (None, 0, "0")
            return "" if is_empty else self._name_of(row, shown)
        return option_value(row.type, shown[row.name]) if row.name in shown else None

    def _member(
        self, row: Field | Reference, shown: Shown, values: Shown, left_out: list[tuple[str, str]], prefix: str = ""
    ) -> Any:
        """values: of the rows before. prefix: of the group that it is in."""
        if row.secret or not row.counts(shown):
            return None
        current, value = shown.get(row.name), self._value_of(row, shown)
        is_shown = current not in (None, "")
        if value is not None:
            return value
        # An object that is made again may take its owner over from another one that its item names.
        is_owner = isinstance(row, Reference) and is_shown and (row.change is not Change.FREE or row.name == OWNER)
        if is_owner or (row.required and not (isinstance(row, Reference) and values.get(row.inherit))):
            raise _CannotBeNamed(_why_unnamed(row, shown))
        if is_shown and not (isinstance(row, Reference) and str(current) == "0"):
            left_out.append((prefix + row.option, _why_unnamed(row, shown, "with this id")))
        return None

    def _group(self, group: Group, shown: Any, left_out: list[tuple[str, str]]) -> dict[str, Any] | None:
        holder = shown if isinstance(shown, Mapping) else {}
        for one in group.members if group.required else ():
            if one.required and not one.secret and self._value_of(one, holder) is None:
                reason = f"the panel shows no {one.name} in it that the module accepts; without it this is not made again on another panel"
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

    def _is_left_out(self, need: Needed, name: str) -> bool:
        plural = BY_PATH[need.collection].plural
        return plural in self._kinds and self.leaves_out(plural, self._ids(plural, need.member, need.type).get(name))

    def _name_of(self, row: Reference, shown: Shown) -> str | None:
        kind, identifier = BY_PATH[row.collection], shown.get(row.name)
        if identifier is None and row.copies:
            # Where the panel does not show the id: the only object that the module would take for the right one.
            fitting = [one.get("id") for one in self._objects(kind.plural) if row.alike(shown, one)]
            identifier = fitting[0] if len(fitting) == 1 else None
        # What is left out cannot be named, since no item makes it.
        found = None if self.leaves_out(kind.plural, identifier) else self._by_id(kind.plural).get(str(identifier))
        return (option_value(row.type, found.get(kind.name_member)) or None) if found is not None else None


def _key(kind: Kind, shown: Shown) -> tuple[str, ...]:
    """The natural key in its normal form; what does not show its owner may be the server's own."""
    return tuple(str(row.comparable(row.shown({row.name: None, **shown}))) for row in kind.key)


def _why_unnamed(row: Field, shown: Shown, which: str = "that it belongs to") -> str:
    """Why no option means what the panel shows of it."""
    current = shown.get(row.name)
    if isinstance(row, Reference):
        return f"the {row.noun} {which} is not on the panel, cannot be named, or is left out too"
    if current in (None, ""):
        return f"the panel shows no {row.name} of it, without which it is not made again"
    if holds_secret_by_form(current):
        return SECRET
    return f"its {row.name} {problem_of(current) or f'is none that the module accepts; it must be {row.type.form}'}"

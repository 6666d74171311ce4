# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes items of the objects of a panel.

An item says what its object is, so that it changes nothing on the same panel and makes the same on
an empty one. What an option cannot say is left out, since an item that is refused would stand in
the way of all others.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Callable

from .._kinds.registry import BY_PATH, KINDS, TABLES
from .._kinds.tables import CLIENT, DOMAIN, classify_domain
from .._problems import as_clause, format_message
from .._schema.copying_reference import CopyingReference
from .._schema.fields import OWNER, Field, Mutability, Reference
from .._schema.groups import Group
from .._schema.kind import Kind
from .._secrets.redaction import escape_control_characters, remove_secrets
from .._values.unsendable import describe_unsendable
from .desired_items import get_item_reader
from .exported_values import (
    HOLDS_KNOWN_SECRET,
    WITH_ID,
    Hides,
    explain_missing_option,
    find_option_value,
    holds_known_secret,
)
from .omissions import Omission
from .zone_options import LeftOut, make_record_options, read_switch_options

Object = Mapping[str, Any]
Item = dict[str, Any]
ListReader = Callable[[str], Sequence[Object]]
# Of domains that the panel makes with a client, so that they have no item and are not missing.
_MADE_WITH_CLIENT = "system_domains"


class _NoItem(Exception):
    """Says why no item, or no group of it, can stand for an object."""


@dataclasses.dataclass
class _Draft:
    """Holds an item that is being made.

    kind: The kind of the object.
    actual: The object as the panel shows it.
    values: What its options say, by the names of the fields.
    left_out: What they do not say.
    """

    kind: Kind
    actual: Object
    values: Item = dataclasses.field(default_factory=dict)
    left_out: LeftOut = dataclasses.field(default_factory=dict)

    def needs(self, field: Field) -> bool:
        """Tell whether no item goes without a field of the object."""
        if _refers_for_good(field, self.actual):
            return True
        is_needed = field.required or field in self.kind.key
        if not isinstance(field, Reference):
            return is_needed
        # An object that is made again may take its owner over from another one that its item names.
        return is_needed and not self.values.get(field.inherit)


class _Lists:
    """Finds objects in the lists of a panel.

    objects_of: Returns all objects of a plural kind.
    """

    def __init__(self, objects_of: ListReader) -> None:
        self.objects_of = objects_of
        self._by_id: dict[str, dict[str, Object]] = {}
        self._counts: dict[str, Counter[tuple[str, ...]]] = {}

    def find_by_id(self, kind: Kind, identifier: Any) -> Object | None:
        """Return the object of a kind with this id, if there is one."""
        plural = kind.plural
        if plural not in self._by_id:
            objects = self.objects_of(plural)
            self._by_id[plural] = {str(actual.get("id")): actual for actual in objects}
        return self._by_id[plural].get(str(identifier))

    def count_with_key_of(self, kind: Kind, actual: Object) -> int:
        """Return how many objects of a kind have the natural key of this one."""
        plural = kind.plural
        if plural not in self._counts:
            keys = [
                _normalize_key_of(TABLES[plural], candidate)
                for candidate in self.objects_of(plural)
            ]
            self._counts[plural] = Counter(keys)
        return self._counts[plural][_normalize_key_of(kind, actual)]

    @cached_property
    def domains_by_name(self) -> dict[str, Object]:
        """Return the domains by their names in normal form."""
        return {
            _normalize_key_of(DOMAIN, domain)[0]: domain for domain in self.objects_of("domains")
        }

    @cached_property
    def owners_of_system_domains(self) -> set[Any]:
        """Return the ids of the clients with a system domain."""
        domains = self.objects_of("domains")
        return {
            domain.get(OWNER) for domain in domains if classify_domain(domain) == _MADE_WITH_CLIENT
        }


def _keep_as_listed(_kind: Kind, actual: Object) -> Object:
    """Return an object as it is, since its list shows all of it."""
    return actual


def _find_no_zone(_domain: Object) -> Object | None:
    """Return no zone, for an exporter of other kinds."""
    return None


class Exporter:
    """Makes the items of the kinds that are exported, each with what it leaves out.

    objects_of: Returns all objects of a plural kind.
    kinds: The plurals of the kinds that are exported.
    hides: In which texts a secret of the task stands, so that no result shows them as they are.
    complete: Returns an object with what an item cannot do without, where lists may leave it out.
    zone_of: Reads the zone of a domain.
    """

    def __init__(
        self,
        objects_of: ListReader,
        kinds: Collection[str],
        hides: Hides,
        complete: Callable[[Kind, Object], Object] = _keep_as_listed,
        zone_of: Callable[[Object], Object | None] = _find_no_zone,
    ) -> None:
        self._lists = _Lists(objects_of)
        self._kinds = kinds
        self._hides = hides
        self._complete = complete
        self._zone_of = zone_of
        # By plural kind and id.
        self._is_left_out: dict[tuple[str, str], bool] = {}

    def export_items(
        self, owner_ids: Collection[Any] | None = None
    ) -> tuple[dict[str, list[Item]], list[Omission]]:
        """Return the items of all kinds, sorted by name, and what is left out.

        Args:
            owner_ids: The ids of the only clients whose objects count; None for all objects.
        """
        items_by_kind: dict[str, list[Item]] = {}
        all_omissions: list[Omission] = []
        for plural, kind in KINDS.items():
            if plural not in self._kinds:
                continue

            items: list[Item] = []
            for actual in self._select_objects(kind, owner_ids):
                item, omissions = self.export_item(kind, actual)
                if item is not None:
                    items.append(item)
                all_omissions += omissions
            items_by_kind[plural] = _sort_items(kind, items)

        return items_by_kind, all_omissions

    def _select_objects(self, kind: Kind, owner_ids: Collection[Any] | None) -> Iterator[Object]:
        """Yield the objects, or for zones the domains, that items shall stand for."""
        owner_field = OWNER
        if kind is CLIENT:
            owner_field = "id"

        for actual in self._lists.objects_of(kind.part_of or kind.plural):
            if classify_domain(actual) == _MADE_WITH_CLIENT:
                continue
            if owner_ids is None or actual.get(owner_field) in owner_ids:
                yield actual

    def export_item(self, kind: Kind, actual: Object) -> tuple[Item | None, list[Omission]]:
        """Return the item for an object, or for the zone of a domain, and what it leaves out.

        Without an item, the object is what is left out, or has no zone.
        """
        identity = kind.plural, str(actual.get("id"))
        # Objects may refer to one another in a circle.
        self._is_left_out[identity] = False

        draft = _Draft(kind, actual)
        try:
            item = self._make_item(draft)
            left_out = draft.left_out
        except _NoItem as error:
            item = None
            left_out = {None: str(error)}
        self._is_left_out[identity] = item is None

        if not left_out:
            return item, []
        labels = [self._format_label_of(field, actual) for field in kind.key]
        key = escape_control_characters(":".join(labels))
        omissions = [
            Omission(kind.plural, key, actual.get("id"), reason, option)
            for option, reason in left_out.items()
        ]
        return item, omissions

    def _make_item(self, draft: _Draft) -> Item | None:
        """Return an item that the reader of items takes; raises _NoItem."""
        if draft.kind.part_of:
            item = self._make_zone_item(draft)
        else:
            item = self._make_object_item(draft)
        if item is None:
            return None

        _desired, problems = get_item_reader(draft.kind.plural).read(item)
        if problems:
            raise _NoItem(f"no item takes it ({as_clause(format_message(problems[0]))})")
        return item

    def _format_label_of(self, field: Field, actual: Object) -> str:
        """Return what stands for a field of the natural key in the words of a message."""
        current = actual.get(field.name)
        value = self._find_value_of(field, actual)
        if not isinstance(field, Reference):
            return str(value or remove_secrets(current) or f"id {actual.get('id')}")
        if value:
            return str(value)
        return f"id {current}" if current else ""

    def _leaves_out(self, kind: Kind, identifier: Any) -> bool:
        """Tell whether an object of the panel is left out, so that what depends on it would find
        nothing on an empty panel.
        """
        if kind.plural not in self._kinds:
            return False
        actual = self._lists.find_by_id(kind, identifier)
        if actual is None or classify_domain(actual) == _MADE_WITH_CLIENT:
            return False

        identity = kind.plural, str(identifier)
        if identity not in self._is_left_out:
            self.export_item(kind, self._complete(kind, actual))
        return self._is_left_out[identity]

    # Objects

    def _make_object_item(self, draft: _Draft) -> Item:
        """Return the item for an object of its own."""
        kind = draft.kind
        fields = (*kind.key, *kind.fields)
        self._add_switches_of_creation(draft)
        for field in fields:
            value = self._export_option(field, draft)
            if value is not None:
                draft.values[field.name] = value
        self._leave_out_addresses(draft)

        if self._lists.count_with_key_of(kind, draft.actual) > 1:
            raise _NoItem("several have this name, so an item could not say which one it means")
        return {
            field.option: draft.values[field.name] for field in fields if field.name in draft.values
        }

    def _add_switches_of_creation(self, draft: _Draft) -> None:
        """Add what has to be said on creation for the panel to make exactly what the export lists.

        System domains are not listed, and made with their client; the www subdomain, where there
        is one, is listed as a domain of its own.
        """
        if draft.kind is DOMAIN and classify_domain(draft.actual) == "main_domains":
            draft.values["create_www_subdomain"] = False
        if draft.kind is CLIENT:
            owner_ids = self._lists.owners_of_system_domains
            if draft.actual.get("id") in owner_ids:
                draft.values["create_system_domain"] = True

    def _export_option(self, field: Field, draft: _Draft) -> Any:
        """Return what the option of a field says; None where it is not given."""
        if isinstance(field, Group):
            return self._export_group(field, draft)
        return self._export_field(field, draft.actual, draft.needs(field), draft.left_out)

    def _export_group(self, group: Group, draft: _Draft) -> Item | None:
        """Return the options of a group; None where it is not given."""
        holder = draft.actual.get(group.name)
        if not isinstance(holder, Mapping):
            holder = {}

        values: Item = {}
        try:
            for member in group.fields:
                is_needed = member.required or _refers_for_good(member, holder)
                prefix = f"{group.name}."
                values[member.option] = self._export_field(
                    member, holder, is_needed, draft.left_out, prefix
                )
        except _NoItem as error:
            draft.left_out[group.name] = str(error)
            return None

        if group.clearable and set(values.values()) == {""}:
            return {}
        options = {option: value for option, value in values.items() if value is not None}
        return options or None

    def _export_field(
        self, field: Field, holder: Object, is_needed: bool, left_out: LeftOut, prefix: str = ""
    ) -> Any:
        """Return what the option of a single field says; None where it is not given.

        Args:
            field: The field.
            holder: The object that has it, or the group of the object.
            is_needed: Whether no item, or no group of it, goes without the field.
            left_out: Gets the option where nothing that it takes means what the panel shows.
            prefix: What stands before the option in the name of the one that is left out.
        """
        if (
            field.secret
            or field.change is Mutability.AT_CREATION
            or not field.applies_beside(holder)
        ):
            return None
        value = self._find_value_of(field, holder)
        if value is not None:
            return value

        if is_needed:
            raise _NoItem(explain_missing_option(field, holder, self._hides))
        if _shows_something(field, holder):
            reason = explain_missing_option(field, holder, self._hides, WITH_ID)
            left_out[f"{prefix}{field.option}"] = reason
        return None

    def _leave_out_addresses(self, draft: _Draft) -> None:
        """Leave out addresses in a domain that is left out; raises _NoItem where one is a name."""
        kind = draft.kind
        for option in kind.rules.addresses:
            names = kind.list_domains(option, draft.values)
            if not any(self._leaves_out_domain(name) for name in names):
                continue

            reason = "a domain that it needs is left out"
            if option in kind.key_options:
                raise _NoItem(reason)
            draft.left_out[option] = reason
            del draft.values[option]

    def _leaves_out_domain(self, name: str) -> bool:
        """Tell whether the panel has a domain of this name, and it is left out."""
        domain = self._lists.domains_by_name.get(name)
        return domain is not None and self._leaves_out(DOMAIN, domain.get("id"))

    # Values

    def _find_value_of(self, field: Field, holder: Object) -> Any:
        """Return what the option takes to mean what the panel shows; None where nothing does."""
        if isinstance(field, Reference):
            return self._name_referenced_object(field, holder)
        if field.name not in holder:
            return None
        return find_option_value(field.type, holder[field.name], self._hides)

    def _name_referenced_object(self, reference: Reference, holder: Object) -> Any:
        """Return what the option takes to name the object that a reference leads to."""
        kind = BY_PATH[reference.kind_path]
        identifier = holder.get(reference.name)
        is_shown = reference.name in holder
        if reference.empty_is_zero and is_shown and identifier in (None, 0, "0"):
            return ""

        if identifier is None and isinstance(reference, CopyingReference):
            identifier = self._find_by_copies(reference, kind, holder)
        referenced = self._lists.find_by_id(kind, identifier)
        # What is left out cannot be named, since no item makes it.
        if referenced is None or self._leaves_out(kind, identifier):
            return None
        return (
            find_option_value(reference.type, referenced.get(kind.name_field), self._hides) or None
        )

    def _find_by_copies(self, reference: CopyingReference, kind: Kind, holder: Object) -> Any:
        """Return the id of the only object that the module would take for the right one, where the
        panel does not show the id.
        """
        objects = self._lists.objects_of(kind.plural)
        candidates = [
            actual.get("id") for actual in objects if reference.has_copies_of(holder, actual)
        ]
        if len(candidates) != 1:
            return None
        return candidates[0]

    # Zones

    def _make_zone_item(self, draft: _Draft) -> Item | None:
        """Return the options that make the zone of a domain on a panel where it may be another;
        None where the domain has none.
        """
        domain = draft.actual
        if classify_domain(domain) != "main_domains":
            return None
        name = str(domain.get("domain"))

        options = read_switch_options(domain)
        if options is None:
            zone = self._zone_of(domain)
            if zone is None:
                return None
            options = self._make_zone_options(domain, zone, name, draft.left_out)

        item: Item = {"domain": name, **options}
        if self._leaves_out(DOMAIN, domain.get("id")):
            raise _NoItem("its domain is left out")
        problem = describe_unsendable(item)
        if problem:
            raise _NoItem(f"it {problem}")
        # Such as the host of a record set that is left out and protected by its name.
        if holds_known_secret(item, self._hides):
            raise _NoItem(HOLDS_KNOWN_SECRET)
        return item

    def _make_zone_options(
        self, domain: Object, zone: Object, name: str, left_out: LeftOut
    ) -> Item:
        """Return the options of a zone that was read, whose switches count for more than what the
        list of domains says of them.
        """
        switches = {
            switch: zone[switch]
            for switch in ("is_custom_dns", "is_dns_disabled")
            if switch in zone
        }
        options = read_switch_options({**domain, **switches})
        if options is not None:
            return options
        return make_record_options(zone, name, self._hides, left_out)


def _refers_for_good(field: Field, holder: Object) -> bool:
    """Tell whether an object refers in a field to another one that it would not be the same
    without.
    """
    if not isinstance(field, Reference) or holder.get(field.name) in (None, ""):
        return False
    return field.change is not Mutability.FREE or field.name == OWNER


def _shows_something(field: Field, holder: Object) -> bool:
    """Tell whether the panel shows a value of a field."""
    actual = holder.get(field.name)
    if actual in (None, ""):
        return False
    return not isinstance(field, Reference) or str(actual) != "0"


def _normalize_key_of(kind: Kind, actual: Object) -> tuple[str, ...]:
    """Return the natural key in its normal form; what does not show its owner may be the server's
    own.
    """
    values = [field.normalize(actual.get(field.name)) for field in kind.key]
    return tuple(map(str, values))


def _sort_items(kind: Kind, items: Iterable[Item]) -> list[Item]:
    """Return items by name, subdomains after the domain that they are in."""
    parents = {item["domain"]: item["parent_domain"] for item in items if item.get("parent_domain")}

    def list_names_from_top(item: Item) -> list[str]:
        """Return the parts of the key after the domains that the item is in."""
        names = [str(item[field.option]) for field in kind.key]
        while names[0] in parents and parents[names[0]] not in names:
            names.insert(0, parents[names[0]])
        return names

    return sorted(items, key=list_names_from_top)

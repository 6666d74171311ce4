# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what decides whether a panel would refuse a change: whose the other objects are, and which
ones keep copies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .._kinds.registry import BY_PATH, TABLES
from .._schema.copying_reference import CopyingReference
from .._schema.field_paths import Path, has_value
from .._schema.fields import OWNER, ResolvedReference
from .._schema.kind import Kind
from .._sources.checked_answers import PanelObject
from .._sources.kind_objects import read_owner_id
from .._sources.object_source import ObjectSource
from .._values.value_types import SetOf
from .references import LookedUp, ReferenceFinder
from .resolution import Resolution


class Neighbour(NamedTuple):
    """Another object that a change names.

    option_path: Leads to the option that names it.
    label: The object in words.
    takes_no_email: Whether it is a domain without e-mail, in which no address can be.
    foreign_owners: The owners of both in words, the neighbour's first, where these are different
        clients.
    """

    option_path: Path
    label: str
    takes_no_email: bool = False
    foreign_owners: tuple[str, str] | None = None

    @property
    def is_refused(self) -> bool:
        """Tell whether a panel would refuse the change because of it."""
        return self.takes_no_email or self.foreign_owners is not None


class Surroundings(NamedTuple):
    """What was read beside an object.

    neighbours: Other objects that the change names, up to the first because of which the panel
        would refuse it.
    copies: The kinds whose objects keep what they once got from the object, each with their
        reference to it.
    is_last: Whether the panel would lose the last object that it cannot do without.
    looked_up: What was looked up for the object by now.
    """

    neighbours: tuple[Neighbour, ...] = ()
    copies: tuple[tuple[Kind, CopyingReference], ...] = ()
    is_last: bool = False
    looked_up: LookedUp = LookedUp()


class _NamedDomain(NamedTuple):
    """The domain of an address that an option names."""

    option: str
    name: str
    actual: PanelObject


class Surveyor:
    """Reads what is around one object."""

    def __init__(
        self,
        resolution: Resolution,
        source: ObjectSource[Any],
        body: Mapping[str, Any],
        owned: Mapping[str, Any],
    ) -> None:
        """Keep what is known by now.

        Args:
            resolution: The object, and what its options refer to.
            source: Where objects are read from.
            body: What is about to be sent.
            owned: The object as it is, or what creates it, which says whose it is.
        """
        self._resolution = resolution
        self._source = source
        self._body = body
        self._kind = resolution.request.kind
        self._owner = read_owner_id(owned)
        self._finder = ReferenceFinder(source, resolution.request, resolution.looked_up)

    def get_looked_up(self) -> LookedUp:
        """Return everything that was looked up by now."""
        return self._finder.get_looked_up()

    def find_neighbours(self) -> tuple[Neighbour, ...]:
        """Return the other objects that the change names; raises UnknownReference for one that is
        not there.
        """
        # All are looked up first: what is not there is not somebody else's.
        domains = self._find_domains()
        neighbours: list[Neighbour] = []
        for neighbour in self._walk_neighbours(domains):
            neighbours.append(neighbour)
            if neighbour.is_refused:
                break
        return tuple(neighbours)

    def _find_domains(self) -> list[_NamedDomain]:
        """Return the domains of new addresses."""
        addresses = {
            option: self._list_new_addresses(option) for option in self._kind.rules.addresses
        }
        domains = []
        for option in addresses:
            for name in self._kind.list_domains(option, addresses):
                actual = self._finder.find_domain_of_address(option, name)
                domains.append(_NamedDomain(option, name, actual))
        return domains

    def _walk_neighbours(self, domains: Iterable[_NamedDomain]) -> Iterator[Neighbour]:
        """Yield what the changed references lead to, and the domains of new addresses."""
        for reference in self._resolution.references:
            if has_value(self._body, reference.path):
                yield from self._find_referenced(reference)

        for domain in domains:
            foreign_owners = self._describe_foreign_owners(domain.actual)
            takes_no_email = domain.actual.get("is_email_domain") is False
            yield Neighbour(
                (domain.option,),
                f"domain {domain.name}",
                takes_no_email=takes_no_email and foreign_owners is None,
                foreign_owners=foreign_owners,
            )

    def _list_new_addresses(self, option: str) -> Any:
        """Return the address of an option, or those of its list that the object does
        not have yet.
        """
        sent = self._body.get(option)
        existing = (self._resolution.current or {}).get(option)
        if not isinstance(sent, list) or not isinstance(existing, list):
            return sent

        value_type = next(
            field.type for _path, field in self._kind.walk_fields() if field.name == option
        )
        if isinstance(value_type, SetOf):
            value_type = value_type.item
        normalize = value_type.normalize
        existing_addresses = [normalize(entry) for entry in existing]
        return [entry for entry in sent if normalize(entry) not in existing_addresses]

    def _find_referenced(self, reference: ResolvedReference) -> list[Neighbour]:
        """Return what a reference leads to, where that belongs to somebody."""
        requested = reference.requested
        actual = reference.resolved
        kind = BY_PATH[requested.field.kind_path]
        if actual is None and requested.id:
            # An owner's id need not be looked up where something that was read belongs to it.
            if reference.path == (OWNER,) and self._finder.is_owner_of_any(
                requested.id, read_owner_id
            ):
                return []
            actual = self._finder.find(requested.option_path, kind.path, None, requested.id)

        # What belongs to clients is referred to by objects of the same client alone; what is the
        # server's own is everybody's.
        if kind.owner is None or actual is None:
            return []
        name = requested.name or actual.get(kind.name_field) or f"with id {requested.id}"
        label = f"{kind.title} {name}"
        return [
            Neighbour(
                requested.option_path, label, foreign_owners=self._describe_foreign_owners(actual)
            )
        ]

    def _describe_foreign_owners(self, actual: Mapping[str, Any]) -> tuple[str, str] | None:
        """Return the owners of a neighbour and of the object in words, where these are different
        clients.
        """
        owner = self._owner
        source = self._source
        theirs = read_owner_id(actual)
        is_assumed = source.is_assumed(owner)
        references = self._resolution.references
        requested_owner = next((each for each in references if each.path == (OWNER,)), None)
        is_guess = source.is_assumed(theirs) or (is_assumed and requested_owner is None)
        if theirs in (None, 0, owner) or owner is None or is_guess:
            return None

        if is_assumed and requested_owner is not None:
            ours = f"the client {requested_owner.requested.name}"
        else:
            ours = source.describe_owner(owner)
        return source.describe_owner(theirs), ours

    def find_copies(self) -> tuple[tuple[Kind, CopyingReference], ...]:
        """Return the kinds whose objects keep what they once got from the object, and the change
        would not change there.
        """
        copies = []
        for kind in TABLES.values():
            for reference in kind.references:
                if isinstance(reference, CopyingReference) and self._has_holders(kind, reference):
                    copies.append((kind, reference))  # noqa: PERF401
        return tuple(copies)

    def _has_holders(self, kind: Kind, reference: CopyingReference) -> bool:
        """Tell whether objects of a kind have, or may have, copies of what is changed."""
        if reference.kind_path != self._kind.path:
            return False
        if reference.copies.keys().isdisjoint(self._body):
            return False

        identifier = (self._resolution.current or {}).get("id")
        holders = self._source.get_objects(kind).list_all()
        actual_ids = [holder.get(reference.name) for holder in holders]
        return any(actual is None or reference.equals(actual, identifier) for actual in actual_ids)

    def is_last(self, field: str) -> bool:
        """Tell whether at most one object has this switch on."""
        items = self._source.get_objects(self._kind).list_all()
        switched_on = [actual for actual in items if actual.get(field, True)]
        return len(switched_on) < 2

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes when an object is deleted: everything of a client, the subdomains and mailboxes of a domain. Pure. Private to the collection.

Sources: interface "Clients", DELETE; facts.md sections 4.1 and 6 (the panel warns of them when a domain is deleted).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Callable

from .._kinds.client import CLIENT
from .._kinds.domain import DOMAIN
from .._kinds.registry import IN_DOMAINS, KINDS, OWNED
from .._schema.kind import OWNER
from .._values.names import DomainName

_DOMAIN = DomainName()
(PARENT,) = DOMAIN.above
# By the kind that is deleted: the kinds that have to be known to tell what goes with it, and their members that tell it.
DEPENDENTS: dict[str, dict[str, frozenset[str]]] = {
    CLIENT.plural: {plural: frozenset([OWNER, *KINDS[plural].above]) for plural in OWNED},
    DOMAIN.plural: {
        DOMAIN.plural: frozenset([PARENT]),
        **{plural: frozenset(row.name for row in KINDS[plural].key) for plural in IN_DOMAINS},
    },
}

Objects = Iterable[Mapping[str, Any]]
Found = tuple[str, Mapping[str, Any]]


class Cascades:
    """Tells what goes with objects. ``objects_of`` gives all objects of a plural kind; each kind is looked through once."""

    def __init__(self, objects_of: Callable[[str], Objects]) -> None:
        self._objects_of = objects_of
        self._indexes: dict[tuple[str, str], dict[str, list[Mapping[str, Any]]]] = {}

    def taken_along(self, plural: str, deleted: Mapping[str, Any]) -> list[Found]:
        """(plural kind, object) of everything that goes with this object, each once."""
        identifier = str(deleted.get("id"))
        if plural == CLIENT.plural:
            return [(kind, found) for kind in OWNED for found in self._by(kind, OWNER).get(identifier, ())]
        return self._below(deleted, {identifier}) if plural == DOMAIN.plural else []

    def _below(self, domain: Mapping[str, Any], seen: set[str]) -> list[Found]:
        """seen: the ids of the domains that were looked at, since a panel may say that two are in each other."""
        name = str(_DOMAIN.comparable(domain.get("domain")))
        taken: list[Found] = [(kind, found) for kind in IN_DOMAINS for found in self._in_domains(kind).get(name, ())]
        for subdomain in self._by(DOMAIN.plural, PARENT).get(str(domain.get("id")), ()):
            identifier = str(subdomain.get("id"))
            if identifier not in seen:
                seen.add(identifier)
                taken += [(DOMAIN.plural, subdomain), *self._below(subdomain, seen)]
        return taken

    def _by(self, plural: str, member: str) -> Mapping[str, list[Mapping[str, Any]]]:
        return self._index(plural, member, lambda found: str(found.get(member)))

    def _in_domains(self, plural: str) -> Mapping[str, list[Mapping[str, Any]]]:
        """The objects of a kind by the domain that they are in."""
        kind = KINDS[plural]
        return self._index(
            plural, "@", lambda found: "" if kind.domain_of is None else kind.domain_of(kind.comparable_key(found))
        )

    def _index(
        self, plural: str, name: str, value_of: Callable[[Mapping[str, Any]], str]
    ) -> Mapping[str, list[Mapping[str, Any]]]:
        index = self._indexes.get((plural, name))
        if index is None:
            index = self._indexes[plural, name] = {}
            for found in self._objects_of(plural):
                index.setdefault(value_of(found), []).append(found)
        return index

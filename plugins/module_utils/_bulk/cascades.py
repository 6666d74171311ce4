# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes when an object is deleted: everything of a client, the subdomains and mailboxes of a domain. Pure. Private to the collection.

Sources: interface "Clients", DELETE; facts.md sections 4.1 and 6 (the panel warns of them when a domain is deleted).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Callable

from .._kinds.registry import TABLES
from .._rows.tables import Reference
from .._values.names import DomainName, EmailAddress

_DOMAIN, _ADDRESS = DomainName(), EmailAddress()
OWNER = "id_user"
PARENT = "id_parent_domain"
OWNED = tuple(
    plural
    for plural, kind in TABLES.items()
    if any(isinstance(row, Reference) and row.member == OWNER for row in (*kind.key, *kind.rows))
)
# By the kind that is deleted: the kinds that have to be known to tell what goes with it, and their members that tell it.
DEPENDENTS: dict[str, dict[str, frozenset[str]]] = {
    "clients": {**{plural: frozenset([OWNER]) for plural in OWNED}, "domains": frozenset([OWNER, PARENT])},
    "domains": {"domains": frozenset([PARENT]), "emails": frozenset(["email"])},
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
        if plural == "clients":
            return [(kind, found) for kind in OWNED for found in self._by(kind, OWNER).get(identifier, ())]
        return self._below(deleted, {identifier}) if plural == "domains" else []

    def _below(self, domain: Mapping[str, Any], seen: set[str]) -> list[Found]:
        """seen: the ids of the domains that were looked at, since a panel may say that two are in each other."""
        taken: list[Found] = [
            ("emails", found) for found in self._mailboxes().get(str(_DOMAIN.comparable(domain.get("domain"))), ())
        ]
        for subdomain in self._by("domains", PARENT).get(str(domain.get("id")), ()):
            identifier = str(subdomain.get("id"))
            if identifier not in seen:
                seen.add(identifier)
                taken += [("domains", subdomain), *self._below(subdomain, seen)]
        return taken

    def _by(self, plural: str, member: str) -> Mapping[str, list[Mapping[str, Any]]]:
        return self._index(plural, member, lambda found: str(found.get(member)))

    def _mailboxes(self) -> Mapping[str, list[Mapping[str, Any]]]:
        return self._index("emails", "@", lambda found: str(_ADDRESS.comparable(found.get("email"))).rpartition("@")[2])

    def _index(
        self, plural: str, name: str, value_of: Callable[[Mapping[str, Any]], str]
    ) -> Mapping[str, list[Mapping[str, Any]]]:
        index = self._indexes.get((plural, name))
        if index is None:
            index = self._indexes[plural, name] = {}
            for found in self._objects_of(plural):
                index.setdefault(value_of(found), []).append(found)
        return index

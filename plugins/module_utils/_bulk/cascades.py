# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes with a domain: its subdomains and mailboxes (facts.md section 6: the panel warns of them). Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Callable

from .._kinds.domain import DOMAIN
from .._kinds.registry import IN_DOMAINS as IN_DOMAIN
from .._kinds.registry import KINDS
from .._values.names import DomainName

__all__ = ["IN_DOMAIN", "PARENT", "Cascades"]

(PARENT,) = DOMAIN.above
_DOMAIN = DomainName()
Found = tuple[str, Mapping[str, Any]]


class Cascades:
    """``objects_of`` gives all objects of a plural kind; each kind is looked through once."""

    def __init__(self, objects_of: Callable[[str], Iterable[Mapping[str, Any]]]) -> None:
        self._below: dict[str, list[Mapping[str, Any]]] = {}
        self._within: dict[str, list[Found]] = {}
        for found in objects_of(DOMAIN.plural):
            self._below.setdefault(str(found.get(PARENT)), []).append(found)
        for plural in IN_DOMAIN:
            kind = KINDS[plural]
            for found in objects_of(plural):
                name = "" if kind.domain_of is None else kind.domain_of(kind.comparable_key(found))
                self._within.setdefault(name, []).append((plural, found))

    def with_domain(self, domain: Mapping[str, Any], seen: frozenset[str] = frozenset()) -> list[Found]:
        """(plural kind, object) of everything that goes with this domain. seen: ids, since a panel may say that two are in each other."""
        identifier = str(domain.get("id"))
        taken = list(self._within.get(str(_DOMAIN.comparable(domain.get(DOMAIN.name_member))), ()))
        for subdomain in self._below.get(identifier, ()):
            if str(subdomain.get("id")) not in seen | {identifier}:
                taken += [(DOMAIN.plural, subdomain), *self.with_domain(subdomain, seen | {identifier})]
        return taken

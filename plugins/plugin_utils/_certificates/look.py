# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel has of all that certificates need, and what stands in the way of single ones. Private to the collection."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ...module_utils._schema.kind import OWNER
from ...module_utils._values.ids import read_id
from ...module_utils._values.names import DomainName, composed
from .._jobs.run_modules import Item, ModuleRuns, read_objects, with_owners
from .ordering import validity
from .plan import Entry, Panel, end_of, left_uncovered
from .wanted import Wanted
from .zones import Zones


class Look:
    """What one look at a panel has found. ``panel``: its domains and clients; ``certificates``: those of the names that are wanted.

    ``obstacles``: by name of a certificate the sentences about what keeps it from being ordered. ``untouched``: those with which nothing is
    done on the panel.
    """

    def __init__(self, modules: ModuleRuns, wanted: Sequence[Wanted], nameservers: Sequence[str]) -> None:
        """Raises ModuleFailed."""
        self._modules = modules
        self.panel = Panel(_domains(modules, wanted), read_objects(modules, "clients"))
        self.zones = Zones(modules, self.panel, nameservers)
        self.certificates = _certificates(modules, {one.name for one in wanted})
        self.obstacles: dict[str, list[str]] = {}
        self.untouched: set[str] = set()

    def find_obstacles(self, wanted: Sequence[Wanted], kept: Mapping[str, Entry], due: Collection[Wanted]) -> None:
        """What fails before anything is written: of each certificate alone, whatever it is. Raises ModuleFailed."""
        for one in wanted:
            foreign = list(self.panel.in_the_way(one, self.certificates.get(one.name), kept.get(one.name)))
            found = [*foreign, *self.panel.absent(one)]
            # What is kept for a domain of another client is not handed over either.
            if foreign or not self.panel.has_client(one.client) or any(self.panel.foreign(one)):
                self.untouched.add(one.name)
            if not found and one in due:
                found += [*self._left_uncovered(one, kept.get(one.name)), *self.zones.obstacles(one)]
            if found:
                self.obstacles[one.name] = list(dict.fromkeys(found))

    def _left_uncovered(self, wanted: Wanted, kept: Entry | None) -> Iterator[str]:
        """A sentence about the domains that an order would leave with a certificate which is not for them. Raises ModuleFailed."""
        shown = self.certificates.get(wanted.name)
        if shown is None or kept is None:
            return
        domains = self.panel.no_longer_covered(wanted, kept)
        yield from left_uncovered([_with_security(self._modules, one) for one in domains], shown)

    def find_newcomers(self, wanted: Sequence[Wanted], kept: Mapping[str, Entry]) -> dict[str, str]:
        """By name a sentence about each certificate that is on the panel by now and that no run has uploaded. Raises ModuleFailed.

        kept: before this run, which has uploaded nothing yet.
        """
        self.certificates = _certificates(self._modules, {one.name for one in wanted})
        found = {
            one.name: " ".join(self.panel.in_the_way(one, self.certificates.get(one.name), kept.get(one.name)))
            for one in wanted
        }
        newcomers = {name: sentence for name, sentence in found.items() if sentence}
        self.untouched.update(newcomers)
        return newcomers

    def end_of(self, name: str, kept: Entry | None) -> datetime.datetime | None:
        """Until when the certificate of a name is valid that the panel has; None where there is none. kept: the last of ours, before this run."""
        shown = self.certificates.get(name)
        components = (shown or {}).get("components") or {}
        if shown is not None and "certificate" not in components:
            return end_of(kept) if kept else None
        try:
            return datetime.datetime.fromisoformat(validity(str(components.get("certificate")))[1])
        except ValueError:
            return None


def _domains(modules: ModuleRuns, wanted: Sequence[Wanted]) -> list[Item]:
    """The domains of the panel, with the owners of those that certificates are assigned to, or are for by their names."""
    listed = read_objects(modules, "domains")
    panel = Panel(listed, [])
    concerned = {domain for one in wanted for domain in (*one.assign, *panel.domains_named(one))}
    # One without an id cannot be asked for, and is of nobody then.
    asked = [
        one
        for one in listed
        if DomainName().comparable(one.get("domain")) in concerned and read_id(one.get("id")) is not None
    ]
    return [*(one for one in listed if one not in asked), *with_owners(modules, "domains", asked)]


def _with_security(modules: ModuleRuns, domain: Item) -> Item:
    """A domain with what it says of its certificate, which a list may leave out."""
    number = read_id(domain.get("id"))
    if "id_certificate" in (domain.get("security") or {}) or number is None:
        return domain
    return next(iter(read_objects(modules, "domains", id=number)), domain)


def _certificates(modules: ModuleRuns, names: Collection[str]) -> dict[str, dict[str, Any]]:
    """By name the certificates of the panel, each with its owner and what can be seen of it, which the list may leave out."""
    listed = {composed(str(one.get("name"))): one for one in read_objects(modules, "certificates")}
    there = {name: listed[name] for name in names if name in listed}
    for name, one in there.items():
        if not {"components", OWNER} <= one.keys():
            there[name] = next(iter(read_objects(modules, "certificates", name=name)), one)
    return there

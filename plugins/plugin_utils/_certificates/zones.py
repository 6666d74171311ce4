# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The zones in which something has to be proven, and their name servers. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...module_utils._task.mistakes import first_of
from .._jobs.run_modules import ModuleRuns, error_type
from .name_servers import NameServer, UnknownNameServer, name_server
from .plan import Panel, aliased, delegated, name_servers_in, out_of_wildcard
from .wanted import Wanted

_MOST_NAMED = 20
# What a panel may answer about one zone while it is right otherwise.
_OF_ONE_ZONE = ("Refused", "UnexpectedAnswer")


class Zones:
    """Zones, each read once. ``shown``: each as the panel shows it, once it was looked at; ``servers``: its name servers, which are to be asked.

    named: the name servers of all zones; empty where each names its own.
    """

    def __init__(self, modules: ModuleRuns, panel: Panel, named: Sequence[str]) -> None:
        self._modules, self._panel, self._named = modules, panel, named
        self.servers: dict[str, list[NameServer]] = {}
        self._known: dict[str, NameServer | UnknownNameServer] = {}
        self._problems: dict[str, list[str]] = {}
        self.shown: dict[str, Mapping[str, Any]] = {}

    def obstacles(self, wanted: Wanted) -> Iterator[str]:
        """A sentence for each thing that keeps the names of a certificate from being proven. Raises ModuleFailed."""
        disabled = list(self._panel.without_dns(wanted))
        yield from disabled
        for zone, hosts in {} if disabled else self._panel.hosts_by_zone(wanted.names).items():
            if zone not in self._problems:
                self._problems[zone] = list(self._look_at(zone))
            yield from self._problems[zone]
            yield from (
                f"{host} is an alias in the zone {zone}, so its challenge cannot be there; remove the alias, or prove the name elsewhere."
                for host in aliased(self.shown.get(zone), zone, hosts)
            )
            yield from (
                f"{host} lies in {point}, which the zone {zone} leaves to other name servers, so its challenge cannot be there; prove the name "
                "where those have it."
                for host, point in delegated(self.shown.get(zone), zone, hosts).items()
            )

    def out_of_wildcards(self, wanted: Sequence[Wanted]) -> Iterator[str]:
        """A warning for each zone that was looked at in which challenges make names exist that only a wildcard serves now."""
        for zone, hosts in self._panel.hosts_by_zone(name for one in wanted for name in one.names).items():
            if zone in self.shown and (names := out_of_wildcard(self.shown[zone], zone, hosts)):
                has = "has its" if len(names) == 1 else "have their"
                yield (
                    f"{first_of(names, _MOST_NAMED)} {has} records by a wildcard of the zone {zone} alone, and none while there is a challenge "
                    "record below. Write the A and AAAA records of each name itself first."
                )

    def _look_at(self, zone: str) -> Iterator[str]:
        """Reads a zone and finds its name servers; a sentence for each problem. Raises ModuleFailed."""
        done = self._modules.run("panel_dns_info", {"domain": zone})
        if error_type(done) in _OF_ONE_ZONE:
            yield f"The zone {zone} cannot be read: {done['msg']}"
            return
        found = self._modules.checked(done)["dns"]
        if not found:
            yield f"The panel does not show the zone {zone}."
            return
        self.shown[zone] = found[0]
        names = self._named or name_servers_in(found[0], zone)
        if not names:
            yield f"nameservers: the zone {zone} names none of its own; name them."
        for name in names:
            server = self._server(name)
            if isinstance(server, UnknownNameServer):
                yield f"nameservers: {server}. Name those of {zone} that can be asked."
            else:
                self.servers.setdefault(zone, []).append(server)

    def _server(self, name: str) -> NameServer | UnknownNameServer:
        if name not in self._known:
            try:
                self._known[name] = name_server(name)
            except UnknownNameServer as error:
                self._known[name] = error
        return self._known[name]

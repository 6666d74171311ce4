# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which records can be set: none beside an alias, and none that takes from a name what a wildcard gives it. Pure. Private to the collection."""

from __future__ import annotations

from dataclasses import replace

from ...module_utils._dns.record_values import APEX
from .finding import Finding, named
from .names import Names, Zone

# What nobody asks a name with an underscore for, which is that of a service and of no host.
_OF_HOSTS = frozenset({"A", "AAAA", "ALIAS", "MX"})


def settable(finding: Finding, main_domain: str, names: Names) -> Finding:
    """The finding, without its record where that cannot be set, and with what to do then. main_domain: in whose zone the record is."""
    if finding.record is None:
        return finding
    host = finding.record["host"]
    name = main_domain if host == APEX else f"{host}.{main_domain}"
    alias, zone = names.alias(name), names.zone_of(name)
    if alias and not any(record["type"] == "CNAME" for record in finding.replaces):
        advice = (
            f"{named(name)} is an alias for {named(alias)}, and nothing may stand beside one: "
            "mend it there, or put records of its own in place of the alias."
        )
        return replace(finding, advice=advice, record=None, replaces=())
    hidden = _hidden(zone, zone.host(name)) if zone else ""
    if zone and hidden:
        wildcard, below = zone.wildcard(hidden), f"{hidden}.{zone.name}"
        advice = (
            f"What {named(f'{wildcard}.{zone.name}')} answers for {named(below)} would be gone beside a record of its own: "
            "set it together with copies of that."
        )
        return replace(finding, advice=advice, record=None, replaces=())
    return finding


def _hidden(zone: Zone, host: str) -> str:
    """A host that would lose what a wildcard gives it if there were a record at this one; empty where there is none (RFC 4592)."""
    for made in zone.made_by(host):
        lost = {record.type for record in zone.at(made) or ()}
        if "._" in f".{made}":
            # The record itself takes the place of an alias, but not at the names between.
            lost -= _OF_HOSTS | ({"CNAME"} if made == host else set())
        if lost:
            return made
    return ""

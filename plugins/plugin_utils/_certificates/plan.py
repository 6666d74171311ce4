# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which certificates are due and why, and which challenge records that takes in which zones. Pure. Private to the collection."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...module_utils._kinds.domain import class_of
from ...module_utils._schema.kind import OWNER
from ...module_utils._task.mistakes import first_of
from ...module_utils._values.ids import read_id
from ...module_utils._values.names import DomainName
from ...module_utils._values.value_types import Boolean
from .._mail_dns.names import Zone
from .state import is_ours
from .wanted import WILDCARD, Wanted

CHALLENGE = "_acme-challenge."
_TTL = 60
_MOST_NAMED = 20

Entry = Mapping[str, Any]


@dataclass(frozen=True)
class Terms:
    """What certificates have to be like: of which authority, with which type of key, and renewed how many days before their end."""

    directory: str
    key_type: str
    renew_days: int


def why_due(wanted: Wanted, kept: Entry | None, terms: Terms, now: datetime.datetime) -> str:
    """Why a certificate has to be ordered; empty where it has not. kept: what was issued last, as the state folder has it."""
    if kept is None:
        return "there is none yet"
    if kept["directory"] != terms.directory:
        return f"it is of {kept['directory']}"
    if set(kept["names"]) != set(wanted.names):
        new, old = sorted(set(wanted.names) - set(kept["names"])), sorted(set(kept["names"]) - set(wanted.names))
        return "its names change: " + " ".join([*(f"+{name}" for name in new), *(f"-{name}" for name in old)])
    if kept["key_type"] != terms.key_type:
        return f"its key is {kept['key_type']} and not {terms.key_type}"
    if end_of(kept) - now <= datetime.timedelta(days=terms.renew_days):
        return f"it ends on {kept['not_after'][:10]}"
    return ""


def end_of(kept: Entry) -> datetime.datetime:
    """When a certificate ends."""
    return datetime.datetime.fromisoformat(kept["not_after"])


def lifetime_of(kept: Entry) -> datetime.timedelta:
    """For how long a certificate is valid from the start."""
    return end_of(kept) - datetime.datetime.fromisoformat(kept["not_before"])


def goes_on(order: Entry | None, wanted: Wanted, terms: Terms) -> bool:
    """Whether an order that an earlier run began is the one that would be made now."""
    return order is not None and (
        set(order["names"]),
        order["key_type"],
        order["directory"],
    ) == (set(wanted.names), terms.key_type, terms.directory)


def not_covered(wanted: Wanted, kept: Entry | None, now: datetime.datetime) -> list[str]:
    """The domains to assign for which the certificate that is there is not valid, as an older one may not be; all where there is none."""
    there = replace(wanted, names=tuple(kept["names"]) if kept and now < end_of(kept) else ())
    return [domain for domain in wanted.assign if not there.covers(domain)]


def resources_of(
    wanted: Wanted, kept: Entry, now: datetime.datetime, is_renewed: bool = False
) -> dict[str, list[dict[str, Any]]]:
    """What the panel is to have, for panel_resources: the certificate that there is, used by those of its domains for which it is valid.

    is_renewed: it stands for one that would be ordered, which would be valid for all.
    """
    components = {
        "certificate": kept["certificate"],
        "ca_certificate": kept["chain"],
        "private_key": kept["private_key"],
    }
    left = [] if is_renewed else not_covered(wanted, kept, now)
    domains = [
        {"domain": domain, "security": {"certificate": wanted.name}} for domain in wanted.assign if domain not in left
    ]
    certificate = {"name": wanted.name, "client": wanted.client, "components": components}
    return {"certificates": [certificate], **({"domains": domains} if domains else {})}


class Panel:
    """What certificates need of a panel's domains and clients, as its lists show them."""

    def __init__(self, domains: Iterable[Entry], clients: Iterable[Entry]) -> None:
        self._domains = {str(DomainName().comparable(one.get("domain"))): one for one in domains}
        self._zones = {name for name, one in self._domains.items() if class_of(one) == "main_domains"}
        self._clients = {str(one.get("username")): read_id(one.get("id")) for one in clients}

    def zone_of(self, name: str) -> str | None:
        """The zone on the panel that a name lies in, the smallest of several."""
        return _smallest(name.removeprefix(CHALLENGE), self._zones)

    def domains_named(self, wanted: Wanted) -> list[str]:
        """The domains and subdomains of the panel that the names of a certificate are, or lie below."""
        found = dict.fromkeys(_smallest(name, self._domains) for name in wanted.names)
        return [domain for domain in found if domain]

    def has_records(self, zone: str) -> bool:
        """Whether the panel has a zone of this name, with records in it."""
        return zone in self._zones and not self._is_dns_disabled(zone)

    def _is_dns_disabled(self, zone: str) -> bool:
        return Boolean().comparable(self._domains[zone].get("is_dns_disabled")) is True

    def has_client(self, name: str) -> bool:
        """Whether the panel has a client of this name."""
        return name in self._clients

    def reachable(self, wanted: Wanted) -> tuple[str, ...]:
        """Those of the domains to assign that the panel has, and has for the client of the certificate."""
        return tuple(domain for domain in wanted.assign if not self._why_unreachable(domain, wanted.client))

    def absent(self, wanted: Wanted) -> Iterator[str]:
        """A sentence for each thing that a certificate names, and that the panel does not have, or has for another client."""
        if not self.has_client(wanted.client):
            yield f"client: there is no client {wanted.client} on this panel."
        for name in wanted.names:
            if self.zone_of(name) is None:
                yield f"domains: {name} is in no zone of this panel, so it cannot be proven by DNS here."
        yield from self.foreign(wanted)
        named = self.domains_named(wanted)
        for domain in wanted.assign:
            why = self._why_unreachable(domain, wanted.client)
            if why and domain not in named:
                yield f"assign: {why}"

    def foreign(self, wanted: Wanted) -> Iterator[str]:
        """A sentence for each domain of another client, or of nobody known, that a certificate would be valid for by a name."""
        for domain in self.domains_named(wanted):
            if why := self._why_unreachable(domain, wanted.client):
                yield f"domains: {why}"

    def _why_unreachable(self, domain: str, client: str) -> str:
        """Why a domain cannot use a certificate of this client; empty where it can, and where the client is what is missing."""
        if domain not in self._domains:
            return f"there is no domain {domain} on this panel."
        owner, of_client = read_id(self._domains[domain].get(OWNER)), self._clients.get(client)
        if not self.has_client(client) or (owner is not None and owner == of_client):
            return ""
        if owner is None or of_client is None:
            return f"the panel does not say whether {domain} is of {client}, so it is left as it is."
        return f"{domain} is of another client than {client}."

    def no_longer_covered(self, wanted: Wanted, kept: Entry) -> list[Entry]:
        """The domains that the certificate is for which there is, and that one with the names that are wanted would not be for."""
        there = replace(wanted, names=tuple(kept["names"]))
        return [one for name, one in self._domains.items() if there.covers(name) and not wanted.covers(name)]

    def without_dns(self, wanted: Wanted) -> Iterator[str]:
        """A sentence for each name that cannot be proven now, since the DNS of its zone is disabled."""
        for name in wanted.names:
            zone = str(self.zone_of(name))
            if self._is_dns_disabled(zone):
                yield f"domains: DNS of {zone} is disabled on this panel, so {name} cannot be proven by DNS here."

    def in_the_way(self, wanted: Wanted, shown: Entry | None, kept: Entry | None) -> Iterator[str]:
        """A sentence where the panel has another certificate of that name. shown: what it has; kept: what was issued last."""
        if shown is None or is_ours(shown, kept):
            return
        owner, of_another = read_id(shown.get(OWNER)), ""
        if None not in (owner, self._clients.get(wanted.client)) and owner != self._clients.get(wanted.client):
            of_another = f", of another client than {wanted.client},"
        yield (
            f"name: the panel has a certificate of this name{of_another} that is not in the state folder, and it is not overwritten. Choose "
            "another name. To take it over, also after the state folder was lost, give that one another name in the panel; its domains keep "
            "it until they are assigned the new one."
        )

    def hosts_by_zone(self, names: Iterable[str]) -> dict[str, set[str]]:
        """The hosts of the challenges of names, by zone."""
        hosts: dict[str, set[str]] = {}
        for name in names:
            hosts.setdefault(str(self.zone_of(name)), set()).add(f"{CHALLENGE}{name.removeprefix(WILDCARD)}")
        return hosts


def left_uncovered(domains: Iterable[Entry], shown: Entry) -> Iterator[str]:
    """A sentence about those of the domains that use a certificate, which will not be for them. shown: it, as the panel shows it."""
    number = read_id(shown.get("id"))
    users = [
        str(DomainName().comparable(one.get("domain")))
        for one in domains
        if number is not None and read_id((one.get("security") or {}).get("id_certificate")) == number
    ]
    if users:
        use, them = ("uses", "it") if len(users) == 1 else ("use", "them")
        yield (
            f"domains: {first_of(users, _MOST_NAMED)} {use} this certificate on the panel and would not be covered any more; give {them} "
            "another certificate first."
        )


def _smallest(name: str, domains: Collection[str]) -> str | None:
    """The domain that a name is, or lies below, the smallest of several."""
    labels = name.removeprefix(WILDCARD).split(".")
    above = (".".join(labels[start:]) for start in range(len(labels)))
    return next((one for one in above if one in domains), None)


def challenges_of(data: Mapping[str, Sequence[str]], panel: Panel) -> list[dict[str, str]]:
    """The challenges of an order with the zones that they belong into. data: by host the values, as the authority asks for them."""
    found = []
    for host, values in data.items():
        name = str(host).lower().rstrip(".")
        zone = panel.zone_of(name)
        found += [{"zone": str(zone), "host": name, "value": str(value)} for value in values]
    return found


def records_by_zone(challenges: Iterable[Entry]) -> dict[str, list[dict[str, Any]]]:
    """The records of each zone, for one write; the same value of two orders once."""
    zones: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}
    for one in challenges:
        record = {"host": f"{one['host']}.", "type": "TXT", "value": one["value"]}
        zones.setdefault(one["zone"], {})[one["host"], one["value"]] = record
    return {zone: list(records.values()) for zone, records in zones.items()}


def with_ttl(records: Iterable[dict[str, Any]], zone: Entry | None, name: str) -> list[dict[str, Any]]:
    """The records with a short ttl, but for those that join others, whose ttl they share. zone: as the panel shows it; name: of it."""
    there = hosts_of(zone, name, "TXT")
    return [record if record["host"].rstrip(".") in there else {**record, "ttl": _TTL} for record in records]


def aliased(zone: Entry | None, name: str, hosts: Iterable[str]) -> list[str]:
    """The hosts of challenges at which the zone has an alias, beside which nothing can stand. zone: as the panel shows it; name: of it."""
    return sorted(hosts_of(zone, name, "CNAME").intersection(hosts))


def delegated(zone: Entry | None, name: str, hosts: Iterable[str]) -> dict[str, str]:
    """The hosts of challenges that the zone leaves to other name servers, with the name that it delegates. As ``aliased``."""
    points = hosts_of(zone, name, "NS") - {name}
    found = {host: next((one for one in points if f".{host}".endswith(f".{one}")), "") for host in sorted(hosts)}
    return {host: point for host, point in found.items() if point}


def out_of_wildcard(zone: Entry, name: str, hosts: Iterable[str]) -> list[str]:
    """The names above challenges that only a wildcard serves, which it does no more while there are challenges. As ``aliased``."""
    records = Zone(name, zone)
    made = dict.fromkeys(part for host in sorted(hosts) for part in records.made_by(records.host(host))[1:])
    return [f"{part}.{name}" for part in made if records.at(part)]


def hosts_of(zone: Entry | None, name: str, kind: str) -> set[str]:
    """The whole names at which a zone has records of a type."""
    return {_whole(record.get("host"), name) for record in _records(zone, kind)}


def name_servers_in(zone: Entry, name: str) -> list[str]:
    """The name servers that a zone names for itself."""
    own = [record for record in _records(zone, "NS") if _whole(record.get("host"), name) == name]
    return list(dict.fromkeys(_whole(record.get("value"), name) for record in own))


def _records(zone: Entry | None, kind: str) -> Iterator[Entry]:
    shown = zone["records"]["other"] if zone else ()
    return (record for record in shown if str(record.get("type")).upper() == kind)


def _whole(shown: Any, name: str) -> str:
    """A name in a zone, which is relative to it without a dot at its end."""
    text = str(shown).lower()
    if text in ("@", "", name):
        return name
    return text.rstrip(".") if text.endswith(".") else f"{text}.{name}"

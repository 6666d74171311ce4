# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the zones of a panel say of a name, as a name server that has them would. Pure. Private to the collection.

A name that lies in none of them, or in a part that was handed to other servers, is not known here: that is ``None``, and not "nothing".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...module_utils._dns.record_values import APEX, ascii_name, dkim_text, is_name
from ...module_utils._dns.zone import Record, comparable_record, flag

# Values of the records of one name and type, in the form of module_utils/_dns; None where it is not known whether there are any.
Values = list[str] | None
_MOST_ALIASES = 8


class Zone:
    """The records of one zone by host."""

    def __init__(self, name: str, shown: Mapping[str, Any]) -> None:
        self.name = name
        records = [record for record in shown["records"]["other"] if _is_record(record)]
        dkim = dkim_text({"dkim_record": shown.get("dkim_record"), "records": {"other": records}})
        self.is_disabled = bool(flag(shown, "is_dns_disabled"))
        self._hosts: dict[str, list[Record]] = {}
        for record in (comparable_record(record, name, dkim) for record in records):
            self._hosts.setdefault(record.host, []).append(record)
        self._existing = {above for host in self._hosts for above in _and_above(host)} | {APEX}

    def at(self, host: str) -> list[Record] | None:
        """The records of a host, those of a wildcard for one that does not exist; None below a delegation."""
        parts = [part for part in _and_above(host) if part != APEX]
        if any(record.type == "NS" for part in parts for record in self._hosts.get(part, ())):
            return None
        return self._hosts.get(host if host in self._existing else self.wildcard(host), [])

    def wildcard(self, host: str) -> str:
        """The host of the wildcard that would answer for one that does not exist, whether it is there or not."""
        nearest = next((part for part in _and_above(host) if part in self._existing), APEX)
        return "*" if nearest == APEX else f"*.{nearest}"

    def own(self, host: str) -> list[Record]:
        """The records of a host itself, without those of a wildcard."""
        return self._hosts.get(host, [])

    def made_by(self, host: str) -> list[str]:
        """The hosts that would exist from then on if there were a record at this one, itself first."""
        return [part for part in _and_above(host) if part not in self._existing]

    def selectors(self, below: str) -> list[str]:
        """The selectors that DKIM records are there for; below: the host that ends in, empty for the zone itself."""
        end = f"._domainkey{below and '.'}{below}"
        return sorted(host.removesuffix(end) for host in self._hosts if host.endswith(end))

    def host(self, name: str) -> str:
        """A name of the zone relative to it."""
        return APEX if name == self.name else name[: -len(self.name) - 1]


def _is_record(record: Any) -> bool:
    return isinstance(record, Mapping) and all(is_text(record.get(one)) for one in ("host", "type", "value"))


def is_text(value: Any) -> bool:
    """Whether a member is a text that a zone can hold."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def looked_up(name: Any) -> str:
    """A member that is a name, in punycode; empty where it is none that can be looked up."""
    try:
        found = ascii_name(name).rstrip(".") if isinstance(name, str) else ""
    except ValueError:
        return ""
    return found if is_name(found) else ""


def _and_above(host: str) -> list[str]:
    """A host and the hosts above it, without the zone itself."""
    labels = host.split(".")
    return [".".join(labels[start:]) for start in range(len(labels))]


class Names:
    """Answers from zones, and for all other names from ``outside``, which knows nothing by default."""

    def __init__(
        self, zones: Iterable[Zone], outside: Callable[[str, str], Values] = lambda _name, _type: None
    ) -> None:
        self._zones = {zone.name: zone for zone in zones if not zone.is_disabled}
        self._outside = outside

    def find(self, name: str, kind: str) -> Values:
        """The values of a name, also of one that is an alias."""
        name = self.canonical(name)
        records = self._records(name)
        if records is None:
            return self._outside(name, kind) if is_name(name) else None
        # A set in the DNS holds no value twice (RFC 2181, section 5).
        found = list(dict.fromkeys(record.value for record in records if record.type == kind))
        # The panel's own word for an alias beside other records, whose addresses only its servers know.
        is_open = kind in ("A", "AAAA") and any(record.type == "ALIAS" for record in records)
        return found if found or not is_open else None

    def canonical(self, name: str) -> str:
        """What an alias stands for, as far as it is known here; the name itself where it is none."""
        for _step in range(_MOST_ALIASES):
            alias = next((record.value for record in self._records(name) or () if record.type == "CNAME"), None)
            if alias is None:
                break
            name = alias.lower().rstrip(".")
        return name

    def alias(self, name: str) -> str:
        """What the name itself is an alias for, not by a wildcard; empty where it is none."""
        zone = self.zone_of(name)
        own = zone.own(zone.host(name)) if zone else []
        return next((record.value.lower().rstrip(".") for record in own if record.type == "CNAME"), "")

    def addresses(self, name: str) -> Values:
        """The addresses of a name; None unless both sorts are known."""
        found = [self.find(name, kind) for kind in ("A", "AAAA")]
        if any(found):
            return [address for values in found for address in values or ()]
        return None if None in found else []

    def zone_of(self, name: str) -> Zone | None:
        """The zone that a name lies in, the smallest of several."""
        labels = name.split(".")
        above = (".".join(labels[start:]) for start in range(len(labels)))
        return next((self._zones[one] for one in above if one in self._zones), None)

    def _records(self, name: str) -> list[Record] | None:
        zone = self.zone_of(name)
        return None if zone is None else zone.at(zone.host(name))

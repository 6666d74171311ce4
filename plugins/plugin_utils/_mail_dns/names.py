# SPDX-License-Identifier: GPL-3.0-or-later
"""What the zones of a panel answer. ``None`` means that no zone holds the name, or that it is delegated. Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils._dns.record_names import APEX
from ...module_utils._dns.record_values import Record, list_records
from ...module_utils._values.names import in_letters

_MOST_ALIASES = 8
# No one asks a name with an underscore for these: it is the name of a service, not of a host.
_OF_HOSTS = frozenset({"A", "AAAA", "ALIAS", "CNAME", "MX"})


class Zone:
    """The records of one zone by host."""

    def __init__(self, name: str, shown: Mapping[str, Any]) -> None:
        self.name = name
        self._hosts: dict[str, list[Record]] = {}
        for record in list_records(shown, name):
            self._hosts.setdefault(record.host, []).append(record)
        self._existing = {above for host in self._hosts for above in and_above(host)} | {APEX}

    def at(self, host: str) -> list[Record] | None:
        """The records of a host, those of a wildcard for one that does not exist; None below a delegation."""
        if any(one.type == "NS" for part in and_above(host) if part != APEX for one in self._hosts.get(part, ())):
            return None
        return self._hosts.get(host if host in self._existing else self._wildcard(host), [])

    def _wildcard(self, host: str) -> str:
        nearest = next((part for part in and_above(host) if part in self._existing), APEX)
        return "*" if nearest == APEX else f"*.{nearest}"

    def in_the_way(self, host: str) -> str:
        """What to do where a new record would take something away; empty where it takes nothing (RFC 4592)."""
        alias = next((record.value for record in self._hosts.get(host, ()) if record.type == "CNAME"), "")
        if alias:
            return f"{self._named(host)} is an alias for {named(alias)} and allows no other record. Set it there, or replace the alias."
        for made in (part for part in and_above(host) if part not in self._existing):
            lost = {record.type for record in self.at(made) or ()}
            if lost - _OF_HOSTS if "_" in made else lost:
                wildcard = self._named(self._wildcard(made))
                return f"What {wildcard} answers for {self._named(made)} would be gone beside a new record. Set it together with copies of that."
        return ""

    def _named(self, host: str) -> str:
        return named(f"{host}.{self.name}")

    def selectors(self, domain: str) -> list[str]:
        """The selectors of the DKIM records of a domain in this zone. What starts with _, as _adsp, is a policy and no key."""
        end = self.host(f"._domainkey.{domain}")
        names = (host.removesuffix(end) for host in self._hosts if host.endswith(end))
        return sorted(name for name in names if not name.startswith("_") and "._" not in name)

    def host(self, name: str) -> str:
        return APEX if name == self.name else name.removesuffix(f".{self.name}")


class Names:
    """Answers from several zones, by name."""

    def __init__(self, shown: Mapping[str, Mapping[str, Any]]) -> None:
        self._zones = {name: Zone(name, zone) for name, zone in shown.items() if not zone.get("is_dns_disabled")}

    def find(self, name: str, kind: str) -> list[str] | None:
        records = self._records(self.canonical(name))
        # Only the panel's servers know the addresses of its own word for an alias.
        if records is None or (kind == "A" and any(record.type == "ALIAS" for record in records)):
            return None
        # Options behind a zone may repeat what it has already.
        return list(dict.fromkeys(record.value for record in records if record.type == kind))

    def canonical(self, name: str, most: int = _MOST_ALIASES) -> str:
        """The name at the end of a chain of aliases, as far as the zones hold it."""
        alias = next((record.value for record in self._records(name) or () if record.type == "CNAME"), None)
        return self.canonical(alias, most - 1) if alias and most else name

    def addresses(self, name: str) -> list[str] | None:
        four = self.find(name, "A")
        return None if four is None else four + (self.find(name, "AAAA") or [])

    def zone_of(self, name: str) -> Zone | None:
        """The zone that holds a name, the smallest of several."""
        return next((self._zones[above] for above in and_above(name) if above in self._zones), None)

    def _records(self, name: str) -> list[Record] | None:
        zone = self.zone_of(name)
        return None if zone is None else zone.at(zone.host(name))


def and_above(name: str) -> list[str]:
    """A name and all above it."""
    labels = name.split(".")
    return [".".join(labels[start:]) for start in range(len(labels))]


def plain(text: str, longest: int = 120) -> str:
    """A part of a zone in one line of printable characters."""
    shown = "".join(sign if sign.isprintable() else "?" for sign in text)
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def named(name: str) -> str:
    """A name as people write it."""
    return plain(in_letters(name))

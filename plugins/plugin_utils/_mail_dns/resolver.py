# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers from the zones of a panel, as a resolver would give them.

``None`` means that no zone holds the name, or that it is delegated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils._dns.record_names import APEX
from ...module_utils._dns.records import Record, list_records
from ...module_utils._values.names import decode_punycode

_MAX_ALIASES = 8
_MAX_DISPLAYED = 120
# No one asks a name with an underscore for these: it is the name of a service, not of a host.
_HOST_TYPES = frozenset({"A", "AAAA", "ALIAS", "CNAME", "MX"})


class ZoneRecords:
    """Holds the records of one zone by host.

    Args:
        name: The name of the zone.
        zone: The zone as the panel shows it.
    """

    def __init__(self, name: str, zone: Mapping[str, Any]) -> None:
        self.name = name
        self._records: dict[str, list[Record]] = {}
        self._existing = {APEX}
        for record in list_records(zone, name):
            self._records.setdefault(record.host, []).append(record)
            self._existing.update(list_suffixes(record.host))

    def find_records(self, host: str) -> list[Record] | None:
        """Return the records of a host, those of a wildcard if the host does not exist.

        Returns:
            The records; None below a delegation.
        """
        if any(self._is_delegated(suffix) for suffix in list_suffixes(host)):
            return None
        if host in self._existing:
            return self._records.get(host, [])
        return self._records.get(self._find_wildcard(host), [])

    def _is_delegated(self, host: str) -> bool:
        if host == APEX:
            return False
        return any(record.type == "NS" for record in self._records.get(host, ()))

    def _find_wildcard(self, host: str) -> str:
        for suffix in list_suffixes(host):
            if suffix in self._existing and suffix != APEX:
                return f"*.{suffix}"
        return "*"

    def advise_on_obstacle(self, host: str) -> str:
        """Say what to do if a new record of a host would take something away (RFC 4592).

        Returns:
            The advice; empty where nothing is in the way.
        """
        alias = _find_alias(self._records.get(host))
        if alias is not None:
            return (
                f"{self._display(host)} is an alias for {display_name(alias)} and allows no other record. "
                "Set it there, or replace the alias."
            )
        for suffix in list_suffixes(host):
            if suffix not in self._existing and self._hides_wildcard(suffix):
                wildcard = self._display(self._find_wildcard(suffix))
                return (
                    f"What {wildcard} answers for {self._display(suffix)} would be gone beside a new record. "
                    "Set it together with copies of that."
                )
        return ""

    def _hides_wildcard(self, host: str) -> bool:
        """Tell whether a wildcard answers for a host for which someone asks."""
        types = {record.type for record in self.find_records(host) or ()}
        if "_" in host:
            types -= _HOST_TYPES
        return bool(types)

    def _display(self, host: str) -> str:
        return display_name(f"{host}.{self.name}")

    def list_dkim_selectors(self, domain: str) -> list[str]:
        """Return the selectors of the DKIM records of a domain in this zone.

        What starts with an underscore, as _adsp, is a policy and no key.
        """
        suffix = self.relativize(f"._domainkey.{domain}")
        selectors = [host.removesuffix(suffix) for host in self._records if host.endswith(suffix)]
        return sorted(name for name in selectors if not name.startswith("_") and "._" not in name)

    def relativize(self, name: str) -> str:
        """Return a name of the zone as the host of a record."""
        if name == self.name:
            return APEX
        return name.removesuffix(f".{self.name}")


class Resolver:
    """Answers from several zones, by name.

    Args:
        zones: The zones as the panel shows them, by name.
    """

    def __init__(self, zones: Mapping[str, Mapping[str, Any]]) -> None:
        self._zones = {
            name: ZoneRecords(name, zone)
            for name, zone in zones.items()
            if not zone.get("is_dns_disabled")
        }

    def find_values(self, name: str, record_type: str) -> list[str] | None:
        """Return the values of a type that a name has, also through aliases."""
        records = self._find_records(self.follow_aliases(name))
        if records is None:
            return None
        # Only the panel's servers know the addresses of its own word for an alias.
        if record_type == "A" and any(record.type == "ALIAS" for record in records):
            return None
        # Options behind a zone may repeat what it has already.
        return list(dict.fromkeys(record.value for record in records if record.type == record_type))

    def follow_aliases(self, name: str) -> str:
        """Return the name at the end of a chain of aliases, as far as the zones hold it."""
        for _step in range(_MAX_ALIASES):
            alias = _find_alias(self._find_records(name))
            if alias is None:
                break
            name = alias
        return name

    def find_addresses(self, name: str) -> list[str] | None:
        """Return the IPv4 and IPv6 addresses of a name."""
        addresses = self.find_values(name, "A")
        if addresses is None:
            return None
        return addresses + (self.find_values(name, "AAAA") or [])

    def find_zone(self, name: str) -> ZoneRecords | None:
        """Return the zone that holds a name, the smallest of several."""
        for suffix in list_suffixes(name):
            if suffix in self._zones:
                return self._zones[suffix]
        return None

    def _find_records(self, name: str) -> list[Record] | None:
        zone = self.find_zone(name)
        if zone is None:
            return None
        return zone.find_records(zone.relativize(name))


def _find_alias(records: list[Record] | None) -> str | None:
    """Return what the first CNAME among the records of a name points to; None without one."""
    for record in records or ():
        if record.type == "CNAME" and record.value:
            return record.value
    return None


def list_suffixes(name: str) -> list[str]:
    """Return a name and all names above it."""
    labels = name.split(".")
    return [".".join(labels[start:]) for start in range(len(labels))]


def display_text(text: str, limit: int = _MAX_DISPLAYED) -> str:
    """Return a part of a zone in one line of printable characters."""
    printable = "".join(sign if sign.isprintable() else "?" for sign in text)
    if len(printable) <= limit:
        return printable
    return printable[: limit - 1] + "…"


def display_name(name: str) -> str:
    """Return a name as people write it."""
    return display_text(decode_punycode(name))

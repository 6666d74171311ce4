# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the zones of a panel answer. ``None`` means that no zone holds the name, or that it is delegated. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...module_utils._dns.record_values import APEX, ascii_name, dkim_text, is_name
from ...module_utils._dns.zone import Record, comparable_record, flag
from ...module_utils._values.names import in_letters

Values = list[str] | None
_MOST_ALIASES = 8
_LONGEST = 120
# No one asks a name with an underscore for these: it is the name of a service, not of a host.
_OF_HOSTS = frozenset({"A", "AAAA", "ALIAS", "MX"})


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
        """The host of the wildcard that answers for a host that does not exist."""
        nearest = next((part for part in _and_above(host) if part in self._existing), APEX)
        return "*" if nearest == APEX else f"*.{nearest}"

    def alias(self, host: str) -> str:
        """The target of the host's own CNAME, empty without one."""
        return next((one.value.lower().rstrip(".") for one in self._hosts.get(host, ()) if one.type == "CNAME"), "")

    def hidden_by(self, host: str) -> str:
        """A host that would lose what a wildcard gives it if a text were set at this one; empty if there is none (RFC 4592)."""
        for made in (part for part in _and_above(host) if part not in self._existing):
            lost = {record.type for record in self.at(made) or ()}
            if "._" in f".{made}":
                lost -= _OF_HOSTS | ({"CNAME"} if made == host else set())
            if lost:
                return made
        return ""

    def selectors(self, below: str) -> list[str]:
        """The selectors of the DKIM records below a host, empty for the zone itself."""
        end = f"._domainkey{below and '.'}{below}"
        return sorted(host.removesuffix(end) for host in self._hosts if host.endswith(end))

    def host(self, name: str) -> str:
        """A name of the zone relative to it."""
        return APEX if name == self.name else name[: -len(self.name) - 1]


class Names:
    """Answers from several zones."""

    def __init__(self, zones: Iterable[Zone]) -> None:
        self._zones = {zone.name: zone for zone in zones if not zone.is_disabled}

    def find(self, name: str, kind: str) -> Values:
        """The values of a name, following aliases."""
        records = self._records(self.canonical(name))
        if records is None:
            return None
        # A set in the DNS holds no value twice (RFC 2181, section 5).
        found = list(dict.fromkeys(record.value for record in records if record.type == kind))
        # Only the panel's servers know the addresses of its own word for an alias.
        is_open = kind in ("A", "AAAA") and any(record.type == "ALIAS" for record in records)
        return found if found or not is_open else None

    def canonical(self, name: str) -> str:
        """The name at the end of a chain of aliases, as far as the zones hold it."""
        for _step in range(_MOST_ALIASES):
            alias = next((record.value for record in self._records(name) or () if record.type == "CNAME"), None)
            if alias is None:
                break
            name = alias.lower().rstrip(".")
        return name

    def addresses(self, name: str) -> Values:
        """The addresses of a name."""
        found = [self.find(name, kind) for kind in ("A", "AAAA")]
        if any(found):
            return [address for values in found for address in values or ()]
        return None if None in found else []

    def zone_of(self, name: str) -> Zone | None:
        """The zone that holds a name, the smallest of several."""
        return next((self._zones[above] for above in _and_above(name) if above in self._zones), None)

    def _records(self, name: str) -> list[Record] | None:
        zone = self.zone_of(name)
        return None if zone is None else zone.at(zone.host(name))


def _is_record(record: Any) -> bool:
    return isinstance(record, Mapping) and all(is_text(record.get(one)) for one in ("host", "type", "value"))


def is_text(value: Any) -> bool:
    """Whether a value is a text that a zone can hold."""
    return isinstance(value, str) and not any("\ud800" <= sign <= "\udfff" for sign in value)


def looked_up(name: Any) -> str:
    """A name in punycode; empty if the zones cannot hold it."""
    try:
        found = ascii_name(name).rstrip(".") if isinstance(name, str) else ""
    except ValueError:
        return ""
    return found if is_name(found) else ""


def _and_above(host: str) -> list[str]:
    labels = host.split(".")
    return [".".join(labels[start:]) for start in range(len(labels))]


def plain(text: str, longest: int = _LONGEST) -> str:
    """A part of a zone in one line of printable characters."""
    shown = "".join(sign if sign.isprintable() else "?" for sign in text)
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def named(name: str) -> str:
    """A name as people write it."""
    return plain(in_letters(name))

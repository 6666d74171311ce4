# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a task wants of a zone, checked and located in it. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from .._errors import OptionError, noted, raise_noted
from .names import APEX, is_absolute, is_below, relative_host
from .records import comparable_value

PROTECTED = ("@ NS", "_acme-challenge* TXT")
MAX_DELETE_PERCENT = 30
RECORD_MEMBERS = ("host", "type", "ttl", "value")
SOA_NAMES = ("primary_ns", "rname")
SOA_NUMBERS = ("ttl", "refresh", "retry", "expire", "minimum")
SOA_MEMBERS = ("ttl", *SOA_NAMES, *SOA_NUMBERS[1:])


# No named tuple, whose own method index would be hidden.
@dataclass(frozen=True)
class WantedRecord:
    """One given record, in the spelling in which it is sent.

    host: relative to the zone once ``located`` was called. ttl, value: None where omitted; without a value the whole set is meant.
    further: members beside the four that the interface names. index: its place in the option.
    """

    index: int
    host: str
    type: str
    ttl: int | None = None
    value: str | None = None
    further: Mapping[str, Any] = field(default_factory=dict)


class WantedZone(NamedTuple):
    """What a task wants of one zone. records: None where the option was omitted. soa: only the given members.

    client: whose the domain has to be.

    protect: pairs of shell patterns for host and type. warnings: about the options alone.
    """

    state: str = "present"
    domain: str | None = None
    id: int | None = None
    client: str | None = None
    records: tuple[WantedRecord, ...] | None = None
    soa: Mapping[str, Any] = {}
    append: bool = False
    purge: bool = False
    protect: tuple[tuple[str, str], ...] = ()
    max_delete_percent: int = MAX_DELETE_PERCENT
    is_dns_disabled: bool | None = None
    warnings: tuple[str, ...] = ()

    def label(self) -> str:
        """The zone in the words of a message."""
        return self.domain if self.id is None and self.domain else f"the domain with id {self.id}"


def located(wanted: WantedZone, domain: str | None) -> WantedZone:
    """The same with all hosts relative to the zone of this domain (None: not known, and no host is absolute).

    Raises OptionError for all hosts that lie outside, entries that contradict each other, and CNAMEs that would share their host.
    """
    records = wanted.records
    errors: list[OptionError] = []
    warnings = list(wanted.warnings)
    if records is not None:
        located_records = []
        for record in records:
            try:
                host = relative_host(record.host, domain)
            except ValueError:
                problem = f"{record.host} does not lie in the zone of {domain}."
                errors.append(OptionError(f"records[{record.index}].host", problem))
                continue
            if domain and host != APEX and is_below(host, domain):
                warnings.append(
                    f"records[{record.index}].host: {host} has no dot at its end, so it is relative to the zone and means "
                    f"{host}.{domain}. Write the dot if the name is complete."
                )
            located_records.append(replace(record, host=host))
        if wanted.state == "present":
            errors += _contradictions(located_records, domain)
        records = tuple(located_records)
    protect = []
    for host, kind in wanted.protect:
        with noted(errors):
            protect.append((_pattern(host, domain), kind))
    raise_noted(errors)
    return wanted._replace(domain=domain, records=records, protect=tuple(protect), warnings=tuple(warnings))


def _pattern(host: str, domain: str | None) -> str:
    try:
        return relative_host(host, domain)
    except ValueError:
        raise OptionError("protect", f"{host} does not lie in the zone of {domain}.") from None


def needs_domain(wanted: WantedZone) -> bool:
    """Whether a host can only be told when the domain is known."""
    return any(is_absolute(record.host) for record in wanted.records or ()) or any(
        is_absolute(host) for host, _kind in wanted.protect
    )


def _contradictions(records: list[WantedRecord], domain: str | None) -> Iterator[OptionError]:
    first: dict[tuple[str, str, str], WantedRecord] = {}
    for record in records:
        key = (record.host, record.type, comparable_value(record.type, record.value, domain, None))
        same = first.setdefault(key, record)
        if same.ttl is None:
            first[key] = record
        elif record.ttl is not None and same.ttl != record.ttl:
            yield OptionError(
                f"records[{record.index}].ttl",
                f"{record.ttl} contradicts records[{same.index}], which is the same record with ttl {same.ttl}.",
            )
    for (host, kind, _value), record in first.items():
        if kind != "CNAME":
            continue
        other = next((r for (h, _k, _v), r in first.items() if h == host and r is not record), None)
        if host == APEX or other is not None:
            beside = (
                f"records[{other.index}] ({other.type})"
                if other is not None
                else "the SOA and NS records of the domain itself"
            )
            yield OptionError(
                f"records[{record.index}]", f"a CNAME allows no other record on its host, and {host} also has {beside}."
            )

# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A zone as the panel shows it, with its records in comparable form. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._task.mistakes import first_of
from .record_values import ascii_name, comparable_ttl, comparable_value, dkim_text, relative_host

SetKey = tuple[str, str]  # (host relative to the zone, type): what belongs together in DNS
_MOST_LISTED = 10
_LONGEST_LISTED = 100
# The members of a record that the world can read, so that records_before can put all of them back.
PUBLIC = frozenset({"value"})
# What check mode takes for the zone of a domain that an earlier task is about to create.
NEW_ZONE: dict[str, Any] = {
    "is_custom_dns": False,
    "is_dns_disabled": False,
    "dkim_record": None,
    "records": {"soa": {}, "other": []},
}
# What stands for the zone of a domain that is gone, of which records are to be removed.
GONE = dict(NEW_ZONE)


class Record(NamedTuple):
    """One record: ``shown`` as the panel has it or gets it, the rest in comparable form."""

    shown: Mapping[str, Any]
    host: str
    type: str
    value: str
    ttl: Any

    @property
    def set(self) -> SetKey:
        return (self.host, self.type)

    @property
    def line(self) -> str:
        return f"{self.host} {self.type} {self.ttl} {self.shown['value']}"

    def with_members(self, members: Mapping[str, Any]) -> Record:
        """The same record with other members beside host, type and value."""
        shown = {**self.shown, **members}
        return self._replace(shown=shown, ttl=comparable_ttl(shown.get("ttl")))


def records_of(zone: Mapping[str, Any], domain: str | None) -> list[Record]:
    """The zone's records but SOA, in the panel's order. domain: its name where it is known."""
    dkim = dkim_text(zone)
    return [comparable_record(record, domain, dkim) for record in zone["records"]["other"]]


def comparable_record(record: Mapping[str, Any], domain: str | None, dkim: str | None) -> Record:
    """Accepts whatever a panel may show."""
    kind = str(record["type"]).upper()
    try:
        host = relative_host(ascii_name(record["host"]), domain)
    except ValueError:
        host = str(record["host"]).lower()
    value = comparable_value(kind, record["value"], domain, dkim)
    return Record(record, host, kind, value, comparable_ttl(record.get("ttl")))


def in_sets(records: Iterable[Record]) -> dict[SetKey, list[Record]]:
    """The records by host and type."""
    sets: dict[SetKey, list[Record]] = {}
    for record in records:
        sets.setdefault(record.set, []).append(record)
    return sets


def lines_of(records: Iterable[Record]) -> list[str]:
    """Readable lines, sorted by host and type."""
    return [record.line for record in sorted(records, key=lambda r: (r.host, r.type, str(r.shown["value"])))]


def listed(lines: Sequence[str]) -> str:
    """Lines in one sentence, cut short where there are many or long ones."""
    shown = [line if len(line) <= _LONGEST_LISTED else line[: _LONGEST_LISTED - 1] + "…" for line in lines]
    return first_of(shown, _MOST_LISTED, "; ")


def flag(zone: Mapping[str, Any], name: str) -> bool | None:
    value = zone.get(name)
    return value if isinstance(value, bool) else None

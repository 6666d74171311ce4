# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of the sets of records that a task manages. Pure. Private to the collection.

A set is what belongs together in DNS: all records of one host and type. It is changed as a whole.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from typing import Any

from .._values.json_values import contains
from .record_values import comparable_value
from .wanted_zone import PROTECTED, WantedRecord, WantedZone
from .zone import Record, SetKey, in_sets


class ManagedSets:
    """The sets that a task manages, now (``current``) and as they shall be (``target``); all others are foreign to it.

    records: the whole zone. dkim: what the DKIM placeholder stands for. usual_ttl: for new sets without a ttl.
    """

    def __init__(self, wanted: WantedZone, records: list[Record], dkim: str | None, usual_ttl: int) -> None:
        self._wanted, self._records, self._dkim, self._usual_ttl = wanted, records, dkim, usual_ttl
        given: dict[SetKey, list[WantedRecord]] = {}
        for record in wanted.records or ():
            given.setdefault((record.host, record.type), []).append(record)
        sets = in_sets(records)
        become = self._without if wanted.state == "absent" else self._with
        self.target = {key: become(entries, sets.get(key, [])) for key, entries in given.items()}
        if wanted.purge:
            self.target.update({key: [] for key in sets if key not in given and not self._is_protected(key)})
        self.current = {key: sets.get(key, []) for key in self.target}
        self.changed = {key for key, target in self.target.items() if _shown(target) != _shown(self.current[key])}

    def _is_protected(self, key: SetKey) -> bool:
        return any(_fits(key, pattern) for pattern in self._wanted.protect)

    def protecting_nothing(self) -> list[str]:
        """The patterns of the task that fit no set which is there, or which it gives; the usual ones may."""
        known = {record.set for record in self._records} | set(self.target)
        return [
            " ".join(pattern)
            for pattern in self._wanted.protect
            if " ".join(pattern) not in PROTECTED and not any(_fits(key, pattern) for key in known)
        ]

    def _comparable(self, record: WantedRecord) -> str:
        return comparable_value(record.type, record.value, self._wanted.domain, self._dkim)

    def _without(self, given: list[WantedRecord], current: list[Record]) -> list[Record]:
        if any(record.value is None for record in given):
            return []
        values = {self._comparable(record) for record in given}
        return [record for record in current if record.value not in values]

    def _with(self, given: list[WantedRecord], current: list[Record]) -> list[Record]:
        """The given values: those that are there as the panel shows them and in its order, then the new ones.

        A ttl that one record of the task gives counts for the others of the set that give none. With ``append`` a set that is there keeps its
        ttl, since all records of a set have the same.
        """
        keeps_ttl = self._wanted.append and bool(current)
        ttls = [] if keeps_ttl else [record.ttl for record in given if record.ttl is not None]
        wanted: dict[str, WantedRecord] = {}
        for record in given:
            value = self._comparable(record)
            if wanted.setdefault(value, record).ttl is None:
                wanted[value] = record
        target: list[Record] = []
        for shown in current:
            match = wanted.get(shown.value)
            if match is not None:
                own = None if keeps_ttl else match.ttl
                target.append(_adapted(shown, own or (ttls[0] if ttls else None), match.further))
            elif self._wanted.append:
                target.append(shown)
        ttl = ttls[0] if ttls else current[0].ttl if current and isinstance(current[0].ttl, int) else self._usual_ttl
        there = {shown.value for shown in current}
        return target + [
            _new(record, value, ttl if keeps_ttl else record.ttl or ttl)
            for value, record in wanted.items()
            if value not in there
        ]

    def arranged(self) -> list[Record]:
        """The whole zone as it shall be. Foreign records and values that stay keep their place, new values follow their set.

        After a purge the given order holds instead, so that a zone put back from ``records_before`` looks as it did.
        """
        if not self.changed:
            return self._records
        if self._wanted.purge:
            return self._in_given_order()
        waiting = {key: list(target) for key, target in self.target.items()}
        last = {record.set: index for index, record in enumerate(self._records)}
        planned: list[Record] = []
        for index, record in enumerate(self._records):
            target = waiting.get(record.set)
            if target is None:
                planned.append(record)
                continue
            if target and target[0].value == record.value:
                planned.append(target.pop(0))
            if index == last[record.set]:
                planned += waiting.pop(record.set)
        return planned + [record for target in waiting.values() for record in target]

    def _in_given_order(self) -> list[Record]:
        foreign = [record for record in self._records if record.set not in self.target]
        place: dict[tuple[str, str, str], int] = {}
        for index, record in enumerate(self._wanted.records or ()):
            place.setdefault((record.host, record.type, self._comparable(record)), index)
        managed = [record for target in self.target.values() for record in target]
        return foreign + sorted(managed, key=lambda record: place[(record.host, record.type, record.value)])


def _shown(records: list[Record]) -> list[Mapping[str, Any]]:
    return [record.shown for record in records]


def _adapted(record: Record, ttl: int | None, further: Mapping[str, Any]) -> Record:
    """The record as it is shown, but with this ttl and these further members where they differ."""
    members = {name: value for name, value in further.items() if not contains(record.shown, {name: value})}
    if ttl is not None and ttl != record.ttl:
        members["ttl"] = ttl
    return record.with_members(members) if members else record


def _new(given: WantedRecord, value: str, ttl: int) -> Record:
    shown = {"host": given.host, "ttl": ttl, "type": given.type, "value": given.value, **given.further}
    return Record(shown, given.host, given.type, value, ttl)


def _fits(key: SetKey, pattern: tuple[str, str]) -> bool:
    return all(fnmatch.fnmatchcase(part, given) for part, given in zip(key, pattern))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the records of zones: the customer's own ones, with the new addresses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ....module_utils._dns.record_names import APEX
from ....module_utils._dns.record_options import read_record
from ....module_utils._dns.record_values import MAX_TTL
from ....module_utils._dns.records import Record as NormalRecord
from ....module_utils._dns.records import RRset, find_cname_conflicts, normalize_record
from ....module_utils._errors import PanelError
from ....module_utils._secrets.secret_forms import holds_private_key, mask_secret_forms
from ..._import_source.source_rows import ZONE_LEFT_OUT
from ..._import_source.source_shape import Record, Source, Zone
from ..import_ledger import ORPHAN, Ledger, RowName
from ..item_checks import explain_refusal, explain_unsendable, place_item
from ..mapped_source import Item
from ..naming.domain_names import NamedDomain, read_domain_name
from ..naming.own_addresses import find_own_addresses, read_address
from ..operator_mapping import OperatorMapping
from .domains import MappedDomains
from .zone_sets import ADDRESS_TYPES, choose_zone_options, replaces_spf

KIND = "dns"
DEFAULT_TTL = 3600
# What panels of this kind take; ALIAS is none of DNS, and DNSSEC is made by a server.
_TYPES = frozenset({
    "A", "AAAA", "CAA", "CNAME", "DNAME", "DS", "HTTPS", "LOC", "MX", "NAPTR", "NS", "OPENPGPKEY",
    "PTR", "SMIMEA", "SPF", "SRV", "SSHFP", "SVCB", "TLSA", "TXT",
})  # fmt: skip
_DUPLICATE = "The source has this zone twice; the first one is carried."
_NO_MAIN_DOMAIN = "The panel has zones of main domains only, and {} is none in this import."
_OF_ANOTHER = "The domain {} belongs to another customer."
_EMPTY = "None of its records is carried, so the zone gets the panel's records."
_NAME_SERVERS = "The panel has its own name servers."
_SOA = "The panel makes its own SOA record."
_DKIM = "The panel makes its own DKIM key; publish the record of the new one."
_TYPE_UNKNOWN = "The panel has no records of type {}."
_OWN_ADDRESS = (
    "It leads to {}, an address of the source's server; mapping.addresses can name the new one."
)
_BESIDE_CNAME = (
    "A CNAME can stand neither beside other records of its host nor at the domain itself."
)
_OUTSIDE = "Its host does not lie in the zone."
_NO_SPF = (
    "The source adds an SPF record to these texts, and the panel adds none beside them; add one to "
    "the records."
)
_SECRET = "It holds a private key."


class _Planned(NamedTuple):
    """A record that the folder may have."""

    row: RowName
    normal: NormalRecord


class _PlannedRecords(NamedTuple):
    """The records of a zone that the folder may have.

    sets_of_server: The record sets that are left out, since they lead to the source's own server.
    """

    records: list[_Planned]
    sets_of_server: set[RRset]


class ZoneMapper:
    """Adds zones to the folder."""

    def __init__(
        self,
        ledger: Ledger,
        source: Source,
        names: Mapping[str, NamedDomain],
        domains: MappedDomains,
        mapping: OperatorMapping,
    ) -> None:
        """Prepare to add zones.

        Args:
            ledger: Gets the items, and what became of each row.
            source: What the other panel says.
            names: What the source says of each name.
            domains: The domains of the folder.
            mapping: The decisions of the operator.
        """
        self._ledger = ledger
        self._source = source
        self._domains = domains
        self._mapping = mapping
        self._own_addresses = find_own_addresses(source, names)
        self._dkim_names = {
            f"{mail.selector.lower()}._domainkey.{mail.name}"
            for mail in source.mail_domains
            if mail.selector
        }

    def map_all(self) -> None:
        """Add all zones."""
        mapped: set[str] = set()
        for zone in self._source.zones:
            row = RowName(zone.customer, KIND, zone.name, zone.origin)
            name = read_domain_name(zone.name)
            reason = self._explain_missing(zone, name, mapped)
            if reason or name is None:
                self._ledger.leave_out(row, reason, "records")
                self._leave_out_records(zone)
                continue
            if self._map_zone(zone, name, row):
                mapped.add(name)

    def _leave_out_records(self, zone: Zone) -> None:
        """Name each record of a zone that does not arrive."""
        for record in zone.records:
            self._ledger.leave_out(_name_record(zone, zone.name, record), ZONE_LEFT_OUT)

    def _explain_missing(self, zone: Zone, name: str | None, mapped: set[str]) -> str:
        """Return why a zone does not arrive; empty where it may."""
        if zone.customer not in self._ledger.usernames:
            return ORPHAN
        if name is None or name not in self._domains.main_domains:
            return _NO_MAIN_DOMAIN.format(zone.name)
        if self._domains.owner_by_name[name] != zone.customer:
            return _OF_ANOTHER.format(zone.name)
        if name in mapped:
            return _DUPLICATE
        return ""

    def _map_zone(self, zone: Zone, name: str, row: RowName) -> bool:
        """Add a zone to the folder; tell whether it arrives."""
        planned_records = self._plan_records(zone, name)
        planned = self._without_cname_conflicts(planned_records.records)
        unique: dict[tuple[str, str, str], _Planned] = {}
        for entry in planned:
            unique.setdefault(entry.normal.key, entry)
        if not unique:
            self._ledger.leave_out(row, _EMPTY, "records")
            return False

        normal = sorted((entry.normal for entry in unique.values()), key=lambda record: record.rank)
        options = choose_zone_options(
            normal,
            zone.is_whole,
            self._mapping.addresses.values(),
            planned_records.sets_of_server,
            self._domains.list_hosts_below(name),
        )
        item: Item = {"domain": name, **options}
        item["records"] = [dict(record.fields) for record in normal]
        rows = [row, *(entry.row for entry in planned)]
        if place_item(self._ledger, rows, item, name) is None:
            return False
        self._ledger.leave_fields(row, zone.fields_left_out)
        if not options and replaces_spf(normal, zone.is_whole):
            self._ledger.leave_field(row, "records @ TXT", _NO_SPF)
        return True

    def _plan_records(self, zone: Zone, name: str) -> _PlannedRecords:
        """Return the records of a zone as the folder has them, enter those that are left out, and
        ask for the new address of those that lead to the source's own server."""
        planned = _PlannedRecords([], set())
        for record in zone.records:
            row = _name_record(zone, name, record)
            item = _make_item(record)
            reason = _find_record_problem(item) or self._explain_left_out(name, item)
            if reason:
                self._ledger.leave_out(row, reason)
                continue

            old_address = self._find_old_address(item)
            if old_address:
                self._ledger.ask(zone.customer, KIND, "addresses", old_address, None)
                self._ledger.leave_out(row, _OWN_ADDRESS.format(old_address))
                planned.sets_of_server.add(normalize_record(item, name).rrset)
                continue

            normal = normalize_record(self._with_new_address(item), name)
            planned.records.append(_Planned(row, normal))
        return planned

    def _explain_left_out(self, name: str, item: Item) -> str:
        """Return why the panel's own records take the place of a record; empty where none do."""
        normal = normalize_record(item, name)
        if normal.host.endswith("."):
            return _OUTSIDE
        if normal.rrset == (APEX, "NS"):
            return _NAME_SERVERS
        full_name = name if normal.host == APEX else f"{normal.host}.{name}"
        return _DKIM if full_name in self._dkim_names else ""

    def _find_old_address(self, item: Item) -> str:
        """Return the address of the source's own server that a record leads to; empty where it
        leads elsewhere, or where the operator has named the new address.
        """
        address = _read_address_of(item)
        if address in self._mapping.addresses or address not in self._own_addresses:
            return ""
        return address

    def _with_new_address(self, item: Item) -> Item:
        """Return a record that leads to the address that the operator has named for the old one."""
        new_address = self._mapping.addresses.get(_read_address_of(item))
        return item if new_address is None else {**item, "value": new_address}

    def _without_cname_conflicts(self, planned: list[_Planned]) -> list[_Planned]:
        """Return the records without each CNAME that has other records beside it."""
        conflicts = find_cname_conflicts(entry.normal for entry in planned)
        remaining = []
        for entry in planned:
            if entry.normal.type == "CNAME" and entry.normal.host in conflicts:
                self._ledger.leave_out(entry.row, _BESIDE_CNAME)
            else:
                remaining.append(entry)
        return remaining


def _name_record(zone: Zone, name: str, record: Record) -> RowName:
    """Return what the lists say of a record. name: that of its zone."""
    key = f"{name} {record.host} {record.type.strip().upper()}"
    return RowName(zone.customer, KIND, mask_secret_forms(key), record.origin)


def _make_item(record: Record) -> Item:
    """Return a record of the source as an item of the folder."""
    item: Item = {"host": record.host, "type": record.type.strip().upper()}
    item["ttl"] = record.ttl if 0 < record.ttl <= MAX_TTL else DEFAULT_TTL
    item["value"] = record.value
    return item


def _read_address_of(item: Item) -> str:
    """Return the address that a record leads to; empty for one that leads to none."""
    if item["type"] not in ADDRESS_TYPES:
        return ""
    return read_address(item["value"]) or ""


def _find_record_problem(item: Item) -> str:
    """Return why no zone of the panel has such a record; empty where one may."""
    if item["type"] == "SOA":
        return _SOA
    if item["type"] not in _TYPES:
        return _TYPE_UNKNOWN.format(item["type"][:20])
    problem = explain_unsendable(item)
    if problem:
        return problem
    return _SECRET if holds_private_key(item["value"]) else _find_value_problem(item)


def _find_value_problem(item: Item) -> str:
    """Return why the collection does not take a record; empty where it does."""
    try:
        read_record((), item, needs_value=True)
    except PanelError as error:
        return explain_refusal(error.problems)
    return ""

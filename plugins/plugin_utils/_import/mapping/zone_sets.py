# SPDX-License-Identifier: GPL-3.0-or-later
"""Decides what becomes of the records that the panel itself puts into a new zone."""

from __future__ import annotations

import glob
from collections.abc import Collection, Sequence

from ....module_utils._dns.desired_zone import PROTECTED
from ....module_utils._dns.record_names import APEX
from ....module_utils._dns.record_values import decode_text
from ....module_utils._dns.records import Record, RRset
from ..mapped_source import Item

ADDRESS_TYPES = ("A", "AAAA")
# A new zone of the panel may have records of these hosts.
_USUAL_HOSTS = (
    APEX, "www", "mail", "ftp", "autoconfig", "autodiscover", "webmail", "smtp", "imap", "pop",
    "pop3", "*",
)  # fmt: skip
_USUAL_SETS = frozenset(
    {(APEX, "MX"), *((host, name) for host in _USUAL_HOSTS for name in ADDRESS_TYPES)}
)
_SPF = "v=spf1"


def choose_zone_options(
    records: Sequence[Record],
    is_whole: bool,
    new_addresses: Collection[str],
    sets_of_server: Collection[RRset],
    subdomains: Collection[str],
) -> Item:
    """Return the options by which records of the panel stay beside those of the source, or go.

    Without options, each set that is listed replaces the panel's, and all others stay.

    Args:
        records: The records of the source that arrive.
        is_whole: Whether the source has no other records in the zone.
        new_addresses: Addresses of the new server.
        sets_of_server: Sets that are left out, since they lead to the old server.
        subdomains: Hosts that the panel may have records of, since they are subdomains.
    """
    unprotected = _find_unprotected(records, is_whole, new_addresses, sets_of_server)
    if unprotected:
        patterns = ["_* *", "*._domainkey *"]
        hosts = {*(host for host, _type in sets_of_server), *subdomains}
        for host in dict.fromkeys([*_USUAL_HOSTS, *sorted(hosts)]):
            types = unprotected.get(host, "*")
            if types:
                patterns.append(f"{_make_pattern(host)} {types}")
        return {"purge": True, "max_delete_percent": 100, "protect": [*PROTECTED, *patterns]}

    listed = {record.rrset for record in records}
    if replaces_spf(records, is_whole) and listed.isdisjoint(_USUAL_SETS):
        return {"append": True}
    return {}


def _make_pattern(host: str) -> str:
    """Return a pattern for one host, such as [w]ww, since a pattern may match nothing.

    Nobody knows which of these hosts the new panel has, and a plain name that the zone lacks is
    taken for a mistake. The domain itself always exists.
    """
    if host == APEX:
        return host
    if glob.has_magic(host):
        return glob.escape(host)
    return f"[{host[0]}]{host[1:]}"


def replaces_spf(records: Sequence[Record], is_whole: bool) -> bool:
    """Tell whether the texts of the domain itself would replace an SPF record of the panel that the
    source has beside them.
    """
    texts = [decode_text(record.value) for record in records if record.rrset == (APEX, "TXT")]
    has_spf = any(text.lower().startswith(_SPF) for text in texts)
    return bool(texts) and not has_spf and not is_whole


def _find_unprotected(
    records: Sequence[Record],
    is_whole: bool,
    new_addresses: Collection[str],
    sets_of_server: Collection[RRset],
) -> dict[str, str]:
    """Return by host which types of it stay, where the panel's records would be wrong: beside a
    CNAME none, and beside an address elsewhere no other address.
    """
    unprotected: dict[str, str] = {}
    sets = {record.rrset for record in records} | set(sets_of_server)
    for record in records:
        if record.host not in _USUAL_HOSTS:
            continue
        if record.type == "CNAME":
            unprotected[record.host] = ""
            continue
        leads_elsewhere = record.type in ADDRESS_TYPES and record.value not in new_addresses
        if is_whole and leads_elsewhere and not _has_all_families(record.host, sets):
            unprotected[record.host] = "[!A]*"
    return unprotected


def _has_all_families(host: str, sets: Collection[RRset]) -> bool:
    """Tell whether a host has addresses of both families."""
    return all((host, family) in sets for family in ADDRESS_TYPES)

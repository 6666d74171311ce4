# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the options of a zone as a panel has it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

from .._dns.desired_zone import PROTECTED
from .._dns.record_names import APEX
from .._dns.record_options import (
    SOA_FIELDS,
    build_protect_pattern,
    describe_record_problem,
    describe_soa_problem,
)
from .._dns.record_values import PLACEHOLDER, TEXT_TYPES, find_dkim_text
from .._dns.records import Record, list_records
from .._problems import as_clause
from .._secrets.secret_forms import holds_private_key
from .._values.unsendable import describe_unsendable
from .exported_values import HOLDS_KNOWN_SECRET, HOLDS_SECRET, Hides, add_left_out_with_it

Options = dict[str, Any]
Zone = Mapping[str, Any]
# By option why it is left out; by None why the whole object is.
LeftOut = dict[Optional[str], str]


def read_switch_options(domain: Mapping[str, Any]) -> Options | None:
    """Return the options of a zone whose records need not be read; None where they have to be."""
    is_disabled = domain.get("is_dns_disabled")
    if is_disabled:
        return {"is_dns_disabled": True}
    if is_disabled is False and domain.get("is_custom_dns") is False:
        return {"state": "default"}
    return None


def make_record_options(zone: Zone, domain: str, hides: Hides, left_out: LeftOut) -> Options:
    """Return options with every record and the SOA record, in place of whatever the zone has: on
    an empty panel, of the default records.

    Args:
        zone: The zone as the panel shows it.
        domain: Its name.
        hides: In which texts a secret of the task stands.
        left_out: Gets by option what no item takes, and why. A record set that no item takes is
            left out by name, and protected where it is.
    """
    records = sorted(list_records(zone, domain), key=lambda record: record.rank)
    options: Options = {"purge": True, "max_delete_percent": 100}
    if all(record.rrset != (APEX, "NS") for record in records):
        # Protected are the name servers of the default records too, which this zone does not have.
        options["protect"] = [pattern for pattern in PROTECTED if pattern != f"{APEX} NS"]

    soa = _make_soa_options(zone, left_out)
    if soa:
        options["soa"] = soa
    dkim = find_dkim_text(zone)
    options["records"] = [_make_record_item(record, dkim) for record in records]

    _leave_sets_out(options, hides, left_out)
    return options


def _make_soa_options(zone: Zone, left_out: LeftOut) -> Options:
    """Return the fields of the SOA record that an item takes."""
    soa = zone["records"].get("soa") or {}
    options: Options = {}
    for name in SOA_FIELDS:
        value = soa.get(name)
        if value is None:
            continue

        problem = describe_soa_problem(name, value)
        if problem:
            left_out[f"soa.{name}"] = as_clause(problem)
        else:
            options[name] = value

    return options


def _make_record_item(record: Record, dkim: str | None) -> Options:
    """Return the item of a record."""
    item: Options = {"host": record.host, "type": record.type}
    if record.ttl is not None:
        item["ttl"] = record.ttl

    # Another zone has another key for its mails, which the placeholder stands for.
    if record.type in TEXT_TYPES and dkim is not None and record.value == dkim:
        item["value"] = PLACEHOLDER
    else:
        item["value"] = record.fields["value"]
    return item


def _leave_sets_out(options: Options, hides: Hides, left_out: LeftOut) -> None:
    """Take the sets of records that no item takes out of the options, which protect them
    instead.
    """
    reasons = [_explain_refused_record(record, hides) for record in options["records"]]
    leave_refused_sets(options, reasons, left_out)


def leave_refused_sets(options: Options, reasons: Sequence[str], left_out: LeftOut) -> None:
    """Take the sets of refused records out of the options, which protect them instead.

    Args:
        options: Those of a zone, with records.
        reasons: For each record why it is refused; empty where it is not.
        left_out: Gets by the name of a set why it is left out, and what goes with it.
    """
    reasons_by_set: dict[tuple[str, str], str] = {}
    right_records = []
    for record, reason in zip(options["records"], reasons):
        if reason:
            reasons_by_set.setdefault(_get_rrset_of(record), reason)
        else:
            right_records.append(record)
    if not reasons_by_set:
        return

    records = [record for record in right_records if _get_rrset_of(record) not in reasons_by_set]
    # No purge touches what lies outside of the zone.
    patterns = [
        build_protect_pattern(host, record_type)
        for host, record_type in reasons_by_set
        if not host.endswith(".")
    ]
    protect = options.get("protect", PROTECTED)
    options["records"] = records
    if patterns:
        options["protect"] = [*protect, *patterns]
    for (host, record_type), reason in reasons_by_set.items():
        values = [
            record["value"]
            for record in right_records
            if _get_rrset_of(record) == (host, record_type)
        ]
        left_out[f"records {host} {record_type}"] = add_left_out_with_it(reason, values)


def _get_rrset_of(item: Options) -> tuple[str, str]:
    """Return host and type of a record, which name its set."""
    return item["host"], item["type"]


def _explain_refused_record(item: Options, hides: Hides) -> str:
    """Say why no item takes a record; empty where one does.

    What else than a private key is in records the world can read anyway, but no result shows a
    secret of the task.
    """
    if holds_private_key(item["value"]):
        return HOLDS_SECRET
    if hides(str(item["value"])):
        return HOLDS_KNOWN_SECRET
    problem = describe_unsendable(item)
    if problem:
        return f"it {problem}"
    if item["host"].endswith("."):
        return "its host does not lie in the zone"
    return as_clause(describe_record_problem(item))

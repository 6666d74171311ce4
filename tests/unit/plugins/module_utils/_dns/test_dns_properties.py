"""What holds for every zone and every task.

The zone becomes the wanted records and the foreign ones, and stays so.
"""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._dns.desired_zone import (
    read_desired_zone,
)
from ansible_collections.hosting.panel.plugins.module_utils._dns.planning import plan_zone
from ansible_collections.hosting.panel.plugins.module_utils._dns.record_values import (
    decode_text,
    split_long_text,
)
from ansible_collections.hosting.panel.plugins.module_utils._dns.records import list_records
from ansible_collections.hosting.panel.plugins.module_utils._dns.zone_verification import (
    verify_zone,
)

pytestmark = pytest.mark.long

Options = dict[str, Any]
DOMAIN = "acme.example"
DKIM = "v=DKIM1; p=MIIB"
HOSTS = ["@", "www", "mail", "_acme-challenge", "default._domainkey", "*"]
VALUES = {
    "A": ["192.0.2.1", "192.0.2.2", "192.0.2.3"],
    "AAAA": ["2001:db8::1", "2001:DB8:0::1", "2001:db8::2"],
    "MX": ["10 mail", "10 mail.acme.example.", "20  Mail.other.example."],
    "TXT": ["one", '"one"', '"o" "ne"', "two", "<DKIM_RECORD_VALUE>", DKIM],
    "NS": ["ns1.panel.example.", "NS1.panel.example", "ns2.panel.example."],
}
SPELLINGS = [str, str.upper, lambda host: DOMAIN + "." if host == "@" else f"{host}.{DOMAIN}."]
TTLS = st.sampled_from([60, 3600, 86400])


def generate_records(ttl: st.SearchStrategy[Any]) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Return a strategy of records in any spelling."""
    hosts = st.tuples(st.sampled_from(HOSTS), st.sampled_from(SPELLINGS)).map(
        lambda pair: pair[1](pair[0])
    )
    fields = st.sampled_from(sorted(VALUES)).flatmap(
        lambda kind: st.fixed_dictionaries(
            {
                "host": hosts,
                "type": st.just(kind),
                "ttl": ttl,
                "value": st.sampled_from(VALUES[kind]),
            }
        )
    )

    return st.lists(fields, max_size=12)


def make_zone(entries: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a zone of the panel that has some records."""
    return {
        "is_custom_dns": True,
        "is_dns_disabled": False,
        "dkim_record": f"default._domainkey IN TXT ( {DKIM} )",
        "records": {"soa": {"ttl": 86400}, "other": entries},
    }


ZONES = generate_records(TTLS).map(make_zone)
# One ttl for the whole task, or none, so that the same record never has two.
WANTED = (TTLS | st.none()).flatmap(lambda ttl: generate_records(st.just(ttl)))
WAYS = st.sampled_from(
    [{}, {"append": True}, {"purge": True, "max_delete_percent": 100}, {"state": "absent"}]
)


def list_values(zone: dict[str, Any]) -> set[tuple[str, str, str]]:
    """Return host, type and value of each record of a zone."""
    return {(record.host, record.type, record.value) for record in list_records(zone, DOMAIN)}


Values = set[tuple[str, str, str]]


def is_kept_by_purge(entry: tuple[str, str, str]) -> bool:
    """Whether no purge takes a record: the zone's own name servers, and what ACME has put there."""
    host, kind, _value = entry
    return (host, kind) in {("@", "NS"), ("_acme-challenge", "TXT")}


def compute_expected_values(before: Values, requested: Values, way: Options) -> Values:
    """Return the records of a zone after a task, by the rules that its documentation has."""
    if way.get("append"):
        return before | requested
    if way.get("state") == "absent":
        return before - requested

    named = {(host, kind) for host, kind, _value in requested}
    foreign = {entry for entry in before if entry[:2] not in named}
    if way.get("purge"):
        foreign = set(filter(is_kept_by_purge, foreign))
    return foreign | requested


@given(ZONES, WANTED, WAYS)
def test_a_zone_becomes_the_wanted_records_and_the_foreign_ones(
    zone: Options, requested: list[Options], way: Options
) -> None:
    task = read_desired_zone({"domain": DOMAIN, "records": requested, **way})
    planned = plan_zone(zone, task)

    assert list_values(planned.zone) == compute_expected_values(
        list_values(zone), list_values(make_zone(requested)), way
    )


@given(ZONES, WANTED, WAYS)
def test_each_set_that_the_task_names_has_the_ttl_of_the_task(
    zone: Options, requested: list[Options], way: Options
) -> None:
    ttl = next((record["ttl"] for record in requested), None)
    assume(ttl is not None and way.get("state") != "absent")
    # What is appended takes the TTL of the set that it joins.
    assume(not way.get("append"))
    named = {(host, kind) for host, kind, _value in list_values(make_zone(requested))}

    planned = plan_zone(zone, read_desired_zone({"domain": DOMAIN, "records": requested, **way}))

    assert {
        record.ttl for record in list_records(planned.zone, DOMAIN) if record.rrset in named
    } == {ttl}


@given(ZONES, WANTED, WAYS)
def test_planning_twice_changes_nothing_more(
    zone: Options, requested: list[Options], way: Options
) -> None:
    task = read_desired_zone({"domain": DOMAIN, "records": requested, **way})
    first = plan_zone(zone, task)

    second = plan_zone(copy.deepcopy(first.zone), task)

    assert not second.is_change
    assert second.before == second.after == first.after
    assert first.is_change == (first.zone != zone)


@given(ZONES, WANTED, WAYS)
def test_foreign_records_are_sent_back_as_shown_and_in_their_order(
    zone: Options, requested: list[Options], way: Options
) -> None:
    task = read_desired_zone({"domain": DOMAIN, "records": requested, **way})
    named = {record.rrset for record in list_records(make_zone(requested), DOMAIN)}
    kept = [entry for entry in list_records(zone, DOMAIN) if entry.rrset not in named]
    if way.get("purge"):
        kept = [entry for entry in kept if entry.rrset in {("@", "NS"), ("_acme-challenge", "TXT")}]

    planned = plan_zone(zone, task).zone

    assert [
        entry.fields for entry in list_records(planned, DOMAIN) if entry.rrset not in named
    ] == [entry.fields for entry in kept]


@given(ZONES, WANTED, WAYS)
def test_the_records_from_before_put_the_zone_back(
    zone: Options, requested: list[Options], way: Options
) -> None:
    # The same record with two ttls is nothing that a panel would keep.
    first = {}
    for record in list_records(zone, DOMAIN):
        first.setdefault((record.rrset, record.value), record.fields)

    zone = make_zone(list(first.values()))
    changed = plan_zone(
        zone, read_desired_zone({"domain": DOMAIN, "records": requested, **way})
    ).zone
    back = {
        "records": zone["records"]["other"],
        "purge": True,
        "max_delete_percent": 100,
        "protect": [],
    }
    restored = plan_zone(changed, read_desired_zone({"domain": DOMAIN, **back})).zone

    def count_records(shown_zone: dict[str, Any]) -> Counter[Any]:
        return Counter(
            (record.rrset, record.value, record.ttl) for record in list_records(shown_zone, DOMAIN)
        )

    assert count_records(restored) == count_records(zone)


@given(ZONES, WANTED, WAYS)
def test_a_zone_that_is_as_planned_has_no_shortfall(
    zone: Options, requested: list[Options], way: Options
) -> None:
    task = read_desired_zone({"domain": DOMAIN, "records": requested, **way})
    planned = plan_zone(zone, task)
    if planned.is_change:
        assert verify_zone(zone, planned, planned.zone, task).is_empty


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=256, max_size=700))
def test_a_long_text_is_the_same_in_pieces(text: str) -> None:
    text = text.strip()
    if not text.startswith(('"', "(")):
        assert decode_text(split_long_text(text)) == text


@pytest.mark.parametrize("escape", ["\\256", "\\999", "\\1", "\\12"])
def test_an_escape_that_is_no_byte_equals_no_other_text(escape: str) -> None:
    value = f'"a{escape}"'
    assert decode_text(value) == f"a{escape}"
    assert decode_text(value) != decode_text('"a\\255"')
    assert decode_text('"a\\255"').encode("utf-8", "surrogateescape") == b"a\xff"

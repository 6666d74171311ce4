"""What holds for every zone: written and read again, it is the same for panel_dns and for other DNS servers."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.filter.panel_records_to_zone import panel_records_to_zone
from ansible_collections.hosting.panel.plugins.filter.panel_zone_to_records import panel_zone_to_records
from ansible_collections.hosting.panel.plugins.module_utils._dns.record_values import comparable_record

DOMAIN = "acme.example"
HOSTS = ["@", "www", "WWW.shop", "*", "*.w", "_sip._tcp", "bücher", "mail.acme.example.", "acme.example."]
NAMES = ["@", "mail", "mail.acme.example.", "Mail.Other.example", "ns.müller.example.", "_x.other.example."]
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=700).map(str.strip).filter(bool)
PIECES = st.lists(st.sampled_from(['"a b"', '"\\""', '"\\\\"', '"\\200"', '"x;y"', '""']), min_size=1, max_size=4)
VALUES = {
    "A": st.ip_addresses(v=4).map(str),
    "AAAA": st.ip_addresses(v=6).flatmap(lambda address: st.sampled_from([str(address), address.exploded.upper()])),
    "CAA": st.sampled_from(
        ['0 issue "ca.example"', "128 ISSUEWILD ca.example", '0 issue ";"', "0 iodef mailto:a@b.example"]
    ),
    "DS": st.just("12345 13 2 " + "0a" * 32),
    "MX": st.builds("{} {}".format, st.integers(0, 65535), st.sampled_from(NAMES)),
    "NS": st.sampled_from(NAMES),
    "SRV": st.builds("{} 5 443 {}".format, st.integers(0, 65535), st.sampled_from([*NAMES, "."])),
    "SSHFP": st.just("1 1 " + "0A" * 20),
    "TXT": TEXTS | PIECES.map(" ".join) | PIECES.map(lambda pieces: f"( {' '.join(pieces)} )"),
}


def with_one_ttl_a_set(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A text with two is a mistake."""
    ttls: dict[tuple[str, str], int] = {}
    return [{**record, "ttl": ttls.setdefault(known(record)[:2], record["ttl"])} for record in records]


RECORDS = st.lists(
    st.sampled_from(sorted(VALUES)).flatmap(
        lambda kind: st.fixed_dictionaries(
            {
                "host": st.sampled_from(HOSTS),
                "type": st.just(kind),
                "ttl": st.just(60 if kind < "M" else 3600),  # one for each record set
                "value": VALUES[kind],
            }
        )
    ),
    max_size=10,
    unique_by=lambda record: known(record)[:3],
).map(with_one_ttl_a_set)


def known(record: dict[str, Any]) -> tuple[str, str, str, Any]:
    """What panel_dns compares."""
    comparable = comparable_record(record, DOMAIN, None)
    return comparable.host, comparable.type, comparable.value, comparable.ttl


@given(RECORDS)
def test_records_come_back_the_same(records: list[dict[str, Any]]) -> None:
    text = panel_records_to_zone(records, DOMAIN)
    again = panel_zone_to_records(text, DOMAIN)
    assert sorted(map(known, again)) == sorted(map(known, records))
    assert panel_records_to_zone(again, DOMAIN) == text

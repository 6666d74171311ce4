"""panel_records_to_zone: zone files that other DNS servers read, from all that the collection returns."""

from __future__ import annotations

from typing import Any

import dns.rdatatype
import dns.zone
import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.hosting.panel.plugins.filter import panel_records_to_zone as module
from ansible_collections.hosting.panel.plugins.filter.panel_records_to_zone import panel_records_to_zone
from tests.support.transcript import SOA

DKIM = 'default._domainkey IN TXT ( "v=DKIM1; k=rsa; " "p=MIIB" )'


def record(host: str, kind: str, value: str, ttl: Any = 3600) -> dict[str, Any]:
    return {"host": host, "type": kind, "ttl": ttl, "value": value}


RECORDS = [
    record("www", "A", "192.0.2.10"),
    record("@", "MX", "10  mail"),
    record("@", "NS", "ns1.panel.example", 86400),
    record("mail.acme.example.", "A", "192.0.2.11", "300"),
    record("default._domainkey", "TXT", "<DKIM_RECORD_VALUE>"),
]
TEXT = """\
$ORIGIN acme.example.
$TTL 3600
@                  86400  IN SOA   ns1.panel.example. hostmaster.acme.example. 1 14400 1800 604800 3600
@                  86400  IN NS    ns1.panel.example.
@                  3600   IN MX    10 mail.acme.example.
default._domainkey 3600   IN TXT   "v=DKIM1; k=rsa; p=MIIB"
mail               300    IN A     192.0.2.11
www                3600   IN A     192.0.2.10
"""
SHOWN = {
    "domain": "acme.example",
    "id": 31,
    "is_custom_dns": True,
    "is_dns_disabled": False,
    "dkim_record": DKIM,
    "records": {"soa": SOA, "other": RECORDS},
}


def values(text: str, name: str, kind: str, origin: str = "acme.example") -> list[str]:
    """What the library reads in a text."""
    zone = dns.zone.from_text(text, origin, relativize=False, check_origin=False)
    found = zone.get_rdataset(f"{name}.{origin}." if name != "@" else f"{origin}.", kind)
    return sorted(data.to_text() for data in found)


def test_every_shape_of_a_zone_is_the_same_text() -> None:
    for arguments in [
        {"records": SHOWN},
        {"records": SHOWN["records"], "origin": "acme.example.", "dkim_record": DKIM},
        {
            "records": {"domain": "ACME.example", "records": RECORDS, "soa": SOA},
            "dkim_record": "v=DKIM1; k=rsa; p=MIIB",
        },
        {"records": RECORDS[::-1], "origin": "acme.example", "soa": SOA, "dkim_record": DKIM},
    ]:
        assert panel_records_to_zone(**arguments) == TEXT


def test_a_text_is_quoted() -> None:
    for value, expected in [
        ("v=spf1 a -all", '"v=spf1 a -all"'),
        ('"one" "two"', '"one" "two"'),
        ('( "one"  "two" )', '"one" "two"'),
        ('say "hi"; \\ done', '"say \\"hi\\"; \\\\ done"'),
        ("ü", '"\\195\\188"'),
        ('"\\200"', '"\\200"'),
        ('""', '""'),
        ("{{ lookup('pipe', 'id') }}", "\"{{ lookup('pipe', 'id') }}\""),
        ('x" IN A 192.0.2.1', '"x\\" IN A 192.0.2.1"'),
    ]:
        text = panel_records_to_zone([record("a", "TXT", value)], "acme.example")
        assert values(text, "a", "TXT") == [expected]
        assert len(text.splitlines()) == 3


def test_a_value_is_complete() -> None:
    for kind, value, expected in [
        ("CNAME", "shop.other.example", "shop.other.example."),
        ("MX", "0 .", "0 ."),
        ("SRV", "0 5 443 www", "0 5 443 www.acme.example."),
        ("NS", "ns.müller.example", "ns.xn--mller-kva.example."),
        ("CAA", "0 ISSUE ca.example; account=1", '0 issue "ca.example; account=1"'),
        ("AAAA", "2001:DB8:0::1", "2001:db8::1"),
        ("TLSA", "3 1 1 " + "AB" * 32, "3 1 1 " + "ab" * 32),
    ]:
        text = panel_records_to_zone([record("a", kind, value)], "acme.example")
        assert values(text, "a", kind) == [expected]
        assert expected in text


def test_a_record_without_a_ttl_has_the_one_that_most_records_have() -> None:
    records = [record("a", "A", "192.0.2.1", 60), record("b", "A", "192.0.2.2", 60), record("c", "A", "192.0.2.3")]
    text = panel_records_to_zone([*records, record("d", "A", "192.0.2.4", None)], "acme.example")
    assert text.splitlines()[-1].split()[:2] == ["d", "60"]


def test_types_are_left_out_when_asked_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(module.Display, "warning", lambda _self, text: said.append(text))
    records = [record("@", "ALIAS", "a.example."), record("a", "A", "192.0.2.1"), record("b", "ALIAS", "a.example.")]
    text = panel_records_to_zone(records, "acme.example", skip_types=["alias"])
    assert [line.split()[0] for line in text.splitlines()[2:]] == ["a"]
    assert said == ["hosting.panel.panel_records_to_zone left out 2 of type ALIAS."]


ONE = [record("a", "A", "192.0.2.1")]


def test_a_mistake_names_its_record() -> None:
    for arguments, message in [
        ({"records": RECORDS}, "origin: missing"),
        ({"records": ONE, "origin": "x y.example"}, "origin: 'x y.example' is not accepted"),
        ({"records": "www", "origin": "acme.example"}, "the input must be a list of records or a zone"),
        ({"records": ["www"], "origin": "acme.example"}, "records[0]: must be a dictionary"),
        (
            {"records": RECORDS, "origin": "acme.example"},
            "records[4] (default._domainkey TXT): the panel's placeholder",
        ),
        (
            {"records": [record("a.other.example.", "A", "192.0.2.1")], "origin": "acme.example"},
            "does not lie in the zone",
        ),
        ({"records": [record("a", "A", "192.0.2")], "origin": "acme.example"}, "records[0].value: '192.0.2' is not"),
        ({"records": [record("a", "A", "192.0.2.1\nb A 192.0.2.2")], "origin": "acme.example"}, "records[0].value: "),
        ({"records": [record("a", "TXT", '"a"\n"b"')], "origin": "acme.example"}, "records[0].value: "),
        ({"records": [record("a\nb", "A", "192.0.2.1")], "origin": "acme.example"}, "records[0].host: "),
        ({"records": [record("a", "ALIAS", "b.example.")], "origin": "acme.example"}, "skip_types=['ALIAS']"),
        ({"records": [record("a", "LOC", "nowhere")], "origin": "acme.example"}, "a zone file cannot have it: "),
        ({"records": [record("a", "HTTPS", "1 . (")], "origin": "acme.example"}, "a zone file cannot have it: "),
        ({"records": ONE, "origin": "acme.example", "soa": {"refresh": 5}}, "soa.primary_ns: missing"),
        ({"records": ONE, "origin": "acme.example", "soa": {**SOA, "retry": "\n"}}, "soa.retry: "),
        ({"records": SHOWN, "serial": "today"}, "soa with serial today: "),
    ]:
        with pytest.raises(AnsibleFilterError) as raised:
            panel_records_to_zone(**arguments)
        assert str(raised.value).startswith("hosting.panel.panel_records_to_zone: ")
        assert message in str(raised.value)

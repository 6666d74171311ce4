"""panel_records_to_zone.

Zone files that other DNS servers read, from all that the collection returns.
"""

from __future__ import annotations

import contextlib
import random
import time
from typing import Any

import dns.rdatatype
import dns.rdtypes.ANY.URI
import dns.zone
import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.hosting.panel.plugins.filter import panel_records_to_zone as module
from ansible_collections.hosting.panel.plugins.filter.panel_records_to_zone import (
    panel_records_to_zone,
)
from ansible_collections.hosting.panel.plugins.filter.panel_zone_to_records import (
    panel_zone_to_records,
)
from ansible_collections.hosting.panel.plugins.module_utils._dns.records import normalize_record
from tests.support.record_spellings import KINDS
from tests.support.seeds import pair_with_seeds
from tests.support.transcript import SOA

DKIM = 'default._domainkey IN TXT ( "v=DKIM1; k=rsa; " "p=MIIB" )'


def make_record(host: str, kind: str, value: str, ttl: Any = 3600) -> dict[str, Any]:
    """Return a record of the zone."""
    return {"host": host, "type": kind, "ttl": ttl, "value": value}


RECORDS = [
    make_record("www", "A", "192.0.2.10"),
    make_record("@", "MX", "10  mail"),
    make_record("@", "NS", "ns1.panel.example", 86400),
    make_record("mail.acme.example.", "A", "192.0.2.11", "300"),
    make_record("default._domainkey", "TXT", "<DKIM_RECORD_VALUE>"),
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


def read_values(text: str, name: str, kind: str, origin: str = "acme.example") -> list[str]:
    """What the library reads in a text."""
    zone = dns.zone.from_text(text, origin, relativize=False, check_origin=False)
    rrset = zone.get_rdataset(f"{name}.{origin}." if name != "@" else f"{origin}.", kind)
    return sorted(data.to_text() for data in rrset)


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({"records": SHOWN}, id="result of a read"),
        pytest.param(
            {"records": SHOWN["records"], "origin": "acme.example.", "dkim_record": DKIM},
            id="list with DKIM record",
        ),
        pytest.param(
            {
                "records": {"domain": "ACME.example", "records": RECORDS, "soa": SOA},
                "dkim_record": "v=DKIM1; k=rsa; p=MIIB",
            },
            id="zone with DKIM text",
        ),
        pytest.param(
            {"records": RECORDS[::-1], "origin": "acme.example", "soa": SOA, "dkim_record": DKIM},
            id="list in another order",
        ),
    ],
)
def test_every_shape_of_a_zone_is_the_same_text(arguments: dict[str, Any]) -> None:
    assert panel_records_to_zone(**arguments) == TEXT


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("v=spf1 a -all", '"v=spf1 a -all"'),
        ('"one" "two"', '"one" "two"'),
        ('( "one"  "two" )', '"one" "two"'),
        ('say "hi"; \\ done', '"say \\"hi\\"; \\\\ done"'),
        ("ü", '"\\195\\188"'),
        ('"\\200"', '"\\200"'),
        ('""', '""'),
        ("{{ lookup('pipe', 'id') }}", "\"{{ lookup('pipe', 'id') }}\""),
        ('x" IN A 192.0.2.1', '"x\\" IN A 192.0.2.1"'),
    ],
)
def test_a_text_is_quoted(value: str, expected: str) -> None:
    text = panel_records_to_zone([make_record("a", "TXT", value)], "acme.example")
    assert read_values(text, "a", "TXT") == [expected]
    assert len(text.splitlines()) == 3


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("CNAME", "shop.other.example", "shop.other.example."),
        ("MX", "0 .", "0 ."),
        ("SRV", "0 5 443 www", "0 5 443 www.acme.example."),
        ("NS", "ns.müller.example", "ns.xn--mller-kva.example."),
        ("CAA", "0 ISSUE ca.example; account=1", '0 issue "ca.example; account=1"'),
        ("AAAA", "2001:DB8:0::1", "2001:db8::1"),
        ("TLSA", "3 1 1 " + "AB" * 32, "3 1 1 " + "ab" * 32),
    ],
)
def test_a_value_is_complete(kind: str, value: Any, expected: Any) -> None:
    text = panel_records_to_zone([make_record("a", kind, value)], "acme.example")
    assert read_values(text, "a", kind) == [expected]
    assert expected in text


def test_a_record_without_a_ttl_has_the_one_that_most_records_have() -> None:
    records = [
        make_record("a", "A", "192.0.2.1", 60),
        make_record("b", "A", "192.0.2.2", 60),
        make_record("c", "A", "192.0.2.3"),
    ]
    text = panel_records_to_zone(
        [*records, make_record("d", "A", "192.0.2.4", None)], "acme.example"
    )

    assert text.splitlines()[-1].split()[:2] == ["d", "60"]


def test_types_are_left_out_when_asked_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    warnings: list[str] = []
    monkeypatch.setattr(module.Display, "warning", lambda _self, text: warnings.append(text))
    records = [
        make_record("@", "ALIAS", "a.example."),
        make_record("a", "A", "192.0.2.1"),
        make_record("b", "ALIAS", "a.example."),
    ]

    text = panel_records_to_zone(records, "acme.example", skip_types=["alias"])

    assert [line.split()[0] for line in text.splitlines()[2:]] == ["a"]
    assert warnings == ["hosting.panel.panel_records_to_zone left out 2 of type ALIAS."]


def test_a_long_type_is_cut_in_a_mistake_and_in_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    warnings: list[str] = []
    monkeypatch.setattr(module.Display, "warning", lambda _self, text: warnings.append(text))
    records = [make_record("@", "X" * 20_000, "1")]

    with pytest.raises(AnsibleFilterError) as error:
        panel_records_to_zone(records, "acme.example")
    assert len(str(error.value)) < 500
    panel_records_to_zone(records, "acme.example", skip_types=["X" * 20_000])
    assert max(map(len, warnings)) < 200


@pytest.mark.parametrize(("kind", "seed"), pair_with_seeds(KINDS, 20))
def test_a_value_with_fields_of_its_own_comes_back_with_its_meaning(kind: str, seed: int) -> None:
    draw = random.Random(f"back {kind} {seed}")
    draw_model, spell = KINDS[kind]
    original = make_record("a", kind, spell(draw, draw_model(draw)).strip())

    text = panel_records_to_zone([original], "acme.example")
    (back,) = panel_zone_to_records(text)

    assert (
        normalize_record(back, "acme.example").identity
        == normalize_record(original, "acme.example").identity
    ), text
    assert panel_records_to_zone([back], "acme.example") == text


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("HTTPS", "1 svc.other.example alpn=h2", '1 svc.other.example. alpn="h2"'),
        ("HTTPS", "1 svc", "1 svc.acme.example."),
        ("SVCB", "0 @", "0 acme.example."),
        ("HTTPS", "1 .", "1 ."),
        (
            "NAPTR",
            '1 2 "u" "E2U+sip" "!a!b!" x.other.example',
            '1 2 "u" "E2U+sip" "!a!b!" x.other.example.',
        ),
    ],
)
def test_a_name_without_its_final_dot_is_complete_in_every_type(
    kind: str, value: str, expected: str
) -> None:
    assert read_values(
        panel_records_to_zone([make_record("a", kind, value)], "acme.example"), "a", kind
    ) == [expected]


HOSTILE = [
    "\\",
    '"',
    '""',
    '\\"',
    ";",
    "(",
    ")",
    "( )",
    "\x7f",
    "\u200b",
    "$ORIGIN other.example.",
    "$INCLUDE /etc/passwd",
    "x ; y",
    '" IN A 192.0.2.1 "',
    "{{ 7 * 7 }}",
    "{% if x %}",
    "\u2028",
    "\x85",
    "\\010",
    "\\",
    "a" * 600,
    "ü" * 300,
    '"a" b',
    'a "b"',
    '"a" "b',
]


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize(
    "kind", ["TXT", "CAA", "HTTPS", "NAPTR", "LOC", "TLSA", "URI", "CNAME", "MX", "A", "HINFO"]
)
def test_a_hostile_value_stays_one_record_or_is_a_mistake(kind: str, value: str) -> None:
    before = {
        "CAA": "0 issue ",
        "HTTPS": "1 . alpn=",
        "NAPTR": "1 1 u x ",
        "URI": "1 1 ",
        "MX": "10 ",
        "HINFO": "x ",
    }.get(kind, "")
    original = make_record("a", kind, f"{before}{value}")

    try:
        text = panel_records_to_zone([original], "acme.example")
    except AnsibleFilterError as error:
        assert "records[0]" in str(error)
        return

    assert text.count("\n") == len(text.splitlines()) == 3

    zone = dns.zone.from_text(text, "acme.example", relativize=False, check_origin=False)
    assert [(str(name), data.rdtype.name) for name, _ttl, data in zone.iterate_rdatas()] == [
        ("a.acme.example.", kind)
    ]

    if kind not in ("HINFO",):
        (back,) = panel_zone_to_records(text, "acme.example")
        assert (
            normalize_record(back, "acme.example").value
            == normalize_record(original, "acme.example").value
        ), text


@pytest.mark.parametrize(
    "written", ['1 1 "x"\nb 60 IN A 192.0.2.1', '1 1 "x\x7f"', '1 1 "ü"', '1 1 "y"', "1 1"]
)
def test_what_a_release_of_the_library_writes_otherwise_is_a_mistake(
    written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        dns.rdtypes.ANY.URI.URI, "to_text", lambda *_arguments, **_keywords: written
    )
    with pytest.raises(
        AnsibleFilterError, match=r"records\[0\] \(a URI\): a zone file cannot have it: dnspython "
    ):
        panel_records_to_zone([make_record("a", "URI", '1 1 "x"')], "acme.example")


@pytest.mark.parametrize(
    "unit", ['"', '"" ', "\\", '\\"', "(", " ", "ü", "a.", "1 ", '"a" x', "=", ","]
)
@pytest.mark.parametrize("kind", ["TXT", "CAA", "HTTPS", "NAPTR", "LOC", "TLSA", "MX", "SRV"])
@pytest.mark.long
def test_a_long_hostile_value_is_written_in_time_that_grows_with_its_length(
    kind: str, unit: str
) -> None:
    start = time.process_time()

    with contextlib.suppress(AnsibleFilterError):
        panel_records_to_zone(
            [
                make_record("a", kind, f"1 . {unit * 20000}x"),
                make_record("b", kind, f"{unit * 20000}x"),
            ],
            "acme.example",
        )

    assert time.process_time() - start < 10


ONE = [make_record("a", "A", "192.0.2.1")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param({"records": RECORDS}, "origin: missing", id="no origin"),
        pytest.param(
            {"records": ONE, "origin": "x y.example"},
            "origin: 'x y.example' is not accepted",
            id="wrong origin",
        ),
        pytest.param(
            {"records": "www", "origin": "acme.example"},
            "the input must be a list of records or a zone",
            id="text",
        ),
        pytest.param(
            {"records": ["www"], "origin": "acme.example"},
            "records[0]: must be a dictionary",
            id="list of texts",
        ),
        pytest.param(
            {"records": RECORDS, "origin": "acme.example"},
            "records[4] (default._domainkey TXT): the panel's placeholder",
            id="placeholder",
        ),
        pytest.param(
            {
                "records": [make_record("a.other.example.", "A", "192.0.2.1")],
                "origin": "acme.example",
            },
            "does not lie in the zone",
            id="host of another zone",
        ),
        pytest.param(
            {"records": [make_record("a", "A", "192.0.2")], "origin": "acme.example"},
            "records[0].value: '192.0.2' is not",
            id="half an address",
        ),
        pytest.param(
            {
                "records": [make_record("a", "A", "192.0.2.1\nb A 192.0.2.2")],
                "origin": "acme.example",
            },
            "records[0].value: ",
            id="address with a line break",
        ),
        pytest.param(
            {"records": [make_record("a", "TXT", '"a"\n"b"')], "origin": "acme.example"},
            "records[0].value: ",
            id="text with a line break",
        ),
        pytest.param(
            {"records": [make_record("a\nb", "A", "192.0.2.1")], "origin": "acme.example"},
            "records[0].host: ",
            id="host with a line break",
        ),
        pytest.param(
            {"records": [make_record("a", "ALIAS", "b.example.")], "origin": "acme.example"},
            "skip_types=['ALIAS']",
            id="type that no zone file has",
        ),
        pytest.param(
            {"records": [make_record("a", "LOC", "nowhere")], "origin": "acme.example"},
            "a zone file cannot have it: ",
            id="value that is no location",
        ),
        pytest.param(
            {"records": [make_record("a", "HTTPS", "1 . (")], "origin": "acme.example"},
            "a zone file cannot have it: ",
            id="value without an end",
        ),
        pytest.param(
            {"records": ONE, "origin": "acme.example", "soa": {"refresh": 5}},
            "soa.primary_ns: missing",
            id="SOA record without a server",
        ),
        pytest.param(
            {"records": ONE, "origin": "acme.example", "soa": {**SOA, "retry": "\n"}},
            "soa.retry: ",
            id="SOA record with a line break",
        ),
        pytest.param(
            {"records": SHOWN, "serial": "today"},
            "soa with serial today: ",
            id="serial that is a word",
        ),
    ],
)
def test_a_mistake_names_its_record(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(AnsibleFilterError) as raised:
        panel_records_to_zone(**arguments)

    assert str(raised.value).startswith("hosting.panel.panel_records_to_zone: ")
    assert message in str(raised.value)


@pytest.mark.parametrize("kind", ["HTTPS", "SVCB"])
def test_half_of_a_character_in_a_value_is_told_in_words_of_ours(kind: str) -> None:
    with pytest.raises(AnsibleFilterError) as caught:
        panel_records_to_zone([make_record("a", kind, "1 . key65=\udc80")], "acme.example")

    assert "records[0]" in str(caught.value)
    assert "it holds half of a character (a lone surrogate). Correct it" in str(caught.value)


@pytest.mark.parametrize("value", ["x", 7, True, 1.5, [1], [["ttl", 1]], b"x"], ids=repr)
@pytest.mark.parametrize("where", ["argument", "zone", "nested"])
def test_an_soa_that_is_no_dictionary_is_refused_by_its_name(where: str, value: Any) -> None:
    arguments = {
        "argument": {"records": ONE, "soa": value},
        "zone": {"records": {"records": ONE, "soa": value}},
        "nested": {"records": {"other": ONE, "soa": value}},
    }[where]
    with pytest.raises(AnsibleFilterError, match="soa: must be a dictionary with ttl, "):
        panel_records_to_zone(**arguments, origin="acme.example")

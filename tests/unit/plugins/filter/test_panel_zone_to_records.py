"""panel_zone_to_records: what zone files say, and the line of what a panel cannot take."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.filter import panel_zone_to_records as module
from ansible_collections.hosting.panel.plugins.filter.panel_records_to_zone import (
    panel_records_to_zone,
)
from ansible_collections.hosting.panel.plugins.filter.panel_zone_to_records import (
    panel_zone_to_records,
)
from ansible_collections.hosting.panel.plugins.module_utils._dns.desired_zone import (
    read_desired_zone,
)
from ansible_collections.hosting.panel.plugins.module_utils._dns.records import normalize_record

ZONE = r"""; the zone of a customer
$ORIGIN acme.example.
$TTL 1h
@       IN      SOA     ns1.panel.example. host\.master.acme.example. (
                        2026010101 ; serial
                        4h 30m 1w 1h )
                NS      ns1.panel.example.
        IN 300  MX      10 mail
mail    300 IN  A       192.0.2.1
                AAAA    2001:DB8::1
*.w             CNAME   WWW
www             A       192.0.2.5 ; behind it a comment
müller          A       192.0.2.6
default._domainkey TXT  ( "v=DKIM1; k=rsa; "
                          "p=MIIB" )
@               TXT     "v=spf1 a -all"
@               TXT     "an umlaut ü"
@               TXT     "a \"quoted\" word"
@               TXT     bare
@               CAA     0 issue "ca.example; account=1"
_sip._tcp       SRV     0 5 5060 sip.other.example.
$ORIGIN sub
x       2D      A       192.0.2.9
@               A       192.0.2.10
"""


def make_record(host: str, kind: str, ttl: int, value: str) -> dict[str, Any]:
    """Return a record as the filter returns it."""
    return {"host": host, "type": kind, "ttl": ttl, "value": value}


RECORDS = [
    make_record("@", "NS", 3600, "ns1.panel.example."),
    make_record("@", "MX", 300, "10 mail.acme.example."),
    make_record("mail", "A", 300, "192.0.2.1"),
    make_record("mail", "AAAA", 3600, "2001:db8::1"),
    make_record("*.w", "CNAME", 3600, "WWW.acme.example."),
    make_record("www", "A", 3600, "192.0.2.5"),
    make_record("xn--mller-kva", "A", 3600, "192.0.2.6"),
    make_record("default._domainkey", "TXT", 3600, '"v=DKIM1; k=rsa; " "p=MIIB"'),
    make_record("@", "TXT", 3600, "v=spf1 a -all"),
    make_record("@", "TXT", 3600, "an umlaut ü"),
    make_record("@", "TXT", 3600, r'"a \"quoted\" word"'),
    make_record("@", "TXT", 3600, "bare"),
    make_record("@", "CAA", 3600, '0 issue "ca.example; account=1"'),
    make_record("_sip._tcp", "SRV", 3600, "0 5 5060 sip.other.example."),
    make_record("x.sub", "A", 172800, "192.0.2.9"),
    make_record("sub", "A", 3600, "192.0.2.10"),
]
SOA = {
    "ttl": 3600,
    "primary_ns": "ns1.panel.example.",
    "rname": r"host\.master.acme.example.",
    "refresh": 14400,
    "retry": 1800,
    "expire": 604800,
    "minimum": 3600,
}


def test_a_zone_file_becomes_records_in_its_order() -> None:
    assert panel_zone_to_records(ZONE, origin="acme.example") == RECORDS


def test_the_whole_zone_is_what_panel_dns_takes() -> None:
    zone = panel_zone_to_records(ZONE, as_zone=True)
    assert zone == {"domain": "acme.example", "records": RECORDS, "soa": SOA}
    assert len(read_desired_zone(zone).records or ()) == len(RECORDS)


def test_a_transfer_is_read_that_ends_with_the_soa_record_it_began_with() -> None:
    soa = "acme.example. 300 IN SOA ns1.panel.example. host.acme.example. 1 2 3 4 5\n"
    text = (
        f"; <<>> DiG <<>>\n{soa}www.acme.example. 60 IN A 192.0.2.1\n{soa};; Query time: 1 msec\n"
    )

    assert panel_zone_to_records(text) == [make_record("www", "A", 60, "192.0.2.1")]


def test_a_missing_ttl_is_that_of_the_record_before_or_the_minimum_of_the_zone() -> None:
    text = "@ SOA ns1.panel.example. host.acme.example. 1 2 3 4 77\na A 192.0.2.1\nb 60 A 192.0.2.2\nc A 192.0.2.3\n"
    zone = panel_zone_to_records(text, "acme.example", as_zone=True)

    assert [entry["ttl"] for entry in zone["records"]] == [77, 60, 60]
    assert zone["soa"]["ttl"] == 77


def test_types_are_left_out_when_asked_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    warnings: list[str] = []
    monkeypatch.setattr(module.Display, "warning", lambda _self, text: warnings.append(text))
    text = (
        "a 60 A 192.0.2.1\na 60 RRSIG A 13 3 60 (\n 20260101000000 20250101000000 1 acme.example. AAAA )\n"
        "a 60 TYPE65534 \\# 1 00\nb 60 A 192.0.2.2\n"
    )

    records = panel_zone_to_records(text, "acme.example", skip_types=["rrsig", "TYPE65534"])

    assert [entry["host"] for entry in records] == ["a", "b"]
    assert warnings == [
        "hosting.panel.panel_zone_to_records left out 1 of type RRSIG in acme.example, the first in line 2.",
        "hosting.panel.panel_zone_to_records left out 1 of type TYPE65534 in acme.example, the first in line 4.",
    ]


MISTAKES = {
    "\n@ CH TXT x": "line 2: the class is CH, and a panel has the class IN alone.",
    "$INCLUDE more.zone": "line 1: $INCLUDE names another file, which is not read.",
    "\n\n$include more.zone sub": "line 3: $INCLUDE names another file, which is not read.",
    "$NONSENSE 1": "line 1: $NONSENSE is no directive of a zone file.",
    "$TTL": "line 1: it ends too early.",
    "\n$TTL soon": "line 2: this cannot be read: ",
    "$ORIGIN a b": "line 1: this cannot be read: ",
    "www.other.example. 60 A 192.0.2.1": "line 1: www.other.example. does not lie in the zone acme.example.",
    "x 60 DNSKEY 257 3 13 AAAA": "leave them all out with skip_types=['DNSKEY'].",
    "x": "line 1: it ends too early.",
    "\nx\ny 60 A 192.0.2.1": "line 2: it ends too early.",
    "x 60 192.0.2.1": "line 1: this cannot be read: 192.0.2.1 is no type; ",
    "x 60 IN ü": "line 1: this cannot be read: ü is no type; ",
    '"x" 60 A 192.0.2.1': "line 1: the line needs a name, or a blank at its start",
    " 60 A 192.0.2.1": "line 1: the line starts with a blank, and no line before it has a name.",
    "x A 192.0.2.1": "line 1: it has no TTL, and there is no $TTL before it.",
    "x 2147483648 A 192.0.2.1": "line 1.ttl: 2147483648 is not accepted",
    "\n@ 60 SOA a. b. 1 0 3 4 5": "line 2: soa.refresh: 0 is not accepted",
    "x 60 A 192.0.2": "line 1: this cannot be read: ",
    'x 60 A 192.0.2.1\ny 60 TXT "abc': "line 2: this cannot be read: ",
    "x 60 MX ( 10\n mail": "line 1: this cannot be read: ",
    "x 60 CNAME y\n\nx 60 A 192.0.2.1": "line 1: a CNAME allows no other record on its host, and x also has line 3 (A).",
    "ü" * 80 + " 60 A 192.0.2.1": "line 1: this cannot be read: ",
    "@ 60 SOA a. b. 1 2 3 4 5\n@ 60 SOA c. d. 1 2 3 4 5": "line 2: a zone has one SOA record, at acme.example itself.",
    "www 60 SOA a. b. 1 2 3 4 5": "line 1: a zone has one SOA record, at acme.example itself.",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_names_its_line(text: str) -> None:
    with pytest.raises(AnsibleFilterError) as raised:
        panel_zone_to_records(text, origin="acme.example")

    assert str(raised.value).startswith("hosting.panel.panel_zone_to_records: ")
    assert MISTAKES[text] in str(raised.value)


@pytest.mark.parametrize("half", ["\ud800", "\udc80", "\udfff"])
@pytest.mark.parametrize(
    ("record", "line"),
    [
        ("x{} 60 A 192.0.2.1", 3),
        ("$ORIGIN x{}.example.", 3),
        ("$GENERATE 1-2 x{}$ 60 A 192.0.2.1", 3),
        ("$GENERATE 1-2 x$ 60 TXT {}", 3),
        ("x 60 A {}", 3),
        ("x 60 MX 10 mail{}", 3),
        ("x 60 SRV 0 0 1 mail{}", 3),
        ("x 60 TXT {}", 3),
        ('x 60 TXT "caf{}"', 3),
        ('x 60 TXT (\n "a" ; b\n "caf{}" )', 5),
        ('x 60 CAA 0 issue "{}"', 3),
        ("x 60 HTTPS 1 . key65={}", 3),
        ('x 60 NAPTR 1 1 "{}" "" "" .', 3),
        ('x 60 URI 1 1 "{}"', 3),
    ],
)
def test_half_of_a_character_is_told_with_its_line_and_what_to_do(
    record: str, line: int, half: str
) -> None:
    soa = "@ 60 SOA ns hostmaster 1 2 3 4 5"
    with pytest.raises(AnsibleFilterError) as caught:
        panel_zone_to_records(f"; caf{half}\n{soa}\n{record.format(half)}\n", "acme.example")

    message = str(caught.value)
    assert f"line {line}: " in message
    assert "holds half of a character (a lone surrogate). A file that is not UTF-8" in message
    assert "codec" not in message
    assert "odepoint" not in message
    assert message.isprintable()


@pytest.mark.parametrize("record", ["x 60 A 192.0.2", "x 60 CAA 0 issue ;", "x 60 MX mail"])
def test_a_record_that_cannot_be_read_is_shown(record: str) -> None:
    with pytest.raises(AnsibleFilterError, match="line 2: this cannot be read: ") as raised:
        panel_zone_to_records(f"\n{record}\ny 60 A 192.0.2.1", origin="acme.example")

    assert f", in {record}." in str(raised.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            {"text": "www.acme.example. 60 A 192.0.2.1"},
            "origin: missing; the text has neither a SOA record nor an $ORIGIN.",
            id="no origin",
        ),
        pytest.param(
            {"text": ZONE, "origin": "acme example"},
            "origin: 'acme example' is not accepted",
            id="wrong origin",
        ),
        pytest.param(
            {"text": ZONE, "origin": "globex.example"},
            "line 4: acme.example. does not lie in the zone globex.example.",
            id="other zone",
        ),
        pytest.param(
            {"text": ["www"], "origin": "acme.example"},
            "the input must be the text of a zone file.",
            id="list",
        ),
        pytest.param(
            {"text": ZONE, "skip_types": "NS"},
            "skip_types: must be a list of types",
            id="types as a text",
        ),
    ],
)
def test_a_wrong_argument_says_what_it_must_be(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(AnsibleFilterError) as raised:
        panel_zone_to_records(**arguments)
    assert message in str(raised.value)


# Any zone


DOMAIN = "acme.example"
HOSTS = [
    "@",
    "www",
    "WWW.shop",
    "*",
    "*.w",
    "_sip._tcp",
    "bücher",
    "mail.acme.example.",
    "acme.example.",
]
NAMES = [
    "@",
    "mail",
    "mail.acme.example.",
    "Mail.Other.example",
    "ns.müller.example.",
    "_x.other.example.",
]
TEXTS = (
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=700)
    .map(str.strip)
    .filter(bool)
)
PIECES = st.lists(
    st.sampled_from(['"a b"', '"\\""', '"\\\\"', '"\\200"', '"x;y"', '""']), min_size=1, max_size=4
)
VALUES = {
    "A": st.ip_addresses(v=4).map(str),
    "AAAA": st.ip_addresses(v=6).flatmap(
        lambda address: st.sampled_from([str(address), address.exploded.upper()])
    ),
    "CAA": st.sampled_from(
        [
            '0 issue "ca.example"',
            "128 ISSUEWILD ca.example",
            '0 issue ";"',
            "0 iodef mailto:a@b.example",
        ]
    ),
    "DS": st.just("12345 13 2 " + "0a" * 32),
    "MX": st.builds("{} {}".format, st.integers(0, 65535), st.sampled_from(NAMES)),
    "NS": st.sampled_from(NAMES),
    "SRV": st.builds("{} 5 443 {}".format, st.integers(0, 65535), st.sampled_from([*NAMES, "."])),
    "SSHFP": st.just("1 1 " + "0A" * 20),
    "TXT": TEXTS | PIECES.map(" ".join) | PIECES.map(lambda pieces: f"( {' '.join(pieces)} )"),
}


def give_each_set_one_ttl(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A text with two is a mistake."""
    ttls: dict[tuple[str, str], int] = {}
    return [
        {**record, "ttl": ttls.setdefault(get_identity(record)[:2], record["ttl"])}
        for record in records
    ]


DRAWN_RECORDS = st.lists(
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
    unique_by=lambda record: get_identity(record)[:3],
).map(give_each_set_one_ttl)


def get_identity(record: dict[str, Any]) -> tuple[str, str, str, Any]:
    """What panel_dns compares."""
    comparable = normalize_record(record, DOMAIN, None)
    return comparable.host, comparable.type, comparable.value, comparable.ttl


@given(DRAWN_RECORDS)
def test_records_come_back_the_same(records: list[dict[str, Any]]) -> None:
    text = panel_records_to_zone(records, DOMAIN)
    read_back = panel_zone_to_records(text, DOMAIN)

    assert sorted(map(get_identity, read_back)) == sorted(map(get_identity, records))
    assert panel_records_to_zone(read_back, DOMAIN) == text


@pytest.mark.parametrize(
    ("blank", "name"),
    [
        ("\u00a0", "NO-BREAK SPACE (U+00A0)"),
        ("\u2003", "EM SPACE (U+2003)"),
        ("\u200b", "ZERO WIDTH SPACE (U+200B)"),
        ("\u2028", "LINE SEPARATOR (U+2028)"),
    ],
)
@pytest.mark.parametrize(
    ("record", "line"),
    [
        ("x{}60 A 192.0.2.1", 3),
        ("x 60{}A 192.0.2.1", 3),
        ("x 60 IN{}A 192.0.2.1", 3),
        ("x 60 A{}192.0.2.1", 3),
        ("x 60 A 192.0.2.1{}", 3),
        ("{}60 A 192.0.2.1", 3),
        ("x 60 MX 10{}mail", 3),
        ("x 60 MX ( 10\n{}mail )", 4),
        ("$TTL{}60", 3),
        ("$GENERATE 1-2{}x$ 60 A 192.0.2.1", 3),
    ],
)
def test_what_looks_like_a_blank_is_named_with_its_line(
    record: str, line: int, blank: str, name: str
) -> None:
    soa = "@ 60 SOA ns hostmaster 1 2 3 4 5"
    with pytest.raises(AnsibleFilterError) as caught:
        panel_zone_to_records(f"; a{blank}comment\n{soa}\n{record.format(blank)}\n", "acme.example")

    assert f"line {line}: holds {name}, which is no blank of a zone file." in str(caught.value)


@pytest.mark.parametrize("line", ['x 60 TXT "a\u00a0b" {}', 'x 60 TXT "a" ; b\u00a0c\n{}'])
def test_such_a_sign_in_quotes_or_a_comment_is_not_what_is_wrong(line: str) -> None:
    with pytest.raises(AnsibleFilterError) as caught:
        panel_zone_to_records(line.format("\ny 60 A nothing"), "acme.example")

    assert "no blank" not in str(caught.value)


def test_a_text_in_quotes_keeps_such_a_sign() -> None:
    (record,) = panel_zone_to_records('x 60 TXT "a\u00a0b"\n', "acme.example")

    assert record["value"] == r'"a\194\160b"'


def test_a_name_keeps_what_joins_its_letters() -> None:
    (record,) = panel_zone_to_records("نامه\u200cای 60 A 192.0.2.1\n", "acme.example")

    # That of the same letters without the joiner is xn--mgba3gch31f.
    assert record["host"] == "xn--mgba3gch31f060k"

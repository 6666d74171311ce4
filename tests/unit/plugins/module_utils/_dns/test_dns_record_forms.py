"""Values of HTTPS, SVCB, LOC, CAA, NAPTR, TLSA, SSHFP, DS and their like.

All spellings of one are equal, and those of two are not.
"""

from __future__ import annotations

import random
import time
from typing import Any

import dns.rdata
import pytest

from ansible_collections.hosting.panel.plugins.module_utils._dns import record_values
from ansible_collections.hosting.panel.plugins.module_utils._dns.record_forms import (
    canonicalize_fields,
)
from tests.support.record_spellings import KINDS, ZONE
from tests.support.seeds import pair_with_seeds


def get_compared_form(kind: str, value: str) -> str:
    """Return the form in which a value is compared."""
    return record_values.normalize_value(kind, value, ZONE)


def read_with_library(kind: str, value: str) -> Any:
    """What dnspython reads, an independent judge."""
    return dns.rdata.from_text("IN", kind, value, dns.name.from_text(ZONE), False)


CASES = pair_with_seeds(KINDS, 40)


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_all_spellings_of_a_value_are_equal_and_the_library_agrees(kind: str, seed: int) -> None:
    draw = random.Random(f"{kind} {seed}")
    draw_model, spell = KINDS[kind]
    model = draw_model(draw)
    spellings = [spell(draw, model) for _number in range(4)]
    forms = {get_compared_form(kind, spelling) for spelling in spellings}

    assert len(forms) == 1, spellings

    # The judge knows no name of an algorithm in lower case, and takes case in flags for a
    # difference; it says what a name server would serve.
    served = read_with_library(kind, spellings[0]).to_text()
    assert get_compared_form(kind, served) in forms, (spellings[0], served)
    # No module refuses what means something.
    assert record_values.parse_value(kind, spellings[0].strip())


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_two_values_are_equal_only_if_they_mean_the_same(kind: str, seed: int) -> None:
    draw = random.Random(f"{kind} two {seed}")
    draw_model, spell = KINDS[kind]
    first, second = draw_model(draw), draw_model(draw)
    are_equal = get_compared_form(kind, spell(draw, first)) == get_compared_form(
        kind, spell(draw, second)
    )

    assert are_equal == (first == second), (first, second)


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("HTTPS", "1 . alpn=h2,h3", '1 . alpn="h2,h3"'),
        ("HTTPS", "1 . port=443 alpn=h2", "1 . alpn=h2 port=443"),
        ("HTTPS", "1 . key1=\\002h2", "1 . alpn=h2"),
        ("HTTPS", "1 . key65479=x", '1 . key65479="x"'),
        (
            "HTTPS",
            "1 . mandatory=key24,key16 key16=a key24=b",
            "1 . key16=a mandatory=key16,key24 key24=b",
        ),
        ("HTTPS", "0 www", "0 www.acme.example."),
        ("HTTPS", "1 . no-default-alpn alpn=h2", '1 . alpn=h2 no-default-alpn=""'),
        ("SVCB", "1 dns.other.example dohpath=/q{?dns}", '1 dns.other.example. dohpath="/q{?dns}"'),
        ("LOC", "52 22 23.000 N 4 53 32.000 E -2.00m 1m 10000m 10m", "52 22 23 n 4 53 32 e -2"),
        ("LOC", "42 N 71 W .5m .5m 2.m", "42 N 71 W 0.50m 0.50m 2m"),
        ("LOC", "42 N 71 W -.5", "42 N 71 W -0.50m"),
        ("LOC", "42 N 71 W 0", "42 0 0.000 N 71 0 0.000 W 0.00m 1.00m 10000.00m 10.00m"),
        ("CAA", "0 issue ca.example", '0 issue "ca.example"'),
        ("CAA", r'0 issue "ca.example\; account=1"', '0 issue "ca.example; account=1"'),
        ("NAPTR", '10 20 u e2u+SIP "!a!b!" .', '10 20 "U" "E2U+sip" "!a!b!" .'),
        ("TLSA", "3 1 1 ABCD EF", "3 1 1 (abcdef)"),
        ("DS", "60485 ECDSAP256SHA256 SHA-256 ABCD", "60485 13 2 abcd"),
        ("OPENPGPKEY", "mQEN Aaaa", "mQENAaaa"),
        ("HTTPS", "1 . alpn=h2 ; since 2026", "1 . alpn=h2"),
        ("URI", '1 1 "sip:a;b" ; (', '1 1 "sip:a;b"'),
    ],
)
def test_these_mean_the_same(kind: str, first: str, second: str) -> None:
    assert get_compared_form(kind, first) == get_compared_form(kind, second)


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("HTTPS", "1 . alpn=h2,h3", "1 . alpn=h3,h2"),
        ("HTTPS", "1 . alpn=h2", "1 . alpn=h2 no-default-alpn"),
        ("HTTPS", "1 . alpn=h2", "2 . alpn=h2"),
        ("HTTPS", "1 . port=443", "1 . port=8443"),
        ("HTTPS", "1 . alpn=H2", "1 . alpn=h2"),
        ("LOC", "52 N 4 E 0", "52 S 4 E 0"),
        ("LOC", "52 N 4 E 0 1m", "52 N 4 E 0 20m"),
        ("CAA", '0 issue "ca.example"', '0 issue "CA.example;"'),
        ("NAPTR", '10 20 "u" "x" "!A!b!" .', '10 20 "u" "x" "!a!b!" .'),
        ("TLSA", "3 1 1 abcd", "3 1 0 abcd"),
        ("OPENPGPKEY", "mQENaaaa", "mQENAaaa"),
    ],
)
def test_these_do_not_mean_the_same(kind: str, first: str, second: str) -> None:
    assert get_compared_form(kind, first) != get_compared_form(kind, second)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("HTTPS", "1"),
        ("HTTPS", "x ."),
        ("HTTPS", "1 . alpn=h2 alpn=h3"),
        ("HTTPS", "1 . alpn"),
        ("HTTPS", "1 . alpn=h2,"),
        ("HTTPS", "1 . port=70000"),
        ("HTTPS", "1 . ipv4hint=192.0.2"),
        ("HTTPS", "1 . ech=*"),
        ("HTTPS", "1 . nonsense=1"),
        ("HTTPS", "1 . key70000=1"),
        ("HTTPS", '1 . alpn="h2'),
        ("HTTPS", "1 . ( alpn=h2"),
        ("HTTPS", "1 . ) alpn=h2 ("),
        ("HTTPS", "1 . no-default-alpn=x"),
        ("HTTPS", "1 . key5=\\999"),
        ("HTTPS", "1 . key5=\\1"),
        ("URI", '1 1 "a\\12b"'),
        ("LOC", "nowhere"),
        ("LOC", "91 N 4 E 0"),
        ("LOC", "52 60 N 4 E 0"),
        ("LOC", "52 N 4 E"),
        ("LOC", "52 N 4 E 1e9"),
        ("LOC", "52 N 4 E 0 -1m"),
        ("LOC", "52 N 4 E ."),
        ("LOC", "52 N 4 E -m"),
        ("NAPTR", '10 20 "u" "x" "!a!b!"'),
        ("TLSA", "3 1"),
        ("TLSA", "3 1 1 xyz"),
        ("DS", "1 NOTHING 2 ab"),
        ("URI", "1 1"),
        ("HINFO", "a b"),
        ("TXT", "a"),
    ],
)
def test_what_has_no_form_is_compared_as_it_is_written(kind: str, value: str) -> None:
    with pytest.raises(ValueError):
        canonicalize_fields(kind, value, ZONE)
    if kind not in ("TXT", "HINFO"):
        assert get_compared_form(kind, f" {value.replace(' ', '  ')} ") == value
        # A panel may know more of it than this does.
        assert record_values.parse_value(kind, value) == value


@pytest.mark.parametrize(
    "unit", ['"', '""', "\\", '\\"', "(", ",", "a,", "alpn=", "key1=x ", "1 ", "\\1", "é"]
)
@pytest.mark.parametrize("kind", ["HTTPS", "LOC", "NAPTR", "CAA", "TLSA", "DS", "URI"])
@pytest.mark.long
def test_a_long_hostile_value_is_compared_in_time_that_grows_with_its_length(
    kind: str, unit: str
) -> None:
    start = time.process_time()
    get_compared_form(kind, f"1 . alpn={unit * 30000}")

    get_compared_form(kind, unit * 30000)

    assert time.process_time() - start < 5

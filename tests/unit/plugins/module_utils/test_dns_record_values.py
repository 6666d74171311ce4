"""DNS records: which spellings are equal, which values are sent in another spelling, and which are no values at all."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._dns import record_values
from ansible_collections.hosting.panel.plugins.module_utils._dns.record_values import comparable_value, text_of

ZONE = "acme.example"
DKIM = "v=DKIM1; k=rsa; p=MIIB"


def equal(kind: str, first: str, second: str) -> bool:
    return comparable_value(kind, first, ZONE, DKIM) == comparable_value(kind, second, ZONE, DKIM)


def test_a_host_is_relative_to_the_zone() -> None:
    for host, relative in [
        ("www", "www"),
        ("WWW", "www"),
        (" www ", "www"),
        ("@", "@"),
        ("", "@"),
        ("acme.example.", "@"),
        ("Acme.Example.", "@"),
        ("www.acme.example.", "www"),
        ("*.shop.acme.example.", "*.shop"),
        ("*", "*"),
        ("_acme-challenge.www", "_acme-challenge.www"),
        ("bäcker", "xn--bcker-gra"),
        ("BÄCKER.acme.example.", "xn--bcker-gra"),
        ("_dmarc.bücher", "_dmarc.xn--bcher-kva"),
        ("www.acme.example", "www.acme.example"),
    ]:
        assert record_values.relative_host(record_values.ascii_name(host), ZONE) == relative, host


def test_these_values_are_equal() -> None:
    for kind, first, second in [
        ("A", "192.0.2.10", " 192.0.2.10 "),
        ("AAAA", "2001:db8::10", "2001:DB8:0:0:0:0:0:10"),
        ("CNAME", "www.other.example.", "WWW.Other.example"),
        ("CNAME", "@", "acme.example."),
        ("CNAME", "www", "www.acme.example."),
        ("CNAME", "bücher.example.", "xn--bcher-kva.example."),
        ("NS", "NS1.panel.example", "ns1.panel.example."),
        ("PTR", "host", "host.acme.example"),
        ("MX", "10 mail.acme.example.", "10   Mail.acme.example"),
        ("MX", "10 mail", "10\tmail.acme.example."),
        ("MX", "010 mail", "10 mail"),
        ("MX", "0 .", "0 ."),
        ("SRV", "0 5 443 www.acme.example.", "0  5 443 www"),
        ("TXT", "v=spf1 a mx ~all", '"v=spf1 a mx ~all"'),
        ("TXT", '"ab" "cd"', "abcd"),
        ("TXT", '"ab""cd"', '( "abc" "d" )'),
        ("TXT", r'"say \"hi\""', 'say "hi"'),
        ("TXT", r'"a\\b"', "a\\b"),
        ("TXT", r'"f\195\188r"', "für"),
        ("TXT", "<DKIM_RECORD_VALUE>", '"v=DKIM1; k=rsa; " "p=MIIB"'),
        ("TXT", '"<DKIM_RECORD_VALUE>"', DKIM),
        ("CAA", '0 issue "ca.example"', "0  ISSUE ca.example"),
        ("TLSA", "3 1 1 ABCD EF", "3 1 1 abcdef"),
        ("SSHFP", "1 1 ABcd", "1 1 abcd"),
        ("HINFO", "a  b", "a b"),
    ]:
        assert equal(kind, first, second), (kind, first)


def test_these_values_differ() -> None:
    for kind, first, second in [
        ("A", "192.0.2.10", "192.0.2.11"),
        ("TXT", "Case matters", "case matters"),
        ("TXT", "two  spaces", "two spaces"),
        ("TXT", '"a b"', "ab"),
        ("TXT", 'a" "b', "ab"),
        ("TXT", "<DKIM_RECORD_VALUE>", "v=DKIM1; k=rsa; p=OTHER"),
        ("TXT", "name.", "name"),
        ("MX", "10 mail", "20 mail"),
        ("MX", "10 mail.acme.example.", "10 mail.other.example."),
        ("SRV", "0 5 443 www", "0 5 80 www"),
        ("CNAME", "www.acme.example.", "acme.example."),
        ("CAA", '0 issue "ca.example"', '128 issue "ca.example"'),
        ("HINFO", "a b", "A b"),
    ]:
        assert not equal(kind, first, second), (kind, first)


def test_these_are_no_values() -> None:
    for kind, value in [
        ("A", "2001:db8::10"),
        ("A", "192.0.2.300"),
        ("A", "www"),
        ("AAAA", "192.0.2.10"),
        ("AAAA", "fe80::1%eth0"),
        ("MX", "mail.acme.example."),
        ("MX", "10"),
        ("MX", "70000 mail"),
        ("MX", "10\nmail.acme.example."),
        ("MX", "-1 mail"),
        ("MX", "10 192.0.2.10"),
        ("SRV", "0 443 www"),
        ("SRV", "0 0 70000 www"),
        ("CNAME", "192.0.2.10"),
        ("CNAME", "https://www.example.com"),
        ("CNAME", "two names"),
        ("NS", "2001:db8::10"),
        ("CAA", "issue ca.example"),
        ("TXT", ""),
        ("TXT", "two\nlines"),
    ]:
        with pytest.raises(ValueError):
            record_values.check_value(kind, value)
            pytest.fail(f"{kind} {value} is taken")


def test_a_longer_text_is_sent_in_quoted_pieces_of_at_most_255_bytes() -> None:
    text = "ü" * 200 + '"\\'
    sent = record_values.in_pieces(text)
    assert sent.startswith('"') and '" "' in sent
    assert text_of(sent) == text
    assert all(len(text_of(f'"{piece}"').encode()) <= 255 for piece in sent[1:-1].split('" "'))


def test_the_dkim_text_is_found_in_the_whole_record() -> None:
    for record in [
        'default._domainkey IN TXT ( "v=DKIM1; k=rsa; " "p=MIIB" )',
        'default._domainkey\tIN\tTXT\t( "v=DKIM1; k=rsa; "\n\t  "p=MIIB" )  ; ----- DKIM key default for acme.example',
        'default._domainkey.acme.example. 86400 IN TXT "v=DKIM1; k=rsa; p=MIIB"',
        "default._domainkey TXT v=DKIM1; k=rsa; p=MIIB",
        '"v=DKIM1; k=rsa; p=MIIB"',
        "v=DKIM1; k=rsa; p=MIIB",
    ]:
        assert record_values.dkim_text({"dkim_record": record, "records": {"soa": {}, "other": []}}) == DKIM, record

"""The options of panel_dns.

What is read, the mistakes that are found before anything is sent, and which spellings of a value
are equal.
"""

from __future__ import annotations

from typing import Any

import dns.rdatatype
import pytest

from ansible_collections.hosting.panel.plugins.module_utils._dns import record_types, record_values
from ansible_collections.hosting.panel.plugins.module_utils._dns.desired_zone import (
    locate_records,
    read_desired_zone,
)
from ansible_collections.hosting.panel.plugins.module_utils._dns.planning import plan_zone
from ansible_collections.hosting.panel.plugins.module_utils._dns.record_names import normalize_name
from ansible_collections.hosting.panel.plugins.module_utils._dns.record_options import (
    build_protect_pattern,
)
from ansible_collections.hosting.panel.plugins.module_utils._dns.record_values import decode_text
from ansible_collections.hosting.panel.plugins.module_utils._dns.records import normalize_record
from ansible_collections.hosting.panel.plugins.module_utils._dns.zone_warnings import (
    find_protect_warnings,
    find_warnings,
)
from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.module_utils._problems import format_message

DOMAIN = {"domain": "acme.example"}
GOOD = {"host": "www", "type": "A", "ttl": 3600, "value": "192.0.2.10"}


def make_record(**fields: Any) -> dict[str, Any]:
    """Return a record of the task, with other fields."""
    return {**GOOD, **fields}


def make_zone_with(record: dict[str, Any]) -> dict[str, Any]:
    """Return a zone of the panel with one record."""
    return {"records": {"soa": {}, "other": [record]}, "dkim_record": None}


def make_record_without(name: str) -> dict[str, Any]:
    """Return a record of the task that lacks a field."""
    return {field: value for field, value in GOOD.items() if field != name}


def get_mistake(options: dict[str, Any]) -> OptionError:
    """Return the error for which the options of a zone are refused."""
    with pytest.raises(OptionError) as error:
        read_desired_zone({**DOMAIN, **options})
    return error.value


def test_a_record_is_read_in_the_spelling_in_which_it_is_sent() -> None:
    requested = {
        "host": "WWW.Acme.Example.",
        "type": "mx",
        "ttl": "60",
        "value": "10   mail.acme.example.",
    }
    wanted = read_desired_zone({"domain": "Acme.Example", "records": [requested]})

    assert wanted.domain == "acme.example"

    sent = {"host": "www", "type": "MX", "ttl": 60, "value": "10 mail.acme.example."}
    assert plan_zone(None, wanted).body["records"]["other"] == [sent]


@pytest.mark.parametrize(
    ("wrong_record", "option"),
    [
        pytest.param(make_record(host="a b"), "records[1].host", id="host with a blank"),
        pytest.param(
            make_record(host="www.other.example."), "records[1].host", id="host of another zone"
        ),
        pytest.param(make_record(host="."), "records[1].host", id="host of a dot"),
        pytest.param(make_record(host=False), "records[1].host", id="host that is a switch"),
        pytest.param(
            make_record(host="a\u0378b"), "records[1].host", id="host with an unassigned character"
        ),
        pytest.param(make_record_without("host"), "records[1].host", id="no host"),
        pytest.param(make_record(type=""), "records[1].type", id="empty type"),
        pytest.param(make_record(type="A B"), "records[1].type", id="type with a blank"),
        pytest.param(make_record(type="SOA"), "records[1].type", id="SOA"),
        pytest.param(make_record_without("type"), "records[1].type", id="no type"),
        pytest.param(make_record(ttl=-1), "records[1].ttl", id="negative ttl"),
        pytest.param(make_record(ttl=2**31), "records[1].ttl", id="ttl that is too large"),
        pytest.param(make_record(ttl="1h"), "records[1].ttl", id="ttl with a unit"),
        pytest.param(make_record(ttl=True), "records[1].ttl", id="ttl that is a switch"),
        pytest.param(make_record(value="1.2.3"), "records[1].value", id="value that is no address"),
        pytest.param(make_record(value=""), "records[1].value", id="empty value"),
        pytest.param(
            make_record(value=["192.0.2.10"]), "records[1].value", id="value that is a list"
        ),
        pytest.param(make_record_without("value"), "records[1].value", id="no value"),
        pytest.param(
            {**make_record_without("ttl"), "tll": 60}, "records[1].tll", id="unknown field"
        ),
        pytest.param("www A 192.0.2.10", "records[1]", id="text"),
    ],
)
def test_a_mistake_in_a_record_is_named_with_its_place(wrong_record: Any, option: str) -> None:
    assert get_mistake({"records": [GOOD, wrong_record]}).option == option


def test_a_ttl_of_0_is_a_value_and_not_the_usual_one() -> None:
    requested = read_desired_zone(
        {**DOMAIN, "records": [make_record(ttl=0)], "soa": {"ttl": 0, "minimum": "0"}}
    )
    body = plan_zone(None, requested).body["records"]

    assert body == {"soa": {"ttl": 0, "minimum": 0}, "other": [make_record(ttl=0)]}


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"records": {"host": "www"}}, "records"),
        ({"domain": "a b"}, "domain"),
        ({"id": 1}, "domain"),
        ({"domain": None}, "domain"),
        ({"domain": None, "id": 0}, "id"),
        ({"soa": {}}, "soa"),
        ({"soa": []}, "soa"),
        ({"soa": {"serial": 1}}, "soa.serial"),
        ({"soa": {"ttl": "1d"}}, "soa.ttl"),
        ({"soa": {"refresh": 0}}, "soa.refresh"),
        ({"soa": {"primary_ns": "a b"}}, "soa.primary_ns"),
        ({"soa": {"rname": ""}}, "soa.rname"),
        ({"soa": {"rname": "it\u200b.acme.example."}}, "soa.rname"),
        ({"soa": {"primary_ns": "ns1.acme\u00ad.example."}}, "soa.primary_ns"),
        ({"append": True}, "records"),
        ({"purge": True}, "records"),
        ({"purge": True, "append": True, "records": []}, "purge"),
        ({"max_delete_percent": 101}, "max_delete_percent"),
        ({"max_delete_percent": -1}, "max_delete_percent"),
        ({"protect": ["@"]}, "protect[0]"),
        ({"protect": ["@ NS", "www.other.example. A"]}, "protect[1]"),
        ({"protect": "@ NS"}, "protect"),
        ({"state": "absent"}, "records"),
        ({"state": "absent", "records": [make_record(value="")]}, "records[0].value"),
        ({"state": "absent", "records": [make_record(value="a\nb")]}, "records[0].value"),
        ({"state": "absent", "records": [], "soa": {"ttl": 60}}, "soa"),
        ({"state": "absent", "records": [], "purge": True}, "purge"),
        ({"state": "absent", "records": [], "append": True}, "append"),
        ({"state": "default", "records": []}, "records"),
        ({"state": "default", "soa": {"ttl": 60}}, "soa"),
        ({"state": "default", "purge": True}, "purge"),
        ({"is_dns_disabled": True, "records": []}, "is_dns_disabled"),
        ({"is_dns_disabled": False, "soa": {"ttl": 60}}, "is_dns_disabled"),
        ({"is_dns_disabled": False, "state": "default"}, "is_dns_disabled"),
        ({"is_dns_disabled": False, "state": "absent", "records": []}, "is_dns_disabled"),
    ],
    ids=str,
)
def test_options_that_do_not_go_together_are_named(options: dict[str, Any], option: str) -> None:
    assert get_mistake(options).option == option


def test_all_options_that_do_not_go_together_are_named_at_once() -> None:
    problems = get_mistake({"purge": True, "append": True, "soa": {}}).problems
    assert [problem.option for problem in problems] == ["purge", "soa", "records"]


def test_all_wrong_records_and_patterns_are_told_at_once_with_all_that_is_wrong_in_each() -> None:
    records = [
        make_record(host="a b", ttl="soon"),
        {"type": "A"},
        make_record(host="www.other.example."),
        make_record(host="x.other.example."),
        GOOD,
        make_record(ttl=60),
    ]
    error = get_mistake({"records": records, "protect": ["@", "a b c"], "purge": True})

    assert [problem.option for problem in error.problems] == [
        "records[0].host",
        "records[0].ttl",
        "records[1].host",
        "records[1].value",
        "protect[0]",
        "protect[1]",
        "records[2].host",
        "records[3].host",
    ]
    assert str(error) == " ".join(map(format_message, error.problems))


def test_a_host_that_only_looks_absolute_is_relative_and_gets_a_warning() -> None:
    requested = read_desired_zone({**DOMAIN, "records": [make_record(host="www.acme.example")]})
    assert requested.records == [make_record(host="www.acme.example")]

    (warning,) = requested.warnings
    assert warning == (
        "records[0].host: www.acme.example has no dot at its end, so it means www.acme.example.acme.example. "
        "Write the dot if the name is complete."
    )


def test_named_by_id_an_absolute_host_waits_for_the_domain() -> None:
    requested = read_desired_zone({"id": 31, "records": [make_record(host="www.acme.example.")]})
    (sent,) = plan_zone(None, locate_records(requested, "acme.example")).body["records"]["other"]

    assert sent["host"] == "www"

    with pytest.raises(OptionError) as error:
        locate_records(requested, "other.example")

    assert error.value.option == "records[0].host"


# Types


@pytest.mark.parametrize(
    ("written", "meant"),
    [("CNMAE", "CNAME"), ("txtt", "TXT"), ("SVR", "SRV"), ("MXX", "MX"), ("HTTP", "HTTPS")],
)
@pytest.mark.parametrize("state", ["present", "absent"])
def test_a_misspelled_type_is_refused_with_the_nearest_one_and_the_usual_ones(
    written: str, meant: str, state: str
) -> None:
    desired = read_desired_zone(
        {**DOMAIN, "records": [make_record(type=written, value="x")], "state": state}
    )

    with pytest.raises(OptionError) as error:
        plan_zone(make_zone_with(make_record()), desired)

    assert error.value.option == "records[0].type"
    expected = f"'{written}' is no type of records; did you mean {meant}? Usual types are A, AAAA, "
    assert expected in str(error.value)


def test_a_type_that_looks_misspelled_stays_and_goes_where_the_zone_has_it() -> None:
    kept_record = make_record(type="URL", value="https://acme.example")
    other_record = make_record(type="url", value="https://globex.example")
    zone = make_zone_with(kept_record)

    for record, state, is_change in (
        (kept_record, "present", False),
        (other_record, "present", True),
        (kept_record, "absent", True),
    ):
        desired = read_desired_zone({**DOMAIN, "records": [record], "state": state})

        assert plan_zone(zone, desired).is_change is is_change


def test_a_misspelled_type_is_refused_for_a_domain_that_is_still_to_be_created() -> None:
    desired = read_desired_zone({**DOMAIN, "records": [make_record(type="CNMAE", value="x")]})

    with pytest.raises(OptionError, match="did you mean CNAME"):
        plan_zone(None, desired)


def test_a_type_that_people_keep_in_panels_is_never_taken_for_misspelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(record_types, "USUAL_TYPES", (*record_types.USUAL_TYPES, "WEBFWD"))

    assert record_types.find_meant_type("WEBFWD") is None


@pytest.mark.parametrize(
    "record_type", ["ALIAS", "WALLET", "TYPE65280", "NEWFANGLED", "SINK", "MB"]
)
def test_a_type_that_a_panel_may_know_is_sent(record_type: str) -> None:
    requested = read_desired_zone(
        {
            "domain": "acme.example",
            "records": [make_record(type=record_type, value="x")],
        }
    )

    assert requested.records is not None
    assert requested.records[0]["type"] == record_type


# Spellings

ZONE = "acme.example"
DKIM = "v=DKIM1; k=rsa; p=MIIB"


def are_equal(kind: str, first: str, second: str) -> bool:
    """Whether two values of a type are one record."""
    records = [{"host": "@", "type": kind, "value": value} for value in (first, second)]
    return len({normalize_record(entry, ZONE, DKIM).key for entry in records}) == 1


@pytest.mark.parametrize(
    ("host", "relative"),
    [
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
    ],
)
def test_a_host_is_relative_to_the_zone(host: str, relative: str) -> None:
    assert record_values.relativize_host(normalize_name(host), ZONE) == relative, host


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
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
    ],
)
def test_these_values_are_equal(kind: str, first: str, second: Any) -> None:
    assert are_equal(kind, first, second), (kind, first)


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("A", "192.0.2.10", "192.0.2.11"),
        ("TXT", "Case matters", "case matters"),
        ("TXT", "two  spaces", "two spaces"),
        ("TXT", '"a b"', "ab"),
        ("TXT", 'a" "b', "ab"),
        ("TXT", "<DKIM_RECORD_VALUE>", "v=DKIM1; k=rsa; p=OTHER"),
        ("TXT", "name.", "name"),
        ("TXT", '("a"', '"a"'),
        ("TXT", '"a")', '"a"'),
        ("MX", "10 mail", "20 mail"),
        ("MX", "10 mail.acme.example.", "10 mail.other.example."),
        ("SRV", "0 5 443 www", "0 5 80 www"),
        ("CNAME", "www.acme.example.", "acme.example."),
        ("CAA", '0 issue "ca.example"', '128 issue "ca.example"'),
        ("HINFO", "a b", "A b"),
    ],
)
def test_these_values_differ(kind: str, first: str, second: str) -> None:
    assert not are_equal(kind, first, second), (kind, first)


# Values with a place for an escape.
ESCAPING = {
    "CAA": '0 issue "ca.example;a{}"',
    "NAPTR": '10 20 "u" "E2U+sip" "!(.*)!sip:{}@acme.example!" .',
}
NO_BYTES = ("\\1", "\\12b", "\\256", "\\999", "\\\\\\1")


@pytest.mark.parametrize("record_type", ESCAPING)
@pytest.mark.parametrize("escape", ["\\255", "\\\\1", '\\"'])
def test_an_escape_of_a_byte_or_sign_is_sent_as_it_is_written(
    record_type: str, escape: str
) -> None:
    value = ESCAPING[record_type].format(escape)
    assert record_values.parse_value(record_type, value) == value


@pytest.mark.parametrize(
    ("kind", "value"),
    [
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
        *((kind, value.format(escape)) for kind, value in ESCAPING.items() for escape in NO_BYTES),
        ("TXT", ""),
        ("TXT", "two\nlines"),
    ],
)
def test_these_are_no_values(kind: str, value: str) -> None:
    with pytest.raises(ValueError):
        record_values.parse_value(kind, value)
        pytest.fail(f"{kind} {value} is taken")


HALF_QUOTED = {
    "a quote that is not closed": '"unbalanced',
    "a second string that is not closed": '"a" "b',
    "a third quote": '"a" b"',
    "text behind a string": '"v=spf1" -all',
    "an escaped end": '"a\\"',
    "an escape above all bytes": '"a\\999"',
    "an escape just above them": '"a\\256"',
    "an escape of one digit": '"a\\1"',
    "an escape of two digits": '"a\\12b"',
    "an escape behind an escaped backslash": '"\\\\\\300"',
    "a parenthesis that is not closed": '("a"',
    "a blank behind such a parenthesis": '( "a" "b"',
    "a parenthesis that is not opened": '"a")',
    "a quote that is not closed in parentheses": '("a)',
    "a longer text": f'"{"x" * 300}',
}


@pytest.mark.parametrize("record_type", ["TXT", "SPF"])
@pytest.mark.parametrize("value", HALF_QUOTED.values(), ids=HALF_QUOTED)
def test_a_text_that_is_quoted_by_half_is_refused_and_stays_if_the_zone_has_it(
    record_type: str, value: str
) -> None:
    """Read a record, and plan it for a zone that has it."""
    kept_record = make_record(type=record_type, value=value)
    desired = read_desired_zone({**DOMAIN, "records": [kept_record]})
    (problem,) = desired.list_unusual_problems()

    assert "one or more closed strings" in format_message(problem)

    plan = plan_zone({"records": {"soa": {}, "other": [kept_record]}, "dkim_record": None}, desired)
    assert not plan.is_change


@pytest.mark.parametrize(
    "value",
    [
        'say "hi"',
        '15" screen',
        '"a" "b"',
        '"a""b"',
        '( "a" "b" )',
        '("a")',
        "(a",
        "a)",
        '"a\\255\\000"',
        '"\\\\999"',
        '"a\\"b"',
        "a\\999",
        '""',
    ],
)
def test_a_text_in_whole_strings_or_without_them_is_sent_as_it_is(value: str) -> None:
    """Read texts in which quotes and backslashes are whole, or mean themselves."""
    assert record_values.parse_value("TXT", value) == value


@pytest.mark.parametrize(
    "content", ['"ca.example', '"ca.example" x', '"ca.example\\"', '"ca\\999"']
)
def test_the_content_of_a_caa_record_that_is_quoted_by_half_is_refused(content: str) -> None:
    """Read the content behind flags and tag."""
    with pytest.raises(ValueError):
        record_values.parse_value("CAA", f"0 issue {content}")


TWO_TTLS = [make_record(ttl=60), make_record(ttl=300, value="192.0.2.11")]
TTL_WARNING = (
    "records: www A: these records have the TTLs 60, 300, and a name server serves one for all of them. "
    "Give them the same TTL."
)


@pytest.mark.parametrize(
    ("existing", "warnings"),
    [
        pytest.param(None, [TTL_WARNING], id="domain is still to be created"),
        pytest.param([], [TTL_WARNING], id="new set"),
        pytest.param(TWO_TTLS[:1], [TTL_WARNING], id="set with one of them"),
        pytest.param(TWO_TTLS, [], id="set as the zone has it"),
    ],
)
def test_several_ttls_in_one_set_are_a_warning_unless_the_zone_has_them(
    existing: list[dict[str, Any]] | None, warnings: list[str]
) -> None:
    """Compare what is desired with zones that have a part of it."""
    zone = (
        None
        if existing is None
        else {"records": {"soa": {}, "other": existing}, "dkim_record": None}
    )
    assert find_warnings(zone, read_desired_zone({**DOMAIN, "records": TWO_TTLS})) == warnings


@pytest.mark.parametrize(
    "options",
    [
        {"records": [make_record(ttl=60), {**make_record_without("ttl"), "value": "192.0.2.11"}]},
        {"records": [make_record(ttl=60), make_record(ttl=300, type="TXT", value="a")]},
        {"records": TWO_TTLS, "state": "absent"},
    ],
    ids=["one TTL and none", "two sets", "removed records"],
)
def test_sets_with_one_ttl_each_are_no_warning(options: dict[str, Any]) -> None:
    """Compare what is desired with an empty zone."""
    zone = {"records": {"soa": {}, "other": []}, "dkim_record": None}
    assert find_warnings(zone, read_desired_zone({**DOMAIN, **options})) == []


@pytest.mark.parametrize(
    ("existing", "is_warned"),
    [
        pytest.param(None, True, id="domain is still to be created"),
        pytest.param([make_record()], True, id="zone with other types"),
        pytest.param([make_record(type="WALLET", value="b")], False, id="zone with this type"),
    ],
)
def test_an_unusual_type_is_a_warning_unless_the_zone_has_it(
    existing: list[dict[str, Any]] | None, is_warned: bool
) -> None:
    zone = None
    if existing is not None:
        zone = {"records": {"soa": {}, "other": existing}, "dkim_record": None}
    options = {**DOMAIN, "records": [make_record(type="WALLET", value="a")]}

    warnings = find_warnings(zone, read_desired_zone(options))

    expected = "records: the panel may refuse records of type WALLET. Usual types are A, AAAA, CAA"
    assert any(warning.startswith(expected) for warning in warnings) == is_warned


def test_a_misspelled_type_is_no_warning_beside_its_error() -> None:
    zone = {"records": {"soa": {}, "other": [make_record()]}, "dkim_record": None}
    options = {**DOMAIN, "records": [make_record(type="AA", value="192.0.2.1")]}

    assert find_warnings(zone, read_desired_zone(options)) == []


def test_a_longer_text_is_sent_in_quoted_pieces_of_at_most_255_bytes() -> None:
    text = "ü" * 200 + '"\\'
    sent = record_values.split_long_text(text)

    assert sent.startswith('"')
    assert '" "' in sent
    assert decode_text(sent) == text
    assert all(len(decode_text(f'"{piece}"').encode()) <= 255 for piece in sent[1:-1].split('" "'))


@pytest.mark.parametrize(
    "record",
    [
        'default._domainkey IN TXT ( "v=DKIM1; k=rsa; " "p=MIIB" )',
        'default._domainkey\tIN\tTXT\t( "v=DKIM1; k=rsa; "\n\t  "p=MIIB" )  ; ----- DKIM key default for acme.example',
        'default._domainkey.acme.example. 86400 IN TXT "v=DKIM1; k=rsa; p=MIIB"',
        '"v=DKIM1; k=rsa; p=MIIB"',
        "v=DKIM1; k=rsa; p=MIIB",
    ],
)
def test_the_dkim_text_is_found_in_the_whole_record(record: str) -> None:
    assert (
        record_values.find_dkim_text({"dkim_record": record, "records": {"soa": {}, "other": []}})
        == DKIM
    ), record


def test_without_the_whole_record_the_dkim_text_is_that_of_the_only_key() -> None:
    keys = [
        ("old._domainkey", "v=DKIM1; p="),
        ("_adsp._domainkey", "dkim=all"),
        ("_x._domainkey", "v=DKIM1; p=MIIC"),
        ("www", "p=MIIC"),
    ]
    records = [{"host": host, "type": "TXT", "value": text} for host, text in keys]
    zone = {"dkim_record": None, "records": {"soa": {}, "other": records}}

    assert record_values.find_dkim_text(zone) is None

    records.append(
        {"host": "default._domainkey", "type": "txt", "value": '"v=DKIM1; k=rsa; " "p=MIIB"'}
    )

    assert record_values.find_dkim_text(zone) == DKIM

    records.append({"host": "two._domainkey", "type": "TXT", "value": "v=DKIM1; p=MIIC"})
    assert record_values.find_dkim_text(zone) is None


# What protect may hold

RECORD_TYPE_NAMES = [
    name for name in dns.rdatatype.RdataType.__members__ if name not in ("TYPE0", "NONE", "SOA")
]
META_TYPES = [
    name for name in RECORD_TYPE_NAMES if dns.rdatatype.is_metatype(dns.rdatatype.from_text(name))
]
DATA_TYPES = [name.replace("_", "-") for name in RECORD_TYPE_NAMES if name not in META_TYPES]


OTHER_TYPES = ["ALIAS", "LUA", "TYPE65280", "TYPE65535"]
PATTERNS_OF_TYPES = ["*", "T*", "[AM]*", "C?A", "[!n]*", "TYPE65*", "TYPE6528?", "TYPE*"]


@pytest.mark.parametrize("kind", [*DATA_TYPES, *OTHER_TYPES, *PATTERNS_OF_TYPES])
@pytest.mark.parametrize("spelling", [str.upper, str.lower])
def test_the_second_word_of_protect_is_a_record_type_or_a_pattern_for_some(
    kind: str, spelling: Any
) -> None:
    requested = read_desired_zone(
        {**DOMAIN, "records": [], "purge": True, "protect": [f"www {spelling(kind)}"]}
    )
    assert requested.protect == [{"host": "www", "type": kind.upper()}]


@pytest.mark.parametrize(
    "entry",
    [
        *(
            f"www {kind}"
            for kind in (*META_TYPES, "SOA", "NONE", "TYPE", "TYPE01", "TYPE65536", "TYPE123456")
        ),
        *(f"www {pattern}" for pattern in ("TYPE6554?", "TYPE0?", "TYPE??????", "XYZ*")),
        *(
            f"{kind} {host}"
            for kind in ("TXT", "A")
            for host in ("@", "_acme-challenge.x", "_acme-challenge*", "www", "www*")
        ),
        *("x TXT,A", "x TXT|A", "x TXT;", "x {TXT,A}", "x TX", "x [", "x 16"),
    ],
)
def test_an_entry_of_protect_whose_second_word_is_no_record_type_is_named(entry: str) -> None:
    error = get_mistake({"records": [], "purge": True, "protect": ["@ NS", entry]})
    kind = entry.split()[1]

    assert str(error) == (
        f"protect[1]: {entry!r} is not accepted: {kind!r} is no type of records that a purge could delete. "
        "Write HOST TYPE such as '@ NS'."
    )


@pytest.mark.parametrize("entry", ["", " ", "@", "@ NS x", None, 1, True])
def test_an_entry_of_protect_is_two_words(entry: Any) -> None:
    assert get_mistake({"records": [], "purge": True, "protect": [entry]}).option == "protect[0]"


SETS = [
    ("www", "A"),
    ("*", "A"),
    ("a[b", "TXT"),
    ("a b", "MX"),
    ("", "NS"),
    ("f\u00fc\u0378", "A"),
    ("x", "ODD"),
    ("x", "A B"),
]


@pytest.mark.parametrize(("host", "kind"), SETS)
def test_every_set_that_a_panel_may_show_can_be_protected(host: str, kind: str) -> None:
    protect = [build_protect_pattern(host, kind)]
    zone = {
        "records": {"soa": {}, "other": [{"host": host, "type": kind, "ttl": 60, "value": "x"}]}
    }
    options = {
        **DOMAIN,
        "records": [],
        "purge": True,
        "max_delete_percent": 100,
        "protect": protect,
    }

    assert not plan_zone(zone, read_desired_zone(options)).is_change


# Warnings about protect

SHOWN = {
    "records": {
        "soa": {},
        "other": [GOOD, make_record(host="*"), make_record(host="@", type="TXT", value="x")],
    }
}


def list_warnings(*protect: str, **options: Any) -> list[str]:
    """Return the warnings of entries of protect that name nothing."""
    named = {**DOMAIN, "records": [], "purge": True, "protect": list(protect), **options}
    return find_protect_warnings(SHOWN, read_desired_zone(named))


@pytest.mark.parametrize(
    "entry",
    [
        "www A",
        "WWW a",
        "www.acme.example. A",
        "www *",
        "@ TXT",
        "acme.example. TXT",
        "* MX",
        "x* A",
        "[*] A",
        "@ NS",
    ],
)
def test_an_entry_of_protect_that_fits_or_is_a_pattern_is_no_warning(entry: str) -> None:
    assert list_warnings(entry) == []


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ("www TXT", "www TXT"),
        ("shop A", "shop A"),
        ("shop *", "shop *"),
        ("txt *", "txt *"),
        ("shop.acme.example. A", "shop A"),
        ("www.acme.example A", "www.acme.example A"),
        ("m\u00fcller A", "xn--mller-kva A"),
        ("[* A", "[* A"),
        ("shop[ A", "shop[ A"),
        ("[z-a]* A", "[z-a]* A"),
    ],
)
def test_a_name_in_protect_that_no_set_has_is_a_warning(entry: str, name: str) -> None:
    assert list_warnings("@ NS", entry, "www A") == [
        f"protect: {name}: not in the zone acme.example, so nothing is protected by it. Correct the entry, or take it out."
    ]


def test_protect_warns_of_nothing_where_it_has_no_effect_or_the_zone_is_not_known() -> None:
    assert list_warnings("shop A", purge=False) == []
    assert list_warnings("shop A", records=[make_record(host="shop")]) == []

    requested = read_desired_zone({**DOMAIN, "records": [], "purge": True, "protect": ["shop A"]})
    assert find_protect_warnings(None, requested) == []


def test_a_host_of_protect_that_only_looks_absolute_gets_a_warning() -> None:
    requested = read_desired_zone(
        {**DOMAIN, "records": [], "purge": True, "protect": ["@ NS", "*.acme.example A"]}
    )
    (warning,) = requested.warnings

    assert warning.startswith(
        "protect[1]: *.acme.example has no dot at its end, so it means *.acme.example.acme.example."
    )


# An empty host


@pytest.mark.parametrize("host", ["", " ", "\t", "\u00a0", "\u3000"])
@pytest.mark.parametrize(
    "options",
    [
        {"state": "absent", "records": [{"type": "A"}]},
        {"state": "absent", "records": [{"type": "A", "value": "192.0.2.10"}]},
        {"records": [{"type": "A", "value": "192.0.2.10"}]},
        {"records": [{"type": "A", "value": "192.0.2.10"}], "append": True},
        {"records": [{"type": "A", "value": "192.0.2.10"}], "purge": True},
    ],
    ids=["absent set", "absent value", "present", "append", "purge"],
)
def test_an_empty_host_does_not_mean_the_domain_itself(host: str, options: dict[str, Any]) -> None:
    records = [{"host": host, **options["records"][0]}]
    error = get_mistake({**options, "records": records})

    assert str(error) == "records[0].host: is empty; use @ for the domain itself."
